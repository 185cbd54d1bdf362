"""Links that touch each other: motions known by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, InvalidMechanism, UnknownName
from dalembert.mechanism.parts.shape import Box, Capsule, Geometry, Sphere
from dalembert.simulation import SelfContact, TimeStepping, rollout, simulate

G = 9.81
STATE = 1e-9
"""Errors of events in s and of states in m and m/s."""


def beads(first: Geometry, second: Geometry, masses=(1, 1)):
    """Return two bodies on one rail, side by side."""
    b = da.Builder("beads", gravity=(0, 0, 0))
    for name, mass, shape in zip("ab", masses, (first, second), strict=True):
        b.link(name, mass=mass).shape(name, shape)
        b.prismatic(f"rail_{name}", name, parent="world", axis="x")
    return da.compile(b.build())


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_beads_of_other_masses_collide(e: float) -> None:
    model = beads(Sphere(0.2), Sphere(0.3), (1, 3))
    touch = SelfContact([("a", "b")], friction=0, restitution=e)
    motion = simulate(model, [0, 2], [1, -1], 2.0, events=[touch])
    assert motion.ok
    # they meet in the middle after (2 - 0.5)/2
    assert motion.events[0][0] == pytest.approx(0.75, abs=STATE)
    # v_a = (m_a v_a + m_b v_b - m_b e (v_a - v_b)) / m
    common = (1 * 1 + 3 * -1) / 4
    assert motion.qd[-1] == pytest.approx([common - 3 / 4 * e * 2, common + e * 2 / 4], abs=STATE)


def test_capsules_meet_side_by_side() -> None:
    model = beads(Capsule(0.1, 0.5), Capsule(0.25, 0.2))
    motion = simulate(model, [0, 1], [1, 0], 1.0, events=[SelfContact([("a", "b")])])
    assert motion.events[0][0] == pytest.approx(0.65, abs=STATE)


def on_a_ball(radius: float, big: float):
    """Return a body that moves in a plane without turning, above a fixed ball."""
    b = da.Builder("hill", gravity=(0, 0, -G)).shape("world", Sphere(big))
    b.link("cart").prismatic("along", "cart", axis="x")
    b.link("body", mass=2).shape("body", Sphere(radius))
    return da.compile(b.prismatic("up", "body", parent="cart", axis="z").build())


def test_what_slides_down_a_ball_leaves_it_at_two_thirds() -> None:
    big, radius, angle = 1.0, 0.1, 0.1
    s = big + radius
    start = [s * math.sin(angle), s * math.cos(angle)]
    touch = SelfContact([("world", "body")], friction=0)
    motion = simulate(on_a_ball(radius, big), start, None, 2.0, events=[touch])
    # m v²/s = m g cos θ with v² = 2 g s (cos θ₀ - cos θ)
    (t, name) = motion.events[-1]
    assert name.endswith("opens")
    x, z = motion.q[np.searchsorted(motion.t, t)]
    assert z / s == pytest.approx(2 / 3 * math.cos(angle), abs=1e-7)
    assert math.hypot(x, z) == pytest.approx(s, abs=STATE)
    # in the air energy is kept
    assert motion.energy_error < 1e-9


def test_friction_holds_on_the_slope_of_a_ball() -> None:
    touch = SelfContact([("world", "body")], friction=0.3)
    s, held, slides = 1.1, math.atan(0.29), math.atan(0.31)
    model = on_a_ball(0.1, 1.0)
    for angle, moves in ((held, False), (slides, True)):
        start = [s * math.sin(angle), s * math.cos(angle)]
        motion = simulate(model, start, None, 0.2, events=[touch])
        assert motion.ok
        assert (np.abs(motion.q[-1] - start).max() > 1e-6) == moves


def test_many_pairs_in_time_steps() -> None:
    model = on_a_ball(0.1, 1.0)
    touch = SelfContact([("world", "body")], friction=0.3)
    angles = np.arctan([0.1, 0.29, 0.31, 0.5])
    start = 1.1 * np.stack([np.sin(angles), np.cos(angles)], axis=1)
    runs = rollout(
        model, start, None, 200, method=TimeStepping(1e-3, tolerance=1e-12), events=[touch]
    )
    way = np.abs(runs.q[:, -1] - start).max(axis=1)
    assert (way[:2] < 1e-9).all()
    assert (way[2:] > 1e-4).all()
    # by m g (sin θ - μ cos θ) at first
    assert runs.qd[3, 1] @ [np.cos(angles[3]), -np.sin(angles[3])] == pytest.approx(
        1e-3 * G * (np.sin(angles[3]) - 0.3 * np.cos(angles[3])), rel=1e-3
    )


def test_all_pairs_of_a_hand_but_neighbours() -> None:
    b = da.Builder("hand", gravity=(0, 0, 0))
    for name, y in (("left", 0.0), ("right", 1.0)):
        b.link(name, mass=1, inertia=(1, 1, 1)).shape(name, Capsule(0.1, 1.0))
        b.revolute(name, name, parent="world", origin=(0, y, 0), axis="x")
        b.link(f"{name}_tip", mass=1, inertia=(1, 1, 1)).shape(f"{name}_tip", Sphere(0.1))
        b.revolute(f"{name}_tip", f"{name}_tip", parent=name, origin=(0, 0, 1), axis="x")
    model = da.compile(b.build())
    names = [x.name for x in SelfContact().points(model)]
    assert len(names) == 4
    assert "left and right" in names
    assert not any("left and left_tip" in name for name in names)
    without = SelfContact(exclude=[("right", "left")]).points(model)
    assert len(without) == 3


def test_errors_say_what_to_do() -> None:
    with pytest.raises(EvaluationError, match="friction of SelfContact from 0"):
        SelfContact(friction=-1)
    with pytest.raises(EvaluationError, match="restitution of SelfContact"):
        SelfContact(restitution=1.5)
    boxes = beads(Box((1, 1, 1)), Capsule(1, 1))
    with pytest.raises(InvalidMechanism, match="box of 'a' and capsule of 'b'"):
        SelfContact([("a", "b")]).rows(boxes)
    with pytest.raises(UnknownName, match="expected a link, got 'c'"):
        SelfContact([("a", "c")]).rows(boxes)
    b = da.Builder("still").link("a", mass=1).shape("a", Sphere(1)).prismatic("p", "a", axis="x")
    b.link("b", mass=1).shape("b", Sphere(1)).fixed("f", "b", parent="a")
    with pytest.raises(EvaluationError, match="that move against each other"):
        SelfContact([("a", "b")]).rows(da.compile(b.build()))
