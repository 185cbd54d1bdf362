"""Shapes, strides and dtypes of a call, checked without a device."""

import math

import pytest

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.cuda.compiling import fitted, registers
from dalembert.kernel.backends.cuda.layout import Layout, merged
from dalembert.kernel.backends.cuda.plan import View, access, check_apart, plan_inputs, plan_output
from dalembert.kernel.program.program import Instruction, Port, Program

Q, M = Port("q", (3,)), Port("M", (2, 2))
PROGRAM = Program("f", (Q, M), (Port("y", (3,)),), (Instruction("input", (), (0, 0)),), (0,) * 3)


def view(shape: tuple[int, ...], strides: tuple[int, ...] | None = None, dtype="float32") -> View:
    """Return an array at no place; without strides a contiguous one."""
    if strides is None:
        strides = tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))
    return View(0, shape, strides, dtype, None)


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((2, 3), (3, 1), 1),
        ((2, 3), (6, 2), 2),
        ((2, 3), (1, 2), None),
        ((2, 1, 3), (3, 99, 1), 1),
        ((5,), (0,), 0),
        ((5, 4), (0, 0), 0),
        ((5, 4), (1, 0), None),
        ((), (), 0),
        ((4,), (-1,), -1),
    ],
)
def test_merged(shape: tuple[int, ...], strides: tuple[int, ...], expected: int | None) -> None:
    assert merged(shape, strides) == expected


@pytest.mark.parametrize(
    ("q", "m", "batch", "layouts", "ways"),
    [
        # rows; one for all; structure of arrays; every second number; two batch axes; one sample
        (view((9, 3)), view((9, 2, 2)), (9,), ((3, 1), (4, 1)), ("rows", "rows")),
        (view((9, 3)), view((2, 2)), (9,), ((3, 1), (0, 1)), ("rows", "direct")),
        (view((9, 3), (1, 9)), view((1, 2, 2)), (9,), ((1, 9), (0, 1)), ("staged", "direct")),
        (view((9, 3), (6, 2)), view((2, 2)), (9,), ((6, 2), (0, 1)), ("staged", "direct")),
        (view((2, 4, 3)), view((2, 4, 2, 2)), (2, 4), ((3, 1), (4, 1)), ("rows", "rows")),
        (view((3,)), view((2, 2)), (), ((0, 1), (0, 1)), ("direct", "direct")),
    ],
)
def test_layouts(q: View, m: View, batch: tuple[int, ...], layouts: tuple, ways: tuple) -> None:
    plan = plan_inputs(PROGRAM, "float32", [q, m])
    assert plan.batch == batch
    assert plan.layouts == layouts
    assert plan.batch_last == (layouts[0] == (1, 9))
    assert access(PROGRAM, (*plan.layouts, Layout(3, 1)))[:2] == ways


@pytest.mark.parametrize(
    ("q", "m", "message"),
    [
        (view((9, 3), dtype="float64"), view((2, 2)), "float32 for q of f, got float64: convert"),
        (view((9, 4)), view((2, 2)), r"expected shape \(..., 3\) for q of f, got \(9, 4\)"),
        (view((9, 3)), view((8, 2, 2)), r"broadcast in f, got q \(9, 3\), M \(8, 2, 2\)"),
        (view((9, 3)), view((9, 2, 2), (4, 1, 2)), "evenly spaced samples for M of f"),
        (view((4, 1, 3)), view((5, 2, 2)), "evenly spaced samples for q of f"),
    ],
)
def test_refusals(q: View, m: View, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        plan_inputs(PROGRAM, "float32", [q, m])


def test_outputs_must_not_overlap() -> None:
    port = PROGRAM.outputs[0]
    assert plan_output(PROGRAM, "float32", view((9, 3), (1, 9)), port, (9,)) == (1, 9)
    assert plan_output(PROGRAM, "float32", view((0, 3), (0, 0)), port, (0,)) == (0, 0)
    for wrong in (view((9, 3), (0, 1)), view((9, 3), (2, 1)), view((9, 3), (1, 0)), view((8, 3))):
        with pytest.raises(EvaluationError, match="a place of its own for every number"):
            plan_output(PROGRAM, "float32", wrong, port, (9,))


def test_outputs_must_not_lie_in_inputs() -> None:
    """Addresses count bytes; columns of one matrix of 10 are apart, shifted rows are not."""
    q, m = view((9, 3)), view((9, 2, 2))._replace(address=1000)

    def check(address: int, strides: tuple[int, int], other: View = q) -> None:
        y = view((9, 3), strides)._replace(address=address)
        check_apart(PROGRAM, "float32", [other, m], [y])

    check(4 * 27, (3, 1))
    for address in (0, 4 * 26, 1000 - 4 * 27 + 4, 1000 + 4 * 35):
        with pytest.raises(EvaluationError, match="y of f with memory of its own"):
            check(address, (3, 1))
    check(1000 + 4 * 36, (3, 1))
    # nine rows backwards end where the first row lies
    with pytest.raises(EvaluationError, match="shares some with q: give another array"):
        check(4 * 27 + 4 * 23, (-3, 1))
    column = view((9, 3), (10, 1))
    check(12, (10, 1), column)
    check(4 * 7, (10, 1), column)
    for address in (0, 8, 4 * 8, 4 * 18):
        with pytest.raises(EvaluationError, match="with memory of its own"):
            check(address, (10, 1), column)
    check_apart(PROGRAM, "float32", [view((0, 3)), m], [view((0, 3))])


def test_shared_memory_that_does_not_suffice() -> None:
    """q needs 32 · 3 numbers of each warp, M 32 · 5, y 32 · 3: 352 · 4 bytes."""
    ways = ("rows", "rows", "rows")
    assert fitted(PROGRAM, "float32", ways, 4 * 352 * 4) == (ways, 128)
    assert fitted(PROGRAM, "float32", ways, 4 * 352 * 4 - 1) == (ways, 64)
    assert fitted(PROGRAM, "float32", ways, 352 * 4) == (ways, 32)
    assert fitted(PROGRAM, "float32", ways, 352 * 4 - 1) == (("rows", "direct", "rows"), 32)


def test_slots_leave_shared_memory_to_other_warps() -> None:
    """A warp needs 33 numbers for each different result: three of them must fit."""
    x = Port("x", ())
    code = (Instruction("input", (), (0, 0)), *(Instruction("neg", (k,)) for k in range(49)))
    program = Program("f", (x,), (Port("y", (100,)),), code, (*range(50), *range(50)))
    assert access(program, [Layout(1, 1), Layout(100, 1)]) == ("staged", "slots")
    need = 4 * (32 + 33 * 50)
    assert fitted(program, "float32", ("staged", "slots"), 3 * need)[0] == ("staged", "slots")
    assert fitted(program, "float32", ("staged", "slots"), 3 * need - 1)[0] == ("staged", "local")


@pytest.mark.parametrize(
    ("alive", "dtype", "count"),
    [(70, "float32", 96), (168, "float32", 168), (255, "float32", 255), (101, "float64", 255)],
)
def test_registers_follow_the_values_alive(alive: int, dtype: str, count: int) -> None:
    assert registers(alive, dtype) == count
