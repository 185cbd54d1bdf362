"""Load and save mechanisms in any known format, chosen by the ending of the file."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import NamedTuple, Unpack

from dalembert.errors import FileError, InvalidMechanism
from dalembert.files import path_text, read_regular
from dalembert.mechanism.io.drop import PARTS
from dalembert.mechanism.io.given import Readable, ending_of, head_of, text_of
from dalembert.mechanism.io.meshes import Packages, located
from dalembert.mechanism.io.options import (
    JsonOptions,
    LoadOptions,
    MeshOptions,
    MjcfOptions,
    Path,
    SdfOptions,
    UrdfOptions,
    XacroOptions,
    takes,
)
from dalembert.mechanism.io.xacro import Trust, expanded
from dalembert.mechanism.io.xml.source import MAX_BYTES
from dalembert.mechanism.mechanism import Mechanism


class Format(NamedTuple):
    """How files with one ending are read and written.

    ``load`` is called with the path and the options that `load` was given, ``save`` with the
    mechanism and the path. Both import their module when they are called.
    """

    load: Callable[..., Mechanism]
    save: Callable[[Mechanism, Path], object]


def load(source: Path | bytes | Readable, **options: Unpack[LoadOptions]) -> Mechanism:
    """Return the mechanism of a ``.urdf``, ``.xml``, ``.mjcf`` (MJCF), ``.sdf`` or ``.json`` file.

    Instead of a path, ``source`` may be the text of such a file (as ROS has it in
    ``robot_description``), its bytes, or an open file.

    The options are those of `load_urdf` and `load_sdf` (``repair=``), and `load_mjcf` (``root=``,
    ``missing_meshes=``). ``accept_nonphysical=`` keeps inertias that no body has, in any format. A
    ``.xml`` file whose root element is <robot> is read as URDF. Meshes of URDF, SDF and JSON are
    names; with ``root=`` (a folder) or ``packages=`` (folders by name, for ``package://name/…``)
    their files are found, see `locate_meshes`. A ``.xacro`` file is a program: ``xacro=True``, or a
    mapping with its arguments, runs it by the xacro package.

    A file without inertias has kinematics, and dynamics that raise `MissingInertia`; with
    ``massless=True`` links without inertia are massless on purpose.

    Raises:
        InvalidMechanism: the ending is not in `FORMATS`, or the file is wrong.
        UnknownName: the format does not have an option.

    >>> from dalembert.mechanism.io.json import save_json
    >>> from dalembert.textbook.robots import ur5e
    >>> load(save_json(ur5e())) == ur5e()
    True
    """
    text = text_of(source)
    if text is not None:
        return FORMATS[ending_of(text)].load(text, **options)
    path: Path = source  # type: ignore[assignment]
    if os.path.splitext(path_text(path))[1].lower() == ".xacro":
        return _load_xacro(path, **options)
    return _format(path, "a {} file").load(path, **options)


@takes("xacro files", UrdfOptions, MeshOptions, XacroOptions)
def _load_xacro(
    path: Path,
    xacro: Trust = False,
    root: Path | None = None,
    packages: Packages | None = None,
    **options: Unpack[UrdfOptions],
) -> Mechanism:
    text, found = expanded(path, xacro, packages)
    # meshes are looked for on request; then packages that were found by their names serve too
    known = None if packages is None else {**found, **packages}
    return located(FORMATS[ending_of(text)].load(text, **options), path, root, known)


def save(mechanism: Mechanism, path: Path, *, drop: bool = False) -> tuple[str, ...]:
    """Write a mechanism to a ``.urdf``, ``.xml`` (MJCF), ``.sdf`` or ``.json`` file.

    JSON holds everything; the others refuse, by name, what they cannot express. With ``drop``
    such things are left out, or written by what comes nearest, and the result has a note for each;
    joints that the format does not have are refused all the same, but for ball joints, which are
    three hinges in URDF. Shapes and keyframes, on
    which no motion depends, are left out with a note where the format cannot hold them. The file
    appears whole or not at all: whatever goes wrong, an old one is unchanged.

    Returns:
        What was left out or changed, a sentence each; empty where the file holds everything.

    Raises:
        InvalidMechanism: the ending is not in `FORMATS`, or the format cannot express something.
        FileError: the file cannot be written; an old one is unchanged.
    """
    # what writes XML loads slowly, and few who load also save
    from dalembert.mechanism.io.extras import EXTRAS

    form = _format(path, "a name that ends in {}")
    if not isinstance(mechanism, Mechanism):
        raise InvalidMechanism(f"expected a Mechanism to save, got {type(mechanism).__name__}")
    notes: list[str] = []
    name = path_text(path)
    ending = os.path.splitext(name)[1].lower()
    # without numbers nothing can be written, as the writer says
    if drop and ending in PARTS and not mechanism.parameters:
        mechanism, notes = PARTS[ending](mechanism)
    if ending in EXTRAS:
        mechanism, lost = EXTRAS[ending](mechanism, pathlib.Path(os.path.abspath(name)).parent)
        notes += lost
    form.save(mechanism, path)
    return tuple(notes)


def _format(path: Path, expected: str) -> Format:
    """Return the format of a path by its ending; ``expected`` is text with {} for the endings."""
    name = path_text(path)
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMATS:
        *others, last = FORMATS
        known = expected.format(f"{', '.join(others)} or {last}")
        raise InvalidMechanism(f"{name}: expected {known}, got {ending or 'no ending'}")
    return FORMATS[ending]


@takes("URDF", UrdfOptions, MeshOptions)
def _load_urdf(
    path: Path,
    root: Path | None = None,
    packages: Packages | None = None,
    **options: Unpack[UrdfOptions],
) -> Mechanism:
    from dalembert.mechanism.io.urdf.read import load_urdf

    return located(load_urdf(path, **options), path, root, packages)


def _save_urdf(mechanism: Mechanism, path: Path) -> None:
    from dalembert.mechanism.io.urdf.write import save_urdf

    save_urdf(mechanism, path)


@takes("MJCF", MjcfOptions)
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
        text = text_of(path) or read_regular(path, MAX_BYTES)
    except FileError:
        # the reader says what is wrong
        return False
    return head_of(text).startswith("<robot")


@takes("SDF", SdfOptions, MeshOptions)
def _load_sdf(
    path: Path,
    root: Path | None = None,
    packages: Packages | None = None,
    **options: Unpack[SdfOptions],
) -> Mechanism:
    from dalembert.mechanism.io.sdf.read import load_sdf

    mechanism = load_sdf(path, root=root, packages=packages, **options)
    return located(mechanism, path, root, packages)


def _save_sdf(mechanism: Mechanism, path: Path) -> None:
    from dalembert.mechanism.io.sdf.write import save_sdf

    save_sdf(mechanism, path)


@takes("JSON", JsonOptions, MeshOptions)
def _load_json(
    path: Path,
    root: Path | None = None,
    packages: Packages | None = None,
    **options: Unpack[JsonOptions],
) -> Mechanism:
    from dalembert.mechanism.io.json import load_json

    return located(load_json(path, **options), path, root, packages)


def _save_json(mechanism: Mechanism, path: Path) -> None:
    from dalembert.mechanism.io.json import save_json

    save_json(mechanism, path)


FORMATS: dict[str, Format] = {
    ".urdf": Format(_load_urdf, _save_urdf),
    ".xml": Format(_load_xml, _save_mjcf),
    ".mjcf": Format(_load_mjcf, _save_mjcf),
    ".sdf": Format(_load_sdf, _save_sdf),
    ".json": Format(_load_json, _save_json),
}
"""All formats by their endings, in lower case; a new one is an entry here."""
