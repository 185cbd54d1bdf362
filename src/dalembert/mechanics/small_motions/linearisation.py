"""Linear equations M δq̈ + D δq̇ + K δq = B δu, printed, as state space, and by their modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, Matrix, Notation
from dalembert.mechanics.equations.formula import (
    DerivationLine,
    formulas_latex,
    formulas_text,
)
from dalembert.typeset.parts.write import aligned, equation_lines
from dalembert.typeset.printer import expr_tree
from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.lines import wrap
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.render.trig_style import is_short
from dalembert.typeset.rounding import Rounding, relation
from dalembert.typeset.tree import Power, Product, SymbolLeaf, number, sum_tree

if TYPE_CHECKING:
    from dalembert.expr import Symbol
    from dalembert.mechanics.small_motions.modes import Modes


class StateSpace(NamedTuple):
    """ẋ = A x + B u with x = (δq, δq̇); A is 2n × 2n, B has a column for each input."""

    A: Matrix
    B: Matrix
    states: tuple[Expr, ...]
    inputs: tuple[Expr, ...]

    def __str__(self) -> str:
        return formulas_text(self._formulas())

    def _repr_latex_(self) -> str:
        return formulas_latex(self._formulas())

    def _formulas(self) -> list[DerivationLine]:
        x, u = Matrix.column(self.states), Matrix.column(self.inputs)
        parts = {"x": x, "u": u, "A": self.A, "B": self.B}
        # without inputs u and B have no entries to write
        return [DerivationLine(name, name, part) for name, part in parts.items() if part.entries]


@dataclass(frozen=True, eq=False)
class Linearisation:
    """Small deviations δq from a point or a motion: M δq̈ + D δq̇ + K δq + offset = B δu.

    Attributes:
        variables: δq, those of the free coordinates where constraints act.
        inputs: δu.
        M, D, K, B: The matrices, expressions of parameters and time.
        offset: The unbalanced force, zero at an equilibrium and along a motion.
        followers: Of constrained coordinates (δx, row Z) with δx = Z δq.
        multipliers: λ at the point.
        about: The point or motion.
    """

    variables: tuple[Expr, ...]
    inputs: tuple[Expr, ...]
    M: Matrix
    D: Matrix
    K: Matrix
    B: Matrix
    offset: Matrix
    followers: tuple[tuple[Expr, Matrix], ...]
    multipliers: tuple[Expr, ...]
    about: Mapping[Expr, Expr]

    def state_space(self) -> StateSpace:
        """Return A and B of ẋ = A x + B u with x = (δq, δq̇).

        >>> import dalembert as da
        >>> eq = da.textbook.cart_pole().equations()
        >>> x, theta = eq.coordinates
        >>> print(eq.linearise({theta: da.pi}).state_space().A)
        ⎡0                  0  1  0⎤
        ⎢0                  0  0  1⎥
        ⎢0          m_p g/m_c  0  0⎥
        ⎣0  (1 + m_p/m_c) g/l  0  0⎦
        """
        n = len(self.variables)
        right = self.M.solve(-self.K.beside(self.D).beside(-self.B))
        rows = [[*row] for row in right.rows]
        zero, one = Matrix.zeros(n, n), Matrix.identity(n)
        A = zero.beside(one).stack(Matrix([row[: 2 * n] for row in rows], 2 * n))
        below = Matrix([row[2 * n :] for row in rows], len(self.inputs))
        B = Matrix.zeros(n, len(self.inputs)).stack(below)
        states = (*self.variables, *(x.dot for x in self.variables))
        return StateSpace(A, B, states, self.inputs)

    def modes(self) -> Modes:
        """Return the normal modes in closed form: frequencies, shapes, damping ratios.

        >>> import dalembert as da
        >>> x, y = da.coordinates("x y")
        >>> m, k = da.parameters("m k")
        >>> coupled = da.System(
        ...     kinetic=m * (x.dot**2 + y.dot**2) / 2,
        ...     potential=k * (x**2 + (x - y) ** 2 + y**2) / 2,
        ...     coordinates=[x, y],
        ... )
        >>> print(coupled.equations().linearise().modes())
        ω₁ = √(k/m),  (δx, δy) = (1, 1)
        ω₂ = √(3 k/m),  (δx, δy) = (1, -1)
        """
        from dalembert.mechanics.small_motions.modes import normal_modes

        return normal_modes(self)

    # ---- text

    def __str__(self) -> str:
        pairs = self._pairs()
        renderer = TextRenderer(is_short([tree for pair in pairs for tree in pair]))
        text = renderer.render
        return "\n".join(wrap(f"{text(a)} {relation([a, b])} {text(b)}") for a, b in pairs)

    __repr__ = __str__

    def latex(self) -> str:
        """Return one line for each equation as LaTeX."""
        pairs = self._pairs()
        renderer = LatexRenderer(is_short([tree for pair in pairs for tree in pair]))
        return aligned([line for a, b in pairs for line in equation_lines(a, b, renderer)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _pairs(self) -> list[tuple[Product, Product]]:
        """Return both sides of each equation, then the coordinates that follow, as trees."""
        second = [x.dot.dot for x in self.variables]
        first = [x.dot for x in self.variables]
        order = tuple(x.symbol for x in self.variables if x.symbol is not None)
        pairs = []
        for i in range(len(self.variables)):
            left = _row(self.M, i, second, order) + _row(self.D, i, first, order)
            left += _row(self.K, i, self.variables, order)
            if self.offset[i] != 0:
                left.append(expr_tree(self.offset[i], order))
            right = _row(self.B, i, self.inputs, order)
            pairs.append((sum_tree(left), sum_tree(right) if right else number(0)))
        for x, row in self.followers:
            terms = _row(row, 0, self.variables, order)
            pairs.append((expr_tree(x), sum_tree(terms) if terms else number(0)))
        trees = iter(Rounding(Notation().digits).trees([tree for pair in pairs for tree in pair]))
        return [(next(trees), next(trees)) for _ in pairs]


def _row(
    a: Matrix, i: int, symbols: tuple[Expr, ...] | list[Expr], order: tuple[Symbol, ...]
) -> list[Product]:
    """Return the terms aᵢⱼ xⱼ that are not zero."""
    terms = []
    for j, x in enumerate(symbols):
        if a[i, j] != 0 and x.symbol is not None:
            k = expr_tree(a[i, j], order)
            terms.append(Product(k.coefficient, (*k.factors, Power(SymbolLeaf(x.symbol))), k.under))
    return terms
