"""`dalembert derive`: the exact equations of motion, as text, a document or code."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, File, Output
from dalembert.cli.output import Part, working
from dalembert.cli.written import check_output, write_text
from dalembert.errors import FileError
from dalembert.mechanics import Equations


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
) -> Parts:
    """Derive the equations of motion by Lagrange's method, exactly.

    Documents (latex, markdown, html, pdf) hold every step of the derivation; code (python, matlab,
    c) has functions for M, C, N and the forces, and A of the constraints.
    """
    form = _form(form, output)
    if output is not None:
        check_output(output)
    if output is None and form is Form.pdf:
        raise FileError(22, "expected a file for a PDF, got none: add -o equations.pdf")
    subject = find(file, allow)
    if symbolic:
        from dataclasses import replace

        subject = replace(subject, description=subject.mechanism.symbolic())
    eq = subject.equations()
    yield Part("name", subject.name)
    yield Part("format", form.value)
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
    """Yield the equations and their matrices, each when it is written."""
    pieces = []
    matrices = [("M", eq.M), ("C", eq.C), ("N", eq.N), ("A", eq.A)]
    for key, value in [("equations", eq), *((k, m) for k, m in matrices if len(m))]:
        with working(f"writing {key}"):
            text = str(value) if key == "equations" else f"\n{key} =\n{value}"
        pieces.append(text)
        yield Part(key, str(value), text if output is None else None)
    latex = eq.latex()
    yield Part("latex", latex)
    if output is not None:
        yield from write_text("\n".join(pieces) + "\n", output, "file")


def _document(eq: Equations, form: Form, title: str, name: str) -> str | bytes:
    if form in CODE:
        from dalembert.cli.equations_code import code

        return code(eq, form.value, name)
    derivation = eq.derivation()
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
