"""Certificates: the very programs that are compiled compute the Euler–Lagrange equations.

Each program, after all passes, is run once more in exact arithmetic. Polynomial functions of arms
of up to `MAX_RING_JOINTS` joints run over the ring of the equations, where equal means identical;
whatever divides, or would grow too large, runs over prime fields at random points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.errors import TooLarge
from dalembert.expr import Expr, jacobian, time
from dalembert.expr.substitute import substitute
from dalembert.kernel.passes.sort_operands import sort_operands
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.trace import lift, trace
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.proofs.properties import IDENTICAL
from dalembert.mechanism import JointKind
from dalembert.model.certificates.chance import POINTS, Odds
from dalembert.model.certificates.expected import (
    GraphWitness,
    LagrangeWitness,
    NewtonEulerWitness,
    Outputs,
    RingWitness,
    has_energies,
)
from dalembert.model.certificates.in_field import BadPoint, FieldPoint, Unit, run_over_field
from dalembert.model.certificates.in_ring import run_over_ring
from dalembert.model.formulas.mechanism import MechanismFormulas
from dalembert.ring import refute

if TYPE_CHECKING:
    from dalembert.model.model import Model

MAX_RING_JOINTS = 7
"""Beyond this the exact equations of a spatial arm have millions of terms."""
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
        run over the ring of the exact equations: canonical forms identical
    """
    certifier = Certifier(model)
    return [certifier.prove(name) for name in certifier.names]


