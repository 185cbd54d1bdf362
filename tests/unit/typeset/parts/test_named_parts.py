"""Named parts: long expressions print on short lines, and mean what they meant."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.expr import Expr
from dalembert.expr.substitute import substitute
from dalembert.mechanics.printed.read_back import fault_of_latex, fault_of_text
from dalembert.typeset.parts.graph import name_shared
from dalembert.typeset.parts.write import board
from dalembert.typeset.printer import expr_tree, latex, text
from dalembert.typeset.render.text import width
from tests.effort import at_once

LINE = 160
x, y, q1, q2 = da.coordinates("x y q1 q2")
a, b, k, l, m, g = da.parameters("a b k l m g")


def closed_forms() -> dict[str, Expr]:
    """Return closed forms that were walls of text."""
    pinned = da.textbook.pinned_three_link().equations()
    arm = da.textbook.rp_arm_maximal().equations()
    return {
        "pinned q̈₂": pinned.accelerations()[1],
        "pinned λ₁": pinned.multipliers()[0],
        "CMU λ₁": arm.multipliers()[0],
        "CMU λ₃": arm.multipliers()[2],
        "Furuta H": da.textbook.furuta_pendulum().equations().hamiltonian().H,
    }


@pytest.fixture(scope="module", params=["pinned q̈₂", "pinned λ₁", "CMU λ₁", "CMU λ₃", "Furuta H"])
def wall(request: pytest.FixtureRequest) -> Expr:
    return closed_forms()[request.param]


def test_closed_forms_print_on_short_lines(wall: Expr) -> None:
    printed = str(wall)
    assert max(map(width, printed.split("\n"))) <= LINE
    alone = text(wall, named=False)
    assert width(alone) > LINE or alone.startswith("⟨expression of")


def test_what_is_printed_is_the_expression(wall: Expr) -> None:
    printed = str(wall)
    assert "with" in printed
    assert fault_of_text(wall, printed) == ""
    assert fault_of_latex(wall, latex(wall)) == ""


def test_the_pinned_mechanism_is_five_times_shorter() -> None:
    q2dd = closed_forms()["pinned q̈₂"]
    # 10,729 characters before there were named parts
    assert len(str(q2dd)) < 10_729 / 5
    # the part with q̇₁² does not depend on q₁
    squared = q2dd.diff(da.coordinates("q1")[0].dot).diff(da.coordinates("q1")[0].dot)
    assert da.coordinates("q1")[0] not in squared.symbols


def test_cmu_multipliers_have_the_denominator_that_a_person_writes() -> None:
    printed = str(closed_forms()["CMU λ₁"])
    assert "D = 5 l² + 12 u₁²" in printed
    assert "u₁ = x₂ cos(φ₂) + y₂ sin(φ₂)" in printed
    assert printed.splitlines()[0].endswith("/D - m l cos(φ₁) φ̇₁²/2 + F₂ cos(φ₁)")


def test_the_potential_stands_beside_the_fraction_of_a_hamiltonian() -> None:
    H = da.textbook.cart_pole().equations().hamiltonian().H
    assert str(H).endswith(" - m_p g l cos(θ)")
    p1, p2 = da.coordinates("p1 p2")
    H = p1**2 / (2 * m * (l**2 + q2**2)) + p2**2 / (2 * m) + m * g * q2
    assert str(da.textbook.rp_arm().equations().hamiltonian().H).endswith(" + m g (l + q₂) s₁")
    assert fault_of_text(H, str(H)) == ""


def test_names_are_not_those_of_symbols() -> None:
    u1, D = da.parameters("u1 D")
    terms = [(u1 + j * D) ** j / (a + b * da.sin(x) + j * k) for j in range(2, 7)]
    e = sum(terms[1:], terms[0])
    named = name_shared([e])
    assert not {"u", "D"} & {part.value.name[0] for part, _ in named.parts}
    trees = board([expr_tree(e)], False)
    assert not {"u1", "D"} & {name.name for name, _ in trees.parts}
    assert fault_of_text(e, str(e)) == ""


def test_parts_of_a_graph_put_back_give_the_graph() -> None:
    shared = (a * x + b * y + k * l) * da.cos(q1)
    e = shared**3 + da.exp(shared) * (shared - k) ** 2
    named = name_shared([e, shared * l])
    assert len(named.parts) >= 1
    parts = dict(named.parts)
    roots = named.roots
    while any(s in parts for root in roots for s in root.symbols):
        roots = substitute(roots, parts)
    assert roots == [e, shared * l]


@pytest.mark.parametrize(
    ("step", "times"),
    [(lambda e: e * e + e * y, 40), (lambda e: 1 / (e + y) + 1 / (e + a), 12)],
    ids=["squares", "fractions"],
)
def test_what_cannot_be_multiplied_out_is_printed_with_parts(step, times: int) -> None:
    e = x
    for _ in range(times):
        e = step(e)
    printed = at_once(lambda: str(e))
    assert "with" in printed
    assert max(map(width, printed.split("\n"))) <= LINE
    assert r"\begin{aligned}" in at_once(e.latex)


def test_the_unnamed_form_is_available(wall: Expr) -> None:
    assert "\n" not in text(wall, named=False)
    assert "aligned" not in latex(wall, named=False)
    assert "aligned" in latex(wall)


def test_long_matrices_name_their_entries() -> None:
    eq = da.textbook.pinned_three_link().equations()
    printed = str(eq.M)
    assert max(map(width, printed.split("\n"))) <= LINE
    assert "with M₁₁ = m₁ l₁²/3 + " in printed
    assert r"M_{11} =" in eq.M.latex()


def test_entries_of_large_matrices_have_names_of_their_own() -> None:
    """Rows and columns beyond nine: a₁₁₁ would be entry (1, 11) and entry (11, 1)."""
    n = 11
    symbols = da.parameters(" ".join(f"s{i}" for i in range(30)))
    long = da.Matrix(
        [[sum(s * (n * i + j + 2) for s in symbols) for j in range(n)] for i in range(n)]
    )
    shown = str(long)
    names = [
        line.split(" = ")[0].strip().removeprefix("with ")
        for line in shown.splitlines()
        if " = " in line
    ]
    assert len(names) == len(set(names)) > 90
