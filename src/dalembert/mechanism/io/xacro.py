"""URDF with macros, expanded by the xacro package, for those who trust the file.

Xacro computes the expressions of a file, opens what it includes and reads the environment: such a
file is a program. It is run only for those who say so.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from dalembert.errors import FileError, InvalidMechanism, UnknownName, nearest
from dalembert.files import path_text, read_regular
from dalembert.mechanism.io.meshes import Packages
from dalembert.optional import require

Trust = bool | Mapping[str, str]
"""Whether a xacro file may be run; a mapping trusts it and sets its arguments."""

MAX_MANIFEST_BYTES = 1 << 20
NAME = re.compile(rb"<name>\s*([^<\s]{1,200})\s*</name>")
# xacro asks a module of ROS where packages are: one file at a time may have ours in its place
INDEX, INDEX_LOCK = "ament_index_python", threading.RLock()


class Expanded(NamedTuple):
    """The URDF that a xacro file computes, and the folders of the packages that it asked for."""

    text: str
    packages: dict[str, str]


def expanded(
    path: str | os.PathLike[str], trust: Trust, packages: Packages | None = None
) -> Expanded:
    """Return what a xacro file expands to.

    ``$(find name)`` is the folder that ``packages`` gives, or else that of a ``package.xml`` with
    this name: beside the file, above it, or in a folder ``name`` beside one of these. ROS is asked
    last, where it is installed.

    Raises:
        InvalidMechanism: nobody said that the file is to be trusted, or xacro refuses it.
        MissingDependency: the xacro package is not installed.
    """
    name = path_text(path)
    if trust is False:
        raise InvalidMechanism(
            f"{name}: expected a model, got a xacro file, which is a program that computes one: "
            "load it with xacro=True if you trust whoever wrote it, or expand it to URDF first"
        )
    xacro = require("xacro", "macros in URDF")
    # xacro takes text alone: a number or True is what a person writes in Python
    given = dict(trust) if isinstance(trust, Mapping) else {}
    arguments = {str(key): str(value) for key, value in given.items()}
    places = _Places(Path(os.path.abspath(name)).parent, packages or {})
    try:
        with _index_of(places):
            document: Any = xacro.process_file(name, mappings=arguments)
        text = str(document.toxml())
    # whatever a program raises: all of it refuses the model
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InvalidMechanism(f"{name}: xacro refuses the file: {reason[:500]}") from None
    # an absolute place in a package is a name in that package
    for package, folder in places.found.items():
        text = text.replace(f"file://{folder}/", f"package://{package}/")
    return Expanded(text, places.found)


class _Places:
    """Finds packages as ``$(find name)`` asks for them, and remembers where they were."""

    def __init__(self, folder: Path, packages: Packages) -> None:
        self.folder = folder
        self.given = {str(name): os.path.abspath(str(place)) for name, place in packages.items()}
        self.found: dict[str, str] = {}
        self.ask_ros = _index_of_ros()

    def share(self, package: str) -> str:
        """Return the folder of a package.

        Raises:
            UnknownName: nobody gave it, and there is none near the file.
        """
        place = self.given.get(package) or self._near(package) or self.ask_ros(package)
        if place is None:
            raise UnknownName(
                f"expected the folder of package {package!r:.60} in packages=, and found no "
                f"package.xml of that name above the file ({nearest(package, self.given)})"
            )
        self.found[package] = place
        return place

    def _near(self, package: str) -> str | None:
        if not re.fullmatch(r"[\w-]{1,200}", package):
            return None
        for above in (self.folder, *self.folder.parents):
            for place in (above, above / package):
                if _package_name(place / "package.xml") == package:
                    return str(place)
        return None


def _package_name(manifest: Path) -> str | None:
    """Return the name that a package.xml gives, None where there is no such file."""
    try:
        found = NAME.search(read_regular(manifest, MAX_MANIFEST_BYTES))
    except FileError:
        return None
    return found[1].decode("utf-8", "replace") if found else None


@contextmanager
def _index_of(places: _Places) -> Iterator[None]:
    """Answer the questions of xacro for packages."""
    modules = (INDEX, f"{INDEX}.packages")
    with INDEX_LOCK:
        before = {name: sys.modules.get(name) for name in modules}
        index, inner = map(ModuleType, modules)
        inner.__dict__["get_package_share_directory"] = places.share
        inner.__dict__["get_package_prefix"] = places.share
        index.__dict__["packages"] = inner
        sys.modules.update(zip(modules, (index, inner), strict=True))
        try:
            yield
        finally:
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module


def _index_of_ros() -> Callable[[str], str | None]:
    """Return a function that asks ROS where a package is; it answers None where ROS has none."""
    try:
        from ament_index_python.packages import (  # pyright: ignore[reportMissingImports]
            get_package_share_directory,
        )
    except ImportError:
        return lambda package: None

    def ask(package: str) -> str | None:
        try:
            return str(get_package_share_directory(package))
        # its PackageNotFoundError is a KeyError
        except (KeyError, ValueError):
            return None

    return ask
