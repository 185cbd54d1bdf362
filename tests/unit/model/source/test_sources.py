"""Generated code of functions with options: chosen by frame, several in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UnknownName
from dalembert.model import Model
from tests.unit.kernel.backends.c import toolchain


@pytest.fixture(scope="module")
def model() -> Model:
    return da.compile(da.textbook.robots.ur5e())


@toolchain.needs_compilers
def test_two_jacobians_in_one_file(model: Model, tmp_path: Path) -> None:
    """Each has its frame in its name, and computes what the model computes."""
    chosen: Any = [
        ("jacobian", {"frame": "flange"}),
        ("jacobian", {"frame": "link3", "reference": "body"}),
        ("forward_kinematics", {"frame": "flange"}),
    ]
    code = model.source("c", functions=chosen, prefix="arm")
    library = toolchain.Library([code], tmp_path)
    q = np.linspace(-1, 1, 6)
    for name, expected in (
        ("arm_jacobian_flange", model.jacobian(q, "flange")),
        ("arm_jacobian_link3_body", model.jacobian(q, "link3", "body")),
        ("arm_forward_kinematics", model.forward_kinematics(q, "flange")),
    ):
        assert np.abs(library(name, [q], expected.shape) - expected).max() < 1e-14


def test_two_jacobians_in_cuda(model: Model) -> None:
    chosen: Any = [("jacobian", {"frame": "flange"}), ("jacobian", {"frame": "link3"})]
    text = model.source("cuda", functions=chosen)
    assert "jacobian_flange" in text
    assert "jacobian_link3" in text


@pytest.mark.parametrize("language", ["c", "cuda", "llvm"])
def test_a_function_without_its_frame_is_refused(model: Model, language: str) -> None:
    with pytest.raises(UnknownName, match=r'expected frame= for jacobian, got nothing.*"frame": …'):
        model.source(language, functions=["jacobian"])


def test_rolled_code_takes_the_link_when_called(model: Model) -> None:
    with pytest.raises(UnknownName, match="expected no options of jacobian in rolled C"):
        model.source("rolled_c", functions=[("jacobian", {"frame": "flange"})])


def test_programs_have_no_dead_instructions(model: Model) -> None:
    """An instruction that nothing reads is work for nothing, and a warning of C compilers."""
    for reference in ("world", "body", "spatial"):
        for link in (f"link{i}" for i in range(1, 7)):
            program = model.program("jacobian", frame=link, reference=reference)
            used = {a for _, args, _ in program.code for a in args} | {*program.results}
            unused = {i for i, (op, _, _) in enumerate(program.code) if op != "input"} - used
            assert not unused, (link, reference)
