"""Pages are read back: broken lines, named parts, legends, matrices; and every fault shows."""

from __future__ import annotations

import random
import re

import pytest

import dalembert as da
from dalembert.errors import DalembertError, ParseError
from dalembert.expr.node import printer
from dalembert.mechanics.points.compare import compare
from dalembert.mechanics.printed.statement import pairs_of, symbols_of
from dalembert.reader.page import read_latex, read_mathml, read_text
from tests.cases import num_cases

x, y, q1, q2 = da.coordinates("x y q1 q2")
m, k, l, a, b = da.parameters("m k l a b")
KNOWN = [x, y, q1, q2, m, k, l, a, b]


def test_lines_are_joined_and_parts_put_in() -> None:
    page = read_text(
        "M₁₁ ẍ + k x\n    + m y = 0\n-k y\n    - D = a\nwith x - y = 0\n     x² - l² = 0\n"
        "where M₁₁ = m + u/D\n      D = a - b\n      u = D\n          + a\n  and s₁ = sin(q₁), …",
        KNOWN,
    )
    assert page.equations == [
        ((m + (a - b + a) / (a - b)) * x.ddot + k * x + m * y, da.parse("0", [])),
        (-k * y - (a - b), a),
        (x - y, da.parse("0", [])),
        (x**2 - l**2, da.parse("0", [])),
        (da.sin(q1), da.sin(q1)),
    ]


def test_aligned_latex_is_joined_and_parts_put_in() -> None:
    page = read_latex(
        "\\begin{aligned}\n& M_{11} \\ddot{x} \\Bigl(a \\\\\n& \\quad + b\\Bigr)^{2} = 0 \\\\\n"
        "-y &= k \\\\\n\\text{with } x - y &= 0 \\\\\n& \\text{where } M_{11} = m \\\\\n"
        "& \\phantom{\\text{where }} \\quad + k \\\\\n"
        "& \\text{and } s_{1} = \\sin q_{1},\\; c_{1} = \\cos q_{1}\n\\end{aligned}",
        KNOWN,
    )
    assert page.equations == [
        ((m + k) * x.ddot * (a + b) ** 2, da.parse("0", [])),
        (-y, k),
        (x - y, da.parse("0", [])),
        (da.sin(q1), da.sin(q1)),
        (da.cos(q1), da.cos(q1)),
    ]


def test_matrices() -> None:
    expected = [[[x, m + k], [u, l]] for u in [a - b]]
    text = "⎡    x  m + k⎤\n⎣u      l⎦\nwith u = a - b"
    assert read_text(text, KNOWN).matrices == expected
    latex = r"\begin{aligned}& \begin{bmatrix} x & m + k \\ u & l \end{bmatrix} \\"
    latex += r"& \text{with } u = a - b\end{aligned}"
    assert read_latex(latex, KNOWN).matrices == expected
    assert read_text("[x  y]", KNOWN).matrices == [[[x, y]]]
    lines = printer().mathml(da.Matrix([[x, m + k], [a - b, l]]))
    assert read_mathml(lines, KNOWN).matrices == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a = D\nwhere D = u\n      u = D", "a circle: "),
        ("a = D\nwhere D = u\n      D = a", "each part once"),
        ("a = b = k", "one = in an equation"),
    ],
)
def test_wrong_pages(text: str, named: str) -> None:
    with pytest.raises(ParseError, match=named):
        read_text(text, KNOWN)


def test_a_part_that_is_called_like_a_symbol_is_an_equation() -> None:
    page = read_text("a + x = 0\nwhere a = k", KNOWN)
    assert page.equations[1] == (a, k)


# ---- every fault in a print is seen


def faults(text: str, draw: random.Random) -> str:
    """Return the text with one sign, digit, letter, dot or factor changed."""
    changes = [
        (r" \+ ", " - "),
        (r" - ", " + "),
        ("²", ""),
        ("\\^\\{2\\}", ""),
        ("₁", "₂"),
        ("_\\{1\\}", "_{2}"),
        ("cos", "sin"),
        ("(?<=[ (/])2(?= )", "3"),
        ("θ̈", "θ̇"),
        ("m", "l"),
        ("/", " "),
        (r"\\ddot", r"\\dot"),
        (r"\\frac\{1\}", r"\\frac{3}"),
        (" g ", " "),
    ]
    while True:
        pattern, new = draw.choice(changes)
        places = list(re.finditer(pattern, text))
        if places:
            match = draw.choice(places)
            return text[: match.start()] + match.expand(new) + text[match.end() :]


SYSTEMS = ["double_pendulum", "planar_arm", "rp_arm_maximal", "pinned_three_link"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_fault_is_read_as_another_equation(name: str, draw: random.Random, scale: float) -> None:
    eq = getattr(da.textbook, name)().equations()
    for printed, read in ((str(eq), read_text), (eq.latex(), read_latex)):
        for _ in range(num_cases(15, scale)):
            wrong = faults(printed, draw)
            try:
                found = compare(pairs_of(eq, read(wrong, symbols_of(eq))), draw)
            except DalembertError:
                continue
            assert found.verdict == "different", wrong


def test_the_statement_is_refuted_where_the_print_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    eq = da.textbook.double_pendulum().equations()
    assert eq.prove()[-1].statement == "The printed equations are these equations"
    assert eq.prove()[-1].is_proved
    printed = str(eq)
    for wrong, words in (
        (printed.replace("m₂", "m₁", 1), "equation 1 is read as another one"),
        (printed.replace("l₁", "l₇", 1), "the print cannot be read back"),
        (printed.split("\n")[0], "expected 2 equations, got 1"),
    ):
        monkeypatch.setattr(da.Equations, "__str__", lambda _, wrong=wrong: wrong)
        proof = eq.prove()[-1]
        assert proof.verdict == "refuted"
        assert words in proof.method
