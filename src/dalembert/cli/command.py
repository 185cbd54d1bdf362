"""What all commands share: `--json`, errors as sentences, the exit status, and Ctrl-C.

A command is a generator of parts. Each part is printed when it is ready, so that what was computed
before an error or Ctrl-C is not lost.
"""

import functools
import inspect
import os
import traceback
from collections.abc import Callable, Collection, Iterator
from typing import Annotated, ParamSpec

import typer

from dalembert.cli.options import on_the_command_line
from dalembert.cli.output import Json, Part, complain, show, show_json
from dalembert.errors import DalembertError

Parts = Iterator[Part]
P = ParamSpec("P")

NO, UNUSABLE, INTERRUPTED = 1, 2, 130
"""Exit status: the answer is no; there is none, as the input cannot be used; Ctrl-C."""

TRACEBACK = "DALEMBERT_TRACEBACK"
"""The environment variable that shows where in the program an error came from."""

AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")]


def command(parts_of: Callable[P, Parts]) -> Callable[..., None]:
    """Make a command of a generator of parts: adds `--json`, prints, and sets the exit status."""

    @functools.wraps(parts_of)
    def run(*args: P.args, **options: P.kwargs) -> None:
        as_json = bool(options.pop("as_json", False))
        status = _print_all(parts_of(*args, **options), as_json, signature.parameters)
        if status:
            raise typer.Exit(status)

    signature = inspect.signature(parts_of)
    flag = inspect.Parameter(
        "as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=AsJson
    )
    parameters = [*signature.parameters.values(), flag]
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=None
    )
    run.__annotations__ = {x.name: x.annotation for x in parameters}
    return run


def _print_all(parts: Parts, as_json: bool, known: Collection[str]) -> int:
    """Print the parts as they come and return the exit status."""
    data: dict[str, Json] = {}
    status = 0
    try:
        for part in parts:
            data[part.name] = part.data
            status = max(status, 0 if part.ok else NO)
            if not as_json and part.text is not None:
                if part.aside:
                    complain(str(part.text))
                else:
                    show(part.text)
    except KeyboardInterrupt:
        data["interrupted"] = True
        status = INTERRUPTED
        complain("interrupted; what was computed until then is above")
    except BrokenPipeError:
        # whoever reads has seen enough
        raise
    except Exception as error:
        hint = on_the_command_line(str(error), known)
        sentence = f"{_sentence(error)}\n{hint}" if hint else _sentence(error)
        data["error"] = sentence
        status = UNUSABLE
        if not as_json:
            complain(sentence)
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
    if as_json:
        show_json(data)
    return status


def _sentence(error: Exception) -> str:
    """Return what is wrong as a person reads it."""
    if isinstance(error, DalembertError):
        return f"error: {error}"
    if isinstance(error, MemoryError | RecursionError):
        return f"error: the input is too large ({type(error).__name__}): split or simplify it"
    return (
        f"error: {type(error).__name__}: {error}: this is a fault of dalembert; set {TRACEBACK}=1 "
        "to see where, and report it"
    )
