"""URDF with macros, expanded by the xacro package, for those who trust the file.

Xacro computes the expressions of a file, opens what it includes and reads the environment: such a
file is a program. It is run only for those who say so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from dalembert.errors import InvalidMechanism, MissingDependency
from dalembert.files import path_text

Trust = bool | Mapping[str, str]
"""Whether a xacro file may be run; a mapping trusts it and sets its arguments."""


def expanded(path: str | os.PathLike[str], trust: Trust) -> str:
    """Return the text that a xacro file expands to.

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
    try:
        import xacro
    except ImportError:
        raise MissingDependency(
            "expected the xacro package to expand macros, got none: pip install xacro"
        ) from None
    arguments = dict(trust) if isinstance(trust, Mapping) else {}
    try:
        document: Any = xacro.process_file(name, mappings=arguments)
        return str(document.toxml())
    # whatever a program raises: all of it refuses the model
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InvalidMechanism(f"{name}: xacro refuses the file: {reason[:500]}") from None
