"""Greek letters and their words, from the tables of Unicode: θ is theta."""

from __future__ import annotations

import unicodedata

_SIGNS = range(0x0391, 0x03CA)


def _letters() -> dict[str, str]:
    """Return the letter for each word: θ for theta, Θ for Theta."""
    # Unicode says lamda
    found = {"lambda": "λ", "Lambda": "Λ"}
    for code in _SIGNS:
        words = unicodedata.name(chr(code), "").split()
        if len(words) == 4 and words[0] == "GREEK" and words[2] == "LETTER":
            word = words[3].lower()
            found[word.capitalize() if words[1] == "CAPITAL" else word] = chr(code)
    return found


GREEK = _letters()
_WORDS = {letter: word for word, letter in reversed(GREEK.items())}
_SMALL_DIGITS = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_SPELLED = str.maketrans(_WORDS | _SMALL_DIGITS)


def spelled_out(name: str) -> str:
    """Return a name in letters that every keyboard has.

    >>> spelled_out("θ₁"), spelled_out("ω_c")
    ('theta1', 'omega_c')
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name).translate(_SPELLED)
