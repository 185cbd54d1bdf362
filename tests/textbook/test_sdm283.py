"""SDM283, equations of motion of robotic arm: the planar 3R arm of point masses, all 14 steps."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import Expr, Matrix, cos, sin
from dalembert.mechanics.equations.derivation import Derivation
from dalembert.mechanics.robots.screws.arm import ScrewArm
from dalembert.mechanics.robots.screws.derivation import screw_derivation
from dalembert.mechanics.robots.screws.writing import Writing
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.tree import Tree
from dalembert.ring import canonical_all
from dalembert.spatial.se3 import Twist, times
from dalembert.textbook import robots

q1, q2, q3 = da.coordinates("q1 q2 q3")
l1, l2, l3, r1, r2, r3, m1, m2, m3, g = da.parameters("l1 l2 l3 r1 r2 r3 m1 m2 m3 g")
F_x, F_y, M_z = da.inputs("F_x F_y M_z")


@pytest.fixture(scope="module")
def steps() -> Derivation:
    return screw_derivation(robots.planar_3r())


def part(steps: Derivation, number: int, left: str) -> Expr | Matrix:
    return next(f.right for f in steps.steps[number - 1].formulas if f.left == left)


def plane_twist(p: tuple) -> Matrix:
    """ξ̂ of a unit rotation about the point p of the plane: ω = z, v = p × z = (p_y, -p_x, 0)."""
    return Matrix([[0, -1, 0, p[1]], [1, 0, 0, -p[0]], [0, 0, 0, 0], [0, 0, 0, 0]])


def point(matrix: Matrix) -> tuple:
    return matrix[0, 3], matrix[1, 3]


def turn(p: tuple, angle: Expr) -> Matrix:
    """Step 1: [[e^{ẑθ}, (1 - e^{ẑθ}) p], [0, 1]]."""
    c, s = cos(angle), sin(angle)
    x, y = p
    shift = (x - c * x + s * y, y - s * x - c * y)
    return Matrix([[c, -s, 0, shift[0]], [s, c, 0, shift[1]], [0, 0, 1, 0], [0, 0, 0, 1]])


def test_fourteen_steps_all_proved(steps: Derivation) -> None:
    assert len(steps.steps) == 14
    remarks = [remark for step in steps for remark in step.remarks]
    assert len(remarks) >= 14
    assert [r for r in remarks if not r.startswith("✓")] == []
    assert all(step.sentence.endswith(".") for step in steps)
    assert steps.text().startswith("1. How to move a point")
    assert steps.markdown().count("$$") % 2 == 0


def test_step_1_twists_and_exponentials(steps: Derivation) -> None:
    joints = [(0, 0), (l1, 0), (l1 + l2, 0)]
    for i, (p, q) in enumerate(zip(joints, (q1, q2, q3), strict=True), 1):
        sub = "₁₂₃"[i - 1]
        assert da.equal(part(steps, 1, f"ξ{sub}"), [p[1], -p[0] + 0 * l1, 0, 0, 0, 1])
        assert da.equal(part(steps, 1, f"e^(ξ̂{sub} q{sub})"), turn(p, q))


def test_step_1_rodrigues() -> None:
    # e^{ẑθ} = 1 + ẑ sin θ + ẑ² (1 - cos θ)
    z = plane_twist((0, 0))
    one = Matrix.identity(4)
    assert da.equal(turn((0, 0), q1), one + z * sin(q1) + z @ z * (1 - cos(q1)))


def test_step_3_moving_axes_are_fixed_axes_in_reverse_order() -> None:
    # R(R(q₁₀, θ₁) q₂₀, θ₂) R(q₁₀, θ₁) = R(q₁₀, θ₁) R(q₂₀, θ₂), for any two points of the plane
    a, b, c, d = da.parameters("a b c d")
    first = turn((a, b), q1)
    moved = first @ Matrix.column([c, d, 0, 1])
    assert da.equal(turn((moved[0], moved[1]), q2) @ first, first @ turn((c, d), q2))


def test_step_4_product_of_exponentials(steps: Derivation) -> None:
    a, b = q1 + q2, q1 + q2 + q3
    x = l1 * cos(q1) + l2 * cos(a) + l3 * cos(b)
    y = l1 * sin(q1) + l2 * sin(a) + l3 * sin(b)
    expected = [[cos(b), -sin(b), 0, x], [sin(b), cos(b), 0, y], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert da.equal(part(steps, 4, "g_ab"), expected)
    home = Matrix([[1, 0, 0, l1 + l2 + l3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert da.equal(part(steps, 2, "g_ab0"), home)
    assert da.equal(product() @ home, expected)


def product() -> Matrix:
    return turn((0, 0), q1) @ turn((l1, 0), q2) @ turn((l1 + l2, 0), q3)


def inverse_product() -> Matrix:
    return turn((l1 + l2, 0), -q3) @ turn((l1, 0), -q2) @ turn((0, 0), -q1)


def test_step_5_inverse_begins_with_the_inverse(steps: Derivation) -> None:
    """Erratum: g_ab⁻¹ is printed with g_ab0 in front; then g_ab⁻¹ g_ab is g_ab0², not 1."""
    home = part(steps, 2, "g_ab0")
    assert isinstance(home, Matrix)
    back = Matrix([[1, 0, 0, -l1 - l2 - l3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    g_ab = product() @ home
    assert da.equal(back @ inverse_product() @ g_ab, Matrix.identity(4))
    printed = home @ inverse_product() @ g_ab
    assert not da.equal(printed, Matrix.identity(4))
    assert da.equal(printed, home @ home)


def test_step_5_velocity(steps: Derivation) -> None:
    # V̂ = ġ g⁻¹, differentiated on the graph
    V = product().map(da.ddt) @ inverse_product()
    assert da.equal(part(steps, 5, "V̂_ab"), V)


def test_step_7_jacobian(steps: Derivation) -> None:
    elbow = (l1 * cos(q1), l1 * sin(q1))
    wrist = (elbow[0] + l2 * cos(q1 + q2), elbow[1] + l2 * sin(q1 + q2))
    rows = [[0, elbow[1], wrist[1]], [0, -elbow[0], -wrist[0]]]
    J = Matrix([*rows, [0] * 3, [0] * 3, [0] * 3, [1] * 3])
    assert da.equal(part(steps, 7, "J"), J)
    # τ = Jᵀ F: the moment of F about each joint, F given at the origin
    tau = [M_z + F_x * y - F_y * x for x, y in ((0, 0), elbow, wrist)]
    assert da.equal(part(steps, 8, "τ"), tau)


def test_steps_9_to_12_gravity_and_energies(steps: Derivation) -> None:
    a, b = q1 + q2, q1 + q2 + q3
    c1 = (r1 * cos(q1), r1 * sin(q1))
    c2 = (l1 * cos(q1) + r2 * cos(a), l1 * sin(q1) + r2 * sin(a))
    c3 = (
        l1 * cos(q1) + l2 * cos(a) + r3 * cos(b),
        l1 * sin(q1) + l2 * sin(a) + r3 * sin(b),
    )
    # the y axis points along gravity: V = -Σ m g c_y
    V = -g * (m1 * c1[1] + m2 * c2[1] + m3 * c3[1])
    T = 0 * m1
    for m, c, sub in ((m1, c1, "₁"), (m2, c2, "₂"), (m3, c3, "₃")):
        T = T + m * (da.ddt(c[0]) ** 2 + da.ddt(c[1]) ** 2) / 2
        assert da.equal(part(steps, 12, f"c{sub}"), [*c, 0])
        assert da.equal(part(steps, 12, f"ċ{sub}"), [da.ddt(c[0]), da.ddt(c[1]), 0])
    assert da.equal(part(steps, 11, "T"), T)
    assert da.equal(part(steps, 11, "V"), V)
    assert da.equal(part(steps, 9, "-∂L/∂q"), [V.diff(q) for q in (q1, q2, q3)])
    for q, sub in ((q1, "₁"), (q2, "₂"), (q3, "₃")):
        assert da.equal(part(steps, 13, f"∂L/∂q{sub}"), (T - V).diff(q))
        momentum_rate = da.ddt(T.diff(q.dot))
        assert da.equal(part(steps, 14, f"d/dt ∂L/∂q̇{sub}"), momentum_rate)
        assert da.equal(part(steps, 14, f"τ{sub}"), momentum_rate - (T - V).diff(q))


def test_step_13_brackets(steps: Derivation) -> None:
    # ∂ξ̂′/∂θ = ξ̂₁ ξ̂′ - ξ̂′ ξ̂₁ as matrices, from the lecture's formula
    X1 = plane_twist((0, 0))
    X2 = turn((0, 0), q1) @ plane_twist((l1, 0)) @ turn((0, 0), -q1)
    bracket = X1 @ X2 - X2 @ X1
    assert da.equal(bracket, X2.diff(q1))
    found = part(steps, 13, "∂ξ′₂/∂q₁")
    assert isinstance(found, Matrix)
    assert da.equal(found, [*point(bracket), 0, 0, 0, 0])


def test_step_13_first_terms_are_missing_in_print() -> None:
    """Erratum: ∂ċ₂/∂θ₁ lacks θ̇₁ ξ̂₁ ξ̂₁ c₂, and ∂ċ₂/∂θ₂ lacks θ̇₁ ξ̂₁ ξ̂₂′ c₂."""
    X1 = plane_twist((0, 0))
    X2 = turn((0, 0), q1) @ plane_twist((l1, 0)) @ turn((0, 0), -q1)
    c2 = turn((0, 0), q1) @ turn((l1, 0), q2) @ Matrix.column([l1 + r2, 0, 0, 1])
    rate = (X1 * q1.dot + X2 * q2.dot) @ c2
    bracket = X1 @ X2 - X2 @ X1
    printed = [(bracket @ c2 + X2 @ X1 @ c2) * q2.dot, X2 @ X2 @ c2 * q2.dot]
    missing = [X1 @ X1 @ c2 * q1.dot, X1 @ X2 @ c2 * q1.dot]
    for q, given, lost in zip((q1, q2), printed, missing, strict=True):
        slope = rate.diff(q)
        assert not da.equal(slope, given)
        assert da.equal(slope, given + lost)
    # with the term, turning the whole arm does not change T: ċ₂ᵀ ∂ċ₂/∂θ₁ = 0
    assert da.equal(rate.dot(printed[0] + missing[0]), 0)
    assert not da.equal(rate.dot(printed[0]), 0)
    # the terms that the derivation uses are these
    arm = robots.planar_3r()
    screws = Writing(arm, arm.equations(), None).arm
    for k in range(2):
        ours = screws.centre_velocity_slope(screws.bodies[1], k)
        expected = canonical_all(screws.ring, list(printed[k] + missing[k])[:3])
        assert all(a == b for a, b in zip(expected, ours, strict=True))


def test_step_14_first_body_as_printed() -> None:
    # c̈₁ = θ̈₁ ξ̂₁ c₁ + θ̇₁² ξ̂₁² c₁
    X1 = plane_twist((0, 0))
    c1 = turn((0, 0), q1) @ Matrix.column([r1, 0, 0, 1])
    second = c1.map(da.ddt).map(da.ddt)
    assert da.equal(second, X1 @ c1 * q1.ddot + X1 @ X1 @ c1 * q1.dot**2)


def test_equal_to_the_point_masses_by_lagrange(steps: Derivation) -> None:
    """`textbook.planar_chain` with masses at the ends and y up is this arm with r = l, g → -g."""
    chain = da.textbook.planar_chain(3).equations()
    arm = robots.planar_3r().bind({r1: l1, r2: l2, r3: l3, g: -g}).equations()
    assert da.equal(chain.M, arm.M)
    assert da.equal(chain.C, arm.C)
    assert da.equal(chain.N, arm.N)


@pytest.mark.parametrize("name", ["rp_mechanism", "scara", "stanford_arm"])
def test_any_serial_arm_by_screws(name: str) -> None:
    """Prismatic joints, rigid links, rotors and motion in space."""
    remarks = [r for step in screw_derivation(getattr(robots, name)()) for r in step.remarks]
    assert [r for r in remarks if not r.startswith("✓")] == []


def test_springs_dampers_helical_and_fixed_joints() -> None:
    m, k, d, h = da.parameters("m k d h")
    arm = (
        da.Builder("screw")
        .link("nut", mass=m, com=(1, 2, 3), inertia=(1, 2, 3))
        .link("plate", mass=2, inertia=(1, 1, 1))
        .link("arm", mass=m, com=(0, 1, 0))
        .helical("thread", "nut", pitch=h, axis=(1, 2, 2), stiffness=k, damping=d)
        .fixed("weld", "plate", origin=(0, 0, 1))
        .revolute("hinge", "arm", axis="y", origin=(1, 0, 0), armature=3)
        .build()
    )
    remarks = [r for step in screw_derivation(arm) for r in step.remarks]
    assert [r for r in remarks if not r.startswith("✓")] == []


def test_branches_and_loops_are_refused() -> None:
    with pytest.raises(da.InvalidMechanism, match="open chain"):
        screw_derivation(robots.four_bar())
    with pytest.raises(da.InvalidMechanism, match="serial arm"):
        screw_derivation(robots.biped())


def test_numbers_agree_with_the_recursion(steps: Derivation, rng: np.random.Generator) -> None:
    """τ of step 14 against Newton–Euler on floats, an independent route."""
    arm = robots.planar_3r()
    values = {p: float(rng.uniform(0.5, 2)) for p in arm.parameters}
    tree = Tree.of(arm.bind(values)).map(float)
    for _ in range(5):
        q, v, a = (list(rng.uniform(-2, 2, 3)) for _ in "qva")
        expected = inverse_dynamics(tree, q, v, a)
        at = dict(values)
        for x, xq, xv, xa in zip((q1, q2, q3), q, v, a, strict=True):
            at |= {x: xq, x.dot: xv, x.ddot: xa}
        tau = [part(steps, 14, f"τ{s}").evaluate(at) for s in "₁₂₃"]
        assert tau == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_actuators_are_refused() -> None:
    arm = (
        da.Builder("geared")
        .link("link", mass=1, com=(1, 0, 0))
        .revolute("joint", "link")
        .actuator("motor", "joint", gear_ratio=10, rotor_inertia=2)
        .build()
    )
    with pytest.raises(da.InvalidMechanism, match="without actuators"):
        screw_derivation(arm)


def test_a_wrong_bracket_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remarks are verdicts: with [ξ′ᵢ, ξ′ₖ] for [ξ′ₖ, ξ′ᵢ] the steps after 12 say so."""
    right = ScrewArm.twist_slope

    def wrong(self: ScrewArm, i: int, k: int) -> Twist:
        return times(-1, right(self, i, k))

    monkeypatch.setattr(ScrewArm, "twist_slope", wrong)
    steps = screw_derivation(robots.planar_3r()).steps
    assert all(r.startswith("✓") for step in steps[:12] for r in step.remarks)
    assert steps[12].remarks[0].startswith("✗")
    assert steps[13].remarks[-1].startswith("✗")
