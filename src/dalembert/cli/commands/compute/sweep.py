"""`dalembert sweep`: a study that a file describes, computed or gone on with."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.command import Parts, command
from dalembert.cli.output import Part, Table

if TYPE_CHECKING:
    from dalembert.studies import Engine, Study


@command
def sweep(
    file: Annotated[str, typer.Argument(metavar="STUDY", help="A .toml file.", show_default=False)],
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where it is kept; beside the file, ending .study."),
    ] = None,
    processes: Annotated[
        int, typer.Option(help="Processes; 0 leaves the cores to the kernels.", min=0, max=1024)
    ] = 0,
    ray: Annotated[
        str | None, typer.Option("--ray", metavar="ADDRESS", help="A cluster of Ray, or auto.")
    ] = None,
    chunk: Annotated[int | None, typer.Option(help="Rows of a file, × 1024.", min=1)] = None,
) -> Parts:
    """Compute a study over many rows, or what is missing of it; exit 1 if all rows failed."""
    from dalembert.cli.files.study import default_folder, read_study
    from dalembert.studies import sweep as run

    described = read_study(file)
    study = run(
        described.function,
        described.points,
        folder or default_folder(file),
        seed=described.seed,
        engine=_engine(processes, ray),
        chunk=None if chunk is None else 1024 * chunk,
        progress=sys.stderr.isatty(),
    )
    yield Part("rows", study.num_done, str(study), ok=study.num_failed < study.num_rows)
    yield Part("failed", study.num_failed)
    yield Part("failures", study.failures(), _reasons(study) if study.num_failed else None)
    if study.num_failed < study.num_rows:
        yield _table(study)
    yield Part("folder", str(study.folder), f"in {study.folder}")


def _engine(processes: int, address: str | None) -> "Engine":
    from dalembert.studies import Local, Ray

    return Local(processes) if address is None else Ray(address)


def _reasons(study: "Study") -> Table:
    rows = [[f"{count:,}", reason] for reason, count in study.failures().items()]
    return Table(("rows", "failure"), rows)


def _table(study: "Study") -> Part:
    """Return lowest, mean and highest value of every column of numbers."""
    import numpy as np

    names = [name for name in study.columns if name not in ("row", "failure")]
    columns = {name: study[name] for name in names}
    data = {
        name: {"lowest": np.nanmin(x), "mean": np.nanmean(x), "highest": np.nanmax(x)}
        for name, x in columns.items()
        if x.dtype.kind in "iuf"
    }
    rows = [[name, *(f"{value:.6g}" for value in one.values())] for name, one in data.items()]
    return Part("columns", data, Table(("column", "lowest", "mean", "highest"), rows))
