"""The same bits at every number of lanes and on every processor, and those that NumPy says."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from dalembert.kernel.backends.llvm.host import Host, this_host
from tests.unit.kernel.backends.llvm.kinds import KINDS, Results, check

HERE = this_host()
HOSTS = {f"{width} lanes": HERE._replace(width=width) for width in (1, 2, 4, 8, 16)}
if HERE.triple.startswith("x86_64"):
    # processors without AVX, and with it but without FMA
    HOSTS["nehalem"] = Host(HERE.triple, "nehalem", "", 2)
    HOSTS["sandybridge"] = Host(HERE.triple, "sandybridge", "+avx", 4)


@cache
def one_lane(kind: str) -> Results:
    return KINDS[kind].make(HOSTS["1 lanes"])()


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_module_on_every_processor(kind: str, host: str) -> None:
    if kind == "XLA handler":
        pytest.importorskip("jax")
    found = KINDS[kind].make(HOSTS[host])()
    check(found, KINDS[kind])
    for x, y in zip(found, one_lane(kind), strict=True):
        np.testing.assert_array_equal(x, y)
