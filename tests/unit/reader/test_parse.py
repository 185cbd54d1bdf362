"""The text parser: the grammar, its limits, and hostile text."""

from __future__ import annotations

import ast
import math
import operator
import sys
import tracemalloc
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.errors import (
    DalembertError,
    DivisionByZero,
    InvalidExpression,
    ParseError,
    UnknownName,
)
from dalembert.expr import (
    FUNCTIONS,
    PI,
    as_expr,
    atan2,
    coordinates,
    cos,
    count_nodes,
    exp,
    inputs,
    log,
    parameters,
    sin,
    sqrt,
    tanh,
)
from dalembert.expr import time as t
from dalembert.reader import parse
from dalembert.reader.limits import (
    MAX_BITS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_EXPONENT,
    MAX_LENGTH,
    MAX_NAME,
)
from tests.cases import num_cases
from tests.effort import at_once, refused_at_once
from tests.figures import Figures

q1, q2, x, y = coordinates("q1 q2 x y")
m, l, g = parameters("m l g")
(tau,) = inputs("tau")
KNOWN = [q1, q2, x, y, m, l, g, tau, t]


def read(text):
    return parse(text, KNOWN)


READ = [
    ("3", lambda: as_expr(3)),
    ("9.81", lambda: as_expr(Fraction(981, 100))),
    (".5", lambda: as_expr(Fraction(1, 2))),
    ("2.", lambda: as_expr(2)),
    ("1.5e-3", lambda: as_expr(Fraction(3, 2000))),
    ("1E3", lambda: as_expr(1000)),
    ("2e+2", lambda: as_expr(200)),
    ("pi", lambda: PI),
    ("π/2", lambda: PI / 2),
    ("q1", lambda: q1),
    ("q1.dot", lambda: q1.dot),
    ("q1.ddot", lambda: q1.ddot),
    ("tau*t", lambda: tau * t),
    ("x + y - 3", lambda: x + y - 3),
    ("x - y - m", lambda: (x - y) - m),
    ("x / y / m", lambda: (x / y) / m),
    ("x*y/m*l", lambda: ((x * y) / m) * l),
    ("-x^2", lambda: -(x**2)),
    ("(-x)^2", lambda: x**2),
    ("-x*y", lambda: -(x * y)),
    ("2^-1", lambda: as_expr(0.5)),
    ("2^3^2", lambda: as_expr(512)),
    ("2**3**2", lambda: as_expr(512)),
    ("2^-1^2", lambda: as_expr(0.5)),
    ("x^-2", lambda: 1 / x**2),
    ("x^(1/2)", lambda: sqrt(x)),
    ("x^0.5", lambda: sqrt(x)),
    ("x^+2", lambda: x**2),
    ("2*-x", lambda: -2 * x),
    ("x--y", lambda: x + y),
    ("x-+-y", lambda: x + y),
    ("--x", lambda: x),
    ("+x", lambda: x),
    ("x×y·m", lambda: (x * y) * m),
    ("x − y", lambda: x - y),
    ("x²", lambda: x**2),
    ("-x²", lambda: -(x**2)),
    ("sin(x)³", lambda: sin(x) ** 3),
    ("q1.dot²", lambda: q1.dot**2),
    ("2^x²", None),
    ("sin(x)", lambda: sin(x)),
    ("sin (x)", lambda: sin(x)),
    ("atan2(y, x)", lambda: atan2(y, x)),
    ("atan2((y), -(x))", lambda: atan2(y, -x)),
    ("sqrt(2)*sqrt(x)", lambda: sqrt(2) * sqrt(x)),
    ("exp(-x)+log(y)+tanh(m)", lambda: exp(-x) + log(y) + tanh(m)),
    ("abs(x)*sign(x)", lambda: abs(x) * FUNCTIONS["sign"].build(x)),
    ("tan(x)/asin(y)*acos(m)", None),
    (" \t\n x\n+ y ", lambda: x + y),
    ("((((x))))", lambda: x),
    ("1/2*m*l^2*q1.dot^2 - m*g*l*cos(q1)", lambda: m * l**2 / 2 * q1.dot**2 - m * g * l * cos(q1)),
]


@pytest.mark.parametrize(("text", "expected"), [case for case in READ if case[1]])
def test_grammar(text, expected):
    assert read(text).evaluate(POINT) == pytest.approx(expected().evaluate(POINT), rel=1e-15)
    if "1/2*m" not in text:
        assert read(text) is expected()


