"""Load and save mechanisms in any known format, chosen by the ending of the file."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any, TypedDict, Unpack

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.mechanism import Mechanism


class LoadOptions(TypedDict, total=False):
    """Options of `load_urdf` (the first two) and of `load_mjcf`."""

    repair: bool | Collection[str]
    accept_nonphysical: bool
    root: str | os.PathLike[str] | None
    missing_meshes: bool


def load(path: str | os.PathLike[str], **given: Unpack[LoadOptions]) -> Mechanism:
    """Return the mechanism of a ``.urdf``, ``.xml`` or ``.mjcf`` (MJCF) or ``.json`` file.

    The options are those of `load_urdf` (``repair=``, ``accept_nonphysical=``) and `load_mjcf`
    (``root=``, ``missing_meshes=``). A ``.xml`` file whose root element is <robot> is read as URDF.
    """
    options: dict[str, Any] = dict(given)
    name = os.fsdecode(path)
    suffix = os.path.splitext(name)[1].lower()
    match suffix:
        case ".urdf":
            from dalembert.mechanism.io.urdf.read import load_urdf

            return load_urdf(path, **options)
        case ".xml" | ".mjcf":
            if suffix == ".xml" and _is_urdf(name):
                from dalembert.mechanism.io.urdf.read import load_urdf

                return load_urdf(path, **options)
            from dalembert.mechanism.io.mjcf.read import load_mjcf

            return load_mjcf(path, **options)
        case ".json":
            from dalembert.mechanism.io.json import load_json

            return load_json(path, **options)
    hint = ": expand xacro to URDF first" if suffix == ".xacro" else ""
    raise InvalidMechanism(
        f"{name}: expected a .urdf, .xml (MJCF) or .json file, got {suffix or 'no ending'}{hint}"
    )


def save(mechanism: Mechanism, path: str | os.PathLike[str]) -> None:
    """Write a mechanism to a ``.urdf``, ``.xml`` (MJCF) or ``.json`` file.

    JSON holds everything; URDF and MJCF refuse, by name, what they cannot express.
    """
    name = os.fsdecode(path)
    match os.path.splitext(name)[1].lower():
        case ".urdf":
            from dalembert.mechanism.io.urdf.write import save_urdf

            save_urdf(mechanism, path)
        case ".xml" | ".mjcf":
            from dalembert.mechanism.io.mjcf.write import save_mjcf

            save_mjcf(mechanism, path)
        case ".json":
            from dalembert.mechanism.io.json import save_json

            save_json(mechanism, path)
        case ending:
            raise InvalidMechanism(
                f"{name}: expected a name that ends in .urdf, .xml or .json, "
                f"got {ending or 'no ending'}"
            )


def _is_urdf(path: str) -> bool:
    """Tell whether the first element of an XML file is <robot>."""
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return b"<robot" in head and b"<mujoco" not in head.split(b"<robot")[0]
