"""The one grammar of all notations: from tokens to an expression.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/" | nothing) signed)*
    signed   = ("+" | "-") signed | power
    power    = primary (("^" | "**") signed)?          right associative
    primary  = atom ("²" | "³" …)*
    atom     = number | "pi" | name | "(" sum ")" | "|" sum "|" | √ atom
             | function ["²"] ( "(" sum ("," sum)* ")" | letter )

Two stacks, of operands and of pending operators, replace recursion. What can be read in two ways
raises an error: ``a/b c``, ``sin x y``, ``√x²``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from dalembert.errors import ParseError
from dalembert.expr.functions import cos, sin
from dalembert.expr.graph import Kind
from dalembert.expr.node import PI, Expr, constant, neg
from dalembert.expr.symbols import is_kind, time
from dalembert.reader.build import NO_NUMBERS, Numbers, binary, number, raised
from dalembert.reader.calls import Calls, after_time
from dalembert.reader.limits import MAX_DEPTH
from dalembert.reader.names import Word, word_of
from dalembert.reader.rates import Partial, partial_of, rate
from dalembert.reader.shorts import short_angle
from dalembert.reader.tokens import Due, Token, refuse
from dalembert.reader.vocabulary import FUNCTION_NAMES, Vocabulary

_PRIORITY = {"+": 1, "-": 1, "*": 2, "/": 2, "unary +": 3, "unary -": 3, "^": 4}
_DERIVATIVES = ("Derivative", "diff")
_STARTS = ("number", "word", "open", "function", "root", "partial", "rate", "euler")
"""Tokens that begin a factor."""

_OPENING = {")": "(", "]": "[", "}": "{", "|": "|"}
_CLOSING = {opening: closing for closing, opening in _OPENING.items()}

Finish = Callable[[list[Any], int], None]
"""What is done with the operands of a bracket when it is closed, given its column."""


@dataclass
class _Group:
    """An open bracket: where it began, what it waits for, the operands that are complete.

    ``takes_pairs`` marks the brackets of Derivative(…), in which (t, 2) may stand.
    """

    closing: str
    column: int
    pending: int
    finish: Finish
    takes_commas: bool = False
    takes_pairs: bool = False
    args: list[Any] = field(default_factory=list)


class Parser:
    """Reads expressions, one after the other."""

    def __init__(self, vocabulary: Vocabulary, numbers: Numbers = NO_NUMBERS) -> None:
        self.vocabulary, self.numbers = vocabulary, numbers
        self.calls = Calls(self)
        self.operands: list[Any] = []
        self.operators: list[Token] = []
        self.groups: list[_Group] = []
        self.known: dict[Word, tuple[Expr, Due]] = {}

    def run(self, tokens: Iterable[Token]) -> Expr:
        """Alternate between the two states: an operand is due, an operator is due."""
        self.operands, self.operators, self.groups = [], [], []
        due: Due = self.operand
        for token in tokens:
            due = due(token)
        return self.operands[0]

    # ---- an operand is due; each method returns what is due next

    def operand(self, token: Token) -> Due:
        """Read a token that begins a factor, or a sign."""
        match token.kind:
            case "number":
                self.operands.append(number(token, self.numbers))
                return self._after_number
            case "word":
                return self._word(token)
            case "open":
                return self.open(token, self._plain, allows_pair=True)
            case "operator" if token.text in "+-":
                self.operators.append(token._replace(text=f"unary {token.text}"))
                return self.operand
            case "bar" if token.value != "close":
                return self.open(token._replace(text="|"), self.calls.applying("|"))
            case "function":
                return self.calls.function(token.text, token)
            case "root":
                return self.calls.root(token)
            case "partial":
                return self._partial(token)
            case "rate":
                return self.calls.rate(token)
            case "euler":
                return self.calls.euler(token)
            case "thin":
                return self.operand
        refuse(token, "a number, a name or (", "complete the expression")

    def _word(self, token: Token) -> Due:
        """Read a name: a symbol, several side by side, a function, or π."""
        word: Word = token.value
        if word in self.known:
            e, due = self.known[word]
            self.operands.append(e)
            return due
        found = self.vocabulary.factors(word)
        if found is not None:
            return self._factors(found, word, token)
        due = None if word.order or word.below else self._reserved(word.spelled, token)
        if due is not None:
            return due
        joined = joined_function(word, self.vocabulary)
        if joined is not None:
            name, argument = joined
            after = Token("word", argument.spelled, token.column, argument)
            return self.calls.function(name, token)(after)
        angle = short_angle(word, self.vocabulary)
        if angle is None:
            self.vocabulary.refuse(word, token.column)
        e = sin(angle) if word.base == "s" else cos(angle)
        self.known[word] = e, self.operator
        self.operands.append(e)
        return self.operator

    def _reserved(self, spelled: str, token: Token) -> Due | None:
        """Read a word of the language that no symbol has as its name."""
        if spelled in ("pi", "π"):
            self.operands.append(PI)
            return self.operator
        if spelled in FUNCTION_NAMES:
            return self.calls.function(FUNCTION_NAMES[spelled], token)
        if spelled in _DERIVATIVES:
            return self.calls.derivative(token)
        if spelled == "t" and any(group.takes_pairs for group in self.groups):
            self.operands.append(time)
            return self.operator
        if spelled == "e":
            return self.calls.euler(token)
        if spelled in ("δ", "delta"):
            return lambda following: self._small_difference(token, following)
        return None

    def _factors(self, found: tuple[Word, ...], word: Word, token: Token) -> Due:
        """Push the symbols that a word means, with signs of multiplication between them."""
        *front, last = found
        for factor in front:
            self.operands.append(self.value(factor, token.column))
            self.times(token)
        name = self.vocabulary.name_of(last)
        if name in self.vocabulary.functions and last.order == last.primes:
            return self.calls.undefined(name, last, token)
        e = self.value(last, token.column)
        due = self._of_time if self.vocabulary.is_coordinate(last) else self.operator
        if not front:
            self.known[word] = e, due
        self.operands.append(e)
        return due

    def value(self, word: Word, column: int) -> Expr:
        """Return what one name means, with its dots."""
        name = self.vocabulary.name_of(word)
        if name is None:
            self.vocabulary.refuse(word, column)
        if name in self.vocabulary.functions:
            # l̇ of a function l(t)
            return partial_of(name, Partial(word, places=(1,) * word.order), {}, [time], column)
        return rate(self.vocabulary.exact[name], name, word.order, column)

    def letter(self, token: Token, expected: str, remedy: str) -> Expr:
        """Return a number or one name that stands without brackets."""
        if token.kind == "number":
            return number(token, self.numbers)
        word = token.value if token.kind == "word" else None
        found = self.vocabulary.factors(word) if word is not None else None
        if word is not None and found is None and word.spelled in ("pi", "π"):
            return PI
        if found is None or len(found) != 1:
            refuse(token, expected, remedy)
        (only,) = found
        return self.value(only, token.column)

    def _small_difference(self, token: Token, following: Token) -> Due:
        """Read δ and a name beside it as the name of a small difference."""
        if following.kind == "word":
            inner: Word = following.value
            joined = inner._replace(spelled=f"δ{inner.spelled}", base=f"δ{inner.base}")
            if joined in self.vocabulary:
                return self._factors((joined,), joined, token)
        self.vocabulary.refuse(token.value, token.column)

    def _of_time(self, token: Token) -> Due:
        """Read the (t) of θ(t), if it is one."""
        return after_time(token, self.operator) or self.operator(token)

    def _partial(self, token: Token) -> Due:
        """Read ∂f/∂x and, in brackets, the arguments of f if they are not x alone."""
        partial: Partial = token.value
        name = self.vocabulary.name_of(partial.function)
        known = self.vocabulary.exact.get(name or "")
        if known is not None and known.op != "symbol":
            # ∂L/∂q̇ of an expression that has a name
            by = [(self.value(word, token.column), constant(n)) for word, n in partial.by]
            self.operands.append(self.calls.derivatives.of_call([known, *by], token.column))
            return self.operator
        if name is None or name not in self.vocabulary.functions:
            self.vocabulary.refuse(partial.function, token.column)
        letters = {word: self.value(word, token.column) for word, _ in partial.by}
        alone = None
        if len(partial.by) == 1:
            alone = partial_of(name, partial, letters, [*letters.values()], token.column)

        def finish(args: list[Any], column: int) -> None:
            if len(args) == 1 and alone is not None:
                # a factor beside it: ∂h/∂q (x + y)
                self.operands.append(alone)
                self.times(token)
                self.operands.append(args[0])
            else:
                self.operands.append(partial_of(name, partial, letters, args, column))

        def arguments(following: Token) -> Due:
            if following.kind == "open":
                return self.open(following, finish, takes_commas=True)
            if alone is None:
                refuse(following, f"( after a derivative of {name}", "write its arguments")
            self.operands.append(alone)
            return self.operator(following)

        return arguments

    # ---- brackets

    def open(
        self,
        token: Token,
        finish: Finish,
        *,
        takes_commas: bool = False,
        takes_pairs: bool = False,
        allows_pair: bool = False,
    ) -> Due:
        """Open a bracket; ``finish`` gets its operands when it is closed."""
        if len(self.groups) >= MAX_DEPTH:
            raise ParseError(
                f"expected at most {MAX_DEPTH} parentheses inside each other, got one more at "
                f"column {token.column}: name the inner parts and substitute them"
            )
        if allows_pair and self.groups and self.groups[-1].takes_pairs:
            takes_commas = len(self.operators) == self.groups[-1].pending
        closing = _CLOSING.get(token.text, ")")
        pending = len(self.operators)
        self.groups.append(
            _Group(closing, token.column, pending, finish, takes_commas, takes_pairs)
        )
        return self.operand

    def _plain(self, args: list[Any], column: int) -> None:
        """Finish brackets that only hold together; (t, 2) of a derivative is a pair."""
        self.operands.append(args[0] if len(args) == 1 else tuple(args))

    # ---- an operator is due

    def _after_number(self, token: Token) -> Due:
        if token.kind == "number":
            refuse(token, "an operator between numbers", "write * for a product")
        return self.operator(token)

    def operator(self, token: Token) -> Due:
        """Read what follows an operand; a factor beside it is multiplied."""
        match token.kind:
            case "operator":
                self._binary(token)
                return self.operand
            case "raised":
                e = raised(self.operands.pop(), constant(token.value), token.column)
                self.operands.append(e)
                return self.operator
            case "thin":
                return self.operator
            case "time":
                return self._argument_of_time(token)
            case kind if kind in _STARTS:
                self._implicit(token)
                return self.operand(token)
            case "bar":
                if token.value != "open" and self.groups and self.groups[-1].closing == "|":
                    return self._close()
                self._implicit(token)
                return self.operand(token)
            case "comma" if self.groups and self.groups[-1].takes_commas:
                self._argument()
                return self.operand
            case "close" if self.groups and self.groups[-1].closing == token.text:
                return self._close()
            case "end" if not self.groups:
                self._reduce(0, 0)
                return self.operator
        self._complain(token)

    def _argument_of_time(self, token: Token) -> Due:
        """Read the (t) of x(t) or x²(t); it is a factor beside what does not depend on time."""
        is_raised = bool(self.operators) and self.operators[-1].text == "^"
        base = self.operands[-2 if is_raised else -1]
        # also the rate of a coordinate, d/dt x(t)
        if is_kind(base, Kind.COORDINATE):
            return self.operator
        self._implicit(token)
        self.operands.append(time)
        return self.operator

    def _complain(self, token: Token) -> NoReturn:
        """Raise for a token that cannot follow an operand."""
        group = self.groups[-1] if self.groups else None
        match token.kind:
            case "end" | "close" if group is not None:
                where = f"{group.closing} for the {_OPENING[group.closing]} at column"
                refuse(token, f"{where} {group.column}", "close the parenthesis")
            case "close":
                refuse(token, "an operator or the end", f"remove {token.text} or open it before")
            case "comma":
                remedy = "commas separate the arguments of a function only; decimals have a point"
                refuse(token, "an operator", remedy)
            case "equals":
                refuse(token, "one expression", "an equation has two sides: read them apart")
        refuse(token, "an operator", "write * for a product")

    def _implicit(self, token: Token) -> None:
        """Multiply by what stands beside a factor; refuse a/b c, which is read in two ways."""
        last = self.operators[-1] if self.operators else None
        floor = self.groups[-1].pending if self.groups else 0
        if last is not None and last.text == "/" and len(self.operators) > floor:
            above, below = self.operands[-2:]
            if above.op != "const" or below.op != "const":
                remedy = "a/b c is read in two ways: write a/(b c) or a c/b"
                refuse(token, "brackets after /", remedy)
        self.times(token)

    def times(self, token: Token) -> None:
        """Multiply by the factor that comes next."""
        self._binary(Token("operator", "*", token.column))

    def _binary(self, token: Token) -> None:
        priority = _PRIORITY[token.text]
        # equal priority groups to the left, except for powers
        floor = self.groups[-1].pending if self.groups else 0
        self._reduce(priority + (token.text == "^"), floor)
        self.operators.append(token)

    def _argument(self) -> None:
        """Finish the expression before a comma or a closing bracket."""
        group = self.groups[-1]
        self._reduce(0, group.pending)
        group.args.append(self.operands.pop())

    def _close(self) -> Due:
        self._argument()
        group = self.groups.pop()
        group.finish(group.args, group.column)
        return self._after_pair if isinstance(self.operands[-1], tuple) else self.operator

    def _after_pair(self, token: Token) -> Due:
        if token.kind not in ("comma", "close"):
            refuse(token, "a comma or ) after a pair", "write Derivative(x(t), (t, 2))")
        return self.operator(token)

    def _reduce(self, priority: int, floor: int) -> None:
        """Apply the pending operators above ``floor`` that bind at least this strongly."""
        while len(self.operators) > floor and _PRIORITY[self.operators[-1].text] >= priority:
            token = self.operators.pop()
            b = self.operands.pop()
            match token.text:
                case "unary +":
                    result = b
                case "unary -":
                    result = neg(b)
                case "^":
                    result = raised(self.operands.pop(), b, token.column)
                case name:
                    result = binary(name, self.operands.pop(), b, token.column)
            self.operands.append(result)


def is_of_language(word: Word, vocabulary: Vocabulary) -> bool:
    """Tell whether a word that is no known name means something by itself, such as sin or c₁₂."""
    if short_angle(word, vocabulary) is not None or joined_function(word, vocabulary) is not None:
        return True
    reserved = ("pi", "π", "e", "t", *FUNCTION_NAMES, *_DERIVATIVES)
    return not word.order and not word.below and word.spelled in reserved


def joined_function(word: Word, vocabulary: Vocabulary) -> tuple[str, Word] | None:
    """Return the function and the name of ``sinθ``, written without a space; None of others."""
    for spelled in sorted(FUNCTION_NAMES, key=len, reverse=True):
        rest = word.spelled.removeprefix(spelled)
        argument = word_of(rest) if rest and rest != word.spelled else None
        if argument is not None and argument in vocabulary:
            return FUNCTION_NAMES[spelled], argument._replace(order=word.order, primes=word.primes)
    return None
