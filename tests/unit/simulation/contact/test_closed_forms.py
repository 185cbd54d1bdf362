"""Motions with contacts and friction that are known by hand: events to rounding, at any units."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

import dalembert as da
from dalembert.simulation import Contact, DryFriction, simulate

G = 9.81

TIME, STATE = 1e-10, 1e-10
"""Errors of events and ends, beside the duration and the distance."""


class Units(NamedTuple):
    """Metres, kilograms and seconds in a unit of length, mass and time."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def gravity(self) -> float:
        return G * self.time**2 / self.length

    @property
    def force(self) -> float:
        return self.mass * self.length / self.time**2


UNITS = [
    Units(),
    *(Units(length=x) for x in (1e-9, 1e9)),
    *(Units(mass=x) for x in (1e-9, 1e9)),
    *(Units(time=x) for x in (1e-9, 1e9)),
]
SI = UNITS[:1]


def pushed_tower(masses, mu, slope, level, duration, unit=UNITS[0]):
    """Simulate blocks on each other, the first on the floor; a force grows at one of them."""
    n = len(masses)
    names = [f"{c}{i}" for c in "xy" for i in range(n)]
    coordinates = da.coordinates(" ".join(names))
    x, y = coordinates[:n], coordinates[n:]
    (f,) = da.inputs("f")
    M = [m / unit.mass for m in masses]
    system = da.System(
        kinetic=sum(m * (a.dot**2 + b.dot**2) / 2 for m, a, b in zip(M, x, y, strict=True)),
        potential=sum(m * unit.gravity * b for m, b in zip(M, y, strict=True)),
        coordinates=coordinates,
        forces=[f if i == level else 0 for i in range(2 * n)],
    )
    model = da.compile(system)
    q, v = model.symbols.q, model.symbols.qd
    events = []
    for k in range(n):
        gap, rub = (q[n + k] - q[n + k - 1], v[k] - v[k - 1]) if k else (q[n], v[0])
        events.append(Contact(gap, name=f"deck {k}"))
        events.append(DryFriction(rub, mu[k], name=f"rub {k}", normal=f"deck {k}"))
    force = [slope * unit.time / unit.force * da.time]
    t = duration / unit.time
    return simulate(model, np.zeros(2 * n), None, t, forces=force, events=events)


def tower_by_hand(masses, mu, slope, level, duration):
    """Return events and places of the blocks: whole groups of blocks move as one.

    A joint yields where the force that would hold it reaches μ N. Until then both blocks move
    together; from then on it slides with μ N. All forces are linear in time.
    """
    n, m = len(masses), np.array(masses, float)
    N = G * np.cumsum(m[::-1])[::-1]
    slides: dict[int, float] = {}
    times, x, v, t = [], np.zeros(n), np.zeros(n), 0.0
    while True:
        # groups of blocks between joints that slide; each has a = a0 + a1 t
        a0, a1 = np.zeros(n), np.zeros(n)
        borders = sorted({0, n} | {k for k in slides if k})
        for low, high in pairwise(borders):
            is_held = low == 0 and 0 not in slides
            if is_held:
                continue
            total = m[low:high].sum()
            push0 = slides.get(low, 0.0) - (slides.get(high, 0.0) if high < n else 0.0)
            a0[low:high], a1[low:high] = push0 / total, slope * (low <= level < high) / total
        # the force on block k from below: what those above need
        limits = []
        for k in range(n):
            if k in slides:
                continue
            F0, F1 = (m[k:] * a0[k:]).sum(), (m[k:] * a1[k:]).sum() - slope * (level >= k)
            for side in (1, -1):
                if F1 * side > 0:
                    limits.append(
                        ((mu[k] * N[k] - side * F0) / (side * F1), k, side * mu[k] * N[k])
                    )
        when, k, force = min(limits, default=(duration, -1, 0.0))
        end = min(max(when, t), duration)
        h = end - t
        x = x + v * h + a0 * h**2 / 2 + a1 * (t * h**2 / 2 + h**3 / 6)
        v, t = v + a0 * h + a1 * (t * h + h**2 / 2), end
        if end == duration:
            return times, x
        slides[k] = force
        times.append((end, f"rub {k} slides"))


