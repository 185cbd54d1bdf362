"""Where the meshes of a robot are on this machine."""

from pathlib import Path
from urllib.parse import urlsplit

from dalembert.errors import FileError
from dalembert.mechanics import System
from dalembert.mechanics.kinds import by_kind
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.meshes import locate_meshes
from dalembert.mechanism.parts.shape import Mesh


def with_meshes(description: System | Mechanism, folder: Path | None) -> System | Mechanism:
    """Return a robot whose meshes are looked for below a folder; itself without one.

    Plain names start from the folder. Of ``package://arm/meshes/a.stl`` the package is the folder
    ``arm`` in it, or the folder itself where there is none.

    Raises:
        FileError: there is no such folder.
        InvalidMechanism: a name leads out of the folder.
    """
    if folder is None:
        return description
    return by_kind(
        description,
        "to find meshes of",
        mechanism=lambda x: _located(x, folder),
        system=lambda x: x,
    )


def _located(mechanism: Mechanism, folder: Path) -> System | Mechanism:
    if not folder.is_dir():
        raise FileError(20, f"expected a folder for --meshes, got {str(folder)!r}")
    packages = {}
    for link in mechanism.links:
        for shape in link.shapes:
            if isinstance(shape.geometry, Mesh) and "://" in shape.geometry.file:
                name = urlsplit(shape.geometry.file).netloc
                packages[name] = folder / name if (folder / name).is_dir() else folder
    return locate_meshes(mechanism, root=folder, packages=packages)
