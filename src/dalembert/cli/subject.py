"""What a command is about: a robot or a system, with the values and the start that came with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from dalembert.cli.output import Part, working
from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, Scalar, as_expr, by_symbol, substitute, symbol_text
from dalembert.mechanics import Equations, System
from dalembert.mechanics.kinds import by_kind
from dalembert.mechanism import Mechanism
from dalembert.model import Model, compile

if TYPE_CHECKING:
    from dalembert.types import Array


@dataclass(frozen=True)
class Subject:
    """A mechanism or a system by name.

    Attributes:
        name: Of the robot, the file or the worked example.
        description: What it is.
        values: Numbers of its parameters, by symbol: used where numbers are needed.
        q, qd: Where a motion starts, if the file says so.
        points: Positions to draw, by name: expressions of the coordinates.
        notes: What was read in another way than it is written.
    """

    name: str
    description: System | Mechanism
    values: Mapping[Expr, Scalar] = field(default_factory=dict)
    q: tuple[float, ...] | None = None
    qd: tuple[float, ...] | None = None
    points: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def noted(self) -> list[Part]:
        """Return the notes, if there are some, as an answer that stands beside the others."""
        text = "\n".join(f"note: {note}" for note in self.notes)
        return [Part("notes", list(self.notes), text, aside=True)] if text else []

    def with_scalar_joints(self) -> "Subject":
        """Return the subject with spherical and floating joints as hinges and sliders, noted."""
        robot = self.description
        if isinstance(robot, System) or all(joint.nv <= 1 for joint in robot.joints):
            return self
        names = [joint.name for joint in robot.joints if joint.nv > 1]
        shown = ", ".join(map(repr, names[:6])) + ", …" * (len(names) > 6)
        note = f"wrote the joint{'s' * (len(names) > 1)} {shown} as sliders and hinges (zyx angles)"
        return replace(self, description=robot.with_euler_angles(), notes=(*self.notes, note))

    def with_values(self, given: Mapping[str, float]) -> "Subject":
        """Return the subject with further values, which go before those of the file.

        Raises:
            UnknownName: a name that is no parameter.
        """
        known = by_symbol(self.description.parameters, dict(given))
        return replace(self, values={**self.values, **known})

    @property
    def mechanism(self) -> Mechanism:
        """The robot.

        Raises:
            InvalidMechanism: it is a system, which has no links.
        """
        return by_kind(
            self.description, "to use", mechanism=lambda x: x, system=lambda _: self._no_robot()
        )

    def _no_robot(self) -> NoReturn:
        raise InvalidMechanism(
            f"expected a robot with links and joints, got {self.name!r}, a system of coordinates: "
            "give a URDF, MJCF or JSON file, or a robot of `dalembert textbook`"
        )

    def equations(self) -> Equations:
        """Return the exact equations of motion; parameters stay symbols."""
        with working(f"deriving the equations of {self.name}"):
            return self.description.equations()

    def model(self, backend: str = "llvm") -> Model:
        """Return the compiled model; parameters without a value stay inputs."""
        # a value may belong to a point that is drawn, and not to the equations
        known = {x: self.values[x] for x in self.description.parameters if x in self.values}
        return compile(self.description, backend, parameters=known)

    def numeric_model(self) -> Model:
        """Return the compiled model with a number for every parameter.

        Raises:
            InvalidMechanism: a parameter has no value.
        """
        missing = [x for x in self.description.parameters if x not in self.values]
        if missing:
            names = [symbol_text(x) for x in missing]
            options = " ".join(f"-p {name}=1" for name in names[:4])
            raise InvalidMechanism(
                f"expected a value for every parameter of {self.name}, got none for "
                f"{', '.join(names[:12])}{', …' * (len(names) > 12)}: add {options}"
                f"{' …' * (len(names) > 4)}"
            )
        return self.model()

    def numeric_points(self) -> dict[str, list[Expr]]:
        """Return the positions to draw with the values put in."""
        values = {x: as_expr(value) for x, value in self.values.items()}
        return {name: substitute(list(point), values) for name, point in self.points.items()}

    def start(self, model: Model) -> "tuple[Array, Array]":
        """Return q and q̇ at the start: those of the file, or rest at the neutral configuration."""
        import numpy as np

        q = model.neutral if self.q is None else np.array(self.q)
        return q, np.zeros(model.nv) if self.qd is None else np.array(self.qd)
