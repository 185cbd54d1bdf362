"""Bounds on rounding errors: by hand where that is possible, else against exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.kernel.compiler import compile_program
from dalembert.kernel.program.interpret import interpret
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.model.certificates.certify import Certifier
from dalembert.model.certificates.in_balls import BALLS, precision
from dalembert.model.certificates.rounding.functions import relative_error
from dalembert.model.certificates.rounding.rounding import Rounding, rounding_of
from dalembert.model.certificates.rounding.subdivide import over_box

U = 2.0**-53
x, y, z = da.coordinates("x y z")
robots = da.textbook.robots


def bound(value: da.Expr, box: Sequence[tuple[float, float]], work: int = 10_000) -> float:
    program = compile_program({"y": [value]}, {"x": [x, y, z]})
    found = over_box(
        program, [[*box, *[(0.0, 0.0)] * (3 - len(box))]], relative_error("llvm"), work
    )
    return math.inf if found.why else found.errors[0]


UNIT = (-1.0, 1.0)
BY_HAND = {
    "a sum up to 2 is off by half a unit of 1": (x + y, [UNIT, UNIT], 2 * U),
    "a product": (x * y, [(-3.0, 3.0), (-4.0, 4.0)], 12 * U),
    "a quotient": (x / y, [(1.0, 2.0), (4.0, 8.0)], 0.5 * U),
    "a root": (da.sqrt(x), [(4.0, 9.0)], 3 * U),
    "a constant that is no float, times x": (
        x * Fraction(1, 3),
        [UNIT],
        float(abs(Fraction(1 / 3) - Fraction(1, 3))) + U / 3,
    ),
    "a rotated vector keeps its length": (
        da.cos(z) * x - da.sin(z) * y,
        [(-3.0, 3.0), (-4.0, 4.0), (-9.0, 9.0)],
        # each product 1 + 2 roundings of its factor, the sum one of 5
        (3 * math.hypot(3, 4) + 5) * U,
    ),
    # functions of floats: two half units of their value
    "asin": (da.asin(x), [(-0.5, 0.5)], 2 * math.asin(0.5) * U),
    "acos": (da.acos(x), [(-0.5, 0.5)], 2 * math.acos(-0.5) * U),
    "tan": (da.tan(x), [UNIT], 2 * math.tan(1) * U),
    "exp": (da.exp(x), [(0.0, 1.0)], 2 * math.e * U),
    "log": (da.log(x), [(1.0, 4.0)], 2 * math.log(4) * U),
    "tanh": (da.tanh(x), [UNIT], 2 * math.tanh(1) * U),
    "a third root": (x ** Fraction(1, 3), [(1.0, 8.0)], 2 * 2 * U),
    "atan2": (da.atan2(y, x), [(1.0, 2.0), (1.0, 2.0)], 2 * math.atan2(2, 1) * U),
    "a sine": (da.sin(x), [(0.0, 0.5)], 2 * math.sin(0.5) * U),
    "nothing is rounded by abs": (da.abs(x), [UNIT], 0.0),
    # functions of a sum that is off by u: with the steepest slope
    "asin of a sum": (
        da.asin(x + y),
        [(-0.25, 0.25)] * 2,
        (0.5 / math.sqrt(0.75) + 2 * math.asin(0.5)) * U,
    ),
    "acos of a sum": (
        da.acos(x + y),
        [(-0.25, 0.25)] * 2,
        (0.5 / math.sqrt(0.75) + 2 * math.acos(-0.5)) * U,
    ),
    "tan of a sum": (
        da.tan(x + y),
        [(-0.5, 0.5)] * 2,
        (1 + math.tan(1) ** 2 + 2 * math.tan(1)) * U,
    ),
    "log of a sum": (da.log(x + y), [(1.0, 2.0)] * 2, (2 + 2 * math.log(4)) * U),
    "exp of a sum": (da.exp(x + y), [(0.0, 0.5)] * 2, (math.e + 2 * math.e) * U),
    "tanh of a sum": (da.tanh(x + y), [(-0.5, 0.5)] * 2, (1 + 2 * math.tanh(1)) * U),
    "sine of a sum": (da.sin(x + y), [(0.0, 0.5)] * 2, (1 + 2 * math.sin(1)) * U),
    "a third root of a sum": (
        (x + y) ** Fraction(1, 3),
        [(0.5, 4.0)] * 2,
        (8 / 3 + 4) * U,
    ),
    "an inverse third root of a sum": (
        (x + y) ** Fraction(-4, 3),
        [(0.5, 4.0)] * 2,
        # 4/3 of 8 u, and the root, its inverse
        None,
    ),
    "a root of a sum": (da.sqrt(x + y), [(2.0, 8.0)] * 2, (16 / 4 + 4) * U),
    "a root near zero": (da.sqrt(x * x + y * y), [UNIT] * 2, None),
    "an angle of a sum": (
        da.atan2(y + z, x),
        [(3.0, 4.0), (2.0, 3.0), (2.0, 3.0)],
        (6 / 5 + 2 * math.atan2(6, 3)) * U,
    ),
    "a quotient of a sum": ((x + y) / z, [(1.0, 2.0), (1.0, 2.0), (2.0, 4.0)], (2 + 2) * U),
    "a quotient by a sum": (z / (x + y), [(1.0, 2.0), (1.0, 2.0), (2.0, 4.0)], (4 + 2) * U),
    "what cancels keeps its error": ((x + 2**83) - 2**83, [UNIT], 2.0**30),
    "nothing is rounded": (-x, [UNIT], 0.0),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_bounds_by_hand(name: str) -> None:
    value, box, expected = BY_HAND[name]
    if expected is None:
        # no short formula: finite, and small beside the values
        assert 0 < bound(value, box) < 1e-7
    else:
        assert expected * (1 - 1e-9) <= bound(value, box) <= 1.01 * expected


def test_a_machine_may_fuse_or_not() -> None:
    """x y + z: two roundings, of 12 and of 13, or only the second."""
    code = (*(Instruction("input", (), (0, k)) for k in range(3)), Instruction("fma", (0, 1, 2)))
    program = Program("f", (Port("x", (3,)),), (Port("y", ()),), code, (3,))
    box = [[(-3.0, 3.0), (-4.0, 4.0), UNIT]]
    (error,) = over_box(program, box, 0.0, 100).errors
    assert 25 * U <= error <= 25.01 * U


@pytest.mark.parametrize("half", ["cos_of", "sin_of"])
@pytest.mark.parametrize(("other", "expected"), [(None, 7), ("same", 8), ("opposite", 0)])
def test_parts_of_one_angle_are_not_mixed_up(half: str, other: str | None, expected: int) -> None:
    """c + c x and c y + c x are twice as large as c; s y + c x is √2 as large."""
    second = half if other != "opposite" else {"cos_of": "sin_of", "sin_of": "cos_of"}[half]
    code = [
        *(Instruction("input", (), (0, k)) for k in range(3)),
        Instruction("sincos", (2,)),
        Instruction(half, (3,)),
        Instruction(second, (3,)),
        Instruction("mul", (4, 0)),
        Instruction("mul", (5, 1)),
        Instruction("add", (6, 4 if other is None else 7)),
    ]
    program = Program("f", (Port("x", (3,)),), (Port("y", ()),), tuple(code), (8,))
    box = [[UNIT, UNIT, (-4.0, 4.0)]]
    (error,) = over_box(program, box, 2 * U, 100).errors
    # 3 u for each product, 2 u for the function itself, and the sum's own
    units = expected or (3 + 1) * math.sqrt(2)
    assert units * U * (1 - 1e-9) <= error <= 1.01 * units * U


def test_parts_are_scaled_by_what_multiplies_them() -> None:
    """(c x) w + (s y) w: as long as 5 · 7, each product off by 3 u of its factor and once more."""
    code = [
        *(Instruction("input", (), (0, k)) for k in range(4)),
        Instruction("sincos", (2,)),
        Instruction("cos_of", (4,)),
        Instruction("sin_of", (4,)),
        Instruction("mul", (5, 0)),
        Instruction("mul", (6, 1)),
        Instruction("mul", (7, 3)),
        Instruction("mul", (8, 3)),
        Instruction("add", (9, 10)),
    ]
    program = Program("f", (Port("x", (4,)),), (Port("y", ()),), tuple(code), (11,))
    box = [[(-3.0, 3.0), (-4.0, 4.0), (-9.0, 9.0), (-7.0, 7.0)]]
    (error,) = over_box(program, box, 2 * U, 100).errors
    units = 7 * 3 * 5 + 21 + 28 + 35
    assert units * U * (1 - 1e-9) <= error <= 1.01 * units * U


def test_errors_pass_through_functions_with_their_slopes() -> None:
    # z = x + y up to 2 has the error 2 u; tanh and sin have slope 1, exp 7.4, log 1 at 1 to 3
    total = x + y
    assert bound(da.tanh(total), [UNIT, UNIT]) <= (2 + 2 * 1) * U * 1.01
    assert bound(da.exp(total), [UNIT, UNIT]) <= math.exp(2) * (2 + 2) * U * 1.01
    assert bound(da.log(total), [(0.5, 1.5)] * 2) <= (3 + 2 * math.log(3)) * U * 1.01
    assert bound(da.sqrt(total * total), [UNIT, UNIT]) < 1e-7


# ---- where there is no bound


def test_a_divisor_that_may_vanish_has_no_bound_and_says_why() -> None:
    program = compile_program({"y": [1 / x]}, {"x": [x]})
    found = over_box(program, [[UNIT]], 0.0, 1000)
    assert found.why.startswith("instruction 3 of 3 divides by a number that may be zero")


def test_parts_of_a_box_have_bounds_where_the_whole_has_none() -> None:
    # x² - x + 1 ≥ 3/4, but intervals see [-1, 7]
    value = 1 / (x * x - x + 1)
    assert bound(value, [(-2.0, 2.0)], work=1) == math.inf
    assert 4 / 3 * U < bound(value, [(-2.0, 2.0)]) < 200 * U


@pytest.mark.parametrize(
    ("value", "box"),
    [
        (da.sqrt(x), UNIT),
        (da.log(x), UNIT),
        (da.asin(x), (-1.5, 1.5)),
        (da.tan(x), (1.0, 2.0)),
        (da.exp(x), (0.0, 800.0)),
        (da.atan2(y, x), (-2.0, -1.0)),
        (x ** Fraction(1, 3), UNIT),
        (da.sin(x), (0.0, 1e7)),
        (da.sign(x + Fraction(1, 3)), UNIT),
        (x * Fraction(10) ** 400, UNIT),
        (da.sqrt(da.sign(x)), UNIT),
        # off by 1/8: the angle may reach a right one, the root a negative number
        (da.tan((x + 2**50) - 2**50), (1.0, 1.5)),
        (da.tan((x + 2**50) - 2**50), (-1.5, -1.0)),
        (da.sqrt((x + 2**50) - 2**50), (0.1, 1.0)),
        (da.log((x + 2**50) - 2**50), (0.1, 1.0)),
        (da.asin((x + 2**50) - 2**50), (0.1, 0.9)),
        (1 / ((x + 2**50) - 2**50), (0.1, 1.0)),
        (da.sign((x + 2**50) - 2**50), (0.1, 1.0)),
        (((x + 2**50) - 2**50) ** Fraction(1, 3), (0.1, 1.0)),
        (x * Fraction(10) ** 300 * (x * Fraction(10) ** 300), UNIT),
    ],
)
def test_what_may_be_undefined_or_jump_has_no_bound(
    value: da.Expr, box: tuple[float, float]
) -> None:
    assert bound(value, [box, (-0.5, 0.5)]) == math.inf


def test_the_sign_of_an_input_is_exact() -> None:
    assert bound(da.sign(x) * 3, [UNIT]) <= 3 * U * 1.01


# ---- models


def exact(program: Program, inputs: Sequence[np.ndarray]) -> list[flint.arb]:
    with precision(240):
        return interpret(program, [[flint.arb(float(v)) for v in a] for a in inputs], BALLS)


def worst_error(model: da.Model, rounding: Rounding, count: int, rng) -> float:
    """Return the largest error at random points of the box; each is below its bound."""
    program = model.program(rounding.function)
    worst = 0.0
    for _ in range(count):
        arrays = [
            rng.uniform(rounding.box.lower[p.name], rounding.box.upper[p.name])
            for p in program.inputs
        ]
        found = model.kernel(rounding.function)(*arrays)
        found = found if isinstance(found, tuple) else (found,)
        values = np.concatenate([np.ravel(v) for v in found])
        bounds = np.concatenate([np.ravel(v) for v in rounding.errors.values()])
        for value, limit, truth in zip(values, bounds, exact(program, arrays), strict=True):
            error = float(abs(truth - float(value)))
            assert error <= limit
            worst = max(worst, error)
    return worst


@pytest.mark.parametrize("name", ["stanford_arm", "ur5e", "panda"])
@pytest.mark.parametrize(
    ("function", "ratio"), [("mass_matrix", 200), ("gravity", 100), ("inverse_dynamics", 3000)]
)
def test_bounds_hold_and_are_not_far_off(name: str, function: str, ratio: float, rng) -> None:
    model = da.compile(getattr(robots, name)())
    rounding = model.rounding(function)
    assert rounding.is_bounded
    assert rounding.largest < 1e-9
    worst = worst_error(model, rounding, 20, rng)
    assert worst < rounding.largest < ratio * worst


def test_forward_dynamics_have_a_bound_in_small_boxes(rng) -> None:
    model = da.compile(robots.panda())
    assert not model.rounding("forward_dynamics").is_bounded
    q = np.array([0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7])
    box = {"q": (q - 1e-4, q + 1e-4), "qd": 1.0, "tau": 10.0}
    rounding = model.rounding("forward_dynamics", box)
    assert rounding.is_bounded
    assert worst_error(model, rounding, 10, rng) < rounding.largest < 1e-7


def test_a_program_that_loses_all_digits_is_equal_and_its_rounding_shows_it() -> None:
    model = da.compile(robots.ur5e())
    program = model.program("gravity")
    n, k = len(program.code), program.results[1]
    code = (
        *program.code,
        Instruction("const", (), Fraction(2**83)),
        Instruction("add", (k, n)),
        Instruction("sub", (n + 1, n)),
    )
    results = (program.results[0], n + 2, *program.results[2:])
    proof = Certifier(model).prove("gravity", program.with_code(code, results))
    assert proof.is_proved
    assert "rounding: |error| ≤ 1.1e9 N m" in proof.notes[0]
    assert "1.1e9" in str(proof)
    honest = Certifier(model).prove("gravity")
    assert "e-14 N m for |q| ≤ 6.283" in honest.notes[0]


def test_the_text_names_the_box_and_rounds_up() -> None:
    model = da.compile(robots.ur5e())
    text = str(model.rounding("inverse_dynamics", {"q": math.pi, "qd": (-1, 2), "qdd": 0}))
    value = float(text.split("≤ ")[1].split()[0])
    assert text.endswith("N m for |q| ≤ π, -1 ≤ q̇ ≤ 2, |q̈| ≤ 0")
    exact_bound = model.rounding("inverse_dynamics", {"q": math.pi, "qd": (-1, 2), "qdd": 0})
    assert exact_bound.largest <= value <= 1.1 * exact_bound.largest
    several = str(model.rounding("inverse_dynamics_derivatives"))
    assert "of dtau_dq, " in several
    assert "of M for " in several


@pytest.mark.parametrize(
    ("box", "error", "words"),
    [
        ({"v": 1.0}, UnknownName, "expected bounds of q, qd, got 'v'"),
        ({"q": [1.0, 2.0]}, EvaluationError, r"\(6,\) numbers"),
        ({"q": math.nan}, EvaluationError, "finite bounds"),
        ({"q": math.inf}, EvaluationError, "finite bounds"),
        ({"q": -1.0}, EvaluationError, "the lower not above the upper"),
        ({"q": (2.0, 1.0)}, EvaluationError, "the lower not above the upper"),
        ({"q": "far"}, EvaluationError, "as a number"),
    ],
)
def test_bounds_that_do_not_fit_are_refused(box, error, words) -> None:
    with pytest.raises(error, match=words):
        da.compile(robots.ur5e()).rounding("bias", box)


def test_usual_boxes() -> None:
    panda = da.compile(robots.panda()).rounding("inverse_dynamics")
    assert panda.box.lower["q"][3] == pytest.approx(-3.0718)
    assert panda.box.upper["q"][3] == pytest.approx(-0.0698)
    assert (panda.box.upper["qd"] == 10).all()
    assert "for q within its limits, |q̇| ≤ 10" in str(panda)
    system = da.compile(da.textbook.driven_pendulum())
    box = system.rounding("bias").box
    assert (box.lower["q"], box.upper["q"]) == (-math.pi, math.pi)
    assert (box.lower["t"], box.upper["t"]) == (0, 10)
    assert set(box.lower["parameters"]) == {0.5}
    assert set(box.upper["parameters"]) == {2.0}
    flight = da.compile(robots.quadrotor()).rounding("forward_dynamics").box
    assert list(flight.upper["q"]) == [math.pi] * 3 + [1.0] * 4
    assert list(flight.lower["tau"]) == [-100.0] * 6


def test_functions_of_backends() -> None:
    """Units in the last place, each at most 2 u of a number."""
    assert [relative_error(b) / U for b in ("llvm", "c", "numpy")] == [2, 4, 8]


def test_other_backends_have_other_functions() -> None:
    model = da.compile(robots.ur5e())
    program = model.program("gravity")
    sizes = {
        b: rounding_of(da.compile(robots.ur5e(), backend=b), program).largest for b in ("numpy",)
    }
    assert model.rounding("gravity").largest < sizes["numpy"]


def test_the_bound_is_the_same_in_every_run() -> None:
    found = [str(da.compile(robots.ur5e()).rounding("bias")) for _ in range(2)]
    assert found[0] == found[1]
