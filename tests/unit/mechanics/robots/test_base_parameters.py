"""Base parameters: the published minimal sets, and the rank that numbers show."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanics.robots.base_parameters import base_parameters
from dalembert.mechanics.robots.independence import are_independent
from dalembert.mechanism import Mechanism
from dalembert.recursions.drive_regressor import drive_regressor
from dalembert.recursions.tree import Tree
from dalembert.ring import ring_of
from dalembert.textbook import robots

# entries of Y are of order 1 to 100: rounding stays far below, independent columns far above
RANK_TOLERANCE = 1e-8


def names(text: str, i: int) -> tuple[da.Expr, ...]:
    return da.parameters(" ".join(f"{name}{i}" for name in text.split()))


def test_planar_2r_has_the_published_minimal_set() -> None:
    # m₂ a₁² + Izz₁, m₂ a₁ + hx₁, hy₁ and Izz₂, hx₂, hy₂: (Khalil and Dombre 2002, 9.4)
    base = base_parameters(robots.planar_arm_nr(2))
    m2, a1, Izz1, hx1, hy1 = da.parameters("m2 a1 Izz1 hx1 hy1")
    expected = [Izz1 + m2 * a1**2, hx1 + m2 * a1, hy1, *names("Izz hx hy", 2)]
    assert da.equal(base.combinations, expected)


def test_values_are_those_of_the_mechanism() -> None:
    # for the arm of Penn the products of the lecture: I + m a_c², m a_c with m₂ moved to the elbow
    base = base_parameters(robots.planar_arm_nr(2))
    m1, m2, a1, a_c1, a_c2, I1, I2 = da.parameters("m1 m2 a1 a_c1 a_c2 I1 I2")
    expected = [
        I1 + m1 * a_c1**2 + m2 * a1**2,
        m1 * a_c1 + m2 * a1,
        0,
        I2 + m2 * a_c2**2,
        m2 * a_c2,
        0,
    ]
    assert da.equal(base.values, expected)


def test_torques_follow_from_the_combinations() -> None:
    arm = robots.planar_arm_nr(3)
    base, eq = base_parameters(arm), arm.equations()
    left = eq.M @ da.Matrix.column([x.ddot for x in eq.coordinates]) + eq.bias
    assert da.equal(base.Y @ base.values, left)


def rx90() -> Mechanism:
    D3, RL4, g = da.parameters("D3 RL4 g")
    twists = (0, pi / 2, 0, -pi / 2, pi / 2, -pi / 2)
    rows = [(D3 if i == 2 else 0, a, RL4 if i == 3 else 0, 0) for i, a in enumerate(twists)]
    return Mechanism.from_dh(rows, modified=True, name="rx90", gravity=(0, 0, -g))


def test_staubli_rx90_as_published() -> None:
    """W. Khalil and E. Dombre, Modeling, Identification and Control of Robots (2002), table 9.4,
    without the inertias of the motors."""
    D3, RL4 = da.parameters("D3 RL4")
    X = {i: names("Ixx Iyy Izz Ixz", i) for i in range(1, 7)}
    H = {i: names("hx hy hz m", i) for i in range(1, 7)}
    M = {i: H[i][3] for i in H}
    behind3, behind4 = M[3] + M[4] + M[5] + M[6], M[4] + M[5] + M[6]
    elbow = X[4][1] + 2 * RL4 * H[4][2] + RL4**2 * behind4
    grouped = {
        X[1][2]: X[1][2] + X[2][1] + X[3][1] + D3**2 * behind3,
        X[2][0]: X[2][0] - X[2][1] - D3**2 * behind3,
        X[2][2]: X[2][2] + D3**2 * behind3,
        X[2][3]: X[2][3] - D3 * H[3][2],
        H[2][0]: H[2][0] + D3 * behind3,
        X[3][0]: X[3][0] - X[3][1] + elbow,
        X[3][2]: X[3][2] + elbow,
        H[3][1]: H[3][1] + H[4][2] + RL4 * behind4,
        X[4][0]: X[4][0] - X[4][1] + X[5][1],
        X[4][2]: X[4][2] + X[5][1],
        H[4][1]: H[4][1] - H[5][2],
        X[5][0]: X[5][0] - X[5][1] + X[6][1],
        X[5][2]: X[5][2] + X[6][1],
        H[5][1]: H[5][1] + H[6][2],
        X[6][0]: X[6][0] - X[6][1],
    }
    base = base_parameters(rx90())
    assert len(base) == 36
    for i, combination in zip(base.independent, base.combinations, strict=True):
        p = base.full[i]
        assert da.equal(combination, grouped.pop(p, p)), p
    assert not grouped


def test_puma_has_36_without_denominators() -> None:
    # Gautier and Khalil 1990: 7 n - 3 - 1 - 2 for n = 6 hinges, the first one vertical
    base = base_parameters(robots.puma560_symbolic())
    assert len(base) == 36
    assert base.proof.is_proved
    assert all(k.is_polynomial for row in base.weights for k in row)
    # Iyy, hz and m of every link, and all but Izz of the first, have joined others
    stay = ("hx", "hy", "Ixx", "Izz", "Ixy", "Ixz", "Iyz")
    kept = [str(da.parameters(f"{n}{i}")[0]) for i in range(2, 7) for n in stay]
    found = [str(base.full[i]) for i in base.independent]
    assert sorted(found) == sorted(["Izz₁", *kept])


def test_panda_has_the_43_of_its_identification() -> None:
    # Gaz et al. 2019: 43 dynamic coefficients
    assert len(base_parameters(robots.panda())) == 43


@pytest.mark.parametrize("name", ["rp_mechanism", "scara", "puma560", "stanford_arm", "biped"])
def test_rank_equals_that_of_random_samples(name: str, rng: np.random.Generator) -> None:
    arm = getattr(robots, name)()
    base = base_parameters(arm)
    values = {p: rng.uniform(0.5, 1.5) for p in arm.parameters}
    tree = Tree.of(arm.bind(values)).map(float)
    n = arm.nv
    samples: list[list[float]] = []
    while len(samples) < 2 * len(base.full):
        state = [list(rng.uniform(-2, 2, n)) for _ in "qva"]
        samples += drive_regressor(tree, *state, zeros=False).Y
    s = np.linalg.svd(np.array(samples, float), compute_uv=False)
    assert int((s > RANK_TOLERANCE * s[0]).sum()) == len(base)


def test_sideways_gravity_reveals_more() -> None:
    """A first axis across gravity brings hx₁ and hy₁ back: 38 for the general 6R arm."""
    arm = robots.puma560_symbolic()
    (g,) = da.parameters("g")
    lying = da.Mechanism(arm.name, arm.links, arm.joints, (-g, 0, 0))
    assert len(base_parameters(lying)) == 38


def test_symbolic_angles_are_reduced_in_the_ring() -> None:
    """A twist α as a parameter has no value at a random point of a finite field."""
    alpha, a, g = da.parameters("alpha a g")
    arm = Mechanism.from_dh([(a, alpha, 0, 0), (0, 0, 0, 0)], gravity=(0, 0, -g))
    base = base_parameters(arm)
    assert "row reduction" in base.proof.method
    # 7 · 2 - 3 - 1 - 2 for two hinges, the first one vertical
    assert len(base) == 8


def test_rotors_that_turn_in_space_count_as_links() -> None:
    """A gyroscopic rotor is a link behind its own joint; the joint's speed drives it."""
    m, l, g = da.parameters("m l g")
    arm = (
        da.Builder("geared", gravity=(0, -g, 0))
        .link("link", mass=m, com=(l, 0, 0))
        .link("tip", mass=m, com=(l, 0, 0))
        .revolute("joint", "link")
        .revolute("wrist", "tip", origin=(l, 0, 0))
        .actuator("motor", "wrist", gear_ratio=10, rotor_inertia=2, gyroscopic=True)
        .build()
    )
    base, eq = base_parameters(arm), arm.equations()
    left = eq.M @ da.Matrix.column([x.ddot for x in eq.coordinates]) + eq.bias
    assert da.equal(base.Y @ base.values, left)


