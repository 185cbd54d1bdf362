"""`dalembert prove`: statements about the equations, each proved, refuted or undecided."""

from typing import Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.find import find
from dalembert.cli.options import Allow, AsWritten, File
from dalembert.cli.output import Part, working
from dalembert.mechanics import Proof
from dalembert.mechanics.kinds import by_kind
from dalembert.model import Model


@command
def prove(
    file: File,
    kernels: Annotated[
        bool, typer.Option("--kernels", help="Prove the compiled programs too, one by one.")
    ] = False,
    allow: Allow = None,
    as_written: AsWritten = False,
) -> Parts:
    """Prove the properties of the equations of motion; exit 1 if one is refuted or undecided."""
    subject = find(file, allow, exact_angles=not as_written)
    yield from subject.noted()
    with working(f"proving the equations of {subject.name}"):
        proofs = by_kind(
            subject.description,
            "to prove",
            mechanism=lambda x: x.prove(),
            system=lambda x: x.equations().prove(),
        )
    yield _part("equations", proofs)
    if kernels:
        yield from _kernels(subject.model())


def _kernels(model: Model) -> Parts:
    from dalembert.model.certificates.certify import Certifier

    certifier = Certifier(model)
    for name in certifier.names:
        with working(f"proving the program of {name}"):
            proof = certifier.prove(name)
        yield _part(name, [proof])


def _part(name: str, proofs: list[Proof]) -> Part:
    ok = all(proof.is_proved for proof in proofs)
    data = [
        {
            "statement": proof.statement,
            "verdict": proof.verdict,
            "method": proof.method,
            "hypotheses": list(proof.hypotheses),
            "notes": list(proof.notes),
        }
        for proof in proofs
    ]
    count = sum(proof.is_proved for proof in proofs)
    lines = [*map(str, proofs)]
    if len(proofs) > 1:
        lines.append(f"{count} of {len(proofs)} proved")
    return Part(name, data, "\n".join(lines), ok)
