"""Write sentences that hold Unicode formulas, such as ω̂ = Ṙ Rᵀ, in plain LaTeX."""

from __future__ import annotations

import re
import unicodedata

from dalembert.typeset.render.inline import Atom, Writer, atoms, nested, sentence_pieces
from dalembert.typeset.render.names import GREEK, SCRIPT

_ACCENTS = {"\u0307": r"\dot", "\u0308": r"\ddot", "\u0302": r"\hat"}
_SIGNS = {
    "∂": r"\partial",
    "½": r"\tfrac{1}{2}",
    "·": r"\cdot",
    "⊗": r"\otimes",
    "×": r"\times",
    "±": r"\pm",
    "−": "-",
    "≥": r"\ge",
    "≤": r"\le",
    "≠": r"\ne",
    "≻": r"\succ",
    "⪰": r"\succeq",
    "✓": r"\checkmark",
    "✗": r"\times",
    "√": r"\surd",
    "…": r"\ldots",
    "⁻": "^{-}",
    "⁽": "^{(}",
    "⁾": "^{)}",
    "₋": "_{-}",
    "ᵀ": r"^{\mathsf{T}}",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "→": r"\to",
    "′": "'",
    "″": "''",
}
_ESCAPED = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\backslash", "~": r"\sim", "^": r"\wedge"}
_LETTERS = {glyph: f"\\{word}" for word, glyph in GREEK.items()}
_LETTERS |= {glyph: rf"\mathcal{{{plain}}}" for plain, glyph in SCRIPT.items()}
_TWICE = re.compile(r"([_^])\{([^{}]*)\}\1\{([^{}]*)\}")
_DASHES = {"–": "--", "—": "---", "'": "'"}


def latex_sentence(text: str) -> str:
    r"""Return a sentence in ASCII with its formulas in math mode.

    >>> print(latex_sentence("C q̇ in the ring, S = Ṁ - 2C"))
    $C \dot{q}$ in the ring, $S = \dot{M} - 2 C$
    """
    return "".join(
        f"${_formula(run)}$" if is_formula else _written(run)
        for is_formula, run in sentence_pieces(text)
    )


def latex_letter(glyph: str) -> str:
    """Return a letter as it is spelled in LaTeX."""
    return _LETTERS.get(glyph, glyph)


def _formula(text: str) -> str:
    """Return a formula, ∂L/∂q and d/dt as fractions."""
    return nested(text, _LATEX)


def _atoms(text: str) -> str:
    return " ".join(_atom(x) for x in atoms(text) if not x.base.isspace())


def _atom(atom: Atom) -> str:
    base = _sign(atom.base)
    if len(atom.base) > 1 and atom.base.isalpha():
        base = rf"\mathrm{{{atom.base}}}"
    for accent in atom.accents:
        base = f"{_ACCENTS[accent]}{{{base}}}"
    above = "".join(r"\mathsf{T}" if ch == "T" else _sign(ch) for ch in atom.above)
    below = "".join(map(_sign, atom.below))
    return base + (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


def _sign(ch: str) -> str:
    known = _SIGNS.get(ch) or _LETTERS.get(ch) or _ESCAPED.get(ch)
    if known or ch.isascii():
        return known or ch
    return rf"\langle\text{{{unicodedata.name(ch[0], 'sign').lower()}}}\rangle"


def _written(text: str) -> str:
    """Return text with every letter beyond ASCII as a formula."""
    pieces: list[str] = []
    # letters are taken apart, signs such as ≠ are not
    apart = [ch if ch in _SIGNS else unicodedata.normalize("NFD", ch) for ch in text]
    for ch in "".join(apart):
        if ch in _ACCENTS and pieces:
            inside = pieces.pop().strip("$")
            pieces.append(f"${_ACCENTS[ch]}{{{inside}}}$")
        else:
            pieces.append(_character(ch))
    # neighbours become one formula, so that an exponent stands at its letter
    joined = "".join(pieces).replace("$$", "")
    # c₁₂ has one subscript, not two
    while (merged := _TWICE.sub(r"\1{\2\3}", joined)) != joined:
        joined = merged
    return joined


def _character(ch: str) -> str:
    if ch in _DASHES:
        return _DASHES[ch]
    if ch in _ESCAPED:
        escaped = _ESCAPED[ch]
        return escaped if len(escaped) == 2 else f"${escaped}$"
    if ch.isascii():
        return ch
    if ch in _SIGNS or ch in _LETTERS:
        return f"${_SIGNS.get(ch) or _LETTERS[ch]}$"
    value = unicodedata.digit(ch, None)
    if value is not None:
        low = "SUBSCRIPT" in unicodedata.name(ch)
        return f"${'_' if low else '^'}{{{value}}}$"
    return f"$\\langle\\text{{{unicodedata.name(ch, 'sign').lower()}}}\\rangle$"


_LATEX = Writer(_atoms, lambda a, b: rf"\frac{{{a}}}{{{b}}}", lambda a, b: f"{a}^{{{b}}}")