def test_puma_560_equals_the_published_grouping() -> None:
    """Gautier and Khalil (1990): for each revolute joint j, from the last to the second, Iyy, hz
    and m of link j go to Ixx of the link itself and to link j - 1 by closed relations; of link 1,
    whose axis is vertical, only Izz is left. Craig's modified DH table of the PUMA 560."""
    a2, a3, d3, d4, g = da.parameters("a2 a3 d3 d4 g")
    quarter = pi / 2
    # (a, α, d, θ) with a and α of the step before the joint
    table = [
        (0, 0, 0, 0),
        (0, -quarter, 0, 0),
        (a2, 0, d3, 0),
        (a3, -quarter, d4, 0),
        (0, quarter, 0, 0),
        (0, -quarter, 0, 0),
    ]
    arm = Mechanism.from_dh(table, modified=True, name="puma", gravity=(0, 0, -g))
    keys = ["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "hx", "hy", "hz", "m"]
    link = {i: dict(zip(keys, names(" ".join(keys), i), strict=True)) for i in range(1, 7)}
    grouped: dict[int, dict[str, da.Expr]] = {i: dict(p) for i, p in link.items()}
    for j in range(6, 1, -1):
        d, alpha, r, _ = table[j - 1]
        S, C = round(sin(alpha)), round(cos(alpha))
        p, q = grouped[j], grouped[j - 1]
        YY, MZ, M = p["Iyy"], p["hz"], p["m"]
        p["Ixx"] = p["Ixx"] - YY
        weight = YY + 2 * r * MZ + r**2 * M
        q["Ixx"] = q["Ixx"] + weight
        q["Ixy"] = q["Ixy"] + d * S * (MZ + r * M)
        q["Ixz"] = q["Ixz"] - d * C * (MZ + r * M)
        q["Iyy"] = q["Iyy"] + C**2 * weight + d**2 * M
        q["Iyz"] = q["Iyz"] + C * S * weight
        q["Izz"] = q["Izz"] + S**2 * weight + d**2 * M
        q["hx"] = q["hx"] + d * M
        q["hy"] = q["hy"] - S * (MZ + r * M)
        q["hz"] = q["hz"] + C * (MZ + r * M)
        q["m"] = q["m"] + M
    left = {link[1]["Izz"]: grouped[1]["Izz"]}
    for j in range(2, 7):
        left |= {link[j][k]: grouped[j][k] for k in keys if k not in ("Iyy", "hz", "m")}
    base = base_parameters(arm)
    assert len(base) == len(left) == 36
    for i, combination in zip(base.independent, base.combinations, strict=True):
        assert da.equal(combination, left.pop(base.full[i]))
    assert not left


def test_rotors_of_the_rx90_join_the_first_two_links() -> None:
    """Khalil and Dombre (2002, 9.4): Ia₁ joins Izz₁, and Ia₂ joins Izz₂, as axis 2 is across axis 1
    (ω of link 2 along its axis is q̇₂ alone); Ia₃ … Ia₆ stay. 36 + 4 = 40 parameters."""
    arm = rx90()
    moving = [j.name for j in arm.joints if j.nv]
    geared = replace(
        arm, joints=tuple(replace(j, armature=1) if j.name in moving else j for j in arm.joints)
    )
    base, bare = base_parameters(geared), base_parameters(arm)
    assert len(base) == 40
    assert base.proof.is_proved
    found = {str(base.full[i]): k for i, k in zip(base.independent, base.combinations, strict=True)}
    alone = {str(bare.full[i]): k for i, k in zip(bare.independent, bare.combinations, strict=True)}
    for i in (1, 2):
        (rotor,) = da.parameters(f"armature{i}")
        (leader,) = [key for key, k in found.items() if rotor in k.symbols]
        assert leader == f"Izz{'₁₂'[i - 1]}"
        assert da.equal(found[leader] - rotor, alone[leader])
    for i in range(3, 7):
        (rotor,) = da.parameters(f"armature{i}")
        assert [str(k) for k in found.values() if rotor in k.symbols] == [str(rotor)]


def sprung_arm() -> Mechanism:
    """Two hinges with all that a joint can have, a slider that follows, motors and springs."""
    a, g = da.parameters("a g")
    builder = da.Builder("sprung", gravity=(0, -g, 0))
    numbers = {"damping": 2, "friction": 3, "stribeck": 0.5, "stribeck_velocity": 0.3}
    numbers |= {"stiffness": 7, "rest": 0.2}
    builder.link("one", mass=1, com=(0.5, 0.1, 0), inertia=(1, 2, 3))
    builder.link("two", mass=2, com=(0.4, 0, 0.2), inertia=(3, 2, 1))
    builder.link("slide", mass=1, com=(0.1, 0, 0.1), inertia=(1, 1, 2))
    builder.revolute("first", "one", armature=0.3, **numbers)
    builder.revolute("second", "two", origin=(a, 0, 0), armature=0.2, **numbers)
    builder.prismatic("third", "slide", axis="x", armature=0.1, damping=4)
    builder.actuator("motor", "second", gear_ratio=-5, friction=0.1, damping=0.2, stribeck=0.3)
    ends = ("world", (0, 1, 0)), ("two", (0.3, 0, 0))
    return builder.spring("spring", *ends, stiffness=9, rest_length=0.5, damping=1).build()


def test_columns_of_rotors_friction_and_springs_have_the_rank_of_samples(rng) -> None:
    arm = sprung_arm()
    base = base_parameters(arm)
    assert len(base.full) > 45
    assert base.proof.is_proved
    values = {p: rng.uniform(0.5, 1.5) for p in arm.parameters}
    tree = Tree.of(arm.bind(values)).map(float)
    samples = []
    for _ in range(60):
        state = [list(rng.uniform(-2, 2, 3)) for _ in "qva"]
        samples += drive_regressor(tree, *state, zeros=False).Y
    s = np.linalg.svd(np.array(samples, float), compute_uv=False)
    assert int((s > RANK_TOLERANCE * s[0]).sum()) == len(base)


def test_torques_with_friction_and_springs_follow_from_the_combinations(rng) -> None:
    """Y times the values is the torque of a compiled model, which knows no regressor."""
    arm = sprung_arm()
    base = base_parameters(arm)
    numbers = dict(zip(arm.parameters, rng.uniform(0.5, 1.5, 2), strict=True))
    model = da.compile(arm, parameters=numbers)
    q, v, a = rng.uniform(-1.5, 1.5, (3, 3))
    symbols = model.symbols
    at = numbers | dict(zip((*symbols.q, *symbols.qd, *symbols.qdd), (*q, *v, *a), strict=True))
    tau = (base.Y @ base.values).evaluate(at)
    expected = model.inverse_dynamics(q, v, a)
    assert np.ravel(np.array(tau, float)) == pytest.approx(expected, rel=1e-11)


def test_independence_is_seen_in_balls() -> None:
    """sin², cos² and 1 depend on each other whatever forms they have; two of them do not."""
    (x,) = da.coordinates("x")
    ring = ring_of([da.exp(x), da.sin(x), da.cos(x)])
    e, s, c = (ring.element_of(f) for f in (da.exp(x), da.sin(x), da.cos(x)))
    assert are_independent(ring, [[e, s, c, s * c]])
    assert not are_independent(ring, [[e * s * s, e, e * c * c]])
    assert not are_independent(ring, [[s, s + s]])


def test_two_dampers_of_one_joint_are_one_parameter() -> None:
    """A motor's damping b on a gear of ratio 3 adds 9 b to the joint's; friction adds 3 c."""
    builder = da.Builder("geared").link("a", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
    arm = (
        builder.revolute("j", "a", damping=1, friction=1)
        .actuator("motor", "j", gear_ratio=3, damping=1, friction=1)
        .build()
    )
    base = base_parameters(arm)
    b, B, c, C = da.parameters("damping1 motor_damping1 friction1 motor_friction1")
    assert da.equal(list(base.combinations)[-2:], [b + 9 * B, c + 3 * C])
