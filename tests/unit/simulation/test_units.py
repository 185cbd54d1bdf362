"""The unit of length, mass and time does not matter: a motion in other units is the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model
from dalembert.simulation import DOP853, Taylor, simulate

UNITS = [
    (1e-6, 1.0, 1.0),
    (1e6, 1.0, 1.0),
    (1.0, 1e-6, 1.0),
    (1.0, 1e6, 1.0),
    (1.0, 1.0, 1e-6),
    (1.0, 1.0, 1e6),
    (1e-9, 1e6, 1e-6),
    # astronomical units, suns, years
    (1.5e11, 2e30, 3.2e7),
]
# of a motion over three periods that starts from rounded states
RELATIVE = 1e-11


def rod(length: float, mass: float, time: float) -> Model:
    """A particle on a rod of one unit of length, in a field of 9.81 units."""
    x, y = da.coordinates("x y")
    weight = mass * 9.81 * length / time**2
    return da.compile(
        da.System(
            kinetic=mass * (x.dot**2 + y.dot**2) / 2,
            potential=weight * y,
            coordinates=[x, y],
            constraints=[x**2 + y**2 - length**2],
        )
    )


def swing(length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> np.ndarray:
    """Return the motion of the rod in its units."""
    q, v = np.array([0.6, -0.8]) * length, np.array([0.8, 0.6]) * length / time
    motion = simulate(rod(length, mass, time), q, v, np.linspace(0, 6, 7) * time)
    assert motion.ok, motion.status
    assert motion.warnings == ()
    assert motion.position_error.max() <= 1e-13 * length**2
    assert motion.energy_error <= 1e-12 * mass * (length / time) ** 2
    return motion.q / length


@pytest.mark.parametrize("units", UNITS)
def test_a_constrained_motion_in_other_units(units: tuple[float, float, float]) -> None:
    assert np.abs(swing(*units) - swing()).max() <= RELATIVE


@pytest.mark.parametrize("length", [1e2, 1e3, 1e-6])
def test_rods_of_any_length_swing_as_their_angle_does(length: float) -> None:
    """θ̈ = -(g/l) sin θ by itself, with the weight of the earth."""
    (angle,) = da.coordinates("angle")
    free = da.compile(
        da.System(
            kinetic=length**2 * angle.dot**2 / 2,
            potential=-9.81 * length * da.cos(angle),
            coordinates=[angle],
        )
    )
    times = np.linspace(0, 3 * np.sqrt(length), 5)
    right = simulate(free, [1.0], [0.0], times).q[:, 0]
    x, y = da.coordinates("x y")
    held = da.compile(
        da.System(
            kinetic=(x.dot**2 + y.dot**2) / 2,
            potential=9.81 * y,
            coordinates=[x, y],
            constraints=[x**2 + y**2 - length**2],
        )
    )
    start = length * np.array([np.sin(1.0), -np.cos(1.0)])
    motion = simulate(held, start, [0.0, 0.0], times)
    assert motion.ok, motion.status
    found = np.arctan2(motion.q[:, 0], -motion.q[:, 1])
    assert np.abs(found - right).max() <= RELATIVE


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("method", [Taylor(), DOP853()])
def test_a_free_motion_in_other_units(
    units: tuple[float, float, float], method: Taylor | DOP853
) -> None:
    """A planet on an ellipse comes back after its year."""
    length, mass, time = units
    x, y = da.coordinates("x y")
    strength = mass * length**3 / time**2
    planet = da.compile(
        da.System(
            kinetic=mass * (x.dot**2 + y.dot**2) / 2,
            potential=-strength / da.sqrt(x**2 + y**2),
            coordinates=[x, y],
        )
    )
    # at the far end of an ellipse of half axis 1 and eccentricity 0.5
    q, v = np.array([1.5, 0.0]) * length, np.array([0.0, np.sqrt(1 / 3)]) * length / time
    motion = simulate(planet, q, v, [0.0, 2 * np.pi * time], method=method)
    assert motion.ok, motion.status
    assert np.abs(motion.q[-1] - q).max() <= RELATIVE * length


def test_a_start_is_checked_beside_the_size_of_its_constraints() -> None:
    large, small = rod(1.5e11, 1.0, 1.0), rod(1e-9, 1.0, 1.0)
    # a metre in an astronomical unit is rounding of the input, a picometre in a nanometre is not
    assert simulate(large, [1.5e11, 1.0], None, 1e-3).ok
    with pytest.raises(da.EvaluationError, match="violates constraint 1"):
        simulate(small, [1.001e-9, 0.0], None, 1e-3)
