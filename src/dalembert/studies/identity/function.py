"""What tells one function from another: its source, and the plain values that it reads."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType

import numpy as np

from dalembert.studies.identity.source import written
from dalembert.studies.points.digest import LETTERS, array_digest


def identity(function: object) -> dict[str, str]:
    """Return name and digest of a function; and the version of Python, if the digest depends on it.

    The digest covers the source and what it reads (defaults, variables around it, arguments of a
    partial, fields of a dataclass): numbers, texts, arrays, models, collections of these, and
    functions of the same package. What else it may read, such as a file, is not seen. Of a function
    without a source, as one of a prompt, it covers the bytecode.

    >>> identity(lambda rows: 1) == identity(lambda rows: 2)
    False
    """
    digests = _Digests(_package(function))
    found = {"name": _name(function), "digest": digests.of(function)}
    return found | {"python": _python()} if digests.have_bytecode else found


def _python() -> str:
    """Return what bytecode depends on.

    >>> _python()  # doctest: +SKIP
    '3.11'
    """
    version = ".".join(map(str, sys.version_info[:2]))
    return f"{version} {'-' + sys.flags.optimize * 'O'}" if sys.flags.optimize else version


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


class _Digests:
    """Digests of things that a function of a package consists of."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.have_bytecode = False
        # things are kept with their digests: no other gets their place in memory meanwhile
        self._known: dict[int, tuple[object, str]] = {}

    def of(self, x: object) -> str:
        """Return letters that differ for things that compute something else.

        They depend on values only, not on which of them are one object in memory.
        """
        if x is None or isinstance(x, bool | int | float | complex | str | bytes):
            return repr(x)
        if isinstance(x, np.ndarray | np.generic):
            a = np.asarray(x)
            return str(a.tolist()) if a.dtype.hasobject else array_digest(a)
        if id(x) not in self._known:
            # a function that calls itself meets this one inside
            self._known[id(x)] = x, "itself"
            contents = self._function(x) if isinstance(x, FunctionType) else _contents(x)
            parts = [type(x).__qualname__, *map(self.of, contents)]
            text = "\0".join(parts).encode("utf-8", "backslashreplace")
            self._known[id(x)] = x, hashlib.sha256(text).hexdigest()[:LETTERS]
        return self._known[id(x)][1]

    def _function(self, x: FunctionType) -> Iterator[object]:
        yield x.__qualname__
        if str(x.__module__).partition(".")[0] == self.package:
            source = written(x)
            self.have_bytecode |= source is None
            yield x.__code__ if source is None else source.text
            asserted = source.asserted if source else frozenset[str]()
            yield from (x.__defaults__, x.__kwdefaults__, _read(x, asserted))


def _contents(x: object) -> Iterator[object]:
    """Yield what a thing consists of, in a fixed order."""
    if isinstance(x, CodeType):
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


def _read(function: FunctionType, asserted: Collection[str]) -> dict[str, object]:
    """Return the variables around a function that it, or a function inside it, reads.

    Those that its assertions read are among them also where Python leaves assertions out.
    """
    code, known = function.__code__, function.__globals__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    around = {name: _value(cell) for name, cell in cells}
    names = sorted({*_names(code), *set(asserted).difference(code.co_varnames)})
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
