"""`dalembert derive`: the exact equations of motion, as text, a document or code."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, AsWritten, File, Output
from dalembert.cli.output import Part, working
from dalembert.cli.written import check_output, write_text
from dalembert.errors import FileError, TooLarge
from dalembert.mechanics import Equations
from dalembert.mechanics.equations.routes.letters import own
from dalembert.mechanics.printed.read_back import check_formulas, fault_of_text
from dalembert.mechanics.printed.statement import check_print, check_read_back
from dalembert.mechanics.robots.recursive import recursive_form
from dalembert.mechanism import Mechanism
from dalembert.optional import require


class Form(StrEnum):
    """What the equations are written as."""

    text = "text"
    latex = "latex"
    markdown = "markdown"
    html = "html"
    pdf = "pdf"
    python = "python"
    matlab = "matlab"
    c = "c"


ENDINGS = {
    ".txt": Form.text,
    ".tex": Form.latex,
    ".md": Form.markdown,
    ".html": Form.html,
    ".pdf": Form.pdf,
    ".py": Form.python,
    ".m": Form.matlab,
    ".c": Form.c,
}
CODE = (Form.python, Form.matlab, Form.c)
MAX_MATRIX_TERMS = 10_000
"""Terms of a matrix that is written out: arranging them takes some ten seconds."""


@command
def derive(
    file: File,
    form: Annotated[
        Form | None,
        typer.Option("--format", "-f", help="What to write; by default that of the ending of -o."),
    ] = None,
    output: Output = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="As text, every step of the derivation.")
    ] = False,
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Name every mass, length and inertia of a robot.")
    ] = False,
    allow: Allow = None,
    as_written: AsWritten = False,
) -> Parts:
    """Derive the equations of motion by Lagrange's method, exactly.

    Documents (latex, markdown, html, pdf) hold every step of the derivation; code (python, matlab,
    c) has functions for M, C, N and the forces, and A of the constraints. Floating and spherical
    joints are written as scalar ones. Equations of a robot that are too large to be multiplied out
    are printed as the recursions compute them, as text and LaTeX; codegen writes their code.
    """
    form = _form(form, output)
    if output is not None:
        check_output(output)
    if output is None and form is Form.pdf:
        raise FileError(22, "expected a file for a PDF, got none: add -o equations.pdf")
    if form is Form.pdf:
        require("typst", "PDF")
    subject = find(file, allow, exact_angles=not as_written).with_scalar_joints()
    yield from subject.noted()
    if symbolic:
        from dataclasses import replace

        subject = replace(subject, description=subject.mechanism.symbolic())
    yield Part("name", subject.name)
    yield Part("format", form.value)
    try:
        eq = subject.equations()
    except TooLarge as error:
        if not isinstance(subject.description, Mechanism) or steps:
            raise
        yield from _recursive(subject.mechanism, form, output, error)
        return
    if form is Form.text and not steps:
        yield from _text(eq, subject.name, output)
        return
    title = f"Equations of motion of {subject.name}"
    with working("writing"):
        written = _document(eq, form, title, subject.name)
    yield from write_text(written, output, "document")


def _form(form: Form | None, output: Path | None) -> Form:
    if form is not None:
        return form
    if output is None:
        return Form.text
    found = ENDINGS.get(output.suffix.lower())
    if found is None:
        raise FileError(
            22,
            f"expected a file that ends in {', '.join(ENDINGS)}, got {str(output)!r}: or add -f",
        )
    return found


def _text(eq: Equations, name: str, output: Path | None) -> Parts:
    """Yield the equations and their matrices, each when it is written and has been read back."""
    pieces = []
    with working("reading the print back"):
        check_print(eq)
    with working("writing equations"):
        pieces.append(str(eq))
    yield Part("equations", pieces[0], pieces[0] if output is None else None)
    for key in ("M", "C", "N", "A"):
        entries = getattr(eq.forms, key)
        if not len(entries):
            continue
        count = sum(map(len, entries))
        with working(f"writing {key}"):
            if count > MAX_MATRIX_TERMS:
                found = f"⟨{count:,} terms: -f python, -f matlab or -f c write them as code⟩"
            else:
                part = getattr(eq, key)
                found = str(part)
                check_read_back(partial(fault_of_text, part, found))
        pieces.append(f"\n{own(eq, key)} =\n{found}")
        yield Part(key, found, pieces[-1] if output is None else None)
    latex = eq.latex()
    yield Part("latex", latex)
    if output is not None:
        yield from write_text("\n".join(pieces) + "\n", output, "file")


def _recursive(robot: Mechanism, form: Form, output: Path | None, reason: TooLarge) -> Parts:
    """Yield the equations as the recursions compute them, of a robot with too many terms.

    Raises:
        TooLarge: they are to be written in a form that needs every term.
    """
    if form not in (Form.text, Form.latex):
        raise TooLarge(
            f"{reason}\n-f text and -f latex write the equations as the recursions compute them, "
            "`dalembert codegen` code for them"
        ) from None
    note = f"{reason}\nthese are the equations as the recursions compute them"
    yield Part("notes", [note], f"note: {note}", aside=True)
    with working("writing the recursions"):
        found = recursive_form(robot)
        found.check_print()
    written = found.latex() if form is Form.latex else str(found)
    if form is Form.text:
        yield Part("equations", written, written if output is None else None)
        yield Part("latex", found.latex())
        if output is None:
            return
    yield from write_text(f"{written}\n", output, "file" if form is Form.text else "document")


def _document(eq: Equations, form: Form, title: str, name: str) -> str | bytes:
    if form in CODE:
        from dalembert.cli.equations_code import code

        return code(eq, form.value, name)
    derivation = eq.derivation()
    check_print(eq)
    check_formulas([line for step in derivation for line in step.formulas])
    match form:
        case Form.latex:
            return derivation.latex(title)
        case Form.markdown:
            return f"# {title}\n\n{derivation.markdown()}"
        case Form.html:
            return derivation.html(title)
        case Form.pdf:
            from dalembert.cli.pdf import derivation_pdf

            return derivation_pdf(derivation, title)
    return derivation.text() + "\n"
