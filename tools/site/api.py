"""The pages of the API: every public name once, as its docstring tells it."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import dalembert
from tools.site.docstrings import escaped

# what `dalembert` does not export, but what its functions take and return
PARTS = ("mechanics", "mechanism", "model", "spatial", "textbook.robots")
# methods of Python's own classes are not ours to explain
FOREIGN = "BaseException, Exception, tuple, str, int, dict, Enum, Protocol, Generic, Warning"


def write_api(folder: Path) -> None:
    """Write a page for each public package, and one that lists them, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    names = packages()
    for name in names:
        (folder / f"{name}.rst").write_text(package_page(name), encoding="utf-8")
    (folder / "index.rst").write_text(index_page(names), encoding="utf-8")


def packages() -> list[str]:
    """Return the packages with public names, `dalembert` first."""
    exported = [n for n in dalembert.__all__ if isinstance(getattr(dalembert, n), ModuleType)]
    return ["dalembert", *(f"dalembert.{name}" for name in sorted({*exported, *PARTS}))]


def public_names(package: str) -> list[str]:
    """Return the names that the page of a package explains, functions and classes as they come.

    A name that `dalembert` itself exports is explained there only.
    """
    module = importlib.import_module(package)
    above = [] if module is dalembert else [getattr(dalembert, n) for n in dalembert.__all__]
    return [name for name in module.__all__ if _is_explained(getattr(module, name), above)]


def _is_explained(value: object, above: list[object]) -> bool:
    return callable(value) and not any(value is other for other in above)


def index_page(names: list[str]) -> str:
    """Return the page that lists the packages with their first sentences."""
    lines = _title("API")
    for name in names:
        lines += [f":doc:`{name}`", f"    {_summary(importlib.import_module(name))}", ""]
    return "\n".join([*lines, ".. toctree::", "    :hidden:", "", *(f"    {n}" for n in names), ""])


def package_page(package: str) -> str:
    """Return the page of a package: a table of its names, then each with its docstring."""
    module = importlib.import_module(package)
    names = public_names(package)
    lines = [*_title(package), _summary(module), "", ".. list-table::", "    :widths: 30 70", ""]
    for name in names:
        value = getattr(module, name)
        lines += [f"    * - :py:obj:`~{package}.{name}`", f"      - {_summary(value)}"]
    lines += ["", f".. currentmodule:: {package}", ""]
    for name in names:
        lines += _entry(name, getattr(module, name))
    return "\n".join(lines)


def _entry(name: str, value: object) -> list[str]:
    if not inspect.isclass(value):
        return [f".. autofunction:: {name}", ""]
    return [f".. autoclass:: {name}", "    :members:", f"    :inherited-members: {FOREIGN}", ""]


def _title(text: str) -> list[str]:
    return [text, "=" * len(text), ""]


def _summary(value: object) -> str:
    """Return the first sentence of a docstring."""
    paragraph = (inspect.getdoc(value) or "").split("\n\n")[0]
    return escaped([" ".join(paragraph.split())])[0]
