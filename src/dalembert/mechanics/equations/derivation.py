"""The derivation of the equations as ordered steps, each a sentence with its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from dalembert.errors import UnknownName, nearest
from dalembert.expr import ZERO, BySymbol, Matrix, Notation, Scalar, Symbol
from dalembert.expr.node import printer
from dalembert.files import Path, write_whole
from dalembert.mechanics.equations.documents import html_page, latex_document, typst_document
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.routes import answers, dalembert
from dalembert.mechanics.equations.routes.bodies import Bodies
from dalembert.mechanics.equations.routes.kinematics import (
    kinetic_energies,
    kinetic_sum,
    positions,
    velocities,
    written_bodies,
)
from dalembert.mechanics.equations.routes.letters import explained as letters_explained
from dalembert.mechanics.equations.routes.letters import has_bias, own, written_form
from dalembert.mechanics.equations.routes.virtual_work import virtual_work
from dalembert.mechanics.equations.step import DerivationStep, equation_line
from dalembert.mechanics.equations.text import (
    Page,
    as_written,
    equations_page,
    right_sides,
    short_sines,
    sides,
)
from dalembert.mechanics.printed.read_back import check_formulas
from dalembert.mechanics.printed.statement import symbols_of
from dalembert.mechanics.proofs.constraints import freedoms
from dalembert.mechanics.proofs.properties import prove
from dalembert.mechanics.results.conserved import conserved
from dalembert.reader.page import read_text
from dalembert.ring import partials, time_derivative
from dalembert.typeset.pdf import pdf_of
from dalembert.typeset.render.names import symbol_glyphs, symbol_latex
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.tree import Product

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


@dataclass(frozen=True)
class Derivation:
    """All steps from coordinates to proved equations.

    >>> import dalembert as da
    >>> [step.title for step in da.textbook.particle().equations().derivation().steps][:3]
    ['Coordinates', 'Energies', 'Lagrangian']
    """

    steps: tuple[DerivationStep, ...]

    def __iter__(self) -> Iterator[DerivationStep]:
        return iter(self.steps)

    def text(self) -> str:
        """Return the derivation in Unicode."""
        return "\n\n".join(f"{i}. {step.text}" for i, step in enumerate(self.steps, 1))

    def markdown(self) -> str:
        """Return the derivation in Markdown with LaTeX formulas."""
        parts = []
        for i, step in enumerate(self.steps, 1):
            parts.append(f"## {i}. {step.title}\n\n{step.sentence}")
            if step.formulas:
                parts.append(f"$$\n{step.latex}\n$$")
            if step.remarks:
                parts.append("\n".join(f"- {_one_line(remark)}" for remark in step.remarks))
        return "\n\n".join(parts) + "\n"

    def latex(self, title: str = "Derivation") -> str:
        """Return a LaTeX document: one section for each step, plain ASCII, with amsmath only."""
        return latex_document(title, self.steps)

    def html(self, title: str = "Derivation") -> str:
        """Return a page that any browser shows by itself: formulas are MathML."""
        return html_page(title, self.steps)

    def typst(self, title: str = "Derivation") -> str:
        """Return a Typst document, the source of `pdf`."""
        return typst_document(title, self.steps)

    def pdf(self, path: Path, title: str = "Derivation") -> None:
        """Write the derivation as PDF, A4 at 10 pt; the file appears whole or not at all.

        It needs the package typst: ``pip install typst``.

        Raises:
            MissingDependency: typst is not installed.
            FileError: the file cannot be written.
            EvaluationError: a formula cannot be read back as itself.
        """
        check_formulas([line for step in self.steps for line in step.formulas])
        write_whole(path, pdf_of(self.typst(title)))

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


Route = Literal["lagrange", "dalembert"]


def derivation(
    eq: Equations, route: Route = "lagrange", positions: BySymbol[Scalar] | None = None
) -> Derivation:
    """Return the steps for these equations by one of the routes, and into new coordinates."""
    routes = {"lagrange": _by_lagrange, "dalembert": _by_dalembert}
    if route not in routes:
        raise UnknownName(f"expected a route, got {route!r:.40} ({nearest(str(route), routes)})")
    steps = routes[route](eq)
    if positions is not None:
        steps.insert(-1, answers.independent(eq, positions))
    return Derivation(tuple(_in_notation(step, eq.notation) for step in steps))


def _by_lagrange(eq: Equations) -> list[DerivationStep]:
    steps = [_coordinates(eq)]
    bodies = written_bodies(eq)
    if bodies:
        steps += [positions(bodies), velocities(bodies)]
    energies = [_energies(eq, bodies)] if eq.is_quadratic else []
    steps += [*energies, _lagrangian(eq), *_forces(eq)]
    page = equations_page(eq)
    steps += [_equation(eq, k, left) for k, (left, _) in enumerate(page.pairs)]
    steps = [*_with_names(eq, steps, page), _manipulator_form(eq)]
    return [*steps, *answers.solved(eq), _properties(eq)]


def _by_dalembert(eq: Equations) -> list[DerivationStep]:
    bodies = dalembert.require_bodies(eq)
    steps = [_coordinates(eq), positions(bodies), velocities(bodies)]
    steps += [dalembert.accelerations(bodies), dalembert.displacements(bodies), *_forces(eq)]
    Z = eq.virtual_displacements_form if eq.lam else Matrix([])
    if eq.lam and sum(map(len, Z)) <= dalembert.MAX_ADMISSIBLE:
        return [*steps, *dalembert.without_multipliers(bodies, Z), dalembert.conclusion(bodies)]
    page, right = equations_page(eq), right_sides(eq)
    steps += [
        dalembert.equation(bodies, k, left, right[k]) for k, (left, _) in enumerate(page.pairs)
    ]
    return [*_with_names(eq, steps, page), _manipulator_form(eq), dalembert.conclusion(bodies)]


def _forces(eq: Equations) -> list[DerivationStep]:
    """Return the steps of loads and of constraints, where there are some."""
    steps = [virtual_work(eq)] if eq.system.loads else []
    return [*steps, _constraints(eq)] if eq.lam else steps


def _with_names(eq: Equations, steps: list[DerivationStep], page: Page) -> list[DerivationStep]:
    """Return the steps; the last one says what r₁₂ and M₁₂ in the equations are."""
    *first, last = steps
    if page.graphs is not None:
        # large equations are written with what the graph of L shares
        listed = ", ".join(symbol_glyphs(name) for name, _ in page.parts[:4])
        remark = f"{listed}, … are explained by print(equations()); h is C q̇ + N."
        return [*first, replace(last, remarks=(*last.remarks, remark))]
    distances = page.distances
    lines = tuple(_distance_line(eq, page, *part) for part in distances.items())
    last = replace(last, formulas=(*last.formulas, *lines))
    entries = [symbol_glyphs(name) for name, _ in page.parts if name not in distances]
    if not entries:
        return [*first, last]
    listed = ", ".join(entries[:4]) + ", …" * (len(entries) > 4)
    verb = "is an entry" if len(entries) == 1 else "are entries"
    remark = f"{listed} {verb} of the mass matrix, which is written out below."
    return [*first, replace(last, remarks=(*last.remarks, remark))]


def _distance_line(eq: Equations, page: Page, name: Symbol, tree: Product) -> DerivationLine:
    """Return r₁₂ = √(…); its expression is read from what is printed."""
    text = TextRenderer(short=False).render(tree)
    (form,) = read_text(text, symbols_of(eq), page.numbers).alone
    return DerivationLine(symbol_glyphs(name), symbol_latex(name), form, explains=name)


def _in_notation(step: DerivationStep, notation: Notation) -> DerivationStep:
    formulas = tuple(replace(line, notation=notation) for line in step.formulas)
    return replace(step, formulas=formulas)


def _coordinates(eq: Equations) -> DerivationStep:
    n, m = len(eq.coordinates), len(eq.lam)
    sentence = f"The configuration is described by {n} coordinate{'s' * (n > 1)}"
    if m:
        sentence += f" with {m} constraint{'s' * (m > 1)}: {freedoms(eq.degrees_of_freedom())}"
    q = DerivationLine("q", "q", Matrix.column(eq.coordinates))
    explained = short_sines(eq)
    remarks = (f"Short forms: {', '.join(explained)}",) if explained else ()
    if eq.letters:
        remarks = (*remarks, f"Letters: {letters_explained(eq)}.")
    return DerivationStep("Coordinates", sentence + ".", (q,), remarks)


def _energies(eq: Equations, bodies: Bodies) -> DerivationStep:
    T, V = eq.forms.T, eq.forms.V
    if eq.system.kinetic is not ZERO and not bodies:
        T, V = as_written(eq, eq.system.kinetic, T), as_written(eq, eq.system.potential, V)
    formulas = kinetic_energies(bodies)
    formulas += [own(eq, "T").line(T), own(eq, "V").line(V)]
    if not eq.forms.dissipation.is_surely_zero:
        formulas.append(own(eq, "R").line(eq.forms.dissipation))
    sentence = "Kinetic and potential energy."
    if bodies:
        sentence = f"{kinetic_sum(bodies)}; {own(eq, 'V')} from gravity and springs."
    return DerivationStep("Energies", sentence, tuple(formulas))


def _lagrangian(eq: Equations) -> DerivationStep:
    L, T, V = (own(eq, x) for x in "LTV")
    sentence = f"{L} = {T} - {V}." if eq.is_quadratic else "As it is given."
    return DerivationStep("Lagrangian", sentence, (L.line(eq.forms.L),))


def _constraints(eq: Equations) -> DerivationStep:
    formulas, A = [], own(eq, "A")
    if len(eq.forms.a):
        a = zip(eq.system.constraints, eq.forms.a, strict=True)
        formulas.append(DerivationLine("a", "a", Matrix.column(as_written(eq, *x) for x in a)))
    formulas += [A.line(eq.forms.A), A.rate_line(eq.forms.Ad)]
    return DerivationStep(
        "Constraints",
        f"a(q) = 0 and {A} q̇ = 0; the constraints exert the force {A}ᵀλ on the mechanism.",
        tuple(formulas),
    )


def _equation(eq: Equations, k: int, row: Product) -> DerivationStep:
    ring = eq.ring
    q, v = eq.coordinates[k], eq.velocities[k]
    (dv,) = partials(ring, [v])
    (dq,) = partials(ring, [q])
    p = dv(eq.forms.L)
    x, u = str(q), str(v)
    X, U = q.latex(), v.latex()
    L, R, A = (own(eq, x) for x in "LRA")
    momentum = f"\\frac{{\\partial {L.latex}}}{{\\partial {U}}}"
    formulas = (
        DerivationLine(f"∂{L}/∂{u}", momentum, p),
        DerivationLine(
            f"d/dt ∂{L}/∂{u}",
            f"\\frac{{d}}{{dt}} {momentum}",
            time_derivative(ring, max_order=1)(p),
        ),
        DerivationLine(
            f"∂{L}/∂{x}", f"\\frac{{\\partial {L.latex}}}{{\\partial {X}}}", dq(eq.forms.L)
        ),
        equation_line(eq, row, sides(eq)[k][1]),
    )
    law = f"d/dt ∂{L}/∂{u} - ∂{L}/∂{x}"
    if not eq.forms.dissipation.is_surely_zero:
        law += f" + ∂{R}/∂{u}"
    law += f" = Υ + {A}ᵀλ" if eq.lam else " = Υ"
    return DerivationStep(f"Equation of {x}", f"{law}.", formulas)


def _manipulator_form(eq: Equations) -> DerivationStep:
    M, C, N = (own(eq, x) for x in "MCN")
    formulas = [M.line(eq.M), *([C.line(eq.C)] if eq.is_quadratic else []), N.line(eq.N)]
    if has_bias(eq):
        formulas = [M.line(eq.M), own(eq, "h").line(eq.bias)]
    formulas.append(DerivationLine("Υ", "\\Upsilon", eq.forms.forces))
    form = written_form(eq)
    if not eq.is_quadratic or has_bias(eq):
        L = own(eq, "L")
        sentence = f"{form}, with {M} = ∂²{L}/∂q̇²."
        title = "Manipulator form" if eq.is_quadratic else "Form linear in the accelerations"
        return DerivationStep(title, sentence, tuple(formulas))
    return DerivationStep(
        "Manipulator form",
        f"{form}, with {C} from the Christoffel symbols of {M}.",
        tuple(formulas),
    )


def _properties(eq: Equations) -> DerivationStep:
    remarks = [str(proof) for proof in prove(eq)]
    for c in conserved(eq):
        quantity = printer().text(c.quantity, notation=eq.notation)
        where = f"  [{'; '.join(c.hypotheses)}]" if c.hypotheses else ""
        remarks.append(f"{c.name} is conserved: {quantity}{where}\n    {c.reason}")
    sentence = "Each is decided exactly, under the hypotheses in brackets"
    renamed = [(x, own(eq, x)) for x in "MCNTVLRA" if own(eq, x).glyph != x]
    renamed = [(x, mine) for x, mine in renamed if x != "A" or eq.lam]
    if renamed:
        shown = ", ".join(f"{x} is {letter}" for x, letter in renamed)
        sentence += f"; in statements {shown} of the steps above"
    return DerivationStep("Properties", f"{sentence}.", (), tuple(remarks))


def _one_line(remark: str) -> str:
    return " — ".join(line.strip() for line in remark.split("\n"))
