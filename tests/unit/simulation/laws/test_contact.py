"""Contacts: impacts and rests with closed forms, momentum, energy, several contacts at once."""

import itertools

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import (
    RK4,
    Contact,
    Crossing,
    Heun,
    JointStops,
    Radau,
    SemiImplicitEuler,
    Taylor,
    simulate,
)
from dalembert.simulation.contact.rows import STICK, Elements, Mode, Problem
from dalembert.simulation.contact.solver import solve
from dalembert.simulation.methods.explicit import ExplicitMethod, Motion, S
from tests.cases import num_cases

TIME = 1e-12
ACCOUNT = 1e-12
GRAVITY = 9.81


@pytest.fixture(scope="module")
def ball():
    (x,) = da.coordinates("x")
    return da.compile(da.System(kinetic=x.dot**2 / 2, potential=GRAVITY * x, coordinates=[x]))


@pytest.fixture(scope="module")
def pendulum():
    """A point mass on a rod of length one, from the horizontal; a stop where it hangs down."""
    arm = (
        da.Builder("pendulum", gravity=(0, -GRAVITY, 0))
        .link("rod", mass=1, com=(1, 0, 0), inertia=(0, 0, 0))
        .revolute("hinge", "rod", axis=(0, 0, 1), limits=(-np.pi / 2, 3))
        .build()
    )
    return da.compile(arm)


@pytest.fixture(scope="module")
def double_pendulum():
    rod = (0.002, 0.09, 0.09)
    arm = da.Builder("double", gravity=(0, -GRAVITY, 0))
    arm = arm.link("upper", mass=1, com=(0.5, 0, 0), inertia=rod).revolute(
        "shoulder", "upper", axis=(0, 0, 1)
    )
    arm = arm.link("lower", mass=0.7, com=(0.4, 0, 0), inertia=rod).revolute(
        "elbow", "lower", axis=(0, 0, 1), origin=(1, 0, 0), limits=(-0.5, 0.8)
    )
    return da.compile(arm.build())


def impacts(motion, what="impact"):
    return np.array([t for t, name in motion.events if name.startswith(what)])


# ---- a ball on a floor


@pytest.mark.parametrize("e", [0.5, 0.8])
def test_bouncing_ball_comes_to_rest(ball, e):
    x = ball.symbols.q[0]
    motion = simulate(ball, [1.0], [0.0], 6.0, events=[Contact(x, restitution=e, name="floor")])
    fall = np.sqrt(2 / GRAVITY)
    # t₀ = fall, then bounces of 2 fall eᵏ
    found = impacts(motion)
    k = np.arange(found.size)
    expected = fall * (1 + 2 * e * (1 - e**k) / (1 - e))
    assert np.abs(found - expected).max() < TIME
    # the rest of the infinite sum is left out below 1e-6 of the first impact's speed
    slowest = 1e-6 * GRAVITY * fall
    zeno = fall * (1 + e) / (1 - e)
    rest = [t for t, name in motion.events if name.endswith("floor rests")]
    assert len(rest) == 1
    assert 0 < zeno - rest[0] < 2 * slowest / GRAVITY / (1 - e) / e
    assert motion.q[-1, 0] == 0
    assert motion.qd[-1, 0] == 0
    assert motion.qdd[-1, 0] == 0
    assert motion.lam[-1, 0] == pytest.approx(GRAVITY, rel=1e-14)
    assert motion.energy.dissipated[-1] == pytest.approx(GRAVITY, rel=1e-12)
    assert motion.energy_error < ACCOUNT
    assert motion.q.min() > -1e-14


def test_heights_of_bounces(ball):
    x, e = ball.symbols.q[0], 0.9
    events = [Contact(x, restitution=e), Crossing(ball.symbols.qd[0], direction=-1, name="top")]
    motion = simulate(ball, [1.0], [0.0], 5.0, events=events)
    tops = [motion.q[motion.t == t][0, 0] for t, name in motion.events if name == "top"]
    assert len(tops) > 5
    assert tops == pytest.approx(e ** (2 * np.arange(1, len(tops) + 1)), abs=1e-13)


def test_elastic_ball_keeps_its_energy(ball):
    motion = simulate(ball, [1.0], [0.0], 10.0, events=[Contact(ball.symbols.q[0], restitution=1)])
    assert abs(motion.energy.total - GRAVITY).max() < 1e-12
    assert impacts(motion).size == 11


