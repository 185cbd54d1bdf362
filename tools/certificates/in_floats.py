"""A second opinion on certificates: every claim in floats, at random states.

It shares nothing with the checker. It differentiates by `jets`, and takes the bodies in world axes
by their positions and rotations, where the checker has recursions in their own axes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tools.certificates.jets import Jet, run

Data = Mapping[str, Any]
STATES = 3
ROUNDING = 1e-8
"""Errors beside the largest number of a comparison: products of many factors lose digits."""


class State:
    """The parts of a certificate at one random state, with the derivatives that claims need."""

    def __init__(self, data: Data, draw: random.Random, *, signs: bool = False) -> None:
        self.data = data
        self.q = data["coordinates"]
        self.n = len(self.q)
        moving = [x + rate for rate in ("", ".dot", ".ddot") for x in self.q]
        others = [x for part in ("parameters", "inputs", "multipliers") for x in data[part]]
        self.at = {x: draw.uniform(0.3, 1.4) for x in [*moving, "t", *others]} | {"pi": np.pi}
        if signs:
            for x in self.at:
                if x not in data["positive"] and x != "pi":
                    self.at[x] *= draw.choice((-3, 3))
        self.v = self.values(".dot")
        self.a = self.values(".ddot")

    def values(self, rate: str) -> np.ndarray:
        return np.array([self.at[x + rate] for x in self.q])

    def seeded(self, kind: str) -> dict[str, Jet]:
        """Return all symbols with derivatives.

        "motion": along the motion twice. "q", "v": by each coordinate or velocity in turn, and
        along the motion.
        """
        units, zero = np.eye(self.n), np.zeros(self.n)
        symbols = {x: Jet(value) for x, value in self.at.items()}
        symbols["t"] = Jet(self.at["t"], 1.0 if kind == "motion" else 0.0, 1.0)
        for k, x in enumerate(self.q):
            if kind == "motion":
                symbols[x] = Jet(self.at[x], self.v[k], self.v[k], self.a[k])
                symbols[x + ".dot"] = Jet(self.v[k], self.a[k], self.a[k], 0.0)
            else:
                by_q, by_v = (units[k], zero) if kind == "q" else (zero, units[k])
                # the mixed derivative is d/dt of the one by q or q̇
                symbols[x] = Jet(self.at[x], by_q, self.v[k], zero)
                symbols[x + ".dot"] = Jet(self.v[k], by_v, self.a[k], zero)
        return symbols

    def part(self, which: str, kind: str) -> Any:
        """Return the parts of a program as jets, in the shape that the certificate gives them."""
        part = self.data[which]
        return shaped(part, run(part["program"], self.seeded(kind)))


def shaped(part: Data, values: list[Jet]) -> dict[str, Any]:
    """Return the parts of a program by name."""

    def put(x: Any, key: str = "") -> Any:
        if isinstance(x, dict):
            return {k: put(v, k) for k, v in x.items()}
        if isinstance(x, list):
            return [put(v, key) for v in x]
        return values[x] if type(x) is int and key != "parent" else x

    return {k: put(v, k) for k, v in part.items() if k not in ("program", "standing")}


def array(nested: Any, component: str = "x") -> np.ndarray:
    """Return one component of nested jets as an array."""

    def take(x: Any) -> Any:
        return [take(y) for y in x] if isinstance(x, list) else getattr(x, component)

    return np.array(take(nested), dtype=float)


def slopes(nested: Any, n: int, component: str = "b") -> np.ndarray:
    """Return derivatives by each coordinate or velocity along the last axis."""

    def take(x: Any) -> Any:
        if isinstance(x, list):
            return [take(y) for y in x]
        return np.broadcast_to(getattr(x, component), (n,))

    return np.array(take(nested), dtype=float)


# ---- bodies in world axes


class Bodies:
    """Kinetic and potential energy of the bodies, and the forces that move them."""

    def __init__(self, given: Mapping[str, Mapping[str, Any]], n: int) -> None:
        # positions along the motion, and by each coordinate
        self.motion, self.by_q, self.n = given["motion"], given["q"], n
        self.T = self.V = 0.0
        self.forces = np.zeros(n)
        gravity = array(self.motion["gravity"])
        poses: list[tuple[Any, ...]] = []
        for k, body in enumerate(self.motion["bodies"]):
            other = self.by_q["bodies"][k]
            if "position" in body:
                self._particle(body, other, gravity)
                poses.append(())
            else:
                g = gravity if len(gravity) else np.zeros(3)
                poses.append(self._solid(body, other, g, poses))

    def _particle(self, body: Any, other: Any, g: np.ndarray) -> None:
        m, r = body["mass"].x, body["position"]
        v, a, Jr = array(r, "b"), array(r, "d"), slopes(other["position"], self.n)
        g = g if len(g) else np.zeros(len(v))
        self.T += m * v @ v / 2
        self.V -= m * g @ array(r)
        self.forces += m * (a - g) @ Jr
        if "angle" in body:
            I, angle = body["inertia"].x, body["angle"]
            self.T += I * angle.b**2 / 2
            self.forces += I * angle.d * slopes(other["angle"], self.n)

    def _solid(self, body: Any, other: Any, g: np.ndarray, poses: list[tuple[Any, ...]]) -> Any:
        placed = []
        for given, k in ((body, 0), (other, 1)):
            x, R = np.array(given["origin"]), np.array(given["rotation"])
            if body["parent"] >= 0:
                X, Q = poses[body["parent"]][k]
                x, R = X + Q @ x, Q @ R
            placed.append((x, R))
        m = body["mass"].x
        I = array(body["inertia"])
        if "center" in body:
            c = array(body["center"])
        else:
            c = array(body["moment"]) / m if m else np.zeros(3)
            I = I - m * (c @ c * np.eye(3) - np.outer(c, c))
        (x, R), (x_q, R_q) = placed
        center = [Jet(u) for u in c]
        r, r_q = list(x + R @ center), list(x_q + R_q @ center)
        v, a, Jr = array(r, "b"), array(r, "d"), slopes(r_q, self.n)
        turn, rate, second = (array(R.tolist(), part) for part in "xbd")
        W, tensor = rate @ turn.T, turn @ I @ turn.T
        w, alpha = vee(W), vee(second @ turn.T + rate @ rate.T)
        by_q = slopes(R_q.tolist(), self.n)
        Jw = np.stack([vee(by_q[:, :, k] @ turn.T) for k in range(self.n)], axis=1)
        self.T += m * v @ v / 2 + w @ tensor @ w / 2
        self.V -= m * g @ array(r)
        self.forces += m * (a - g) @ Jr + (tensor @ alpha + np.cross(w, tensor @ w)) @ Jw
        return placed


def vee(W: np.ndarray) -> np.ndarray:
    """Return the vector of a skew matrix."""
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


# ---- the claims


def errors(data: Data, seed: int = 0) -> dict[str, float]:
    """Return the largest error of each claim at some states, beside the size of what is compared.

    An error that is no number (a root of something negative, a pole) counts as none: the statement
    is about states where everything is defined.
    """
    worst = dict.fromkeys(data["claims"], 0.0)
    draw = random.Random(seed)
    for _ in range(STATES):
        state = State(data, draw)
        for claim, left, right in comparisons(state):
            if claim in worst:
                size = max(
                    1.0, float(np.abs(left).max(initial=0)), float(np.abs(right).max(initial=0))
                )
                error = float(np.abs(left - right).max(initial=0)) / size
                worst[claim] = max(worst[claim], error if np.isfinite(error) else 0.0)
    for claim in ("mass_matrix_is_nonnegative", "mass_matrix_is_positive"):
        if claim in worst:
            worst[claim] = max(worst[claim], _indefinite(data, draw, claim.endswith("positive")))
    return worst


def comparisons(s: State) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield what must be equal, by claim."""
    n, data = s.n, s.data
    motion, by_q, by_v = (s.part("claimed", kind) for kind in ("motion", "q", "v"))
    given = {kind: s.part("description", kind) for kind in ("motion", "q", "v")}
    M, C, N = (array(motion[x]) for x in "MCN")
    left = M @ s.a + C @ s.v + N
    is_bare = "lagrangian" in given["motion"]
    R = slopes(given["v"]["dissipation"], n)

    # L = T - V of the claims, or the Lagrangian itself
    def lagrangian(parts: Any, claims: Any) -> Jet:
        return parts["lagrangian"] if is_bare else claims["T"] - claims["V"]

    L_q, L_v = lagrangian(given["q"], by_q), lagrangian(given["v"], by_v)
    momentum, force = slopes(L_v, n), slopes(L_q, n)
    yield "lagranges_equations", left, slopes(L_v, n, "d") - force + R
    yield "lagranges_equations", array(motion["forces"]), array(given["motion"]["forces"])

    T, V = motion["T"].x, motion["V"].x
    jacobi = momentum @ s.v - np.ravel(L_v.x)[0]
    if is_bare:
        yield "energies", np.array([T + V, 2 * T]), np.array([jacobi, slopes(by_v["T"], n) @ s.v])
        yield "energies", slopes(by_v["V"], n), np.zeros(n)
    else:
        bodies, other = Bodies(given, n), given["motion"]
        rotors = array(other["rotors"]) if other["rotors"] else np.zeros(n)
        kinetic = bodies.T + rotors @ s.v**2 / 2 + other["kinetic"].x
        potential = bodies.V + other["potential"].x
        yield "energies", np.array([T, V]), np.array([kinetic, potential])
        for R_ in (b["rotation"] for b in other["bodies"] if "rotation" in b):
            Q = array(R_)
            yield "energies", Q.T @ Q, np.eye(3)
            yield "energies", np.array([np.linalg.det(Q)]), np.ones(1)
        total = bodies.forces + rotors * s.a + R + slopes(given["q"]["potential"], n)
        total = total + slopes(given["v"]["kinetic"], n, "d") - slopes(given["q"]["kinetic"], n)
        yield "newton_euler", left, total

    yield "mass_matrix_is_symmetric", M, M.T
    yield "mass_matrix_is_hessian", _hessian(s, is_bare), M
    dM = slopes(by_q["M"], n)
    rate = dM @ s.v
    yield "rate_minus_twice_coriolis_is_skew", rate + rate.T, 2 * (C + C.T)
    symbols = np.einsum("kji,i->kj", dM, s.v) + np.einsum("kij,i->kj", dM, s.v)
    symbols = symbols - np.einsum("ijk,i->kj", dM, s.v)
    yield "coriolis_in_three_forms", symbols, 2 * C
    quadratic = np.einsum("ijk,i,j->k", dM, s.v, s.v)
    yield "coriolis_in_three_forms", rate @ s.v - quadratic / 2, C @ s.v

    work = s.v @ (left - R)
    by_t = float(np.ravel(_by_time(s, is_bare))[0])
    E = motion["T"] + motion["V"]
    yield "energy_balance", np.array([E.b]), np.array([work - by_t])
    # d/dt (q̇ᵀp - L)
    L = lagrangian(given["motion"], motion)
    jacobi_rate = s.a @ momentum + s.v @ slopes(L_v, n, "d") - L.b
    yield "jacobi_balance", np.array([jacobi_rate]), np.array([work - by_t])

    if data["multipliers"]:
        yield from _constraints(s, motion, given, n)
    if "Y" in motion:
        yield "linear_in_parameters", array(motion["Y"]) @ array(motion["theta"]), left
    if "squares" in motion:
        squares = array(motion["squares"])
        sizes = np.array([squares[:, 0] @ squares[:, 1] ** 2]) if len(squares) else np.zeros(1)
        yield "mass_matrix_is_nonnegative", sizes, np.array([s.v @ M @ s.v])
    for code in data.get("code", []):
        yield from _code(s, code, motion, left)


