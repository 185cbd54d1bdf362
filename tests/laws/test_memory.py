"""No description of a few lines takes long, fills the memory or ends its process."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tests.cases import num_cases
from tests.figures import Figures
from tools.memory import outcome


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of processes")
def test_random_descriptions_are_answered_or_refused(
    rng: np.random.Generator, scale: float, figures: Figures
) -> None:
    for _ in range(num_cases(3, scale)):
        seed = int(rng.integers(2**40))
        found = outcome(seed)
        assert found.is_good, f"python -m tools.memory --seed {seed} --count 1: {found}"
        figures.count(f"descriptions {found.verdict}", 1)
        figures.worst("seconds of a description", found.seconds)
