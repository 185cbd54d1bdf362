"""Functions and their arguments, in brackets or not: sin²(x), sin θ, √2, e^(-x), d/dt(…)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dalembert.errors import ParseError
from dalembert.expr.functions import COMPOSED, FUNCTIONS, abs_, exp, sqrt
from dalembert.expr.node import ONE, PI, Expr, constant, neg
from dalembert.expr.symbols import time
from dalembert.reader.build import binary, checked, folded_by, number, raised
from dalembert.reader.rates import Derivatives, Partial, partial_of
from dalembert.reader.tokens import Due, Token, refuse

if TYPE_CHECKING:
    from dalembert.reader.grammar import Finish, Parser
    from dalembert.reader.names import Word

_BUILDERS: dict[str, tuple[Callable[..., Expr], int]] = {
    **{name: (build, 1) for name, build in COMPOSED.items()},
    **{name: (f.build, f.arity) for name, f in FUNCTIONS.items()},
    "sqrt": (sqrt, 1),
    "|": (abs_, 1),
}
_WITH_INVERSE = ("sin", "cos", "tan")


class Calls:
    """Reads functions for a parser; each method returns what is due next."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.derivatives = Derivatives()

    # ---- elementary functions

    def function(self, name: str, token: Token) -> Due:
        """Read a function: its exponent, if there is one, then its argument."""

        def exponent(following: Token) -> Due:
            if following.kind == "raised":
                return self._raised(name, token, following.value, following)
            if following.kind == "operator" and following.text == "^":
                return lambda n: self._exponent(name, token, n)
            return self._argument(name, 1, token, following)

        return exponent

    def _exponent(self, name: str, token: Token, following: Token) -> Due:
        """Read the exponent of sin^2 x, in braces or not."""
        if following.kind != "open":
            return self._whole(name, token, following)
        tokens: list[Token] = []

        def inside(n: Token) -> Due:
            if n.kind not in ("close", "end") and len(tokens) < 2:
                tokens.append(n)
                return inside
            sign = "-" if len(tokens) == 2 and tokens[0].text == "-" else ""
            if n.kind != "close" or len(tokens) != 1 + len(sign):
                refuse(n, f"a whole exponent of {name}", f"write ({name}(x))^n")
            return self._whole(name, token, tokens[-1]._replace(text=sign + tokens[-1].text))

        return inside

    def _whole(self, name: str, token: Token, n: Token) -> Due:
        if n.kind != "number" or not n.text.removeprefix("-").isdigit() or len(n.text) > 4:
            refuse(n, f"a whole exponent of {name}", f"write ({name}(x))^n")
        return self._raised(name, token, int(n.text), n)

    def _raised(self, name: str, token: Token, n: int, at: Token) -> Due:
        if n == -1 and name in _WITH_INVERSE:
            remedy = f"write arc{name}(x) or 1/{name}(x)"
            refuse(at, f"an exponent of {name} that is read in one way", remedy)
        return lambda following: self._argument(name, n, token, following)

    def _argument(self, name: str, n: int, token: Token, following: Token) -> Due:
        """Read the argument of a function, in brackets or one letter."""
        if following.kind == "open":
            finish = self.applying(name, n, token.text)
            return self.parser.open(following, finish, takes_commas=True)
        if following.kind == "thin":
            return lambda after: self._argument(name, n, token, after)
        if following.kind == "time":
            self.applying(name, n, token.text)([time], following.column)
            return self.parser.operator
        if following.kind in ("number", "word"):
            return _Bare(self, name, n, token).take(following)
        refuse(following, f"( after {token.text}", f"write {token.text}(…)")

    def applying(self, name: str, n: int = 1, spelled: str = "") -> Finish:
        """Return what applies a function, raised to n, when its brackets are closed."""
        build, arity = _BUILDERS[name]

        def finish(args: list[Any], column: int) -> None:
            if len(args) != arity:
                raise ParseError(
                    f"expected {arity} argument{'s' * (arity > 1)} of {spelled or name}, "
                    f"got {len(args)} at column {column}: "
                    f"write {spelled or name}({'y, x' if arity == 2 else 'x'})"
                )
            e = folded_by(build, args, column)
            self.parser.operands.append(e if n == 1 else raised(e, constant(n), column))

        return finish

    # ---- e^x and roots

    def euler(self, token: Token) -> Due:
        """Read e^(…): the number e by itself is no name of the language."""

        def exponent(following: Token) -> Due:
            if following.kind != "operator" or following.text != "^":
                self.parser.vocabulary.refuse(token.value, token.column)
            return self._power_of_e

        return exponent

    def _power_of_e(self, token: Token) -> Due:
        if token.kind == "open":
            return self.parser.open(token, self.applying("exp"))
        if token.kind == "operator" and token.text == "-":
            return lambda following: self._letter_above_e(following, neg)
        return self._letter_above_e(token, lambda x: x)

    def _letter_above_e(self, token: Token, signed: Callable[[Expr], Expr]) -> Due:
        x = self.parser.letter(token, "brackets around the exponent of e", "write exp(…)")
        self.parser.operands.append(folded_by(exp, [signed(x)], token.column))
        return self.parser.operator

    def root(self, token: Token) -> Due:
        """Read what √ is the root of: a number, a name or brackets."""
        p, degree = self.parser, token.value

        def finish(args: list[Any], column: int) -> None:
            p.operands.append(raised(args[0], constant(ONE.value / degree), column))

        def inside(following: Token) -> Due:
            if following.kind == "open":
                return p.open(following, finish)
            finish(
                [p.letter(following, "a number, a name or ( after √", "write √(…)")], token.column
            )
            return after

        def after(following: Token) -> Due:
            if following.kind == "raised" or (
                following.kind == "operator" and following.text == "^"
            ):
                refuse(following, "brackets: √x² is read in two ways", "write √(x²) or (√x)²")
            return p.operator(following)

        return inside

    # ---- functions without a definition, and derivatives

    def undefined(self, name: str, word: Word, token: Token) -> Due:
        """Read the arguments of a function without a definition, f(x, y), f'(x) or l' of time."""
        p = self.parser

        def finish(args: list[Any], column: int) -> None:
            if word.primes and len(args) != 1:
                remedy = f"write ∂{name}/∂x(x, y)"
                refuse(token, f"one argument of {name} with a prime", remedy)
            p.operands.append(partial_of(name, Partial(word, places=places), {}, args, column))

        places = (1,) * word.primes
        arguments = self._in_brackets(finish, f"( after the function {name}", f"write {name}(…)")

        def in_time(following: Token) -> Due:
            if following.kind in ("open", "time"):
                return arguments(following)
            finish([time], token.column)
            return p.operator(following)

        return in_time if word.primes else arguments

    def derivative(self, token: Token) -> Due:
        """Read Derivative(θ(t), t, 2)."""
        p = self.parser

        def finish(args: list[Any], column: int) -> None:
            p.operands.append(checked(self.derivatives.of_call(args, column), column))

        remedy = f"write {token.text}(x(t), t)"
        return self._in_brackets(finish, f"( after {token.text}", remedy, takes_pairs=True)

    def rate(self, token: Token) -> Due:
        """Read d/dt (…), and d/dt of one coordinate."""
        p = self.parser

        def finish(args: list[Any], column: int) -> None:
            p.operands.append(self.derivatives.in_time(args[0], token.value, column))

        in_brackets = self._in_brackets(
            finish, "brackets after d/dt", "write d/dt(…)", commas=False
        )

        def coordinate(following: Token) -> Due:
            if following.kind == "partial" and p.operand(following) == p.operator:
                # d/dt ∂L/∂q̇
                finish([p.operands.pop()], token.column)
                return p.operator
            if following.kind != "word":
                return in_brackets(following)
            x = p.letter(following, "one coordinate or brackets after d/dt", "write d/dt(…)")
            finish([x], token.column)
            return lambda after: after_time(after, p.operator) or p.operator(after)

        return coordinate

    def _in_brackets(
        self,
        finish: Finish,
        expected: str,
        remedy: str,
        *,
        commas: bool = True,
        takes_pairs: bool = False,
    ) -> Due:
        def opening(token: Token) -> Due:
            if token.kind == "thin":
                return opening
            if token.kind == "time":
                finish([time], token.column)
                return self.parser.operator
            if token.kind != "open":
                refuse(token, expected, remedy)
            return self.parser.open(token, finish, takes_commas=commas, takes_pairs=takes_pairs)

        return opening


