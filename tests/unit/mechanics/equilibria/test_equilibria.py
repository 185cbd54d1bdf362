"""Equilibria against hand derivations and simulation, and no wrong verdict on random systems."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidSystem, Undecided
from dalembert.expr import ZERO, Expr, by_symbol, total
from dalembert.mechanics import Equilibria
from dalembert.mechanics.equilibria.stability import stability
from tests.cases import num_cases

m, R, w, g, l, k, c = da.parameters("m R omega g l k c")
x, y, theta = da.coordinates("x y theta")


def verdicts(found: Equilibria) -> dict[str, str]:
    return {e.where: e.stability.verdict for e in found}


def hoop() -> da.System:
    turned = (R * da.sin(theta) * da.cos(w * da.time), R * da.sin(theta) * da.sin(w * da.time))
    r = (*turned, -R * da.cos(theta))
    return da.System.from_particles([m], [r], coordinates=[theta], gravity=(0, 0, -g))


def test_bead_on_a_rotating_hoop() -> None:
    """Goldstein, Classical Mechanics: cos θ = g/(R ω²), which needs R ω² ≥ g."""
    found = hoop().equations().equilibria()
    assert verdicts(found) == {
        "θ = 0": "depends on the parameters",
        "θ = π": "unstable",
        "θ = acos(g/(R ω²))": "stable",
        "θ = -acos(g/(R ω²))": "stable",
    }
    assert found[0].stability.reason == "stable where R ω² < g, unstable where R ω² > g"
    assert found[2].conditions == ("R ω² ≥ g",)
    # slow: only the bottom and the top are left
    slow = hoop().equations().equilibria({m: 1, R: 1, g: 10, w: 2})
    assert verdicts(slow) == {"θ = 0": "stable", "θ = π": "unstable"}


def test_textbook_systems() -> None:
    T = da.textbook
    assert verdicts(T.cart_pole().equations().equilibria()) == {
        "x any, θ = 0": "stable",
        "x any, θ = π": "unstable",
    }
    assert list(verdicts(T.double_pendulum().equations().equilibria()).values()) == [
        "stable",
        *["unstable"] * 3,
    ]
    # absolute angles from sums: q₂ = 0 or π with q₁ = ±π/2
    chain = verdicts(T.planar_chain(2).equations().equilibria())
    assert chain["q₁ = -π/2, q₂ = 0"] == "stable"
    assert len(chain) == 4
    assert list(chain.values()).count("unstable") == 3


def test_constant_push_moves_the_equilibrium() -> None:
    F = da.inputs("F")[0]
    system = da.System(
        kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x], forces=[F]
    )
    (found,) = system.equations().equilibria({F: 3 * m})
    assert da.equal(found.point[x], 3 * m / k)
    # a cart without spring never rests under a push
    assert da.textbook.cart_pole().equations().equilibria({"F": 1}) == []


def test_statics_gives_the_multipliers() -> None:
    """A particle on y = x⁴ - x²: wells at x = ±1/√2; the reaction carries the weight."""
    system = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * y,
        coordinates=[x, y],
        constraints=[y - x**4 + x**2],
    )
    found = system.equations().equilibria()
    assert [e.stability.verdict for e in found] == ["unstable", "stable", "stable"]
    assert da.equal(2 * found[1].point[x] ** 2, 1)
    assert all(da.equal(e.multipliers[0], m * g) for e in found)


def test_spring_with_a_root_and_damping() -> None:
    system = da.System(
        kinetic=m * x.dot**2 / 2,
        potential=k * (da.sqrt(x**2 + R**2) - l) ** 2 / 2,
        dissipation=c * x.dot**2 / 2,
        coordinates=[x],
    )
    middle, right, left = system.equations().equilibria()
    # the snap-through spring: beyond R = l the middle is the only one
    # every motion is damped
    assert middle.stability.reason == ("asymptotically stable where R > l, unstable where R < l")
    assert da.equal(right.point[x], da.sqrt(l**2 - R**2))
    assert da.equal(left.point[x], -da.sqrt(l**2 - R**2))
    assert right.conditions == ("R ≤ l",)
    assert right.stability.verdict == "asymptotically stable"


def test_four_bar_in_numbers() -> None:
    """At rest the potential is stationary along the one motion of the linkage."""
    eq = da.textbook.robots.four_bar().equations()
    values = {"g": 9.81, "l0": 1, "l1": 0.4, "l2": 0.9, "l3": 0.7, "m1": 1, "m2": 1, "m3": 1}
    with pytest.raises(Undecided, match="give values of g"):
        eq.equilibria()
    found = eq.equilibria(values)
    assert [e.stability.verdict for e in found].count("stable") == 2
    assert [e.stability.verdict for e in found].count("unstable") == 2
    numbers = by_symbol(eq.parameters, values)
    V, A = eq.V, eq.A
    for e in found:
        at = numbers | {q: float(v) for q, v in e.point.items()}
        slope = np.array([V.diff(q).evaluate(at) for q in eq.coordinates])
        # admissible direction from the null space of A
        direction = np.linalg.svd(A.evaluate(at))[2][-1]
        assert abs(slope @ direction) < 1e-9
        assert max(abs(a.evaluate(at)) for a in eq.system.constraints) < 1e-12
        # the reaction balances the weight: Aᵀ λ = ∂V/∂q
        lam = np.array([float(v) for v in e.multipliers])
        np.testing.assert_allclose(A.evaluate(at).T @ lam, slope, atol=1e-9)


def test_inverted_pendulum_with_a_torsion_spring_in_numbers() -> None:
    """k θ = m g l sin θ has no closed form; θ = 2.8523 for a ratio of 10 (mpmath)."""
    system = da.System(
        kinetic=m * theta.dot**2 / 2,
        potential=k * theta**2 / 2 + m * g * l * da.cos(theta),
        coordinates=[theta],
    )
    numbers = {m: 1, g: 10, l: 1, k: 1}
    found = system.equations().equilibria(numbers, ranges={theta: (-3, 3)})
    assert [e.stability.verdict for e in found] == ["stable", "unstable", "stable"]
    root = float(found[2].point[theta])
    assert math.isclose(root, 10 * math.sin(root), rel_tol=1e-12)
    assert abs(root - 2.852341894450) < 1e-10


def test_gyroscopic_force() -> None:
    """A hill that a magnetic field makes stable in the linear motion: never called unstable."""
    system = da.System(
        lagrangian=m * (x.dot**2 + y.dot**2) / 2
        + w * (x * y.dot - y * x.dot)
        + k * (x**2 + y**2) / 2,
        coordinates=[x, y],
    )
    eq = system.equations()
    # m² s⁴ + (4 ω² - 2 m k) s² + k² = 0: on the axis for ω² > m k, to its right below
    assert eq.equilibria()[0].stability.reason.startswith("unstable where m k > ω²; ")
    assert eq.equilibria({m: 1, w: 2, k: 1})[0].stability.verdict == "undecided"
    assert eq.equilibria({m: 1, w: 0.5, k: 1})[0].stability.verdict == "unstable"


def test_follower_force() -> None:
    """Circulatory forces: energy says nothing, eigenvalues do."""
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=(x**2 + y**2) / 2,
        forces=[c * y, -c * x],
        coordinates=[x, y],
    )
    eq = system.equations()
    assert eq.equilibria()[0].stability.verdict == "unstable"
    # s² = -1 ± i c has a root to the right for every c ≠ 0
    assert eq.equilibria({c: 0.01})[0].stability.verdict == "unstable"


def test_higher_order_is_not_guessed() -> None:
    for sign in (1, -1):
        system = da.System(kinetic=m * x.dot**2 / 2, potential=sign * k * x**4 / 4, coordinates=[x])
        (found,) = system.equations().equilibria()
        assert found.stability.verdict == "undecided"


def test_dry_friction_is_not_linearised() -> None:
    system = da.System(
        kinetic=m * x.dot**2 / 2,
        potential=-k * x**2 / 2,
        dissipation=c * da.abs(x.dot),
        coordinates=[x],
    )
    (found,) = system.equations().equilibria()
    assert found.stability.verdict == "undecided"
    assert "smooth" in found.stability.reason


def test_a_free_coordinate_may_be_negative() -> None:
    """V = x y² /2: at (x₀, 0) the stiffness is x₀, of either sign; all of these are no minimum."""
    system = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2, potential=x * y**2 / 2, coordinates=[x, y]
    )
    (found,) = system.equations().equilibria()
    assert found.free == (x,)
    assert found.stability.verdict in ("undecided", "depends on the parameters")


def test_pendulum_in_a_wagon_that_speeds_up() -> None:
    """It hangs along the apparent gravity: tan θ = -a/g."""
    (a,) = da.parameters("a")
    r = (a * da.time**2 / 2 + l * da.sin(theta), -l * da.cos(theta))
    system = da.System.from_particles([m], [r], coordinates=[theta], gravity=(0, -g))
    assert verdicts(system.equations().equilibria()) == {
        "θ = -atan2(a, g)": "stable",
        "θ = atan2(a, -g)": "unstable",
    }


def test_coupled_pendulums_upright_are_unstable_however_stiff_the_spring() -> None:
    """Both fall the same way, and the spring does not notice: vᵀ K v = -2 m g l for v = (1, 1)."""
    a, b = da.coordinates("a b")
    system = da.System(
        kinetic=m * l**2 * (a.dot**2 + b.dot**2) / 2,
        potential=-m * g * l * (da.cos(a) + da.cos(b)) + k * (da.sin(a) - da.sin(b)) ** 2 / 2,
        coordinates=[a, b],
    )
    found = verdicts(system.equations().equilibria())
    assert found["a = 0, b = 0"] == "stable"
    assert found["a = π, b = π"] == "unstable"
    assert len(found) == 6


def test_without_forces_everything_rests() -> None:
    (found,) = da.textbook.rolling_disc().equations().equilibria()
    assert len(found.free) == 4
    assert [float(x) for x in found.multipliers] == [0, 0]
    loop = da.System(kinetic=x.dot**2 + y.dot**2, coordinates=[x, y], constraints=[x**2 + y**2 - 1])
    with pytest.raises(Undecided, match="every configuration"):
        loop.equations().equilibria()


def test_a_turning_frame_with_gyroscopic_forces_is_stable_where_its_potential_is() -> None:
    """A spring in a turning table: stable for k > m ω²; beyond, gyroscopic forces have the word."""
    system = da.System(
        lagrangian=m * ((x.dot - w * y) ** 2 + (y.dot + w * x) ** 2) / 2 - k * (x**2 + y**2) / 2,
        coordinates=[x, y],
    )
    (found,) = system.equations().equilibria()
    assert found.stability.verdict == "depends on the parameters"
    assert found.stability.reason == (
        "stable where k > m ω², elsewhere gyroscopic forces may hold it"
    )


def test_time_is_refused() -> None:
    with pytest.raises(InvalidSystem, match="depend on time"):
        da.textbook.driven_pendulum().equations().equilibria()


def random_system(rng: np.random.Generator) -> da.System:
    """Return a system with whole M ≻ 0, D ⪰ 0, gyroscopic G and K, and a cubic term."""
    n = int(rng.integers(1, 4))
    q = da.coordinates(" ".join(f"z{i}" for i in range(n)))
    J, S, damping, G = (rng.integers(-2, 3, (n, n)) for _ in range(4))
    is_damped, is_gyroscopic, is_definite = rng.integers(0, 2, 3)
    M = J @ J.T + np.eye(n, dtype=int)
    K = S @ S.T if is_definite else S + S.T
    D = is_damped * damping @ damping.T
    coupling = is_gyroscopic * (G - G.T)

    def form(a: np.ndarray, left: list[Expr], right: list[Expr]) -> Expr:
        return total([int(a[i, j]) * left[i] * right[j] for i in range(n) for j in range(n)]) / 2

    at, rate = list(q), [x.dot for x in q]
    L = form(M, rate, rate) - form(K, at, at) + form(coupling, at, rate) + q[0] ** 3
    return da.System(lagrangian=L, dissipation=form(D, rate, rate), coordinates=q)


# a multiple eigenvalue on the axis moves by a root of the rounding errors
AXIS = 1e-4
HOLDS = {
    "asymptotically stable": lambda real: real < 0,
    "stable": lambda real: real < AXIS,
    "unstable": lambda real: real > AXIS,
    "undecided": lambda real: abs(real) < AXIS,
}


def test_no_wrong_verdict_on_random_systems(rng: np.random.Generator, scale: float) -> None:
    found = []
    for _ in range(num_cases(25, scale)):
        eq = random_system(rng).equations()
        lin = eq.linearise()
        M, D, K = (a.evaluate({}) for a in (lin.M, lin.D, lin.K))
        found_here = stability(eq, dict.fromkeys(eq.coordinates, ZERO), {}, ())
        verdict = found_here.verdict
        # a coordinate that occurs nowhere is no part of the verdict
        kept = [i for i, q in enumerate(eq.coordinates) if q not in found_here.neutral]
        inverse, chosen = np.linalg.inv(M), np.eye(len(M))[kept]
        zero = np.zeros((len(kept), len(kept)))
        state = np.block([[zero, chosen], [-inverse @ K @ chosen.T, -inverse @ D]])
        real = float(np.linalg.eigvals(state).real.max())
        assert HOLDS[verdict](real), (verdict, real, str(eq))
        found.append(verdict)
    assert len(set(found)) > 1 or scale < 1


def test_a_force_on_a_neutral_coordinate_can_hold_what_would_fall() -> None:
    """2 ẍ + θ̈ = 10 θ and ẍ + θ̈ = θ: θ̈ = -8 θ, though K of θ alone is -1."""
    T = x.dot**2 + x.dot * theta.dot + theta.dot**2 / 2
    system = da.System(
        coordinates=[x, theta], kinetic=T, potential=-(theta**2) / 2, forces=[10 * theta, 0]
    )
    (found,) = system.equations().equilibria()
    assert found.stability.verdict != "unstable"
    # pushed the other way it falls faster: θ̈ = 12 θ
    system = da.System(
        coordinates=[x, theta], kinetic=T, potential=-(theta**2) / 2, forces=[-10 * theta, 0]
    )
    (found,) = system.equations().equilibria()
    assert found.stability.verdict == "unstable"


def test_nothing_is_said_of_linear_equations_that_depend_on_time() -> None:
    """Eigenvalues and the sign of K tell of constant coefficients only."""
    force = -da.cos(da.time) * y.dot
    system = da.System(
        coordinates=[x, y],
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=k * x**2 / 2 - c * y**2 / 2,
        forces=[0, force],
    )
    (found,) = system.equations().equilibria()
    assert found.stability.verdict == "undecided"
    assert "time" in found.stability.reason


def test_a_force_without_a_definition_has_no_known_equilibria() -> None:
    """Whether ∂V/∂x vanishes anywhere depends on V: x²/2 has one, x has none."""
    V = da.function("V")
    system = da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=V(x))
    with pytest.raises(Undecided, match="V, a function without a definition"):
        system.equations().equilibria()
    defined = system.bind({V: lambda s: s**2 / 2}).equations()
    assert verdicts(defined.equilibria()) == {"x = 0": "stable"}


@pytest.mark.parametrize(
    ("potential", "where"),
    [
        (da.exp(-x), {}),
        (-da.exp(-(x**2)), {"x = 0": "stable"}),
        ((x - 1) * da.exp(x), {"x = 0": "stable"}),
    ],
)
def test_where_forces_only_fade_there_is_no_equilibrium(
    potential: Expr, where: dict[str, str]
) -> None:
    """The force is as small as one likes far away, but nowhere zero there."""
    system = da.System(coordinates=[x], kinetic=x.dot**2 / 2, potential=potential)
    found = system.equations().equilibria()
    rounded = {f"x = {round(float(e.point[x]), 9) + 0:g}": e.stability.verdict for e in found}
    assert rounded == where


def test_a_numerical_search_asks_for_all_values_that_its_verdicts_need() -> None:
    system = da.System(coordinates=[x], kinetic=m * x.dot**2 / 2, potential=da.exp(x**2))
    with pytest.raises(Undecided, match="give values of m"):
        system.equations().equilibria()
    (found,) = system.equations().equilibria({m: 2})
    assert found.stability.verdict == "stable"


NOWHERE = [
    (da.exp(da.log(x)) + 1) ** 2,  # x = -1 has no logarithm
    ((x**2 - 1) / (x - 1) - 2) ** 2,  # 0/0 at x = 1
    (da.sqrt(x - 1) ** 2 + 3) ** 2,  # x = -2 has no root
    (da.exp(da.log(x - k)) + 1) ** 2,  # x = k - 1
]


@pytest.mark.parametrize("V", NOWHERE)
@pytest.mark.parametrize("extra", [0, da.exp(x) * da.exp(-x) - 1], ids=["exact", "numerical"])
def test_no_equilibrium_where_the_potential_has_no_value(V: Expr, extra: Expr) -> None:
    system = da.System(kinetic=m * x.dot**2 / 2, potential=V + extra, coordinates=[x])
    assert (
        system.bind({key: 1 for key in (m, k) if key in system.parameters}).equations().equilibria()
        == []
    )


def test_of_the_tops_of_a_logarithm_those_with_a_value() -> None:
    V = da.log(da.sin(theta))
    found = da.System(kinetic=m * theta.dot**2 / 2, potential=V, coordinates=[theta]).equations()
    assert verdicts(found.equilibria()) == {"θ = π/2": "unstable"}
