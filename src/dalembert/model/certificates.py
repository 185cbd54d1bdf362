"""Certificates: the very programs that are compiled compute the Euler–Lagrange equations.

Each program, after all passes, is run once more in exact arithmetic. Polynomial functions of arms
of up to `MAX_RING_JOINTS` joints run over the ring of the equations, where equal means identical;
whatever divides, or would grow too large, runs over prime fields at random points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.errors import TooLarge
from dalembert.expr import Expr, jacobian, time
from dalembert.kernel.program import Program
from dalembert.kernel.trace import trace
from dalembert.mechanics.proof import Proof
from dalembert.mechanics.proofs import identity
from dalembert.mechanism import JointKind
from dalembert.model.degrees import degree_bound, height_bound
from dalembert.model.mechanism_formulas import MechanismFormulas
from dalembert.model.over_field import BITS, BadPoint, FieldPoint, Unit, run_over_field
from dalembert.model.over_ring import run_over_ring
from dalembert.model.witness import (
    GraphWitness,
    LagrangeWitness,
    NewtonEulerWitness,
    Outputs,
    RingWitness,
    has_energies,
)

if TYPE_CHECKING:
    from dalembert.model.model import Model

MAX_RING_JOINTS = 7
"""Beyond this the exact equations of a spatial arm have millions of terms."""
POINTS = 2
PRIMES = 1 << 118
"""Primes p = 3 mod 4 of 127 bits: there are more, about 2^126 / (2 ln 2^127)."""
TRIES = 20
SEED = 1788

STATEMENTS = {
    "mass_matrix": "M",
    "coriolis": "C of the Christoffel symbols",
    "gravity": "g = ∂V/∂q",
    "bias": "h = C q̇ + N",
    "inverse_dynamics": "τ = M q̈ + C q̇ + N",
    "applied_forces": "Υ",
    "kinetic_energy": "T",
    "potential_energy": "V",
    "energy": "T + V",
    "inverse_dynamics_derivatives": "∂τ/∂q, ∂τ/∂q̇ and M",
    "forward_dynamics": "q̈ that solves the equations of motion",
    "constraint_dynamics": "q̈ and λ that solve the equations of motion",
    "forward_dynamics_derivatives": "∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂u",
}

Residual = Callable[[FieldPoint], list[int]]


def prove_model(model: Model) -> list[Proof]:
    """Return one proof for each function that the equations of motion determine.

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.planar_arm_nr(2))
    >>> print(prove_model(model)[0])
    ✓ the program of mass_matrix computes M
        run over the ring and compared with the canonical form of the exact equations
    """
    certifier = Certifier(model)
    return [certifier.prove(name) for name in certifier.names]


class Certifier:
    """Witnesses of one model, made when first needed, to judge programs by."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.formulas: Any = model.formulas
        f = self.formulas
        self.inputs: dict[str, Sequence[Expr]] = {
            "q": f.q,
            "qd": f.v,
            "qdd": f.a,
            "tau": f.u,
            "u": f.u,
            "t": (time,),
            "parameters": f.parameters,
        }

    @property
    def names(self) -> list[str]:
        """The functions of this model that can be judged."""
        f = self.formulas
        absent = set() if has_energies(f) else {"kinetic_energy", "potential_energy"}
        if isinstance(f, MechanismFormulas):
            absent.add("applied_forces")
            is_free = not (f.mechanism.loops or f.mechanism.couplings)
        else:
            is_free = not (f.system.constraints or f.system.velocity_constraints)
        if not self._has_coordinates:
            absent |= {"inverse_dynamics_derivatives", "forward_dynamics_derivatives"}
        absent.add("constraint_dynamics" if is_free else "forward_dynamics_derivatives")
        return [name for name in STATEMENTS if name not in absent]

    def prove(self, name: str, program: Program | None = None) -> Proof:
        """Return the proof about the program of a function, or about another that claims to be."""
        program = self.model.kernel(name).program if program is None else program
        statement = f"the program of {name} computes {STATEMENTS[name]}"
        match name:
            case "forward_dynamics" | "constraint_dynamics":
                return self._solves(statement, program)
            case "forward_dynamics_derivatives":
                return self._slopes(statement, program)
            case "coriolis" if not self._has_coordinates:
                return self._coriolis_product(program)
            case _:
                return self._computes(statement, name, program)

    # ---- witnesses

    @cached_property
    def _has_coordinates(self) -> bool:
        return len(self.formulas.q) == len(self.formulas.v)

    @cached_property
    def graph(self) -> GraphWitness:
        """The equations on the graph."""
        if self._has_coordinates:
            return LagrangeWitness(self.formulas)
        return NewtonEulerWitness(self.formulas)

    @cached_property
    def ring(self) -> RingWitness | None:
        """The exact equations, where they are small and say the same as the model."""
        f = self.formulas
        if not self._has_coordinates:
            return None
        if isinstance(f, MechanismFormulas) and (
            len(f.q) > MAX_RING_JOINTS or f.smoothing is not None
        ):
            return None
        try:
            return RingWitness(f)
        except TooLarge:
            return None

    # ---- explicit functions

    def _computes(self, statement: str, name: str, program: Program) -> Proof:
        """Compare output by output: in the ring, else over fields."""
        try:
            expected = self.ring.expected(name) if self.ring else None
            if self.ring and expected:
                found = run_over_ring(program, self.inputs, self.ring.ring)
                differences = [
                    x - y
                    for port, values in expected.items()
                    for x, y in zip(found[port], values, strict=True)
                ]
                method = (
                    "run over the ring and compared with the canonical form of the exact equations"
                )
                return identity(self.ring.ring, statement, differences, method)
        except TooLarge:
            pass
        outputs = self.graph.expected(name)
        assert outputs is not None
        witness = self._trace(outputs)

        def residual(point: FieldPoint) -> list[int]:
            return _differences(self._run(program, point), self._run(witness, point), point.p)

        return self._judge(statement, residual, [program, witness])

    def _coriolis_product(self, program: Program) -> Proof:
        """Compare C q̇ with the bias without weight, springs and friction."""
        expected = self.graph.expected("coriolis")
        assert expected is not None
        witness = self._trace(expected)
        n = len(self.formulas.v)

        def residual(point: FieldPoint) -> list[int]:
            C, Cv = self._run(program, point)["C"], self._run(witness, point)["Cv"]
            v = [point.value(x) for x in self.formulas.v]
            return [
                (sum(C[i * n + j] * v[j] for j in range(n)) - Cv[i]) % point.p for i in range(n)
            ]

        statement = "the program of coriolis computes C with C q̇ = h - g"
        return self._judge(statement, residual, [program, witness])

    # ---- implicit functions

    def _solves(self, statement: str, program: Program) -> Proof:
        """Put q̈ (and λ) into the equations: they must vanish for every torque."""
        graph = self.graph
        lam = list(graph.multipliers)
        witness = self._trace({"r": [*graph.residual, *graph.constraints]}, lam)
        # the multipliers that belong to q̈
        reactions = self.model.kernel("constraint_dynamics").program if lam else None

        def residual(point: FieldPoint) -> list[int]:
            found = self._run(program, point)
            point.set_values(self.formulas.a, found["qdd"])
            if reactions is not None:
                multipliers = found.get("lam") or self._run(reactions, point)["lam"]
                point.set_values(lam, multipliers)
            return self._run(witness, point, lam)["r"]

        hypotheses = ("constraints independent of each other",) if lam else ()
        programs = [x for x in (program, reactions, witness) if x is not None]
        return self._judge(statement, residual, programs, hypotheses)

    def _slopes(self, statement: str, program: Program) -> Proof:
        """Differentiate r(q, q̇, q̈(q, q̇, u), u) = 0:  M ∂q̈/∂x + ∂r/∂x = 0 for x = q, q̇, u."""
        graph, f = self.graph, self.formulas
        solution = self.model.kernel("forward_dynamics").program
        sides = {"q": f.q, "v": f.v, "u": f.u}
        outputs = {name: list(jacobian(graph.residual, x)) for name, x in sides.items()}
        witness = self._trace({**outputs, "M": graph.M})
        n = len(f.q)

        def residual(point: FieldPoint) -> list[int]:
            point.set_values(f.a, self._run(solution, point)["qdd"])
            slopes = list(self._run(program, point).values())
            known = self._run(witness, point)
            M, errors = known["M"], []
            for found, name in zip(slopes, sides, strict=True):
                m = len(sides[name])
                for i in range(n):
                    for j in range(m):
                        product = sum(M[i * n + k] * found[k * m + j] for k in range(n))
                        errors.append((product + known[name][i * m + j]) % point.p)
            return errors

        return self._judge(statement, residual, [program, solution, witness])

    # ---- random points

    def _trace(self, outputs: Mapping[str, Any], more: Sequence[Expr] = ()) -> Program:
        f = self.formulas
        inputs: dict[str, Any] = {"q": f.q, "qd": f.v, "qdd": f.a, "u": f.u, "t": [time]}
        if f.parameters:
            inputs["parameters"] = f.parameters
        if more:
            inputs["lam"] = more
        return trace("witness", inputs, outputs)

    def _run(
        self, program: Program, point: FieldPoint, lam: Sequence[Expr] = ()
    ) -> dict[str, list[int]]:
        return run_over_field(program, {**self.inputs, "lam": lam}, point)

    def _judge(
        self,
        statement: str,
        residual: Residual,
        programs: Sequence[Program],
        hypotheses: tuple[str, ...] = (),
    ) -> Proof:
        """Return the proof that a residual vanishes, from random points."""
        unit, seen = 1, 0
        signs = 1 if hypotheses else None
        for attempt in range(TRIES):
            point = FieldPoint(SEED + attempt, unit, signs)
            for quaternion in _quaternions(self.formulas):
                point.set_unit_vector(quaternion)
            try:
                errors = residual(point)
            except BadPoint:
                continue
            except Unit as finer:
                unit = math.lcm(unit, finer.denominator)
                continue
            if any(errors):
                if point.is_algebraic:
                    method = f"differs at a random point of a prime field of {BITS} bits"
                    return Proof(statement, "refuted", method, hypotheses)
                method = "differs at a random point where functions stand for their tables"
                return Proof(statement, "undecided", method, hypotheses)
            seen += 1
            if seen == POINTS:
                method = self._confidence(programs, unit)
                return Proof(statement, "proved", method, hypotheses)
        method = f"every one of {TRIES} random points is a pole or has no root"
        return Proof(statement, "undecided", method, hypotheses)

    def _confidence(self, programs: Sequence[Program], unit: int) -> str:
        degree = sum(degree_bound(x, unit) for x in programs)
        height = sum(height_bound(x, unit) for x in programs)
        # a point on the zeros of the difference, or a prime that divides all its coefficients
        chance = Fraction(degree, 1 << (BITS - 1)) + Fraction(height // (BITS - 1) + 1, PRIMES)
        # twice, because poles were left out
        bits = POINTS * ((1 / (2 * chance)).__floor__().bit_length() - 1)
        return (
            f"equal to {self.graph.title}, at {POINTS} random points of random prime fields of "
            f"{BITS} bits; degree at most {degree:,}, coefficients of at most {height:,} bits: "
            f"the chance of error is below 2^-{bits} (Schwartz–Zippel)"
        )


def _differences(a: Outputs, b: Outputs, p: int) -> list[int]:
    return [(x - y) % p for port, ys in b.items() for x, y in zip(a[port], ys, strict=True)]


def _quaternions(formulas: Any) -> list[Sequence[Expr]]:
    """Return the symbols of every unit quaternion of the configuration."""
    if not isinstance(formulas, MechanismFormulas):
        return []
    sizes = {JointKind.SPHERICAL, JointKind.FLOATING}
    return [
        [formulas.q[i] for i in node.positions[-4:]]
        for node in formulas.tree.nodes
        if node.joint.kind in sizes
    ]
