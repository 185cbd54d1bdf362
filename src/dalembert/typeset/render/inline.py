"""Formulas inside sentences, such as ω̂ = Ṙ Rᵀ, taken apart and written in Typst and MathML."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator
from html import escape
from typing import NamedTuple

from dalembert.typeset.render.names import GREEK, SCRIPT
from dalembert.typeset.render.typst import typst_string

_TYPST_ACCENTS = {"\u0307": "dot", "\u0308": "dot.double", "\u0302": "hat"}
_MATHML_ACCENTS = {"\u0307": "˙", "\u0308": "¨", "\u0302": "^"}
_TYPST_SIGNS = {"½": "frac(1, 2)", "Σ": "sum"}
_SIGNS = {*"∂½Σδ·⊗×±−≥≤≠≻⪰√∞∫ξ′″⟨⟩…", *SCRIPT.values()}
_COMMANDS = set("()[]{}$#&\\\"'/_^@*~`,;:|!?")
_NUMBER = re.compile(r"\d[\d.,]*(?:e[+-]?\d+)?")
_WORDS = "|".join([*GREEK, "Ad|sin|cos|tan|vec|det|exp|log|sgn|max|min|[A-Za-z]{4,}"])
_UPRIGHT = re.compile(
    rf"(_[A-Za-z][A-Za-z0-9]*|(?<![A-Za-z])(?:{_WORDS})(?![A-Za-z])|.)", re.DOTALL
)
_ARTICLES = {"a", "A", "I"}
_JOINING = re.compile(r"[aAI=+\-<>]|\(*\d+(?:[./]\d+)?\)*|[()]+|d/dt")
_QUOTIENT = re.compile(r"(d)/(dt)(?!\w)|(∂[^\s/∂]+)/(∂[^\s/,;.()]+)")
_POWER = re.compile(r"([A-Za-z])\^\(([^()]*)\)")
_WORD = re.compile(r"\s+|\[|[^\s]+?(?=[.,;:\]]*(?:\s|$))|[.,;:\]]+")
_LONE_LETTER = re.compile(r"[A-Za-z](?:\([A-Za-z, ]*\))?|\d+[A-Z]|(?:[A-Za-z]|Ad)_[a-z]{1,2}\d?")


class Atom(NamedTuple):
    """A letter, word, number or sign with what stands on, below and above it."""

    base: str
    accents: str = ""
    below: str = ""
    above: str = ""


def atoms(formula: str) -> list[Atom]:
    """Take a formula in Unicode apart; letters side by side are factors, unless they are a word.

    >>> [tuple(atom) for atom in atoms("c₁₂ = Rᵀ") if atom.base != " "]
    [('c', '', '12', ''), ('=', '', '', ''), ('R', '', '', 'T')]
    """
    found: list[Atom] = []
    # letters are taken apart, signs such as ≠ are not
    apart = [unicodedata.normalize("NFD", ch) if ch.isalpha() else ch for ch in formula]
    for ch in _UPRIGHT.split("".join(apart)):
        if not ch:
            continue
        if len(ch) > 1:
            if ch[0] == "_" and found and not found[-1].base.isspace():
                found[-1] = found[-1]._replace(below=found[-1].below + ch[1:])
            else:
                found.append(Atom(GREEK.get(ch, ch)))
            continue
        kind = unicodedata.decomposition(ch).partition(" ")[0]
        plain = unicodedata.normalize("NFKC", ch)
        last = found[-1] if found else None
        if last is None or last.base.isspace():
            found.append(Atom(ch))
        elif ch in _TYPST_ACCENTS:
            found[-1] = last._replace(accents=last.accents + ch)
        elif kind == "<sub>":
            found[-1] = last._replace(below=last.below + plain)
        elif kind == "<super>" or ch in "′″":
            found[-1] = last._replace(above=last.above + plain)
        elif last == Atom(last.base) and _continues(last.base, ch):
            found[-1] = Atom(last.base + ch)
        else:
            found.append(Atom(ch))
    return found


def _continues(base: str, ch: str) -> bool:
    """Tell whether a character belongs to the word or number before it."""
    return base[0].isdigit() and (ch.isdigit() or ch == ".")


def sentence_pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the runs of words of a sentence, each with whether it is a formula.

    A word is a formula if it holds a sign of mathematics, and a lone letter is one unless it is an
    article; beside a formula an article, an operator and a number belong to it.

    >>> list(sentence_pieces("Here L = T - V."))
    [(False, 'Here '), (True, 'L = T - V'), (False, '.')]
    """
    words = _WORD.findall(text)
    is_formula = [_has_sign(word) or _is_lone(word) for word in words]
    for i in range(2, len(words)):
        # 3 s and 9.81 m: a unit stands after its number
        if _NUMBER.fullmatch(words[i - 2]) and words[i].isalpha() and words[i].isascii():
            is_formula[i] = False
    # what joins formulas, from the left and from the right
    for order in (range(len(words)), reversed(range(len(words)))):
        for i in order:
            near = any(is_formula[j] for j in (i - 2, i + 2) if 0 <= j < len(words))
            is_formula[i] = is_formula[i] or (near and bool(_JOINING.fullmatch(words[i])))
    for i in range(1, len(words) - 1):
        if words[i].isspace():
            is_formula[i] = is_formula[i - 1] and is_formula[i + 1]
    for kind, run in itertools.groupby(range(len(words)), key=is_formula.__getitem__):
        yield kind, "".join(words[i] for i in run)


