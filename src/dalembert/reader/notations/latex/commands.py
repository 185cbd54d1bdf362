r"""What each command and sign of LaTeX means: \frac, \sqrt, \left(, \sin, \cdot, \,."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.errors import ParseError
from dalembert.reader.names import Word
from dalembert.reader.notations.latex.atoms import (
    FRACTIONS,
    THIN,
    WORDS,
    Atom,
    Braces,
    Item,
    Items,
    argument,
    atoms,
    is_sign,
    plain,
)
from dalembert.reader.notations.latex.fractions import by_places, derivative
from dalembert.reader.notations.latex.names import letters, name
from dalembert.reader.notations.pieces import Frame, Written, flattened
from dalembert.reader.tokens import Token

_FUNCTIONS = {
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan")},
    **{name: name for name in ("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "coth")},
    **{name: name for name in ("cot", "sec", "csc")},
    "ln": "log",
}
_OPERATORS = {"atan2": "atan2", "sgn": "sign", "sign": "sign", "atan": "atan", "abs": "abs"}
_OPERATORS |= {name: name for name in ("asin", "acos", "sinh", "cosh", "tanh", "exp", "log")}
_NOTHING = ("!", "displaystyle", "textstyle", "limits", "nolimits", "mathstrut", "allowbreak")
_AROUND = ("(", ")", "[", "]")
_SIZES = ("big", "Big", "bigg", "Bigg")
_SIDES = {
    "left": "open",
    "right": "close",
    **dict.fromkeys(_SIZES),
    **{f"{size}l": "open" for size in _SIZES},
    **{f"{size}r": "close" for size in _SIZES},
}
_SIGNS = {"cdot": "*", "times": "*", "ast": "*", "div": "/", "−": "-", "×": "*", "·": "*"}
_BARS = {"|": None, "lvert": "open", "rvert": "close", "vert": None, "mid": None}
_BRACKETS = {"lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "{": "{", "}": "}"}
_BRACKETS |= {"(": "(", ")": ")", "[": "[", "]": "]"}
_OPENING = "([{"

Tokens = Sequence[Written[Item]]


def latex_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a formula, the end last.

    Raises:
        ParseError: a command that no formula of this language has, or braces that do not match.
    """
    yield from flattened(atoms(text), _expanded)
    yield Token("end", "the end", len(text) + 1)


def _expanded(item: Item, frame: Items) -> Tokens:
    """Return what an item becomes, with its arguments."""
    if isinstance(item, Braces):
        frame.push(item)
        word = name(frame)
        if word is not None:
            return [Token("word", word.spelled, item.column, word)]
        frame.take()
        return _braced(item)
    match item.kind:
        case "number":
            return [Token("number", item.text, item.column)]
        case "letters":
            return [Token("word", x.spelled, column, x) for column, x in letters(item, frame)]
        case "command":
            return _command(item, frame)
    return _sign(item, frame)


def _braced(item: Braces) -> Tokens:
    """Return what stands between braces; SymPy writes x{\\left(t \\right)} for x(t)."""
    if not item:
        return []
    if not _is_one_bracket(item):
        return _bracketed(item, item.column)
    inside = [x for x in item[2:-2] if not (isinstance(x, Atom) and x.text in THIN)]
    if len(inside) == 1 and plain(inside[0]) == "t":
        return [Token("time", "(t)", item.column)]
    return [Frame(item)]


def _is_one_bracket(items: Braces) -> bool:
    """Tell whether all stands between one \\left( and its \\right)."""
    depth = 0
    for i, x in enumerate(items):
        text = x.text if isinstance(x, Atom) and x.kind == "command" else ""
        depth += (text == "left") - (text == "right")
        if not depth and i < len(items) - 2:
            return False
    return len(items) > 3 and is_sign(items[1], "(") and is_sign(items[-1], ")")


def _bracketed(arg: Item, column: int) -> list[Written[Item]]:
    """Return an argument in brackets."""
    inside = arg if isinstance(arg, Braces) else [arg]
    return [Token("open", "{", column), Frame(inside), Token("close", "}", column)]


