"""Find the files of meshes: under given folders, or refused before anything is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.mechanism.io.xml.diagnosis import Report
from dalembert.mechanism.io.xml.jail import Jail, inside
from dalembert.mechanism.io.xml.source import is_text
from dalembert.mechanism.io.xml.xml import Element
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.parts.shape import Mesh, Shape

Folder = str | os.PathLike[str]
Packages = Mapping[str, Folder]
"""The folders of packages by their names, as ``package://name/…`` has them."""

SCHEMES = ("package", "model")


def locate_meshes(
    mechanism: Mechanism,
    *,
    root: Folder | None = None,
    packages: Packages | None = None,
    below: str = "",
) -> Mechanism:
    """Return the mechanism with the ``path`` of every mesh that is found; the others get a note.

    Args:
        mechanism: What has the meshes.
        root: The folder that plain names are looked for in, and that they must not leave.
        packages: Folders for names such as ``package://arm_description/meshes/a.stl`` (ROS) or
            ``model://arm/a.stl`` (SDF), by package; such a name must not leave its folder.
        below: The folder below ``root`` that plain names start from.

    Raises:
        InvalidMechanism: a name leads out of its folder.
        UnknownName: a package has no folder.
    """
    finder = Finder(root, below, packages or {})
    missing: dict[str, None] = {}

    def found(shape: Shape) -> Shape:
        mesh = shape.geometry
        if not isinstance(mesh, Mesh):
            return shape
        path = finder.find(mesh.file)
        if path is None:
            missing[mesh.file] = None
        return replace(shape, geometry=replace(mesh, path=path and str(path)))

    links = tuple(link.with_shapes(found) for link in mechanism.links)
    notes = tuple(f"mesh {file!r} is not found" for file in missing)
    return replace(mechanism, links=links, notes=(*mechanism.notes, *notes))


def check_mesh_name(report: Report, element: Element, owner: str, file: str) -> None:
    """Warn of a name that is never followed, or only with ``root=``: found without opening it."""
    scheme, _, rest = file.partition("://")
    path = rest.partition("/")[2] if scheme in SCHEMES else file
    try:
        inside(path, where=owner)
    except InvalidMechanism as error:
        message, _, remedy = str(error).removeprefix(f"{owner}: ").rpartition(": ")
        report.warn(element, owner, message, remedy, "filename")


def located(
    mechanism: Mechanism, source: object, root: Folder | None, packages: Packages | None
) -> Mechanism:
    """Return a mechanism that was just loaded with its meshes found, if folders were given.

    Plain names start from the folder of the file, and stay in it unless ``root`` is given.
    """
    if root is None and packages is None:
        return mechanism
    if not isinstance(source, str | os.PathLike) or is_text(source):
        return locate_meshes(mechanism, root=root, packages=packages)
    top, below = folder_below(source, root)
    return locate_meshes(mechanism, root=top, packages=packages, below=below)


def folder_below(source: str | bytes | Folder, root: Folder | None) -> tuple[Path, str]:
    """Return the folder that a model's files must be in, and the model's own below it.

    Raises:
        InvalidMechanism: the model is not below ``root``.
    """
    folder = Path(os.path.abspath(os.fsdecode(source))).parent
    top = folder if root is None else Path(os.path.abspath(root))
    if folder != top and top not in folder.parents:
        raise InvalidMechanism(
            f"expected the file below root={os.fspath(top)!r}, got {os.fsdecode(source)!r}"
        )
    return top, folder.relative_to(top).as_posix()


class Finder:
    """Finds the files that a model names: plain paths below a root, others in their packages."""

    def __init__(self, root: Folder | None, below: str, packages: Packages) -> None:
        self.jail, self.below = Jail(root), below
        self.packages = {name: Jail(folder) for name, folder in packages.items()}

    def find(self, file: str) -> Path | None:
        """Return the path of a regular file, None where there is none.

        Raises:
            InvalidMechanism: the name leads out of its folder.
            UnknownName: its package has no folder.
        """
        where = f"file {file!r:.200}"
        scheme, _, rest = file.partition("://")
        if not rest or scheme not in SCHEMES:
            if self.jail.root is None:
                raise InvalidMechanism(
                    f"{where}: expected the name of a package, got a plain one: give root=, the "
                    "folder that holds it"
                )
            return self.jail.find((self.below, file), where=where)
        name, _, inner = rest.partition("/")
        if name not in self.packages:
            raise UnknownName(
                f"{where}: expected the folder of package {name!r:.60} in packages=, got none "
                f"({nearest(name, self.packages)})"
            )
        return self.packages[name].find((inner,), where=where)