class Certifier:
    """Witnesses of one model, made when first needed, to judge programs by."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.formulas: Any = model.description
        self._witnesses: dict[str, Program] = {}
        f = self.formulas
        self.inputs: dict[str, Sequence[Expr]] = {
            "q": f.q,
            "qd": f.v,
            "qdd": f.a,
            "tau": f.u,
            "u": f.u,
            "t": (time,),
            "parameters": f.symbols.parameters,
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

    def _expected(self, name: str) -> Outputs:
        """Return what a function must compute, as expressions."""
        outputs = self.graph.expected(name)
        assert outputs is not None, name
        return outputs

    def _witness(self, name: str) -> Program:
        """Return the program that a function is compared with, traced without any pass."""
        if name not in self._witnesses:
            self._witnesses[name] = self._traced(name)
        return self._witnesses[name]

    def _traced(self, name: str) -> Program:
        graph, f = self.graph, self.formulas
        lam = list(graph.multipliers)
        match name:
            case "forward_dynamics" | "constraint_dynamics":
                outputs: Outputs = {"r": [*graph.residual, *graph.constraints]}
            case "forward_dynamics_derivatives":
                outputs = {"M": graph.M}
                for side, symbols in (("q", f.q), ("v", f.v), ("u", f.u)):
                    outputs[side] = list(jacobian(graph.residual, symbols))
            case _:
                outputs, lam = self._expected(name), []
        inputs: dict[str, Any] = {"q": f.q, "qd": f.v, "qdd": f.a, "u": f.u, "t": [time]}
        if f.symbols.parameters:
            inputs["parameters"] = f.symbols.parameters
        if lam:
            inputs["lam"] = lam
        return sort_operands(trace("witness", inputs, outputs))

    # ---- explicit functions

    def _computes(self, statement: str, name: str, program: Program) -> Proof:
        """Compare output by output: in the ring, else over fields."""
        try:
            proof = self._computes_in_ring(statement, name, program)
        except TooLarge:
            proof = None
        if proof is not None:
            return proof
        witness = self._witness(name)

        def residual(point: FieldPoint) -> list[int]:
            found, expected = self._run(program, point), self._run(witness, point)
            return [
                (x - y) % point.p
                for port, values in expected.items()
                for x, y in zip(found[port], values, strict=True)
            ]

        def differences() -> list[Expr]:
            lifted = self._lift(program)
            return [
                x - y
                for port, values in self._expected(name).items()
                for x, y in zip(lifted[port], values, strict=True)
            ]

        return self._judge(statement, residual, [program, witness], differences)

    def _computes_in_ring(self, statement: str, name: str, program: Program) -> Proof | None:
        """Compare canonical forms; None without a ring, or where it does not know the function."""
        expected = self.ring.expected(name) if self.ring else None
        if self.ring is None or expected is None:
            return None
        found = run_over_ring(program, self.inputs, self.ring.ring)
        method = "run over the ring of the exact equations"
        for port, values in expected.items():
            for k, (x, y) in enumerate(zip(found[port], values, strict=True)):
                if (x - y).is_zero:
                    continue
                point = refute(self._lift(program)[port][k] - self._expected(name)[port][k])
                certain = point is not None or self.ring.ring.is_complete
                verdict = "refuted" if certain else "undecided"
                return Proof(
                    statement, verdict, f"{method}: {port}[{k}] differs", counterexample=point
                )
        return Proof(statement, "proved", f"{method}: {IDENTICAL}")

    def _coriolis_product(self, program: Program) -> Proof:
        """Compare C q̇ with the bias without weight, springs and friction."""
        witness = self._witness("coriolis")
        n = len(self.formulas.v)

        def residual(point: FieldPoint) -> list[int]:
            C, Cv = self._run(program, point)["C"], self._run(witness, point)["Cv"]
            v = [point.value(x) for x in self.formulas.v]
            products = (sum(C[i * n + j] * v[j] for j in range(n)) for i in range(n))
            return [(x - y) % point.p for x, y in zip(products, Cv, strict=True)]

        statement = "the program of coriolis computes C with C q̇ = h - g"
        return self._judge(statement, residual, [program, witness])

    # ---- implicit functions

    def _solves(self, statement: str, program: Program) -> Proof:
        """Put q̈ (and λ) into the equations: they must vanish for every torque."""
        witness = self._witness("forward_dynamics")
        lam = self.graph.multipliers
        # the multipliers that belong to q̈
        reactions = self.model.kernel("constraint_dynamics").program if lam else None

        def residual(point: FieldPoint) -> list[int]:
            found = self._run(program, point)
            point.set_values(self.formulas.a, found["qdd"])
            if reactions is not None:
                point.set_values(lam, found.get("lam") or self._run(reactions, point)["lam"])
            return self._run(witness, point)["r"]

        def equations() -> list[Expr]:
            values = dict(zip(self.formulas.a, self._lift(program)["qdd"], strict=True))
            return [] if lam else substitute(self.graph.residual, values)

        hypotheses = ("constraints independent of each other",) if lam else ()
        if lam and any(x.op == "sign" for x in witness.code):
            hypotheses += ("dry friction at positive velocities",)
        programs = [x for x in (program, reactions, witness) if x is not None]
        return self._judge(statement, residual, programs, equations, hypotheses)

    def _slopes(self, statement: str, program: Program) -> Proof:
        """Differentiate r(q, q̇, q̈(q, q̇, u), u) = 0:  M ∂q̈/∂x + ∂r/∂x = 0 for x = q, q̇, u."""
        f = self.formulas
        solution = self.model.kernel("forward_dynamics").program
        witness = self._witness("forward_dynamics_derivatives")
        n = len(f.q)

        def residual(point: FieldPoint) -> list[int]:
            point.set_values(f.a, self._run(solution, point)["qdd"])
            known = self._run(witness, point)
            M, errors = known["M"], []
            for slopes, side in zip(self._run(program, point).values(), "qvu", strict=True):
                m = len(slopes) // n
                for i in range(n):
                    for j in range(m):
                        product = sum(M[i * n + k] * slopes[k * m + j] for k in range(n))
                        errors.append((product + known[side][i * m + j]) % point.p)
            return errors

        return self._judge(statement, residual, [program, solution, witness])

    # ---- random points

    def _run(self, program: Program, point: FieldPoint) -> dict[str, list[int]]:
        return run_over_field(program, {**self.inputs, "lam": self.graph.multipliers}, point)

    def _lift(self, program: Program) -> dict[str, list[Expr]]:
        return lift(program, {port.name: self.inputs[port.name] for port in program.inputs})

    def _judge(
        self,
        statement: str,
        residual: Residual,
        programs: Sequence[Program],
        expressions: Callable[[], list[Expr]] = list,
        hypotheses: tuple[str, ...] = (),
    ) -> Proof:
        """Return the proof that a residual vanishes, from random points.

        ``expressions`` must vanish too: they are tried where a field does not decide.
        """
        seen = 0
        signs = 1 if hypotheses else None
        odds = Odds.of(programs, unit=1)
        for attempt in range(TRIES):
            point = FieldPoint(SEED + attempt, odds.unit, bits=odds.bits, signs=signs)
            for quaternion in _quaternions(self.formulas):
                point.set_unit_vector(quaternion)
            try:
                errors = residual(point)
            except BadPoint:
                continue
            except Unit as finer:
                odds = Odds.of(programs, math.lcm(odds.unit, finer.denominator))
                continue
            if any(errors):
                if point.is_algebraic:
                    method = f"differs at a random point of a prime field of {odds.bits} bits"
                    return Proof(statement, "refuted", method, hypotheses)
                found = (refute(e) for e in expressions())
                witness = next((x for x in found if x is not None), None)
                if witness is not None:
                    method = "differs at a rational point, in ball arithmetic"
                    return Proof(statement, "refuted", method, hypotheses, witness)
                method = "differs at a random point where functions stand for their tables"
                return Proof(statement, "undecided", method, hypotheses)
            seen += 1
            if seen == POINTS:
                method = f"equal to {self.graph.title}, {odds}"
                return Proof(statement, "proved", method, hypotheses)
        method = f"every one of {TRIES} random points is a pole or has no root"
        return Proof(statement, "undecided", method, hypotheses)


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
