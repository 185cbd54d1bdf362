"""Answers are graded exactly: every right form is accepted, every slip is found and named."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert.errors import InvalidSystem, ParseError, UnknownName
from tests.cases import num_cases

q1, q2, x, y = da.coordinates("q1 q2 x y")
m, m1, m2, l, l1, l2, I1, I2, a1, a2, g = da.parameters("m m1 m2 l l1 l2 I1 I2 a1 a2 g")
s, c = da.sin, da.cos


@pytest.fixture(scope="module")
def arm() -> da.Equations:
    """Two links in a vertical plane; centres of mass a1 and a2 along links of length l1."""
    r1 = (a1 * c(q1), a1 * s(q1))
    r2 = (l1 * c(q1) + a2 * c(q1 + q2), l1 * s(q1) + a2 * s(q1 + q2))
    tau = da.inputs("tau1 tau2")
    return da.System.from_bodies(
        [da.Body(m1, r1, I1, q1), da.Body(m2, r2, I2, q1 + q2)],
        coordinates=[q1, q2],
        gravity=(0, -g),
        forces=tau,
    ).equations()


# Spong, Hutchinson, Vidyasagar, Robot Modeling and Control, section 7.4: the planar elbow arm
M11 = "m1*a1^2 + m2*(l1^2 + a2^2 + 2*l1*a2*cos(q2)) + I1 + I2"
M12 = "m2*(a2^2 + l1*a2*cos(q2)) + I2"
M22 = "m2*a2^2 + I2"
H = "(-m2*l1*a2*sin(q2))"
C = [[f"{H}*q2.dot", f"{H}*q2.dot + {H}*q1.dot"], [f"-{H}*q1.dot", "0"]]
N = ["(m1*a1 + m2*l1)*g*cos(q1) + m2*a2*g*cos(q1+q2)", "m2*a2*g*cos(q1+q2)"]
ROW1 = f"({M11})*q1.ddot + ({M12})*q2.ddot + {H}*(2*q1.dot*q2.dot + q2.dot^2) + {N[0]} = tau1"
ROW2 = f"({M12})*q1.ddot + ({M22})*q2.ddot - {H}*q1.dot^2 + {N[1]} = tau2"


def test_the_printed_arm_is_right(arm):
    grade = da.check_answer({"M": [[M11, M12], [M12, M22]], "C": C, "N": N}, arm)
    assert grade.is_right
    assert grade.parts == ("M", "C", "N")
    assert not grade.faults
    assert str(grade) == "✓ M, C, N are right"
    assert da.check_answer([ROW1, ROW2], arm).is_right


# ---- what is accepted


@pytest.mark.parametrize(
    "mine",
    [
        [ROW2, ROW1],
        [f"tau1*3 = 3*({ROW1.split('=')[0]})", ROW2],
        [f"({ROW1.split('=')[0]} - tau1)/(m1*l1) = 0", ROW2],
        # the sum of both and the second
        [f"{ROW1.split('=')[0]} + {ROW2.split('=')[0]} = tau1 + tau2", ROW2],
        [ROW1.replace("cos(q1+q2)", "(cos(q1)*cos(q2) - sin(q1)*sin(q2))"), ROW2],
    ],
)
def test_equivalent_equations(arm, mine):
    assert da.check_answer(mine, arm).is_right


def test_a_factor_is_said(arm):
    left, right = ROW2.split("=")
    grade = da.check_answer(f"cos(q1)*({left}) = cos(q1)*({right})", arm)
    assert grade.is_right
    assert grade.notes == ("the equation of q2, times c₁ ≠ 0",)


def test_another_order_of_the_coordinates(arm):
    turned = {"M": [[M22, M12], [M12, M11]], "N": N[::-1]}
    grade = da.check_answer(turned, arm)
    assert grade.is_right
    assert grade.notes == ("with the coordinates in the order q2, q1",)
    # but one order for all parts
    assert not da.check_answer({**turned, "N": N}, arm).is_right


def test_another_coriolis_matrix(arm):
    # C q̇ is the same, but the second row of Ṁ - 2C is not skew to the first
    other = [[f"2*{H}*q2.dot", f"{H}*q2.dot"], [f"-{H}*q1.dot", "0"]]
    grade = da.check_answer(other, arm, "C")
    assert grade.is_right
    assert "same C q̇" in grade.notes[0]
    assert "not skew" in grade.notes[1]
    # adding a skew matrix that annihilates q̇ keeps the property: none but 0 in the plane,
    # three coordinates have one, ω ×
    x3 = da.coordinates("u v w")
    free = da.System(kinetic=m * sum(k.dot**2 for k in x3) / 2, coordinates=x3).equations()
    spin = [[0, -x3[2].dot, x3[1].dot], [x3[2].dot, 0, -x3[0].dot], [-x3[1].dot, x3[0].dot, 0]]
    grade = da.check_answer(spin, free, "C")
    assert grade.is_right
    assert grade.notes[1] == "Ṁ - 2C is skew"


def test_damping_may_stand_in_c_or_in_n():
    (b,) = da.parameters("b")
    eq = da.System(
        kinetic=m * x.dot**2 / 2, coordinates=[x], dissipation=b * x.dot**2 / 2
    ).equations()
    assert da.check_answer({"C": [[b]], "N": [0]}, eq).is_right
    assert da.check_answer({"C": [[0]], "N": ["b*x.dot"]}, eq).is_right
    assert not da.check_answer({"C": [[b]], "N": ["b*x.dot"]}, eq).is_right


def test_energies(arm):
    V = "m1*g*a1*sin(q1) + m2*g*(l1*sin(q1) + a2*sin(q1 + q2))"
    T = f"({M11})*q1.dot^2/2 + ({M12})*q1.dot*q2.dot + ({M22})*q2.dot^2/2"
    assert da.check_answer(V, arm, "V").notes == ()
    assert "constant" in da.check_answer(f"{V} + m1*g*l1", arm, "V").notes[0]
    assert da.check_answer(T, arm, "T").is_right
    assert not da.check_answer(f"{T} + m1", arm, "T").is_right
    assert da.check_answer(f"{T} - ({V})", arm, "L").is_right
    # d/dt sin q1 changes no equation
    gauge = da.check_answer(f"{T} - ({V}) + cos(q1)*q1.dot", arm, "L")
    assert gauge.is_right
    assert "rate of a function" in gauge.notes[0]
    plus = da.check_answer(f"{T} + {V}", arm, "L")
    assert plus.verdict == "wrong"
    assert "this is T + V: the Lagrangian is T - V" in plus.notes


def test_sympy_objects(arm):
    theta1, theta2 = dynamicsymbols("q1 q2")
    S = {name: sp.Symbol(name) for name in ["m1", "m2", "l1", "a1", "a2", "I1", "I2", "g", "tau2"]}
    coupling = S["m2"] * (S["a2"] ** 2 + S["l1"] * S["a2"] * sp.cos(theta2)) + S["I2"]
    second = S["m2"] * S["a2"] ** 2 + S["I2"]
    first = (
        S["m1"] * S["a1"] ** 2
        + S["m2"] * (S["l1"] ** 2 + S["a2"] ** 2 + 2 * S["l1"] * S["a2"] * sp.cos(theta2))
        + S["I1"]
        + S["I2"]
    )
    assert da.check_answer(sp.Matrix([[first, coupling], [coupling, second]]), arm).is_right
    t = sp.Symbol("t")
    left = (
        coupling * theta1.diff(t, 2)
        + second * theta2.diff(t, 2)
        + S["m2"] * S["l1"] * S["a2"] * sp.sin(theta2) * theta1.diff(t) ** 2
        + S["m2"] * S["a2"] * S["g"] * sp.cos(theta1 + theta2)
    )
    assert da.check_answer(sp.Eq(left, S["tau2"]), arm).is_right
    assert not da.check_answer(sp.Eq(left, -S["tau2"]), arm).is_right


# ---- what is wrong, and the words for it

SLIPS = {
    "a term": ("M", [[M11, "m2*a2^2 + I2"], [M12, M22]], "missing term m₂ a₂ l₁ c₂", ""),
    "an inertia": (
        "M",
        [[M11, "m2*(a2^2 + l1*a2*cos(q2))"], ["m2*(a2^2 + l1*a2*cos(q2))", M22]],
        "entry (1, 2): missing term I₂",
        "moment of inertia I₂ of body 2",
    ),
    "factor 2": (
        "M",
        [["m1*a1^2 + m2*(l1^2 + a2^2 + l1*a2*cos(q2)) + I1 + I2", M12], [M12, M22]],
        "entry (1, 1): ",
        "a factor 2 is forgotten",
    ),
    "factor ½": ("T", f"({M11})*q1.dot^2 + 2*({M12})*q1.dot*q2.dot + ({M22})*q2.dot^2", "", "½"),
    "gravity": ("N", [f"-({N[0]})", f"-({N[1]})"], "entry 1", "sign of gravity is opposite"),
    "no gravity": ("N", [N[0], 0], "entry 2: missing term m₂ a₂ g c₁₂", "gravity is forgotten"),
    "sine": (
        "N",
        [N[0], "m2*a2*g*sin(q1+q2)"],
        "entry 2: m₂ a₂ g s₁₂ should be m₂ a₂ g c₁₂",
        "sine and cosine of q₁ + q₂ are exchanged",
    ),
    "index": ("N", [N[0], "m2*a1*g*cos(q1+q2)"], "entry 2", "a₁ stands where a₂ should"),
    "power": ("M", [[M11, M12], [M12, "m2*a2 + I2"]], "entry (2, 2)", "a factor a₂ is missing"),
    "Coriolis": (
        "equation",
        ROW1.replace("(2*q1.dot*q2.dot + q2.dot^2)", "q2.dot^2"),
        "equation of q1: missing term -2 m₂ a₂ l₁ s₂ q̇₁ q̇₂",
        "Coriolis term is forgotten",
    ),
    "centrifugal": (
        "equations",
        [ROW1, ROW2.replace(f"- {H}*q1.dot^2", "")],
        "equation of q2: missing term m₂ a₂ l₁ s₂ q̇₁²",
        "centrifugal term is forgotten",
    ),
    "torque": (
        "equation",
        ROW2.replace("= tau2", "= tau1"),
        "equation of q2",
        "τ₁ stands where τ₂",
    ),
    "acceleration": (
        "equation",
        ROW2.replace(f"({M12})*q1.ddot + ", ""),
        "equation of q2: missing term",
        "acceleration is forgotten",
    ),
    "a wrong row of C": (
        "C",
        [["0", "0"], C[1]],
        "C q̇, row 1: missing term ",
        "centrifugal and Coriolis",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slips_are_found_and_named(arm, slip):
    part, mine, words, hint = SLIPS[slip]
    grade = da.check_answer(mine, arm, part)
    assert grade.verdict == "wrong"
    assert words in str(grade)
    assert any(hint in fault.hint for fault in grade.faults)


def test_the_difference_is_exact(arm):
    (fault,) = da.check_answer([[M11, "m2*a2^2"], [M12, M22]], arm, "M").faults[:1]
    assert fault.difference is not None
    assert da.equal(fault.difference, m2 * a2 * l1 * c(q2) + I2)


def test_parts_that_are_right_beside_one_that_is_not(arm):
    grade = da.check_answer({"M": arm.M, "N": -arm.N}, arm)
    assert grade.verdict == "wrong"
    assert grade.right_parts == ("M",)
    assert str(grade).startswith("✗ N is wrong; M is right\n    N, entry 1: ")


def test_hopeless_equations_are_compared_in_their_order(arm):
    grade = da.check_answer(["m1*q1.ddot = 0", "q2.ddot = 0"], arm)
    where = [fault.where for fault in grade.faults]
    assert where == ["equation of q1", "equation of q2, times m₂ a₂² + I₂"]


def test_transposed(arm):
    turned = [[C[0][0], C[1][0]], [C[0][1], C[1][1]]]
    grade = da.check_answer(turned, arm, "C")
    assert grade.verdict == "wrong"
    assert "transposed" in grade.notes[0]


def test_another_part_is_named(arm):
    assert "this is C q̇ + N, not N" in da.check_answer(arm.bias, arm, "N").notes
    assert "not symmetric" not in str(da.check_answer(arm.M, arm))
    assert "symmetric" in str(da.check_answer([[M11, 0], [M12, M22]], arm, "M"))


# ---- constraints


def hoop() -> da.Equations:
    """A bead on a circle in Cartesian coordinates."""
    return da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * y,
        coordinates=[x, y],
        constraints=[(x**2 + y**2 - l**2) / 2],
    ).equations()


# m ẍ = x λ, m ÿ + m g = y λ and ẋ² + ẏ² + x ẍ + y ÿ = 0 give λ l² = m g y - m (ẋ² + ẏ²)
LAMBDA = "(m*g*y - m*(x.dot^2 + y.dot^2))/l^2"


def test_multipliers_on_the_constraint_and_of_either_sign():
    eq = hoop()
    grade = da.check_answer([LAMBDA], eq, "lam")
    assert grade.is_right
    assert "where the constraints hold" in grade.notes[0]
    opposite = da.check_answer([f"-{LAMBDA}"], eq, "lam")
    assert opposite.is_right
    assert "Aᵀλ stands on the left" in opposite.notes[0]
    assert not da.check_answer([LAMBDA.replace("l^2", "l")], eq, "lam").is_right
    assert not da.check_answer([LAMBDA.replace("g*y", "g*x")], eq, "lam").is_right
    rows = ["m*x.ddot + x*lam1 = 0", "m*y.ddot + m*g + y*lam1 = 0"]
    assert "opposite sign" in da.check_answer(rows, eq).notes[0]
    # one sign for all equations
    assert not da.check_answer([rows[0], "m*y.ddot + m*g = y*lam1"], eq).is_right


def test_accelerations_on_the_constraint():
    eq = hoop()
    right = [f"x*{LAMBDA}/m", f"y*{LAMBDA}/m - g"]
    assert da.check_answer(right, eq, "accelerations").is_right
    assert not da.check_answer([right[0], f"y*{LAMBDA}/m"], eq, "accelerations").is_right


def test_an_equation_times_the_constraint_says_nothing():
    eq = hoop()
    a = "(x^2 + y^2 - l^2)"
    assert not da.check_answer(f"{a}*(m*x.ddot - x*lam1)", eq).is_right
    assert da.check_answer("3*x*(m*x.ddot - x*lam1) = 0", eq).is_right
    assert not da.check_answer("0 = 0", eq).is_right


def test_right_on_the_constraint_by_a_way_we_do_not_know_is_not_wrong():
    # cos x = cos y follows from sin x = sin y near 0, but not from the polynomial sin x - sin y
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * x,
        coordinates=[x, y],
        constraints=[s(x) - s(y)],
    ).equations()
    grade = da.check_answer("m*x.ddot + m*g = cos(y)*lam1", eq)
    assert grade.verdict in ("undecided", "wrong")
    # on the other branch, y = π - x, it differs; this one holds on both
    both = da.check_answer("(m*x.ddot + m*g)*cos(x) = cos(y)^2*lam1", eq)
    assert both.is_right
    assert da.check_answer("m*x.ddot + m*g = 2*cos(x)*lam1", eq).verdict == "wrong"


# ---- never a false verdict


def test_random_changes_of_a_right_answer_are_never_right(arm, rng, scale):
    """A term that is dropped, doubled or turned over is found, whichever it is."""
    draw = random.Random(int(rng.integers(2**31)))
    for _ in range(num_cases(20, scale)):
        row = draw.randrange(2)
        terms = _terms(arm.residual[row])
        k = draw.randrange(len(terms))
        factor = draw.choice([0, 2, -1])
        changed = sum(t * (factor if i == k else 1) for i, t in enumerate(terms))
        grade = da.check_answer(changed, arm, "equation")
        assert grade.verdict == "wrong", (row, k, factor)
        assert da.check_answer(changed - terms[k] * (factor - 1), arm, "equation").is_right


def _terms(e: da.Expr) -> list[da.Expr]:
    if e.op == "add":
        return [*_terms(e.args[0]), *_terms(e.args[1])]
    if e.op == "sub":
        return [*_terms(e.args[0]), *(-t for t in _terms(e.args[1]))]
    return [e]


def test_undecided_is_not_right():
    # |x| = √(x²) everywhere: proved or left open, never refuted; |x| ≠ x for negative x only
    eq = da.System(kinetic=m * x.dot**2 / 2, potential=abs(x), coordinates=[x]).equations()
    grade = da.check_answer(da.sqrt(x**2), eq, "V")
    assert grade.verdict in ("right", "undecided")
    assert da.check_answer(x, eq, "V").verdict == "wrong"


# ---- what cannot be read


@pytest.mark.parametrize(
    ("mine", "part", "error", "words"),
    [
        ("m9*q1.ddot = 0", None, UnknownName, "m9"),
        (da.parameters("zeta")[0], "T", UnknownName, "zeta"),
        (da.parameters("q1")[0], "V", UnknownName, "parameter q1, which is a coordinate there"),
        ("q1 +", "T", ParseError, "column"),
        ("a = b = c", None, ParseError, "one ="),
        ("m1*g", None, InvalidSystem, "part="),
        ([1, 2, 3], "N", InvalidSystem, "2 × 1"),
        ([["1"]], "M", InvalidSystem, "2 × 2"),
        ([], "equations", InvalidSystem, "list of equations"),
        ([0], "lam", InvalidSystem, "no constraint"),
        (1, "mass", InvalidSystem, "M, C, N"),
        ({}, None, InvalidSystem, "at least one"),
        ("__import__('os').system('true')", "T", UnknownName, "column"),
    ],
)
def test_unreadable_answers(arm, mine, part, error, words):
    with pytest.raises(error, match=words):
        da.check_answer(mine, arm, part)


def test_other_ways_to_write_the_same(arm):
    left = [arm.residual[i] + arm.forces[i] for i in range(2)]
    pairs = [(left[0], arm.forces[0]), (left[1], arm.forces[1])]
    assert da.check_answer(pairs, arm).is_right
    assert da.check_answer(pairs[1], arm, "equation").is_right
    assert da.check_answer(np.array(arm.M.rows), arm).is_right
    assert da.check_answer([N], arm, "N").is_right
    assert da.check_answer({"qdd": arm.accelerations()}, arm).is_right


def test_long_lines_are_broken():
    eq = da.textbook.robots.puma560().equations()
    text = str(da.check_answer(-eq.N, eq, "N"))
    assert max(map(len, text.splitlines())) <= 160


def test_faces(arm):
    grade = da.check_answer([N[0], 0], arm, "N")
    assert str(grade).splitlines()[0] == "✗ N is wrong"
    assert "- entry 2: missing term" in grade._repr_markdown_()


def test_the_columns_of_a_follow_the_order_of_the_coordinates() -> None:
    """N in one order and A in another describe no system: they are graded in one order only."""
    x, y = da.coordinates("x y")
    m, k = da.parameters("m k")
    T = (m * x.dot**2 + 3 * m * y.dot**2) / 2
    eq = da.System(
        coordinates=[x, y], kinetic=T, potential=m * x + k * y, constraints=[x + 2 * y]
    ).equations()
    assert da.check_answer({"N": [m, k], "A": [[1, 2]]}, eq).is_right
    other = da.check_answer({"N": [k, m], "A": [[2, 1]]}, eq)
    assert other.is_right
    assert other.notes == ("with the coordinates in the order y, x",)
    assert da.check_answer({"N": [k, m], "A": [[1, 2]]}, eq).verdict == "wrong"


def test_an_equation_divided_by_a_constraint_is_not_right() -> None:
    """x + 2 y is zero in every motion: divided by it an equation has no meaning."""
    x, y = da.coordinates("x y")
    (m,) = da.parameters("m")
    T = m * (x.dot**2 + y.dot**2) / 2
    eq = da.System(coordinates=[x, y], kinetic=T, constraints=[x + 2 * y]).equations()
    first, second = eq.residual
    assert da.check_answer([first, second], eq, "equations").is_right
    for factor in (x + 2 * y, 1 / (x + 2 * y)):
        assert not da.check_answer([first * factor, second], eq, "equations").is_right
        assert not da.check_answer([first * factor, second + first], eq, "equations").is_right
