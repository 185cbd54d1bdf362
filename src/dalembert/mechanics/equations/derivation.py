"""The derivation of the equations as ordered steps, each a sentence with its formulas."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dalembert.expr import ZERO, Matrix, Notation, ddt
from dalembert.expr.node import printer
from dalembert.files import Path, write_whole
from dalembert.mechanics.equations.documents import html_page, latex_document, typst_document
from dalembert.mechanics.equations.formula import INDENT, DerivationLine
from dalembert.mechanics.equations.text import as_written, equations_page, short_sines, sides
from dalembert.mechanics.proofs.constraints import freedoms
from dalembert.mechanics.proofs.properties import prove
from dalembert.mechanics.results.conserved import conserved
from dalembert.ring import partials, time_derivative
from dalembert.typeset.parts.write import aligned
from dalembert.typeset.pdf import pdf_of
from dalembert.typeset.render.latex import LatexRenderer
from dalembert.typeset.render.lines import WIDTH
from dalembert.typeset.render.names import SUBSCRIPT
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.tree import Product

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


@dataclass(frozen=True)
class DerivationStep:
    """A step of a derivation: title, one sentence, formulas."""

    title: str
    sentence: str
    formulas: tuple[DerivationLine, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def latex(self) -> str:
        """The formulas as one aligned block."""
        lines = [line for formula in self.formulas for line in formula.latex_lines]
        return aligned(lines) if lines else ""

    @property
    def text(self) -> str:
        """The step in Unicode."""
        lines = [self.title, f"  {self.sentence}"]
        for formula in self.formulas:
            lines += [f"    {line}" for line in formula.text.split("\n")]
        for remark in self.remarks:
            for line in remark.split("\n"):
                blank = " " * (len(line) - len(line.lstrip()) + 4)
                lines += [f"  {x}" for x in fill(line, subsequent_indent=blank)]
        return "\n".join(lines)


@dataclass(frozen=True)
class Derivation:
    """All steps from coordinates to proved equations.

    >>> import dalembert as da
    >>> [step.title for step in da.textbook.particle().equations().derivation().steps]
    ['Coordinates', 'Energies', 'Lagrangian', 'Equation of y', 'Manipulator form', 'Properties']
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

        It needs the package typst: ``pip install 'dalembert[report]'``.

        Raises:
            MissingDependency: typst is not installed.
            FileError: the file cannot be written.
        """
        write_whole(path, pdf_of(self.typst(title)))

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


def fill(text: str, subsequent_indent: str) -> list[str]:
    """Return a sentence on lines of at most `WIDTH` columns, broken between words."""
    return textwrap.wrap(text, WIDTH - INDENT, subsequent_indent=subsequent_indent) or [text]


def derivation(eq: Equations) -> Derivation:
    """Return the steps for these equations."""
    steps = [_coordinates(eq)]
    if eq.system.bodies:
        steps += [_positions(eq), _velocities(eq)]
    steps += [_energies(eq), _lagrangian(eq)]
    if eq.lam:
        steps.append(_constraints(eq))
    rows = [left for left, _ in equations_page(eq).pairs]
    steps += [_equation(eq, k, row) for k, row in enumerate(rows)]
    steps += [_manipulator_form(eq), _properties(eq)]
    return Derivation(tuple(_in_notation(step, eq.notation) for step in steps))


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
    return DerivationStep("Coordinates", sentence + ".", (q,), remarks)


def _positions(eq: Equations) -> DerivationStep:
    formulas = []
    for i, body in enumerate(eq.system.bodies, 1):
        formulas.append(DerivationLine(f"r{_sub(i)}", f"r_{{{i}}}", body.r))
        if isinstance(body.orientation, Matrix):
            formulas.append(DerivationLine(f"R{_sub(i)}", f"R_{{{i}}}", body.orientation))
    return DerivationStep(
        "Positions", "Centres of mass as functions of the coordinates.", tuple(formulas)
    )


def _velocities(eq: Equations) -> DerivationStep:
    formulas = []
    for i, body in enumerate(eq.system.bodies, 1):
        formulas.append(DerivationLine(f"ṙ{_sub(i)}", f"\\dot{{r}}_{{{i}}}", body.r.map(ddt)))
        w = body.rotation_rate()
        if w is not None:
            value = w[0] if len(w) == 1 else w
            formulas.append(DerivationLine(f"ω{_sub(i)}", f"\\omega_{{{i}}}", value))
    return DerivationStep(
        "Velocities",
        "Differentiate the positions; angular velocities follow from the orientation, ω̂ = Ṙ Rᵀ.",
        tuple(formulas),
    )


def _energies(eq: Equations) -> DerivationStep:
    T, V = eq.forms.T, eq.forms.V
    if eq.system.kinetic is not ZERO and not eq.system.bodies:
        T, V = as_written(eq, eq.system.kinetic, T), as_written(eq, eq.system.potential, V)
    formulas = [DerivationLine("T", "T", T), DerivationLine("V", "V", V)]
    if not eq.forms.dissipation.is_zero:
        formulas.append(DerivationLine("R", "R", eq.forms.dissipation))
    sentence = "Kinetic and potential energy."
    if eq.system.bodies:
        sentence = "T = Σ ½ m ṙᵀṙ + ½ ωᵀ R I Rᵀ ω; V from gravity and springs."
    return DerivationStep("Energies", sentence, tuple(formulas))


def _lagrangian(eq: Equations) -> DerivationStep:
    return DerivationStep("Lagrangian", "L = T - V.", (DerivationLine("L", "L", eq.forms.L),))


def _constraints(eq: Equations) -> DerivationStep:
    formulas = []
    if len(eq.forms.a):
        a = zip(eq.system.constraints, eq.forms.a, strict=True)
        formulas.append(DerivationLine("a", "a", Matrix.column(as_written(eq, *x) for x in a)))
    formulas += [DerivationLine("A", "A", eq.forms.A), DerivationLine("Ȧ", "\\dot{A}", eq.forms.Ad)]
    return DerivationStep(
        "Constraints",
        "a(q) = 0 and A q̇ = 0; the constraints exert the force Aᵀλ on the mechanism.",
        tuple(formulas),
    )


def _equation(eq: Equations, k: int, row: Product) -> DerivationStep:
    ring = eq.ring
    q, v = eq.coordinates[k], eq.velocities[k]
    (dv,) = partials(ring, [v])
    (dq,) = partials(ring, [q])
    p = dv(eq.forms.L)
    left, right = row, sides(eq)[k][1]
    short = eq.notation.trig == "short"
    x, u = str(q), str(v)
    X, U = q.latex(), v.latex()
    momentum = f"\\frac{{\\partial L}}{{\\partial {U}}}"
    formulas = (
        DerivationLine(f"∂L/∂{u}", momentum, p),
        DerivationLine(
            f"d/dt ∂L/∂{u}",
            f"\\frac{{d}}{{dt}} {momentum}",
            time_derivative(ring, max_order=1)(p),
        ),
        DerivationLine(f"∂L/∂{x}", f"\\frac{{\\partial L}}{{\\partial {X}}}", dq(eq.forms.L)),
        DerivationLine(
            TextRenderer(short).render(left), LatexRenderer(short).render(left), right, None, left
        ),
    )
    law = f"d/dt ∂L/∂{u} - ∂L/∂{x}"
    if not eq.forms.dissipation.is_zero:
        law += f" + ∂R/∂{u}"
    law += " = Υ + Aᵀλ" if eq.lam else " = Υ"
    return DerivationStep(f"Equation of {x}", f"{law}.", formulas)


def _manipulator_form(eq: Equations) -> DerivationStep:
    formulas = [
        DerivationLine("M", "M", eq.M),
        DerivationLine("C", "C", eq.C),
        DerivationLine("N", "N", eq.N),
    ]
    formulas.append(DerivationLine("Υ", "\\Upsilon", eq.forms.forces))
    reaction = " + Aᵀλ" if eq.lam else ""
    return DerivationStep(
        "Manipulator form",
        f"M q̈ + C q̇ + N = Υ{reaction}, with C from the Christoffel symbols of M.",
        tuple(formulas),
    )


def _properties(eq: Equations) -> DerivationStep:
    remarks = [str(proof) for proof in prove(eq)]
    for c in conserved(eq):
        quantity = printer().text(c.quantity, notation=eq.notation)
        where = f"  [{'; '.join(c.hypotheses)}]" if c.hypotheses else ""
        remarks.append(f"{c.name} is conserved: {quantity}{where}\n    {c.reason}")
    return DerivationStep(
        "Properties", "Each is an exact identity in the ring.", (), tuple(remarks)
    )


def _one_line(remark: str) -> str:
    return " — ".join(line.strip() for line in remark.split("\n"))


def _sub(i: int) -> str:
    return str(i).translate(SUBSCRIPT)
