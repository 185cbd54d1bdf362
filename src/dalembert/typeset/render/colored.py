"""Equations of motion as MathML whose terms tell of what kind they are by their class."""

from __future__ import annotations

from dalembert.typeset.render.kinds import NONE, Rates, kind_of, rates_of, rates_of_power
from dalembert.typeset.render.mathml import MathmlRenderer
from dalembert.typeset.tree import Product, Sum

NOTHING = frozenset([NONE])


class ColoredRenderer(MathmlRenderer):
    """MathML with a class for each term; of a bracket with terms of several kinds, for each inside.

    ``rest`` is the kind of terms without rates, inputs and multipliers.
    """

    rest = "gravity"

    def __init__(self, short: bool = False) -> None:
        super().__init__(short)
        # what stands in front of the bracket that is being written; None: its kind is known
        self._front: frozenset[Rates] | None = NOTHING

    def _magnitude(self, p: Product) -> str:
        front = self._front
        if front is None or not p.coefficient:
            return super()._magnitude(p)
        found = {a.times(b) for a in front for b in rates_of(p)}
        kind = kind_of(found, self.rest)
        sums = [x for x in p.factors if isinstance(x.base, Sum)]
        try:
            if kind is not None or len(sums) != 1 or sums[0].exponent != 1:
                self._front = None
                plain = super()._magnitude(p)
                return plain if kind is None else f'<mrow class="{kind}">{plain}</mrow>'
            others = frozenset(front)
            for x in p.factors:
                if x is not sums[0]:
                    others = frozenset(a.times(b) for a in others for b in rates_of_power(x))
            self._front = others
            return super()._magnitude(p)
        finally:
            self._front = front


class ColoredForces(ColoredRenderer):
    """The same for the side of the forces, on which what has no input is applied too."""

    rest = "applied"
