"""Answers are judged by the motion; SymPy at points of motions known by hand judges the judge."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable
from typing import NamedTuple, get_args

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.mechanics.answers.by_motion.equations import SAYS_NOTHING
from dalembert.mechanics.answers.grade import GradeVerdict
from tests.cases import num_cases

UNDEFINED = {
    "l*theta_ddot/sin(theta) = -g": "sin(θ) ≠ 0",
    "g*tan(theta) = l*theta.ddot/cos(theta) + x.ddot": "cos(θ) ≠ 0",
}
"""Where right answers hold that have no value at some states of the system."""
HOLDING = ("right", "right where")
HOLDS, FAILS = 1e-9, 1e-7
"""Residual of an answer, beside its largest term: rounding, and what a slip makes."""
POINTS = 6
MOST_UNDECIDED = 0.03

x, y, x1, x2, s, theta, phi = da.coordinates("x y x1 x2 s theta phi")
m, m1, m2, M, k, l, g, R, alpha = da.parameters("m m1 m2 M k l g R alpha")
(u,) = da.inputs("u")

Point = dict[str, float]


class Case(NamedTuple):
    """A system, right answers in several forms, and a point of a motion from random numbers."""

    eq: Callable[[], da.Equations]
    right: list[str]
    motion: Callable[[Callable[[], float]], Point]


def of(values: Point, **rates: tuple[float, float, float]) -> Point:
    """Return a point with coordinates, velocities and accelerations by name."""
    for q, (q0, q1, q2) in rates.items():
        values |= {q: q0, f"{q}_dot": q1, f"{q}_ddot": q2}
    return values


def pendulum(draw: Callable[[], float]) -> Point:
    v = {"m": draw(), "l": draw(), "g": draw()}
    q = draw()
    return of(v, theta=(q, draw(), -v["g"] / v["l"] * np.sin(q)))


def hoop(draw: Callable[[], float]) -> Point:
    """A bead on a circle: x = l sin φ, y = -l cos φ, and λ from the radial equation."""
    v = {"m": draw(), "l": draw(), "g": draw()}
    a, w = draw(), draw()
    e = -v["g"] / v["l"] * np.sin(a)
    sin, cos = v["l"] * np.sin(a), v["l"] * np.cos(a)
    v = of(v, x=(sin, cos * w, cos * e - sin * w * w), y=(-cos, sin * w, sin * e + cos * w * w))
    # m ẍ = 2 x λ
    return v | {"lam1": v["m"] * v["x_ddot"] / (2 * v["x"])}


def atwood(draw: Callable[[], float]) -> Point:
    v = {"m1": draw(), "m2": draw(), "g": draw(), "l": draw()}
    a = (v["m1"] - v["m2"]) * v["g"] / (v["m1"] + v["m2"])
    v = of(v, x1=(p := draw(), w := draw(), a), x2=(v["l"] - p, -w, -a))
    return v | {"lam1": v["m1"] * (a - v["g"])}


def cylinder(draw: Callable[[], float]) -> Point:
    v = {"m": draw(), "R": draw(), "g": draw(), "alpha": draw()}
    a, w = 2 * v["g"] * np.sin(v["alpha"]) / 3, draw()
    v = of(v, s=(draw(), w, a), phi=(draw(), w / v["R"], a / v["R"]))
    return v | {"lam1": v["m"] * a - v["m"] * v["g"] * np.sin(v["alpha"])}


def cart_pole(draw: Callable[[], float]) -> Point:
    """A pole that stands up at θ = 0, pushed by u; the two equations solved by Cramer's rule."""
    v = {"m": draw(), "M": draw(), "l": draw(), "g": draw(), "u": draw()}
    q, w = draw(), draw()
    c, b = v["m"] * v["l"] * np.cos(q), v["m"] * v["l"] ** 2
    right = (v["u"] + v["m"] * v["l"] * np.sin(q) * w * w, v["m"] * v["g"] * v["l"] * np.sin(q))
    det = (v["M"] + v["m"]) * b - c * c
    first = (b * right[0] - c * right[1]) / det
    second = ((v["M"] + v["m"]) * right[1] - c * right[0]) / det
    return of(v, x=(draw(), draw(), first), theta=(q, w, second))


