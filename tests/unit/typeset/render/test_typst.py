"""Typst: formulas as a person would type them, and no user string that is a command."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.expr import Matrix
from dalembert.typeset import printer
from dalembert.typeset.pdf import bullet, displayed, heading, pdf_of, typst_page
from dalembert.typeset.render.inline import mathml_sentence, sentence_pieces, typst_sentence
from dalembert.typeset.render.typst import TypstRenderer, typst_string
from dalembert.typeset.tree import TextLeaf, leaf_tree

q1, theta = da.coordinates("q1 theta")
m, l, m_cart, Ixx1, x_1 = da.parameters("m l m_cart Ixx1 x_1")


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (m * l**2 * theta.ddot, "m l^2 dot.double(θ)"),
        (m_cart * q1.dot**2 / 2, 'frac(1, 2) m_("cart") dot(q)_(1)^2'),
        (Ixx1 * da.sin(theta), "I_(x x 1) sin (θ)"),
        (x_1, "x_(underline(1))"),
        (da.cos(q1) ** 2, "c_(1)^2"),
        (m / (l + m), "frac(m, m + l)"),
        (da.sqrt(l), "sqrt(l)"),
        (da.atan2(m, l), 'op("atan2") (m comma l)'),
        (da.exp(l) ** 12, "e^(12 l)"),
        (da.pi * l, "π l"),
        (da.abs(l) - 3 * m / 4, "abs(l) - frac(3 m, 4)"),
    ],
)
def test_expressions(expr: da.Expr, expected: str) -> None:
    ((line,),) = printer.typst(expr)
    assert line == expected


def test_matrices_have_rows_and_columns() -> None:
    ((line,),) = printer.typst(Matrix([[m, 0], [l, 1]]))
    assert line == 'mat(delim: "[", m, 0; l, 1)'


def test_a_long_sum_is_broken_between_terms() -> None:
    letters = da.parameters(" ".join(f"a{i}" for i in range(40)))
    (lines, *_) = printer.typst(sum(letters[1:], letters[0]))
    assert len(lines) > 1
    assert all(line.startswith("+") for line in lines[1:])


NASTY = ['#panic("no")', '"; #panic("no"); "', "\\", "$x$", "*bold* _low_ @ref <label> `raw`", "//"]


@pytest.mark.parametrize("text", NASTY)
def test_user_strings_are_no_commands(text: str) -> None:
    pytest.importorskip("typst", reason="pip install typst")
    words = TypstRenderer().render(leaf_tree(TextLeaf(text)))
    blocks = [heading(text), typst_sentence(text), bullet(text), displayed([words])]
    assert pdf_of(typst_page(text, blocks)).startswith(b"%PDF")


def test_a_string_is_closed_where_it_ends() -> None:
    assert typst_string('a"\\\n') == '"a\\"\\\\ "'


def test_the_formulas_of_a_sentence_are_found() -> None:
    found = list(sentence_pieces("Each step is a proof: M q̈ + C q̇ = Υ, where A is given [m ≥ 0]."))
    formulas = [run for is_formula, run in found if is_formula]
    assert formulas == ["M q̈ + C q̇ = Υ", "m ≥ 0"]
    assert "".join(run for _, run in found).startswith("Each step is a proof")


@pytest.mark.parametrize(
    ("words", "markup"),
    [
        ("e^(ξ̂₁q₁)", "$e^(hat(ξ)_(1) q_(1))$"),
        ("g_ab⁻¹", "$g_(a b)^(− 1)$"),
        ("V̂_ab", "$hat(V)_(a b)$"),
        ("ω × I ω", "$ω × I ω$"),
        ("det M ≠ 0", '#"det ";$M ≠ 0$'),
    ],
)
def test_formulas_of_sentences(words: str, markup: str) -> None:
    assert typst_sentence(words) == markup


def test_units_are_no_formulas() -> None:
    assert [kind for kind, _ in sentence_pieces("It closes to 1.7e-13 J after 3 s.")] == [False]


def test_html_of_a_sentence_is_escaped() -> None:
    page = mathml_sentence("<script>alert(1)</script> q̇₁ & <b>")
    assert "<script" not in page
    assert "<b>" not in page
    assert '<msub><mover><mi>q</mi><mo scriptlevel="0">˙</mo></mover><mn>1</mn></msub>' in page
