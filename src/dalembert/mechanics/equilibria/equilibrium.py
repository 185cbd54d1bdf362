"""An equilibrium: where it is, under which conditions, what holds it, and whether it is stable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from dalembert.expr import Expr
from dalembert.mechanics.equilibria.verdict import Stability


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A point of rest.

    Attributes:
        point: Value of each coordinate; x₀ stands for any value of a free one.
        multipliers: λ, the reactions that hold it.
        conditions: Inequalities of the parameters without which it does not exist.
        free: Coordinates that may have any value: a family of equilibria.
        is_exact: Whether it was found in closed form; otherwise the values are numbers.
        residual: Of a numerical one the largest unbalanced force.
    """

    point: dict[Expr, Expr]
    multipliers: tuple[Expr, ...] = ()
    conditions: tuple[str, ...] = ()
    free: tuple[Expr, ...] = ()
    is_exact: bool = True
    residual: float = 0.0
    judge: Callable[[], Stability] | None = field(default=None, repr=False)
    """What finds the verdict when it is asked for."""

    @cached_property
    def stability(self) -> Stability:
        """The verdict on its stability, with the reason."""
        assert self.judge is not None
        return self.judge()

    @property
    def where(self) -> str:
        """Its coordinates as text, ``θ = acos(g/(R ω²))``."""
        texts = []
        for q, value in self.point.items():
            shown = value if self.is_exact else f"{float(value):.9g}"
            texts.append(f"{q} any" if q in self.free else f"{q} = {shown}")
        return ", ".join(texts)

    def __str__(self) -> str:
        head = self.where
        if self.conditions:
            head += f", where {' and '.join(self.conditions)}"
        if self.multipliers:
            lam = ", ".join(
                str(x) if self.is_exact or x.symbols else f"{float(x):.9g}"
                for x in self.multipliers
            )
            head += f", λ = {lam}" if len(self.multipliers) == 1 else f", λ = ({lam})"
        return f"{head}\n    {self.stability}"

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        point = ", ".join(
            f"${q.latex()}$ any" if q in self.free else f"${q.latex()} = {value.latex()}$"
            for q, value in self.point.items()
        )
        where = f", where {' and '.join(self.conditions)}" if self.conditions else ""
        return f"**{point}**{where}  \n{self.stability}"


class Equilibria(list[Equilibrium]):
    """All equilibria that were found; printed below each other."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "no equilibrium"

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return "\n\n".join(x._repr_markdown_() for x in self) or "no equilibrium"