CASES = {
    "pendulum": Case(
        lambda: da.System(
            coordinates=[theta],
            kinetic=m * (l * theta.dot) ** 2 / 2,
            potential=-m * g * l * da.cos(theta),
        ).equations(),
        [
            "m*l^2*theta.ddot + m*g*l*sin(theta) = 0",
            "theta'' = -(g/l)*sin(theta)",
            "l*theta_ddot/sin(theta) = -g",
            r"\ddot\theta + \frac{g}{l}\sin\theta = 0",
            "Derivative(theta(t), t, 2) + g*sin(theta(t))/l == 0",
        ],
        pendulum,
    ),
    "hoop": Case(
        lambda: da.System(
            coordinates=[x, y],
            kinetic=m * (x.dot**2 + y.dot**2) / 2,
            potential=m * g * y,
            constraints=[x**2 + y**2 - l**2],
        ).equations(),
        [
            "x*y.ddot - y*x.ddot + g*x = 0",
            "m*x.ddot = 2*x*lam1",
            "m*y.ddot + m*g = 2*y*lam1",
            "m*x.ddot = -2*x*lam1",
            "x.ddot = x*(g*y - x.dot^2 - y.dot^2)/l^2",
            "y.ddot + g = y*(g*y - x.dot^2 - y.dot^2)/l^2",
            "l^2*x.ddot = g*x*y - x*(x.dot^2 + y.dot^2)",
        ],
        hoop,
    ),
    "Atwood": Case(
        lambda: da.System(
            coordinates=[x1, x2],
            kinetic=(m1 * x1.dot**2 + m2 * x2.dot**2) / 2,
            potential=-g * (m1 * x1 + m2 * x2),
            constraints=[x1 + x2 - l],
        ).equations(),
        [
            "(m1 + m2)*x1.ddot = (m1 - m2)*g",
            "x2.ddot = (m2 - m1)*g/(m1 + m2)",
            "m1*x1.ddot - m2*x2.ddot = (m1 - m2)*g",
            "lam1 = -2*m1*m2*g/(m1 + m2)",
            "m1 x₁'' = m1 g + lam1",
        ],
        atwood,
    ),
    "cylinder": Case(
        lambda: da.System(
            coordinates=[s, phi],
            kinetic=m * s.dot**2 / 2 + m * R**2 * phi.dot**2 / 4,
            potential=-m * g * s * da.sin(alpha),
            velocity_constraints=[s.dot - R * phi.dot],
        ).equations(),
        [
            "3*s.ddot/2 = g*sin(alpha)",
            "3*R*phi.ddot = 2*g*sin(alpha)",
            "m*s.ddot + m*R*phi.ddot/2 = m*g*sin(alpha)",
            "m*R^2*phi.ddot/2 + R*lam1 = 0",
        ],
        cylinder,
    ),
    "cart-pole": Case(
        lambda: da.System(
            coordinates=[x, theta],
            kinetic=(M + m) * x.dot**2 / 2
            + m * l * x.dot * theta.dot * da.cos(theta)
            + m * (l * theta.dot) ** 2 / 2,
            potential=m * g * l * da.cos(theta),
            forces=[u, 0],
        ).equations(),
        [
            "(M+m)*x.ddot + m*l*cos(theta)*theta.ddot - m*l*sin(theta)*theta.dot^2 = u",
            "l*theta.ddot + cos(theta)*x.ddot - g*sin(theta) = 0",
            (
                "(M + m*sin(theta)^2)*x.ddot "
                "= u + m*l*sin(theta)*theta.dot^2 - m*g*sin(theta)*cos(theta)"
            ),
            "g*tan(theta) = l*theta.ddot/cos(theta) + x.ddot",
            (
                "(M + m*sin(theta)^2)*l*theta.ddot"
                " = (M+m)*g*sin(theta) - cos(theta)*(u + m*l*sin(theta)*theta.dot^2)"
            ),
        ],
        cart_pole,
    ),
}


@pytest.fixture(scope="module")
def equations() -> dict[str, da.Equations]:
    return {name: case.eq() for name, case in CASES.items()}


def read_by_sympy(answer: str) -> sp.Expr:
    """Return left minus right, rates as plain symbols; ours has no part in it."""
    text = answer.replace("^", "**").replace(".ddot", "_ddot").replace(".dot", "_dot")
    names = {word: sp.Symbol(word) for word in re.findall(r"[a-zA-Z_]\w*", text)}
    names |= {word: getattr(sp, word) for word in ("sin", "cos", "tan")}
    left, right = (sp.parse_expr(side, local_dict=names) for side in text.split("="))
    return left - right


def errors(answer: sp.Expr, case: Case, draw: random.Random) -> tuple[float, float]:
    """Return the largest residual in motion, beside its largest term, for λ of either sign."""
    symbols = sorted(answer.free_symbols, key=str)
    terms = sp.lambdify(symbols, list(sp.Add.make_args(answer)), "numpy")
    worst = [0.0, 0.0]
    for _ in range(POINTS):
        point = case.motion(lambda: draw.uniform(0.3, 1.3))
        for k, sign in enumerate((1, -1)):
            at = point | ({"lam1": sign * point["lam1"]} if "lam1" in point else {})
            values = np.array(terms(*(at[str(x)] for x in symbols)), dtype=float)
            worst[k] = max(worst[k], abs(values.sum()) / max(np.abs(values).max(), 1e-30))
    return worst[0], worst[1]


