"""What a robot knows of its motion: encoders, inertial units, force sensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError, UnknownName, nearest

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.trajectory.trajectory import Trajectory


class Moments(NamedTuple):
    """States of a motion with accelerations and multipliers λ, a row for each time or just one."""

    model: Model
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    lam: np.ndarray
    constraint_names: tuple[str, ...]


class Sensor(ABC):
    """Something that measures; members are frozen dataclasses.

    Given to `Sampled`, its readings are what the law sees; `along` reads a whole trajectory.
    """

    @abstractmethod
    def read(self, at: Moments) -> np.ndarray:
        """Return the readings, ``(..., k)``."""

    def along(self, motion: Trajectory) -> np.ndarray:
        """Return the readings at the times of a trajectory, a row for each.

        Raises:
            EvaluationError: the trajectory does not know its model.
        """
        if motion.model is None:
            raise EvaluationError(
                "expected a trajectory that knows its model for a sensor, got one from a file: "
                "simulate it again"
            )
        states = (motion.t, motion.q, motion.qd, motion.qdd, motion.lam)
        return self.read(Moments(motion.model, *states, motion.constraint_names))


@dataclass(frozen=True)
class Encoder(Sensor):
    """The position of a hinge or slider, in whole quanta (rad or m).

    Args:
        joint: Its name, one of ``model.configuration.q_names``.
        quantum: Resolution; 0 for none. An encoder of n counts per turn has 2 π / n.

    >>> import dalembert as da
    >>> arm = da.Builder("arm", gravity=(0, 0, 0)).link("rod", mass=1, inertia=(1, 1, 1))
    >>> model = da.compile(arm.revolute("hinge", "rod").build())
    >>> motion = da.simulate(model, [0.0], [1.0], [0.0, 0.26, 0.74])
    >>> da.simulation.Encoder("hinge", 0.5).along(motion).ravel().tolist()
    [0.0, 0.5, 0.5]
    """

    joint: str
    quantum: float = 0.0

    def __post_init__(self) -> None:
        _check_quantum(self.quantum, "Encoder")

    def read(self, at: Moments) -> np.ndarray:
        names = at.model.configuration.q_names
        if self.joint not in names:
            raise UnknownName(
                f"expected a name of q for Encoder, got {self.joint!r} "
                f"({nearest(str(self.joint), names)})"
            )
        i = names.index(self.joint)
        return rounded(at.q[..., i : i + 1], self.quantum)


@dataclass(frozen=True)
class IMU(Sensor):
    """An inertial unit: the specific force Rᵀ (a - g) in m/s², then ω in rad/s, in its own axes.

    At rest an accelerometer shows what holds it, upwards.

    Args:
        frame: The frame or link of a mechanism that carries it.
        force_quantum: Resolution of the accelerometer; 0 for none.
        rate_quantum: Resolution of the gyroscope.
    """

    frame: str
    force_quantum: float = 0.0
    rate_quantum: float = 0.0

    def __post_init__(self) -> None:
        _check_quantum(self.force_quantum, "IMU")
        _check_quantum(self.rate_quantum, "IMU")

    def read(self, at: Moments) -> np.ndarray:
        model, t = at.model, at.t if at.model.description.is_timed else None
        gravity = [_number(x) for x in model.mechanism.gravity]
        R = model.forward_kinematics(at.q, self.frame, t=t)[..., :3, :3]
        a = model.frame_acceleration(at.q, at.qd, at.qdd, self.frame, t=t)[..., :3]
        w = model.frame_velocity(at.q, at.qd, self.frame, t=t)[..., 3:]
        force, rate = (np.einsum("...ji,...j->...i", R, x) for x in (a - gravity, w))
        parts = rounded(force, self.force_quantum), rounded(rate, self.rate_quantum)
        return np.concatenate(parts, axis=-1)


@dataclass(frozen=True)
class ForceSensor(Sensor):
    """The forces λ of constraints, of contacts and of dry friction, by their names.

    A sensor of force and torque between two links is a welded loop between them
    (`Builder.close` with "fixed"): its six rows are the wrench on the first link, in world axes.

    Args:
        names: Those of `Trajectory.constraint_names`.
        quantum: Resolution in N or N m; 0 for none.
    """

    names: tuple[str, ...]
    quantum: float = 0.0

    def __post_init__(self) -> None:
        _check_quantum(self.quantum, "ForceSensor")

    def read(self, at: Moments) -> np.ndarray:
        for name in self.names:
            if name not in at.constraint_names:
                raise UnknownName(
                    f"expected names of constraints for ForceSensor, got {name!r} "
                    f"({nearest(str(name), at.constraint_names)})"
                )
        places = [at.constraint_names.index(name) for name in self.names]
        return rounded(at.lam[..., places], self.quantum)


def rounded(x: np.ndarray, quantum: float | tuple[float, ...]) -> np.ndarray:
    """Return the nearest whole multiples of a quantum; x itself where that is 0."""
    step = np.broadcast_to(np.asarray(quantum, float), x.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(step > 0, np.rint(x / step) * step, x)


def _check_quantum(quantum: float, what: str) -> None:
    if not (np.isfinite(quantum) and quantum >= 0):
        raise EvaluationError(f"expected a resolution of {what} from 0, got {quantum!r}")


def _number(x: object) -> float:
    try:
        return float(x)  # type: ignore[arg-type]
    except (TypeError, ValueError, EvaluationError) as error:
        raise EvaluationError(
            f"expected gravity as numbers for an IMU, got {x}: bind its parameters"
        ) from error
