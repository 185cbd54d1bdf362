"""Options of the readers: which format takes which, and what each must be."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypedDict

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.mechanism.io.meshes import Packages
from dalembert.mechanism.io.xacro import Trust
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.moved_inertia import with_massless_links

Path = str | os.PathLike[str]
Reader = Callable[..., Mechanism]


class UrdfOptions(TypedDict, total=False):
    """Options of `load_urdf`."""

    repair: bool | Collection[str]
    accept_nonphysical: bool


class SdfOptions(UrdfOptions, total=False):
    """Options of `load_sdf`."""

    model: str | None


class MeshOptions(TypedDict, total=False):
    """Where meshes are looked for, see `locate_meshes`; nowhere unless given."""

    root: Path | None
    packages: Packages | None


class JsonOptions(TypedDict, total=False):
    """Options of `load_json`."""

    accept_nonphysical: bool


class MjcfOptions(TypedDict, total=False):
    """Options of `load_mjcf`."""

    root: Path | None
    missing_meshes: bool
    accept_nonphysical: bool
    model: str | None


class XacroOptions(TypedDict, total=False):
    """Whether a ``.xacro`` file is to be trusted."""

    xacro: Trust


class CommonOptions(TypedDict, total=False):
    """Options that every format has: ``massless`` takes links without inertia as massless."""

    massless: bool


class LoadOptions(SdfOptions, MjcfOptions, MeshOptions, XacroOptions, CommonOptions, total=False):
    """Options of all formats."""


KINDS: dict[str, tuple[Any, str]] = {
    "root": (str | os.PathLike | None, "a folder"),
    "packages": (Mapping | None, "folders by the name of their package"),
    "repair": (bool | Collection, "True, False or names of repairs"),
    "accept_nonphysical": (bool, "True or False"),
    "missing_meshes": (bool, "True or False"),
    "model": (str | None, "the name of a model"),
    "massless": (bool, "True or False"),
    "xacro": (bool | Mapping, "True, or the arguments of the file"),
}
"""The kind of each option, and its name in errors."""


def takes(kind: str, *options: type) -> Callable[[Reader], Reader]:
    """Return a decorator of a reader that refuses options of other kinds of files.

    ``options`` are TypedDicts with the names that the reader knows.
    """
    known = [name for each in (*options, CommonOptions) for name in each.__annotations__]

    def decorator(read: Reader) -> Reader:
        def checked(path: Path, **given: Any) -> Mechanism:
            for name in given:
                if name not in known:
                    raise UnknownName(
                        f"expected options of {kind} ({', '.join(sorted(known))}), got {name}=: "
                        f"{_advice(name)}"
                    )
                wanted, expected = KINDS[name]
                if not isinstance(given[name], wanted):
                    raise InvalidMechanism(f"expected {expected}, got {name}={given[name]!r:.60}")
            massless = given.pop("massless", False)
            mechanism = read(path, **given)
            return with_massless_links(mechanism) if massless else mechanism

        return checked

    return decorator


def _advice(name: str) -> str:
    """Say what to do about an option that a reader does not know."""
    if name == "xacro":
        return "only .xacro files take it, leave it out"
    if name in LoadOptions.__annotations__:
        return "this format does not have it, leave it out"
    return nearest(name, LoadOptions.__annotations__)
