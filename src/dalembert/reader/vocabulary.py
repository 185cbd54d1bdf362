"""Which expression a word means: the symbols that are known, by every spelling of their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

from dalembert.errors import InvalidExpression, ParseError, UnknownName, nearest
from dalembert.expr.functions import COMPOSED, FUNCTIONS
from dalembert.expr.graph import Kind
from dalembert.expr.greek import spelled_out
from dalembert.expr.node import Expr, Scalar, as_expr
from dalembert.expr.symbols import is_kind, symbol
from dalembert.expr.undefined import UndefinedFunction
from dalembert.reader.names import Key, Word, key_of, word_of

RESERVED = ("pi", "sqrt", *FUNCTIONS)
Known = Iterable[Expr | UndefinedFunction] | Mapping[str, Scalar | UndefinedFunction]
"""Symbols and functions without a definition, or what names stand for."""

_RATE_ENDINGS = (("_ddot", 2), ("_dot", 1), ("ddot", 2), ("dot", 1), ("_dd", 2), ("_d", 1))


class Vocabulary:
    """Names that may occur in a text."""

    def __init__(self, known: Known) -> None:
        self.functions: dict[str, UndefinedFunction] = {}
        self.exact: dict[str, Expr] = {}
        self._strict: dict[Key, str | None] = {}
        self._loose: dict[str, str | None] = {}
        self._read: dict[Word, tuple[Word, ...] | None] = {}
        for name, meaning in _named(known).items():
            self.add(name, meaning)

    def add(self, name: str, meaning: Expr | UndefinedFunction) -> None:
        """Add a name that no word read so far spells."""
        if isinstance(meaning, UndefinedFunction):
            self.functions[name] = meaning
        else:
            self.exact[name] = meaning
        key = _own_key(name, meaning)
        _only(self._strict, key, name)
        _only(self._loose, key.loose, name)

    def name_of(self, word: Word) -> str | None:
        """Return the known name that a word spells, None if there is none or not only one."""
        if word.spelled in self.exact or word.spelled in self.functions:
            return word.spelled
        for key in word.keys:
            if key in self._strict:
                return self._strict[key]
        return self._loose.get(word.keys[-1].loose)

    def __contains__(self, word: Word) -> bool:
        return self.name_of(word) is not None

    def factors(self, word: Word) -> tuple[Word, ...] | None:
        """Return the known names that a word is a product of, None if it cannot be taken apart.

        A word that is itself a name is one factor; in TeX, letters come first.

        Raises:
            ParseError: it can be taken apart in two ways.
        """
        if word not in self._read:
            self._read[word] = self._factors(word)
        return self._read[word]

    def _factors(self, word: Word) -> tuple[Word, ...] | None:
        if word in self and not (word.letters and self._by_letters(word)):
            return (word,)
        rate = self._spelled_rate(word)
        if rate is not None:
            return (rate,)
        ways = self._ways(word.spelled)
        if len(ways) > 1 and word.letters:
            ways = [way for way in ways if len(way) == max(map(len, ways))]
        if len(ways) > 1:
            first, second = (" ".join(x.spelled for x in way) for way in ways[:2])
            raise ParseError(
                f"expected names apart, got {word.spelled[:40]!r}, which is {first} or {second}: "
                "write a space or * between factors"
            )
        if not ways:
            return None
        *front, last = ways[0]
        return (*front, last._replace(order=last.order + word.order))

    def _by_letters(self, word: Word) -> bool:
        """Tell whether each letter of a run in TeX is a known name."""
        return len(word.spelled) > 1 and all(
            (x := word_of(ch)) is not None and x in self for ch in word.spelled
        )

    def _spelled_rate(self, word: Word) -> Word | None:
        """Return the coordinate of ``theta_ddot`` and ``thetadot``, with its order."""
        for ending, order in _RATE_ENDINGS:
            stem = word.spelled.removesuffix(ending)
            found = word_of(stem) if stem and stem != word.spelled else None
            if found is not None and found in self and self.is_coordinate(found):
                return found._replace(order=found.order + order + word.order)
        return None

    def is_coordinate(self, word: Word) -> bool:
        """Tell whether a word spells a coordinate."""
        e = self.exact.get(self.name_of(word) or "")
        return e is not None and is_kind(e, Kind.COORDINATE)

    def _ways(self, text: str) -> list[tuple[Word, ...]]:
        """Return at most two of the ways to write a text as known names side by side."""
        n = len(text)
        # ways[i]: those to take text[i:] apart
        ways: list[list[tuple[Word, ...]]] = [[] for _ in range(n)] + [[()]]
        for i in range(n - 1, -1, -1):
            if not text[i].isalpha():
                continue
            for j in range(i + 1, n + 1):
                piece = word_of(text[i:j]) if ways[j] and (i, j) != (0, n) else None
                if piece is not None and piece in self:
                    ways[i] += [(piece, *way) for way in ways[j]][:2]
            ways[i] = ways[i][:3]
        return ways[0]

    def refuse(self, word: Word, column: int) -> NoReturn:
        """Raise for a word that is no known name."""
        known = [*self.exact, *self.functions, *RESERVED]
        raise UnknownName(
            f"expected a known name, got {word.spelled[:100]!r} at column {column}: "
            f"{nearest(word.spelled, known)}"
        )


def without_rate(word: Word) -> str:
    """Return the name of a word without its dots and endings such as _dot."""
    name = spelled_out("_".join([word.base + word.digits, *word.below]))
    for ending, _ in _RATE_ENDINGS[:2]:
        name = name.removesuffix(ending)
    return name


def _only(table: dict, key: Key | str, name: str) -> None:
    """Enter a name; a key with two names stands for none."""
    table[key] = name if table.get(key, name) == name else None


def _own_key(name: str, meaning: Expr | UndefinedFunction) -> Key:
    """Return the key by which a name is printed: λ is a multiplier or `lam`."""
    key = key_of(name)
    word = {"λ": "lambda", "Λ": "Lambda"}.get(key.base)
    is_multiplier = isinstance(meaning, Expr) and is_kind(meaning, Kind.MULTIPLIER)
    if word and name.startswith(word) and not is_multiplier:
        return key._replace(base=word)
    return key


def _named(known: Known) -> dict[str, Expr | UndefinedFunction]:
    """Return what each name stands for."""
    if isinstance(known, Mapping):
        named = {
            str(name): e if isinstance(e, UndefinedFunction) else as_expr(e)
            for name, e in known.items()
        }
    else:
        named = _by_name(_listed(known))
    for name in RESERVED:
        if name in named:
            raise InvalidExpression(
                f"expected symbols with names of their own, got {name!r}, which the language uses: "
                "rename the symbol or pass a mapping with another name"
            )
    return named


def _listed(symbols: Iterable[Expr | UndefinedFunction]) -> list[Expr | UndefinedFunction]:
    try:
        found = None if isinstance(symbols, str) else list(symbols)
    except TypeError:
        found = None
    if found is None:
        raise InvalidExpression(
            f"expected a list of symbols or a mapping of names, got {type(symbols).__name__}"
        )
    return found


def _by_name(symbols: Iterable[Expr | UndefinedFunction]) -> dict[str, Expr | UndefinedFunction]:
    named: dict[str, Expr | UndefinedFunction] = {}
    for x in symbols:
        if isinstance(x, UndefinedFunction):
            named[x.name] = x
            continue
        s = x.symbol if isinstance(x, Expr) else None
        if s is None:
            raise InvalidExpression(
                f"expected symbols to parse with, got {type(x).__name__}: "
                "pass a mapping of names to expressions"
            )
        base = symbol(s.kind, s.name)
        if named.setdefault(s.name, base) is not base:
            raise InvalidExpression(
                f"expected one symbol for each name, got two kinds of {s.name!r}: "
                "pass a mapping that gives them different names"
            )
    return named


FUNCTION_NAMES: dict[str, str] = {
    **{name: name for name in (*FUNCTIONS, *COMPOSED, "sqrt")},
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "ln": "log",
    "sgn": "sign",
    "Abs": "abs",
}
"""What the functions of the language are called by people, TeX and SymPy."""
