"""One call that loads a file and asks other engines about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Unpack

from dalembert.errors import InvalidMechanism
from dalembert.files import path_text
from dalembert.mechanism.io import load
from dalembert.mechanism.io.given import text_of
from dalembert.mechanism.io.xacro import expanded
from dalembert.mechanism.io.xml.diagnosis import Report
from dalembert.mechanism.io.xml.source import read_text
from dalembert.model.engines.compare import ENGINES, Comparison, compare_with

if TYPE_CHECKING:
    from dalembert.mechanism.io.options import LoadOptions, Path


def check_against(
    source: Path, *engines: str, **options: Unpack[LoadOptions]
) -> tuple[Comparison, ...]:
    """Compare what other engines make of a URDF or xacro file with what `load` makes of it.

    Args:
        source: A path, or the text of a URDF.
        engines: "pinocchio" or "mujoco". Default: both.
        options: Those of `load`, such as ``xacro=True`` or ``packages=``.

    Returns:
        For each engine the links and torques that agree, the differences with their likely
        reasons, or the words with which it refused the file.

    Raises:
        InvalidMechanism: The file is neither URDF nor xacro, or is wrong.
        UnknownName: There is no such engine.
        MissingDependency: The engine is not installed.

    >>> import dalembert as da
    >>> text = '''<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    ...   <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="j" type="continuous"><axis xyz="0 0 1"/><parent link="a"/>
    ...     <child link="b"/></joint></robot>'''
    >>> [found.ok for found in check_against(text, "mujoco")]
    [True]
    """
    mechanism = load(source, **options)
    text = _urdf(source, options)
    return tuple(compare_with(engine, text, mechanism) for engine in engines or ENGINES)


def _urdf(source: Path, options: LoadOptions) -> str:
    """Return the URDF that a file holds, or expands to."""
    given = text_of(source)
    if given is not None:
        return given.decode("utf-8", "replace") if isinstance(given, bytes) else given
    ending = os.path.splitext(path_text(source))[1].lower()
    if ending == ".xacro":
        return expanded(source, options.get("xacro", False), options.get("packages")).text
    if ending != ".urdf":
        raise InvalidMechanism(
            f"{path_text(source)}: expected a .urdf or .xacro file to compare, got "
            f"{ending or 'no ending'}: save it as URDF first"
        )
    text = read_text(source, Report(path_text(source)))
    assert text is not None
    return text
