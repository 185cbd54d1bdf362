"""The manifest of a study: what it computes, so that nothing else is mixed into its folder."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.errors import FileError
from dalembert.files import parse_json, read_regular, write_whole
from dalembert.studies.folder import DATA
from dalembert.studies.identity import identity
from dalembert.version import VERSION

if TYPE_CHECKING:
    from dalembert.studies.task import Task

NAME = "study.json"
FORMAT = 2
LARGEST = 1 << 24


def manifest_of(task: Task) -> dict[str, object]:
    """Return what makes the results of a study what they are."""
    return {
        "format": FORMAT,
        "dalembert": VERSION,
        "rows": task.points.num_rows,
        "seed": task.seed,
        "block": task.block,
        "function": identity(task.function),
        "points": task.points.description(),
    }


def read_manifest(folder: Path) -> dict[str, object]:
    """Return the manifest in a folder.

    Raises:
        FileError: there is none, or it is not one of ours.
    """
    path = folder / NAME
    try:
        found = parse_json(read_regular(path, LARGEST), LARGEST)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f"expected format {FORMAT}")
        if not isinstance(found.get("rows"), int) or not isinstance(found.get("block"), int):
            raise ValueError("expected numbers of rows")
        if found.pop("digest", None) != _digest(found):
            raise ValueError(
                "it is not as it was written: take it from a copy of the folder; the files in "
                f"{str(folder / DATA)!r} can be read by any reader of Parquet"
            )
    except ValueError as error:
        raise FileError(
            errno.EINVAL,
            f"expected the manifest of a study in {str(path)!r}, got something else: {error}",
        ) from None
    return found


def agree(folder: Path, manifest: dict[str, object]) -> None:
    """Write the manifest into a folder, or check that the one there is the same.

    Raises:
        FileError: another study is in the folder; the message says what differs.
    """
    if not (folder / NAME).exists():
        whole = {**manifest, "digest": _digest(manifest)}
        text = json.dumps(whole, indent=1, ensure_ascii=False)
        write_whole(folder / NAME, text.encode())
        return
    # as the file has it: tuples are lists there
    wanted = json.loads(json.dumps(manifest))
    before = read_manifest(folder)
    if lines := list(differences(before, wanted)):
        raise FileError(
            errno.EEXIST,
            f"expected the same study as before in {str(folder)!r}, got another one: "
            f"{'; '.join(lines[:8])}: {_advice(before, wanted)}take another folder, or remove this "
            "one",
        )


def _digest(manifest: dict[str, object]) -> str:
    """Return a digest of what a manifest says, however it is written."""
    text = json.dumps(manifest, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _advice(before: dict[str, Any], now: dict[str, Any]) -> str:
    """Return what to do where the bytecode of a function was compared, which nobody reads."""
    old, new = (
        x["function"].get("python") if isinstance(x.get("function"), dict) else None
        for x in (before, now)
    )
    if old is None or old == new:
        return ""
    return f"the function was known by its bytecode only; resume with Python {old}, "


def differences(before: object, now: object, where: str = "") -> Iterator[str]:
    """Yield a line for each place in which two manifests differ.

    >>> list(differences({"seed": 1, "points": {"a": 2}}, {"seed": 1, "points": {"a": 3}}))
    ['points.a was 2, is 3']
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**before, **now}:
            path = f"{where}.{key}" if where else str(key)
            yield from differences(before.get(key), now.get(key), path)
    elif before != now:
        yield f"{where} was {_said(before)}, is {_said(now)}"


def _said(x: object) -> str:
    return "absent" if x is None else str(x)[:60]
