"""Claims over prime fields: nothing false is proved where a field has no order and no functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import flint
import pytest

import dalembert as da
from dalembert.expr import as_expr
from dalembert.kernel.program.program import Instruction, Port, Program
from dalembert.kernel.program.trace import trace
from dalembert.mechanics.proofs.proof import Proof
from dalembert.model.certificates.chance import POINTS, TRIES
from dalembert.model.certificates.claims import NO_ZERO, Claim, counterexample, judge
from dalembert.model.certificates.evaluation import Evaluation, Numbers
from dalembert.model.certificates.in_balls import InBalls
from dalembert.model.certificates.in_field import FieldPoint, InField, NoRoot, Pole

x, y, u, v, w = da.coordinates("x y u v w")
SYMBOLS = (x, y, u, v, w)
sqrt, sign, exp, log, sin, cos = da.sqrt, da.sign, da.exp, da.log, da.sin, da.cos
abs_ = da.abs


def program_of(value: da.Expr | float) -> Program:
    return trace("f", {"x": SYMBOLS}, {"y": [as_expr(value)]})


def claim_of(found: Program, expected: Program, symbols: Sequence[da.Expr] = SYMBOLS) -> Claim:
    """Return the claim that two programs compute the same."""

    def residual(at: Evaluation) -> Numbers:
        pairs = zip(at.run(found)["y"], at.run(expected)["y"], strict=True)
        return [a - b for a, b in pairs]

    return Claim("f = g", "g", residual, [found, expected], {"x": symbols})


def compared(found: da.Expr | float, expected: da.Expr | float) -> Proof:
    return judge(claim_of(program_of(found), program_of(expected)))


FALSE = {
    "root of a square is not its base": (sqrt(u * u), u),
    "nor its opposite": (sqrt(u * u), -u),
    "root of a product of squares": (sqrt(u * u * v * v), u * v),
    "root of a binomial": (sqrt(x * x - 2 * x * y + y * y), x - y),
    "sum of roots of squares": (sqrt(u * u) + sqrt(v * v), u + v),
    "product that vanishes but for one choice of four": (
        (sqrt(u * u) + u) * (sqrt(v * v) + v) * sqrt(x * x + 1),
        4 * u * v * sqrt(x * x + 1),
    ),
    "nested root": (
        sqrt(3 + x * x + 2 * sqrt((x * x + 1) * 2)),
        sqrt(x * x + 1) - sqrt(as_expr(2)),
    ),
    "power 3/2 of a square": ((u * u) ** Fraction(3, 2), u**3),
    "sign is not one": (sign(v), 1),
    "sign times force": (sign(v) * x, x),
    "sign of another": (sign(v), sign(w)),
    "sign of the opposite": (sign(v - w), sign(w - v)),
    "abs is not its argument": (abs_(v), v),
    "sum of signs": (sign(v) + sign(w), 2 * sign(v) * sign(w)),
    "power of an even base": ((u**4) ** Fraction(1, 4), u),
    "log of a square": (log(u * u + 1) * 2, log(u * u + 2)),
    "far constant": (x + as_expr(Fraction(1, 10**40)), x),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_refuted_at_a_real_point(name: str) -> None:
    found, expected = FALSE[name]
    proof = compared(found, expected)
    assert proof.verdict == "refuted", proof
    assert proof.counterexample is not None
    # the point, in floats: math knows signs and roots
    values = {s: float(proof.counterexample[s]) for s in SYMBOLS}
    a, b = (float(as_expr(e).evaluate(values)) for e in (found, expected))
    assert a != b or name == "far constant"


TRUE = {
    "square of a root": (sqrt(x * x + 1) ** 2, x * x + 1),
    "inverse of a root": (1 / sqrt(x * x + 1), sqrt(x * x + 1) / (x * x + 1)),
    "power of a half": ((x * x + 1) ** Fraction(3, 2), (x * x + 1) * sqrt(x * x + 1)),
    "thirds": ((x * x + 1) ** Fraction(2, 3), ((x * x + 1) ** Fraction(1, 3)) ** 2),
    "binomial of roots": (
        (sqrt(x * x + 1) + sqrt(y * y + 1)) ** 2,
        x * x + y * y + 2 + 2 * sqrt(x * x + 1) * sqrt(y * y + 1),
    ),
    "sign of a multiple": (sign(2 * v - 2 * w), -sign(3 * w - 3 * v)),
    "abs by sign": (abs_(v), sign(v) * v),
    "abs of the opposite": (abs_(v - w), abs_(w - v)),
    "cube of a sign": (sign(v) ** 3, sign(v)),
    "functions of equal arguments": (exp((x + y) ** 2), exp(x * x + 2 * x * y + y * y)),
    "sines of sums": (sin(x + 2 * y), sin(x) * cos(2 * y) + cos(x) * sin(2 * y)),
    "many roots": (
        sum((sqrt(x * x + k) for k in range(1, 9)), y) * 2,
        sum((2 * sqrt(x * x + k) for k in range(1, 9)), 2 * y),
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_proved(name: str) -> None:
    proof = compared(*TRUE[name])
    assert proof.verdict == "proved", proof
    assert proof.hypotheses == ()


@pytest.mark.parametrize(
    ("found", "expected"),
    [(abs_(v) ** 2, v * v), (sign(v) * sign(v) * x, x), (abs_(v) / v, sign(v))],
)
def test_what_holds_but_at_zero_says_so(found: da.Expr, expected: da.Expr) -> None:
    proof = compared(found, expected)
    assert proof.verdict == "proved"
    assert proof.hypotheses in ((NO_ZERO,), ())
    # sign(0) = 0: at v = 0 the second is false
    if found is sign(v) * sign(v) * x:
        assert proof.hypotheses == (NO_ZERO,)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        # true of real numbers, by their order or by the law of a function: a field knows neither
        (sqrt(x * x + 1) * sqrt(y * y + 1), sqrt((x * x + 1) * (y * y + 1))),
        (sqrt((x * x + 1) ** 2), x * x + 1),
        (sqrt(u * u), abs_(u)),
        (exp(x) * exp(y), exp(x + y)),
    ],
)
def test_what_a_field_cannot_know_is_undecided_with_the_reason(
    found: da.Expr, expected: da.Expr
) -> None:
    proof = compared(found, expected)
    assert proof.verdict in ("undecided", "proved")
    if proof.verdict == "undecided":
        assert "√ has both signs" in proof.method or "any function" in proof.method


def test_too_many_cases_are_undecided_with_the_reason() -> None:
    """Eight roots have 256 combinations of signs; roots of squares exist in every field."""
    roots = [sqrt((x + k) * (x + k)) for k in range(1, 9)]
    total = sum(roots, as_expr(0))
    proof = compared(total * total, sum((a * b for a in roots for b in roots), as_expr(0)))
    assert proof.verdict == "undecided"
    assert "more than 64 cases" in proof.method


def test_what_is_defined_nowhere_is_not_proved() -> None:
    code = (
        Instruction("input", (), (0, 0)),
        Instruction("const", (), Fraction(-2)),
        Instruction("sqrt", (1,)),
        Instruction("mul", (2, 2)),
        Instruction("sub", (3, 1)),
        Instruction("add", (0, 4)),
    )
    # x + √(-2)² + 2: half of all prime fields have such a root
    program = Program("f", (Port("x", (5,)),), (Port("y", (1,)),), code, (5,))
    proof = judge(claim_of(program, program_of(x)))
    assert proof.verdict == "undecided"
    assert "defined at none of 12 rational points" in proof.method


# ---- randomness


def test_a_constant_that_is_zero_in_the_fields_of_known_seeds_does_not_pass() -> None:
    """All primes of the first hundred seeds divide it, and those from 1788 on."""
    product = math.prod(FieldPoint(seed).p for seed in (*range(100), *range(1788, 1808)))
    proof = compared(x + as_expr(product), x)
    assert proof.verdict == "refuted"


def test_points_cannot_be_foreseen() -> None:
    primes = {FieldPoint().p for _ in range(20)}
    assert len(primes) == 20
    assert FieldPoint(7).p == FieldPoint(7).p


def test_the_text_of_a_verdict_does_not_depend_on_the_points() -> None:
    pairs = [*list(FALSE.values())[::4], *list(TRUE.values())[::4]]
    assert [str(compared(*pair)) for pair in pairs] == [str(compared(*pair)) for pair in pairs]


def test_a_point_that_refutes_is_the_same_in_every_run() -> None:
    claim = claim_of(program_of(sign(v) * x), program_of(x))
    assert counterexample(claim) == counterexample(claim) is not None


# ---- how often it looks


def counted(claim: Claim, error: type[Exception] | None = None) -> tuple[Claim, list[type]]:
    """Return the claim, and where its residual was evaluated."""
    seen: list[type] = []

    def residual(at: Evaluation) -> Numbers:
        seen.append(type(at))
        if error is not None and isinstance(at, InField):
            raise error
        return claim.residual(at)

    return replace(claim, residual=residual), seen


def test_a_proof_takes_as_many_points_as_its_bound_counts() -> None:
    claim, seen = counted(claim_of(program_of(x + y), program_of(y + x)))
    assert judge(claim).is_proved
    assert seen == [InField] * POINTS == [InField, InField]
    # two cases at each point, and a real point where the root is defined
    claim, seen = counted(claim_of(program_of(sqrt(x * x + 1)), program_of(sqrt(1 + x * x))))
    proof = judge(claim)
    assert proof.is_proved
    assert seen.count(InField) >= 4
    assert seen.count(InBalls) == 1


@pytest.mark.parametrize(
    ("error", "why"), [(Pole, "are poles"), (NoRoot, "roots exist at no random point")]
)
def test_poles_and_missing_roots_end_the_search(error: type[Exception], why: str) -> None:
    claim, seen = counted(claim_of(program_of(x + y), program_of(y + x)), error)
    proof = judge(claim)
    assert proof.verdict == "undecided"
    assert why in proof.method
    # once with roots, once with any function in their place
    assert seen.count(InField) == 2 * TRIES


# u and v for their signs or roots: each vanishes in all cases but one
ONE_CASE = {
    "sign 1": (sign(v) * (sign(v) + 1) * x, "undecided"),
    "sign -1": (sign(v) * (sign(v) - 1) * x, "undecided"),
    "sign 0": ((sign(v) ** 2 - 1) * x, "proved"),
    "root u": ((sqrt(u * u + 1) * sqrt(u * u + 1) - u * u - 1) * x, "proved"),
    "signs 1 and -1": (sign(v) * (sign(v) + 1) * sign(w) * (sign(w) - 1) * x, "undecided"),
}


@pytest.mark.parametrize("name", ONE_CASE)
def test_the_field_alone_sees_every_case(name: str) -> None:
    """Without a look at real points."""
    value, verdict = ONE_CASE[name]
    claim = claim_of(program_of(value), program_of(0))

    def residual(at: Evaluation) -> Numbers:
        return [flint.arb(0)] if isinstance(at, InBalls) else claim.residual(at)

    proof = judge(replace(claim, residual=residual))
    assert proof.verdict == verdict
    assert proof.hypotheses == ((NO_ZERO,) if name == "sign 0" else ())


@pytest.mark.parametrize("choice", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_the_field_alone_sees_every_choice_of_roots(choice: tuple[int, int]) -> None:
    """(√(u²) + a u)(√(v²) + b v) is zero but for one pair of signs."""
    code = [Instruction("input", (), (0, k)) for k in (2, 3)]
    for k, sign_of in enumerate(choice):
        code += [Instruction("mul", (k, k)), Instruction("sqrt", (len(code),))]
        code.append(Instruction("add" if sign_of > 0 else "sub", (len(code) - 1, k)))
    code.append(Instruction("mul", (4, 7)))
    program = Program("f", (Port("x", (5,)),), (Port("y", (1,)),), tuple(code), (8,))
    claim = claim_of(program, program_of(0))

    def residual(at: Evaluation) -> Numbers:
        return [flint.arb(0)] if isinstance(at, InBalls) else claim.residual(at)

    assert judge(replace(claim, residual=residual)).verdict == "undecided"


def test_the_degree_is_stated_for_the_unit_that_is_needed() -> None:
    # 2 for sin x and 1 for its argument, on both sides
    assert "degree at most 4," in compared(sin(x) * 2, sin(x) + sin(x)).method
    halves = compared(sin(x / 2) * 2, sin(x / 2) + sin(x / 2))
    assert halves.is_proved
    assert "degree at most 8," in halves.method


def test_one_pole_is_passed_over() -> None:
    claim = claim_of(program_of(x + y), program_of(y + x))
    calls = []

    def residual(at: Evaluation) -> Numbers:
        calls.append(at)
        if len(calls) == 1:
            raise Pole
        return claim.residual(at)

    assert judge(replace(claim, residual=residual)).is_proved
    assert len(calls) == 1 + POINTS


def test_hypotheses_are_stated_and_checked_at_real_points() -> None:
    """x = |x| under "x is positive": refuted where x is negative, unless that is assumed."""
    program, reference = program_of(abs_(x)), program_of(x)

    def residual(at: Evaluation) -> Numbers:
        at.assume_positive([at.value(x)])
        (a,), (b,) = at.run(program)["y"], at.run(reference)["y"]
        return [a - b]

    claim = replace(claim_of(program, reference), residual=residual, hypotheses=("x > 0",))
    proof = judge(claim)
    assert proof.is_proved
    assert proof.hypotheses == ("x > 0",)
    wrong = replace(claim, residual=lambda at: [r + 1 for r in residual(at)])
    point = judge(wrong).counterexample
    assert point is not None
    assert point[x] > 0


def test_unit_vectors_are_on_the_sphere() -> None:
    length = x * x + y * y + u * u + v * v
    claim = claim_of(program_of(length), program_of(1))
    assert judge(claim).verdict == "refuted"
    assert judge(replace(claim, unit_vectors=[(x, y, u, v)])).is_proved
