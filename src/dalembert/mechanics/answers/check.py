"""Grade an answer against the equations of motion, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidSystem, TooLarge, Undecided, nearest
from dalembert.expr import Expr, Kind, Matrix, free_symbols, is_kind, symbol_text
from dalembert.mechanics.answers.by_motion.equations import grade_motion
from dalembert.mechanics.answers.by_motion.own_names import Said, read_equations
from dalembert.mechanics.answers.energies import grade_energy
from dalembert.mechanics.answers.grade import Grade, joined
from dalembert.mechanics.answers.matrices import (
    grade_bias,
    grade_coriolis,
    grade_matrix,
    permuted,
)
from dalembert.mechanics.answers.on_domain import differing
from dalembert.mechanics.answers.read import (
    check_equations,
    is_sympy,
    known_names,
    listed,
    read_matrix,
    read_scalar,
)
from dalembert.mechanics.answers.solved import grade_accelerations, grade_multipliers
from dalembert.mechanics.proofs.domain import Condition, lost
from dalembert.ring import determinant, rebuild

if TYPE_CHECKING:
    from dalembert.mechanics.answers.read import Answer
    from dalembert.mechanics.equations.equations import Equations

MATRICES = ("M", "C", "N", "forces", "A")
ENERGIES = ("T", "V", "L")
MOTION = ("equation", "equations")
SOLVED = ("lam", "accelerations")
PARTS = (*MATRICES, *ENERGIES, *MOTION, *SOLVED)

# parts whose rows follow the coordinates; of A the columns do
ORDERED = ("M", "C", "N", "forces", "accelerations")
MAX_ORDERED = 4
"""Coordinates of which other orders are tried, and det M is looked at."""

_CALLIGRAPHIC = {f"\\mathcal{x}": "L" for x in ("{L}", " L")} | {"ℒ": "L"}

Read = Matrix | Expr | Said


def check_answer(
    mine: Answer,
    eq: Equations,
    part: str | None = None,
    *,
    where: Mapping[str, Answer] | None = None,
) -> Grade:
    """Grade what a student derived: right, or what differs, where, and which slip it is.

    Equations of motion are right if every motion satisfies them, in whatever form, and complete if
    Lagrange's equations follow back. Matrices and energies are right in other trigonometric forms,
    with the coordinates in another order, any C with the same C q̇, V with another constant, λ of
    opposite sign. Every verdict is exact.

    Args:
        mine: expressions, numbers, text in the names of the system such as ``"m*l^2*q1.ddot"``,
            LaTeX, or SymPy objects; one equation (``"left = right"``), a list of them, a matrix, or
            a dict with several parts, ``{"M": [[...]], "N": [...]}``. Names that its equations
            explain, such as a momentum, may be its own.
        eq: the equations of motion.
        part: which part it is, if it does not show: M, C, N, forces, A, T, V, L, equation,
            equations, lam or accelerations.
        where: what further names in equations stand for, ``{"s": "l*theta"}``.

    Raises:
        InvalidSystem: a part that is not known, or one of the wrong shape.
        ParseError, UnknownName: text or a name that cannot be read.

    >>> import dalembert as da
    >>> eq = da.textbook.particle().equations()
    >>> print(check_answer("f - m*g = m*y.ddot", eq))
    ✓ equation is right and complete
    >>> print(check_answer("m*y.ddot = f", eq))
    ✗ equation is wrong
        equation of y: missing term m g (gravity is forgotten here)
    """
    check_equations(eq)
    if not isinstance(where, Mapping | None):
        raise InvalidSystem(f"expected names with what they stand for in where=, got {where!r:.60}")
    answers: Mapping[str, Any]
    if isinstance(mine, Mapping):
        answers = mine
    elif part is None and (named := _energies_by_name(mine, eq)):
        answers = named
    else:
        answers = {_part_of(mine, eq) if part is None else _checked(part): mine}
    parts = [(_checked(name), value) for name, value in answers.items()]
    read = {name: _read(eq, name, value, where) for name, value in parts}
    if not read:
        raise InvalidSystem("expected at least one part to grade, got none: add M, N or another")
    grade = _grade_all(eq, read)
    if grade.verdict == "wrong" and len(eq.coordinates) <= MAX_ORDERED:
        return _in_another_order(eq, read) or grade
    return grade


def _grade_all(eq: Equations, read: Mapping[str, Read]) -> Grade:
    grades = {name: _attempt(eq, name, value) for name, value in read.items()}
    C, N = read.get("C"), read.get("N")
    if isinstance(C, Matrix) and isinstance(N, Matrix):
        apart = grades["C"].is_right and grades["N"].is_right
        together = None if apart else grade_bias(eq, C, N)
        if together is not None:
            del grades["C"], grades["N"]
            return joined([*grades.values(), together.only_where(_lost(eq, C, N))])
    return joined(list(grades.values()))


def _attempt(eq: Equations, part: str, value: Read) -> Grade:
    try:
        grade = _grade(eq, part, value)
        if grade.verdict == "wrong":
            return differing(eq, grade)
        return grade.only_where(_lost(eq, value)) if grade.is_right else grade
    except (TooLarge, Undecided) as error:
        return Grade((part,), "undecided", (), (str(error),))


def _lost(eq: Equations, *values: Read) -> tuple[Condition, ...]:
    """Return the conditions that an answer needs to be defined, beside those of the system."""
    exprs: list[Expr] = []
    for value in values:
        match value:
            case Said():
                exprs += value.written
            case Matrix():
                exprs += value.entries
            case _:
                exprs.append(value)
    found = lost(exprs, eq.system.expressions())
    if found and len(eq.coordinates) <= MAX_ORDERED:
        # where M is singular, as r = 0 of polar coordinates, the equations do not say q̈ either
        det = rebuild(determinant(eq.ring, eq.forms.M))
        found = lost(exprs, [*eq.system.expressions(), 1 / det])
    return found


def _grade(eq: Equations, part: str, value: Read) -> Grade:
    if isinstance(value, Said):
        grade = grade_motion(eq, part, value.equations, value.numbers)
        gone = [f"{name} is eliminated: no equation says what it is" for name in value.eliminated]
        return replace(grade, notes=(*grade.notes, *gone))
    if isinstance(value, Expr):
        return grade_energy(eq, part, value)
    if part == "C":
        return grade_coriolis(eq, value)
    if part == "lam":
        return grade_multipliers(eq, value)
    if part == "accelerations":
        return grade_accelerations(eq, value)
    return grade_matrix(eq, part, value)


def _in_another_order(eq: Equations, read: Mapping[str, Read]) -> Grade | None:
    """Return the grade if the answer is right with the coordinates in another order."""
    if not any(name in ORDERED and name != "C" for name in read):
        # C alone does not show an order: its transpose may look like one
        return None
    n = len(eq.coordinates)
    for order in list(permutations(range(n)))[1:]:
        turned = {
            name: _turned(order, name, value) if isinstance(value, Matrix) else value
            for name, value in read.items()
        }
        grade = _grade_all(eq, turned)
        if grade.verdict in ("right", "right where"):
            # row i of ours is row order[i] of theirs
            theirs = sorted(range(n), key=lambda i: order[i])
            names = ", ".join(symbol_text(eq.coordinates[i]) for i in theirs)
            note = f"with the coordinates in the order {names}"
            return replace(grade, notes=(*grade.notes, note), right_parts=(), extent=None)
    return None


def _turned(order: tuple[int, ...], part: str, value: Matrix) -> Matrix:
    """Return a part that was written in another order of the coordinates, in ours."""
    if part == "A":
        return Matrix([[row[j] for j in order] for row in value.rows], len(order))
    return permuted(order, value) if part in ORDERED else value


def _checked(part: object) -> str:
    if not isinstance(part, str):
        raise InvalidSystem(
            f"expected a name for part=, one of {', '.join(PARTS)}, got {part!r:.40}"
        )
    name = {"λ": "lam", "qdd": "accelerations", "Υ": "forces"}.get(part, part)
    if name not in PARTS:
        raise InvalidSystem(
            f"expected a part of the equations ({', '.join(PARTS)}), got {part!r}: "
            f"{nearest(str(part), PARTS)}"
        )
    return name


def _read(
    eq: Equations, part: str, value: object, where: Mapping[str, Answer] | None = None
) -> Read:
    n, m = len(eq.coordinates), len(eq.lam)
    if part in ("lam", "A") and not m:
        raise InvalidSystem(f"expected a part of these equations, got {part}: no constraint acts")
    if part == "equation":
        return read_equations([value], eq, where)
    if part == "equations":
        rows = listed(value)
        if not rows:
            raise InvalidSystem(f"expected a list of equations of motion, got {value!r:.40}")
        single = [row[0] if isinstance(row, list) and len(row) == 1 else row for row in rows]
        return read_equations(single, eq, where)
    if part in ENERGIES:
        return read_scalar(value, eq)
    shapes = {"M": (n, n), "C": (n, n), "A": (m, n), "lam": (m, 1)}
    return read_matrix(value, eq, shapes.get(part, (n, 1)), part)


def _part_of(mine: object, eq: Equations) -> str:
    """Return which part an answer can only be; ask where it can be several."""
    rows = listed(mine)
    if _is_equation(mine):
        return "equation"
    n = len(eq.coordinates)
    if rows and all(_is_equation(row) for row in rows):
        return "equations"
    nested = [listed(row) or [row] for row in rows] if rows is not None else [[mine]]
    flat = [read_scalar(x, eq) for row in nested for x in row]
    symbols = free_symbols(flat)
    orders = {x.symbol.order for x in symbols if x.symbol and is_kind(x, Kind.COORDINATE)}
    if 2 in orders:
        return "equation" if rows is None else "equations"
    if rows is not None and [len(row) for row in nested] == [n] * n and (n > 1 or mine is not flat):
        return "C" if 1 in orders else "M"
    raise InvalidSystem(
        f"expected an answer that shows what it is, got {'a scalar' if rows is None else 'a list'} "
        f"that can be several things: name it with part=, one of {', '.join(PARTS)}"
    )


def _energies_by_name(mine: object, eq: Equations) -> dict[str, str]:
    """Return T, V and L of ``"L = …"`` or of a list of such texts; nothing of other answers."""
    found: dict[str, str] = {}
    for text in [mine] if isinstance(mine, str) else listed(mine) or []:
        head, is_equation, value = text.partition("=") if isinstance(text, str) else ("", "", "")
        name = _CALLIGRAPHIC.get(head.strip(" $"), head.strip(" $"))
        if not is_equation or name not in ENERGIES or name in known_names(eq) or name in found:
            return {}
        found[name] = value.strip(" $")
    return found


def _is_equation(x: object) -> bool:
    return (isinstance(x, str) and "=" in x) or (
        is_sympy(x) and bool(getattr(x, "is_Equality", False))
    )
