"""Generated code is run before it is handed over: every fault in a text is an error."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest

import dalembert as da
from dalembert.cli.equations_code import code
from dalembert.errors import EvaluationError
from dalembert.kernel.backends.c.header import CSource
from dalembert.kernel.program.program import Port
from dalembert.kernel.program.trace import trace
from dalembert.model.source.checks import check_code
from dalembert.model.source.scripts import script
from tests.cases import num_cases

LANGUAGES = ("c", "casadi", "cuda", "python", "matlab")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
ROLLED = (*FUNCTIONS, "bias", "gravity", "passive_forces", "forward_kinematics", "jacobian")


def tree() -> da.Mechanism:
    """A floating base, a ball, a mimic joint, springs and friction."""
    return (
        da.Builder("tree")
        .link("base", mass=2, com=(0.1, 0, 0), inertia=(1, 2, 2.5))
        .link("arm", mass=1, com=(0, 0.3, 0), inertia=(0.4, 0.3, 0.5))
        .link("hand", mass=0.5, com=(0, 0, 0.2), inertia=(0.1, 0.2, 0.15))
        .link("finger", mass=0.2, com=(0.1, 0, 0), inertia=(0.02, 0.03, 0.04))
        .floating("free", "base")
        .spherical("ball", "arm", parent="base", origin=(0, 0, 0.5))
        .revolute("hinge", "hand", parent="arm", axis="y", origin=(0, 0.6, 0), damping=0.3)
        .revolute(
            "follow", "finger", parent="hand", axis="z", origin=(0.1, 0, 0), mimic=("hinge", 0.7)
        )
        .build()
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_of_a_mechanism_passes(language: str) -> None:
    da.compile(tree()).source(language, functions=FUNCTIONS)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rolled_code_passes(dtype: str) -> None:
    da.compile(tree()).source("rolled_c", functions=ROLLED, dtype=dtype)
    da.compile(tree()).source("c", functions=FUNCTIONS, dtype=dtype)


def faulty(text: str, draw: random.Random) -> str:
    """Return a text with one number, sign, index, name or function changed."""
    changes = [
        (r"(?<![\w.])t(\d+)(?= ?[-+*/;\n])", lambda m: f"t{max(int(m[1]) - 1, 0)}"),
        (r" \+ ", lambda m: " - "),
        (r" - ", lambda m: " + "),
        (r"(?<=\w)\*(?=\w)", lambda m: "/"),
        (r"\bsin\(", lambda m: "cos("),
        (r"\[(\d+)\](?=[*;])", lambda m: f"[{int(m[1]) ^ 1}]"),
        (r"(?<![\w.])\d+\.\d+(?![\w.])", lambda m: f"{m[0]}7"),
    ]
    while True:
        pattern, change = draw.choice(changes)
        places = list(re.finditer(pattern, text))
        if places:
            match = draw.choice(places)
            return text[: match.start()] + change(match) + text[match.end() :]


@pytest.mark.parametrize("language", ["c", "python", "matlab"])
def test_faults_in_a_text_are_found(
    language: Any, draw: random.Random, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = da.compile(da.textbook.robots.planar_3r())
    made = model.source(language, functions=("mass_matrix", "bias"), prefix="arm")
    programs = [model.program(name) for name in ("mass_matrix", "bias")]
    check_code(language, made, programs, "arm", "float64")
    found = tried = 0
    for _ in range(num_cases(40, scale)):
        wrong: Any = (
            made._replace(source=faulty(made.source, draw))
            if isinstance(made, CSource)
            else faulty(made, draw)
        )
        try:
            check_code(language, wrong, programs, "arm", "float64")
        except EvaluationError:
            found += 1
        tried += 1
    # what cancels again, as in a + b - b, may be changed
    assert found > 0.6 * tried


def test_an_error_names_function_and_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    (q,) = da.coordinates("q")
    program = trace("f", {"q": [q]}, {"y": [da.sin(q), da.cos(q)]})
    text = script([program], "python", "arm", {}).replace("sin(q[0])", "cos(q[0])")
    with pytest.raises(EvaluationError, match=r"expected f in python to compute .* entry 1 of y"):
        check_code("python", text, [program], "arm", "float64")


def test_terms_that_cancel_in_floats_are_refused() -> None:
    (q,) = da.coordinates("q")
    # cos 60 q as a polynomial of cos q has coefficients of 22 digits
    wave = expanded(60, da.cos(q))
    program = trace("f", {"q": [q]}, {"y": [wave]})
    with pytest.raises(EvaluationError, match="to keep at least six digits"):
        check_code("python", script([program], "python", "arm", {}), [program], "arm", "float64")


def expanded(n: int, c: da.Expr) -> da.Expr:
    """Return the Chebyshev polynomial Tₙ(c), multiplied out."""
    a, b = [1], [0, 1]
    for _ in range(n - 1):
        doubled = [0, *(2 * k for k in b)]
        a, b = b, [x - (a[i] if i < len(a) else 0) for i, x in enumerate(doubled)]
    return sum((k * c**i for i, k in enumerate(b) if k), 0 * c)


def test_what_is_nowhere_finite_is_said() -> None:
    (q,) = da.coordinates("q")
    program = trace("f", {"q": [q]}, {"y": [da.log(-1 - q**2)]})
    with pytest.warns(UserWarning, match="f in python was not checked"):
        check_code("python", script([program], "python", "arm", {}), [program], "arm", "float64")


def test_equations_as_code_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.cli import equations_code

    eq = da.textbook.cart_pole().equations()
    for language in ("c", "python", "matlab"):
        assert "mass_matrix" in code(eq, language, "cart")
    write = equations_code.script
    monkeypatch.setattr(
        equations_code, "script", lambda *args: write(*args).replace("cos(", "sin(")
    )
    with pytest.raises(EvaluationError, match="nothing is written"):
        code(eq, "python", "cart")


def test_outputs_of_several_axes() -> None:
    q = da.coordinates("a b c d e f")
    program = trace("f", {"q": q}, {"T": [da.sin(x) for x in q]})
    turned = replace(program, outputs=(Port("T", (3, 2, 1)),))
    for language in ("python", "matlab"):
        check_code(language, script([turned], language, "arm", {}), [turned], "arm", "float64")
