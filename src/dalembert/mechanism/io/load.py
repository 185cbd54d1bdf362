"""Load and save mechanisms in any known format, chosen by the ending of the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import NamedTuple, TypedDict, Unpack

from dalembert.errors import FileError, InvalidMechanism
from dalembert.files import path_text, read_regular
from dalembert.mechanism.io.xml.source import MAX_BYTES
from dalembert.mechanism.mechanism import Mechanism

Path = str | os.PathLike[str]


class UrdfOptions(TypedDict, total=False):
    """Options of `load_urdf`."""

    repair: bool | Collection[str]
    accept_nonphysical: bool


class JsonOptions(TypedDict, total=False):
    """Options of `load_json`."""

    accept_nonphysical: bool


class MjcfOptions(TypedDict, total=False):
    """Options of `load_mjcf`."""

    root: Path | None
    missing_meshes: bool


class LoadOptions(UrdfOptions, MjcfOptions, total=False):
    """Options of all formats."""


class Format(NamedTuple):
    """How files with one ending are read and written.

    ``load`` is called with the path and the options that `load` was given, ``save`` with the
    mechanism and the path. Both import their module when they are called.
    """

    load: Callable[..., Mechanism]
    save: Callable[[Mechanism, Path], object]


def load(path: Path, **options: Unpack[LoadOptions]) -> Mechanism:
    """Return the mechanism of a ``.urdf``, ``.xml`` or ``.mjcf`` (MJCF) or ``.json`` file.

    The options are those of `load_urdf` (``repair=``, ``accept_nonphysical=``), `load_json`
    (``accept_nonphysical=``) and `load_mjcf` (``root=``, ``missing_meshes=``). A ``.xml`` file
    whose root element is <robot> is read as URDF.

    Raises:
        InvalidMechanism: the ending is not in `FORMATS`, or the file is wrong.
    """
    return _format(path, "a {} file").load(path, **options)


def save(mechanism: Mechanism, path: Path) -> None:
    """Write a mechanism to a ``.urdf``, ``.xml`` (MJCF) or ``.json`` file.

    JSON holds everything; URDF and MJCF refuse, by name, what they cannot express. The file
    appears whole or not at all: whatever goes wrong, an old one is unchanged.

    Raises:
        InvalidMechanism: the ending is not in `FORMATS`, or the format cannot express something.
        FileError: the file cannot be written; an old one is unchanged.
    """
    form = _format(path, "a name that ends in {}")
    if not isinstance(mechanism, Mechanism):
        raise InvalidMechanism(f"expected a Mechanism to save, got {type(mechanism).__name__}")
    form.save(mechanism, path)


def _format(path: Path, expected: str) -> Format:
    """Return the format of a path by its ending; ``expected`` is text with {} for the endings."""
    name = path_text(path)
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMATS:
        *others, last = FORMATS
        known = expected.format(f"{', '.join(others)} or {last}")
        hint = ": expand xacro to URDF first" if ending == ".xacro" else ""
        raise InvalidMechanism(f"{name}: expected {known}, got {ending or 'no ending'}{hint}")
    return FORMATS[ending]


def _load_urdf(path: Path, **options: Unpack[UrdfOptions]) -> Mechanism:
    from dalembert.mechanism.io.urdf.read import load_urdf

    return load_urdf(path, **options)


def _save_urdf(mechanism: Mechanism, path: Path) -> None:
    from dalembert.mechanism.io.urdf.write import save_urdf

    save_urdf(mechanism, path)


def _load_mjcf(path: Path, **options: Unpack[MjcfOptions]) -> Mechanism:
    from dalembert.mechanism.io.mjcf.read import load_mjcf

    return load_mjcf(path, **options)


def _save_mjcf(mechanism: Mechanism, path: Path) -> None:
    from dalembert.mechanism.io.mjcf.write import save_mjcf

    save_mjcf(mechanism, path)


def _load_xml(path: Path, **options: Unpack[LoadOptions]) -> Mechanism:
    read: Callable[..., Mechanism] = _load_urdf if _is_urdf(path) else _load_mjcf
    return read(path, **options)


def _is_urdf(path: Path) -> bool:
    """Tell whether the first element of an XML file is <robot>."""
    try:
        head = read_regular(path, MAX_BYTES)[:4096]
    except FileError:
        # the reader says what is wrong
        return False
    return b"<robot" in head and b"<mujoco" not in head.split(b"<robot")[0]


def _load_json(path: Path, **options: Unpack[JsonOptions]) -> Mechanism:
    from dalembert.mechanism.io.json import load_json

    return load_json(path, **options)


def _save_json(mechanism: Mechanism, path: Path) -> None:
    from dalembert.mechanism.io.json import save_json

    save_json(mechanism, path)


FORMATS: dict[str, Format] = {
    ".urdf": Format(_load_urdf, _save_urdf),
    ".xml": Format(_load_xml, _save_mjcf),
    ".mjcf": Format(_load_mjcf, _save_mjcf),
    ".json": Format(_load_json, _save_json),
}
"""All formats by their endings, in lower case; a new one is an entry here."""
