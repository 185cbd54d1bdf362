"""Take names apart, however they are spelled: theta1, θ₁, \\theta_{1} are one name.

Nothing here is taken from the printer: the Greek letters are those of the Unicode tables.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from dalembert.expr.greek import GREEK as LETTERS_OF_WORDS

_UNUSUAL = {
    # what Unicode and TeX call lamda and lambda, and the second forms of some letters
    "lamda": "λ",
    "varepsilon": "ε",
    "vartheta": "θ",
    "varphi": "φ",
    "varrho": "ρ",
    "varsigma": "σ",
    "varpi": "π",
}
SECOND_FORMS = {"ϕ": "φ", "ϑ": "θ", "ϱ": "ρ", "ϖ": "π", "ς": "σ", "µ": "μ", "ϰ": "κ", "ℓ": "l"}
"""Glyphs of one letter that look different; ϵ is a name of its own, `eps`."""


GREEK = LETTERS_OF_WORDS | _UNUSUAL
SHORT_WORDS = {"lam": "λ", "Lam": "Λ", "eps": "ϵ"}
"""Names that are usual for Greek letters."""

_SCRIPT = "ℬℰℱℋℐℒℳℛ𝒜-𝒵"
LETTERS = "A-Za-zΑ-Ωα-ωϵ" + "".join(SECOND_FORMS) + _SCRIPT
"""The letters of names, as a class of regular expressions."""

SMALL_DIGITS = dict(zip("₀₁₂₃₄₅₆₇₈₉₋", "0123456789-", strict=True))
RAISED_DIGITS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))
DOTS = {"\u0307": 1, "\u0308": 2}

_NAME = re.compile(rf"([{LETTERS}]+)(\d*)((?:_[{LETTERS}0-9]+)*)")
_SMALL = str.maketrans(SMALL_DIGITS)
_FORMS = str.maketrans(SECOND_FORMS)


class Word(NamedTuple):
    """A name taken apart: ``θ̈₁`` is the base θ, the index 1 and two dots.

    ``spelled`` is what stands in the text; ``letters`` tells that each letter stands for itself
    where nothing else is known, as in TeX; ``primes`` are how many of its dots were primes.
    """

    spelled: str
    base: str
    digits: str = ""
    below: tuple[str, ...] = ()
    order: int = 0
    letters: bool = False
    primes: int = 0

    def below_it(self, index: str, below: Iterable[str]) -> Word:
        """Return the name with subscripts: x₁ is spelled x1, and x_1 keeps its line."""
        parts = tuple(below)
        spelled = "_".join([self.spelled + index, *parts])
        return self._replace(
            spelled=spelled, digits=self.digits + index, below=(*self.below, *parts)
        )

    @property
    def keys(self) -> tuple[Key, ...]:
        """What the name is looked up by: the base as it is spelled, then as a Greek letter."""
        spelled = Key(self.base, self.digits, self.below)
        greek = letter(self.base)
        return (spelled,) if greek == self.base else (spelled, spelled._replace(base=greek))


class Key(NamedTuple):
    """Base, index right after it, further subscripts; Greek letters as letters."""

    base: str
    digits: str = ""
    below: tuple[str, ...] = ()

    @property
    def loose(self) -> str:
        """The name without what tells x₁ from x_1, and I_xx1 from Ixx1."""
        text = self.base + self.digits + "".join(self.below)
        return text.replace("ϵ", "ε").replace("λ", "lambda").replace("Λ", "Lambda")


@lru_cache(maxsize=4096)
def key_of(name: str) -> Key:
    """Return the key of a name as typed in Python.

    >>> tuple(key_of("theta1")), tuple(key_of("m_c"))
    (('θ', '1', ()), ('m', '', ('c',)))
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return Key(name)
    base, index, tail = match.groups()
    return Key(letter(base), index, tuple(_part(part) for part in tail.split("_")[1:]))


def script(plain: str) -> str | None:
    """Return the script form of a capital, as TeX has it: ℳ for M; None of anything else."""
    for words in ("SCRIPT CAPITAL", "MATHEMATICAL SCRIPT CAPITAL"):
        with contextlib.suppress(KeyError):
            return unicodedata.lookup(f"{words} {plain}")
    return None


def letter(base: str) -> str:
    """Return the Greek letter of a word; ``deltax`` is δx."""
    base = base.translate(_FORMS)
    for table in (GREEK, SHORT_WORDS):
        if base in table:
            return table[base]
    rest = base.removeprefix("delta")
    return f"δ{letter(rest)}" if rest and rest != base else base


def _part(part: str) -> str:
    """Return a subscript, Greek words as letters: ``theta1`` is θ1."""
    word = part.rstrip("0123456789")
    return GREEK.get(word, word) + part[len(word) :]


_PIECE = re.compile(
    rf"(?P<base>[{LETTERS}]+)(?P<dots>[\u0307\u0308]*)(?P<index>[0-9]+|[₀-₉₋]+|)"
    rf"(?P<below>(?:_[{LETTERS}0-9₀-₉]+)*)(?P<late>[\u0307\u0308]*)"
)


@lru_cache(maxsize=4096)
def word_of(spelled: str) -> Word | None:
    """Take a word of a text apart: letters, dots, an index, subscripts; None of anything else.

    >>> word_of("θ̈₁").order
    2
    """
    match = _PIECE.fullmatch(unicodedata.normalize("NFD", spelled))
    if match is None:
        return None
    base, dots, index, below, late = match.groups()
    order = sum(DOTS[dot] for dot in dots + late)
    parts = tuple(_part(part.translate(_SMALL)) for part in below.split("_")[1:])
    return Word(spelled, base, index.translate(_SMALL), parts, order)
