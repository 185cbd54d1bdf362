"""`dalembert certify`: equations with proofs in a file that needs no dalembert to check."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.certificates import Certificate, check
from dalembert.certificates.compare import differences
from dalembert.certificates.coq import MOTION
from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.numbers import by_name
from dalembert.cli.options import Allow, File, Output, Values
from dalembert.cli.output import Part, working
from dalembert.cli.written import check_output
from dalembert.errors import FileError
from dalembert.files import read_regular, write_whole
from dalembert.model import compile


@command
def certify(
    file: File,
    output: Output = None,
    coq: Annotated[
        Path | None,
        typer.Option(help="Write the claims for Coq too: a .v file.", show_default=False),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="A certificate to compare: is it about this FILE, and do its claims hold?",
            show_default=False,
        ),
    ] = None,
    value: Values = None,
    allow: Allow = None,
) -> Parts:
    """Write the equations with proofs that anyone can check: `python check.py claims.json`.

    The checker is one file beside the library, printed at the end; it needs nothing but Python.
    With --against, exit 1 if the certificate is refused or describes something else than FILE.
    """
    if output is not None:
        check_output(output)
    if coq is not None:
        check_output(coq, (".v",))
        if coq.name == MOTION.name or not coq.stem.isidentifier():
            raise FileError(
                errno.EINVAL, f"expected a file such as claims.v for Coq, got {str(coq)!r}"
            )
    subject = find(file, allow)
    with working(f"proving the equations of {subject.name}"):
        # values of a file stay out: the certificate is about the parameters
        known = by_name(value, "--value") if value else {}
        made = compile(subject.description.bind(known)).certificate(subject.name)
    if against is not None:
        yield from _compared(against, made, subject.name)
        return
    yield Part("claims", list(made.claims), str(made))
    yield Part("missing", dict(made.missing))
    if output is not None:
        made.save(output)
        yield Part("written", str(output), f"wrote {output}; to check it: {_command(output)}")
    if coq is not None:
        write_whole(coq, made.coq().encode())
        theory = coq.with_name(MOTION.name)
        write_whole(theory, MOTION.read_bytes())
        how = f"coqc {theory.name} && coqc {coq.name}"
        yield Part("coq", str(coq), f"wrote {coq} and {theory}; to check them: {how}")


def _compared(path: Path, made: Certificate, name: str) -> Parts:
    """Check a certificate, and compare its description with the one that was just made."""
    raw = read_regular(path, check.MAX_FILE_BYTES)
    try:
        data: Mapping[str, Any] = check.read(raw)
        with working(f"checking {path}"):
            _, counts = check.check(data)
        count = sum(counts.values())
        words = f"{len(counts)} claims, {count} identities: all hold"
        yield Part("holds", True, f"{path}: {words}")
        found = differences(data, made.data)
    except check.Refused as refusal:
        yield Part("holds", False, f"{path} is refused: {refusal}", ok=False)
        return
    other = f"it describes something else than {name}:"
    words = "\n".join([other, *found]) if found else f"it describes {name}"
    yield Part("differences", found, words, ok=not found)


def _command(path: Path) -> str:
    """Return how the file is checked, with the checker of this installation."""
    checker = os.path.abspath(check.__file__)
    return f"python {checker} {path}"
