"""Letters for positions, energies and loads that no symbol of the system has already."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, Matrix
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.step import subscript
from dalembert.ring import Element
from dalembert.typeset.parts.letters import is_taken, names_in, own_letter
from dalembert.typeset.render.sentences import latex_letter

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

_SPELLED = {"ω": "omega", "Ω": "Omega", "ρ": "rho"}


class Letter(NamedTuple):
    """A letter in Unicode, which LaTeX may spell out."""

    glyph: str

    def __str__(self) -> str:
        return self.glyph

    def line(self, form: Element | Expr | Matrix) -> DerivationLine:
        """Return the formula that says what the letter is."""
        return DerivationLine(self.glyph, self.latex, form)

    def rate_line(self, form: Element | Expr | Matrix) -> DerivationLine:
        """Return the formula of its time derivative."""
        dotted = unicodedata.normalize("NFC", f"{self.glyph}\u0307")
        return DerivationLine(dotted, f"\\dot{{{self.latex}}}", form)

    @property
    def latex(self) -> str:
        """The letter in LaTeX."""
        return latex_letter(self.glyph)

    def of(self, i: int) -> tuple[str, str]:
        """Return r₁ in Unicode and in LaTeX."""
        return f"{self.glyph}{subscript(i)}", f"{self.latex}_{{{i}}}"

    def dotted(self, i: int, dots: int = 1) -> tuple[str, str]:
        """Return ṙ₁ in Unicode and in LaTeX."""
        mark, command = ("\u0307", "\\dot") if dots == 1 else ("\u0308", "\\ddot")
        return f"{self.glyph}{mark}{subscript(i)}", f"{command}{{{self.latex}}}_{{{i}}}"


def own(eq: Equations, wanted: str) -> Letter:
    """Return a capital of ours, as M, in script if a symbol of the equations is called so."""
    return Letter(own_letter(wanted, names_in(eq.ring.generators)))


def letter(eq: Equations, *wanted: str) -> Letter:
    """Return the first of the letters with which no symbol of the equations is written, r₁."""
    used = names_in(eq.ring.generators)
    free = [x for x in wanted if not is_taken(_SPELLED.get(x, x), used)]
    return Letter((free or list(wanted))[0])


def position_letter(eq: Equations) -> Letter:
    """Return the letter of centres of mass."""
    return letter(eq, "r", "p", "ρ", "X")


def spin_letter(eq: Equations) -> Letter:
    """Return the letter of angular velocities."""
    return letter(eq, "ω", "Ω", "w")


def energy_letter(eq: Equations) -> Letter:
    """Return the letter of kinetic energies."""
    return letter(eq, "T", "K")