def _hessian(s: State, is_bare: bool) -> np.ndarray:
    """Return ∂²L/∂q̇², one column at a time."""
    part, name = ("description", "lagrangian") if is_bare else ("claimed", "T")
    program, index = s.data[part]["program"], s.data[part][name]
    columns = []
    for k in range(s.n):
        symbols = {x: Jet(value) for x, value in s.at.items()}
        for j, x in enumerate(s.q):
            symbols[x + ".dot"] = Jet(s.v[j], np.eye(s.n)[j], float(j == k), np.zeros(s.n))
        columns.append(np.broadcast_to(run(program, symbols)[index].d, (s.n,)))
    return np.array(columns).T


def _by_time(s: State, is_bare: bool) -> Any:
    """Return ∂L/∂t."""
    symbols = {x: Jet(value) for x, value in s.at.items()}
    symbols["t"] = Jet(s.at["t"], 1.0)
    if is_bare:
        part = s.data["description"]
        return run(part["program"], symbols)[part["lagrangian"]].b
    part = s.data["claimed"]
    values = run(part["program"], symbols)
    return (values[part["T"]] - values[part["V"]]).b


def _constraints(s: State, motion: Any, given: Any, n: int) -> Iterator[Any]:
    claim = "constraints"
    A, Ad = array(motion["A"]), array(motion["Ad"])
    b, bd = array(motion["drift"]), array(motion["drift_rate"])
    held, rolling = given["motion"]["constraints"], given["motion"]["velocity_constraints"]
    yield claim, array(motion["a"]), array(held)
    rates = np.concatenate([array(held, "b"), array(rolling)])
    seconds = np.concatenate([array(held, "d"), array(rolling, "b")])
    yield claim, A @ s.v + b, rates
    yield claim, A @ s.a + Ad @ s.v + bd, seconds
    yield claim, array(motion["A"], "b"), Ad
    yield claim, array(motion["drift"], "b"), bd
    by_q = slopes(given["q"]["constraints"], n).reshape(-1, n)
    by_v = slopes(given["v"]["velocity_constraints"], n).reshape(-1, n)
    yield claim, A, np.concatenate([by_q, by_v])


