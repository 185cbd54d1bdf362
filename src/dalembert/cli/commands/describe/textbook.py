"""`dalembert textbook`: the worked examples."""

from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import examples, find, needs_count
from dalembert.cli.output import Part, Table, working


@command
def textbook(
    name: Annotated[
        str | None, typer.Argument(help="Run this one; list all without it.", show_default=False)
    ] = None,
) -> Parts:
    """List the worked examples, or derive and prove one of them step by step.

    Every name can stand in the place of FILE in all commands.
    """
    if name is None:
        known = {f"{k}:3" if needs_count(k) else k: text for k, text in examples().items()}
        yield Part("examples", known, Table(("name", "what it is"), list(known.items())))
        return
    eq = find(name).equations()
    with working("writing the derivation"):
        derivation = eq.derivation()
    for k, step in enumerate(derivation, 1):
        yield Part(step.title, step.text, f"{k}. {step.text}\n")
