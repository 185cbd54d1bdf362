"""Text to tokens: ASCII as in Python, and Unicode as it is printed: θ̈₁, c₁₂, √2, x², ∂f/∂x."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NoReturn

from dalembert.errors import ParseError
from dalembert.reader.build import VULGAR
from dalembert.reader.limits import MAX_NAME
from dalembert.reader.names import LETTERS, RAISED_DIGITS, SMALL_DIGITS, Word, word_of
from dalembert.reader.rates import Partial
from dalembert.reader.tokens import Token

_SAME_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u00a0\u2009\u200a\u202f", " "),
        **dict.fromkeys("\u2010\u2011\u2013", "-"),
        **dict.fromkeys("\u2044\u2215", "/"),
        "\u2217": "*",
        "\u2019": "'",
    }
)
"""What word processors and documents write for a space, -, /, * and a prime; one for one."""

_ALLOWED = rf"{LETTERS}\u0307\u0308₀-₉₋⁰¹²³⁴-⁹⁻⁽⁾√∂′″×·⋅−≈{''.join(VULGAR)}"
_FOREIGN = re.compile(rf"[^ \t\n0-9_.+\-*/^(),'|{{}}=⟨⟩{_ALLOWED}]")
_LETTER = rf"[{LETTERS}][\u0307\u0308]*+"
# possessive: a long name costs no memory for ways back
_NAME = rf"(?:{_LETTER}|_)(?:{_LETTER}|[0-9₀-₉₋]|_(?!\{{))*+"
_RAISED = "⁻?[⁰¹²³⁴-⁹]+"
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\n]+)
      | (?P<vulgar>[{"".join(VULGAR)}])
      | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<rate>d(?P<times>²|\^2|\*\*2|)/dt(?P<again>²|\^2|\*\*2|)(?![A-Za-z0-9_]))
      | (?P<leibniz>d(?P<often>²|\^2|\*\*2|)[ ]?(?P<rated>{_NAME})/dt(?P<twice>²|\^2|\*\*2|)
            (?![A-Za-z0-9_]))
      | (?P<word>{_NAME})
            (?P<braces>_\{{[A-Za-z0-9,_-]+\}})?
            (?P<primes>['′″]*)
            (?:⁽(?P<high>[⁰¹²³⁴-⁹]+)⁾)?
            (?P<suffix>(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
      | (?P<operator>\*\*|[-+*/^×·⋅−])
      | (?P<root>(?<![^ (|/+−⋅·×=-])[³⁴]√|√)
      | (?P<raised>{_RAISED})
      | (?P<open>[(])
      | (?P<close>[)])
      | (?P<braced>\{{)
      | (?P<unbraced>\}})
      | (?P<bar>\|)
      | (?P<comma>,)
      | (?P<equals>==?|≈)
      | (?P<partial>∂(?P<order>{_RAISED}|)(?P<of>{_NAME})/
            (?P<by>(?:∂{_LETTER}(?:[0-9_₀-₉₋]|{_LETTER})*?(?:{_RAISED})?(?=∂|[^{_ALLOWED}0-9_]|$|[√×·⋅−]))+))
      | (?P<places>∂(?P<numbers>[₀-₉,]+)(?P<function>{_NAME}))
    """,
    re.VERBOSE,
)
_BY = re.compile(rf"∂(?P<name>(?:{_LETTER}|[0-9_₀-₉₋])+?)(?P<n>{_RAISED})?(?=∂|$)")
_SYNONYMS = {"**": "^", "×": "*", "·": "*", "⋅": "*", "−": "-"}
_SUFFIXES = {".dot": 1, ".ddot": 2}
_PRIMES = {"'": 1, "′": 1, "″": 2}