def _code(s: State, code: Data, motion: Any, left: np.ndarray) -> Iterator[Any]:
    claim = "code_computes_the_equations"
    symbols = {x: Jet(value) for x, value in s.at.items()}
    found = shaped(code, run(code["program"], symbols))
    M, forces = array(motion["M"]), array(motion["forces"])
    match code["function"]:
        case "mass_matrix":
            yield claim, array(found["M"]), M
        case "inverse_dynamics":
            yield claim, array(found["tau"]), left
        case "inverse_dynamics_with_friction":
            idle = State(s.data, random.Random(0))
            idle.at = s.at | dict.fromkeys(s.data["inputs"], 0.0)
            part = s.data["claimed"]
            values = run(part["program"], {x: Jet(value) for x, value in idle.at.items()})
            yield claim, array(found["tau"]), left - array([values[i] for i in part["forces"]])
        case "forward_dynamics":
            qdd, lam = array(found["qdd"]), array(found["lam"])
            A = array(motion["A"]).reshape(len(lam), s.n)
            # apart, as large parts may cancel
            yield claim, M @ qdd, forces + A.T @ lam - array(motion["C"]) @ s.v - array(motion["N"])


def _indefinite(data: Data, draw: random.Random, is_strict: bool) -> float:
    """Return how far M is from positive where just the listed parameters are positive."""
    worst = 0.0
    for _ in range(4 * STATES):
        s = State(data, draw, signs=True)
        M = array(s.part("claimed", "motion")["M"])
        if np.isfinite(M).all():
            values = np.linalg.eigvalsh((M + M.T) / 2)
            size = max(1.0, float(np.abs(values).max()))
            least = float(values.min()) / size
            worst = max(worst, -least, 1.0 if is_strict and least <= 1e-15 else 0.0)
    return worst