class _Bare:
    """The argument of a function without brackets: sin θ, cos 2θ, cos ωt."""

    def __init__(self, calls: Calls, name: str, n: int, token: Token) -> None:
        self.calls, self.parser = calls, calls.parser
        self.name, self.n, self.token = name, n, token
        self.factors: list[Expr] = []
        self.words = 0

    def take(self, token: Token) -> Due:
        """Take a number or a name; what follows may belong to the argument too."""
        if token.kind == "number":
            self.factors.append(number(token, self.parser.numbers))
            return self._more
        word: Word = token.value
        vocabulary = self.parser.vocabulary
        found = vocabulary.factors(word)
        if found is None and word.spelled in ("pi", "π"):
            self.factors.append(PI)
            return self._more
        if found is None:
            vocabulary.refuse(word, token.column)
        if any(vocabulary.name_of(x) in vocabulary.functions for x in found):
            refuse(token, f"brackets around the argument of {self.name}", "write them")
        self.factors += [self.parser.value(x, token.column) for x in found]
        self.words += len(found)
        return self._of_time if vocabulary.is_coordinate(found[-1]) else self._more

    def _of_time(self, token: Token) -> Due:
        """Read the (t) of sin θ(t), if it is one."""
        return after_time(token, self._more) or self._more(token)

    def _more(self, token: Token) -> Due:
        """Decide whether a token continues the argument."""
        needs_brackets = f"brackets around the argument of {self.name}"
        if token.kind == "raised" or (token.kind == "operator" and token.text == "^"):
            refuse(token, needs_brackets, f"write {self.name}²(x) or {self.name}(x²)")
        if token.kind == "word":
            word: Word = token.value
            found = self.parser.vocabulary.factors(word)
            if found is None and word.spelled in ("pi", "π"):
                return self.take(token)
            is_letter = found is not None and not any(x.order for x in found)
            is_time = self.parser.vocabulary.exact.get(word.spelled) is time
            # cos 2θ and cos ω t
            if is_letter and (is_time or not self.words):
                return self.take(token)
            if is_letter:
                remedy = f"write {self.name}(…): {self.name} x y is read in two ways"
                refuse(token, needs_brackets, remedy)
        return self._finish(token)

    def _finish(self, token: Token) -> Due:
        """Apply the function, and go on."""
        argument, column = self.factors[0], self.token.column
        for factor in self.factors[1:]:
            argument = binary("*", argument, factor, column)
        self.calls.applying(self.name, self.n, self.token.text)([argument], column)
        return self.parser.operator(token)


def after_time(opening: Token, due: Due) -> Due | None:
    """Return what reads (t) and goes on with ``due``, None if no bracket opens."""
    if opening.kind != "open" or opening.text != "(":
        return None

    def letter(token: Token) -> Due:
        if token.kind != "word" or token.text != "t":
            return due(opening)(token)
        return lambda closing: due if closing.kind == "close" else due(opening)(token)(closing)

    return letter
