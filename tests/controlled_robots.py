"""Robots of every kind that a controller may be asked to drive, each with a state to start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

import dalembert as da
from dalembert.model import Model


class Driven(NamedTuple):
    """A model, a configuration on its constraints, and a tool with the rows that inputs reach."""

    model: Model
    home: np.ndarray
    frame: str
    rows: tuple[int, ...]
    actuated: Sequence[int] | None = None

    def allowed(self, v: np.ndarray, q: np.ndarray | None = None) -> np.ndarray:
        """Return the velocity next to v that the constraints allow."""
        if not self.model.description.has_constraints:
            return v
        A = self.model.constraint_jacobian(self.home if q is None else q)
        return v - np.linalg.pinv(A, rcond=1e-9) @ (A @ v)

    def near(self, rng: np.random.Generator, size: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
        """Return a state near home, on the constraints."""
        model = self.model
        step = size * self.allowed(rng.uniform(-1, 1, model.nv))
        q = closed(model, model.configuration.integrate(self.home, step))
        return q, self.allowed(rng.uniform(-1, 1, model.nv), q)


def closed(model: Model, q: np.ndarray) -> np.ndarray:
    """Return the configuration next to q on the constraints, by Newton's method."""
    if not model.description.has_constraints:
        return q
    A = model.constraint_jacobian(q)
    for _ in range(20):
        A, error = model.constraint_jacobian(q), model.constraint_error(q)
        q = model.configuration.integrate(q, -np.linalg.pinv(A, rcond=1e-9) @ error)
    assert np.abs(model.constraint_error(q)).max() < 1e-10 * np.abs(A).max()
    return q


def _rod(length: float, mass: float, radius: float = 0.03) -> dict:
    """Return a rod along x from its origin."""
    across = mass * length**2 / 12
    return {
        "mass": mass,
        "com": (length / 2, 0, 0),
        "inertia": (mass * radius**2, across, across),
    }


def four_bar(mass: float = 1.0, length: float = 1.0, g: float = 9.81) -> Driven:
    """Return a crank-rocker with a motor on its crank; masses, lengths and weight may be scaled."""
    l0, l1, l2, l3 = (length * x for x in (1.0, 0.3, 0.9, 0.7))
    mechanism = (
        da.Builder("four_bar", gravity=(0, -g, 0))
        .link("crank", **_rod(l1, mass, 0.03 * length))
        .revolute("pivot", "crank")
        .link("coupler", **_rod(l2, 1.2 * mass, 0.03 * length))
        .revolute("pin", "coupler", origin=(l1, 0, 0))
        .frame("tip", "coupler", origin=(l2 / 2, 0, 0))
        .link("rocker", **_rod(l3, 1.1 * mass, 0.03 * length))
        .revolute("bearing", "rocker", parent="world", origin=(l0, 0, 0))
        .loop("joint", ("coupler", (l2, 0, 0)), ("rocker", (l3, 0, 0)))
        .actuator("motor", "pivot", gear_ratio=3)
        .build()
    )
    model = da.compile(mechanism)
    return Driven(model, closed(model, np.array([0.5, 0.4, 1.5])), "tip", (0,))


def three_rrr() -> Driven:
    """Return a planar platform on three arms, with motors at their bases."""
    builder = da.Builder("three_rrr", gravity=(0, -9.81, 0))
    base, side, l1, l2 = 0.5, 0.1, 0.35, 0.35
    home = []
    for i in range(3):
        at = 2 * np.pi * i / 3
        foot, corner = (
            base * np.array([np.cos(at), np.sin(at)]),
            side * np.array([np.cos(at), np.sin(at)]),
        )
        builder.link(f"upper{i}", **_rod(l1, 0.8))
        builder.revolute(f"motor{i}", f"upper{i}", parent="world", origin=(*foot, 0))
        builder.link(f"lower{i}", **_rod(l2, 0.5))
        builder.revolute(f"elbow{i}", f"lower{i}", origin=(l1, 0, 0))
        way = corner - foot
        reach, angle = np.hypot(*way), np.arctan2(way[1], way[0])
        bend = np.arccos((reach / 2) / l1)
        home += [angle + bend, -2 * bend]
        if i == 0:
            builder.link("plate", mass=1.0, inertia=(0.01, 0.01, 0.01))
            builder.revolute("wrist0", "plate", origin=(l2, 0, 0))
            builder.frame("tool", "plate", origin=(-side, 0, 0))
            home += [-(angle - bend)]
        else:
            point = corner - np.array([side, 0.0])
            builder.loop(f"wrist{i}", (f"lower{i}", (l2, 0, 0)), ("plate", (*point, 0)))
        builder.actuator(f"drive{i}", f"motor{i}")
    model = da.compile(builder.build())
    return Driven(model, closed(model, np.array(home)), "tool", (0, 1, 5))


