"""Presentation MathML to tokens."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from dalembert.errors import ParseError
from dalembert.reader.limits import MAX_DEPTH, MAX_NAME
from dalembert.reader.names import GREEK, Word, letter, word_of
from dalembert.reader.notations.pieces import Frame, Written, flattened
from dalembert.reader.notations.text import text_tokens
from dalembert.reader.rates import Partial
from dalembert.reader.tokens import Token

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z]+)(?P<rest>[^<>]*?)(?P<empty>/?)>|(?P<text>[^<]+)")
_ROWS = ("math", "mrow", "mstyle", "mpadded", "semantics")
_SIGNS = {"−": "-", "×": "*", "·": "*", "⋅": "*", "\u2062": "*"}
_DOTS = {"˙": 1, "¨": 2, "\u0307": 1, "\u0308": 2}
_ARGUMENTS = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3, "mover": 2, "mroot": 2}
MATRIX = "mtable"


class Element:
    """An element with its children, and the text of one without."""

    __slots__ = ("children", "column", "name", "text")

    def __init__(self, name: str, column: int) -> None:
        self.name, self.column = name, column
        self.children: list[Element] = []
        self.text = ""

    @property
    def words(self) -> str:
        """The text without spaces around it."""
        return self.text.strip()


Tokens = list[Written[Element]]


def mathml_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a formula, the end last.

    Raises:
        ParseError: elements that do not match, or that no formula of this language has.
    """
    yield from element_tokens([elements(text)])
    yield Token("end", "the end", len(text) + 1)


def element_tokens(found: Sequence[Element]) -> Iterator[Token]:
    """Yield the tokens of elements side by side, without an end."""
    return flattened(found, _expanded)


def elements(text: str) -> Element:
    """Return one row with all elements of a text."""
    root = Element("mrow", 1)
    open_elements = [root]
    position = 0
    while position < len(text):
        match = _TAG.match(text, position)
        if match is None:
            raise ParseError(
                f"expected MathML, got {text[position:][:10]!r} at column {position + 1}"
            )
        top, name = open_elements[-1], match["name"]
        if match["text"] is not None:
            top.text += html.unescape(match["text"])
        elif match["end"]:
            if top.name != name or top is root:
                raise ParseError(
                    f"expected </{top.name}>, got </{name}> at column {position + 1}: "
                    "close elements in turn"
                )
            _check_count(open_elements.pop())
        else:
            element = Element(name, position + 1)
            top.children.append(element)
            if not match["empty"]:
                open_elements.append(element)
            if len(open_elements) > MAX_DEPTH * 2:
                raise ParseError(f"expected at most {MAX_DEPTH * 2} elements inside each other")
        position = match.end()
    if len(open_elements) > 1:
        raise ParseError(f"expected </{open_elements[-1].name}>, got the end: close it")
    return root


def _check_count(element: Element) -> None:
    wanted = _ARGUMENTS.get(element.name)
    if wanted is not None and len(element.children) != wanted:
        raise ParseError(
            f"expected {wanted} elements in <{element.name}> at column {element.column}, got "
            f"{len(element.children)}"
        )


def _expanded(x: Element, frame: Frame[Element]) -> Sequence[Written[Element]]:
    column = x.column
    match x.name:
        case name if name in _ROWS:
            if x.words:
                _refuse(x)
            return [Frame(x.children)]
        case "msub" if _is_partial(x.children[0]):
            return [_by_places(x, frame)]
        case "mi" | "mover" | "msub":
            word = _word(x)
            return [Token("word", word.spelled, column, word)]
        case "mn":
            return [Token("number", x.words, column)] if _is_number(x.words) else _refuse(x)
        case "mo":
            return _sign(x, frame)
        case "mspace":
            return [Token("thin", "space", column)]
        case "mphantom":
            return []
        case "mtext":
            return list(text_tokens(x.words))[:-1] if x.words else []
        case "mfrac":
            return _fraction(x)
        case "msqrt":
            return [Token("root", "√", column, 2), *_bracketed(x.children, column)]
        case "mroot":
            degree = x.children[1].words
            if not degree.isdigit() or len(degree) > 3 or not int(degree):
                _refuse(x.children[1])
            return [Token("root", "√", column, int(degree)), *_bracketed(x.children[:1], column)]
        case "msup":
            return [*_base(x.children[0]), *_raised(x.children[1])]
        case "msubsup":
            word = _below(_word(x.children[0]), x.children[1])
            return [Token("word", word.spelled, column, word), *_raised(x.children[2])]
    _refuse(x)


def _bracketed(inside: Sequence[Element], column: int) -> Tokens:
    return [Token("open", "{", column), Frame(inside), Token("close", "}", column)]


def _base(x: Element) -> Tokens:
    """Return what is raised: by itself if it is one name, function or bracket, else in brackets."""
    inside = x
    while inside.name in _ROWS and len(inside.children) == 1:
        inside = inside.children[0]
    if inside.name == "mi" and not inside.words:
        # an exponent that stands after the last of several lines of a bracket
        return []
    first = inside.children[0] if inside.name in _ROWS and inside.children else inside
    if inside.name in ("mi", "mn", "mo", "mover", "msub") or first.words == "(":
        return [Frame([inside])]
    return _bracketed([inside], x.column)


def _raised(x: Element) -> Tokens:
    return [Token("operator", "^", x.column), *_bracketed([x], x.column)]


