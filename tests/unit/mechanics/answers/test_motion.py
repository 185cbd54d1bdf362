"""Equations are graded by the motion: what follows is right, how much it says is said."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.errors import UnknownName

x, y, s, phi, theta = da.coordinates("x y s phi theta")
m, M, k, l, g, R = da.parameters("m M k l g R")


@pytest.fixture(scope="module")
def pendulum() -> da.Equations:
    T, V = m * (l * theta.dot) ** 2 / 2, -m * g * l * da.cos(theta)
    return da.System(coordinates=[theta], kinetic=T, potential=V).equations()


@pytest.fixture(scope="module")
def cart_pole() -> da.Equations:
    T = (M + m) * x.dot**2 / 2 + m * l * x.dot * theta.dot * da.cos(theta)
    return da.System(
        coordinates=[x, theta],
        kinetic=T + m * (l * theta.dot) ** 2 / 2,
        potential=m * g * l * da.cos(theta),
    ).equations()


@pytest.fixture(scope="module")
def hung() -> da.Equations:
    """A mass on a spring, x upwards from where the spring is free."""
    return da.System(
        coordinates=[x], kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2 + m * g * x
    ).equations()


# ---- how much an answer says

CART = "(M+m)*x.ddot + m*l*cos(theta)*theta.ddot - m*l*sin(theta)*theta.dot^2 = 0"
POLE = "l*theta.ddot + cos(theta)*x.ddot - g*sin(theta) = 0"
# POLE solved for ẍ cos θ, put into CART times cos θ
WITHOUT_X = (
    "(M + m*sin(theta)^2)*l*theta.ddot = (M+m)*g*sin(theta) - m*l*sin(theta)*cos(theta)*theta.dot^2"
)


@pytest.mark.parametrize(
    ("answer", "heading"),
    [
        (POLE, "✓ equation is right, one of the two equations"),
        (WITHOUT_X, "✓ equation is right, one of the two equations"),
        ([WITHOUT_X, POLE], "✓ equations are right and complete"),
        ([POLE, CART], "✓ equations are right and complete"),
        ([POLE, POLE], "✓ equations are right, one of the two equations"),
        ([POLE, WITHOUT_X, CART], "✓ equations are right and complete"),
    ],
)
def test_how_much_is_said(cart_pole, answer, heading):
    grade = da.check_answer(answer, cart_pole)
    assert str(grade).splitlines()[0] == heading
    assert grade.is_complete is heading.endswith("complete")


def test_what_holds_in_every_motion_says_nothing(pendulum):
    for answer in ("0 = 0", "theta = theta", "m*l = l*m"):
        grade = da.check_answer(answer, pendulum)
        assert grade.verdict == "wrong"
        assert "says nothing about the motion" in str(grade)


def test_a_constraint_beside_the_equations_is_no_mistake():
    T = m * (x.dot**2 + y.dot**2) / 2
    eq = da.System(coordinates=[x, y], kinetic=T, constraints=[x + y - l]).equations()
    for again in ("x + y = l", "x.dot + y.dot = 0", "x.ddot = -y.ddot", "2*x.ddot*x = -2*x*y.ddot"):
        grade = da.check_answer(["m*x.ddot = lam1", "m*y.ddot = lam1", again], eq)
        assert grade.is_complete, again
        assert grade.notes[-1] == "equation 3: from the constraints alone"
        assert "only repeats the constraints" in str(da.check_answer(again, eq))


def test_functions_without_a_definition():
    U, f = da.function("U"), da.function("f")
    T = m * (x.dot**2 + y.dot**2) / 2
    eq = da.System(coordinates=[x, y], kinetic=T, potential=U(x, y) + f(x)).equations()
    for slope in ("∂U/∂x", "∂U/∂x(x, y)", r"\frac{\partial U}{\partial x}"):
        rate = r"\ddot{x}" if "\\" in slope else "ẍ"
        grade = da.check_answer(f"m {rate} = -{slope} - f'(x)", eq)
        assert grade.is_right, str(grade)
    grade = da.check_answer("m x'' = -∂U/∂y - f'(x)", eq)
    assert grade.verdict == "wrong"


def test_where_coordinates_are_singular_is_no_condition():
    (r,) = da.coordinates("r")
    T = m * (r.dot**2 + r**2 * phi.dot**2) / 2
    eq = da.System(coordinates=[r, phi], kinetic=T).equations()
    grade = da.check_answer(["p = m r² φ̇", "m r̈ = p²/(m r³)", "ṗ = 0"], eq)
    assert grade.is_right
    assert grade.is_complete
    assert da.check_answer("m r̈/φ = m r φ̇²/φ", eq).where == ("φ ≠ 0",)


def test_first_order_form_with_a_state_that_is_named():
    eq = da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2).equations()
    answer = ["z1' = z2", "z2' = -k z1/m"]
    assert da.check_answer(answer, eq, where={"z1": "x"}).is_complete


def test_where_a_factor_vanishes_is_said(pendulum):
    grade = da.check_answer("theta.dot*(l*theta.ddot + g*sin(theta)) = 0", pendulum)
    assert grade.is_right
    assert grade.notes[0].endswith("equivalent to them where θ̇ ≠ 0")


def test_squares_of_accelerations_have_other_solutions(pendulum):
    grade = da.check_answer("theta.ddot^2 = g^2*sin(theta)^2/l^2", pendulum)
    assert grade.is_right
    assert grade.is_complete is False
    assert "other motions may satisfy it too" in grade.notes[0]


def test_only_what_is_wrong_is_compared(cart_pole):
    grade = da.check_answer([WITHOUT_X, POLE.replace("- g", "+ g")], cart_pole)
    assert grade.verdict == "wrong"
    assert [fault.where.partition(",")[0] for fault in grade.faults] == ["equation of theta"]


# ---- names of the answer's own


@pytest.mark.parametrize(
    "answer",
    [
        ["theta.dot = omega", "omega.dot = -g/l*sin(theta)"],
        ["θ̇ = ω", "ω̇ = -(g/l) sin θ"],
        [r"\dot\theta = \omega", r"\dot\omega = -\frac{g}{l}\sin\theta"],
        # Hamilton's equations
        ["theta.dot = p/(m*l^2)", "p.dot = -m*g*l*sin(theta)"],
        ["z1 = theta", "z2 = theta.dot", "z1.dot = z2", "z2.dot = -g/l*sin(z1)"],
    ],
)
def test_first_order_equations(pendulum, answer):
    grade = da.check_answer(answer, pendulum)
    assert str(grade).startswith("✓ equations are right and complete")
    wrong = [answer[0], *(row.replace("-", "+").replace("+ ", "") for row in answer[1:])]
    assert not da.check_answer(wrong, pendulum).is_right


def test_coordinates_of_the_answers_own(pendulum):
    arc = da.check_answer("s.ddot + g*sin(s/l) = 0", pendulum, where={"s": "l*theta"})
    assert arc.is_right
    upright = {"ψ": "pi - theta"}
    assert da.check_answer("ψ̈ = (g/l) sin ψ", pendulum, where=upright).is_right
    assert not da.check_answer("ψ̈ = -(g/l) sin ψ", pendulum, where=upright).is_right


def test_a_name_that_nothing_explains_is_named(pendulum):
    with pytest.raises(UnknownName, match="got omegaa: say what it is"):
        da.check_answer(["theta.dot = omega", "omegaa.dot = -g/l*sin(theta)"], pendulum)
    with pytest.raises(UnknownName, match="'omega'"):
        da.check_answer("omega.dot = -g/l*sin(theta)", pendulum)


# ---- forces of the answer's own


@pytest.fixture(scope="module")
def bob() -> da.Equations:
    """A pendulum in Cartesian coordinates, y upwards."""
    T = m * (x.dot**2 + y.dot**2) / 2
    return da.System(
        coordinates=[x, y], kinetic=T, potential=m * g * y, constraints=[x**2 + y**2 - l**2]
    ).equations()


def test_a_tension_is_eliminated(bob):
    # Newton: the rod pulls along (-x, -y)/l
    grade = da.check_answer(["m x'' = -T x/l", "m y'' = -T y/l - m g", "x² + y² = l²"], bob)
    assert grade.is_complete
    assert "equation 3: from the constraints alone" in grade.notes
    assert grade.notes[-1] == "T is eliminated: no equation says what it is"
    for wrong in ("m y'' = T y/l - m g", "m y'' = -T y/l + m g", "m y'' = -T y/l"):
        assert not da.check_answer(["m x'' = -T x/l", wrong], bob).is_right
    # one equation with an unknown force says nothing, and a name in one equation may be a typo
    for answer in (["m x'' = -T x/l"], ["m x'' = -T x/l", "m y'' = -S y/l - m g"]):
        with pytest.raises(UnknownName, match="T"):
            da.check_answer(answer, bob)


def test_tensions_of_a_system_without_constraints():
    m1, m2 = da.parameters("m1 m2")
    T, V = (m1 + m2) * x.dot**2 / 2, (m2 - m1) * g * x
    atwood = da.System(coordinates=[x], kinetic=T, potential=V).equations()
    assert da.check_answer(["m1 x'' = m1 g - T", "m2 x'' = T - m2 g"], atwood).is_complete
    assert not da.check_answer(["m1 x'' = m1 g - T", "m2 x'' = T + m2 g"], atwood).is_right


@pytest.mark.parametrize(
    "answer", ["m x'' = 2 λ x", "m x'' = -2 lambda x", r"m\ddot y + m g = 2\lambda y"]
)
def test_the_only_multiplier_needs_no_number(bob, answer):
    assert da.check_answer(answer, bob).is_right


def test_energies_are_recognised_by_their_letters(pendulum):
    assert da.check_answer("L = ½ m l² θ̇² + m g l cosθ", pendulum).parts == ("L",)
    assert da.check_answer(r"\mathcal{L} = \frac12 m l^2\dot\theta^2", pendulum).parts == ("L",)
    both = da.check_answer(["T = ½ m l² θ̇²", "V = m g l cos θ"], pendulum)
    assert (both.verdict, both.right_parts) == ("wrong", ("T",))


# ---- other conventions


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("theta.ddot = g/l*sin(theta)", "measured from the opposite direction, yours = θ + π"),
        ("theta.ddot = -g/l*cos(theta)", "at right angles, yours = θ - π/2"),
    ],
)
def test_angles_from_another_direction(pendulum, answer, words):
    grade = da.check_answer(answer, pendulum)
    assert grade.verdict == "other convention"
    assert not grade.is_right
    assert str(grade).startswith("≈ equation is right in another convention")
    assert words in grade.notes[0]
    # what it is in ours is said too
    assert grade.faults


def test_the_other_way_and_another_origin(hung):
    downwards = da.check_answer("m*x.ddot + k*x = m*g", hung)
    assert downwards.notes == ("right if your x is positive the other way, yours = -x",)
    at_rest = da.check_answer("m*x.ddot + k*x = 0", hung)
    assert at_rest.notes == ("right if your x is measured from another origin, yours = m g/k + x",)
    assert da.check_answer("m*x.ddot = k*x", hung).verdict == "wrong"


def test_the_pole_that_hangs(cart_pole):
    hanging = [CART, POLE.replace("- g", "+ g")]
    grade = da.check_answer(hanging, cart_pole)
    assert grade.notes == (
        "right if your theta is measured from the opposite direction, yours = π - θ",
    )


# ---- hints


def test_hints_do_not_mislead(pendulum, hung):
    number = da.check_answer("theta.ddot = -9.81/l*sin(theta)", pendulum)
    assert number.faults[0].hint == "9.81 stands where g should"
    turned = da.check_answer("theta.ddot = -l/g*sin(theta)", pendulum)
    assert turned.faults[0].hint == "l/g stands where g/l should"
    spring = da.check_answer("m*x.ddot - k*x + m*g = 0", hung)
    assert str(spring.faults[0]) == "equation of x: -k x should be k x (the sign is opposite here)"
    both = da.check_answer("m*x.ddot - k*x - m*g = 0", hung)
    assert both.faults[0].words == "-m g - k x should be m g + k x"


def test_friction_is_no_gravity():
    """m s̈ = m g sin α - μ m g cos α: the weight stands in a force too."""
    alpha, mu = da.parameters("alpha mu")
    slope = da.System(
        coordinates=[s],
        kinetic=m * s.dot**2 / 2,
        potential=-m * g * s * da.sin(alpha),
        forces=[-mu * m * g * da.cos(alpha)],
    ).equations()
    assert da.check_answer("s'' = g (sinα - μ cosα)", slope).is_complete
    assert da.check_answer(["m s'' = m g sinα - μ N", "N = m g cosα"], slope).is_complete
    turned = da.check_answer("s'' = g (sinα + μ cosα)", slope)
    assert turned.faults[0].hint == "the sign is opposite here"
    assert da.check_answer("s'' = g sinα", slope).faults[0].hint == "as if μ were zero"


def test_an_equation_of_something_else_fails_at_a_point(pendulum):
    (fault,) = da.check_answer("theta = 0", pendulum).faults
    assert fault.words.startswith("does not hold along the motion: its sides differ by ")
    assert " at theta = " in fault.words


# every motion of the pendulum satisfies them, and so do others
INSIDE = [
    "sin(l*theta.ddot) = -sin(g*sin(theta))",
    "exp(l*theta.ddot) = exp(-g*sin(theta))",
    "abs(theta.ddot) = abs(g*sin(theta)/l)",
    "abs(l*theta.ddot + g*sin(theta)) + l*theta.ddot + g*sin(theta) = 0",
    "abs(l*theta.ddot + g*sin(theta)) = 0",
    "sign(l*theta.ddot + g*sin(theta)) = 0",
    "theta.ddot*abs(theta.ddot) = -g/l*sin(theta)*abs(g/l*sin(theta))",
]


@pytest.mark.parametrize("answer", INSIDE)
def test_accelerations_inside_of_functions(pendulum, answer):
    grade = da.check_answer(answer, pendulum)
    assert grade.is_right, grade
    assert grade.is_complete is False


@pytest.mark.parametrize(
    "answer",
    [
        "exp(l*theta.ddot) = exp(-2*g*sin(theta))",
        "abs(l*theta.ddot + 2*g*sin(theta)) = 0",
        "1/(l*theta.ddot + g*sin(theta)) = 0",
        "theta.ddot/(l*theta.ddot + g*sin(theta)) = 0",
    ],
)
def test_wrong_accelerations_inside_of_functions(pendulum, answer):
    assert da.check_answer(answer, pendulum).verdict == "wrong"


def test_a_root_of_what_vanishes_along_the_motion(pendulum):
    grade = da.check_answer("sqrt(l*theta.ddot + g*sin(theta)) = 0", pendulum)
    assert grade.verdict == "right where"
    assert grade.is_complete is False


@pytest.mark.filterwarnings("ignore:expected inertia along every coordinate")
def test_a_coordinate_without_inertia():
    """Two springs in series, nothing between them: no motion has accelerations that M tells."""
    x, y = da.coordinates("x y")
    c = da.parameters("c")[0]
    T, V = m * x.dot**2 / 2, k * (x - y) ** 2 / 2 + c * y**2 / 2
    eq = da.System(kinetic=T, potential=V, coordinates=[x, y]).equations()
    both = ["m*x.ddot + k*(x - y) = 0", "c*y - k*(x - y) = 0"]
    for answer in (both, both[0], both[1], [both[1], both[0]]):
        assert da.check_answer(answer, eq).is_right
    # it follows, which is not seen; it is not called wrong
    assert da.check_answer("y = k*x/(k + c)", eq).verdict == "undecided"
    assert "says nothing" in str(da.check_answer("0 = 0", eq))


def test_points_far_from_zero():
    """The logarithm has no value at the points that are tried first."""
    x = da.coordinates("x")[0]
    for far in (4, 4000):
        V = k * da.log(x - far)
        eq = da.System(kinetic=m * x.dot**2 / 2, potential=V, coordinates=[x]).equations()
        assert da.check_answer(f"m*x.ddot + k/(x - {far}) = 0", eq).is_right
        assert da.check_answer(f"m*x.ddot - k/(x - {far}) = 0", eq).verdict == "wrong"
        assert "says nothing" in str(da.check_answer("0 = 0", eq))
