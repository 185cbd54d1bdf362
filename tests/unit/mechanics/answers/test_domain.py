"""An answer that is defined on a part of the states only is right there, not everywhere."""

from __future__ import annotations

from typing import Any

import pytest

import dalembert as da

(x,), (m, k) = da.coordinates("x"), da.parameters("m k")
SPRING = da.System(kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x]).equations()

# part, answer, where it is right: by hand
ON_A_PART = [
    ("V", "k*x^2/2 + 3*sign(x + 2)", ("x + 2 ≠ 0",)),
    ("V", "k*x*exp(log(x))/2", ("x > 0",)),
    ("V", "k*sqrt(x)^4/2", ("x ≥ 0",)),
    ("V", "k*x^3/(2*x)", ("x ≠ 0",)),
    ("N", ["k*exp(log(x))"], ("x > 0",)),
    ("equation", "m*x.ddot + k*exp(log(x)) = 0", ("x > 0",)),
    ("equation", "(m*x.ddot + k*x)/x = 0", ("x ≠ 0",)),
    ("equation", "sqrt(x)*(m*x.ddot + k*x) = 0", ("x ≥ 0",)),
    ("equation", "m*x.ddot + k*sin(x)*x/sin(x) = 0", ("sin(x) ≠ 0",)),
    ("N", ["k*x + log(k - m) - log(k - m)"], ("k - m > 0",)),
    ("N", ["k*x*(k - m)/(k - m)"], ("k - m ≠ 0",)),
]
EVERYWHERE = [
    ("V", "k*x^2/2 + 3"),
    ("V", "k*x^2*(1 + x^2)/(2*(1 + x^2))"),
    ("V", "k*abs(x)^2/2"),
    ("N", ["k*abs(x)*sign(x)"]),
    ("equation", "x.ddot + k*x/m = 0"),
    ("equation", "exp(x)*(m*x.ddot + k*x) = 0"),
    ("V", "k*x^2/2 + atan2(x, 1) + atan2(1, x)"),
]


@pytest.mark.parametrize(("part", "answer", "where"), ON_A_PART, ids=str)
def test_the_conditions_are_named(part: str, answer: Any, where: tuple[str, ...]) -> None:
    grade = da.check_answer({part: answer}, SPRING)
    assert grade.verdict == "right where"
    assert not grade.is_right
    assert grade.where == where
    assert str(grade).startswith(f"≈ {part} is right where {where[0]}")


@pytest.mark.parametrize(("part", "answer"), EVERYWHERE, ids=str)
def test_what_is_defined_everywhere_needs_none(part: str, answer: Any) -> None:
    grade = da.check_answer({part: answer}, SPRING)
    assert grade.is_right, grade
    assert grade.where == ()


NOWHERE = ["k*x + log(-1 - x^2) - log(-1 - x^2)", "k*x + asin(2 + x^2) - asin(2 + x^2)"]


@pytest.mark.parametrize("answer", NOWHERE)
def test_what_is_defined_nowhere_is_not_right_there(answer: str) -> None:
    grade = da.check_answer({"N": [answer]}, SPRING)
    assert grade.verdict == "undecided"
    assert "was found to hold at no state" in " ".join(str(grade).split())


def test_conditions_of_answer_and_system_hold_together() -> None:
    """Each of the two is defined somewhere, but not at the same state."""
    log = da.System(kinetic=m * x.dot**2 / 2, potential=k * da.log(x), coordinates=[x]).equations()
    answer = "m*x.ddot + k/x + sqrt(-x) - sqrt(-x) = 0"
    assert da.check_answer(answer, log).verdict == "undecided"


def test_the_domain_of_the_system_is_no_loss() -> None:
    """Where the system itself has no value, nothing is asked of the answer."""
    log = da.System(kinetic=m * x.dot**2 / 2, potential=k * da.log(x), coordinates=[x]).equations()
    assert da.check_answer("m*x.ddot + k/x = 0", log).is_right
    assert da.check_answer({"V": "k*log(3*x)"}, log).is_right


def test_of_several_parts_all_conditions_are_named() -> None:
    grade = da.check_answer({"M": [["m*x/x"]], "V": "k*x*exp(log(x))/2"}, SPRING)
    assert grade.verdict == "right where"
    assert grade.where == ("x > 0",) or "x > 0" in grade.where


def test_a_wrong_answer_stays_wrong() -> None:
    assert da.check_answer({"V": "k*x^2 + log(x)"}, SPRING).verdict == "wrong"


HALF = {
    "logarithm": (m, k * x * da.log(x)),
    "root": (m * da.sqrt(x), k * x**2 / 2),
    "disguised": (m * da.exp(da.log(x)), k * x**2 / 2),
}


@pytest.mark.parametrize("case", HALF)
def test_two_functions_that_are_one_where_the_system_is_defined(case: str) -> None:
    """The system lives where x > 0: |x| is x there, and a point x < 0 shows nothing."""
    inertia, V = HALF[case]
    eq = da.System(kinetic=inertia * x.dot**2 / 2, potential=V, coordinates=[x]).equations()
    swap = {x: abs(x)}
    other = {"M": eq.M.map(lambda e: e.subs(swap)), "N": eq.N.map(lambda e: e.subs(swap))}
    assert da.check_answer(other, eq).is_right
    assert da.check_answer(
        eq.residual[0].subs({x: da.sqrt(x**2), x.dot: x.dot}), eq, "equation"
    ).is_right
    # what is wrong there still is
    assert da.check_answer({"N": -eq.N}, eq).verdict == "wrong"
    assert da.check_answer({"M": eq.M + da.Matrix([[m * (x + abs(x))]])}, eq).verdict == "wrong"


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        (["m*x.ddot + k*u = 0", "u = exp(log(x))"], ("x > 0",)),
        (["m*x.ddot + k*u^2 = 0", "u = sqrt(x)"], ("x ≥ 0",)),
        (["m*x.ddot + k*u*(x - 1) = 0", "u*(x - 1) = x"], ("x - 1 ≠ 0",)),
        (["m*x.ddot + k*u = 0", "u = w*x", "w = exp(log(x))/x"], ("x > 0",)),
    ],
    ids=str,
)
def test_names_of_the_answers_own_keep_their_conditions(answer, where) -> None:
    grade = da.check_answer(answer, SPRING)
    assert (grade.verdict, grade.where) == ("right where", where)


def test_what_where_says_keeps_its_conditions() -> None:
    grade = da.check_answer("m*x.ddot + k*u = 0", SPRING, where={"u": "exp(log(x))"})
    assert (grade.verdict, grade.where) == ("right where", ("x > 0",))


def test_a_name_inside_of_a_function_is_not_solved_for() -> None:
    with pytest.raises(da.UnknownName, match="got u"):
        da.check_answer(["m*x.ddot + k*sin(u) = 0", "sin(u) = x"], SPRING)
