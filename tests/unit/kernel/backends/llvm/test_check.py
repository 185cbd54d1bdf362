"""A kernel for batches that is wrong on this machine raises when it is made, and is not kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import WrongMachineCode
from dalembert.kernel import cache
from dalembert.kernel.backends.llvm import build as llvm_build
from dalembert.kernel.backends.llvm import check
from dalembert.kernel.backends.llvm.build import build, build_loop
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.rows import load_rows, store_rows
from dalembert.kernel.backends.llvm.write import kernel_text
from dalembert.kernel.backends.llvm.write import long as long_kernel
from dalembert.kernel.backends.llvm.write import loop as loop_text
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.compiler import compile_program
from dalembert.kernel.program.program import Instruction, Port, Program
from tests.unit.kernel.backends.llvm.kinds import wide

TWO_LANES = this_host()._replace(width=2)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


def arm(n: int = 3) -> Program:
    x, y = da.parameters(" ".join(f"x{k}" for k in range(n))), da.parameters("y")
    outputs = {"z": [da.sin(a) * (k + 2) + y[0] for k, a in enumerate(x)], "s": sum(x)}
    return compile_program(outputs, {"x": list(x), "y": y}, name="arm")


def step(n: int = 3) -> Loop:
    x, u = da.parameters(" ".join(f"x{k}" for k in range(n))), da.parameters("u")
    outputs = {"next": [a * (k + 2) / 9 + u[0] for k, a in enumerate(x)], "r": x[0] + 1}
    program = compile_program(outputs, {"x": list(x), "u": u}, name="step")
    return Loop(program, (("next", "x"),), "r", ("u",))


def one_place_too_far(lanes: Lanes, pointers: Any, size: int) -> list[str]:
    """Read a row as it was read once: the last tile counts twice where it overlaps."""
    values = load_rows(lanes, pointers, size)
    return (
        [*values[:-1], values[-2], values[-1]] if lanes.width == 2 < size and size % 2 else values
    )


def another_lane(lanes: Lanes, pointers: Any, values: Any) -> None:
    """Write every sample to the row of its neighbour."""
    store_rows(lanes, [*pointers[1:], pointers[0]], values)


def dropped_lane(lanes: Lanes, pointers: Any, values: Any) -> None:
    """Write the last sample of a group to the row of the first."""
    store_rows(lanes, [*pointers[:-1], pointers[0]], values)


def spoil(monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any]) -> None:
    name = "load_rows" if function is one_place_too_far else "store_rows"
    for module in (kernel_text, long_kernel, loop_text):
        monkeypatch.setattr(module, name, function)


FAULTS = [one_place_too_far, another_lane, dropped_lane]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_kernel_raises_each_time(
    fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    states = np.ones((5, 3)), np.ones((5, 1))
    with monkeypatch.context() as patch:
        spoil(patch, fault)
        for kernel in (build(arm(), host=TWO_LANES), build(arm(), host=TWO_LANES)):
            with pytest.raises(WrongMachineCode, match=r"batch.*\b[zs] of arm, for 3 states"):
                kernel(*states)
        # single states are right, and are kept
        assert build(arm(), host=TWO_LANES)(states[0][0], states[1][0])[1] == 3
        assert len([path for path in folder.iterdir() if path.name != "key"]) == 1
    build(arm(), host=TWO_LANES)(*states)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_loop_raises(fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    given = np.ones((5, 3)), np.ones((5, 4, 1))
    with monkeypatch.context() as patch:
        spoil(patch, fault)
        with pytest.raises(WrongMachineCode, match="of step"):
            build_loop(step(), host=TWO_LANES)(*given, steps=4)
    assert build_loop(step(), host=TWO_LANES)(*given, steps=4).is_finite


def test_a_wrong_kernel_in_pieces_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    right = long_kernel.store_rolled

    def another_row(lanes: Any, pointers: Any, *rest: Any) -> Any:
        return right(lanes, [*pointers[1:], pointers[0]], *rest)

    monkeypatch.setattr(long_kernel, "store_rolled", another_row)
    with pytest.raises(WrongMachineCode, match="y of wide"):
        _ = build(wide()).wide


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_it_is_tried_once_on_a_machine(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    check_lanes = check.check_lanes

    def counted(program: Program, run: Any, width: int, *rest: Any) -> None:
        tried.append(width)
        check_lanes(program, run, width, *rest)

    monkeypatch.setattr(check, "check_lanes", counted)
    for _ in range(2):
        build(arm(), dtype=dtype).wide  # noqa: B018
        build_loop(step(), dtype=dtype).wide  # noqa: B018
    width = this_host().width * (1 if dtype == "float64" else 2)
    assert tried == [width, width]


def singles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the widths of the kernels that are loaded from now on."""
    widths: list[int] = []
    load = llvm_build.load

    def counted(program: Program, width: int, *rest: Any) -> Any:
        widths.append(width)
        return load(program, width, *rest)

    monkeypatch.setattr(llvm_build, "load", counted)
    return widths


def test_the_code_for_single_states_is_not_made_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    widths = singles(monkeypatch)
    build(arm()).wide  # noqa: B018
    assert widths == [this_host().width]


I = Instruction
CANCELLING = Program(
    "cancelling",
    (Port("x", (2,)),),
    (Port("y", ()),),
    (
        I("input", (), (0, 0)),
        I("input", (), (0, 1)),
        I("mul", (0, 1)),
        # what rounding took of the product: zero for Python, which rounds twice
        I("fms", (0, 1, 2)),
    ),
    (3,),
)


@pytest.mark.parametrize("name", ["rounding", "no value"])
def test_where_python_cannot_tell_single_states_decide(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (x,) = da.parameters("x")
    # the logarithm has no value where the inputs are drawn
    program = compile_program({"y": da.log(x - 3)}, {"x": x}) if name == "no value" else CANCELLING
    widths = singles(monkeypatch)
    build(program).wide  # noqa: B018
    assert widths == [this_host().width, 1]


def test_programs_without_inputs_or_numbers() -> None:
    (x,) = da.parameters("x")
    kernel = build(compile_program({"c": [2, 3]}, {}))
    assert kernel.wide.width == this_host().width
    empty = build(compile_program({"e": [], "y": x}, {"x": x, "n": []}))
    assert empty.wide.width == this_host().width