def delta() -> Driven:
    """Return the delta robot with torques on its shoulders; its plate has a quaternion."""
    model = da.compile(da.textbook.robots.delta_robot())
    names = model.configuration.v_names
    shoulders = [names.index(f"shoulder{i}") for i in (1, 2, 3)]
    return Driven(model, model.neutral, "plate", (0, 1, 2), shoulders)


def _arm(builder: da.Builder, num: int) -> da.Builder:
    for i, axis in enumerate("zyyxyx"[:num]):
        builder.link(f"link{i}", **_rod(0.3, 1.0))
        builder.revolute(f"joint{i}", f"link{i}", axis=axis, origin=(0.3 if i else 0.2, 0, 0))
    return builder.frame("tool", f"link{num - 1}", origin=(0.3, 0, 0))


def floating_arm() -> Driven:
    """Return an arm with six joints on a satellite."""
    hull = {"mass": 8.0, "com": (0.01, 0.02, -0.03), "inertia": (0.3, 0.4, 0.5)}
    builder = da.Builder("satellite").link("hull", **hull).floating("base", "hull")
    model = da.compile(_arm(builder, 6).build())
    home = np.array([0.1, 0.2, 0.3, 0.9, 0.1, -0.2, 0.3, 0.2, 0.7, -1.1, 0.3, 0.8, 0.2])
    return Driven(model, model.configuration.normalized(home), "tool", tuple(range(6)))


def quadruped() -> Driven:
    """Return a quadruped whose feet are pinned to the ground: twelve motors, six freedoms."""
    trunk = {"mass": 10.0, "com": (0.01, 0, 0.02), "inertia": (0.1, 0.3, 0.35)}
    builder = da.Builder("quadruped").link("trunk", **trunk).floating("base", "trunk")
    height = 0.5 * np.cos(0.6)
    home = [0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0]
    for i, (x, y) in enumerate([(0.3, 0.15), (0.3, -0.15), (-0.3, 0.15), (-0.3, -0.15)]):
        builder.link(f"hip{i}", mass=0.5, com=(0, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
        builder.revolute(f"abduct{i}", f"hip{i}", axis="x", parent="trunk", origin=(x, y, 0))
        for name, joint in (("thigh", "swing"), ("shank", "knee")):
            rod = {"mass": 0.4, "com": (0, 0, -0.125), "inertia": (2e-3, 2e-3, 2e-4)}
            builder.link(f"{name}{i}", **rod)
            down = 0.0 if name == "thigh" else -0.25
            builder.revolute(f"{joint}{i}", f"{name}{i}", axis="y", origin=(0, 0, down))
        builder.loop(f"foot{i}", (f"shank{i}", (0, 0, -0.25)), ("world", (x, y, 0)))
        home += [0.0, 0.6, -1.2]
    model = da.compile(builder.build())
    return Driven(model, closed(model, np.array(home)), "trunk", tuple(range(6)))


def ball_arm() -> Driven:
    """Return an arm with a driven ball as its shoulder and a hinge as its elbow."""
    builder = da.Builder("ball_arm").link("upper", **_rod(0.4, 2.0)).spherical("shoulder", "upper")
    builder.link("lower", **_rod(0.3, 1.0)).revolute("elbow", "lower", axis="y", origin=(0.4, 0, 0))
    model = da.compile(builder.frame("tool", "lower", origin=(0.3, 0, 0)).build())
    home = model.configuration.normalized([0.8, 0.1, 0.5, 0.2, 0.7])
    return Driven(model, home, "tool", (0, 1, 2))


def geared_arm() -> Driven:
    """Return an arm whose last joint follows the one before, with a passive first joint."""
    builder = da.Builder("geared").link("a", **_rod(0.4, 2.0)).revolute("one", "a", axis="y")
    builder.link("b", **_rod(0.3, 1.0)).revolute("two", "b", axis="y", origin=(0.4, 0, 0))
    builder.link("c", **_rod(0.3, 1.0))
    builder.revolute("three", "c", axis="y", origin=(0.3, 0, 0), mimic=("two", 0.5, 0.1))
    builder.frame("tool", "c", origin=(0.3, 0, 0)).actuator("motor", "two", gear_ratio=2)
    model = da.compile(builder.build())
    return Driven(model, np.array([0.3, 0.4]), "tool", (0,))


ROBOTS: dict[str, Callable[[], Driven]] = {
    f.__name__: cache(f)
    for f in (four_bar, three_rrr, delta, floating_arm, quadruped, ball_arm, geared_arm)
}
