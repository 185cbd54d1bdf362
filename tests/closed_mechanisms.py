"""Twelve constrained mechanisms with a state to start from: those whose drift is watched."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import dalembert as da
from dalembert.model import Model


class Closed(NamedTuple):
    """A model, a state near its constraints, and forces; None for neutral, rest and no forces."""

    model: Model
    q0: Sequence[float] | None = None
    qd0: Sequence[float] | None = None
    forces: Any = None

    @property
    def start(self) -> np.ndarray:
        """The configuration to start from."""
        return np.array(self.model.configuration.neutral if self.q0 is None else self.q0)


def _model(description: Any, names: str = "", values: Sequence[float] = ()) -> Model:
    numbers = dict(zip(da.parameters(names), values, strict=True)) if names else {}
    return da.compile(description, parameters=numbers)


def four_bar() -> Closed:
    """Return a crank-rocker."""
    values = (1.0, 0.3, 0.9, 0.7, 1.0, 1.2, 1.1, 9.81)
    model = _model(da.textbook.robots.four_bar(), "l0 l1 l2 l3 m1 m2 m3 g", values)
    return Closed(model, [0.5, 0.4, 1.5], [1.0, 0.0, 0.0])


def slider_crank() -> Closed:
    """Return an engine without gas."""
    values = (0.3, 0.8, 1.0, 1.0, 0.5, 9.81)
    model = _model(da.textbook.robots.slider_crank(), "l1 l2 m1 m2 m3 g", values)
    return Closed(model, [0.7, -1.0, 1.0], [3.0, 0.0, 0.0])


def five_bar() -> Closed:
    """Return a five-bar that swings."""
    values = (0.4, 0.5, 0.6, 0.5, 0.6, 1.0, 1.0, 1.0, 1.0, 9.81)
    model = _model(da.textbook.robots.five_bar(), "l0 l1 l2 l3 l4 m1 m2 m3 m4 g", values)
    return Closed(model, [2.0, -1.2, 1.2, 1.2], [0.3, 0.0, 0.0, 0.0])


def stewart_platform() -> Closed:
    """Return a platform whose legs are springs: the law joins the compiled code."""
    model = _model(da.textbook.robots.stewart_platform())
    slides = [k for k, name in enumerate(model.configuration.v_names) if "slide" in name]
    law: list[Any] = [0] * model.nv
    for k in slides:
        # positions of scalar joints stand one behind their velocities: the plate has a quaternion
        law[k] = 25 - 2000 * model.symbols.q[k + 1]
    return Closed(model, None, [0.1, -0.1, 0.2, 0.3, 0.2, -0.1] + [0.0] * 18, law)


def delta_robot() -> Closed:
    """Return a delta robot on the springs of its shoulders."""
    return Closed(_model(da.textbook.robots.delta_robot()), None, [0.2, 0.1, -0.1] + [0.0] * 18)


def bennett_linkage() -> Closed:
    """Return the linkage whose constraints are redundant."""
    return Closed(_model(da.textbook.robots.bennett_linkage()), None, [1.0, 0.0, 0.0])


def pantograph() -> Closed:
    """Return a pantograph that swings."""
    model = _model(da.textbook.robots.pantograph())
    # the short bars are parallel to the long ones: q₃ = q₂, q₄ = π - q₂
    return Closed(model, [0.3, 1.0, 1.0, math.pi - 1], [0.5, -0.2, 0.0, 0.0])


def pinned_three_link() -> Closed:
    """Return Savin's chain with both ends pinned."""
    values = (1.0, 1.0, 1.0, 0.5, 0.6, 0.5, 9.81, 0.9, 0.2)
    model = _model(da.textbook.pinned_three_link(), "m1 m2 m3 l1 l2 l3 g x_e y_e", values)
    return Closed(model, [1.0, -1.0, -1.0], [0.4, 0.0, 0.0])


def rolling_disc() -> Closed:
    """Return a disc that rolls in a circle."""
    model = _model(da.textbook.rolling_disc(), "m R I J", (1.0, 0.3, 0.045, 0.0225))
    return Closed(model, [0.0, 0.0, 0.2, 0.0], [0.0, 0.0, 0.7, 2.0])


def knife_edge() -> Closed:
    """Return a blade on an inclined plane."""
    model = _model(da.textbook.knife_edge(), "m J g alpha", (1.0, 0.1, 9.81, 0.3))
    return Closed(model, [0.0, 0.0, 0.3], [1.0, 0.0, 1.5])


def wire_particles() -> Closed:
    """Return two particles on a wire."""
    model = _model(da.textbook.wire_particles(), "m1 m2 l", (1.0, 2.0, 0.5))
    return Closed(model, [0.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.2, -0.5])


REACH = 0.2
ANGLE = 0.3
SPRING = 60.0


def rp_arm_maximal() -> Closed:
    """Return CMU's arm in maximal coordinates; a spring in the slider keeps it together."""
    model = _model(da.textbook.rp_arm_maximal(), "m l g", (1.0, 1.0, 9.81))
    x1, y1, _, x2, y2, _ = model.symbols.q
    # along the arm, what the slider has come out: (l/2 + q₂) = √(x₂² + y₂²)
    reach = da.sqrt(x2**2 + y2**2) - da.sqrt(x1**2 + y1**2)
    law = _by_name(model, {"F2": -SPRING * (reach - REACH)})
    return Closed(model, maximal_state(ANGLE, REACH), None, law)


def rp_arm() -> Closed:
    """Return the same arm and spring in generalized coordinates."""
    model = _model(da.textbook.rp_arm(), "m l g", (1.0, 1.0, 9.81))
    law = _by_name(model, {"F2": -SPRING * (model.symbols.q[1] - REACH)})
    return Closed(model, [ANGLE, REACH], None, law)


def _by_name(model: Model, law: dict[str, Any]) -> list[Any]:
    """Return a law in the order of the model's inputs, zero where nothing is given."""
    names = [x.symbol.name for x in model.symbols.inputs if x.symbol is not None]
    return [law.get(name, 0) for name in names]


def maximal_state(q1: Any, q2: Any, length: float = 1.0) -> list[float]:
    """Return the maximal coordinates of the arm."""
    c, s, r = math.cos(q1), math.sin(q1), length / 2
    return [r * c, r * s, q1, (r + q2) * c, (r + q2) * s, q1]


CLOSED: dict[str, Callable[[], Closed]] = {
    f.__name__: f
    for f in (
        four_bar,
        slider_crank,
        five_bar,
        stewart_platform,
        delta_robot,
        bennett_linkage,
        pantograph,
        pinned_three_link,
        rolling_disc,
        knife_edge,
        wire_particles,
        rp_arm_maximal,
    )
}
