"""Certificates: the very programs that are compiled compute the Euler–Lagrange equations.

Each program, after all passes, is run once more in exact arithmetic and compared with what the
equations say (`expected`), which knows no programs. Polynomial functions of small descriptions run
over the ring of the equations, where equal means identical; whatever divides, or would grow too
large, runs over prime fields at random points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import InvalidExpression, TooLarge, Undecided
from dalembert.expr import Expr, jacobian, time
from dalembert.kernel.passes.sort_operands import sort_operands
from dalembert.kernel.program.program import Port, Program
from dalembert.kernel.program.trace import trace
from dalembert.mechanics.proofs.proof import Proof, Proofs
from dalembert.mechanics.proofs.properties import IDENTICAL
from dalembert.model.certificates.claims import Claim, counterexample, judge
from dalembert.model.certificates.defined import DefinedNowhere, lost_by
from dalembert.model.certificates.evaluation import Evaluation, Numbers
from dalembert.model.certificates.expected.base import Promise
from dalembert.model.certificates.in_ring import run_in_ring
from dalembert.model.certificates.pivots import pivots
from dalembert.model.certificates.rounding.functions import ULPS
from dalembert.model.certificates.rounding.rounding import rounding_of
from dalembert.model.certificates.signature import fault_of
from dalembert.recursions.constraints.closures import groups_of

if TYPE_CHECKING:
    from dalembert.model.certificates.expected.in_ring import InRing
    from dalembert.model.certificates.expected.on_graph import OnGraph
    from dalembert.model.model import Model

SOLUTIONS = {
    "forward_dynamics": "q̈ that solves the equations of motion",
    "constraint_dynamics": "q̈ and λ that solve the equations of motion",
    "forward_dynamics_derivatives": "∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂u",
}
"""Functions that the equations determine implicitly: results are put into them."""
REFERENCES = {"constraint_dynamics": "forward_dynamics"}
"""What a function is compared with where that is not the function of the same name."""
NOWHERE = "the program was found to have values at no state"
ROUNDING_WORK = 6_000
"""Instructions that the search for a bound on rounding may look at, beside a proof."""


def prove_model(model: Model) -> list[Proof]:
    """Return one proof for each function that the equations of motion determine.

    >>> import dalembert as da
    >>> model = da.compile(da.textbook.robots.planar_arm_nr(2))
    >>> print(prove_model(model)[0])  # doctest: +ELLIPSIS
    ✓ the program of mass_matrix computes M
        run over the ring of the exact equations: canonical forms identical
        rounding: |error| ≤ ... for |q| ≤ π, 0.5 ≤ parameters ≤ 2
    """
    certifier = Certifier(model)
    return Proofs(certifier.prove(name) for name in certifier.names)


class _Difference(NamedTuple):
    """Where two forms differ, and whether it is certain that they are unequal."""

    place: str
    is_sure: bool


class Certifier:
    """Judge programs of one model by its equations of motion, which are made when first needed."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.symbols = model.symbols
        self._references: dict[str, Program] = {}

    @property
    def names(self) -> list[str]:
        """The functions of this model that can be judged."""
        names = [*self.graph.names, "forward_dynamics"]
        if self.model.description.has_constraints:
            names.append("constraint_dynamics")
        elif self.graph.has_coordinates:
            names.append("forward_dynamics_derivatives")
        return names

    def prove(self, name: str, program: Program | None = None) -> Proof:
        """Return the proof about the program of a function, or about another that claims to be."""
        program = self.model.kernel(name).program if program is None else program
        promise = self._promise(name)
        statement = f"the program of {name} computes {promise.statement}"
        fault = fault_of(program, promise, self._sizes, self._extra_inputs)
        if fault is not None:
            return Proof(statement, "refuted", fault)
        proof = self._verdict(statement, name, program)
        if not proof.is_proved:
            return proof
        try:
            where = lost_by(program, self._reference(REFERENCES.get(name, name)), self._inputs)
        except DefinedNowhere:
            return replace(proof, verdict="undecided", method=NOWHERE)
        return replace(proof.under(where), notes=self._notes(program))

    def _verdict(self, statement: str, name: str, program: Program) -> Proof:
        match name:
            case "forward_dynamics" | "constraint_dynamics":
                return self._solves(statement, program)
            case "forward_dynamics_derivatives":
                return self._solves_derivatives(statement, program)
            case "coriolis" if not self.graph.has_coordinates:
                return self._computes_product(statement, program)
            case _:
                return self._computes(statement, name, program)

    def _notes(self, program: Program) -> tuple[str, ...]:
        """Return what exact arithmetic does not tell: how far the floats are off."""
        if self.model.backend not in ULPS:
            return (f"rounding: not known on {self.model.backend}",)
        if self.model.dtype != "float64":
            return (f"rounding: not known in {self.model.dtype}",)
        rounding = rounding_of(self.model, program, work=ROUNDING_WORK)
        return (f"rounding: {rounding}",)

    # ---- what functions promise

    def _promise(self, name: str) -> Promise:
        if name not in SOLUTIONS:
            return self.graph.promise(name)
        takes = ("q", "qd", self.graph.force_name)
        gives = {"qdd": "v"}
        if name == "constraint_dynamics":
            gives["lam"] = "c"
        elif name == "forward_dynamics_derivatives":
            gives = {"dqdd_dq": "v v", "dqdd_dv": "v v", self.graph.response_name: "v u"}
        return Promise(SOLUTIONS[name], takes, gives)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        q, qd, _, u, _ = self.symbols
        return {"q": len(q), "v": len(qd), "u": len(u), "c": len(self.graph.multipliers)}

    @cached_property
    def _extra_inputs(self) -> list[Port]:
        """The time and the open parameters, which every function takes after its own inputs."""
        extra = [Port("t", ())] if self.model.description.is_timed else []
        count = len(self.symbols.parameters)
        return [*extra, Port("parameters", (count,))] if count else extra

    @cached_property
    def _inputs(self) -> dict[str, Sequence[Expr]]:
        """The symbols that stand for each input of a program."""
        q, qd, qdd, u, parameters = self.symbols
        return {
            "q": q,
            "qd": qd,
            "qdd": qdd,
            "tau": u,
            "u": u,
            "t": (time,),
            "parameters": parameters,
            "lam": self.graph.multipliers,
        }

    # ---- what programs are compared with

    @cached_property
    def graph(self) -> OnGraph:
        """The equations on the graph."""
        return self.model.description.expected_on_graph()

    @cached_property
    def ring(self) -> InRing | None:
        """The exact equations, where they are small and say the same as the model."""
        try:
            return self.model.description.expected_in_ring()
        except TooLarge:
            return None

    def _reference(self, name: str) -> Program:
        """Return the program that a function is compared with, traced without any pass."""
        if name not in self._references:
            self._references[name] = self._traced(name)
        return self._references[name]

    def _traced(self, name: str) -> Program:
        graph, (q, qd, qdd, u, parameters) = self.graph, self.symbols
        lam: Sequence[Expr] = graph.multipliers
        match name:
            case "forward_dynamics":
                outputs = {"r": [*graph.residual, *graph.constraints]}
            case "constraints":
                assert graph.A is not None
                outputs, lam = {"M": graph.M, "A": list(graph.A)}, ()
            case "forward_dynamics_derivatives":
                sides = {"q": q, "v": qd, "u": u}
                slopes = {
                    x: list(jacobian(graph.residual, symbols)) for x, symbols in sides.items()
                }
                outputs = {"M": graph.M, **slopes}
            case _:
                outputs, lam = graph.outputs(name), ()
        inputs = {"q": q, "qd": qd, "qdd": qdd, "u": u, "t": [time]}
        # a program has no empty inputs
        inputs |= {x: s for x, s in (("parameters", parameters), ("lam", lam)) if s}
        return sort_operands(trace("reference", inputs, outputs))

    # ---- explicit functions

    def _computes(self, statement: str, name: str, program: Program) -> Proof:
        """Compare output by output: in the ring, else over fields."""
        found = None if self.ring is None else self._difference_in_ring(self.ring, name, program)
        method = "run over the ring of the exact equations"
        if found is not None and not found.place:
            return Proof(statement, "proved", f"{method}: {IDENTICAL}")
        reference = self._reference(name)

        def residual(at: Evaluation) -> Numbers:
            found, expected = at.run(program), at.run(reference)
            return [
                x - y
                for port, values in expected.items()
                for x, y in zip(found[port], values, strict=True)
            ]

        claim = self._claim(statement, residual, [program, reference])
        # in a ring with relations that it does not know, other forms need not differ
        if found is not None and self.ring is not None:
            point = counterexample(claim)
            if point is not None or found.is_sure:
                return Proof(statement, "refuted", f"{method}: {found.place} differs", (), point)
        return judge(claim)

    def _difference_in_ring(self, ring: InRing, name: str, program: Program) -> _Difference | None:
        """Return the first entry that may differ, without a place if none does; None if unknown."""
        if name not in ring.names:
            return None
        try:
            found = run_in_ring(program, self._inputs, ring.ring)
            for port, values in ring.outputs(name).items():
                for k, (x, y) in enumerate(zip(found[port], values, strict=True)):
                    difference = x - y
                    if not difference.is_surely_zero:
                        return _Difference(f"{port}[{k}]", difference.is_surely_nonzero)
        except (TooLarge, Undecided, InvalidExpression, ZeroDivisionError):
            # too large, or a program that the ring cannot run
            return None
        return _Difference("", True)

    def _computes_product(self, statement: str, program: Program) -> Proof:
        """Compare C q̇ with the bias without weight, springs and friction."""
        reference = self._reference("coriolis")
        n = len(self.symbols.qd)

        def residual(at: Evaluation) -> Numbers:
            C, Cv = at.run(program)["C"], at.run(reference)["Cv"]
            v = [at.value(x) for x in self.symbols.qd]
            products = (sum(C[i * n + j] * v[j] for j in range(n)) for i in range(n))
            return [x - y for x, y in zip(products, Cv, strict=True)]

        return self._judge(statement, residual, [program, reference])

    # ---- implicit functions

    def _solves(self, statement: str, program: Program) -> Proof:
        """Put q̈ (and λ) into the equations: they must vanish for every torque."""
        reference = self._reference("forward_dynamics")
        qdd, lam, n = self.symbols.qdd, self.graph.multipliers, len(self.symbols.qd)
        if not lam:

            def residual(at: Evaluation) -> Numbers:
                at.set_values(qdd, at.run(program)["qdd"])
                return at.run(reference)["r"]

            return self._judge(statement, residual, [program, reference])

        # the multipliers that belong to q̈
        reactions = self.model.kernel("constraint_dynamics").program
        constraints = self._reference("constraints")
        description = self.model.description
        groups, thresholds = groups_of(description.constraint_rows), description.thresholds

        def constrained_residual(at: Evaluation) -> Numbers:
            known = at.run(constraints)
            at.assume_positive(pivots(at, known["M"], known["A"], n, groups, thresholds))
            found = at.run(program)
            at.set_values(qdd, found["qdd"])
            at.set_values(lam, found["lam"] if "lam" in found else at.run(reactions)["lam"])
            return at.run(reference)["r"]

        # minors of M and A bound the degree of the pivots
        programs = [program, reactions, reference, *[constraints] * (2 * (n + len(lam)))]
        hypotheses = ("constraints independent of each other",)
        return self._judge(statement, constrained_residual, programs, hypotheses)

    def _solves_derivatives(self, statement: str, program: Program) -> Proof:
        """Differentiate r(q, q̇, q̈(q, q̇, u), u) = 0:  M ∂q̈/∂x + ∂r/∂x = 0 for x = q, q̇, u."""
        solution = self.model.kernel("forward_dynamics").program
        reference = self._reference("forward_dynamics_derivatives")
        equations = self._reference("forward_dynamics")
        n = len(self.symbols.qd)

        def residual(at: Evaluation) -> Numbers:
            at.set_values(self.symbols.qdd, at.run(solution)["qdd"])
            known = at.run(reference)
            # r = 0 itself, then its derivatives
            M, errors = known["M"], list(at.run(equations)["r"])
            for slopes, side in zip(at.run(program).values(), "qvu", strict=True):
                m = len(slopes) // n
                for i in range(n):
                    for j in range(m):
                        product = sum(M[i * n + k] * slopes[k * m + j] for k in range(n))
                        errors.append(product + known[side][i * m + j])
            return errors

        return self._judge(statement, residual, [program, solution, reference, equations])

    def _judge(
        self,
        statement: str,
        residual: Callable[[Evaluation], Numbers],
        programs: Sequence[Program],
        hypotheses: tuple[str, ...] = (),
    ) -> Proof:
        return judge(self._claim(statement, residual, programs, hypotheses))

    def _claim(
        self,
        statement: str,
        residual: Callable[[Evaluation], Numbers],
        programs: Sequence[Program],
        hypotheses: tuple[str, ...] = (),
    ) -> Claim:
        q, places = self.symbols.q, self.model.configuration.quaternions
        unit = [q[k : k + 4] for k in places]
        title, inputs = self.graph.title, self._inputs
        if unit:
            hypotheses = ("quaternions of length one", *hypotheses)
        return Claim(statement, title, residual, programs, inputs, unit, hypotheses)
