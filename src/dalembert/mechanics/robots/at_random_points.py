"""Proofs about mechanisms whose equations are too large to expand, at random points.

The equations are those of `robots.equations`: M of the composite inertias, C of the Christoffel
symbols of M, N of potential and dissipation. They are evaluated over prime fields, and compared
with Lagrange's equations of the energies and with the recursions.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from dalembert.errors import Undecided
from dalembert.expr import ZERO, Matrix, as_expr
from dalembert.mechanics.points.field import POINTS, FieldPoint, null_space
from dalembert.mechanics.proofs.constraints import freedoms
from dalembert.mechanics.proofs.links import link_hypotheses, unresisted
from dalembert.mechanics.proofs.mass_matrix import Gram, definiteness, positivity
from dalembert.mechanics.proofs.on_domain import on_domain
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.robots.equations import applied_torques
from dalembert.mechanics.robots.written import AtPoint, Written, rows_of
from dalembert.mechanics.system.system import System
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.tree import Tree

TRIES = 5
GRAM = "M = Σ JᵀWJ"

Residuals = dict[str, list[int]]
"""What must vanish, by statement."""


class Seen(NamedTuple):
    """The statements that were tried at random points, and those that failed."""

    statements: list[str]
    wrong: set[str]
    has_tables: bool
    method: str

    def proof(self, statement: str) -> Proof:
        """Return the verdict on a statement."""
        if statement not in self.wrong:
            return Proof(statement, "proved", self.method)
        if self.has_tables:
            method = "the two sides differ at a random point, where functions are random tables"
            return Proof(statement, "undecided", method)
        method = "the two sides differ at a random point of a prime field"
        return Proof(statement, "refuted", method)


def prove_at_random_points(system: System, tree: Tree) -> list[Proof]:
    """Return the proofs for a mechanism of scalar joints.

    Raises:
        Undecided: the equations are no polynomials in symbols, sines and cosines.
    """
    seen = look(Written(system, tree, applied_torques(tree)))
    M = Matrix([[as_expr(x) for x in row] for row in mass_matrix(tree, system.coordinates)])
    gram = Gram(
        f"the links: {seen.method}",
        link_hypotheses(tree),
        lambda: GRAM not in seen.wrong,
        lambda: not unresisted(tree),
    )
    positive = positivity(M, lambda: gram, lambda: False)
    definite = definiteness(M, positive, lambda: ("where det M ≠ 0", ()), _seems_singular)
    proofs = [seen.proof(name) for name in seen.statements if name != GRAM]
    if system.constraints:
        proofs = [p.under(("A q̇ = 0",)) if p.statement.startswith("dE/dt") else p for p in proofs]
    proofs += [positive.proof, *([definite] if definite is not None else [])]
    return on_domain(system, proofs)


def _seems_singular() -> Proof:
    return Proof("M ≻ 0", "undecided", "no point was found where det M is certainly not zero")


def look(written: Written) -> Seen:
    """Evaluate all residuals at random points: fresh ones, which nobody can foresee."""
    method = str(written.size())
    rng = random.SystemRandom()
    points, wrong, found = 0, set[str](), Residuals()
    has_tables = False
    for _ in range(TRIES):
        point = FieldPoint(rng)
        try:
            found = _residuals(AtPoint(written, point))
        except ZeroDivisionError:
            continue
        wrong |= {name for name, x in found.items() if any(k % point.p for k in x)}
        has_tables |= point.has_tables
        points += 1
        if points == POINTS:
            return Seen(list(found), wrong, has_tables, method)
    raise Undecided(f"expected a point that is no pole, got none in {TRIES} tries: prove it again")


def _residuals(at: AtPoint) -> Residuals:
    """Return what must vanish at a point."""
    parts = _Parts(at)
    found = parts.of_recursions() | parts.of_lagrange() | parts.of_mass_matrix()
    return found | parts.of_constraints() if at.written.system.constraints else found


class _Parts:
    """M, Ṁ, C and the left side M q̈ + C q̇ + N at a point."""

    def __init__(self, at: AtPoint) -> None:
        self.at, self.n = at, range(at.written.n)
        n, v, a = self.n, at.v, at.a
        self.M = rows_of(at.part("M"), len(n))
        self.dM = [rows_of(at.rates({q: 1})["M"], len(n)) for q in at.written.system.coordinates]
        # 2C[k][j] = Σ_i (∂M_kj/∂q_i + ∂M_ki/∂q_j - ∂M_ij/∂q_k) q̇_i
        self.half, dM = at.point.inverse(2), self.dM
        twice_C = [
            [sum((dM[i][k][j] + dM[j][k][i] - dM[k][i][j]) * v[i] for i in n) for j in n] for k in n
        ]
        self.C = [[self.half * x for x in row] for row in twice_C]
        self.M_rate = [[sum(dM[i][k][j] * v[i] for i in n) for j in n] for k in n]
        self.Cv = [sum(self.C[k][j] * v[j] for j in n) for k in n]
        self.N = [x + y for x, y in zip(at.part("dV/dq"), at.part("dR/dv"), strict=True)]
        self.left = [sum(self.M[k][j] * a[j] for j in n) + self.Cv[k] + self.N[k] for k in n]

    def of_recursions(self) -> Residuals:
        """Return the differences from Newton and Euler's recursion and from the regressors."""
        at, n = self.at, self.n
        torque, passive, recursive = at.part("torque"), at.part("passive"), at.part("recursive C")
        of_links, of_drives = at.part("torque of links"), at.part("torque of drives")
        # τ as an input, without the dry friction that is part of Υ
        driving = [
            x - y + z
            for x, y, z in zip(self.left, at.part("forces"), at.part("applied"), strict=True)
        ]
        flat = [x for row in self.C for x in row]
        num_links, num_drives = at.written.num_links, at.written.num_drive_parameters
        return {
            "Newton–Euler recursion = Euler–Lagrange equations": [
                driving[k] + passive[k] - torque[k] for k in n
            ],
            "recursive Coriolis matrix = C of the Christoffel symbols": [
                x - y for x, y in zip(flat, recursive, strict=True)
            ],
            f"τ = Y θ with ten parameters for each of {num_links} links": [
                torque[k] - of_links[k] for k in n
            ],
            f"τ = Y θ with rotors, friction and springs, {num_drives} parameters": [
                driving[k] - of_drives[k] for k in n
            ],
        }

    def of_lagrange(self) -> Residuals:
        """Return the differences from Lagrange's equations, and from the balance of energy."""
        at, n, v = self.at, self.n, self.at.v
        moving, slope, forces = at.along_motion(), at.part("dT/dq"), at.part("forces")
        drag = at.part("dR/dv")
        power = sum(v[k] * (forces[k] - drag[k]) for k in n)
        lost = "" if at.written.system.dissipation is ZERO else " - q̇ᵀ∂R/∂q̇"
        return {
            "M q̈ + C q̇ + N = d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇, Lagrange's equations": [
                self.left[k] - (moving["momentum"][k] - slope[k] + self.N[k]) for k in n
            ],
            f"dE/dt = q̇ᵀΥ{lost} along every motion": [
                moving["E"][0] - power - sum(v[k] * (self.left[k] - forces[k]) for k in n)
            ],
        }

    def of_constraints(self) -> Residuals:
        """Return what the Jacobian of the constraints demands."""
        at, n, p = self.at, self.n, self.at.point.p
        A, A_rate = (rows_of(x, len(n)) for x in (at.part("A"), at.along_motion()["A"]))
        second = at.part("second rates")
        Z = null_space(A, len(n), p)
        return {
            "A q̈ + Ȧ q̇ + ḃ = ä": [
                sum(row[k] * at.a[k] + rate[k] * at.v[k] for k in n) - x
                for row, rate, x in zip(A, A_rate, second, strict=True)
            ],
            f"constraint forces Aᵀλ do no virtual work ({freedoms(len(Z))})": [
                sum(x * y for x, y in zip(row, z, strict=True)) for row in A for z in Z
            ],
        }

    def of_mass_matrix(self) -> Residuals:
        """Return what the properties of M and C demand."""
        at, n, v = self.at, self.n, self.at.v
        M, dM, C = self.M, self.dM, self.C
        gram = rows_of(at.part("Gram"), len(n))
        hessian = [at.rates({x: 1})["momentum"] for x in at.written.system.velocities]
        S = [[self.M_rate[k][j] - 2 * C[k][j] for j in n] for k in n]
        # Ṁ q̇ - ½ ∂(q̇ᵀM q̇)/∂q
        by_slopes = [
            sum(self.M_rate[k][j] * v[j] for j in n)
            - self.half * sum(dM[k][i][j] * v[i] * v[j] for i in n for j in n)
            for k in n
        ]
        twice_T = sum(M[k][j] * v[k] * v[j] for k in n for j in n)
        return {
            "T = ½ q̇ᵀM q̇": [2 * at.part("T")[0] - twice_T],
            "M is symmetric": [M[k][j] - M[j][k] for k in n for j in n],
            "M = ∂²L/∂q̇²": [M[k][j] - hessian[j][k] for k in n for j in n],
            GRAM: [M[k][j] - gram[k][j] for k in n for j in n],
            "Ṁ - 2C is skew-symmetric": [S[k][j] + S[j][k] for k in n for j in n],
            "the three forms of C q̇ agree": [self.Cv[k] - by_slopes[k] for k in n],
        }
