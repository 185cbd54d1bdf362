"""The functions that certificates cover: what each must compute, written once for all sources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from dalembert.errors import UnknownName, nearest

if TYPE_CHECKING:
    from dalembert.expr import Expr

Entry = TypeVar("Entry")
"""Ring elements, or expressions on the graph."""

Outputs = dict[str, list[Entry]]
"""Entries in row order, by the names that the formulas give their outputs."""

Method = TypeVar("Method", bound=Callable[..., "Outputs"])


class Promise(NamedTuple):
    """What a function computes, in symbols, and the arrays that it takes and gives.

    Names of inputs and outputs are in order. Shapes are words: "v v" for nv rows and columns, with
    q for nq, u for the number of forces, c for that of constraints; "" for a single number.
    """

    statement: str
    takes: tuple[str, ...]
    gives: dict[str, str]


PROMISES: dict[object, Promise] = {}
"""What a function computes, by the method that says it in full."""


def computes(statement: str, takes: str, **gives: str) -> Callable[[Method], Method]:
    """Mark the method that says what the function of its name must compute; see `Promise`."""

    def mark(method: Method) -> Method:
        PROMISES[method] = Promise(statement, tuple(takes.split()), gives)
        return method

    return mark


class Expected(ABC, Generic[Entry]):
    """What the programs of a description must compute, by the names of its functions.

    A source of the equations fills in the parts; the functions follow from them. To certify one
    more function, add a method of its name marked by `computes`.
    """

    has_energies: bool
    is_quadratic = True
    """Whether the Lagrangian is quadratic in q̇, so that M and C are functions of their own."""
    has_coordinates: bool

    @property
    def names(self) -> list[str]:
        """The functions that these equations determine."""
        absent: set[str] = set()
        if not self.has_energies:
            absent |= {"kinetic_energy", "potential_energy"}
        if not self.is_quadratic:
            absent |= {"mass_matrix", "coriolis"}
        if not self.has_coordinates:
            absent |= {"inverse_dynamics_derivatives"}
        return [name for name in _promises(type(self)) if name not in absent]

    def promise(self, name: str) -> Promise:
        """Return what a function computes, and its arrays."""
        return _promises(type(self))[name]

    def outputs(self, name: str) -> Outputs[Entry]:
        """Return what a function must compute.

        Raises:
            UnknownName: These equations do not determine the function.
        """
        if name not in self.names:
            raise UnknownName(
                f"expected a function that the equations determine, got {name!r}: "
                f"{nearest(name, self.names)}"
            )
        return getattr(self, name)()

    # ---- parts

    @cached_property
    @abstractmethod
    def M(self) -> list[Entry]:
        """The mass matrix in row order."""

    @cached_property
    @abstractmethod
    def g(self) -> list[Entry]:
        """∂V/∂q of the weight; of a system -∂L/∂q at rest."""

    @cached_property
    @abstractmethod
    def h(self) -> list[Entry]:
        """C q̇ + N."""

    @cached_property
    @abstractmethod
    def tau(self) -> list[Entry]:
        """M q̈ + C q̇ + N."""

    @cached_property
    @abstractmethod
    def T(self) -> Entry:
        """The kinetic energy."""

    @cached_property
    @abstractmethod
    def V(self) -> Entry:
        """The potential energy."""

    @cached_property
    @abstractmethod
    def E(self) -> Entry:
        """T + V, or q̇ᵀ ∂L/∂q̇ - L where only the Lagrangian is known."""

    @property
    @abstractmethod
    def coordinates(self) -> tuple[Sequence[Expr], Sequence[Expr]]:
        """The symbols of q and of q̇."""

    @abstractmethod
    def slopes(self, symbols: Sequence[Expr]) -> list[Entry]:
        """Return ∂τ/∂x in row order."""

    # ---- functions

    @computes("M", "q", M="v v")
    def mass_matrix(self) -> Outputs[Entry]:
        return {"M": self.M}

    @abstractmethod
    @computes("C of the Christoffel symbols", "q qd", C="v v")
    def coriolis(self) -> Outputs[Entry]:
        """Return C in row order, or "Cv" = C q̇ where C itself is not known."""

    @computes("g = ∂V/∂q", "q", g="v")
    def gravity(self) -> Outputs[Entry]:
        return {"g": self.g}

    @computes("h = C q̇ + N", "q qd", h="v")
    def bias(self) -> Outputs[Entry]:
        return {"h": self.h}

    @computes("τ = M q̈ + C q̇ + N", "q qd qdd", tau="v")
    def inverse_dynamics(self) -> Outputs[Entry]:
        return {"tau": self.tau}

    @computes("T", "q qd", T="")
    def kinetic_energy(self) -> Outputs[Entry]:
        return {"T": [self.T]}

    @computes("V", "q", V="")
    def potential_energy(self) -> Outputs[Entry]:
        return {"V": [self.V]}

    @computes("T + V", "q qd", E="")
    def energy(self) -> Outputs[Entry]:
        return {"E": [self.E]}

    @computes("∂τ/∂q, ∂τ/∂q̇ and M", "q qd qdd", dtau_dq="v v", dtau_dv="v v", M="v v")
    def inverse_dynamics_derivatives(self) -> Outputs[Entry]:
        q, v = self.coordinates
        return {"dtau_dq": self.slopes(q), "dtau_dv": self.slopes(v), "M": self.M}


def _promises(owner: type) -> dict[str, Promise]:
    """Return the promises of the marked methods, those of base classes first."""
    return {
        name: PROMISES[method]
        for cls in reversed(owner.__mro__)
        for name, method in vars(cls).items()
        if isinstance(method, Hashable) and method in PROMISES
    }
