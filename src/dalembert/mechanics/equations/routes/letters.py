"""Letters for positions, energies and loads that no symbol of the system has already."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dalembert.errors import InvalidSystem, UnknownName, nearest
from dalembert.expr import Expr, Matrix
from dalembert.expr.greek import spelled_out
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.ring import Element
from dalembert.typeset.parts.letters import is_taken, names_in, own_letter
from dalembert.typeset.render.names import parse_name, subscript
from dalembert.typeset.render.sentences import latex_letter

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

COURSES: dict[str, dict[str, str]] = {
    "penn": {"M": "D", "C": "C", "N": "φ"},
    "savin": {"M": "H", "h": "c", "A": "F"},
    "cmu": {"M": "M", "C": "C", "N": "N", "A": "A"},
}
"""Letters of courses for ours; h is the whole bias C q̇ + N."""

MEANINGS = {
    "M": "the mass matrix",
    "C": "the Coriolis matrix",
    "N": "all else on the left: gravity, springs, dissipation",
    "h": "C q̇ + N: Coriolis terms, gravity, springs, dissipation",
    "A": "the constraint Jacobian",
    "T": "the kinetic energy",
    "V": "the potential energy",
    "L": "the Lagrangian",
    "R": "Rayleigh's function",
    "H": "∂h/∂y of a change of coordinates",
}
"""What our letters stand for, of which others may be asked for."""

Letters: TypeAlias = str | Mapping[str, str]
"""A course, or other letters for some of ours: ``{"M": "D"}``."""


def chosen_letters(letters: Letters | None) -> tuple[tuple[str, str], ...]:
    """Return other letters for ours, in the order of `MEANINGS`.

    Raises:
        UnknownName: no such course, or a letter that is not ours.
        InvalidSystem: what a letter is to be printed as is no single letter, or stands twice.
    """
    if letters is None:
        return ()
    if isinstance(letters, str):
        if letters not in COURSES:
            raise UnknownName(
                f"expected letters of a course ({', '.join(COURSES)}) or a mapping, got "
                f"{letters!r:.40} ({nearest(letters, COURSES)})"
            )
        letters = COURSES[letters]
    if not isinstance(letters, Mapping):
        raise UnknownName(
            f"expected letters of a course ({', '.join(COURSES)}) or a mapping, got {letters!r:.40}"
        )
    for ours, theirs in letters.items():
        if ours not in MEANINGS:
            raise UnknownName(
                f"expected one of our letters ({', '.join(MEANINGS)}) as a key of letters=, got "
                f"{ours!r:.40}: see docs/notation.md"
            )
        if not isinstance(theirs, str) or len(theirs) != 1 or not theirs.isalpha():
            raise InvalidSystem(
                f"expected a single letter for {ours} in letters=, got {theirs!r:.40}"
            )
    values = [*letters.values()]
    if len({*values}) < len(values):
        twice = next(x for x in values if values.count(x) > 1)
        raise InvalidSystem(
            f"expected different letters in letters=, got {twice} twice: change one"
        )
    return tuple((x, letters[x]) for x in MEANINGS if x in letters)


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


def own(eq: Equations, ours: str) -> Letter:
    """Return a capital of ours, as M, or the letter that was asked for in its place.

    It is in script if a symbol of the equations is called so, or another letter.
    """
    wanted, names = dict(eq.letters).get(ours, ours), names_in(eq.ring.generators)
    if wanted != ours:
        is_used = any(parse_name(x).base in (wanted, spelled_out(wanted)) for x in names)
        if not is_used:
            return Letter(wanted)
    # H is no letter of ours any more where M is called H
    others = [theirs for x, theirs in eq.letters if x != ours]
    return Letter(own_letter(ours, [*names, *others]))


def written_form(eq: Equations) -> str:
    """Return the manipulator form in the letters of the equations, ``D q̈ + C q̇ + φ = τ``."""
    M, C, N, h, A = (own(eq, x) for x in "MCNhA")
    left = f"{C} q̇ + {N}" if eq.is_quadratic else f"{N}"
    if has_bias(eq):
        left = f"{h}"
    return f"{M} q̈ + {left} = Υ" + (f" + {A}ᵀλ" if eq.lam else "")


def has_bias(eq: Equations) -> bool:
    """Tell whether C q̇ + N has one letter."""
    return any(x == "h" for x, _ in eq.letters)


def explained(eq: Equations) -> str:
    """Return what other letters stand for: ``D is the mass matrix, φ …``; nothing without any."""
    drawn = [x for x in eq.letters if x[0] != "A" or eq.lam]
    return "; ".join(f"{own(eq, ours)} is {MEANINGS[ours]}" for ours, _ in drawn)


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
