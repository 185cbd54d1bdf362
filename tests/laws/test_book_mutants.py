"""Slips in printed answers of books are judged as SymPy's motions judge them."""

from __future__ import annotations

import contextlib
import random
from functools import cache
from typing import get_args

import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.expr import postorder
from dalembert.expr.functions import rebuild
from dalembert.expr.undefined import undefined_names
from dalembert.mechanics.answers.by_motion.equations import REPEATS, SAYS_NOTHING
from dalembert.mechanics.answers.by_motion.own_names import read_equations
from dalembert.mechanics.answers.grade import GradeVerdict
from tests.cases import num_cases
from tests.motions_by_sympy import Judge
from tests.textbook.books import BOOKS

HOLDS, FAILS = 1e-8, 1e-6
"""Residual of an answer in motion, beside its largest term: rounding, and what a slip makes."""
SLOW = ("Sphere that rolls on a plane which turns uniformly",)
"""SymPy takes a quarter of a minute for its equations."""
HOLDING = ("right", "right where")
MOST_UNDECIDED = 0.03


@cache
def answers() -> list[tuple[str, da.System, da.Equations, list[da.Expr]]]:
    """Return the printed equations of motion as expressions, with their systems."""
    found = []
    for problems in BOOKS.values():
        for problem in problems:
            system = problem.system()
            if (
                problem.title in SLOW
                or problem.part
                or undefined_names(postorder(system.expressions()))
            ):
                continue
            eq = system.equations()
            for answer in problem.answers:
                if isinstance(answer, dict):
                    continue
                said = read_equations(
                    [answer] if isinstance(answer, str) else answer, eq, problem.where
                )
                found.append((problem.title, system, eq, said.equations))
    return found


@cache
def judge(system: da.System) -> Judge:
    return Judge(system)


def slipped(e: da.Expr, draw: random.Random) -> da.Expr:
    """Return an expression with one node changed: a sign, a number, a function, a symbol."""
    nodes = postorder([e])
    symbols = [x for x in nodes if x.op == "symbol"]
    while True:
        node = draw.choice(nodes)
        match node.op:
            case "symbol":
                new = draw.choice([2 * node, -node, node**2, *symbols])
            case "const":
                new = node + draw.choice([1, -1])
            case "sin" | "cos":
                new = (da.cos if node.op == "sin" else da.sin)(node.args[0])
            case "add" | "sub":
                a, b = node.args
                new = draw.choice([a - b if node.op == "add" else a + b, a, b])
            case "mul":
                new = draw.choice([node.args[0], node.args[1], -node, node / 2])
            case _:
                continue
        if new is not node:
            return exchanged(e, node, new)


def exchanged(e: da.Expr, old: da.Expr, new: da.Expr) -> da.Expr:
    done: dict[da.Expr, da.Expr] = {}
    for node in postorder([e]):
        args = tuple(done[x] for x in node.args)
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        done[node] = new if node is old else node if same else rebuild(node, args)
    return done[e]


def test_slips_in_printed_answers_are_judged_as_motions_judge_them(rng, scale):
    draw = random.Random(int(rng.integers(2**31)))
    counts = dict.fromkeys(get_args(GradeVerdict), 0)
    for _ in range(num_cases(12, scale)):
        title, system, eq, rows = draw.choice(answers())
        k = draw.randrange(len(rows))
        with contextlib.suppress(DalembertError):
            # 1/0 has no grade
            mine = [slipped(x, draw) if i == k else x for i, x in enumerate(rows)]
            grade = da.check_answer(mine, eq, "equations")
            counts[grade.verdict] += 1
            agree(judge(system), mine, grade, draw, title)
    assert counts["undecided"] <= 1 + MOST_UNDECIDED * sum(counts.values()), counts
    assert counts["wrong"] > 0


def agree(theirs: Judge, mine: list[da.Expr], grade, draw: random.Random, title: str) -> None:
    case = (title, [str(x) for x in mine], str(grade))
    rows = [theirs.flat(da.to_sympy(x)) for x in mine]
    if any(x.has(sp.zoo, sp.nan) for x in rows):
        return
    found = [theirs.errors(rows, theirs.point(draw)) for _ in range(2)]
    if grade.verdict in HOLDING:
        assert max(x[True] for x in found) < HOLDS, case
    elif grade.verdict != "undecided" and SAYS_NOTHING not in str(grade):
        assert REPEATS in str(grade) or max(x[False] for x in found) > FAILS, case


@pytest.mark.parametrize(
    "title", ["Rod that hangs on a string by its end", "Two carts and three springs"]
)
def test_the_judge_finds_the_printed_answers_right(title, rng):
    draw = random.Random(int(rng.integers(2**31)))
    for name, system, _, rows in answers():
        if name == title:
            found = judge(system).errors(
                [judge(system).flat(da.to_sympy(x)) for x in rows], judge(system).point(draw)
            )
            assert found[False] < HOLDS