def _is_lone(word: str) -> bool:
    return bool(_LONE_LETTER.fullmatch(word)) and word not in _ARTICLES


def _has_sign(word: str) -> bool:
    return any(
        ch in _SIGNS
        or unicodedata.combining(ch)
        or "GREEK" in unicodedata.name(ch, "")
        or unicodedata.decomposition(ch).startswith(("<sub>", "<super>"))
        or (unicodedata.decomposition(ch)[-4:] in ("0307", "0308", "0302"))
        for ch in word
    )


def typst_inline(formula: str) -> str:
    """Return a formula in Unicode as Typst mathematics, without delimiters.

    >>> print(typst_inline("d/dt ∂L/∂q̇₁"))
    frac(d, d t) frac(∂ L, ∂ dot(q)_(1))
    """
    return nested(formula, _TYPST)


def _typst_atoms(text: str) -> str:
    return " ".join(_typst_atom(atom) for atom in atoms(text) if not atom.base.isspace())


def _typst_atom(atom: Atom) -> str:
    base = atom.base
    if base in _TYPST_SIGNS:
        base = _TYPST_SIGNS[base]
    elif not (base.isdigit() or (len(base) == 1 and base.isalpha())):
        # a sign stands for itself, whatever it means in Typst
        base = f"\\{base}" if base in _COMMANDS else base
        base = typst_string(base) if len(base) > 1 and base.isalpha() else base
    for accent in atom.accents:
        base = f"{_TYPST_ACCENTS[accent]}({base})"
    below = f"_({' '.join(atom.below)})" if atom.below else ""
    above = f"^({' '.join(_upright(ch) for ch in atom.above)})" if atom.above else ""
    return base + below + above


def _upright(ch: str) -> str:
    return "sans(T)" if ch == "T" else f"\\{ch}" if ch.isascii() and not ch.isalnum() else ch


def mathml_inline(formula: str) -> str:
    """Return a formula in Unicode as a row of MathML.

    >>> print(mathml_inline("c₁₂ = Rᵀ").replace('<mspace width="0.25em"/>', " "))
    <mrow><msub><mi>c</mi><mn>12</mn></msub> <mo>=</mo> <msup><mi>R</mi><mi>T</mi></msup></mrow>
    """
    row = nested(formula, _MATHML)
    return f"<mrow>{row}</mrow>"


def _mathml_atoms(text: str) -> str:
    return "".join(map(_mathml_atom, atoms(text)))


def _mathml_atom(atom: Atom) -> str:
    base = escape(atom.base.replace("-", "−"))
    if base.isspace():
        return '<mspace width="0.25em"/>'
    kind = "mn" if base[0].isdigit() or base == "½" else "mi" if base.isalpha() else "mo"
    text = f"<{kind}>{base}</{kind}>"
    for accent in atom.accents:
        text = f'<mover>{text}<mo scriptlevel="0">{_MATHML_ACCENTS[accent]}</mo></mover>'
    kind = "mn" if atom.below.isdigit() else "mi"
    below, above = f"<{kind}>{escape(atom.below)}</{kind}>", f"<mi>{escape(atom.above)}</mi>"
    if atom.below and atom.above:
        return f"<msubsup>{text}{below}{above}</msubsup>"
    if atom.below:
        return f"<msub>{text}{below}</msub>"
    return f"<msup>{text}{above}</msup>" if atom.above else text


class Writer(NamedTuple):
    """How a format writes atoms side by side, quotients and powers."""

    row: Callable[[str], str]
    quotient: Callable[[str, str], str]
    power: Callable[[str, str], str]


def nested(formula: str, writer: Writer) -> str:
    """Write a formula: ∂L/∂q and d/dt as fractions, e^(…) as a power."""
    text, seen = "", 0
    matches = [*_QUOTIENT.finditer(formula), *_POWER.finditer(formula)]
    for match in sorted(matches, key=lambda m: m.start()):
        if match.start() < seen:
            continue
        a, b = (x for x in match.groups() if x is not None)
        b = "d t" if b == "dt" else b
        join = writer.power if match.re is _POWER else writer.quotient
        before = writer.row(formula[seen : match.start()]).strip()
        text += f"{before} {join(writer.row(a), writer.row(b))} ".lstrip()
        seen = match.end()
    return (text + writer.row(formula[seen:])).strip()


_TYPST = Writer(_typst_atoms, lambda a, b: f"frac({a}, {b})", lambda a, b: f"{a}^({b})")
_MATHML = Writer(
    _mathml_atoms,
    lambda a, b: f"<mfrac><mrow>{a}</mrow><mrow>{b}</mrow></mfrac>",
    lambda a, b: f"<msup>{a}<mrow>{b}</mrow></msup>",
)


def typst_sentence(text: str) -> str:
    """Return a sentence as Typst markup in which formulas are set as such.

    >>> print(typst_sentence("Here L = T - V."))
    #"Here ";$L = T - V$#".";
    """
    return "".join(
        f"${typst_inline(run)}$" if is_formula else f"#{typst_string(run)};"
        for is_formula, run in sentence_pieces(text)
    )


def mathml_sentence(text: str) -> str:
    """Return a sentence as HTML in which formulas are MathML."""
    return "".join(
        f"<math>{mathml_inline(run)}</math>" if is_formula else escape(run)
        for is_formula, run in sentence_pieces(text)
    )
