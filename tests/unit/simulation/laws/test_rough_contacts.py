"""Friction that follows a normal force: closed forms, and the rod of Painlevé."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UnknownName
from dalembert.simulation import Contact, DryFriction, KelvinVoigt

G = 9.81
x, y, theta = da.coordinates("x y theta")


def block(slope):
    """Return a unit mass above a plane, in axes along and across it."""
    V = G * (np.sin(slope) * x + np.cos(slope) * y)
    T = (x.dot**2 + y.dot**2) / 2
    return da.compile(da.System(kinetic=T, potential=V, coordinates=[x, y]))


def rough(mu, static=None, **options):
    return [
        Contact(y, name="floor", **options),
        DryFriction(x.dot, mu, static, name="grip", normal="floor"),
    ]


@pytest.mark.parametrize(("slope", "mu"), [(0.5, 0.3), (0.5, 0.6), (1.2, 2.0)])
def test_a_block_on_a_slope_slides_or_sticks(slope, mu):
    """ẍ = -g (sin α - μ cos α) beyond the angle of friction, else rest."""
    motion = da.simulate(block(slope), [0, 0], [0, 0], 2.0, events=rough(mu))
    assert motion.ok
    expected = min(0.0, -G * (np.sin(slope) - mu * np.cos(slope))) * 2.0
    assert motion.q[-1, 0] == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert motion.lam[-1, 0] == pytest.approx(G * np.cos(slope), rel=1e-12)
    assert motion.energy_error < 1e-10


def test_a_block_slides_up_stops_and_comes_down():
    """Up with sin α + μ cos α, down with sin α - μ cos α."""
    slope, mu, v = 0.8, 0.4, 5.0
    up, down = G * (np.sin(slope) + mu * np.cos(slope)), G * (np.sin(slope) - mu * np.cos(slope))
    motion = da.simulate(block(slope), [0, 0], [v, 0], 3.0, events=rough(mu))
    top = v / up
    assert motion.events[0][0] == pytest.approx(top, rel=1e-11)
    expected = v**2 / (2 * up) - down * (3.0 - top) ** 2 / 2
    assert motion.q[-1, 0] == pytest.approx(expected, rel=1e-10)


def test_a_load_that_grows_stops_the_block():
    """N = g + 2 t at μ = 1/2: v = v₀ - (g t + t²)/2."""
    (f,) = da.inputs("f")
    T = (x.dot**2 + y.dot**2) / 2
    system = da.System(kinetic=T, potential=G * y, coordinates=[x, y], forces=[0, -f])
    motion = da.simulate(
        da.compile(system), [0, 0], [3.0, 0], 2.0, [2 * da.time], events=rough(0.5)
    )
    stop = (-G + np.sqrt(G**2 + 24)) / 2
    assert motion.events[-1][1] == "grip sticks"
    assert motion.events[-1][0] == pytest.approx(stop, rel=1e-10)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_sliding_ball_begins_to_roll(scale):
    """After 2 v/(7 μ g) with 5/7 of its speed (Routh)."""
    r, mu, v = 0.1 * scale, 0.3, 2.0 * np.sqrt(scale)
    T = (x.dot**2 + y.dot**2 + r**2 * theta.dot**2 * da.parse("2/5", [])) / 2
    system = da.System(kinetic=T, potential=G * y, coordinates=[x, y, theta])
    events = [
        Contact(y - r, name="floor"),
        DryFriction(x.dot - r * theta.dot, mu, name="skid", normal="floor"),
    ]
    t = 2 * v / (7 * mu * G)
    motion = da.simulate(da.compile(system), [0, r, 0], [v, 0, 0], 2 * t, events=events)
    assert motion.ok
    assert motion.events[-1] == (pytest.approx(t, rel=1e-9), "skid sticks")
    assert motion.qd[-1, 0] == pytest.approx(5 * v / 7, rel=1e-10)
    # no slip afterwards
    assert motion.qd[-1, 2] * r == pytest.approx(5 * v / 7, rel=1e-10)


@pytest.mark.parametrize(("slide", "mu"), [(4.0, 0.1), (1.0, 0.5)])
def test_an_oblique_impact_slips_or_grips(slide, mu):
    """A ball: Λ_t = μ Λ_n if u_t > 7/2 μ (1 + e) u_n, else the slip ends, 2/7 of u_t is lost."""
    r, e, fall = 0.1, 0.5, 2.0
    T = (x.dot**2 + y.dot**2 + r**2 * theta.dot**2 * da.parse("2/5", [])) / 2
    model = da.compile(da.System(kinetic=T, coordinates=[x, y, theta]))
    events = [
        Contact(y - r, restitution=e, name="floor"),
        DryFriction(x.dot - r * theta.dot, mu, name="skid", normal="floor"),
    ]
    motion = da.simulate(model, [0, r + 1, 0], [slide, -fall, 0], 1.0, events=events)
    assert motion.ok
    assert motion.qd[-1, 1] == pytest.approx(e * fall, rel=1e-12)
    does_slip = slide > 3.5 * mu * (1 + e) * fall
    assert does_slip == (mu < 0.2)
    lost = mu * (1 + e) * fall if does_slip else 2 * slide / 7
    assert motion.qd[-1, 0] == pytest.approx(slide - lost, rel=1e-12)
    assert motion.energy_error < 1e-12


def test_a_bead_on_a_level_hoop_slows_down_by_its_own_force():
    """v̇ = -μ v²/r: the normal force is that of the constraint."""
    T = (x.dot**2 + y.dot**2) / 2
    hoop = da.System(kinetic=T, coordinates=[x, y], constraints=[da.sqrt(x**2 + y**2) - 1])
    model = da.compile(hoop)
    (name,) = model.description.constraint_names
    along = (x * y.dot - y * x.dot) / da.sqrt(x**2 + y**2)
    motion = da.simulate(
        model, [1, 0], [0, 3.0], 2.0, events=[DryFriction(along, 0.4, normal=name)]
    )
    assert motion.ok
    assert np.hypot(*motion.qd[-1]) == pytest.approx(3 / (1 + 0.4 * 3 * 2), rel=1e-9)
    assert motion.energy_error < 1e-9


def test_friction_in_a_bearing_follows_both_of_its_forces():
    """A wheel on a pin, spun at rest of its centre: I ω̇ = -μ r m g, λ in two directions."""
    wheel = (
        da.Builder("wheel", gravity=(0, -G, 0))
        .link("wheel", mass=2, inertia=(1, 1, 0.5))
        .planar("free", "wheel")
        .loop("pin", ("wheel", (0, 0, 0)), ("world", (0, 0, 0)))
        .build()
    )
    model = da.compile(wheel)
    w = model.symbols.qd[2]
    friction = DryFriction(w, 0.01, name="bearing", normal=("loop pin x", "loop pin y"))
    motion = da.simulate(model, [0, 0, 0], [0, 0, 5.0], 4.0, events=[friction])
    assert motion.qd[-1, 2] == pytest.approx(5 - 0.01 * 2 * G / 0.5 * 4, rel=1e-10)
    stopped = da.simulate(model, [0, 0, 0], [0, 0, 1.0], 4.0, events=[friction])
    assert stopped.events[-1] == (pytest.approx(0.5 / (0.01 * 2 * G), rel=1e-10), "bearing sticks")


def rod():
    """Return a rod of mass 1 and half length 1, its lower end A = r - (cos θ, sin θ)."""
    T = (x.dot**2 + y.dot**2 + theta.dot**2 / 3) / 2
    system = da.System(kinetic=T, potential=G * y, coordinates=[x, y, theta])
    return da.compile(system)


def on_floor(mu, **options):
    return [
        Contact(y - da.sin(theta), name="floor", **options),
        DryFriction(x.dot + da.sin(theta) * theta.dot, mu, name="tip", normal="floor"),
    ]


def start(angle, slide, turn):
    """Return a state whose tip slides on the floor."""
    v = [slide - np.sin(angle) * turn, np.cos(angle) * turn, turn]
    return [0, np.sin(angle), angle], v


def test_the_rod_slides_with_the_force_of_the_textbook(rng):
    """N = (g - l θ̇² sin θ)/p, p = 1 + 3 cos θ (cos θ + σ μ sin θ), σ the way it slides."""
    for _ in range(4):
        angle, turn, mu = rng.uniform(0.3, 1.3), rng.uniform(-1, 1), rng.uniform(0, 1.2)
        way = rng.choice([-1, 1])
        motion = da.simulate(rod(), *start(angle, way * 2.0, turn), 1e-3, events=on_floor(mu))
        s, c = np.sin(angle), np.cos(angle)
        expected = (G - turn**2 * s) / (1 + 3 * c * (c + way * mu * s))
        assert motion.lam[0, 0] == pytest.approx(expected, rel=1e-10)


def test_painleves_rod_is_struck_where_it_has_no_force():
    """p < 0 for tan θ = 2, μ = 3 (above 4/3): 1 + 3/5 - 18/5 = -2: an impact without collision.

    It takes all of the slip, Λ = -W⁻¹ u, if that lies in the cone (Génot & Brogliato 1999).
    """
    angle = np.arctan(2.0)
    q, v = start(angle, -2.0, 0.0)
    motion = da.simulate(rod(), q, v, 0.1, events=on_floor(3.0))
    assert motion.ok
    assert motion.events[0][1].startswith("impact at floor")
    # W and u of the tip: rows (floor, tip) of (x, y, θ)
    s, c = np.sin(angle), np.cos(angle)
    J = np.array([[0, 1, -c], [1, 0, s]])
    inverse = np.diag([1, 1, 3.0])
    z = -np.linalg.solve(J @ inverse @ J.T, J @ v)
    assert abs(z[1]) < 3 * z[0]
    struck = motion.qd[motion.t == 0][-1]
    assert struck == pytest.approx(v + inverse @ J.T @ z, abs=1e-7)


def test_painleves_rod_goes_on_where_it_has_a_force():
    angle = np.arctan(2.0)
    # turning fast enough it leaves the floor: of two motions the one without an impact
    leaves = da.simulate(rod(), *start(angle, -2.0, 5.0), 0.01, events=on_floor(3.0))
    assert leaves.ok
    assert leaves.q[-1, 1] - np.sin(leaves.q[-1, 2]) > 0
    # the other way friction helps it over the floor
    assert da.simulate(rod(), *start(angle, 2.0, 0.0), 0.01, events=on_floor(3.0)).ok
    # a floor that gives way has a motion
    soft = on_floor(3.0, compliance=KelvinVoigt(1e6, 1e3))
    assert da.simulate(rod(), *start(angle, -2.0, 0.0), 0.01, events=soft).ok


@pytest.mark.parametrize("turn", [-0.5, -3.0, -3.12])
def test_a_rod_does_not_slide_into_the_paradox(turn):
    """From p > 0 the force turns it away from p = 0, or it leaves the floor (Génot & Brogliato)."""
    motion = da.simulate(rod(), *start(1.47, -40.0, turn), 0.05, events=on_floor(3.0))
    assert motion.ok
    c, s = np.cos(motion.q[:, 2]), np.sin(motion.q[:, 2])
    assert (1 + 3 * c * (c - 3 * s)).min() > 0.01
    assert (motion.lam[:, 0] >= -1e-9).all()
    assert motion.energy_error < 1e-8 * motion.energy.total[0]
    assert bool(motion.events) == (turn == -3.12)


def test_normals_that_are_none_are_refused():
    events = [Contact(y, name="floor"), DryFriction(x.dot, 0.3, normal="flor")]
    with pytest.raises(UnknownName, match="did you mean floor"):
        da.simulate(block(0.1), [0, 0], [0, 0], 1.0, events=events)
