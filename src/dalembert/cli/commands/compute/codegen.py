"""`dalembert codegen`: the compiled functions of a model as source code."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, File, Values
from dalembert.cli.output import Part, working
from dalembert.cli.written import write_text
from dalembert.kernel.backends.c.header import CSource
from dalembert.model.source.sources import source


class Language(StrEnum):
    """What the code is written in."""

    c = "c"
    rolled_c = "rolled_c"
    casadi = "casadi"
    cuda = "cuda"
    llvm = "llvm"
    python = "python"
    matlab = "matlab"


@command
def codegen(
    file: File,
    language: Annotated[
        Language,
        typer.Option(
            "--language", "-l", help="rolled_c: loops over joints; casadi: C for casadi.external."
        ),
    ] = Language.c,
    function: Annotated[
        list[str] | None,
        typer.Option("--function", help="A function of the model; may be given often."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file; of C the folder for .h and .c."),
    ] = None,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Write source code of the dynamics: the same programs that are compiled and proved.

    Without --function: inverse_dynamics, mass_matrix and forward_dynamics. Parameters without a
    value become an argument of every function.
    """
    subject = find(file, allow, value)
    chosen = function or ["inverse_dynamics", "mass_matrix", "forward_dynamics"]
    with working(f"writing {language.value}"):
        model = subject.model()
        prefix = subject.name if model.name == "system" else model.name
        made = source(model, language.value, chosen, prefix, None)
    yield Part("functions", chosen)
    if isinstance(made, CSource):
        yield from _c(made, output)
    else:
        yield from write_text(made, output, "source")


def _c(made: CSource, folder: Path | None) -> Parts:
    if folder is None:
        yield Part("header", made.header, made.header)
        yield Part("source", made.source, made.source)
        return
    paths = [str(path) for path in made.save(folder)]
    yield Part("written", paths, "\n".join(f"wrote {path}" for path in paths))
