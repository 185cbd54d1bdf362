"""Equations of a mechanism as the recursions compute them: nothing is multiplied out.

A spatial arm of ten joints, or a robot with dozens of them, has more terms than memory holds. The
recursions of composite inertias and of Newton and Euler, run over symbols, give the same equations
as graphs of some thousand steps, which have names in print. `prove` decides at random points of
prime fields that they are Lagrange's.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from dalembert.expr import ZERO, Expr, as_expr, gradient, time, total
from dalembert.mechanics.equations.graph_form import GraphForm
from dalembert.mechanics.equations.lagrange import multiplier_symbols
from dalembert.mechanics.equations.text import (
    FILE_DIGITS,
    Page,
    graph_page,
    page_latex,
    page_text,
)
from dalembert.mechanics.points.compare import compare
from dalembert.mechanics.printed.read_back import known_to, words_of
from dalembert.mechanics.printed.statement import check_read_back
from dalembert.mechanics.robots.equations import system_of
from dalembert.mechanics.system.system import System
from dalembert.mechanism import Mechanism
from dalembert.reader.build import Numbers
from dalembert.reader.page import Page as ReadPage
from dalembert.reader.page import Symbols, read_latex, read_text
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.resistance.forces import dry_forces, passive_forces
from dalembert.recursions.tree import Tree
from dalembert.typeset.parts.letters import names_in


@dataclass(frozen=True, eq=False)
class RecursiveForm:
    """M q̈ + h = Υ + Aᵀλ of a mechanism, with M and h as graphs.

    Attributes:
        system: Energies, forces and constraints of the mechanism.
        graphs: M and h = C q̇ + N.
        right: Υ + Aᵀλ, one expression for each coordinate.
        page: The equations as they are printed.
    """

    system: System
    graphs: GraphForm
    right: tuple[Expr, ...]
    page: Page

    def __str__(self) -> str:
        return page_text(self.page, short=False)

    def latex(self) -> str:
        """Return an aligned block of equations with their named parts."""
        return page_latex(self.page, short=False)

    def check_print(self) -> None:
        """Read the print back, as text and LaTeX, and compare it with the recursions.

        Raises:
            EvaluationError: it cannot be read, or is read as other equations.
        """
        check_read_back(
            lambda: self._fault(str(self), read_text) or self._fault(self.latex(), read_latex)
        )

    def _fault(self, printed: str, read: Callable[[str, Symbols, Numbers], ReadPage]) -> str:
        expected = self.graphs.residuals(self.system.accelerations, self.right)
        expected += [*self.system.constraints, *self.system.velocity_constraints]
        symbols = known_to([*expected, time])
        page = read(printed, symbols, self.page.numbers)
        found = [left - right for left, right in page.equations]
        if len(found) != len(expected):
            return f"expected {len(expected)} equations, got {len(found)}"
        return words_of(compare([*zip(found, expected, strict=True)], random.SystemRandom()))


def recursive_form(mechanism: Mechanism) -> RecursiveForm:
    """Return the equations of motion of a mechanism of scalar joints as the recursions give them.

    Args:
        mechanism: Robot with sliders, hinges and mimic joints, closed loops included.

    Returns:
        The equations, M and h as graphs that share their parts.

    Raises:
        InvalidMechanism: it has spherical or floating joints; `with_euler_angles` writes them as
            scalar ones.
        MissingInertia: a link has no inertia.

    >>> from dalembert import textbook
    >>> print(recursive_form(textbook.robots.planar_arm_nr(2)).right[0])
    τ₁
    """
    tree, system = Tree.of(mechanism), system_of(mechanism)
    q, v = system.coordinates, system.velocities
    M = [[as_expr(x) for x in row[: i + 1]] for i, row in enumerate(mass_matrix(tree, q))]
    # M q̈ + h = Υ: springs and dampers belong to h, dry friction to Υ
    weight = inverse_dynamics(tree, q, v, [ZERO] * len(q))
    passive, dry = passive_forces(tree, q, v), dry_forces(tree, v, smoothing=None)
    h = [as_expr(x) - as_expr(f) + as_expr(d) for x, f, d in zip(weight, passive, dry, strict=True)]
    lam = multiplier_symbols(system)
    n = len(system.constraints)
    holonomic = [x * y for x, y in zip(lam[:n], system.constraints, strict=True)]
    rolling = [x * y for x, y in zip(lam[n:], system.velocity_constraints, strict=True)]
    pulls = zip(gradient(total(holonomic), q), gradient(total(rolling), v), strict=True)
    right = tuple(total([f, *pull]) for f, pull in zip(system.forces, pulls, strict=True))
    graphs = GraphForm(M, h)
    names = names_in([*(x for row in M for x in row), *h, *right])
    vanishing = [*system.constraints, *system.velocity_constraints]
    page = graph_page(system, graphs, names, right, vanishing, FILE_DIGITS)
    return RecursiveForm(system, graphs, right, page)