@pytest.mark.parametrize("unit", UNITS)
def test_a_tower_of_three_pulled_at_the_bottom(unit):
    """The floor yields at 0.1 g = 0.981 s, the first deck at 0.15 g, nothing opens."""
    motion = pushed_tower([1, 1, 1], [0.2, 0.1, 0.4], 6.0, 0, 2.0, unit)
    assert motion.ok, motion.status
    t1, t2 = 0.1 * G, 0.15 * G
    assert [name for _, name in motion.events] == ["rub 0 slides", "rub 1 slides"]
    times = unit.time * np.array([t for t, _ in motion.events])
    assert times == pytest.approx([t1, t2], rel=TIME)
    d, x, v, a = 2 - t2, (t2 - t1) ** 3 / 3, (t2 - t1) ** 2, 6 * t2 - 0.8 * G
    lower, upper = x + v * d + a * d**2 / 2 + d**3, x + v * d + 0.05 * G * d**2
    assert unit.length * motion.q[-1, :3] == pytest.approx([lower, upper, upper], rel=STATE)
    assert np.abs(unit.length * motion.q[:, 3:]).max() < 1e-12


@pytest.mark.parametrize("ratio", [1.0, 100.0, 0.01])
@pytest.mark.parametrize("n", [2, 5, 10])
def test_towers_pulled_at_any_level(rng, n, ratio):
    """Masses in a row from 1 to the ratio."""
    masses = np.geomspace(1.0, ratio, n)
    mu = rng.uniform(0.1, 0.9, n)
    level = int(rng.integers(n))
    slope = 1.5 * G * masses[level:].sum()
    expected, x = tower_by_hand(masses, mu, slope, level, 1.0)
    motion = pushed_tower(masses, mu, slope, level, 1.0)
    assert motion.ok, motion.status
    assert expected
    assert [name for _, name in motion.events] == [name for _, name in expected]
    times = [t for t, _ in motion.events]
    assert times == pytest.approx([t for t, _ in expected], abs=1e-9)
    assert motion.q[-1, :n] == pytest.approx(x, abs=1e-8 * (1 + np.abs(x).max()))
    assert np.abs(motion.q[:, n:]).max() < 1e-10


def block(feet, mu, unit=UNITS[0], e=0.0, force=0, height=0.15, inertia: float | Fraction = 0.02):
    """Return model and laws of a body (x, y, angle) of 1 kg on feet."""
    x, y, a = da.coordinates("x y a")
    M, L = 1 / unit.mass, unit.length
    system = da.System(
        kinetic=M * (x.dot**2 + y.dot**2 + a.dot**2 * inertia / L**2) / 2,
        potential=M * unit.gravity * y,
        coordinates=[x, y, a],
        forces=[force, 0, 0],
    )
    model = da.compile(system)
    v, h, events = model.symbols.qd, height / L, []
    for k, foot in enumerate(feet):
        p = foot / L
        gap = y + p * da.sin(a) - h * da.cos(a)
        slip = v[0] - (p * da.sin(a) - h * da.cos(a)) * v[2]
        events.append(Contact(gap, restitution=e, name=f"foot {k}"))
        events.append(DryFriction(slip, mu, name=f"grip {k}", normal=f"foot {k}"))
    return model, events


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("n", [2, 3, 4, 6, 12])
def test_a_block_on_feet_is_pushed_through_break_away(n, unit):
    """Foot by foot yields, its load moves on to the others; only with the last one it moves.

    Springs R = ε W of every row: N = -J η / W with Σ N = m g and Σ p N = F h, and T of all that
    hold the same, as they have one W. Foot k yields where (F - μ Σ N of those before) / (n - k)
    is μ N, the weakest first.
    """
    if n != 2 and unit not in SI:
        pytest.skip("units are tried with two feet")
    p, h, mu, slope = np.linspace(-0.2, 0.2, n), 0.15, 0.3, 4.0
    model, events = block(p, mu, unit, force=slope * unit.time / unit.force * da.time)
    motion = simulate(model, [0, h / unit.length, 0], None, 2 / unit.time, events=events)
    assert motion.ok, motion.status
    # N = (c + d p)/W: constant and by F
    W = 1 + p**2 / 0.02
    K = np.array([[(1 / W).sum(), (p / W).sum()], [(p / W).sum(), (p**2 / W).sum()]])
    at_rest, by_force = (np.linalg.solve(K, b) @ np.array([1 / W, p / W]) for b in ([G, 0], [0, h]))
    expected, yielded = [], []
    while len(yielded) < n:
        # F - μ Σ (N₀ + F N₁) = (n - k) μ (N₀ + F N₁) of the next
        left = n - len(yielded)
        rest, part = (mu * (f[yielded].sum() + left * f) for f in (at_rest, by_force))
        force = rest / (1 - part)
        force[yielded] = np.inf
        expected.append(force.min() / slope)
        yielded.append(int(force.argmin()))
    times = unit.time * np.array([t for t, _ in motion.events])
    assert times == pytest.approx(expected, rel=1e-9)
    moved = slope / 6 * (2 - mu * G / slope) ** 3
    assert unit.length * motion.q[-1, 0] == pytest.approx(moved, rel=STATE)
    assert unit.length * motion.q[-1, 1] == pytest.approx(h, rel=1e-12)


