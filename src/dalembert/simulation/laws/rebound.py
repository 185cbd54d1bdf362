"""The rebound from one contact in flight, compiled: no other impulse acts, and no mode changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr import ONE, ZERO, Expr, abs_, parameters, sign
from dalembert.simulation.constraints.rounding import rounding_bounds
from dalembert.simulation.contact.scales import CLOCK, RESTING, ROUNDING, TOUCH
from dalembert.simulation.events.base import Effect, ModeChange
from dalembert.simulation.laws.elimination import held_accelerations
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.simulation.laws.modes import Modes


class _Row(NamedTuple):
    """The symbols of a contact: whether it is hit, sizes so far, restitution, slowest rebound."""

    pick: Expr
    gap: Expr
    speed: Expr
    gap_terms: Expr
    speed_terms: Expr
    restitution: Expr
    resting: Expr


class Rebounds:
    """Impacts of single contacts of a model whose velocities are rates of q, without constraints.

    The rules are those of `Scales` and `blow`.
    """

    def __init__(self, modes: Modes) -> None:
        self.modes, model, rows = modes, modes.problem.model, modes.contacts.rows
        k = range(len(rows))
        self._picks, self._symbols = (
            np.eye(len(rows)),
            {name: parameters(" ".join(f"{name}_{i}" for i in k)) for name in _Row._fields},
        )
        given = [row.resting_speed or 0.0 for row in rows]
        self._numbers = np.array([row.restitution for row in rows]), np.array(given)
        (ulp,) = parameters("ulp")
        expressions = [x for row in rows for x in row if isinstance(x, Expr)]
        self._run = compiled(
            model,
            ("rebound", rows),
            lambda: self._outputs(model, ulp),
            {**state_symbols(model), **self._symbols, "ulp": [ulp]},
            expressions,
        )

    def at(self, t: float, q: np.ndarray, v: np.ndarray, k: int) -> Effect | None:
        """Return what follows when contact k was hit; None if it is more than a rebound.

        That is so where another gap is closed too, and where the rebound is so slow that the
        contact rests.
        """
        sizes, ulp = self.modes.scales, np.array([math.ulp(t)])
        known = (sizes.gap, sizes.speed, sizes.gap_terms, sizes.speed_terms)
        found = self._run(t, q, v, self._picks[k], *known, *self._numbers, ulp)
        after, is_simple, (impulse, work), *known = found
        sizes.gap, sizes.speed, sizes.gap_terms, sizes.speed_terms = known
        if not is_simple.min() > 0:
            return None
        name = self.modes.names[k]
        change = ModeChange(k, (name,), impulse * self._picks[k], self._numbers[0])
        return Effect(f"impact at {name}", after, float(work), change)

    def _outputs(self, model: Model, ulp: Expr) -> dict[str, Sequence[Expr]]:
        """Return the state after it, what is positive where it is all, impulse, work, new sizes."""
        q, v, rows = model.symbols.q, model.symbols.qd, self.modes.contacts.rows
        symbols = [_Row(*each) for each in zip(*self._symbols.values(), strict=True)]
        gaps = [row.gap if row.gap is not None else ZERO for row in rows]
        speeds = [row.velocity for row in rows]
        gap_terms, speed_terms = (
            [_larger(old, new) for old, new in zip(known, rounding_bounds(all_), strict=True)]
            for known, all_ in (
                (self._symbols["gap_terms"], gaps),
                (self._symbols["speed_terms"], speeds),
            )
        )
        most = [_larger(s.gap, abs_(gap)) for s, gap in zip(symbols, gaps, strict=True)]
        fastest = [_larger(s.speed, abs_(u)) for s, u in zip(symbols, speeds, strict=True)]
        # of the row that is hit: M⁻¹ Aᵀ and A M⁻¹ Aᵀ
        u = _picked(symbols, speeds)
        A = [u.diff(x) for x in v]
        response = held_accelerations(model.expressions("mass_matrix", q), A, [ZERO] * len(v))
        mobility = sum((a * b for a, b in zip(A, response, strict=True)), ZERO)
        speed = -u * _picked(symbols, [s.restitution for s in symbols])
        # a gap that no velocity changes has no impulse
        is_mobile = sign(mobility)
        mobility = mobility + (ONE - is_mobile) * (ONE + is_mobile)
        impulse = (speed - u) / mobility
        # onto the surface, then off
        back = -_picked(symbols, gaps) / mobility
        after = [x + back * d for x, d in zip(q, response, strict=True)]
        after += [x + impulse * d for x, d in zip(v, response, strict=True)]
        # other gaps are open, and the rebound is no rest
        is_simple = [is_mobile]
        for i, (s, row) in enumerate(zip(symbols, rows, strict=True)):
            touch = TOUCH * most[i] + ROUNDING * gap_terms[i] + CLOCK * ulp * abs_(speeds[i])
            resting = RESTING * fastest[i] + ROUNDING * speed_terms[i]
            if row.resting_speed is not None:
                resting = s.resting
            is_simple.append((ONE - s.pick) * (gaps[i] - touch) + s.pick * (speed - resting))
        drift = u.subs(dict.fromkeys(v, 0))
        return {
            "after": after,
            "is_simple": is_simple,
            "numbers": [impulse, -impulse * drift],
            "gap": most,
            "speed": fastest,
            "gap_terms": gap_terms,
            "speed_terms": speed_terms,
        }


def _picked(symbols: Sequence[_Row], values: Sequence[Expr]) -> Expr:
    return sum((s.pick * x for s, x in zip(symbols, values, strict=True)), ZERO)


def _larger(a: Expr, b: Expr) -> Expr:
    return (a + b + abs_(a - b)) / 2