class Ralston(ExplicitMethod):
    """A method from outside: nothing but what it says of itself lets contacts in."""

    def advance(
        self, motion: Motion[S], t: S, x: np.ndarray, h: S
    ) -> tuple[np.ndarray, np.ndarray]:
        k1 = motion.rate(t, x)
        k2 = motion.rate(t + 2 * h / 3, x + 2 * h / 3 * k1)
        return x + h / 4 * (k1 + 3 * k2), k1


@pytest.mark.parametrize(
    "method", [Radau(), RK4(0.01), Heun(0.01), Ralston(0.01), SemiImplicitEuler(1e-3)]
)
def test_other_methods(ball, method):
    motion = simulate(
        ball, [1.0], [0.0], 2.0, method=method, events=[Contact(ball.symbols.q[0], restitution=0.5)]
    )
    # exact for methods of order two and more; of order one: h per bounce
    tolerance = 5e-3 if isinstance(method, SemiImplicitEuler) else 1e-8
    assert abs(impacts(motion)[:3] - np.sqrt(2 / GRAVITY) * np.array([1, 2, 2.5])).max() < tolerance
    assert motion.q[-1, 0] == 0
    assert motion.qd[-1, 0] == 0


def test_start_in_an_impact(ball):
    motion = simulate(
        ball, [0.0], [-2.0], 0.1, events=[Contact(ball.symbols.q[0], restitution=0.5)]
    )
    assert motion.events[0][0] == 0
    assert motion.qd[-1, 0] == pytest.approx(1 - GRAVITY * 0.1, abs=1e-14)


def test_a_table_that_moves_throws_the_ball(ball):
    # it leaves where the table falls faster: a ω² sin ωt = g
    a, w = 0.02, 30.0
    table = Contact(ball.symbols.q[0] - a * da.sin(w * da.time), restitution=0.3, name="table")
    motion = simulate(ball, [0.0], [a * w], 1.0, events=[table])
    assert motion.events[0][1] == "table opens"
    assert abs(motion.events[0][0] - np.arcsin(GRAVITY / (a * w**2)) / w) < TIME
    before = motion.t < motion.events[0][0]
    force = GRAVITY - a * w**2 * np.sin(w * motion.t[before])
    assert motion.lam[before, 0] == pytest.approx(force, abs=1e-11)
    # work of the table, by forces and by impulses
    assert motion.ok
    assert motion.energy_error < ACCOUNT
    assert motion.energy.work[-1] > 0
    assert (np.diff(motion.energy.dissipated) > -ACCOUNT).all()
    gap = motion.q[:, 0] - a * np.sin(w * motion.t)
    assert gap.min() > -1e-13


def test_ball_comes_to_rest_in_a_groove():
    x, y = da.coordinates("x y")
    energy = (x.dot**2 + y.dot**2) / 2
    model = da.compile(da.System(kinetic=energy, potential=GRAVITY * y, coordinates=[x, y]))
    walls = [
        Contact(y - x, restitution=0.5, name="right"),
        Contact(y + x / 2, restitution=0.7, name="left"),
    ]
    motion = simulate(model, [0.1, 1.0], [0.3, 0.0], 4.0, events=walls)
    assert motion.ok
    assert not motion.warnings
    assert np.abs([motion.q[-1], motion.qd[-1]]).max() < 1e-15
    # -f₁ + f₂/2 = 0 and f₁ + f₂ = g
    assert motion.lam[-1] == pytest.approx([GRAVITY / 3, 2 * GRAVITY / 3], rel=1e-12)
    assert motion.energy.dissipated[-1] == pytest.approx(GRAVITY + 0.045, rel=1e-12)
    assert motion.energy_error < ACCOUNT


@pytest.mark.parametrize("excess", [-1e-9, 0.0, 1e-9])
def test_grazing_a_ceiling_neither_loops_nor_holds(ball, excess):
    start = np.sqrt(2 * GRAVITY) + excess
    events = [Contact(1 - ball.symbols.q[0], restitution=0.5, name="ceiling")]
    motion = simulate(ball, [0.0], [start], 0.9, events=events)
    assert motion.ok
    assert len(motion.events) <= 2
    # an impact at 1e-4 m/s at most
    assert motion.q[-1, 0] == pytest.approx(start * 0.9 - GRAVITY * 0.405, abs=1e-4)
    assert motion.energy_error < ACCOUNT


# ---- joint limits