def test_a_block_on_feet_stops_where_it_should():
    """Thrown along the floor: v²/(2 μ g), all feet at once."""
    model, events = block(np.linspace(-0.2, 0.2, 4), 0.3)
    motion = simulate(model, [0, 0.15, 0], [2.0, 0, 0], 2.0, events=events)
    assert motion.ok, motion.status
    assert motion.events[-1][0] == pytest.approx(2 / (0.3 * G), rel=TIME)
    assert motion.q[-1, 0] == pytest.approx(4 / (2 * 0.3 * G), rel=STATE)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_four_feet_dropped_flat(e):
    """Each impact takes μ (1 + e) u of the velocity along the floor."""
    fall, v, mu = 0.3, 3.0, 0.2
    model, events = block(np.linspace(-0.2, 0.2, 4), mu, e=e)
    motion = simulate(model, [0, 0.15 + fall, 0], [v, 0, 0], 2.0, events=events)
    assert motion.ok, motion.status
    t, u = np.sqrt(2 * fall / G), np.sqrt(2 * G * fall)
    x, bounces = v * t, [t]
    while u > 1e-12:
        v, u = v - mu * (1 + e) * u, e * u
        x, bounces = x + v * 2 * u / G, [*bounces, bounces[-1] + 2 * u / G]
    impacts = [t for t, name in motion.events if name.startswith("impact")]
    assert impacts == pytest.approx(bounces[: len(impacts)], rel=1e-9)
    assert len(impacts) == (1 if e == 0 else 20)
    assert motion.q[-1, 0] == pytest.approx(x + v**2 / (2 * mu * G), rel=1e-8)
    assert np.abs(motion.q[-1, 1:] - [0.15, 0]).max() < 1e-12


@pytest.mark.parametrize("n", [9, 30])
def test_many_balls_roll_far_from_each_other(n):
    """They share no load: each slides until 2 v/(7 μ g) after its landing, then rolls."""
    r, end = 0.1, 1.5
    mu = np.where(np.arange(n) % 2, 0.1, 0.3)
    fall = 0.2 + 0.45 / n * np.arange(n)
    names = " ".join(f"{c}{i}" for i in range(n) for c in "xya")
    q = da.coordinates(names)
    x, y, a = q[::3], q[1::3], q[2::3]
    model = da.compile(
        da.System(
            kinetic=sum(
                (b.dot**2 + c.dot**2 + d.dot**2 * r * r * da.parse("2/5", [])) / 2
                for b, c, d in zip(x, y, a, strict=True)
            ),
            potential=G * sum(y),
            coordinates=q,
        )
    )
    v, events = model.symbols.qd, []
    for k in range(n):
        events.append(Contact(y[k] - r, name=f"floor {k}"))
        slip = v[3 * k] + r * v[3 * k + 2]
        events.append(DryFriction(slip, mu[k], name=f"skid {k}", normal=f"floor {k}"))
    start = np.ravel(np.c_[np.arange(n), r + fall, 0 * fall])
    motion = simulate(model, start, np.tile([2.0, 0, 0], n), end, events=events)
    assert motion.ok, motion.status
    hits, u = np.sqrt(2 * fall / G), np.sqrt(2 * G * fall)
    # an impulse μ u takes speed, and the slip falls at 7/2 μ g
    slip, after = np.maximum(2 - 3.5 * mu * u, 0), 2 - np.minimum(mu * u, 2 / 3.5)
    s = slip / (3.5 * mu * G)
    expected = np.arange(n) + 2 * hits + after * s - mu * G * s**2 / 2 + 10 / 7 * (end - hits - s)
    assert motion.q[-1, ::3] == pytest.approx(expected, abs=1e-9)
    assert motion.qd[-1, ::3] == pytest.approx(10 / 7, abs=1e-10)


