"""Parquet files of a study, by pyarrow; nothing else knows that package.

An array of a row is stored as columns of numbers, ``q[0]``, ``q[1]``, …: every reader of tables
understands them.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import FileError
from dalembert.files import parse_json
from dalembert.optional import require

if TYPE_CHECKING:
    from pathlib import Path

    from dalembert.studies.results import Results
    from dalembert.studies.rows import Rows
    from dalembert.types import Array

OUTLINE = b"dalembert.results"
"""Key under which a file tells kind and shape of its results."""
MOST_VALUES = 1_000_000


def pyarrow() -> Any:
    """Return the package, with its parts for files.

    Raises:
        MissingDependency: it is not installed.
    """
    for part in ("pyarrow.dataset", "pyarrow.parquet"):
        require(part, "the files of a study")
    return require("pyarrow", "the files of a study")


def encoded(rows: Rows, found: Results) -> bytes:
    """Return rows with their results as the content of a Parquet file, the same for the same."""
    from dalembert.studies.results import outline

    pa = pyarrow()
    arrays = {"row": pa.array(rows.numbers)}
    for name in rows.names:
        arrays |= {key: pa.array(part) for key, part in _flat(name, rows[name])}
    arrays["failure"] = pa.array(found.reasons, pa.string())
    for name, x in found.columns.items():
        if found.present[name].all():
            arrays |= {key: pa.array(part) for key, part in _flat(name, x)}
            continue
        masks = _flat(name, ~found.present[name])
        for (key, part), (_, absent) in zip(_flat(name, x), masks, strict=True):
            arrays[key] = pa.array(part, mask=absent if absent.any() else None)
    note = {OUTLINE: json.dumps(outline(found.columns)).encode()}
    table = pa.table(arrays).replace_schema_metadata(note)
    sink = pa.BufferOutputStream()
    # numbers that were measured or drawn do not repeat: a dictionary of them is lost time
    texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
    pa.parquet.write_table(
        table, sink, compression="snappy", use_dictionary=texts, write_page_checksum=True
    )
    return sink.getvalue().to_pybytes()


def _flat(name: str, x: Array) -> Iterator[tuple[str, Array]]:
    """Yield the columns of numbers of which a column of arrays consists."""
    if x.ndim == 1:
        yield name, np.ascontiguousarray(x)
        return
    for place in np.ndindex(x.shape[1:]):
        yield column_name(name, place), np.ascontiguousarray(x[(slice(None), *place)])


def column_name(name: str, place: Sequence[int]) -> str:
    """Return the column that holds one number of an array.

    >>> column_name("q", (2,)), column_name("R", (0, 1))
    ('q[2]', 'R[0,1]')
    """
    return f"{name}[{','.join(map(str, place))}]"


def outline_of(path: Path) -> dict[str, list[object]]:
    """Return kind and shape of the results in a file, none where all rows failed.

    Raises:
        FileError: the file is not one of a study.
    """
    try:
        note = pyarrow().parquet.read_schema(path).metadata
        found = parse_json(note[OUTLINE], MOST_VALUES)
        if not isinstance(found, dict):
            raise ValueError("the results have no names")
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise FileError(
            errno.EINVAL, f"expected rows of a study in {str(path)!r}, got something else: {error}"
        ) from None
    return found


def dataset(paths: Sequence[Path]) -> Any:
    """Return files as one dataset of Arrow; results that a file has not are null there."""
    pa = pyarrow()
    schemas = [pa.parquet.read_schema(path).remove_metadata() for path in paths]
    schema = pa.unify_schemas(schemas, promote_options="permissive")
    options = pa.dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
    kind = pa.dataset.ParquetFileFormat(default_fragment_scan_options=options)
    return pa.dataset.dataset([str(path) for path in paths], schema=schema, format=kind)
