"""What a model asks of the thing that it is a model of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr
from dalembert.recursions.constraints.closures import ConstraintRow
from dalembert.recursions.constraints.constrained import THRESHOLDS, Thresholds

if TYPE_CHECKING:
    from typing import Self

    from dalembert.kernel.backends.c.header import ArrayDoc
    from dalembert.kernel.call.kernel import Kernel
    from dalembert.mechanics import Equations
    from dalembert.mechanism import Mechanism
    from dalembert.model.certificates.expected.in_ring import InRing
    from dalembert.model.certificates.expected.on_graph import OnGraph
    from dalembert.model.configuration import Configuration
    from dalembert.model.formulas.formula import Formula
    from dalembert.picture import Picture, Point
    from dalembert.recursions.tree import Tree


class Symbols(NamedTuple):
    """The symbols that the expressions of a model are written with.

    ``q`` has nq entries, ``qd`` and ``qdd`` have nv. ``inputs`` are the torques of a mechanism or
    the inputs of a system, ``parameters`` those without a value.
    """

    q: tuple[Expr, ...]
    qd: tuple[Expr, ...]
    qdd: tuple[Expr, ...]
    inputs: tuple[Expr, ...]
    parameters: tuple[Expr, ...]


class Description(ABC):
    """A system or a mechanism, as a model and its clients see it: the same questions to both.

    Whatever can be written as expressions of the symbols is a `formula`; the attributes are facts
    that decide which formulas there are. Implementers: `SystemFormulas`, `MechanismFormulas`.

    Attributes:
        name: Of the robot; "system" where there is none.
        symbols: What the formulas are written with.
        is_timed: Whether the time occurs in them.
        has_energies: Whether T and V are known apart, not only the Lagrangian.
        constraint_rows: Name and unit of each row of A, and so of each multiplier λ: those of
            positions first, then those of velocities alone (Pfaffian).
        num_position_constraints: Rows of A that are the derivative of a(q) = 0.
        configuration: What the numbers of q stand for.
        dtype: What formulas are computed in: it decides what is rounding beside other numbers.
    """

    name: str
    symbols: Symbols
    is_timed: bool
    has_energies: bool
    constraint_rows: tuple[ConstraintRow, ...]
    num_position_constraints: int
    configuration: Configuration
    dtype: str = "float64"

    def in_dtype(self, dtype: str) -> Self:
        """Return the description whose formulas are computed in a dtype."""
        if dtype == self.dtype:
            return self
        # nothing that is kept depends on the dtype
        other = copy(self)
        other.dtype = dtype
        return other

    @property
    def thresholds(self) -> Thresholds:
        """When rows of constraints are rounding beside others."""
        return THRESHOLDS[self.dtype]

    @property
    def has_constraints(self) -> bool:
        """Whether loops, couplings or other constraints act."""
        return bool(self.constraint_rows)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """A name for each row of A."""
        return tuple(row.name for row in self.constraint_rows)

    def rolled_kernel(self, name: str, dtype: str) -> Kernel | None:
        """Return a function as loops over joints on a GPU; None where straight lines do better."""
        del name, dtype
        return None

    @abstractmethod
    def packed_fields(self) -> dict[str, object]:
        """Return the arguments of `da.compile` that give this description again."""

    @property
    def driven_inputs(self) -> tuple[int, ...]:
        """The places of the inputs that an actuator can give; of a system all."""
        return tuple(range(len(self.symbols.inputs)))

    @property
    def has_shared_motors(self) -> bool:
        """Whether an actuator drives several joints at once."""
        return False

    @cached_property
    def long_tree(self) -> Tree | None:
        """The tree of a mechanism whose links are in long chains, for `RolledTree`; else None."""
        return None

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism:
        """Links, joints and frames.

        Raises:
            InvalidMechanism: this is a system, which has none.
        """

    @property
    @abstractmethod
    def regressor_parameters(self) -> tuple[tuple[str, ...], list[Expr]]:
        """Names and values of θ in τ = Y θ, where Y is the formula "regressor".

        Raises:
            InvalidMechanism: this is a system, which has none.
        """

    @abstractmethod
    def picture(self, points: Mapping[str, Point] | None = None) -> Picture:
        """Return what every drawing of it shows: points as expressions in m, and parts.

        Args:
            points: Of a system: points by name that are drawn instead of its bodies.
        """

    @abstractmethod
    def array_docs(self) -> dict[str, ArrayDoc] | None:
        """Return what the arrays of generated code mean, row by row; None where q says it all."""

    @abstractmethod
    def equations(self) -> Equations:
        """Return the exact equations of motion that the formulas belong to.

        Raises:
            InvalidMechanism: they have none in coordinates, or leave out springs and friction.
        """

    @abstractmethod
    def expected_on_graph(self) -> OnGraph:
        """Return what programs must compute by the equations of motion, as expressions."""

    @abstractmethod
    def expected_in_ring(self) -> InRing | None:
        """Return the same in canonical form; None where the exact equations are too large.

        Raises:
            TooLarge: they turn out to be.
        """

    @abstractmethod
    def formula(self, name: str, **options: object) -> Formula:
        """Return the formula of a function.

        Raises:
            UnknownName: there is none of that name, or it does not take one of the options.
        """
