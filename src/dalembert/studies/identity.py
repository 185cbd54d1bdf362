"""What tells one function from another: its code, and the plain values that it reads."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType

import numpy as np

from dalembert.studies.points.digest import LETTERS, array_digest


def identity(function: object) -> dict[str, str]:
    """Return name and digest of a function.

    The digest covers the code and what it reads (defaults, variables around it, arguments of a
    partial, fields of a dataclass): numbers, texts, arrays, models, collections of these, and
    functions of the same package. What else it may read, such as a file, is not seen.

    >>> identity(lambda rows: 1) == identity(lambda rows: 2)
    False
    """
    return {"name": _name(function), "digest": _digest(function, _package(function), {})}


def _name(x: object) -> str:
    if isinstance(x, functools.partial):
        return f"partial({_name(x.func)})"
    inner = next((v for v in vars(x).values() if callable(v)), None) if is_dataclass(x) else None
    outer = getattr(x, "__qualname__", type(x).__qualname__)
    return f"{outer}({_name(inner)})" if inner is not None else outer


def _package(x: object) -> str:
    """Return the package whose functions are part of a function."""
    while isinstance(x, functools.partial) or (is_dataclass(x) and hasattr(x, "function")):
        x = x.func if isinstance(x, functools.partial) else x.function  # type: ignore[attr-defined]
    return str(getattr(x, "__module__", "")).partition(".")[0]


def _digest(x: object, package: str, known: dict[int, tuple[object, str]]) -> str:
    """Return letters that differ for things that compute something else.

    They depend on values only, not on which of them are one object in memory. Things are kept with
    their digests: each is looked at once, and no other gets its place in memory meanwhile.
    """
    if x is None or isinstance(x, bool | int | float | complex | str | bytes):
        return repr(x)
    if isinstance(x, np.ndarray | np.generic):
        a = np.asarray(x)
        return str(a.tolist()) if a.dtype.hasobject else array_digest(a)
    if id(x) not in known:
        # a function that calls itself meets this one inside
        known[id(x)] = x, "itself"
        parts = [type(x).__qualname__, *(_digest(y, package, known) for y in _contents(x, package))]
        text = "\0".join(parts).encode("utf-8", "backslashreplace")
        known[id(x)] = x, hashlib.sha256(text).hexdigest()[:LETTERS]
    return known[id(x)][1]


def _contents(x: object, package: str) -> Iterator[object]:
    """Yield what a thing consists of, in a fixed order."""
    if isinstance(x, FunctionType):
        yield x.__qualname__
        if str(x.__module__).partition(".")[0] == package:
            yield from (x.__code__, x.__defaults__, x.__kwdefaults__, _read(x))
    elif isinstance(x, CodeType):
        yield from (x.co_code, x.co_names, x.co_consts)
    elif isinstance(x, MethodType):
        yield from (x.__func__, x.__self__)
    elif isinstance(x, functools.partial):
        yield from (x.func, x.args, x.keywords)
    elif isinstance(x, list | tuple):
        yield from x
    elif isinstance(x, set | frozenset):
        yield from sorted(x, key=repr)
    elif isinstance(x, dict):
        yield from x.items()
    elif isinstance(x, type):
        yield x.__qualname__
    elif is_dataclass(x):
        yield from (getattr(x, field.name) for field in fields(x))
    elif type(x).__module__.startswith("dalembert."):
        # a pickle of ours is text that names all that makes the thing
        yield from x.__reduce_ex__(4)[1:3]


def _read(function: FunctionType) -> dict[str, object]:
    """Return the variables around a function that it, or a function inside it, reads."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    around = {name: _value(cell) for name, cell in cells}
    known = function.__globals__
    names = sorted(set(_names(function.__code__)))
    return {name: known[name] for name in names if name in known} | around


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _names(value)


def _value(cell: object) -> object:
    try:
        return cell.cell_contents  # type: ignore[attr-defined]
    except ValueError:
        # a variable that has no value yet
        return None
