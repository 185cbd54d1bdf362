"""The mechanism or system of a report, with what its sections share, computed once."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.expr import BySymbol, Expr, Scalar, by_symbol, symbol_text
from dalembert.mechanics import Equations, System
from dalembert.mechanics.equations.derivation import Derivation
from dalembert.mechanism import Mechanism
from dalembert.model import Model, compile
from dalembert.simulation import Trajectory, simulate
from dalembert.typeset.render.names import INERTIA, parse_name

if TYPE_CHECKING:
    from dalembert.types import Array

MAX_TERMS = 600
"""Terms of M, C and N above which equations are not written out: nobody would read them."""
GRAVITY = 9.81
START = 0.5
FRAMES_PER_SECOND = 40
# starts of a system whose constraints cannot be closed near the first
TRIES = 6


class Subject:
    """What a report is about.

    Args:
        given: the mechanism or system.
        values: numbers for its parameters, by symbol or name; the others are 1, and g is 9.81.
        title: the name on the page.
        duration: of the simulation, in seconds.
    """

    def __init__(
        self,
        given: Mechanism | System,
        values: BySymbol[Scalar] | None = None,
        title: str | None = None,
        duration: float | None = None,
    ) -> None:
        if not isinstance(given, Mechanism | System):
            raise InvalidMechanism(
                f"expected a Mechanism or a System to report on, got {type(given).__name__}: "
                "da.load reads a file, da.System takes energies"
            )
        self.given = given
        self.mechanism = given if isinstance(given, Mechanism) else None
        self.title = title or (self.mechanism.name if self.mechanism else "System")
        self.chosen = by_symbol(given.parameters, values or {})
        self.duration = duration or (0.5 if self._floats else 3.0)

    @property
    def _floats(self) -> bool:
        """Tell whether the root of the mechanism falls freely."""
        return self.mechanism is not None and any(j.nv == 6 for j in self.mechanism.joints)

    @cached_property
    def equations(self) -> Equations:
        """The exact equations of motion."""
        return self.given.equations()

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
        """A number for every parameter: those given, g = 9.81, all others 1.

        With loops the others differ a little, since equal lengths are the singular case; where no
        body has the inertias that this gives, moments are 10 and products of inertia 0.
        """
        found = self._numbers(is_heavy=False)
        if self.mechanism is None:
            return found
        try:
            self.mechanism.bind(found)
        except InvalidMechanism:
            return self._numbers(is_heavy=True)
        return found

    def _numbers(self, *, is_heavy: bool) -> dict[Expr, Scalar]:
        has_loops = self.mechanism is not None and bool(self.mechanism.loops)
        found: dict[Expr, Scalar] = {}
        for i, x in enumerate(self.given.parameters):
            usual = GRAVITY if symbol_text(x) == "g" else 1 + i / 10 if has_loops else 1
            moment = INERTIA.fullmatch(parse_name(symbol_text(x)).base) if is_heavy else None
            if moment is not None:
                usual = 10 if moment[2][0] == moment[2][1] else 0
            found[x] = self.chosen.get(x, usual)
        return found

    @cached_property
    def model(self) -> Model:
        """The compiled model with these numbers."""
        return compile(self.given, parameters=self.values)

    @cached_property
    def start(self) -> Array:
        """Where the simulation starts: half a unit from the neutral configuration, in limits.

        Joints of several coordinates, as that of a floating base, stay neutral.
        """
        model = self.model
        step = np.full(model.nv, START)
        if self.mechanism is not None:
            sizes = [joint.nv for joint in self.mechanism.joints if joint.nv]
            step = np.concatenate([np.full(n, START if n == 1 else 0.0) for n in sizes])
        q = np.asarray(model.integrate(model.neutral, step))
        return np.clip(q, model.configuration.lower, model.configuration.upper)

    @cached_property
    def motion(self) -> Trajectory:
        """The motion from rest at the start, without actuation."""
        count = round(self.duration * FRAMES_PER_SECOND) + 1
        times = np.linspace(0.0, self.duration, max(count, 26))
        if not self.model.description.has_constraints:
            return simulate(self.model, self.start, None, times)
        rng = np.random.default_rng(0)
        for k in range(TRIES):
            q = self.start + k * rng.normal(size=self.start.shape) / TRIES
            # where no closed configuration is near, another start is tried
            with suppress(EvaluationError):
                return simulate(self.model, q, None, times, initial="project")
        return simulate(self.model, self.start, None, times, initial="project")

    @property
    def frame(self) -> str | None:
        """The frame at the end of the mechanism: the last one named, or the last link."""
        if self.mechanism is None:
            return None
        frames = self.mechanism.frames
        return frames[-1].name if frames else self.mechanism.joints[-1].child