POINT = {q1: 0.3, q2: 0.4, x: 0.7, y: 0.6, m: 2.0, l: 0.5, g: 9.81, tau: 0.1, t: 1.5}
POINT |= {q1.dot: 0.2, q1.ddot: -0.4}


def test_every_function_of_the_language_is_read():
    for name, function in FUNCTIONS.items():
        args = ["x", "y"][: function.arity]
        assert read(f"{name}({','.join(args)})") is function.build(*(x, y)[: function.arity])


# ---- precedence against Python's own, without evaluating any text


def random_tree(draw, depth) -> ast.expr:
    if depth == 0:
        return ast.Constant(draw.randint(0, 5))
    kind = draw.random()
    if kind < 0.2:
        return ast.UnaryOp(draw.choice([ast.USub(), ast.UAdd()]), random_tree(draw, depth - 1))
    if kind < 0.35:
        exponent: ast.expr = ast.Constant(draw.randint(0, 3))
        if draw.random() < 0.3:
            exponent = ast.UnaryOp(ast.USub(), exponent)
        if draw.random() < 0.3:
            exponent = ast.BinOp(exponent, ast.Pow(), ast.Constant(draw.randint(1, 2)))
        return ast.BinOp(random_tree(draw, depth - 1), ast.Pow(), exponent)
    operation = draw.choice([ast.Add(), ast.Sub(), ast.Mult(), ast.Div()])
    return ast.BinOp(
        random_tree(draw, depth - 1), operation, random_tree(draw, draw.randrange(depth))
    )


def value(tree: Any) -> Fraction:
    match tree:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.UnaryOp(op=ast.USub()):
            return -value(tree.operand)
        case ast.UnaryOp():
            return value(tree.operand)
        case _:
            operations = {
                ast.Add: operator.add,
                ast.Sub: operator.sub,
                ast.Mult: operator.mul,
                ast.Div: operator.truediv,
                ast.Pow: operator.pow,
            }
            return operations[type(tree.op)](value(tree.left), value(tree.right))