def test_housners_block_rocks():
    """r = 1 - 3/2 sin²α at each impact (Housner 1963); times of a motion with one freedom."""
    alpha = 0.25
    model, events = block(
        [-np.sin(alpha), np.sin(alpha)], 5.0, height=float(np.cos(alpha)), inertia=Fraction(1, 3)
    )
    c, s = np.cos(0.1), np.sin(0.1)
    start = [0, np.sin(alpha) * s + np.cos(alpha) * c, -0.1]
    motion = simulate(model, start, None, 2.5, events=events)
    assert motion.ok, motion.status
    impacts = [t for t, name in motion.events if name.startswith("impact")]
    # I θ̈ = -m g R sin(α - θ), θ̇⁺ = r θ̇⁻, by another integrator
    from scipy.integrate import solve_ivp

    w2, ratio = G / (4 / 3), 1 - 1.5 * np.sin(alpha) ** 2
    t, state, expected = 0.0, np.array([0.1, 0.0]), []

    def rate(t, s):
        return [s[1], -w2 * np.sin(alpha - s[0])]

    for _ in impacts:
        found = solve_ivp(
            rate, (t, t + 3), state, rtol=1e-12, atol=1e-14, method="DOP853", dense_output=True
        )
        fine = np.linspace(t + 1e-3, t + 3, 3000)
        first = int(np.argmax(found.sol(fine)[0] < 0))
        # halves until the fall is known to the last place
        low, high = float(fine[first - 1]), float(fine[first])
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if found.sol(middle)[0] > 0 else (low, middle)
        t, speed = high, float(found.sol(high)[1])
        expected.append(t)
        state = np.array([0.0, -ratio * speed])
    assert len(impacts) >= 4
    assert impacts == pytest.approx(expected, rel=1e-9)


def test_a_ladder_at_the_wall_slips_and_leaves():
    """Without friction the top leaves the wall where sin θ = 2/3 of that at the start."""
    x, y, a = da.coordinates("x y a")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2 + a.dot**2 / 12) / 2,
        potential=G * y,
        coordinates=[x, y, a],
    )
    model = da.compile(system)
    begin = 1.2
    events = [
        Contact(x - da.cos(a) / 2, name="wall"),
        Contact(y - da.sin(a) / 2, name="floor"),
    ]
    start = [np.cos(begin) / 2, np.sin(begin) / 2, begin]
    motion = simulate(model, start, None, 0.9, events=events)
    assert motion.ok, motion.status
    t, _ = next(each for each in motion.events if each[1] == "wall opens")
    q = motion.q[motion.t == t][0]
    assert np.sin(q[2]) == pytest.approx(2 / 3 * np.sin(begin), rel=1e-9)


@pytest.mark.parametrize(("angle", "holds"), [(0.95, False), (1.15, True)])
def test_a_ladder_with_friction_stands_or_slips(angle, holds):
    """Friction at both ends: it stands where tan θ > (1 - μ²)/(2 μ), whoever shares the load."""
    mu = 0.3
    x, y, a = da.coordinates("x y a")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2 + a.dot**2 / 12) / 2,
        potential=G * y,
        coordinates=[x, y, a],
    )
    model = da.compile(system)
    v = model.symbols.qd
    events = [
        Contact(x - da.cos(a) / 2, name="wall"),
        DryFriction(v[1] + da.cos(a) / 2 * v[2], mu, name="top", normal="wall"),
        Contact(y - da.sin(a) / 2, name="floor"),
        DryFriction(v[0] - da.sin(a) / 2 * v[2], mu, name="bottom", normal="floor"),
    ]
    assert (np.tan(angle) > (1 - mu**2) / (2 * mu)) == holds
    start = [np.cos(angle) / 2, np.sin(angle) / 2, angle]
    motion = simulate(model, start, None, 0.3, events=events)
    assert motion.ok, motion.status
    if holds:
        assert motion.q[-1] == pytest.approx(start, abs=1e-12)
    else:
        assert motion.q[-1, 2] < angle - 0.01


def test_a_tablecloth_is_pulled_from_under_a_plate():
    """The plate slides back by μ g t²/2 while the cloth is under it, then brakes on the table."""
    mu, pull = 0.2, 10.0
    motion = pushed_tower([0.1, 1.0], [0.0, mu], pull * 0.1 / 1e-3, 0, 0.5)
    assert motion.ok, motion.status
    # it yields where the plate can no longer follow: F = (m + M) μ g
    t = 1.1 * mu * G / (pull * 0.1 / 1e-3)
    slides = next(when for when, name in motion.events if name == "rub 1 slides")
    assert slides == pytest.approx(t, rel=1e-9)
    v = pull * 0.1 / 1e-3 * t**2 / 2 / 1.1
    x = pull * 0.1 / 1e-3 * t**3 / 6 / 1.1
    d = 0.5 - t
    assert motion.q[-1, 1] == pytest.approx(x + v * d + mu * G * d**2 / 2, rel=1e-9)
