"""The equations of motion and their parts M, C, N, A and λ."""

from __future__ import annotations

from dataclasses import replace

from dalembert.errors import DalembertError
from dalembert.mechanics import Equations
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.equations.routes.letters import explained as letters_explained
from dalembert.mechanics.equations.routes.letters import has_bias, own, written_form
from dalembert.report.about import Subject
from dalembert.report.content import Block, Code, Folded, Formulas, Section, Table, Text
from dalembert.report.sections.derivation import left_out

MAX_CHARACTERS = 200_000
MAX_COLUMNS = 24
MAX_LATEX = 6_000
"""Characters of λ in LaTeX above which it would fill more than two pages."""


def equations(subject: Subject) -> Section:
    """Return the manipulator form; of long equations the sizes of their entries."""
    reaction = " + Aᵀλ" if subject.model.description.has_constraints else ""
    section = Section("Equations of motion", [Text(f"M q̈ + C q̇ + N = Υ{reaction}.")])
    try:
        eq = subject.equations
    except DalembertError as error:
        words = "Here q̈ and q̇ are the rates of the joint velocities, which are not all derivatives"
        section.blocks.append(Text(f"{words} of coordinates. Left out: exact entries. {error}."))
        section.blocks.extend(_mass_matrix(subject))
        return section
    if not subject.is_readable:
        section.blocks.append(Text(left_out(subject, "the entries", "equations().M, .C and .N")))
        section.blocks.extend([*_mass_matrix(subject), _sizes(eq), _with_named_parts(eq)])
        return section
    if eq.letters:
        section.blocks[:] = [Text(f"{written_form(eq)}. {letters_explained(eq)}.")]
    formulas = [line for step in subject.derivation for line in step.formulas]
    lines = [line for line in formulas if line.left_tree or line.explains]
    section.blocks.append(Formulas(tuple(lines)))
    section.blocks.append(Formulas(tuple(_parts(eq))))
    if eq.lam:
        section.blocks.append(_multipliers(eq))
    return section


def _mass_matrix(subject: Subject) -> list[Block]:
    """Return M in numbers where the simulation starts; nothing where it would fill pages."""
    names = subject.model.configuration.v_names
    if len(names) > MAX_COLUMNS:
        return []
    q, t = subject.motion.q[0], float(subject.motion.t[0])
    when = t if subject.model.description.is_timed else None
    M = subject.model.mass_matrix(q, t=when)
    rows = [(name, *(f"{x:.3g}" for x in row)) for name, row in zip(names, M, strict=True)]
    caption = "Mass matrix where the simulation starts"
    return [Table(caption, ("M", *names), tuple(rows))]


def _parts(eq: Equations) -> list[DerivationLine]:
    names = ("M", "h") if has_bias(eq) else ("M", "C", "N")
    parts = {"M": eq.M, "C": eq.C, "N": eq.N, "h": eq.bias}
    lines = [own(eq, x).line(parts[x]) for x in names]
    lines.append(DerivationLine("Υ", "\\Upsilon", eq.forces))
    if eq.lam:
        lines += [own(eq, "A").line(eq.A), own(eq, "A").rate_line(eq.Ad)]
    return [replace(line, notation=eq.notation) for line in lines]


def _multipliers(eq: Equations) -> Block:
    try:
        found = eq.multipliers()
    except DalembertError as error:
        return Text(f"Left out: λ in closed form. {str(error).capitalize()}.")
    line = DerivationLine("λ", "\\lambda", found, eq.notation)
    size = sum(map(len, line.latex_lines))
    if size > MAX_LATEX:
        words = f"{size:,} characters of LaTeX; equations().multipliers() gives it"
        return Text(f"Left out: λ in closed form, {words}.")
    return Folded("λ in closed form", (Formulas((line,)),))


def _with_named_parts(eq: Equations) -> Block:
    """Return all equations as text, in which what is shared has a name."""
    text = str(eq)
    if len(text) > MAX_CHARACTERS:
        words = f"Left out: all equations, {len(text):,} characters; print(equations()) has them."
        return Text(words)
    return Folded("All equations with named parts", (Code("Equations of motion", "text", text),))


def _sizes(eq: Equations) -> Table:
    n = len(eq.coordinates)
    rows = [(f"row {i + 1}", *(f"{len(eq.forms.M[i, j]):,}" for j in range(n))) for i in range(n)]
    head = ("M", *(f"column {j + 1}" for j in range(n)))
    return Table("Number of terms of every entry of the mass matrix", head, tuple(rows))
