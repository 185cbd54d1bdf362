"""The claims of a certificate as theorems of Coq, each about all real values of the variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from dalembert.certificates.coq_text import ONE, ZERO, Data, NotInCoq, Term, Text, Vector

MOTION = Path(__file__).with_name("Motion.v")
"""The theory: what expressions mean, their derivatives, and how claims are decided."""
HALF = Fraction(1, 2)


def coq(data: Data) -> str:
    """Return the claims for Coq; `MOTION` has to be compiled beside it.

    Raises:
        InvalidExpression: the description or the equations have roots, quotients or functions
            other than sines and cosines, which Motion.v does not know.
    """
    text = Text(data)
    names = [name for claim in data["claims"] for name in _CLAIMS[claim](text)]
    return text.text(names)


# ---- what claims have in common


def _left(t: Text) -> Vector:
    """Return M q̈ + C q̇ + N."""
    M, C, N = t.made["M"], t.made["C"], t.made["N"]
    return [t.sum(t.dot(M[k], t.qdd), t.dot(C[k], t.qd), N[k]) for k in t.n]


def _lagrangian(t: Text) -> Term:
    if "lagrangian" in t.given:
        return t.given["lagrangian"]
    T, V = _described_energies(t)
    return t.difference(T, V)


def _momenta(t: Text) -> Vector:
    L = _lagrangian(t)
    return [t.by(x + ".dot")(L) for x in t.q]


def _identities(name: str) -> Callable[[Callable[[Text], Iterator[Term]]], Callable[..., Any]]:
    """Make a claim of expressions that vanish."""

    def make(terms: Callable[[Text], Iterator[Term]]) -> Callable[[Text], list[str]]:
        def state(t: Text) -> list[str]:
            t.vanish(name, terms(t))
            return [name]

        return state

    return make


# ---- bodies, as the checker reads them


class _Body:
    """Velocities of a body, its momenta, what moves it, and its fall; as `check.Body`."""

    def __init__(self, v: Vector, w: Vector, p: Vector, L: Vector) -> None:
        self.v, self.w, self.p, self.L = v, w, p, L
        self.force: Vector = []
        self.torque: Vector = []
        self.fall = ZERO
        self.axes: list[Vector] = []
        self.inertia: list[Vector] = []
        self.g: Vector = []
        self.depth = ZERO


def _bodies(t: Text) -> list[_Body]:
    found: list[_Body] = []
    for given in t.given.get("bodies", []):
        found.append(_flat(t, given) if "position" in given else _spatial(t, given, found))
    return found


def _flat(t: Text, given: dict[str, Any]) -> _Body:
    m, r = given["mass"], given["position"]
    g = t.given["gravity"] or [ZERO] * len(r)
    v = [t.ddt(x) for x in r]
    w = [t.ddt(given["angle"])] if "angle" in given else []
    body = _Body(v, w, [t.product(m, x) for x in v], [t.product(given["inertia"], x) for x in w])
    body.force = [t.difference(t.ddt(x), t.product(m, a)) for x, a in zip(body.p, g, strict=True)]
    body.torque = [t.ddt(x) for x in body.L]
    body.fall = t.product(m, t.dot(g, r))
    return body


def _spatial(t: Text, given: dict[str, Any], before: list[_Body]) -> _Body:
    m, I, x, R = (given[k] for k in ("mass", "inertia", "origin", "rotation"))
    if "center" in given:
        c = given["center"]
        h = [t.product(m, u) for u in c]
        I = [
            [
                t.sum(
                    I[i][j],
                    t.negative(t.product(h[i], c[j])),
                    t.dot(h, c) if i == j else ZERO,
                )
                for j in range(3)
            ]
            for i in range(3)
        ]
    else:
        h = given["moment"]
    v, w, g, depth = [ZERO] * 3, [ZERO] * 3, t.given["gravity"] or [ZERO] * 3, ZERO
    if given["parent"] >= 0:
        parent = before[given["parent"]]
        v, w, g, depth = parent.v, parent.w, parent.g, parent.depth
    axes = [list(axis) for axis in zip(*R, strict=True)]
    rates = [[t.ddt(u) for u in axis] for axis in axes]
    depth = t.sum(depth, t.dot(g, x))
    spin = [t.dot(axes[i], rates[j]) for i, j in ((2, 1), (0, 2), (1, 0))]
    moved = t.plus(v, t.cross(w, x), [t.ddt(u) for u in x])
    v, g = [t.dot(axis, moved) for axis in axes], [t.dot(axis, g) for axis in axes]
    w = t.plus([t.dot(axis, w) for axis in axes], spin)
    p = t.plus([t.product(m, u) for u in v], t.cross(w, h))
    L = t.plus([t.dot(row, w) for row in I], t.cross(h, v))
    body = _Body(v, w, p, L)
    weight = [t.negative(t.product(m, u)) for u in g]
    body.force = t.plus([t.ddt(u) for u in p], t.cross(w, p), weight)
    body.torque = t.plus([t.ddt(u) for u in L], t.cross(w, L), t.cross(v, p), t.cross(g, h))
    body.fall = t.sum(t.product(m, depth), t.dot(g, h))
    body.axes, body.inertia, body.g, body.depth = axes, I, g, depth
    return body


def _described_energies(t: Text) -> tuple[Term, Term]:
    bodies = _bodies(t)
    twice = [x for b in bodies for x in (t.dot(b.v, b.p), t.dot(b.w, b.L))]
    if t.given["rotors"]:
        twice += [t.product(J, x, x) for J, x in zip(t.given["rotors"], t.qd, strict=True)]
    T = t.sum(t.times(HALF, t.sum(*twice)), t.given["kinetic"])
    return T, t.difference(t.given["potential"], t.sum(*(b.fall for b in bodies)))


# ---- the claims, in the order of `check.Certificate`


@_identities("energies")
def _energies(t: Text) -> Iterator[Term]:
    for b in _bodies(t):
        for i, x in enumerate(b.axes):
            for j, y in enumerate(b.axes):
                yield t.difference(t.dot(x, y), ONE if i == j else ZERO)
            turned = t.cross(b.axes[i - 2], b.axes[i - 1])
            yield from (t.difference(u, w) for u, w in zip(turned, x, strict=True))
            yield from (t.difference(b.inertia[i][j], b.inertia[j][i]) for j in range(i))
    T, V = t.made["T"], t.made["V"]
    if "lagrangian" not in t.given:
        described = _described_energies(t)
        yield t.difference(T, described[0])
        yield t.difference(V, described[1])
        return
    slopes = [t.by(x + ".dot") for x in t.q]
    yield t.difference(t.dot([d(T) for d in slopes], t.qd), t.times(Fraction(2), T))
    yield from (d(V) for d in slopes)
    yield t.difference(t.sum(T, V, _lagrangian(t)), t.dot(_momenta(t), t.qd))


def _lagranges_equations(t: Text) -> list[str]:
    """State the forces, and along every motion the rate of each momentum, as limits."""
    pairs = zip(t.made["forces"], t.given["forces"], strict=True)
    t.vanish("forces", (t.difference(x, y) for x, y in pairs))
    names, L, R = ["forces"], _lagrangian(t), t.given["dissipation"]
    for k, left in enumerate(_left(t), 1):
        names.append(f"equation_of_motion_{k}")
        where = f"dt {k} {len(t.q) + k} {L} {R} {left}"
        t.theorem(names[-1], f"law unknown {where}", "(law_ok angles)")
    return names


@_identities("newton_euler")
def _newton_euler(t: Text) -> Iterator[Term]:
    T, V, R = t.given["kinetic"], t.given["potential"], t.given["dissipation"]
    bodies = _bodies(t)
    for k, left in enumerate(_left(t)):
        dq, dv = t.by(t.q[k]), t.by(t.q[k] + ".dot")
        parts = [t.ddt(dv(T)), t.negative(dq(T)), dq(V), dv(R)]
        if t.given["rotors"]:
            parts.append(t.product(t.given["rotors"][k], t.qdd[k]))
        for b in bodies:
            parts.append(t.dot(b.force, [dv(x) for x in b.v]))
            parts.append(t.dot(b.torque, [dv(x) for x in b.w]))
        yield t.difference(left, t.sum(*parts))


@_identities("constraints")
def _constraints(t: Text) -> Iterator[Term]:
    made, held = t.made, t.given["constraints"]
    yield from (t.difference(x, y) for x, y in zip(made["a"], held, strict=True))
    rates = [*map(t.ddt, held), *t.given["velocity_constraints"]]
    rows = zip(rates, made["A"], made["Ad"], made["drift"], made["drift_rate"], strict=True)
    for f, row, row_rate, b, b_rate in rows:
        yield t.difference(f, t.sum(t.dot(row, t.qd), b))
        yield from (t.difference(t.by(x + ".dot")(f), a) for x, a in zip(t.q, row, strict=True))
        yield from (t.difference(t.ddt(a), r) for a, r in zip(row, row_rate, strict=True))
        yield t.difference(t.ddt(b), b_rate)
        yield t.difference(t.ddt(f), t.sum(t.dot(row, t.qdd), t.dot(row_rate, t.qd), b_rate))


@_identities("mass_matrix_is_symmetric")
def _symmetric(t: Text) -> Iterator[Term]:
    M = t.made["M"]
    yield from (t.difference(M[i][j], M[j][i]) for i in t.n for j in range(i))


@_identities("mass_matrix_is_hessian")
def _hessian(t: Text) -> Iterator[Term]:
    for i, p in enumerate(_momenta(t)):
        yield from (t.difference(t.by(t.q[j] + ".dot")(p), t.made["M"][i][j]) for j in t.n)


def _twice_kinetic(t: Text) -> Term:
    return t.dot([t.dot(row, t.qd) for row in t.made["M"]], t.qd)


def _squares(t: Text) -> str:
    return f"[{'; '.join(f'({w}, {f})' for w, f in t.made['squares'])}]"


def _nonnegative(t: Text) -> list[str]:
    form, name = _twice_kinetic(t), "mass_matrix_is_nonnegative"
    t.theorem(
        name,
        f"forall v, admissible positive_ones v -> (0 <= ev v {form})%R",
        f"(nonnegative_form angles positive_ones {form} {_squares(t)})",
    )
    return [name]


def _positive(t: Text) -> list[str]:
    form, name, steps = _twice_kinetic(t), "mass_matrix_is_positive", []
    for k, factor, combination in t.made["standing"]:
        forms = "; ".join(f"({a}, {r}%nat)" for r, a in combination)
        steps.append(f"({t.place[t.q[k] + '.dot']}, {factor}, [{forms}])")
    listed = f"[{'; '.join(steps)}]"
    rates = f"[{t.places(t.q[k] + '.dot' for k, _, _ in t.made['standing'])}]"
    t.theorem(
        name,
        f"forall v, admissible positive_ones v -> "
        f"(exists r, In r {rates} /\\ v r <> 0%R) -> (0 < ev v {form})%R",
        f"(positive_form angles positive_ones {form} {_squares(t)} {listed})",
    )
    return [name]


def _slopes(t: Text) -> list[list[list[Term]]]:
    """Return ∂M[i][j]/∂q_k at [k][i][j]."""
    return [[[t.by(x)(e) for e in row] for row in t.made["M"]] for x in t.q]


@_identities("rate_minus_twice_coriolis_is_skew")
def _skew(t: Text) -> Iterator[Term]:
    d, C = _slopes(t), t.made["C"]
    for i in t.n:
        for j in range(i + 1):
            rates = [t.dot([d[k][a][b] for k in t.n], t.qd) for a, b in ((i, j), (j, i))]
            twice = t.times(Fraction(2), t.sum(C[i][j], C[j][i]))
            yield t.difference(t.sum(*rates), twice)


@_identities("coriolis_in_three_forms")
def _coriolis(t: Text) -> Iterator[Term]:
    d, n, C, twice_T = _slopes(t), t.n, t.made["C"], _twice_kinetic(t)
    two = Fraction(2)
    for k in n:
        for j in n:
            symbols = [t.difference(t.sum(d[i][k][j], d[j][k][i]), d[k][i][j]) for i in n]
            yield t.difference(t.dot(symbols, t.qd), t.times(two, C[k][j]))
        rate = t.dot([t.dot([d[i][k][j] for i in n], t.qd) for j in n], t.qd)
        twice = t.times(two, t.difference(rate, t.dot(C[k], t.qd)))
        yield t.difference(twice, t.by(t.q[k])(twice_T))
        yield t.difference(twice, t.dot([t.dot(row, t.qd) for row in d[k]], t.qd))


def _balance(t: Text, h: Term) -> Term:
    R = t.given["dissipation"]
    work = [t.difference(x, t.by(q + ".dot")(R)) for x, q in zip(_left(t), t.q, strict=True)]
    gain = t.sum(t.ddt(h), t.by("t")(_lagrangian(t)))
    return t.difference(gain, t.dot(t.qd, work))


@_identities("energy_balance")
def _energy_balance(t: Text) -> Iterator[Term]:
    yield _balance(t, t.sum(t.made["T"], t.made["V"]))


@_identities("jacobi_balance")
def _jacobi_balance(t: Text) -> Iterator[Term]:
    yield _balance(t, t.difference(t.dot(_momenta(t), t.qd), _lagrangian(t)))


def _linear(t: Text) -> list[str]:
    name, Y, theta = "linear_in_parameters", t.made["Y"], t.made["theta"]
    t.vanish(
        name,
        (t.difference(t.dot(row, theta), x) for row, x in zip(Y, _left(t), strict=True)),
    )
    entries = "; ".join(dict.fromkeys(x for row in Y for x in row))
    kept = f"forallb (fun i => negb (occurs i e)) [{t.places(t.data['parameters'])}]"
    t.theorem(
        "regressor_is_free_of_parameters",
        f"forallb (fun e => {kept}) [{entries}] = true",
        "(fun x => x)",
    )
    return [name, "regressor_is_free_of_parameters"]


def _code(t: Text) -> list[str]:
    """State that code computes the equations; what divides is left to the other checker."""
    names = []
    for code in t.data["code"]:
        try:
            parts = t.parts(code)
        except NotInCoq:
            continue
        name = f"code_of_{code['function']}"
        if code["function"] == "mass_matrix":
            pairs = [(parts["M"][i][j], t.made["M"][i][j]) for i, j in product(t.n, t.n)]
        elif code["function"] == "inverse_dynamics":
            pairs = list(zip(parts["tau"], _left(t), strict=True))
        else:
            continue
        t.vanish(name, (t.difference(x, y) for x, y in pairs))
        names.append(name)
    return names


_CLAIMS: dict[str, Callable[[Text], list[str]]] = {
    "energies": _energies,
    "lagranges_equations": _lagranges_equations,
    "newton_euler": _newton_euler,
    "constraints": _constraints,
    "mass_matrix_is_symmetric": _symmetric,
    "mass_matrix_is_hessian": _hessian,
    "mass_matrix_is_nonnegative": _nonnegative,
    "mass_matrix_is_positive": _positive,
    "rate_minus_twice_coriolis_is_skew": _skew,
    "coriolis_in_three_forms": _coriolis,
    "energy_balance": _energy_balance,
    "jacobi_balance": _jacobi_balance,
    "linear_in_parameters": _linear,
    "code_computes_the_equations": _code,
}