def _fraction(x: Element) -> Sequence[Written[Element]]:
    above, below = x.children
    found = _derivative(above, below)
    if found is not None:
        return [found]
    return [
        Token("open", "{", x.column),
        *_bracketed([above], x.column),
        Token("operator", "/", x.column),
        *_bracketed([below], x.column),
        Token("close", "}", x.column),
    ]


def _sign(x: Element, frame: Frame[Element]) -> Tokens:
    sign, column = x.words, x.column
    sign = _SIGNS.get(sign, sign)
    match sign:
        case "+" | "-" | "*" | "/":
            return [Token("operator", sign, column)]
        case "(" | "[" | "{":
            return [Token("open", sign, column)]
        case ")" | "]" | "}":
            return [Token("close", sign, column)]
        case "|":
            return [Token("bar", "|", column)]
        case ",":
            return [Token("comma", ",", column)]
        case "=" | "≈":
            return [Token("equals", sign, column)]
        case "\u2061":
            return []
    _refuse(x)


# ---- names


def _word(x: Element) -> Word:
    """Return the name of <mi>, <mover> with dots or <msub>."""
    while x.name in _ROWS and len(x.children) == 1:
        x = x.children[0]
    if x.name == "mi":
        text = x.words
        if len(text) > MAX_NAME:
            raise ParseError(
                f"expected a name of at most {MAX_NAME} characters at column {x.column}"
            )
        return word_of(text) or Word(text, text)
    if x.name == "mover":
        base, sign = x.children
        if sign.words not in _DOTS:
            _refuse(sign)
        word = _word(base)
        return word._replace(order=word.order + _DOTS[sign.words])
    if x.name == "msub":
        return _below(_word(x.children[0]), x.children[1])
    if x.name == "mtext":
        tokens = list(text_tokens(x.words))
        if len(tokens) == 2 and tokens[0].kind == "word":
            return tokens[0].value
    _refuse(x)


def _below(word: Word, x: Element) -> Word:
    """Return a name with a subscript: digits, then parts between commas."""
    parts = _text(x).replace("−", "-").split(",")
    index = ""
    if parts[0] and parts[0].replace("-", "").isdigit() and not word.digits and not word.below:
        index, parts = parts[0], parts[1:]
    word = word.below_it(index, [_part(part.removeprefix("_")) for part in parts if part])
    if len(word.spelled) > 2 * MAX_NAME:
        raise ParseError(f"expected a name of at most {MAX_NAME} characters at column {x.column}")
    return word


def _part(part: str) -> str:
    word = part.rstrip("0123456789")
    return letter(word) + part[len(word) :] if word in GREEK else part


def _text(x: Element) -> str:
    """Return the text of an element and all inside it."""
    text, work = "", [x]
    while work:
        y = work.pop()
        text += y.words
        work.extend(reversed(y.children))
    return text


# ---- derivatives


def _is_partial(x: Element) -> bool:
    return x.name == "mo" and x.words == "∂"


def _pieces(x: Element) -> list[Element]:
    """Return the elements of a line, rows inside it opened."""
    found, work = [], [x]
    while work:
        y = work.pop()
        if y.name in _ROWS:
            work.extend(reversed(y.children))
        else:
            found.append(y)
    return found


def _by_places(x: Element, frame: Frame[Element]) -> Token:
    """Return ∂₁₂f, a derivative by the numbers of arguments."""
    places = _text(x.children[1]).split(",")
    function = frame.take()
    if function is None or not all(n.isdigit() and len(n) < 4 for n in places):
        _refuse(x)
    numbers = tuple(map(int, places))
    return Token("partial", "∂", x.column, Partial(_word(function), (), numbers))


def _raised_partial(x: Element) -> int:
    """Return n of ∂ⁿ, 0 of another element."""
    if _is_partial(x):
        return 1
    if x.name == "msup" and _is_partial(_single(x.children[0])):
        n = _text(x.children[1])
        return int(n) if n.isdigit() and len(n) < 4 else 0
    return 0


def _single(x: Element) -> Element:
    while x.name in _ROWS and len(x.children) == 1:
        x = x.children[0]
    return x


def _derivative(above: Element, below: Element) -> Token | None:
    """Return ∂²f/∂x∂y, None of another fraction."""
    top, bottom = _pieces(above), _pieces(below)
    order = _raised_partial(top[0]) if len(top) == 2 else 0
    if not order or len(bottom) % 2 or not bottom:
        return None
    by: list[tuple[Word, int]] = []
    for sign, x in zip(bottom[::2], bottom[1::2], strict=True):
        if not _is_partial(sign):
            return None
        n = 1
        if x.name == "msup":
            n, x = int(_text(x.children[1]) or 0), _single(x.children[0])
        elif x.name == "msubsup":
            by.append((_below(_word(x.children[0]), x.children[1]), int(_text(x.children[2]))))
            continue
        by.append((_word(x), n))
    if sum(n for _, n in by) != order:
        _refuse(above)
    return Token("partial", "∂", above.column, Partial(_word(top[1]), tuple(by)))


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9]+(\.[0-9]+)?", text))


def _refuse(x: Element) -> NoReturn:
    shown = f"<{x.name}>{x.words[:20]}" if x.words else f"<{x.name}>"
    raise ParseError(f"expected a formula, got {shown!a} at column {x.column}")
