"""The result of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.display import Printed
from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.files import path_text
from dalembert.simulation.problem.energy import Energy
from dalembert.simulation.trajectory.files import from_bytes, load, save, to_bytes
from dalembert.simulation.trajectory.layout import check
from dalembert.simulation.trajectory.plot import plot
from dalembert.simulation.trajectory.resample import resample

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dalembert.model import Model
    from dalembert.types import ArrayLike


@dataclass(frozen=True, eq=False)
class Trajectory(Printed):
    """A motion at its stored times; rows of all arrays belong to ``t``.

    Where an impact changes velocities two rows have the same time: before and after.

    Attributes:
        name: Of the mechanism or system.
        method: The integrator with its options.
        t: Times, ``(N,)``, in seconds.
        q, qd, qdd: Configurations ``(N, nq)``, velocities and accelerations ``(N, nv)``.
        tau: Torques or inputs that drove it.
        lam: Multipliers λ of the constraints: their reactions are Aᵀ λ.
        controller_state: The states of the forces, as of a motor or of an adaptive
            controller, ``(N, k)``.
        q_names, v_names, input_names, constraint_names: What the columns are.
        position_error, velocity_error: The largest error of the constraints at each time.
        energy: Kinetic, potential, work, dissipated.
        events: Pairs (time, name) of what took place.
        warnings: Sentences on singular or redundant constraints.
        ok: Whether it reached its end or a terminal event.
        status: A sentence: finished, or why it stopped.
        model: What was simulated; None after loading without one.
    """

    name: str
    method: str
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    lam: np.ndarray
    controller_state: np.ndarray
    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    input_names: tuple[str, ...]
    constraint_names: tuple[str, ...]
    position_error: np.ndarray
    velocity_error: np.ndarray
    energy: Energy
    events: tuple[tuple[float, str], ...]
    warnings: tuple[str, ...]
    ok: bool
    status: str
    model: Model | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check(self)
        for value in (*vars(self).values(), *vars(self.energy).values()):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Trajectory({self.name}, {len(self)} times, {self.status})"

    def __str__(self) -> str:
        lines = [
            f"{self.name}, {self.method}: {self.status}",
            f"  {len(self)} times from {self.t[0]:.9g} to {self.t[-1]:.9g} s",
            f"  energy account closes to {self.energy_error:.2g} J",
        ]
        if self.constraint_names:
            lines.append(
                f"  constraints to {self.position_error.max():.2g}, their velocities to "
                f"{self.velocity_error.max():.2g}"
            )
        lines += [f"  at t = {t:.9g}: {name}" for t, name in self.events]
        lines += [f"  {text}" for text in self.warnings]
        return "\n".join(lines)

    @property
    def energy_error(self) -> float:
        """The largest error of the energy account, in joules."""
        return float(np.abs(self.energy.error).max())

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the positions of a joint or coordinate by its name.

        Raises:
            UnknownName: there is none of that name.
        """
        if name not in self.q_names:
            raise UnknownName(f"expected a name of q, got {name!r} ({nearest(name, self.q_names)})")
        return self.q[:, self.q_names.index(name)]

    def resample(self, times: ArrayLike) -> Trajectory:
        """Return the motion at other times, by polynomials of degree 5 between the stored ones."""
        return resample(self, times)

    def frames(self, times: ArrayLike | None = None) -> dict[str, np.ndarray]:
        """Return the pose of every link as ``(N, 4, 4)`` by name, for an animation.

        Args:
            times: Where to look; the stored times if not given.

        Raises:
            InvalidMechanism: the motion is that of a system, which has no links.
        """
        model = self.need_model("poses of links")
        links = model.mechanism.links
        motion = self if times is None else self.resample(times)
        t = motion.t if model.description.is_timed else None
        poses = np.asarray(model.forward_kinematics(motion.q, t=t))
        return {link.name: poses[:, k] for k, link in enumerate(links)}

    def plot(self, path: str | Path | None = None) -> Figure:
        """Return a figure of positions, velocities and the energy account; write it to a path."""
        return plot(self, path)

    def save(self, path: str | Path) -> None:
        """Write a file: .npz (NumPy, with JSON in it), .csv, or .parquet.

        It appears whole or not at all: whatever goes wrong, an old one is unchanged.

        Raises:
            EvaluationError: another ending, or more numbers than a file may hold (1 GiB of .npz,
                256 MiB of the others).
            FileError: the file cannot be written.
        """
        save(self, Path(path_text(path)))

    @staticmethod
    def load(path: str | Path, model: Model | None = None) -> Trajectory:
        """Read what `save` wrote; ``model`` is needed only for poses and free joints.

        Raises:
            EvaluationError: the file is damaged, or none of ours.
            FileError: it cannot be read.
        """
        return Trajectory(**load(Path(path_text(path))), model=model)

    def __reduce__(self) -> tuple[Callable[..., Trajectory], tuple[bytes, Model | None]]:
        """Pickle as the bytes of an .npz file, and the model."""
        return trajectory_again, (to_bytes(self), self.model)

    def __copy__(self) -> Trajectory:
        return self

    def __deepcopy__(self, memo: object) -> Trajectory:
        return self

    def need_model(self, what: str) -> Model:
        """Return the model.

        Raises:
            EvaluationError: the trajectory was loaded without one.
        """
        if self.model is None:
            raise EvaluationError(
                f"expected a trajectory with its model for {what}, got one from a file: load it "
                "with Trajectory.load(path, model=model)"
            )
        return self.model


def trajectory_again(data: bytes, model: Model | None) -> Trajectory:
    """Return the trajectory that was pickled, built and checked anew."""
    from dalembert.model import Model

    if model is not None and not isinstance(model, Model):
        raise EvaluationError(f"expected a model or None, got {type(model).__name__}")
    return Trajectory(**from_bytes(data), model=model)
