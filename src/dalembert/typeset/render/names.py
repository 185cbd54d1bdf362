"""Spell symbol names as glyphs: subscripts, Greek letters, dots for rates.

Different names have different glyphs: the digits of ``x1`` become a subscript, ``x_1`` keeps its
underscore.
"""

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
# names that are usual for Greek letters: lambda is a Python keyword, epsilon is long
_SHORT = {"lam": "λ", "Lam": "Λ", "eps": "ϵ"}
_GLYPHS = {**GREEK, **_SHORT}
_LATEX = {word: f"\\{word}" for word in GREEK} | {"epsilon": r"\varepsilon"}
_LATEX |= {"lam": r"\lambda", "Lam": r"\Lambda", "eps": r"\epsilon"}

_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SCRIPT = dict(zip(_CAPITALS, "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵", strict=True))
"""Letters of ours where a person has the plain one; no symbol of a person is called so."""
_LATEX |= {script: rf"\mathcal{{{plain}}}" for plain, script in SCRIPT.items()}

SUBSCRIPT = str.maketrans("0123456789-", "₀₁₂₃₄₅₆₇₈₉₋")
SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_DOTS = ("", "\u0307", "\u0308")
_PRIMES = ("", "′", "″")
_LATEX_DOTS = ("", r"\dot", r"\ddot")

_NAME = re.compile(rf"([A-Za-z]+|[{''.join(SCRIPT.values())}])(\d*)((?:_[A-Za-z0-9]+)*)")
INERTIA = re.compile(r"([IJ])([xyz]{2})")
SUBSCRIPT_NAME = re.compile(r"([A-Za-z]*)(\d*)")


class Name(NamedTuple):
    """A symbol name taken apart: ``x2_c1`` is the base ``x``, the digits ``2``, then ``c1``."""

    base: str
    digits: str = ""
    subscripts: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def subscript(i: int) -> str:
    """Return a number in subscript digits."""
    return str(i).translate(SUBSCRIPT)


def parse_name(name: str) -> Name:
    """Split a name into its base, the digits right after it and its subscripts.

    >>> parse_name("theta1"), parse_name("a_c1")
    (Name(base='theta', digits='1', subscripts=()), Name(base='a', digits='', subscripts=('c1',)))
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return Name(name)
    base, digits, tail = match.groups()
    return Name(base, digits, tuple(tail.split("_")[1:]))


@lru_cache(maxsize=4096)
def name_key(name: str) -> tuple:
    """Return a key that sorts Latin before Greek, words by letter and digits by value."""
    base, index, subscripts = parse_name(name)
    parts = tuple(_natural(part) for part in (index, *subscripts) if part)
    glyph = _GLYPHS.get(base, base)
    return (glyph != base, glyph.casefold(), glyph, parts, name)


def _natural(text: str) -> tuple:
    # a word before the digits, none before any: 1 < 2 < 10 < c1 < c2
    match = SUBSCRIPT_NAME.fullmatch(text)
    if match is None:
        return (text, 0)
    return (match[1], int(match[2] or 0))


def _is_written_out(symbol: Symbol, base: str) -> bool:
    """Tell whether a name for λ keeps its letters: `lam` and `lambda` are two names."""
    return base in ("lambda", "Lambda") and symbol.kind is not Kind.MULTIPLIER


def glyph_of(symbol: Symbol | None, base: str) -> str:
    """Return the glyph of the base of a name, a Greek letter where it is spelled out.

    Without a symbol it is part of a subscript, in which `lam` stays as it is.
    """
    if symbol is None:
        return GREEK.get(base, base)
    return base if _is_written_out(symbol, base) else _GLYPHS.get(base, base)


@lru_cache(maxsize=4096)
def symbol_glyphs(symbol: Symbol) -> str:
    """Return the Unicode text of a symbol.

    >>> symbol_glyphs(Symbol(Kind.COORDINATE, "theta1", 1))
    'θ̇₁'
    """
    base, index, subscripts = parse_name(symbol.name)
    small, base = split_small(base)
    glyph, order = glyph_of(symbol, base), symbol.order
    below = index.translate(SUBSCRIPT) + "".join(map(_text_subscript, subscripts))
    if order >= len(_DOTS):
        return f"{small}{glyph}{below}⁽{str(order).translate(SUPERSCRIPT)}⁾"
    if len(glyph) == 1:
        text = f"{small}{glyph}{_DOTS[order]}{below}"
    else:
        text = f"{small}{glyph}{below}{_PRIMES[order]}"
    return unicodedata.normalize("NFC", text)


def split_small(base: str) -> tuple[str, str]:
    """Return (δ, θ) of ``deltatheta``, a small difference; no δ of another name."""
    rest = base.removeprefix("delta")
    return ("δ", rest) if rest and rest != base else ("", base)


def _text_subscript(part: str) -> str:
    match = SUBSCRIPT_NAME.fullmatch(part)
    word, digits = match.groups() if match else (part, "")
    # bare digits stay on the line: x_1 is not x₁
    return f"_{GREEK.get(word, word)}" + (digits.translate(SUBSCRIPT) if word else digits)


@lru_cache(maxsize=4096)
def symbol_latex(symbol: Symbol) -> str:
    r"""Return the LaTeX of a symbol.

    >>> print(symbol_latex(Symbol(Kind.COORDINATE, "q1", 1)))
    \dot{q}_{1}
    """
    base, index, subscripts = parse_name(symbol.name)
    small, base = split_small(base)
    inertia = INERTIA.fullmatch(base)
    if inertia:
        # Ixx1 is the entry xx of the matrix I₁
        base, index = inertia[1], inertia[2] + index
    known = None if _is_written_out(symbol, base) else _LATEX.get(base)
    glyph, order = known or _latex_word(base), symbol.order
    if 0 < order < len(_LATEX_DOTS):
        glyph = f"{_LATEX_DOTS[order]}{{{glyph}}}"
    below = ([index] if index else []) + [_latex_subscript(part) for part in subscripts]
    if below:
        glyph += "_{" + ",".join(below) + "}"
    text = f"{glyph}^{{({order})}}" if order >= len(_LATEX_DOTS) else glyph
    return f"\\delta {text}" if small else text


def _latex_word(word: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9]", r"\\_", word)
    return plain if len(word) == 1 else rf"\mathrm{{{plain}}}"


def _latex_subscript(part: str) -> str:
    match = SUBSCRIPT_NAME.fullmatch(part)
    word, digits = match.groups() if match else (part, "")
    if not word:
        return rf"\underline{{{digits}}}"
    return (f"\\{word}" if word in GREEK else _latex_word(word)) + digits


def is_mass(symbol: Symbol) -> bool:
    """Tell whether a parameter is named like a mass: ``m``, ``M``, ``m1``, ``m_pole``."""
    return symbol.kind is Kind.PARAMETER and parse_name(symbol.name).base in ("m", "M", "mass")


def is_gravity(symbol: Symbol) -> bool:
    """Tell whether a parameter is named like the acceleration of gravity: ``g``, ``g0``."""
    return symbol.kind is Kind.PARAMETER and parse_name(symbol.name).base == "g"


def trig_index(symbol: Symbol) -> str | None:
    """Return the digit of a joint coordinate q1 … q9, whose sine may be written s₁, else None."""
    base, index, subscripts = parse_name(symbol.name)
    is_joint = symbol.kind is Kind.COORDINATE and symbol.order == 0 and base == "q"
    return index if is_joint and len(index) == 1 and not subscripts else None
