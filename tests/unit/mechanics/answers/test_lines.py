"""A derivation is graded line by line; the first mistake is found, what follows from it is none."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.errors import InvalidSystem, ParseError, UnknownName

theta, x = da.coordinates("theta x")
m, M, l, g, L = da.parameters("m M l g L")


@pytest.fixture(scope="module")
def pendulum() -> da.Equations:
    T, V = m * (l * theta.dot) ** 2 / 2, -m * g * l * da.cos(theta)
    return da.System(coordinates=[theta], kinetic=T, potential=V).equations()


def verdicts(text: str, eq: da.Equations) -> str:
    marks = {"right": "r", "follows": "f", "wrong": "w", "undecided": "u", "right where": "p"}
    return "".join(marks[line.verdict] for line in da.check_derivation(text, eq).lines)


RIGHT = r"""
v = l θ̇
T = m v²/2
V = -m g l cos θ
L = T - V
∂L/∂θ̇ = m l² θ̇
d/dt ∂L/∂θ̇ = m l² θ̈
dL/dtheta = -m g l sin θ,
\frac{d}{dt}\frac{\partial L}{\partial\dot\theta} - \frac{\partial L}{\partial\theta} = 0
d/dt(dL/dtheta.dot) - ∂L/∂θ = m l² θ̈ + m g l sin θ = 0
θ̈ = -(g/l) sin θ
"""


def test_a_right_derivation(pendulum):
    graded = da.check_derivation(RIGHT, pendulum)
    assert graded.is_right
    assert graded.first_mistake is None
    assert len(graded.lines) == 10


@pytest.mark.parametrize(
    ("mistake", "later", "expected", "hint"),
    [
        (
            ("T = m v²/2", "T = m v²"),
            [("= m l² θ̇", "= 2 m l² θ̇"), ("= m l² θ̈", "= 2 m l² θ̈")],
            "rwrfffrrfr",
            "a factor ½ is forgotten",
        ),
        (
            ("v = l θ̇", "v = θ̇"),
            [("= m l² θ̇", "= m θ̇"), ("= m l² θ̈", "= m θ̈")],
            "rwrfffrrfr",
            "a factor l² is missing",
        ),
        (
            ("V = -m g l cos", "V = m g l cos"),
            [("= -m g l sin", "= m g l sin"), ("+ m g l sin", "- m g l sin")],
            "rrwfrrfrfr",
            "sign of gravity",
        ),
        (
            ("V = -m g l cos", "V = -m g l sin"),
            [("= -m g l sin θ,", "= m g l cos θ,"), ("+ m g l sin", "- m g l cos")],
            "rrwfrrfrfr",
            "sine and cosine of θ are exchanged",
        ),
        (
            ("L = T - V", "L = T + V"),
            [("= -m g l sin", "= m g l sin"), ("+ m g l sin", "- m g l sin")],
            "rrrwrrfrfr",
            "this is T + V",
        ),
    ],
)
def test_a_mistake_is_found_and_what_follows_from_it_is_none(
    pendulum, mistake, later, expected, hint
):
    head, line, tail = RIGHT.replace(*mistake).partition(mistake[1])
    for old, new in later:
        tail = tail.replace(old, new)
    assert verdicts(head + line + tail, pendulum) == expected
    first = da.check_derivation(head + line + tail, pendulum).first_mistake
    assert first is not None
    assert hint in str(first)


def test_a_letter_of_the_system_is_no_energy():
    """A rod of length L: its derivative is none of a Lagrangian."""
    eq = da.System(
        coordinates=[x], kinetic=M * x.dot**2 / 2, potential=m * g * x**2 / (2 * L)
    ).equations()
    assert verdicts("M*x.ddot = -m*g*x/L", eq) == "r"
    with pytest.raises(UnknownName, match="'L'"):
        da.check_derivation("∂L/∂x = 0", eq)


@pytest.mark.parametrize(
    ("lines", "error", "words"),
    [
        ("", InvalidSystem, "1 to 200 lines, got 0"),
        ("T", ParseError, "line 1: expected an equation, got 'T'"),
        ("T = m*l^2*theta.dot^2/2\nT +", ParseError, "line 2"),
        ([3], ParseError, "lines of text, got int"),
        ("theta.ddot = omegaa", UnknownName, "omegaa"),
    ],
)
def test_lines_that_cannot_be_read(pendulum, lines, error, words):
    with pytest.raises(error, match=words):
        da.check_derivation(lines, pendulum)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T = m l² θ̇²/3 = m l² θ̇²/2", "w"),
        ("T = m l² θ̇²/2 = m l² θ̇²/3", "w"),
        ("v = l θ̇ = 2 l θ̇", "w"),
        ("v = l θ̇ = θ̇ l; T = m v²/2 = m l² θ̇²/2", "rr"),
    ],
)
def test_every_link_of_a_chain_is_looked_at(pendulum, text, expected):
    assert verdicts(text.replace("; ", "\n"), pendulum) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V = 3 sign(θ - 2) - m g l cos θ", "p"),
        ("∂L/∂θ = -m g l sin(θ) exp(log(θ))/θ", "p"),
        ("u = exp(log(θ))\nl u θ̈ + g u sin θ = 0", "pp"),
        ("θ̈/θ = -g sin(θ)/(l θ)", "p"),
    ],
)
def test_a_line_that_holds_on_a_part_says_where(pendulum, text, expected):
    assert verdicts(text, pendulum) == expected
    grade = da.check_derivation(text, pendulum)
    assert not grade.is_right
    assert grade.first_mistake is None
    assert "where" in str(grade)
