"""Give expressions and matrices the faces and the elimination that this layer provides."""

from __future__ import annotations

from dalembert.expr import Expr, Matrix
from dalembert.ring.linear import matrix_det, matrix_solve
from dalembert.ring.printer import CanonicalPrinter


class CanonicalAlgebra:
    """Printing and exact elimination of matrices."""

    printer = CanonicalPrinter()

    def text(self, a: Matrix) -> str:
        """Return Unicode text."""
        return self.printer.text(a)

    def latex(self, a: Matrix) -> str:
        """Return LaTeX without delimiters."""
        return self.printer.latex(a)

    def det(self, a: Matrix) -> Expr:
        """Return the determinant."""
        return matrix_det(a)

    def solve(self, a: Matrix, b: Matrix) -> Matrix:
        """Return x with a @ x = b."""
        return matrix_solve(a, b)


def register() -> None:
    """Set the hooks of the layer below; it must not import this one."""
    Expr.printer = CanonicalPrinter()
    Matrix.algebra = CanonicalAlgebra()