TOKEN = re.compile(r"[a-zA-Z_]\w*(?:\.d?dot)?|[0-9]+|[-+*/^()=]")
SWAPS = {"+": "-", "-": "+", "sin": "cos", "cos": "sin", "*": "/", "2": "3", "3": "2"}


def slipped(answer: str, case: Case, draw: random.Random) -> str:
    """Return an answer with one slip: a sign, a number, a function, a symbol, a rate."""
    pieces = TOKEN.findall(answer)
    names = sorted({x for x in pieces if x[0].isalpha() and x not in ("sin", "cos", "tan")})
    while True:
        k = draw.randrange(len(pieces))
        piece = pieces[k]
        if piece in SWAPS:
            new = SWAPS[piece]
        elif piece in names:
            base = piece.partition(".")[0]
            new = draw.choice([*names, base, f"2*{piece}", f"{piece}^2", "0"])
            if "." not in piece and draw.random() < 0.2 and f"{base}.dot" in names:
                new = f"{base}.dot"
        else:
            continue
        if new != piece:
            return "".join([*pieces[:k], new, *pieces[k + 1 :]])


@pytest.mark.parametrize("name", CASES)
def test_slips_are_judged_as_motions_judge_them(name, equations, rng, scale):
    draw, case = random.Random(int(rng.integers(2**31))), CASES[name]
    plain = [x for x in case.right if x.isascii() and not re.search(r"Derivative|_ddot|['\\]", x)]
    counts = dict.fromkeys(get_args(GradeVerdict), 0)
    for _ in range(num_cases(20, scale)):
        answer = slipped(draw.choice(plain), case, draw)
        try:
            grade = da.check_answer(answer, equations[name], "equation")
        except DalembertError:
            # 1/0, or what can be read in two ways
            continue
        counts[grade.verdict] += 1
        theirs = read_by_sympy(answer)
        with contextlib.suppress(TypeError):
            # no number, such as zoo, compares with none
            own, turned = errors(theirs, case, draw)
            if grade.verdict in HOLDING:
                assert min(own, turned) < HOLDS, (answer, str(grade))
            elif grade.verdict != "undecided" and SAYS_NOTHING not in str(grade):
                assert own > FAILS, (answer, str(grade))
    assert counts["undecided"] <= 1 + MOST_UNDECIDED * sum(counts.values()), counts


PIECES = [
    *("theta", "theta.ddot", "theta'", "theta''", "theta_dot", "θ̈", "θ", r"\ddot\theta", r"\theta"),
    *("m", "l", "g", "m₁", "l^2", "l²", "m l", "9.81", "2", "0", "1/2", "e", "pi", "omega", "p"),
    *("sin(theta)", r"\sin\theta", "sin θ", "cos(theta)", r"\frac{g}{l}", r"\left(", r"\right)"),
    *("+", "-", "*", "/", "=", "==", "^2", "**2", "(", ")", ",", "√", "|", "≈", "∂", "lam1", "t"),
    *(
        "½",
        "ℓ",
        "sinθ",
        "–",
        "x",
        "y''",
        "ẍ",
        "x1''",
        r"\ddot{x}_1",
        "s_ddot",
        "φ̇",
        "T",
        "λ",
        "L =",
    ),
    *("M", "R", "k x", "u", "α", "tan", "sqrt(", "exp(", "x²", "diff(x(t), t)", "T x/l", ";", "&"),
    *("Derivative(theta(t), t, 2)", "Derivative(", "d/dt", "dθ/dt", "[", "]", "{", "}", "__", "\n"),
]


def test_random_answers_get_a_grade_or_our_own_error(equations, rng, scale):
    draw = random.Random(int(rng.integers(2**31)))
    parts = [None, "equation", "equations", "M", "C", "N", "T", "V", "L", "accelerations"]
    graded = 0
    for _ in range(num_cases(200, scale)):
        left, right = (
            draw.choice(["", " "]).join(draw.choices(PIECES, k=draw.randint(1, 9))) for _ in "lr"
        )
        answer = draw.choice([left, [left, right], f"{left} = {right}"])
        eq = equations[draw.choice(["pendulum", *CASES])]
        with contextlib.suppress(DalembertError):
            da.check_derivation([f"L = {left}", f"{right} = {left}"], eq)
        try:
            grade = da.check_answer(answer, eq, draw.choice(parts))
        except DalembertError:
            continue
        graded += 1
        assert grade.verdict in get_args(GradeVerdict)
    assert graded > 0


@pytest.mark.parametrize("name", CASES)
def test_usual_forms_are_right(name, equations):
    for answer in CASES[name].right:
        grade = da.check_answer(answer, equations[name])
        assert grade.verdict in HOLDING, (answer, str(grade))
        assert " ".join(grade.where) == UNDEFINED.get(answer, ""), answer