def test_precedence_is_that_of_python(draw, scale):
    checked = 0
    for _ in range(num_cases(3000, scale)):
        tree = random_tree(draw, draw.randint(1, 6))
        text = ast.unparse(tree)
        if draw.random() < 0.5:
            text = text.replace(" ", "").replace("**", "^")
        try:
            expected = Fraction(value(tree))
        except ZeroDivisionError:
            with pytest.raises(DivisionByZero):
                read(text)
            continue
        if max(abs(expected.numerator), expected.denominator).bit_length() > 1000:
            continue
        assert read(text).value == expected, text
        checked += 1
    assert checked > 2000 * scale


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_decimals_are_exact(number):
    text = format(number, "f")
    assert read(text).value == Fraction(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_mean_their_decimal(number):
    assert read(repr(number)) is as_expr(number)


# ---- names


def test_symbols_as_list_mapping_or_anything_iterable():
    assert parse("a*b.dot", {"a": m, "b": q1}) is m * q1.dot
    assert parse("v.dot", {"v": q1.dot}) is q1.ddot
    assert parse("c + 1", {"c": 2.5}) == 3.5
    assert parse("x+y", iter([x, y])) is x + y
    assert parse("2", []) == 2
    e = m * q1.ddot + sin(q2) * tau
    assert parse("m*q1.ddot + sin(q2)*tau", e.symbols) is e


def test_an_unknown_name_gets_column_and_neighbours():
    with pytest.raises(UnknownName, match=r"got 'q3' at column 5: did you mean q2, q1\?"):
        read("x + q3")
    with pytest.raises(UnknownName, match=r"got 'sine' at column 1: did you mean sin"):
        read("sine(x)")
    with pytest.raises(UnknownName, match=r"got 'zzz' at column 2: known: q1, q2, x, y"):
        read("-zzz")
    with pytest.raises(UnknownName, match="known: pi, sqrt"):
        parse("k", [])


@pytest.mark.parametrize(
    ("symbols", "named"),
    [
        ([x + 1], "mapping of names"),
        (["x"], "got str"),
        ("x", "got str"),
        (x, "got Expr"),
        (3, "got int"),
        (None, "NoneType"),
        ([*parameters("pi")], "'pi'"),
        ({"sin": x}, "'sin'"),
        ([x, *parameters("x")], "two kinds of 'x'"),
        ({"a": "x"}, "str"),
    ],
)
def test_symbols_that_cannot_serve_are_named(symbols, named):
    with pytest.raises(InvalidExpression) as error:
        parse("1", symbols)
    assert named in str(error.value)


# ---- complaints

WRONG = [
    ("", "a number, a name or (, got the end at column 1"),
    ("   ", "got the end at column 4"),
    ("x +", "got the end at column 4"),
    ("x * / y", "got '/' at column 5"),
    ("* x", "got '*' at column 1"),
    ("1.2.3", "got '.3' at column 4"),
    ("1_000", "got '_000' at column 2"),
    ("0x10", "got 'x10' at column 2"),
    ("1e", "got 'e' at column 2"),
    ("(x", ") for the ( at column 1, got the end at column 3"),
    ("x)", "got ')' at column 2: remove )"),
    ("x = y", "one expression, got '=' at column 3: an equation has two sides"),
    ("2 3", "an operator between numbers, got '3' at column 3"),
    ("x/2 y", "brackets after /, got 'y' at column 5: a/b c is read in two ways"),
    ("sin x y", "argument of sin, got 'y' at column 7: write sin(…)"),
    ("sin x^2", "argument of sin, got '^' at column 6"),
    ("√x²", "√x² is read in two ways"),
    ("0,5", "got ',' at column 2: commas separate the arguments of a function only; decimals"),
    ("{x}", "got '{' at column 1"),
    ("sin^-1 (x)", "got '-' at column 5"),
    ("sin⁻¹(x)", "read in one way, got '⁻¹' at column 4: write arcsin(x) or 1/sin(x)"),
    ("e", "got 'e' at column 1"),
    ("()", "got ')' at column 2"),
    ("sin", "( after sin, got the end at column 4: write sin(…)"),
    ("sin.dot", "got 'sin'"),
    ("sin()", "got ')' at column 5"),
    ("sin(x,y)", "1 argument of sin, got 2 at column 4"),
    ("atan2(x)", "2 arguments of atan2, got 1 at column 6"),
    ("atan2(x,)", "got ')' at column 9"),
    ("atan2(,x)", "got ',' at column 7"),
    ("x, y", "got ',' at column 2: commas"),
    ("(x, y)", "got ',' at column 3: commas"),
    ("q1.foo", ".dot or .ddot after q1, got .foo at column 1"),
    ("q1.dot.dot", "got .dot.dot"),
    ("q1.dddot", "got .dddot"),
    ("q1.__class__", "got .__class__"),
    ("m.dot", "a coordinate before .dot, got the parameter m at column 1"),
    ("tau.ddot", "a coordinate before .ddot, got the input tau"),
    ("x.", "around the point, got '.' at column 2"),
    ("x^y", "a rational number after ^ at column 2, got y: write exp(y*log(x))"),
    ("x^pi", "got pi"),
    ("2^x²", "got (x)^(2)"),
    ("x ? y", "got '?' at column 3"),
    ("x; y", "got ';' at column 2"),
    ("x\0", "got U+0000 (control character) at column 2"),
    ("x\x1b[31m", "got U+001B"),
    ("x\r\n", "got U+000D"),
    ("x + \u202ey", "got U+202E (right-to-left override) at column 5"),
    ("\u2066x", "got U+2066"),
    ("x\u200b", "got U+200B"),
    ("\ufeffx", "got U+FEFF"),
    ("х", "got U+0445 (cyrillic small letter ha)"),
    ("\ud800", "got U+D800"),
    ("𝟏", "got U+1D7CF"),
    ("٣", "got U+0663"),
]


@pytest.mark.parametrize(("text", "named"), WRONG, ids=[ascii(text) for text, _ in WRONG])
def test_wrong_text_is_pointed_at(text, named):
    with pytest.raises((ParseError, UnknownName), match=r"^expected ") as error:
        read(text)
    message = str(error.value)
    assert named in message
    assert message.isprintable()
    assert len(message) < 250


@pytest.mark.parametrize("text", [b"x", None, 3, ["x"], x])
def test_only_text_is_parsed(text):
    with pytest.raises(ParseError, match=f"expected text, got {type(text).__name__}"):
        parse(text, KNOWN)


@pytest.mark.parametrize(
    ("text", "error", "named"),
    [
        ("x/0", DivisionByZero, "column 2"),
        ("1/(x-x)", DivisionByZero, "column 2"),
        ("0^-1", DivisionByZero, "column 2"),
        ("(x*0)^(-1/2)", DivisionByZero, "column 6"),
        ("1 + log(0)", InvalidExpression, "log, got 0: expressions are real (at column 8)"),
        ("sqrt(-2)", InvalidExpression, "at column 5"),
        ("(-2)^(1/2)", InvalidExpression, "at column 5"),
        ("asin(2)", InvalidExpression, "got 2"),
        ("tan(pi/2)", InvalidExpression, "a pole"),
        ("atan2(0,0)", InvalidExpression, "atan2(0, 0)"),
    ],
)
def test_operations_without_a_real_value_have_a_column(text, error, named):
    with pytest.raises(error) as caught:
        read(text)
    assert named in str(caught.value)


# ---- limits


def test_the_limits_themselves_are_allowed():
    assert read("(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH) is x
    assert read("sin(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH).op == "sin"
    assert read("9" * MAX_DIGITS).value == 10**MAX_DIGITS - 1
    assert read(f"1e-{MAX_DIGITS}").value == Fraction(1, 10**MAX_DIGITS)
    assert read(f"x^{MAX_EXPONENT}") is x**MAX_EXPONENT
    assert read(f"2^{MAX_EXPONENT}").value == 2**MAX_EXPONENT
    name = "a" * MAX_NAME
    assert parse(name, parameters(name)).op == "symbol"
    assert read("x" + " " * (MAX_LENGTH - 1)) is x


BOMBS = {
    "tower": ("9**9**9**9", "exponent of at most 1000 after ^ at column 5, got 387420489"),
    "squares": ("((9^1000)^1000)^1000", f"at most {MAX_BITS} bits"),
    "roots": ("(9^1000+1)^(999/2)", f"at most {MAX_BITS} bits"),
    "product": ("9^999*" * 16_000 + "1", f"at most {MAX_BITS} bits"),
    "coefficient": ("x*9^999*" * 12_000 + "1", f"at most {MAX_BITS} bits"),
    "quotient": ("1/x/9^999" + "/9^999" * 16_000, f"at most {MAX_BITS} bits"),
    "fractions": ("+".join(f"1/{2 * i + 3}^99" for i in range(8000)), f"at most {MAX_BITS} bits"),
    "powers": ("((x^1000)^1000)^1000", "at most 1000"),
    "powers of products": ("x^1000*x^1000", "got 2000 at column 7 by folding"),
    "exponent": ("x^1e400", "at most 1000"),
    "denominator": ("x^(1/1001)", "at most 1000"),
    "right": ("2^" * 20_000 + "2", "at most 1000"),
    "digits": ("9" * 99_999, "at most 400 digits"),
    "decimals": ("0." + "0" * 99_000, "at most 400 digits"),
    "decimal exponent": ("1e999999999", "at most 400 digits"),
    "long exponent": ("1e" + "9" * 99_000, "at most 400 digits"),
    "depth": ("(" * 99_999, "at most 200 parentheses"),
    "calls": ("sin(" * 24_000, "at most 200 parentheses"),
    "length": ("x" * (MAX_LENGTH + 1), "at most 100000 characters, got 100001"),
    "long": ("x+" * 10_000_000, "at most 100000 characters"),
    "name": ("a" * 99_999, "at most 100 characters"),
    "suffix": ("q1." + "d" * 99_000, "got .dddd"),
    "zero": ("(x+y+m)^1000/0", "nonzero denominator"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_at_once_and_in_little_memory(name: str, figures: Figures) -> None:
    """G3."""
    figures.count("bombs refused")
    text, named = BOMBS[name]
    message = str(refused_at_once((ParseError, DivisionByZero), lambda: read(text)))
    assert named in message
    assert len(message) < 250
    tracemalloc.start()
    with pytest.raises(DalembertError):
        read(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6


@pytest.mark.parametrize(
    "text",
    [
        "x+y*" * 24_999 + "m",
        "-" * 99_999 + "x",
        "x^" + "1^" * 20_000 + "1",
        "+".join(["sqrt(9^999+7)"] * 3500),
        "+".join(["(9^999+7)^(1/777)"] * 2500),
        "+".join(["1/7^999"] * 6000),
    ],
    ids=["sum", "signs", "ones", "square roots", "roots", "fractions"],
)
def test_long_texts_are_read_at_once(text):
    assert at_once(lambda: read(text)) is not None


def test_a_long_sum_has_the_right_value():
    terms = [f"{i}*sin(x+{i})" for i in range(1, 5000)]
    e = read("+".join(terms))
    truth = math.fsum(i * math.sin(0.7 + i) for i in range(1, 5000))
    assert e.evaluate({x: 0.7}) == pytest.approx(truth, rel=1e-10)
    assert count_nodes([e]) > 19_000


# ---- hostile text

INJECTIONS = [
    "__import__('os').system('id')",
    "__import__('os')",
    "eval('1')",
    "exec(x)",
    "open('/etc/passwd')",
    "().__class__.__bases__[0].__subclasses__()",
    "x.__class__",
    "q1.dot.__globals__",
    "lambda: 0",
    "[i for i in (1,2)]",
    "{x}",
    "f'{x}'",
    "${jndi:ldap://a}",
    "$(id)",
    "`id`",
    "x; import os",
    "x\nimport os",
    "import os",
    "x if y else m",
    "x and y",
    "x == y",
    "x := 1",
    "<script>alert(1)</script>",
    "\\input{/etc/passwd}",
    "%s%n",
    "../../etc/passwd",
    "x'); DROP TABLE q;--",
    "!!python/object/apply:os.system ['id']",
    "sympify('x')",
    "getattr(x, 'y')",
    "globals()",
    "x @ y",
    "x // y",
    "x % y",
    "x << 9",
    "~x",
    "x[0]",
    "*x",
    "#include <stdio.h>",
    "x # comment",
    "x /* c */ y",
    "None",
    "True",
    "nan",
    "inf",
    "1j",
    "I",
    "E",
    "oo",
    "Infinity",
]
_watched: list[str] | None = None


def _watch(event: str, args: tuple) -> None:
    names = ("exec", "compile", "import", "open", "os.", "subprocess.", "socket.", "ctypes.")
    if _watched is not None and event.startswith(names):
        _watched.append(event)


def test_nothing_in_a_text_is_ever_executed(figures: Figures) -> None:
    """G5."""
    figures.count("hostile texts", len(INJECTIONS))
    global _watched
    sys.addaudithook(_watch)
    with pytest.raises(UnknownName):
        read("warm_up + q1.dot")
    for text in INJECTIONS:
        _watched = []
        try:
            outcome = read(text)
        except DalembertError as error:
            outcome = error
        events, _watched = _watched, None
        assert isinstance(outcome, ParseError | UnknownName), text
        assert events == [], text
        assert str(outcome).isprintable()


def test_the_watch_sees_what_it_should():
    global _watched
    sys.addaudithook(_watch)
    _watched = []
    compile("1", "text", "exec")
    events, _watched = _watched, None
    assert "compile" in events


SEEDS = [text for text, _ in READ + WRONG] + INJECTIONS
ALPHABET = "()+-*/^.,²³×·−π 0123456789eExyqm_dotsincal\0\n\u202e\ud800é\\{}|√∂₁\u0307'θ̈&$<>="


def mutate(draw, text: str) -> str:
    letters = list(text)
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(letters) + 1)
        match draw.randrange(6):
            case 0:
                letters.insert(at, draw.choice(ALPHABET))
            case 1:
                del letters[at : at + draw.randint(1, 3)]
            case 2:
                letters[at : at + 1] = [chr(draw.randrange(256))]
            case 3:
                letters[at:at] = list(draw.choice(SEEDS))
            case 4:
                letters[at:at] = letters[at : at + 6] * draw.randint(1, 8)
            case _:
                other = list(draw.choice(SEEDS))
                letters[at:] = other[draw.randrange(len(other) + 1) :]
    return "".join(letters)


def outcome(text: str) -> str:
    """Return our own complaint about a text, or nothing; every other error passes through."""
    try:
        read(text)
    except DalembertError as error:
        return str(error)
    return ""


def test_mutated_text_gives_an_expression_or_our_own_error(draw, scale):
    accepted = 0
    for _ in range(num_cases(30_000, scale)):
        text = mutate(draw, draw.choice(SEEDS))
        message = at_once(lambda text=text: outcome(text))
        assert message.isprintable(), text
        accepted += not message
    assert accepted > 1000 * scale


def test_random_bytes_give_an_expression_or_our_own_error(draw, scale):
    for _ in range(num_cases(5000, scale)):
        text = draw.randbytes(draw.randint(0, 40)).decode("latin-1")
        assert outcome(text).isprintable()
