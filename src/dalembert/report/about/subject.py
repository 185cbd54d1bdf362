"""What a report is about, with what its sections share, computed once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import BySymbol, Expr, Scalar, by_symbol, symbol_text
from dalembert.mechanics import BaseParameters, Equations, System
from dalembert.mechanics.equations.derivation import Derivation
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanism import Mechanism
from dalembert.model import Model, compile
from dalembert.model.pictures.place import PictureFunction
from dalembert.picture import Mass, Placed
from dalembert.report.content import Table
from dalembert.simulation import Trajectory, simulate

if TYPE_CHECKING:
    from dalembert.mechanics.equations.routes.letters import Letters
    from dalembert.types import Array, ArrayLike

MAX_TERMS = 600
"""Terms of M, C and N above which equations are not written out: nobody would read them."""
GRAVITY = 9.81
START = 0.5
DURATION = 3.0
FRAMES_PER_SECOND = 40
# starts of a system with constraints, of which one is taken
TRIES = 12
INSTANT = 1e-6
"""Seconds of a motion of which only the start is of interest."""
HELD = 1e-9
"""A part up to which a singular value, or a coordinate of a unit motion, counts as zero."""
MAX_ROWS = 80
STILL = 1e-9
"""Change of a coordinate, in m or rad, up to which it has not moved."""


class Options(NamedTuple):
    """What a person may choose for a report; the arguments of `write` say what they are."""

    title: str | None = None
    values: BySymbol[Scalar] | None = None
    duration: float | None = None
    points: Mapping[str, Sequence[Expr]] | None = None
    q: ArrayLike | None = None
    qd: ArrayLike | None = None
    letters: Letters | None = None


class Subject(ABC):
    """What a report is about; mechanisms and systems answer in their own ways.

    Attributes:
        given: The mechanism or system.
        title: The name on the page.
        duration: Of the simulation, in seconds.
    """

    given: Mechanism | System

    def __init__(self, name: str, options: Options) -> None:
        self.title = options.title or name
        self.duration = options.duration or self.usual_duration
        self._q, self._qd, self._letters = options.q, options.qd, options.letters
        self.chosen = by_symbol(self.given.parameters, options.values or {})

    @property
    def usual_duration(self) -> float:
        """Seconds of the simulation unless others are asked for."""
        return DURATION

    @property
    @abstractmethod
    def summary(self) -> str:
        """What it is, in a sentence."""

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism.

        Raises:
            InvalidMechanism: it is a system, which has no links.
        """
        return self.model.mechanism

    @property
    def frame(self) -> str | None:
        """The frame whose places are of interest; None where there are no frames."""
        return None

    @abstractmethod
    def parts(self) -> Table:
        """Return the table of joints, of bodies or of coordinates."""

    @cached_property
    def picture(self) -> PictureFunction:
        """What every drawing of it shows."""
        return PictureFunction(self.model, self.model.description.picture(), self.values)

    @property
    def tip(self) -> int:
        """The number of the point whose path is of interest: the last mass, else the last one."""
        numbers = {name: i for i, name in enumerate(self.picture.names)}
        masses = [x for x in self.picture.picture.parts if isinstance(x, Mass)]
        return numbers[masses[-1].ends[0]] if masses else len(numbers) - 1

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """A unit for each coordinate, empty where there is none, ``(nq,)``."""

    @abstractmethod
    def prove(self) -> list[Proof]:
        """Prove the properties of the equations."""

    @abstractmethod
    def base_parameters(self) -> BaseParameters:
        """Return the combinations of parameters that the motion depends on."""

    @property
    @abstractmethod
    def start_step(self) -> Array:
        """How far from the neutral configuration the simulation starts, ``(nv,)``."""

    @cached_property
    def equations(self) -> Equations:
        """The exact equations of motion."""
        return self.given.equations().with_letters(self._letters)

    @cached_property
    def derivation(self) -> Derivation:
        """The derivation by Lagrange's method."""
        return self.equations.derivation()

    @cached_property
    def size(self) -> int:
        """How many terms M, C, N, A and Ȧ have."""
        forms = self.equations.forms
        parts = (forms.M, forms.C, forms.N, forms.A, forms.Ad)
        return sum(len(x) for part in parts for x in part)

    @property
    def is_readable(self) -> bool:
        """Tell whether the equations are short enough to be written out."""
        return self.size <= MAX_TERMS

    @cached_property
    def values(self) -> dict[Expr, Scalar]:
        """A number for every parameter: those given, g = 9.81, all others 1."""
        return {x: self.chosen.get(x, usual_number(x)) for x in self.given.parameters}

    @cached_property
    def model(self) -> Model:
        """The compiled model with these numbers."""
        return compile(self.given, parameters=self.values)

    @cached_property
    def start(self) -> Array:
        """Where the simulation starts: half a unit from the neutral configuration, in limits."""
        if self._q is not None:
            return np.array(self._q, float)
        model = self.model
        q = np.asarray(model.integrate(model.neutral, self.start_step))
        return np.clip(q, model.configuration.lower, model.configuration.upper)

    @cached_property
    def motion(self) -> Trajectory:
        """The motion from the start, without actuation.

        What would stay at rest there for ever, or would fall into a singularity, gets a velocity,
        unless a person has chosen one.
        """
        found = self._moved(self._qd)
        if self._qd is not None or (found.ok and np.ptp(found.q, axis=0).max(initial=0.0) > STILL):
            return found
        pushed = self._moved(np.full(self.model.nv, START))
        return pushed if pushed.ok else found

    def _moved(self, qd: ArrayLike | None) -> Trajectory:
        count = round(self.duration * FRAMES_PER_SECOND) + 1
        times = np.linspace(0.0, self.duration, max(count, 26))
        if not self.model.description.has_constraints:
            return simulate(self.model, self.start, qd, times)
        return simulate(self.model, self._closed_start, qd, times, initial="project")

    @cached_property
    def _closed_start(self) -> Array:
        """Of some configurations that obey the constraints, the one that is most open.

        The one that a person has chosen stands alone; where none is found it is the start itself.
        """
        if self._q is not None:
            return self.start
        rng = np.random.default_rng(0)
        found: list[Array] = []
        for k in range(TRIES):
            q = self.start + k * rng.normal(size=self.start.shape) / TRIES
            # where no configuration near it obeys them, another is tried
            with suppress(EvaluationError):
                near = simulate(self.model, q, None, [0.0, INSTANT], initial="project")
                found.append(near.q[0])
        return max(found, key=self._openness, default=self.start)

    def _openness(self, q: Array) -> float:
        """Return how far a configuration is from singularities of A and from dead points, 0 to 1.

        It is σ_min/σ_max of A times the share of the coordinate that moves least in motions with
        A q̇ = 0.
        """
        when = 0.0 if self.model.description.is_timed else None
        _, sizes, rows = np.linalg.svd(np.asarray(self.model.constraint_jacobian(q, t=when)))
        # repeated constraints and coordinates that are held everywhere are no sign of either
        held = sizes[sizes > HELD * sizes.max(initial=0.0)]
        shares = np.linalg.norm(rows[len(held) :], axis=0)
        least = shares[shares > HELD].min(initial=1.0)
        return float(least * held.min(initial=1.0) / held.max(initial=1.0))

    @property
    def is_from_rest(self) -> bool:
        """Tell whether the motion begins without velocity."""
        return not np.any(self.motion.qd[0])

    @cached_property
    def moving(self) -> Placed:
        """What is drawn of the motion."""
        return self.picture.placed(self.motion.t, self.motion.q)

    @property
    def at_start(self) -> Placed:
        """What is drawn of the configuration at which the simulation starts."""
        return self.moving.cut(0, 1)


def usual_number(parameter: Expr, other: float = 1) -> float:
    """Return the number of a parameter that nobody has given."""
    return GRAVITY if symbol_text(parameter) == "g" else other