def test_pendulum_against_a_stop(pendulum):
    e = 0.6
    events = [JointStops(e), Crossing(pendulum.symbols.qd[0], direction=-1, name="top")]
    motion = simulate(pendulum, [0.0], [0.0], 6.0, events=events)
    tops = [motion.q[motion.t == t][0, 0] for t, name in motion.events if name == "top"]
    # heights above the stop fall by e²
    heights = 1 + np.sin(tops)
    assert len(tops) >= 4
    assert heights == pytest.approx(e ** (2 * np.arange(1, len(tops) + 1)), rel=1e-11)
    assert motion.q.min() >= -np.pi / 2 - 1e-14
    assert motion.energy_error < ACCOUNT


def test_pendulum_rests_at_its_stop(pendulum):
    # driven against the stop until t = 1.5, then away from it
    motion = simulate(
        pendulum, [-1.2], [0.0], 3.0, forces=[4 * (da.time - 1.5)], events=[JointStops()]
    )
    assert [name for _, name in motion.events] == [
        "impact at lower limit of hinge, lower limit of hinge rests",
        "lower limit of hinge opens",
    ]
    # at the stop the weight has no arm: it opens where the torque vanishes
    assert abs(motion.events[1][0] - 1.5) < TIME
    resting = (motion.t > motion.events[0][0]) & (motion.t < 1.5)
    assert abs(motion.q[resting, 0] + np.pi / 2).max() < 1e-15
    assert motion.lam[resting, 0] == pytest.approx(-4 * (motion.t[resting] - 1.5), abs=1e-13)
    assert motion.qd[-1, 0] > 0
    assert motion.energy_error < ACCOUNT


def test_double_pendulum_against_its_elbow(double_pendulum):
    model, e = double_pendulum, 0.4
    motion = simulate(model, [0.3, 0.0], [0.0, 0.0], 3.0, events=[JointStops(e)])
    assert impacts(motion).size >= 3
    total = 0.0
    for t in impacts(motion):
        before, after = np.flatnonzero(motion.t == t)
        M = model.mass_matrix(motion.q[before])
        change = motion.qd[after] - motion.qd[before]
        # the impulse acts at the elbow alone, and turns its velocity by -e
        impulse = M @ change
        assert abs(impulse[0]) < 1e-13 * abs(impulse[1])
        if motion.qd[after, 1] != 0:
            assert motion.qd[after, 1] == pytest.approx(-e * motion.qd[before, 1], rel=1e-12)
        # lost: ½ (1 - e²) u² / (A M⁻¹ Aᵀ)
        loss = (motion.qd[before, 1] ** 2 - motion.qd[after, 1] ** 2) / 2 / np.linalg.inv(M)[1, 1]
        total += loss
        booked = motion.energy.dissipated[after] - motion.energy.dissipated[before]
        assert booked == pytest.approx(loss, rel=1e-9, abs=1e-14)
    assert motion.energy.dissipated[-1] == pytest.approx(total, rel=1e-10)
    assert motion.energy_error < ACCOUNT


# ---- several bodies and contacts


def test_two_masses_keep_their_momentum():
    x, y = da.coordinates("x y")
    energy = x.dot**2 + 3 * y.dot**2 / 2
    model = da.compile(da.System(kinetic=energy, potential=0 * x, coordinates=[x, y]))
    e = 0.8
    motion = simulate(model, [0, 1], [1, -0.5], 2.0, events=[Contact(y - x, restitution=e)])
    assert abs(motion.events[0][0] - 2 / 3) < TIME
    v = motion.qd[-1]
    assert 2 * v[0] + 3 * v[1] == pytest.approx(0.5, abs=1e-14)
    assert v[1] - v[0] == pytest.approx(1.5 * e, abs=1e-14)
    # reduced mass 6/5
    assert motion.energy.dissipated[-1] == pytest.approx((1 - e**2) * 0.6 * 1.5**2, abs=1e-13)


def test_equal_masses_exchange_their_velocities():
    xs = da.coordinates("x y z")
    energy = sum((x.dot**2 for x in xs), 0 * xs[0]) / 2
    model = da.compile(da.System(kinetic=energy, potential=0 * xs[0], coordinates=xs))
    gaps = [Contact(b - a, restitution=1, name=str(b)) for a, b in itertools.pairwise(xs)]
    motion = simulate(model, [0, 1, 2.5], [1, 0, 0], 4.0, events=gaps)
    assert motion.qd[-1] == pytest.approx([0, 0, 1], abs=1e-14)
    assert impacts(motion) == pytest.approx([1, 2.5], abs=TIME)


