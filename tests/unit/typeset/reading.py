"""Read printed text back, strictly, so that tests can compare it with what was printed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dalembert import expr
from dalembert.expr import PI, Expr, constant, symbol, total
from dalembert.typeset.render.names import symbol_glyphs, symbol_latex, trig_index
from dalembert.typeset.tree import (
    CallLeaf,
    Leaf,
    PiLeaf,
    Power,
    Product,
    RootLeaf,
    Sum,
    SymbolLeaf,
    TrigLeaf,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan2": math.atan2,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
}
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉₋", "01234567890123456789-")


def tree_value(p: Product, values: dict) -> float:
    """Evaluate a print tree; ``values`` maps symbols to floats."""
    total = float(p.coefficient)
    for x in p.factors:
        total *= _power_value(x, values)
    for x in p.under:
        total /= _power_value(x, values)
    return total


def _power_value(x: Power, values: dict) -> float:
    if isinstance(x.base, Sum):
        base = sum(tree_value(term, values) for term in x.base.terms)
    else:
        base = _leaf_value(x.base, values)
    return base**x.exponent


def _leaf_value(leaf: Leaf, values: dict) -> float:
    match leaf:
        case SymbolLeaf(symbol):
            return values[symbol]
        case PiLeaf():
            return math.pi
        case TrigLeaf(function=function, angle=angle):
            return FUNCTIONS[function](sum(tree_value(term, values) for term in angle))
        case CallLeaf(function, args):
            return FUNCTIONS[function](*(tree_value(a, values) for a in args))
        case RootLeaf(arg, degree):
            return tree_value(arg, values) ** (1 / degree)
        case _:
            raise AssertionError(leaf)


class Reader:
    """A strict reader of printed Unicode: one slash per term, at its end."""

    def __init__(self, text: str, values: dict[Expr, float]) -> None:
        self.text, self.at = text, 0
        self.names = {symbol_glyphs(x.value): v for x, v in values.items()}
        self.names["π"] = math.pi
        self.angles = {
            index: v
            for x, v in values.items()
            if x.symbol is not None and (index := trig_index(x.symbol)) is not None
        }

    def read(self) -> float:
        value = self.sum()
        assert self.at == len(self.text), f"stopped at {self.text[self.at :]!r} in {self.text!r}"
        return value

    def take(self, pattern: str) -> str | None:
        match = re.compile(pattern).match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[0]

    def sum(self) -> float:
        total = -self.term() if self.take("-") else self.term()
        while sign := self.take(r" [+-] "):
            total += self.term() if "+" in sign else -self.term()
        return total

    def term(self) -> float:
        value = self.factor()
        while self.take(r" (?![+-] )"):
            value *= self.factor()
        if self.take("/"):
            # below the line several factors stand in brackets without a sum
            if self.take(r"\("):
                value /= self.bracket_below()
            else:
                value /= self.factor()
        return value

    def bracket_below(self) -> float:
        value = self.sum()
        assert self.take(r"\)")
        return value ** self.exponent()

    def exponent(self) -> float:
        raised = self.take("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
        if raised:
            return int(raised.translate(_DIGITS))
        if self.take(r"\^\("):
            inside = self.take(r"\d+/\d+")
            assert inside
            assert self.take(r"\)")
            return float(Fraction(inside))
        return 1

    def factor(self) -> float:
        function = self.take(
            r"(?:sin|cos|tan|asin|acos|atan2|exp|log|tanh|abs|sign)(?=[⁰¹²³⁴-⁹]*\()"
        )
        if function:
            raised = self.exponent()
            assert self.take(r"\(")
            args = [self.sum()]
            while self.take(", "):
                args.append(self.sum())
            assert self.take(r"\)")
            return FUNCTIONS[function](*args) ** (raised * self.exponent())
        return self.primary() ** self.exponent()

    def primary(self) -> float:
        if root := self.take("[³⁴]?√"):
            return self.primary() ** (1 / {"³": 3, "⁴": 4}.get(root[0], 2))
        if self.take(r"\("):
            value = self.sum()
            assert self.take(r"\)"), self.text[self.at :]
            return value
        if digits := self.take(r"\d+(\.\d+)?"):
            return float(digits)
        for name in sorted(self.names, key=len, reverse=True):
            if self.text.startswith(name, self.at):
                self.at += len(name)
                return self.names[name]
        short = self.take("[sc](₋?[₀₁₂₃₄₅₆₇₈₉])+")
        assert short, f"cannot read {self.text[self.at :]!r} of {self.text!r}"
        digits = re.findall(r"-?\d", short[1:].translate(_DIGITS))
        angle = sum((-1) ** ("-" in d) * self.angles[d[-1]] for d in digits)
        return math.sin(angle) if short[0] == "s" else math.cos(angle)


def read_text(text: str, values: dict[Expr, float]) -> float:
    """Return the value of printed Unicode text."""
    return Reader(text, values).read()


def read_latex(latex: str, values: dict[Expr, float]) -> float:
    """Return the value of printed LaTeX, by rewriting it as the Unicode it stands for."""
    names = {symbol_latex(x.value): symbol_glyphs(x.value) for x in values}
    for name in sorted(names, key=len, reverse=True):
        latex = re.sub(
            re.escape(name) + r"(?![A-Za-z{}_])|" + re.escape(name) + r"(?=\})", names[name], latex
        )
    return read_text(_plain(latex), values)


def _plain(s: str) -> str:
    s = re.sub(
        r"\^\{(\d+)\}", lambda m: m[1].translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")), s
    )
    s = re.sub(r"\^\{(\d+/\d+)\}", r"^(\1)", s)
    s = re.sub(
        r"([sc])_\{([\d-]+)\}",
        lambda m: m[1] + m[2].translate(str.maketrans("0123456789-", "₀₁₂₃₄₅₆₇₈₉₋")),
        s,
    )
    s = s.replace(r"\left|", "abs(").replace(r"\right|", ")")
    s = s.replace(r"\left(", "(").replace(r"\right)", ")").replace(r"\pi", "π").replace(r"\,", "")
    s = re.sub(r"\\operatorname\{(\w+)\}", r"\1", s).replace("sgn", "sign")
    s = s.replace(r"\arcsin", "asin").replace(r"\arccos", "acos")
    s = re.sub(r"\\(log|tanh)", r"\1", s)
    # an argument without brackets ends at the next space
    s = re.sub(r"\\(sin|cos|tan)([⁰-⁹²³¹]*) (\S+?)(?=[ }),]|$)", r"\1\2(\3)", s)
    s = re.sub(r"\\(sin|cos|tan)", r"\1", s)
    for pattern, form in (
        (r"\frac{", "(({})/({}))"),
        (r"\sqrt[3]{", "³√({})"),
        (r"\sqrt{", "√({})"),
        (r"e^{", "exp({})"),
    ):
        while (start := s.rfind(pattern)) >= 0:
            parts, at = [], start + len(pattern) - 1
            for _ in range(form.count("{}")):
                end = _closing(s, at)
                parts.append(s[at + 1 : end])
                at = end + 1
            s = s[:start] + form.format(*parts) + s[at:]
    return re.sub(r" +", " ", s)


def _closing(s: str, at: int) -> int:
    depth = 0
    for i in range(at, len(s)):
        depth += (s[i] == "{") - (s[i] == "}")
        if not depth:
            return i
    raise AssertionError(s)


def read_parts(text: str, values: dict[Expr, float]) -> float:
    """Return the value of a text with named parts, ``… with D = …``."""
    # a line that is continued starts with its sign
    joined = re.sub(r"\n +(?=[+\-=] )", " ", text)
    main, *lines = joined.split("\n")
    parts = dict(line.removeprefix("with").strip().split(" = ", 1) for line in lines)
    reader = Reader("", values)
    while parts:
        for name, body in list(parts.items()):
            if not any(re.search(f"{other}(?![₀-₉])", body) for other in parts if other != name):
                inner = Reader(body, values)
                inner.names.update(reader.names)
                reader.names[name] = inner.read()
                del parts[name]
    final = Reader(main, values)
    final.names.update(reader.names)
    return final.read()


def tree_expr(p: Product) -> Expr:
    """Return the expression that a print tree stands for."""
    result = constant(p.coefficient)
    for x in p.factors:
        result = result * _power_expr(x)
    for x in p.under:
        result = result / _power_expr(x)
    return result


def _power_expr(x: Power) -> Expr:
    match x.base:
        case Sum(terms=terms):
            base = total([tree_expr(term) for term in terms])
        case SymbolLeaf(s):
            base = symbol(s.kind, s.name, s.order)
        case PiLeaf():
            base = PI
        case TrigLeaf(function=function, angle=angle):
            base = getattr(expr, function)(total([tree_expr(term) for term in angle]))
        case RootLeaf(arg, degree):
            base = tree_expr(arg) ** Fraction(1, degree)
        case CallLeaf(function, args):
            base = getattr(expr, function)(*map(tree_expr, args))
        case _:
            raise AssertionError(x)
    return base**x.exponent
