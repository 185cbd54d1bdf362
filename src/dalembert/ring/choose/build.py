"""Choose the generators of a ring for given expressions, layer by layer.

A function is a generator once its arguments are elements of a ring. So the functions of symbols
come first, then those of what the ring of the first holds, and so on. Each layer gives every sine
and cosine the linear form of its angle; chooses independent angles so that each form is a whole
combination of them; gives every other function its atoms, the same to equal arguments; orders the
generators; and adds the relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dalembert.errors import TooLarge
from dalembert.expr import PI, Expr, free_symbols, postorder
from dalembert.expr.graph import structure
from dalembert.expr.node import make
from dalembert.expr.undefined import derivatives
from dalembert.ring.budget import INSTEAD
from dalembert.ring.canonical import canonical_all
from dalembert.ring.choose.angles import LinearForm, sine_and_cosine
from dalembert.ring.choose.arguments import plain_form
from dalembert.ring.choose.atoms import (
    TRIGONOMETRIC,
    common_units,
    derivative_atoms,
    generator_power,
    is_atom,
    is_atomic,
    is_function,
)
from dalembert.ring.choose.clusters import clusters, dependent
from dalembert.ring.choose.functions import Functions
from dalembert.ring.choose.known import Known
from dalembert.ring.choose.nesting import nestings
from dalembert.ring.choose.ranks import Ranks, outermost
from dalembert.ring.choose.sure import unsure_generators
from dalembert.ring.ring import Angle, Element, Ring

MAX_NESTING = 30


def ring_of(
    exprs: Sequence[Expr],
    symbols: Iterable[Expr] = (),
    *,
    ordered: bool = False,
    more_derivatives: int = 2,
) -> Ring:
    """Return a ring in which the expressions, their derivatives and the symbols have a place.

    Angles come in the order of appearance, or ``ordered`` by the coordinates they contain.
    ``more_derivatives`` says how often functions without a definition can be differentiated: ä of
    a constraint has second derivatives.
    """
    nodes = postorder(list(exprs))
    _limit_nesting(nodes)
    highest = _highest_derivatives(nodes, more_derivatives)
    # by name: the order of the generators does not depend on earlier calls
    plain = list(dict.fromkeys(sorted([*free_symbols(nodes), *symbols], key=_symbol_order)))
    if any(n is PI for n in nodes):
        plain.append(PI)
    functions = dict.fromkeys(n for n in nodes if is_function(n))
    ready: list[Expr] = []
    ring = Ring(plain)
    ring.functions = Functions(Known())
    for _ in range(MAX_NESTING):
        before, ready = ready, _ready(ring, functions, ready)
        if len(ready) == len(before):
            return ring
        meanings = _meanings(ring, ready)
        functions |= dict.fromkeys(_needed(meanings, ready, highest))
        # arguments may be written in the angles of the smaller ring
        older = [a.form for a in ring.angles]
        ring = _assembled(meanings, ready, older, plain, ordered)
    raise TooLarge(
        f"expected canonical arguments after {MAX_NESTING} sweeps, got new ones in each: {INSTEAD}"
    )


def _ready(ring: Ring, functions: Mapping[Expr, None], placed: Sequence[Expr]) -> list[Expr]:
    """Return the functions inside which all functions have a place in the ring."""
    known = set(placed)
    waiting = {n for n in functions if n not in known or not _has_parts(ring, n, known)}
    if not waiting:
        return list(placed)
    is_blocked: dict[Expr, bool] = {}
    for node in postorder(list(functions)):
        is_blocked[node] = any(is_blocked[arg] or arg in waiting for arg in node.args)
    return [n for n in functions if not is_blocked[n]]


def _has_parts(ring: Ring, node: Expr, placed: set[Expr]) -> bool:
    """Tell whether a sine has a place: of sin(x + π/3) that is the one of √3, too."""
    if node.op not in TRIGONOMETRIC:
        return True
    parts = [e for s, c, _ in ring.functions.turns[node.args[0]].known for e in (s, c)]
    return placed.issuperset(outermost(parts))


def _meanings(ring: Ring, functions: Sequence[Expr]) -> Functions:
    """Write functions over atoms and angles, by what their arguments are in a ring."""
    angles = [n.args[0] for n in functions if n.op in TRIGONOMETRIC]
    args = [angle for angle in angles if plain_form(angle) is None]
    atomic = [n for n in functions if is_atomic(n)]
    args += [arg for n in atomic for arg in n.args]
    elements: dict[Expr, Element] = dict(zip(args, canonical_all(ring, args), strict=True))
    found = Functions(ring.functions.known)
    for angle in angles:
        found.turn(angle, elements.get(angle))
    for node in atomic:
        found.meaning(node, [elements[arg] for arg in node.args])
    return found


def _needed(functions: Functions, nodes: Sequence[Expr], highest: Mapping[str, int]) -> list[Expr]:
    """Return the functions that the canonical forms and derivatives of functions bring in."""
    found: list[Expr] = []
    for node in nodes:
        if node.op in TRIGONOMETRIC:
            found += [e for s, c, _ in functions.turns[node.args[0]].known for e in (s, c)]
            continue
        found += derivative_atoms(node)
        found += [p.base for p in functions.meanings[node].powers if p.base.op == "abs"]
        if node.op == "apply":
            name, orders = node.value
            found += derivatives(node) if sum(orders) < highest[name] else ()
    return outermost(found)


def _assembled(
    functions: Functions,
    nodes: Sequence[Expr],
    more_angles: Sequence[LinearForm],
    symbols: Sequence[Expr],
    ordered: bool,
) -> Ring:
    """Return the ring of functions whose meanings were found in a smaller one."""
    forms = [functions.turns[n.args[0]].free for n in nodes if n.op in TRIGONOMETRIC]
    forms += more_angles
    groups = clusters(forms, ordered=ordered)
    angles = [angle for group in groups for angle in group]
    powers = [p for n in nodes if is_atomic(n) for p in functions.meanings[n].powers]
    units = common_units(powers)
    used = [generator_power(p, units)[0] for p in powers]
    used += [p.base for p in powers if p.base.op != "exp"]
    ranks = Ranks(functions)
    # by structure: the order does not depend on what was made first
    atoms = sorted(
        {g for g in used if is_atom(g) and g is not PI},
        # σ(u) u = |u| rewrites the sign by the modulus
        key=lambda g: (-ranks.of(g), g.op != "sign", structure(g)),
    )
    plain = dict.fromkeys(symbols)
    if PI in used:
        plain[PI] = None
    trigs = [sine_and_cosine(angle) for angle in angles]
    ring = Ring([*atoms, *(s for s, _ in trigs), *(c for _, c in trigs), *plain])
    ring.units = units
    ring.functions = Functions(Known(), functions)
    for angle, (s, c) in zip(angles, trigs, strict=True):
        ring.angles.append(Angle(angle, ring.index[s], ring.index[c]))
        ring.relate(s, 2, ring.one - ring.element_of(c) ** 2)
    ring.clusters = [len(group) for group in groups]
    ring.wild = frozenset(
        place for i in dependent(angles) for place in (ring.angles[i].sin, ring.angles[i].cos)
    )
    # what is inside comes first: outer functions are known by it
    nested = [s for s, _ in trigs] if any(ranks.of(s) > 1 for s, _ in trigs) else []
    for g in sorted([*atoms, *nested], key=ranks.of):
        args = canonical_all(ring, g.args)
        ring.functions.known.add(g, args)
        if g.op != "sin":
            _relate_atom(ring, g, args[0])
    ring.unsure = unsure_generators(ring)
    return ring


def _relate_atom(ring: Ring, atom: Expr, arg: Element) -> None:
    """Add the relation of an atom to the ring."""
    match atom.op:
        case "pow":
            ring.relate(atom, atom.value.denominator, arg)
        case "abs":
            ring.relate(atom, 2, arg**2)
            sign = make("sign", atom.args)
            if sign in ring.index:
                ring.relate_modulus(sign, atom, arg)
        case "sign":
            ring.relate(atom, 3, ring.element_of(atom))


def _symbol_order(x: Expr) -> tuple[str, int, str]:
    s = x.symbol
    assert s is not None
    return s.name, s.order, s.kind.value


def _highest_derivatives(nodes: Sequence[Expr], more: int) -> dict[str, int]:
    """Return for each undefined function the highest derivative that has a place in the ring."""
    found: dict[str, int] = {}
    for node in nodes:
        if node.op == "apply":
            name, orders = node.value
            found[name] = max(found.get(name, 0), sum(orders) + more)
    return found


def _limit_nesting(nodes: Sequence[Expr]) -> None:
    if max(nestings(nodes).values(), default=0) > MAX_NESTING:
        raise TooLarge(f"expected functions nested at most {MAX_NESTING} deep, got more: {INSTEAD}")
