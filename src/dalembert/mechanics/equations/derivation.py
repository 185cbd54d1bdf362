"""The derivation as a lecturer would write it on the board: ordered steps with their formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.expr import Expr, Matrix, ddt
from dalembert.mechanics.equations.text import sides
from dalembert.mechanics.proofs.properties import prove
from dalembert.mechanics.results.conserved import conserved
from dalembert.ring import partials, rebuild, time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


@dataclass(frozen=True)
class Formula:
    """One line ``left = right``; the left side in Unicode and in LaTeX."""

    left: str
    left_latex: str
    right: Expr | Matrix

    @property
    def text(self) -> str:
        """The line in Unicode; a matrix stands beside its name."""
        lines = str(self.right).split("\n")
        head = f"{self.left} = "
        middle = (len(lines) - 1) // 2
        return "\n".join(
            (head if i == middle else " " * _width(head)) + line for i, line in enumerate(lines)
        )

    @property
    def latex(self) -> str:
        """The line in LaTeX."""
        return f"{self.left_latex} = {self.right.latex()}"


@dataclass(frozen=True)
class Step:
    """A step of a derivation: title, one sentence, formulas."""

    title: str
    sentence: str
    formulas: tuple[Formula, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def latex(self) -> str:
        """The formulas as one aligned block."""
        lines = [f.latex.replace(" = ", " &= ", 1) for f in self.formulas]
        body = " \\\\\n".join(lines)
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}" if lines else ""

    @property
    def text(self) -> str:
        """The step in Unicode."""
        lines = [self.title, f"  {self.sentence}"]
        for formula in self.formulas:
            lines += [f"    {line}" for line in formula.text.split("\n")]
        lines += [f"  {line}" for remark in self.remarks for line in remark.split("\n")]
        return "\n".join(lines)


@dataclass(frozen=True)
class Derivation:
    """All steps from coordinates to proved equations.

    >>> import dalembert as da
    >>> [step.title for step in da.textbook.particle().equations().derivation().steps]
    ['Coordinates', 'Energies', 'Lagrangian', 'Equation of y', 'Manipulator form', 'Properties']
    """

    steps: tuple[Step, ...]

    def __iter__(self) -> Iterator[Step]:
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

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


def derivation(eq: Equations) -> Derivation:
    """Return the steps for these equations."""
    steps = [_coordinates(eq)]
    if eq.system.bodies:
        steps += [_positions(eq), _velocities(eq)]
    steps += [_energies(eq), _lagrangian(eq)]
    if eq.lam:
        steps.append(_constraints(eq))
    steps += [_equation(eq, k) for k in range(len(eq.coordinates))]
    steps += [_manipulator_form(eq), _properties(eq)]
    return Derivation(tuple(steps))


def _coordinates(eq: Equations) -> Step:
    n, m = len(eq.coordinates), len(eq.lam)
    sentence = f"The configuration is described by {n} coordinate{'s' * (n > 1)}"
    if m:
        sentence += (
            f" with {m} constraint{'s' * (m > 1)}: {eq.degrees_of_freedom()} degrees of freedom"
        )
    return Step("Coordinates", sentence + ".", (Formula("q", "q", Matrix.column(eq.coordinates)),))


def _positions(eq: Equations) -> Step:
    formulas = []
    for i, body in enumerate(eq.system.bodies, 1):
        formulas.append(Formula(f"r{_sub(i)}", f"r_{{{i}}}", body.r))
        if isinstance(body.orientation, Matrix):
            formulas.append(Formula(f"R{_sub(i)}", f"R_{{{i}}}", body.orientation))
    return Step("Positions", "Centres of mass as functions of the coordinates.", tuple(formulas))


def _velocities(eq: Equations) -> Step:
    formulas = []
    for i, body in enumerate(eq.system.bodies, 1):
        formulas.append(Formula(f"ṙ{_sub(i)}", f"\\dot{{r}}_{{{i}}}", body.r.map(ddt)))
        w = body.rotation_rate()
        if w is not None:
            value = w[0] if len(w) == 1 else w
            formulas.append(Formula(f"ω{_sub(i)}", f"\\omega_{{{i}}}", value))
    return Step(
        "Velocities",
        "Differentiate the positions; angular velocities follow from the orientation, ω̂ = Ṙ Rᵀ.",
        tuple(formulas),
    )


def _energies(eq: Equations) -> Step:
    formulas = [Formula("T", "T", eq.T), Formula("V", "V", eq.V)]
    if not eq.forms.dissipation.is_zero:
        formulas.append(Formula("R", "R", rebuild(eq.forms.dissipation)))
    sentence = "Kinetic and potential energy."
    if eq.system.bodies:
        sentence = "T = Σ ½ m ṙᵀṙ + ½ ωᵀ R I Rᵀ ω; V from gravity and springs."
    return Step("Energies", sentence, tuple(formulas))


def _lagrangian(eq: Equations) -> Step:
    return Step("Lagrangian", "L = T - V.", (Formula("L", "L", eq.L),))


def _constraints(eq: Equations) -> Step:
    formulas = []
    if len(eq.a):
        formulas.append(Formula("a", "a", eq.a))
    formulas += [Formula("A", "A", eq.A), Formula("Ȧ", "\\dot{A}", eq.Adot)]
    return Step(
        "Constraints",
        "a(q) = 0 and A q̇ = 0; the constraints exert the force Aᵀλ on the mechanism.",
        tuple(formulas),
    )


def _equation(eq: Equations, k: int) -> Step:
    ring = eq.ring
    q, v = eq.coordinates[k], eq.velocities[k]
    (dv,) = partials(ring, [v])
    (dq,) = partials(ring, [q])
    p = dv(eq.forms.L)
    left, right = sides(eq)[k]
    x, u = str(q), str(v)
    X, U = q.latex(), v.latex()
    momentum = f"\\frac{{\\partial L}}{{\\partial {U}}}"
    formulas = (
        Formula(f"∂L/∂{u}", momentum, rebuild(p)),
        Formula(
            f"d/dt ∂L/∂{u}",
            f"\\frac{{d}}{{dt}} {momentum}",
            rebuild(time_derivative(ring, max_order=1)(p)),
        ),
        Formula(f"∂L/∂{x}", f"\\frac{{\\partial L}}{{\\partial {X}}}", rebuild(dq(eq.forms.L))),
        Formula(str(left), left.latex(), right),
    )
    law = f"d/dt ∂L/∂{u} - ∂L/∂{x}"
    if not eq.forms.dissipation.is_zero:
        law += f" + ∂R/∂{u}"
    law += " = Υ + Aᵀλ" if eq.lam else " = Υ"
    return Step(f"Equation of {x}", f"{law}.", formulas)


def _manipulator_form(eq: Equations) -> Step:
    formulas = [Formula("M", "M", eq.M), Formula("C", "C", eq.C), Formula("N", "N", eq.N)]
    formulas.append(Formula("Υ", "\\Upsilon", eq.forces))
    reaction = " + Aᵀλ" if eq.lam else ""
    return Step(
        "Manipulator form",
        f"M q̈ + C q̇ + N = Υ{reaction}, with C from the Christoffel symbols of M.",
        tuple(formulas),
    )


def _properties(eq: Equations) -> Step:
    remarks = [str(proof) for proof in prove(eq)]
    remarks += [f"{c.name} is conserved: {c.quantity}\n    {c.reason}" for c in conserved(eq)]
    return Step("Properties", "Each is an exact identity in the ring.", (), tuple(remarks))


def _one_line(remark: str) -> str:
    return " — ".join(line.strip() for line in remark.split("\n"))


def _sub(i: int) -> str:
    return str(i).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _width(text: str) -> int:
    """Return the printed width: combining marks take no room."""
    from unicodedata import combining

    return sum(not combining(c) for c in text)