def text_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, the end last.

    Raises:
        ParseError: a character that no expression has, or characters that make no token.
    """
    text = unicodedata.normalize("NFD", text).translate(_SAME_SIGNS)
    foreign = _FOREIGN.search(text)
    if foreign:
        _refuse_character(foreign.group(), _column(text, foreign.start()))
    # combining dots have no column
    shift = position = 0
    end, before = len(text), ""
    words: dict[str, Word] = {}
    while position < end:
        match = _TOKEN.match(text, position)
        column = position + 1 - shift
        if match is None:
            _refuse_rest(text, position, column)
        kind = str(match.lastgroup)
        if kind == "braced" and before != "^":
            _refuse_character("{", column)
        if kind != "space":
            spelled = match.group()
            if spelled in words:
                token = Token("word", spelled, column, words[spelled])
            else:
                token = _token(kind, match, column)
                if token.kind == "word":
                    words[spelled] = token.value
            before = token.text
            yield token
            if kind not in ("number", "operator", "open", "close"):
                shift += sum(map(match.group().count, "\u0307\u0308"))
        position = match.end()
    yield Token("end", "the end", end + 1 - shift)


_BRACKETS = {"braced": "open", "unbraced": "close"}


def _token(kind: str, match: re.Match[str], column: int) -> Token:
    text = match.group()
    match kind:
        case "word" | "braces" | "primes" | "high" | "suffix":
            return _word(match, column)
        case "vulgar":
            return Token("number", text, column)
        case "operator":
            return Token(kind, _SYNONYMS.get(text, text), column)
        case "raised":
            return Token(kind, text, column, _raised(text, column))
        case "root":
            return Token(kind, "√", column, _raised(text[0], column) if len(text) > 1 else 2)
        case "rate":
            return Token(kind, text, column, _same(match["times"], match["again"], column))
        case "leibniz":
            word = _named(match["rated"], column)
            n = _same(match["often"], match["twice"], column)
            return Token("word", text, column, word._replace(order=word.order + n, spelled=text))
        case "partial":
            return Token(kind, text, column, _partial(match, column))
        case "places":
            numbers = match["numbers"].translate(str.maketrans(SMALL_DIGITS))
            apart = numbers.split(",") if "," in numbers else list(numbers)
            if not all(x.isdigit() and len(x) < 4 for x in apart):
                raise ParseError(
                    f"expected numbers of arguments after ∂, got them at column {column}"
                )
            places = tuple(int(x) for x in apart)
            return Token(
                "partial", text, column, Partial(_named(match["function"], column), (), places)
            )
        case "equals":
            return Token(kind, "≈" if text == "≈" else "=", column)
        case _:
            return Token(_BRACKETS.get(kind, kind), text, column)


def _word(match: re.Match[str], column: int) -> Token:
    name, braces, suffix = match["word"], match["braces"], match["suffix"]
    word = _named(name, column)
    primes = sum(_PRIMES[x] for x in match["primes"])
    order = word.order + primes
    if match["high"]:
        order += _raised(match["high"], column)
    if braces:
        below = tuple(x for x in re.split("[,_]", braces[2:-1]) if x)
        if not below:
            raise ParseError(f"expected an index in {braces[:20]} at column {column}, got none")
        word = word._replace(spelled=name + braces, below=(*word.below, *below))
        if not word.digits and not word.below[:-1] and re.fullmatch("[0-9][0-9-]*", below[0]):
            word = word._replace(digits=below[0], below=below[1:])
    if suffix:
        if suffix not in _SUFFIXES:
            raise ParseError(
                f"expected .dot or .ddot after {name[:20]}, got {suffix[:20]} at column {column}: "
                "rates beyond the acceleration are not written in text"
            )
        order += _SUFFIXES[suffix]
    return Token("word", match.group(), column, word._replace(order=order, primes=primes))


def _named(name: str, column: int = 1) -> Word:
    """Return the word of a name; what has no parts, such as F1x, stands for itself."""
    if len(name) > MAX_NAME:
        raise ParseError(
            f"expected a name of at most {MAX_NAME} characters, got {name[:20]}… at column {column}"
        )
    return word_of(name) or Word(name, name)


def _raised(text: str, column: int) -> int:
    digits = "".join(RAISED_DIGITS[ch] for ch in text)
    if len(digits) > 4:
        raise ParseError(f"expected a small exponent, got {digits[:20]} at column {column}")
    return int(digits)


def _same(above: str, below: str, column: int) -> int:
    """Return how often d²x/dt² differentiates; both numbers are the same."""
    if bool(above) != bool(below):
        raise ParseError(
            f"expected d²/dt² or d/dt at column {column}: one of its squares is missing"
        )
    return 2 if above else 1


def _partial(match: re.Match[str], column: int) -> Partial:
    by = tuple(
        (_named(x["name"], column), _raised(x["n"], column) if x["n"] else 1)
        for x in _BY.finditer(match["by"])
    )
    order = _raised(match["order"], column) if match["order"] else 1
    if sum(n for _, n in by) != order:
        raise ParseError(
            f"expected as many derivatives below the line as above it at column {column}, got "
            f"{sum(n for _, n in by)} and {order}"
        )
    return Partial(_named(match["of"], column), by)


def _column(text: str, position: int) -> int:
    return position + 1 - sum(map(text[:position].count, "\u0307\u0308"))


def _refuse_rest(text: str, position: int, column: int) -> NoReturn:
    """Raise for allowed characters that make no token: a point on its own, two points."""
    rest = text[position:][:5]
    if rest[0] in ".0123456789":
        raise ParseError(
            f"expected a number or a name around the point, got {rest!r} at column {column}: "
            "write 0.5 or q.dot"
        )
    raise ParseError(
        f"expected an expression, got {rest!r} at column {column}: correct the sign before it"
    )


def _refuse_character(c: str, column: int) -> NoReturn:
    shown = repr(c) if c.isascii() and c.isprintable() else _code_point(c)
    raise ParseError(
        f"expected an expression, got {shown} at column {column}: "
        "write it with ASCII letters, digits, + - * / ^ ( ) , and ."
    )


def _code_point(c: str) -> str:
    return f"U+{ord(c):04X} ({unicodedata.name(c, 'control character').lower()})"
