"""Spell symbol names as glyphs: subscripts, Greek letters, dots for rates."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from dalembert.expr import Kind, Symbol

_LOWER = (
    "alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ "
    "nu ν xi ξ rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω"
)
_UPPER = "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω"
_words = (_LOWER + " " + _UPPER).split()
GREEK: dict[str, str] = dict(zip(_words[::2], _words[1::2], strict=True))
# usual short spellings: lambda is a Python keyword, epsilon is long
_SHORT = {"lam": "lambda", "Lam": "Lambda", "eps": "epsilon"}

SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_DOTS = ("", "\u0307", "\u0308")
_PRIMES = ("", "′", "″")
_LATEX_DOTS = ("", r"\dot", r"\ddot")

_NAME = re.compile(r"([A-Za-z]+)(\d*)((?:_[A-Za-z0-9]+)*)")
_INERTIA = re.compile(r"([IJ])([xyz]{2})")
_SUB = re.compile(r"([A-Za-z]*)(\d*)")


class Name(NamedTuple):
    """A symbol name taken apart: ``a_c1`` is the base ``a`` with the subscript ``c1``."""

    base: str
    subscripts: tuple[str, ...]


@lru_cache(maxsize=4096)
def parse_name(name: str) -> Name:
    """Split a name into its base and its subscripts.

    >>> parse_name("theta1"), parse_name("a_c1")
    (Name(base='theta', subscripts=('1',)), Name(base='a', subscripts=('c1',)))
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return Name(name, ())
    base, digits, tail = match.groups()
    subscripts = tail.split("_")[1:]
    inertia = _INERTIA.fullmatch(base)
    if inertia:
        base, axes = inertia.groups()
        subscripts.insert(0, axes + digits)
    elif digits:
        subscripts.insert(0, digits)
    return Name(_SHORT.get(base, base), tuple(subscripts))


@lru_cache(maxsize=4096)
def name_key(name: str) -> tuple:
    """Return a key that sorts Latin before Greek, words by letter and digits by value."""
    base, subscripts = parse_name(name)
    parts = tuple(_natural(part) for part in subscripts)
    glyph = GREEK.get(base, base)
    return (base in GREEK, glyph.casefold(), glyph, parts, name)


def _natural(text: str) -> tuple:
    # a word before the digits, none before any: 1 < 2 < 10 < c1 < c2
    match = _SUB.fullmatch(text)
    if match is None:
        return (text, 0)
    return (match[1], int(match[2] or 0))


@lru_cache(maxsize=4096)
def symbol_glyphs(symbol: Symbol) -> str:
    """Return the Unicode text of a symbol.

    >>> symbol_glyphs(Symbol(Kind.COORDINATE, "theta1", 1))
    'θ̇₁'
    """
    base, subscripts = parse_name(symbol.name)
    glyph = GREEK.get(base, base)
    order = symbol.order
    if order >= len(_DOTS):
        return f"{glyph}{_text_subscripts(subscripts)}⁽{str(order).translate(SUPERSCRIPT)}⁾"
    if len(glyph) == 1:
        text = f"{glyph}{_DOTS[order]}{_text_subscripts(subscripts)}"
    else:
        text = f"{glyph}{_text_subscripts(subscripts)}{_PRIMES[order]}"
    return unicodedata.normalize("NFC", text)


def _text_subscripts(subscripts: tuple[str, ...]) -> str:
    text = ""
    for part in subscripts:
        match = _SUB.fullmatch(part)
        word, digits = match.groups() if match else (part, "")
        separator = "_" if word or text else ""
        text += separator + GREEK.get(word, word) + digits.translate(SUBSCRIPT)
    return text


@lru_cache(maxsize=4096)
def symbol_latex(symbol: Symbol) -> str:
    r"""Return the LaTeX of a symbol.

    >>> print(symbol_latex(Symbol(Kind.COORDINATE, "q1", 1)))
    \dot{q}_{1}
    """
    base, subscripts = parse_name(symbol.name)
    glyph = _latex_word(base)
    order = symbol.order
    if 0 < order < len(_LATEX_DOTS):
        glyph = f"{_LATEX_DOTS[order]}{{{glyph}}}"
    if subscripts:
        glyph += "_{" + ",".join(_latex_subscript(part) for part in subscripts) + "}"
    return f"{glyph}^{{({order})}}" if order >= len(_LATEX_DOTS) else glyph


def _latex_word(word: str, longest: int = 1) -> str:
    if word in GREEK:
        return "\\" + word
    plain = re.sub(r"[^A-Za-z0-9]", r"\\_", word)
    return plain if len(word) <= longest else rf"\mathrm{{{plain}}}"


def _latex_subscript(part: str) -> str:
    match = _SUB.fullmatch(part)
    word, digits = match.groups() if match else (part, "")
    return (_latex_word(word, longest=2) if word else "") + digits


def is_mass(symbol: Symbol) -> bool:
    """Tell whether a parameter is named like a mass: ``m``, ``M``, ``m1``, ``m_pole``."""
    return symbol.kind is Kind.PARAMETER and parse_name(symbol.name).base in ("m", "M", "mass")


def is_gravity(symbol: Symbol) -> bool:
    """Tell whether a parameter is named like the acceleration of gravity: ``g``, ``g0``."""
    return symbol.kind is Kind.PARAMETER and parse_name(symbol.name).base == "g"


def trig_index(symbol: Symbol) -> tuple[str, str] | None:
    """Return (base, digit) of a coordinate such as ``q1`` whose sine may be written ``s₁``."""
    base, subscripts = parse_name(symbol.name)
    single = len(subscripts) == 1 and len(subscripts[0]) == 1 and subscripts[0].isdigit()
    is_coordinate = symbol.kind is Kind.COORDINATE and symbol.order == 0
    return (base, subscripts[0]) if single and is_coordinate else None
