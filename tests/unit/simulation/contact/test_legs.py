"""Quadrupeds with dry friction in their joints, dropped so that all feet meet the ground at once.

Legs in parallel make frictions that forces hardly tell apart: several are at their bounds and at
rest together, some with velocities below what counts as rest.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from benchmarks.drops import ROBOTS, drop
from dalembert.mechanism import Sphere
from dalembert.simulation import Ground, simulate
from dalembert.simulation.contact.contacts import Contacts
from dalembert.simulation.contact.direct import Plan

RADIUS, LEG, BEND, SPLAY = 0.02, 0.3, 0.5, 0.15
STIFFNESS, DAMPING, FRICTION = 60.0, 1.0, 0.1

SAME = 1e-11
"""Two ways to the same motion, in radians, metres and their rates."""

ROUNDING = 1e-10
"""Energy in joules, of some 20, and gaps in metres."""

ZOO = os.environ.get("DALEMBERT_ZOO")


def quadruped() -> da.Model:
    """Return a trunk on four legs, each with a hip that rolls and one that pitches."""
    b = da.Builder("quadruped", gravity=(0, 0, -9.81))
    b = b.link("trunk", mass=6, inertia=[0.04, 0.09, 0.1], com=(0.004, 0.002, 0))
    b = b.floating("free", "trunk")
    for leg, x, y in (("fl", 1, 1), ("fr", 1, -1), ("rl", -1, 1), ("rr", -1, -1)):
        hip, shank, place = f"{leg} hip", f"{leg} leg", (0.2 * x, 0.1 * y, 0)
        roll = {"parent": "trunk", "axis": (1, 0, 0), "origin": place, "friction": FRICTION}
        b = b.link(hip, mass=0.3, inertia=[5e-4] * 3).revolute(f"{leg} roll", hip, **roll)
        b = b.link(shank, mass=0.4, inertia=[3e-3, 3e-3, 3e-4], com=(0, 0, -LEG / 2))
        b = b.revolute(f"{leg} pitch", shank, parent=hip, axis=(0, 1, 0), friction=FRICTION)
        b = b.shape(shank, Sphere(RADIUS), origin=(0, 0, -LEG))
    return da.compile(b.build())


def test_one_solve_gives_what_shared_loads_give(monkeypatch: pytest.MonkeyPatch):
    model = quadruped()
    pitch = [SPLAY, BEND, -SPLAY, BEND, SPLAY, -BEND, -SPLAY, -BEND]
    height = LEG * np.cos(BEND) * np.cos(SPLAY) + RADIUS + 0.01
    start = np.array([0, 0, height, 1, 0, 0, 0, *pitch])
    q, v = model.symbols.q[7:], model.symbols.qd[6:]
    pull = [STIFFNESS * (start[7 + i] - q[i]) - DAMPING * v[i] for i in range(8)]
    made: list[Plan | None] = []
    plan = Contacts.plan

    def counted(self: Contacts, mode) -> Plan | None:
        made.append(plan(self, mode))
        return made[-1]

    motions = []
    for each in (counted, lambda self, mode: None):
        monkeypatch.setattr(Contacts, "plan", each)
        motion = simulate(model, start, None, [0, 0.3], [0] * 6 + pull, events=[Ground(0.8)])
        assert motion.ok, motion.status
        assert motion.energy_error < ROUNDING
        motions.append(motion)
    one, other = motions
    assert [name for _, name in one.events] == [name for _, name in other.events]
    assert np.abs(one.q - other.q).max() < SAME
    assert np.abs(one.qd - other.qd).max() < SAME
    held = [each for each in made if each is not None and len(each.held)]
    assert len(held) > len(made) / 4


@pytest.mark.skipif(ZOO is None, reason="DALEMBERT_ZOO does not name the folder of the robots")
def test_frictions_tied_at_rest_do_not_take_turns():
    # two hips begin to slide with velocities of 6e-11 rad/s the wrong way, at 0.11747 s
    (robot,) = (each for each in ROBOTS if each.name == "Unitree Go2")
    assert ZOO is not None
    motion, _, depth = drop(robot, Path(ZOO), 0.0, 0.13)
    assert motion.ok, motion.status
    assert motion.warnings == ()
    assert depth < ROUNDING
    assert len(motion.events) < 20
