"""Letters for positions, energies and loads that no symbol of the system has already."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.mechanics.equations.step import subscript
from dalembert.typeset.parts.graph import is_taken

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

_SPELLED = {"ω": "omega", "Ω": "Omega", "ρ": "rho"}


class Letter(NamedTuple):
    """A letter in Unicode; its spelling in LaTeX has a backslash if it is Greek."""

    glyph: str

    @property
    def latex(self) -> str:
        """The letter in LaTeX."""
        return f"\\{_SPELLED[self.glyph]}" if self.glyph in _SPELLED else self.glyph

    def of(self, i: int) -> tuple[str, str]:
        """Return r₁ in Unicode and in LaTeX."""
        return f"{self.glyph}{subscript(i)}", f"{self.latex}_{{{i}}}"

    def dotted(self, i: int, dots: int = 1) -> tuple[str, str]:
        """Return ṙ₁ in Unicode and in LaTeX."""
        mark, command = ("\u0307", "\\dot") if dots == 1 else ("\u0308", "\\ddot")
        return f"{self.glyph}{mark}{subscript(i)}", f"{command}{{{self.latex}}}_{{{i}}}"


def letter(eq: Equations, *wanted: str) -> Letter:
    """Return the first of the letters with which no symbol of the equations is written, r₁."""
    used = [g.symbol.name for g in eq.ring.generators if g.symbol is not None]
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
