"""Programs, and the way from expressions to them and back."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.errors import InvalidExpression, UnknownName
from dalembert.kernel.program.program import Cost, Instruction, Port, Program
from dalembert.kernel.program.trace import lift, trace

X = da.parameters("x y z")


def test_cost_counts_each_operation_once() -> None:
    code = (
        Instruction("input", (), (0, 0)),
        Instruction("const", (), Fraction(2)),
        Instruction("fma", (0, 1, 0)),
        Instruction("add", (2, 0)),
        Instruction("div", (3, 2)),
        Instruction("sqrt", (4,)),
        Instruction("sincos", (5,)),
        Instruction("sin_of", (6,)),
        Instruction("neg", (7,)),
    )
    program = Program("f", (Port("x", (2, 3)),), (Port("y", ()),), code, (8,))
    assert program.cost == Cost(flops=3, divisions=2, functions=1, bytes=56)
    assert str(program.cost) == "3 flops, 2 divisions and roots, 1 functions, 56 bytes"


def test_results_are_dealt_to_the_outputs_in_order() -> None:
    x, y, z = X
    program = trace("f", {"x": X}, {"a": [[x, y], [y, z]], "b": z})
    (a, first), (b, second) = program.output_results()
    assert (a, b) == (Port("a", (2, 2)), Port("b", ()))
    values = [program.code[k].value for k in (*first, *second)]
    assert values == [(0, 0), (0, 1), (0, 1), (0, 2), (0, 2)]


def test_text_and_digest_say_everything() -> None:
    x, y, z = X
    program = trace("f", {"x": X}, {"y": x - y})
    assert trace("f", {"x": X}, {"y": x - y}).digest == program.digest
    for other in (
        trace("g", {"x": X}, {"y": x - y}),
        trace("f", {"w": X}, {"y": x - y}),
        trace("f", {"x": X}, {"y": [x - y]}),
        trace("f", {"x": X}, {"y": y - x}),
        trace("f", {"x": [y, x, z]}, {"y": x - y}),
    ):
        assert other.digest != program.digest


def test_order_of_building_does_not_show() -> None:
    x, y, z = X
    late = (x * z) * (y + z)
    texts = set()
    for first in (x + y, y * z):
        texts.add(str(trace("f", {"x": X}, {"u": late + (x + y) + y * z, "v": first * 0 + x + y})))
    del late
    assert len(texts) == 1


def test_lift_undoes_trace() -> None:
    x, y, z = X
    outputs = {
        "u": [x / y, da.sqrt(x) + da.pi, x ** Fraction(2, 3)],
        "v": da.atan2(x, y) - da.exp(z) * da.tanh(da.asin(x)) + 3,
    }
    lifted = lift(trace("f", {"x": X}, outputs), {"x": X})
    assert [str(e) for e in lifted["u"]] == [str(e) for e in outputs["u"]]
    assert lifted["u"][0] is outputs["u"][0]
    assert lifted["v"][0] is outputs["v"]


def test_lift_puts_other_symbols_in() -> None:
    x, y, _ = X
    (s,) = da.parameters("s")
    program = trace("f", {"x": x, "y": y}, {"u": x * y})
    assert lift(program, {"x": s, "y": s})["u"][0] is s**2


def test_trace_refuses_what_it_cannot_mean() -> None:
    x, y, z = X
    with pytest.raises(UnknownName, match="got z"):
        trace("f", {"x": [x, y]}, {"u": z})
    with pytest.raises(InvalidExpression, match="expected symbols"):
        trace("f", {"x": x + y}, {"u": x})
    with pytest.raises(InvalidExpression, match="x twice"):
        trace("f", {"x": x, "again": x}, {"u": x})
    with pytest.raises(InvalidExpression, match="even rows"):
        trace("f", {"x": X}, {"u": [[x, y], [z]]})