def _command(item: Atom, frame: Items) -> Tokens:
    command, column = item.text, item.column
    if command in FRACTIONS:
        return _fraction(frame, column)
    if command == "sqrt":
        degree = _degree(frame, column)
        arg = argument(frame, "\\sqrt", column)
        return [Token("root", "√", column, degree), *_bracketed(arg, column)]
    if command in _SIDES:
        return _sized(command, frame, column)
    if command in ("phantom", "hphantom", "vphantom"):
        argument(frame, f"\\{command}", column)
        return []
    if command == "partial":
        return [by_places(frame, column)]
    simple = _simple(command, column)
    if simple is not None:
        return simple
    return _called(item, frame) if command in WORDS else _named(item, frame)


def _simple(command: str, column: int) -> Tokens | None:
    """Return the tokens of a command without arguments, None if it may have some."""
    if command in _FUNCTIONS:
        return [Token("function", _FUNCTIONS[command], column)]
    if command in _SIGNS:
        return [Token("operator", _SIGNS[command], column)]
    if command in THIN:
        return [Token("thin", command, column)]
    if command in _BARS:
        return [Token("bar", "|", column, _BARS[command])]
    if command == "approx":
        return [Token("equals", "≈", column)]
    if command in _NOTHING or command in _AROUND:
        # \( … \) and \[ … \] stand around a formula
        return []
    if command in _BRACKETS:
        bracket = _BRACKETS[command]
        return [Token("open" if bracket in _OPENING else "close", bracket, column)]
    return None


def _called(item: Atom, frame: Items) -> Tokens:
    """Return the function or the number e that a command around a word names."""
    taken = frame.take()
    word = plain(taken)
    if not is_sign(frame.peek(), "_"):
        if word in _OPERATORS:
            return [Token("function", _OPERATORS[word], item.column)]
        if word == "e":
            return [Token("euler", "e", item.column, Word("e", "e"))]
    frame.push(taken)
    return _named(item, frame)


def _named(item: Atom, frame: Items) -> Tokens:
    frame.push(item)
    word = name(frame)
    if word is None:
        raise ParseError(
            f"expected a formula, got the command {item.text[:20]!a} at column {item.column}: "
            "write it with \\frac, \\dot, \\sin, \\sqrt, letters and brackets"
        )
    return [Token("word", word.spelled, item.column, word)]


def _sign(item: Atom, frame: Items) -> Tokens:
    sign, column = item.text, item.column
    match sign:
        case "+" | "-" | "*" | "/" | "−" | "×" | "·":
            return [Token("operator", _SIGNS.get(sign, sign), column)]
        case "(" | "[":
            return [Token("open", sign, column)]
        case ")" | "]":
            return [Token("close", sign, column)]
        case "^":
            arg = argument(frame, "^", column)
            return [Token("operator", "^", column), *_bracketed(arg, column)]
        case "|":
            return [Token("bar", "|", column)]
        case ",":
            return [Token("comma", ",", column)]
        case "=":
            return [Token("equals", "=", column)]
        case "&" | "$":
            return []
        case "~":
            return [Token("thin", "~", column)]
    raise ParseError(
        f"expected a formula, got {sign!r} at column {column}: "
        "an index and a prime stand at a letter"
    )


def _sized(command: str, frame: Items, column: int) -> Tokens:
    """Return the bracket after \\left, \\right or \\bigl."""
    item = frame.take()
    text = item.text if isinstance(item, Atom) else ""
    if text in _BARS:
        return [Token("bar", "|", column, _SIDES[command])]
    if text in _BRACKETS:
        bracket = _BRACKETS[text]
        return [Token("open" if bracket in _OPENING else "close", bracket, column)]
    raise ParseError(f"expected a bracket after \\{command} at column {column}, got {text[:20]!a}")


def _degree(frame: Items, column: int) -> int:
    """Return the degree of \\sqrt[3]."""
    if not is_sign(frame.peek(), "["):
        return 2
    frame.take()
    text, closing = plain(frame.take()), frame.take()
    if not text.isdigit() or len(text) > 3 or not int(text) or not is_sign(closing, "]"):
        raise ParseError(
            f"expected a whole degree of \\sqrt[…] at column {column}, got {text[:20]!r}"
        )
    return int(text)


def _fraction(frame: Items, column: int) -> Tokens:
    above, below = argument(frame, "\\frac", column), argument(frame, "\\frac", column)
    found = derivative(above, below, column)
    if found is not None:
        return [found]
    return [
        Token("open", "{", column),
        *_bracketed(above, column),
        Token("operator", "/", column),
        *_bracketed(below, column),
        Token("close", "}", column),
    ]
