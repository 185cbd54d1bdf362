"""A pass along a run of links, compiled: a loop in which each link works on what the last one left.

What is zero in every link is found first, and is neither computed nor carried: the code of a planar
chain is that of planar bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, parameters
from dalembert.kernel.compiler import collection_paused
from dalembert.spatial.scalar import is_zero

if TYPE_CHECKING:
    from dalembert.kernel.call.loop import LoopKernel, Recorded
    from dalembert.kernel.program.program import Cost
    from dalembert.model.model import Model
    from dalembert.model.rolled.segments import Segment

Numbers = Sequence[Any]
Step = Callable[..., tuple[list[Any], list[Any]]]
"""What one link does: (link, carried, *rows) -> carried on, shown."""


class Layout(NamedTuple):
    """Which of so many numbers are not zero in every link, in order."""

    size: int
    places: tuple[int, ...]

    @classmethod
    def full(cls, size: int) -> Layout:
        """Return the layout of numbers that may all differ from zero."""
        return cls(size, tuple(range(size)))

    @classmethod
    def of(cls, numbers: Numbers) -> Layout:
        """Return the layout of scalars, some of which are zero structurally."""
        places = tuple(i for i, x in enumerate(numbers) if not is_zero(x))
        return cls(len(numbers), places)

    def joined(self, other: Layout) -> Layout:
        """Return the layout of what differs from zero in one of two."""
        return Layout(self.size, tuple(sorted({*self.places, *other.places})))

    def symbols(self, name: str) -> list[Any]:
        """Return a symbol for each number, 0 for those that are zero."""
        found: list[Any] = [0] * self.size
        if self.places:
            names = parameters(" ".join(f"{name}_{i}" for i in self.places))
            for i, x in zip(self.places, names, strict=True):
                found[i] = x
        return found

    def picked(self, numbers: Numbers) -> list[Expr]:
        """Return the numbers that are not zero."""
        return [as_expr(numbers[i]) for i in self.places]

    def packed(self, array: np.ndarray) -> np.ndarray:
        """Return the columns of an array that are not zero."""
        return array if len(self.places) == self.size else array[..., list(self.places)]

    def unpacked(self, array: np.ndarray) -> np.ndarray:
        """Return an array with all columns."""
        if len(self.places) == self.size:
            return array
        found = np.zeros((*array.shape[:-1], self.size))
        found[..., list(self.places)] = array
        return found


class Packed(NamedTuple):
    """Numbers of links, ``(..., links, columns)``, without the columns that are zero everywhere."""

    layout: Layout
    array: np.ndarray

    @classmethod
    def of(cls, array: np.ndarray) -> Packed:
        """Return an array of which all columns may differ from zero."""
        return cls(Layout.full(array.shape[-1]), array)

    def full(self) -> np.ndarray:
        """Return all columns."""
        return self.layout.unpacked(self.array)


class Swept(NamedTuple):
    """What a sweep leaves: at each link what it carried on and showed, in their order."""

    carried: Packed
    shown: Packed


class Sweep:
    """A compiled pass along a segment.

    Args:
        model: Whose backend compiles it.
        name: For errors.
        segment: The links.
        step: What one of them does.
        start: The layout of what the first link finds.
        rows: The layouts of what each link has for itself.
        inward: Whether it goes from the last link to the first.
    """

    def __init__(
        self,
        model: Model,
        name: str,
        segment: Segment,
        step: Step,
        start: Layout,
        rows: Sequence[Layout],
        *,
        inward: bool = False,
    ) -> None:
        self.name, self.segment, self.inward = name, segment, inward
        self.rows = tuple(rows)
        with collection_paused():
            given = [layout.symbols(f"row{k}") for k, layout in enumerate(rows)]
            carried, after, shown = _settled(segment, step, start, given)
            self.start = carried
            self.shown = Layout.of(shown)
            self._run = self._compiled(model, given, after, shown)

    def _compiled(
        self, model: Model, given: Sequence[Numbers], after: Numbers, shown: Numbers
    ) -> LoopKernel:
        inputs: dict[str, Any] = {}
        outputs: dict[str, Any] = {}
        if self.start.places:
            inputs["carried"] = self.start.picked(self.start.symbols("carried"))
            outputs["carried_on"] = self.start.picked(after)
        if self.shown.places:
            # what is recorded is carried, though no link looks at it
            inputs["last"] = self.shown.picked(self.shown.symbols("last"))
            outputs["shown"] = self.shown.picked(shown)
        fed = {"carried_on": "carried", "shown": "last"}
        rows = {
            f"row{k}": layout.picked(x)
            for k, (layout, x) in enumerate(zip(self.rows, given, strict=True))
            if layout.places
        }
        if self.segment.symbols:
            rows["constants"] = list(self.segment.symbols)
        return model.loop(
            outputs,
            {**inputs, **rows},
            {name: fed[name] for name in outputs},
            sequences=tuple(rows),
            name=self.name,
        )

    @property
    def cost(self) -> Cost:
        """What one link costs."""
        return self._run.loop.program.cost

    def __call__(self, start: np.ndarray, *rows: np.ndarray) -> Swept:
        """Run it for one state or many.

        Args:
            start: What the first link finds, ``(..., size)``.
            rows: For each layout an array ``(..., links, columns)``, packed as its layout says.

        Raises:
            EvaluationError: a number is not finite.
        """
        n = len(self.segment.nodes)
        arrays = [x for x in rows if x.shape[-1]]
        if self.segment.symbols:
            arrays.append(self.segment.constants)
        if self.inward:
            arrays = [x[..., ::-1, :] for x in arrays]
        first = [self.start.packed(start)] if self.start.places else []
        first += [np.zeros(len(self.shown.places))] if self.shown.places else []
        if start.ndim == 1 and all(x.ndim == 2 for x in arrays):
            found, is_finite = self._one(*first, *arrays)
        else:
            run = self._run(*first, *arrays, steps=n, record=1)
            found, is_finite = run.records, run.is_finite
        if not is_finite:
            raise EvaluationError(
                f"expected finite {self.name} of {n} links, got others: the state is too large, "
                "or a joint moves no inertia"
            )
        records = [x[..., ::-1, :] if self.inward else x for x in found]
        none = np.zeros((*records[0].shape[:-1], 0))
        carried = records.pop(0) if self.start.places else none
        shown = records.pop(0) if self.shown.places else none
        return Swept(Packed(self.start, carried), Packed(self.shown, shown))

    @cached_property
    def _one(self) -> Callable[..., Recorded]:
        """The pass for one state, which is run most often."""
        return self._run.recorder(len(self.segment.nodes))


def _settled(
    segment: Segment, step: Step, start: Layout, rows: Sequence[Numbers]
) -> tuple[Layout, Numbers, Numbers]:
    """Return the layout of what is carried, and what a link makes of it.

    Numbers that are zero at the start and stay zero are left out.
    """
    while True:
        after, shown = step(segment.link, start.symbols("carried"), *rows)
        found = start.joined(Layout.of(after))
        if found == start:
            return start, after, shown
        start = found