def test_box_lands_on_four_corners():
    corners = [(x, y, -0.1) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    box = (
        da.Builder("box", gravity=(0, 0, -GRAVITY))
        .link("box", mass=2, inertia=(0.03, 0.05, 0.07))
        .floating("free", "box")
    )
    for k, corner in enumerate(corners):
        box = box.frame(f"corner{k}", "box", origin=corner)
    model = da.compile(box.build())
    floor = [
        Contact(
            model.expressions("forward_kinematics", model.symbols.q, frame=f"corner{k}")[2][3],
            name=str(k),
        )
        for k in range(4)
    ]
    q = np.array([0, 0, 0.6, 1, 0, 0, 0.0])
    motion = simulate(model, q, [0.3, 0, 0, 0, 0, 0], 1.0, events=floor)
    assert abs(motion.events[0][0] - np.sqrt(1 / GRAVITY)) < TIME
    # it slides on: the floor has no friction
    assert motion.q[-1] == pytest.approx([0.3, 0, 0.1, 1, 0, 0, 0], abs=1e-12)
    assert motion.lam[-1].sum() == pytest.approx(2 * GRAVITY, abs=1e-11)
    assert motion.lam[-1].min() >= 0
    assert motion.energy_error < 1e-11


def test_impulses_respect_the_constraints_of_a_model():
    # a pendulum as a particle on a circle, against a wall: as the pendulum of one angle
    x, y = da.coordinates("x y")
    energy = (x.dot**2 + y.dot**2) / 2
    particle = da.System(
        kinetic=energy, potential=GRAVITY * y, coordinates=[x, y], constraints=[x**2 + y**2 - 1]
    )
    model = da.compile(particle)
    wall = Contact(x - 0.25, restitution=0.5, name="wall")
    motion = simulate(model, [1.0, 0.0], [0.0, 0.0], 4.0, events=[wall])
    (a,) = da.coordinates("a")
    angle = da.System(kinetic=a.dot**2 / 2, potential=-GRAVITY * da.cos(a), coordinates=[a])
    reference = simulate(
        da.compile(angle),
        [np.pi / 2],
        [0.0],
        4.0,
        events=[Contact(da.sin(a) - 0.25, restitution=0.5, name="wall")],
    )
    assert impacts(motion).size == impacts(reference).size > 5
    assert np.abs(impacts(motion) - impacts(reference)).max() < 1e-10
    # at rest: weight, rod and wall are in balance
    s, c = 0.25, np.sqrt(1 - 0.25**2)
    assert motion.q[-1] == pytest.approx([s, -c], abs=1e-12)
    assert motion.lam[-1, 1] == pytest.approx(GRAVITY * s / c, rel=1e-10)
    # 2 λ (x, y) + (force, 0) = (0, g)
    assert motion.lam[-1, 0] == pytest.approx(-GRAVITY / (2 * c), rel=1e-10)
    assert motion.energy_error < 1e-11


# ---- the complementarity problem


def by_enumeration(W, b, lower, upper):
    """Return z of the first choice of active bounds that fits."""
    n = len(b)
    for choice in itertools.product("flu", repeat=n):
        z = np.array(
            [
                {"f": 0.0, "l": lo, "u": up}[c]
                for c, lo, up in zip(choice, lower, upper, strict=True)
            ]
        )
        free = np.array([c == "f" for c in choice])
        if not np.isfinite(z).all():
            continue
        if free.any():
            rest = b[free] + W[np.ix_(free, ~free)] @ z[~free]
            z[free] = np.linalg.solve(W[np.ix_(free, free)], -rest)
        w = W @ z + b
        if (
            (z >= lower - 1e-12).all()
            and (z <= upper + 1e-12).all()
            and all(w[i] >= -1e-12 for i in range(n) if choice[i] == "l")
            and all(w[i] <= 1e-12 for i in range(n) if choice[i] == "u")
        ):
            return z
    raise AssertionError("no choice fits")


def bounded_forces(W, b, lower, upper):
    """Return what the solver finds for contacts, and frictions with bounds of their own."""
    n, none = len(b), np.full(len(b), -1)
    elements = Elements(np.arange(n), np.ones(n, int), lower == 0, none)
    mu, sizes = np.where(lower == 0, 0, upper), np.diag(W).copy()
    of_rows = np.abs(b), sizes, 1e-5 * sizes
    p = Problem(elements, W, b, *of_rows, mu, mu, np.ones(n), np.zeros((n, n)))
    found = solve(p, Mode.of(np.full(n, STICK)))
    assert found.is_solved
    return found.z


def test_bounded_forces_against_enumeration(rng, scale):
    for _ in range(num_cases(100, scale)):
        n = int(rng.integers(1, 6))
        B = rng.normal(size=(n + 1, n))
        W, b = B.T @ B, rng.normal(size=n)
        is_contact = rng.random(n) < 0.5
        bound = rng.random(n)
        lower, upper = np.where(is_contact, 0, -bound), np.where(is_contact, np.inf, bound)
        z = bounded_forces(W, b, lower, upper)
        assert z == pytest.approx(by_enumeration(W, b, lower, upper), abs=1e-8)


def test_bounded_forces_of_dependent_rows(rng, scale):
    # the same rates for every choice: w is unique where z is not
    for _ in range(num_cases(50, scale)):
        B = rng.normal(size=(2, 5))
        b = B.T @ rng.normal(size=2)
        W = B.T @ B
        z = bounded_forces(W, b, np.zeros(5), np.full(5, np.inf))
        w = B.T @ B @ z + b
        size = abs(b).max()
        assert z.min() >= 0
        assert w.min() > -1e-10 * size
        assert abs(z @ w) < 1e-9 * size * (1 + z.max())


# ---- with other events


def test_a_change_of_state_frees_a_contact_that_rests(ball):
    kick = Crossing(da.time - 0.5, change=lambda t, q, qd: (q, qd + 2.0), name="kick")
    events = [Contact(ball.symbols.q[0], restitution=0.5, name="floor"), kick]
    motion = simulate(ball, [0.0], [0.0], 0.6, events=events)
    assert motion.q[-1, 0] == pytest.approx(2 * 0.1 - GRAVITY * 0.005, abs=1e-14)
    assert motion.energy_error < ACCOUNT
    # and a kick into the floor is an impact
    kick = Crossing(da.time - 0.5, change=lambda t, q, qd: (q, qd - 2.0), name="kick")
    motion = simulate(ball, [0.0], [0.0], 0.6, events=[events[0], kick])
    assert [name for _, name in motion.events] == ["kick", "impact at floor"]
    assert motion.q[-1, 0] == pytest.approx(0.1 - GRAVITY * 0.005, abs=1e-14)


# ---- what is refused


def test_bad_contacts_are_refused(ball, pendulum):
    x = ball.symbols.q[0]
    with pytest.raises(da.EvaluationError, match="restitution from 0 to 1"):
        Contact(x, restitution=1.5)
    with pytest.raises(da.EvaluationError, match="positive resting_speed"):
        Contact(x, resting_speed=0)
    with pytest.raises(da.EvaluationError, match="without penetration"):
        simulate(ball, [-1.0], [0.0], 1.0, events=[Contact(x)])
    with pytest.raises(da.EvaluationError, match=r"expression of model\.symbols\.q"):
        simulate(ball, [1.0], [0.0], 1.0, events=[Contact(1.0)])  # type: ignore[arg-type]
    with pytest.raises(da.EvaluationError, match="joints with limits"):
        simulate(ball, [1.0], [0.0], 1.0, events=[JointStops()])
    with pytest.raises(da.UnknownName, match="hinge"):
        simulate(pendulum, [0.0], [0.0], 1.0, events=[JointStops(joints=["hinges"])])
    with pytest.raises(da.EvaluationError, match="take DOP853"):
        simulate(ball, [1.0], [0.0], 1.0, method=Taylor(), events=[Contact(x)])
    with pytest.raises(da.EvaluationError, match="no way back"):
        simulate(ball, [1.0], [0.0], -1.0, events=[Contact(x)])


def test_a_particle_hits_a_bump_that_is_short_beside_its_step() -> None:
    """Half a metre wide, a tenth high, passed in 5 ms of a flight of ten seconds."""
    x, y = da.coordinates("x y")
    model = da.compile(
        da.System(kinetic=(x.dot**2 + y.dot**2) / 2, potential=0 * x, coordinates=[x, y])
    )
    bump = Contact(y - da.exp(-16 * (x - 500) ** 2) / 10, restitution=1, name="bump")
    motion = simulate(model, [0.0, 0.05], [100.0, 0.0], 10.0, events=[bump])
    # exp(-16 d²) = 1/2
    hit = 5 - np.sqrt(np.log(2) / 16) / 100
    assert motion.events[0][0] == pytest.approx(hit, abs=1e-12)
    assert motion.qd[-1, 1] > 1
    assert motion.energy_error < 1e-9
