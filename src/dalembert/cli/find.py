"""From FILE on the command line to what it names: a file, or a worked example."""

import errno
import os
from collections.abc import Callable, Sequence
from inspect import signature
from typing import cast

from dalembert import textbook
from dalembert.cli.allowed import Allowed
from dalembert.cli.subject import Subject
from dalembert.errors import FileError, UnknownName, nearest
from dalembert.mechanics import System
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io import load
from dalembert.mechanism.io.load import FORMATS
from dalembert.mechanism.io.options import LoadOptions
from dalembert.mechanism.io.xml.angles import repaired_angles

LAGRANGIAN = ".toml"
# no systems: h(q) of one, and a tensor
OTHERS = ("robots", "rp_arm_positions", "block")
OPTIONS = {
    Allowed.repair: "repair",
    Allowed.nonphysical: "accept_nonphysical",
    Allowed.missing_meshes: "missing_meshes",
    Allowed.massless: "massless",
}
"""What they are called in Python."""
FOR = {
    Allowed.repair: (".urdf", ".sdf"),
    Allowed.nonphysical: (".urdf", ".sdf", ".json", ".xml", ".mjcf"),
    Allowed.missing_meshes: (".xml", ".mjcf"),
    Allowed.massless: (".urdf", ".sdf", ".json", ".xml", ".mjcf"),
}
"""The formats that have them."""
MAX_COUNT = 50
"""Links of a chain that is named on the command line."""


def find(
    text: str,
    allow: Sequence[Allowed] | None = None,
    values: Sequence[str] | None = None,
    *,
    exact_angles: bool = False,
) -> Subject:
    """Return what FILE names: the worked example of that name, or what the file describes.

    A chain of n links is ``planar_chain:3``. A path with a slash or an ending is a file.

    Args:
        text: FILE.
        allow: What the file may be read with.
        values: Numbers of parameters, ``NAME=NUMBER`` each.
        exact_angles: Take π/2 for 1.5708, as equations need it, and say so.

    Raises:
        DalembertError: there is nothing of that name, or the file is wrong.
    """
    from dalembert.cli.numbers import by_name

    subject = _example(text) if is_example(text) else _from_file(text, allow or (), exact_angles)
    return subject.with_values(by_name(values, "--value")) if values else subject


def is_example(text: str) -> bool:
    """Tell whether a text names a worked example rather than a file."""
    return text.partition(":")[0] in examples() and not os.path.exists(text)


def examples() -> dict[str, str]:
    """Return the worked examples: for each name the first sentence about it."""
    makers = {
        **{name: getattr(textbook, name) for name in textbook.__all__ if name not in OTHERS},
        **{name: getattr(textbook.robots, name) for name in textbook.robots.__all__},
    }
    return {
        name: (make.__doc__ or name.replace("_", " "))
        .split("\n")[0]
        .removeprefix("Return ")
        .rstrip(".")
        for name, make in sorted(makers.items())
    }


def needs_count(name: str) -> bool:
    """Tell whether an example is made for a number of links."""
    return bool(signature(_maker(name)).parameters)


def _maker(name: str) -> Callable[..., System | Mechanism]:
    return getattr(textbook, name, None) or getattr(textbook.robots, name)


def _example(text: str) -> Subject:
    name, _, count = text.partition(":")
    make = _maker(name)
    if not needs_count(name):
        if count:
            raise UnknownName(f"expected {name} without a number, got {text[:60]!r}")
        made = make()
    elif count.isdecimal() and len(count) < 4 and 1 <= int(count) <= MAX_COUNT:
        made = make(int(count))
    else:
        raise UnknownName(
            f"expected a number of links from 1 to {MAX_COUNT}, got {text[:60]!r}: write {name}:3"
        )
    return Subject(text, made)


def _from_file(text: str, allow: Sequence[Allowed], exact_angles: bool) -> Subject:
    ending = os.path.splitext(text)[1].lower()
    if not os.path.lexists(text) and not ending and os.sep not in text:
        known = examples()
        raise UnknownName(
            f"expected a file or a worked example, got {text[:60]!r} ({nearest(text, known)}): "
            "dalembert textbook lists the examples"
        )
    if ending == LAGRANGIAN:
        from dalembert.cli.files.lagrangian import read_lagrangian

        return read_lagrangian(text)
    options = load_options(text, allow)
    if exact_angles and ending in FOR[Allowed.repair]:
        options = LoadOptions(repair={"angles"}) | options
    mechanism = load(text, **options)
    repaired = repaired_angles(mechanism.notes) if exact_angles else ""
    notes = (f"{repaired}; --as-written keeps the digits",) if repaired else ()
    return Subject(mechanism.name, mechanism, notes=notes)


def load_options(text: str, allow: Sequence[Allowed]) -> LoadOptions:
    """Return the options of `da.load` for a file.

    Raises:
        FileError: the format of the file does not have one of them.
    """
    ending = os.path.splitext(text)[1].lower()
    for allowed in allow:
        if ending in FORMATS and ending not in FOR[allowed]:
            known = ", ".join(FOR[allowed])
            raise FileError(
                errno.EINVAL,
                f"expected --allow {allowed} with a file ending {known}, got {text[:200]!r}: "
                "drop it",
            )
    return cast(LoadOptions, {OPTIONS[allowed]: True for allowed in allow})
