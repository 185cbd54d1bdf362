"""From a picture to numbers: where its points are along a motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import BySymbol, Scalar, by_symbol, free_symbols, is_kind, time
from dalembert.expr.graph import Kind
from dalembert.picture.picture import Picture
from dalembert.picture.placed import Placed

if TYPE_CHECKING:
    from collections.abc import Callable

    from dalembert.model.model import Model
    from dalembert.types import Array


class PictureFunction:
    """The compiled picture of a model: configurations in, places of points out.

    Attributes:
        picture: What is computed, with numbers for all parameters.
        names: Of its points.
    """

    def __init__(
        self, model: Model, picture: Picture, values: BySymbol[Scalar] | None = None
    ) -> None:
        expressions = picture.expressions()
        open_ones = [x for x in free_symbols(expressions) if is_kind(x, Kind.PARAMETER)]
        self.picture = picture.subs(by_symbol(open_ones, _used(values or {}, open_ones)))
        self.names = tuple(self.picture.points)
        rows = self.picture.expressions()
        missing = {s for e in rows for s in e.symbols} - {*model.symbols.q, time}
        if missing:
            names = ", ".join(sorted(str(s) for s in missing))
            raise EvaluationError(
                f"expected values of all parameters for a picture, got none of {names}: compile "
                "the model with parameters="
            )
        inputs = {"q": model.symbols.q, "t": [time]}
        self._run: Callable[..., Array] = model.compile(rows, inputs, name="picture")

    def positions(self, t: Array, q: Array) -> Array:
        """Return places ``(N, points, 3)`` in m at times ``(N,)`` and q of shape ``(N, nq)``."""
        t, q = np.asarray(t, float), np.asarray(q, float)
        return np.asarray(self._run(q, t[:, None])).reshape(len(q), len(self.names), 3)

    def placed(self, t: Array, q: Array) -> Placed:
        """Return the picture along a motion."""
        picture = self.picture
        at = self.positions(t, q)
        return Placed(np.asarray(t, float), self.names, at, picture.parts, picture.source)


def _used(values: Mapping, open_ones: list) -> dict:
    """Return the values of symbols that are open; others are of no use to a picture."""
    names = {str(x) for x in open_ones}
    return {x: v for x, v in values.items() if x in open_ones or str(x) in names}
