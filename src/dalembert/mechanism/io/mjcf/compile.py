"""Run MuJoCo's compiler on a model, quietly and without files."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.mjcf.source import ModelSource
from dalembert.mechanism.io.mjcf.text import ModelText, rewrite
from dalembert.mechanism.io.xml.source import Source
from dalembert.optional import require

# MuJoCo's warning handler is one for the whole process
_HANDLER = threading.Lock()
# the models on which it failed in a way that it did not foresee: it may hold a lock since then
_BROKEN_BY: list[str] = []


class Compiled(NamedTuple):
    """An `mujoco.MjModel`, the warnings of the compiler, and the bodies of unknown inertia.

    Those are fixed to the world and need a mesh that is missing. ``text`` is what was compiled.
    """

    model: Any
    notes: list[str]
    unknown: frozenset[int]
    text: ModelText


def compile_mjcf(
    model: Source, root: str | os.PathLike[str] | None, missing_meshes: bool
) -> Compiled:
    """Compile a file or text.

    Raises:
        InvalidMechanism: the model or a file it names is refused, or the compiler refuses it.
        MissingDependency: MuJoCo is not installed.
    """
    mujoco = import_mujoco()
    text = rewrite(ModelSource(model, root), placeholder=1.0 if missing_meshes else None)
    compiled, warnings = _compile(mujoco, text)
    unknown: frozenset[int] = frozenset()
    if text.missing:
        # with another stand-in the same inertias must come out
        other, _ = _compile(mujoco, rewrite(ModelSource(model, root), placeholder=2.0))
        unknown = _differing(compiled, other)
        _require_fixed(mujoco, compiled, unknown, text)
    return Compiled(compiled, [*text.missing, *(f"MuJoCo: {w}" for w in warnings)], unknown, text)


def import_mujoco() -> ModuleType:
    """Return the module, or say how to install it."""
    return require("mujoco", "MJCF")


def _compile(mujoco: ModuleType, text: ModelText) -> tuple[Any, list[str]]:
    file = text.places[0].rpartition(":")[0]
    if _BROKEN_BY:
        raise InvalidMechanism(
            f"{file}: cannot compile MJCF: MuJoCo broke down on {_BROKEN_BY[0]} in this process: "
            "start a new one"
        )
    with _quiet(mujoco) as warnings:
        try:
            model = mujoco.MjModel.from_xml_string(text.text, text.assets)
        # ValueError, FatalError, UnexpectedError and a few more: all of them refuse the model
        except Exception as error:
            if not isinstance(error, ValueError | mujoco.FatalError):
                _BROKEN_BY.append(file)
            raise InvalidMechanism(
                f"{file}: MuJoCo's compiler refuses the model: {text.located(str(error))}"
            ) from None
    return model, [text.located(w) for w in warnings]


@contextmanager
def _quiet(mujoco: ModuleType) -> Iterator[list[str]]:
    """Collect warnings that MuJoCo would print and write to MUJOCO_LOG.TXT."""
    warnings: list[str] = []
    with _HANDLER:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(warnings.append)
        try:
            yield warnings
        finally:
            mujoco.set_mju_user_warning(before)


def _differing(one: Any, other: Any) -> frozenset[int]:
    """Return the bodies whose inertia is not the same in both models."""
    fields = ("body_mass", "body_ipos", "body_iquat", "body_inertia")
    return frozenset(
        body
        for body in range(one.nbody)
        if any((getattr(one, f)[body] != getattr(other, f)[body]).any() for f in fields)
    )


def _require_fixed(mujoco: ModuleType, model: Any, bodies: frozenset[int], text: ModelText) -> None:
    for body in sorted(bodies):
        # a body that is fixed to the world never moves its mass
        if model.body_weldid[body] != 0:
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) or f"#{body}"
            raise InvalidMechanism(
                f"expected body {name!r} to give its <inertial>, got one whose inertia comes from "
                "a missing mesh: put the mesh there, or write its <inertial>\n"
                + "\n".join(line.rpartition(";")[0] for line in text.missing)
            )
