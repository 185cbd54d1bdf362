"""Names that an answer defines itself: ω = θ̇, p = m l² θ̇, coordinates of the student's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from dalembert.errors import InvalidSystem, UnknownName
from dalembert.expr import (
    ZERO,
    Expr,
    Kind,
    Matrix,
    coordinates,
    ddt,
    free_symbols,
    is_kind,
    substitute,
    symbol_text,
)
from dalembert.expr.greek import spelled_out
from dalembert.expr.undefined import UndefinedFunction
from dalembert.mechanics.answers.read import known_names, read_equation
from dalembert.mechanics.answers.terms import depends, is_affine
from dalembert.reader import unknown_words
from dalembert.ring import (
    Element,
    canonical,
    canonical_all,
    partials,
    rank,
    rebuild,
    ring_of,
    solve,
)

if TYPE_CHECKING:
    from dalembert.mechanics.answers.read import Answer
    from dalembert.mechanics.equations.equations import Equations

MAX_NAMES = 12
"""Names of its own that an answer may have."""


class Said(NamedTuple):
    """Left minus right of equations, and all that was written, which has to be defined.

    ``numbers`` tell which of the answer's equations are left, counted from 0, ``eliminated`` which
    names of its own nothing explains, and have gone.
    """

    equations: list[Expr]
    written: list[Expr]
    numbers: tuple[int, ...] = ()
    eliminated: tuple[str, ...] = ()


def read_equations(
    rows: Sequence[object], eq: Equations, where: Mapping[str, Answer] | None = None
) -> Said:
    """Return left minus right of equations in the symbols of the system.

    Names that the system does not have are replaced by what the equations, or ``where``, say they
    are; equations that only say so are left out. A force that stands in several equations of
    motion, such as a tension, is eliminated from them. λ is the only multiplier of a system.

    Raises:
        UnknownName: a name that neither the system nor the answer explains.
    """
    try:
        return _read(rows, eq, where, known_names(eq))
    except UnknownName:
        if len(eq.lam) != 1 or not {"lam", "lambda"}.isdisjoint({*known_names(eq), *(where or ())}):
            raise
    return _read(rows, eq, where, known_names(eq) | {"lam": eq.lam[0]})


def _read(
    rows: Sequence[object],
    eq: Equations,
    where: Mapping[str, Answer] | None,
    of_system: Mapping[str, Expr | UndefinedFunction],
) -> Said:
    where = {_checked(name): x for name, x in (where or {}).items()}
    texts = [x for x in (*rows, *where.values()) if isinstance(x, str)]
    own = list(dict.fromkeys([*where, *unknown_words(texts, of_system)]))
    # what nothing can explain the reader refuses, with the nearest name
    is_explained = len(own) <= MAX_NAMES and (where or len(rows) > 1)
    if not own or not is_explained:
        equations = [read_equation(row, eq, of_system) for row in rows]
        return _all(equations)
    symbols = {name: coordinates(name)[0] for name in own}
    names = {**of_system, **symbols}
    equations = [read_equation(row, eq, names) for row in rows]
    given = {symbols[name]: read_equation(x, eq, names) for name, x in where.items()}
    # what needs no other name of the answer first, rates too: then x1' = x2 says what x2 is
    known = {u: e for u, e in given.items() if set(e.symbols).isdisjoint(symbols.values())}
    rest = [u for u in symbols.values() if u not in known]
    definitions = [u - e for u, e in given.items() if u not in known]
    equations, definitions = substitute(equations, known), substitute(definitions, known)
    said = _without(eq, rest, equations, definitions) if rest else _all(equations)
    return said._replace(written=[*said.written, *known.values()])


def _all(equations: list[Expr]) -> Said:
    return Said(equations, equations, tuple(range(len(equations))))


def _checked(name: object) -> str:
    own = spelled_out(name) if isinstance(name, str) else ""
    if not own.isidentifier():
        raise InvalidSystem(f"expected names of the answer's own in where=, got {name!r:.40}")
    return own


def _without(
    eq: Equations, own: Sequence[Expr], rows: Sequence[Expr], given: Sequence[Expr]
) -> Said:
    """Return the equations with the names of their own replaced by what they mean."""
    rates = {ddt(u) for u in own} | {ddt(ddt(u)) for u in own} | set(eq.system.accelerations)
    definitions = [*given, *(e for e in rows if _defines(e, own, rates))]
    forces = [u for u in own if _is_force(u, rows, definitions)]
    if forces:
        numbers, left = zip(*_without_forces(eq, forces, rows), strict=True)
        others = [u for u in own if u not in forces]
        said = _without(eq, others, left, given) if others else _all(list(left))
        ones = dict.fromkeys(forces, 1)
        # a coefficient of a force has no value where the answer has none
        kept = tuple(numbers[k] for k in said.numbers)
        names = tuple(map(symbol_text, forces))
        return Said(said.equations, substitute([*rows, *given], ones), kept, names)
    written = substitute([*rows, *given], _solved(eq, own, definitions))
    replaced = written[: len(rows)]
    elements = canonical_all(ring_of(replaced, list(eq.system.accelerations)), replaced)
    # what only said what a name is has become 0 = 0
    left = [
        (k, e)
        for k, (row, e, x) in enumerate(zip(rows, replaced, elements, strict=True))
        if not x.is_surely_zero or set(free_symbols([row])).isdisjoint({*own, *rates})
    ]
    numbers, equations = zip(*(left or [(0, ZERO)]), strict=True)
    return Said(list(equations), written, numbers)


def _is_force(u: Expr, rows: Sequence[Expr], definitions: Sequence[Expr]) -> bool:
    """Tell whether a name that nothing explains stands in several equations, without its rates."""
    if any(u in free_symbols([e]) for e in definitions):
        return False
    inside = [free_symbols([e]) for e in rows]
    has_rate = any(not {ddt(u), ddt(ddt(u))}.isdisjoint(symbols) for symbols in inside)
    return not has_rate and sum(u in symbols for symbols in inside) > 1


def _without_forces(
    eq: Equations, forces: Sequence[Expr], rows: Sequence[Expr]
) -> list[tuple[int, Expr]]:
    """Return combinations of equations in which forces of the answer's own have gone.

    Each has the number of the equation that it is made of.
    """
    accelerations = list(eq.system.accelerations)
    ring = ring_of(list(rows), [*forces, *accelerations])
    left = list(enumerate(canonical_all(ring, list(rows))))
    for u, d in zip(forces, partials(ring, forces), strict=True):
        slopes = [d(x) for _, x in left]
        if not all(is_affine(x, [u]) for _, x in left) or any(
            depends(c, accelerations) for c in slopes
        ):
            _refuse(eq, [u], [[ring.zero]])
        k = next((k for k, c in enumerate(slopes) if not c.is_surely_zero), None)
        if k is not None:
            # c x - e y has no u if x = e u + … and y = c u + …
            (at, y), c = left[k], slopes[k]
            left = [(i, c * x - e * y) for (i, x), e in zip(left, slopes, strict=True) if i != at]
    return [(i, rebuild(x)) for i, x in left] or [(0, ZERO)]


def _defines(e: Expr, own: Sequence[Expr], rates: set[Expr]) -> bool:
    """Tell whether an equation has a name of its own, without a second rate or a rate of one."""
    symbols = set(free_symbols([e]))
    return not symbols.isdisjoint(own) and symbols.isdisjoint(rates)


def _solved(eq: Equations, own: Sequence[Expr], definitions: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the names of the answer's own in terms of q, q̇ and the parameters."""
    ring = ring_of(list(definitions), [*own, *eq.velocities])
    d = partials(ring, own)
    rows: list[list[Element]] = []
    rest: list[Element] = []
    nothing = dict.fromkeys(own, 0)
    for e, x in zip(definitions, canonical_all(ring, list(definitions)), strict=True):
        row = [dj(x) for dj in d]
        # the first of them that are independent; others are equations
        if is_affine(x, own) and rank(ring, Matrix([*rows, row])) > len(rows):
            rows.append(row)
            rest.append(-canonical(ring, substitute([e], nothing)[0]))
    if len(rows) < len(own):
        _refuse(eq, own, rows)
    values = solve(ring, Matrix(rows), Matrix.column(rest))
    return {u: rebuild(x) for u, x in zip(own, values.entries, strict=True)}


def _meanings(eq: Equations) -> list[Expr | UndefinedFunction]:
    """Return what the names of the system stand for, without the time."""
    meanings = known_names(eq).values()
    return [x for x in meanings if not (isinstance(x, Expr) and is_kind(x, Kind.TIME))]


def _refuse(eq: Equations, own: Sequence[Expr], rows: Sequence[Sequence[Element]]) -> NoReturn:
    """Raise for a name that no definition explains."""
    explained = [any(not row[k].is_surely_zero for row in rows) for k in range(len(own))]
    name = symbol_text(own[explained.index(False) if False in explained else 0])
    known = [symbol_text(x) if isinstance(x, Expr) else x.name for x in _meanings(eq)]
    raise UnknownName(
        f"expected names of the system ({', '.join(known[:12])}), got {name}: say what it is by an "
        f'equation beside the others, or by where={{"{name}": …}}'
    )
