"""Public names: what loads late is listed everywhere, and what is returned can be imported."""

import ast
import importlib
from collections.abc import Iterator

import pytest

import dalembert as da
from dalembert import lazy
from tests.project.source_tree import SRC
from tools.house.sources import Node, Sources
from tools.surface import PAGE, surface

SOURCES = Sources(SRC)

# what a user imports from; what these return may be exported by any package
PUBLIC = (
    "dalembert",
    *(
        f"dalembert.{name}"
        for name in (
            *("analysis", "control", "identification", "ik", "mechanics", "mechanism"),
            *("model", "simulation", "spatial", "studies", "textbook"),
        )
    ),
)


def names_of(package: str) -> list[str]:
    """Return what a package exports."""
    found = SOURCES.names[package].get("__all__")
    return [] if found is None else ast.literal_eval(found)  # type: ignore[arg-type]


def exported(package: str) -> Iterator[Node]:
    """Yield the classes and functions that a package exports."""
    for name in names_of(package):
        # what loads late is imported for types
        found = SOURCES.find(package, name)
        if found is not None and isinstance(found.node, ast.ClassDef | ast.FunctionDef):
            yield found


def functions_of(x: Node) -> Iterator[Node]:
    """Yield a function, or the public methods and properties of a class, inherited or not."""
    if isinstance(x.node, ast.FunctionDef):
        yield x
        return
    for module, node in SOURCES.ancestors(x):
        for child in getattr(node, "body", ()):
            if isinstance(child, ast.FunctionDef) and not child.name.startswith("_"):
                yield Node(module, child)


def returned_classes(x: Node) -> Iterator[Node]:
    returns = getattr(x.node, "returns", None)
    if returns is not None:
        yield from SOURCES.classes_in(Node(x.module, returns))


def test_every_class_that_is_returned_can_be_imported_from_a_package() -> None:
    known = {x for module in SOURCES.modules for x in exported(module.name)}
    # types are imported from their module
    known |= {x for x in SOURCES.classes if x.module.name == "dalembert.types"}
    missing = {
        f"{function.place}: {function.node.name} returns {found.node.name}"  # type: ignore[attr-defined]
        for package in PUBLIC
        for x in exported(package)
        for function in functions_of(x)
        for found in returned_classes(function)
        if found not in known
    }
    assert not missing, "\n".join(["export these in a package:", *sorted(missing)])


def imported_for_types() -> dict[str, str]:
    """Return the names that dalembert/__init__.py imports for types alone, with their modules."""
    (module,) = (x for x in SOURCES.modules if x.name == "dalembert")
    (block,) = (x for x in module.tree.body if isinstance(x, ast.If))
    return {
        alias.name: str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_names_that_load_late_are_the_same_everywhere() -> None:
    late = {**dict.fromkeys(lazy.PACKAGES, "dalembert"), **lazy.NAMES}
    assert imported_for_types() == late
    assert {*late} <= {*da.__all__}
    assert {*late} <= {*dir(da)}


@pytest.mark.parametrize("name", [*lazy.PACKAGES, *lazy.NAMES])
def test_names_that_load_late_load(name: str) -> None:
    found = getattr(da, name)
    assert name in lazy.PACKAGES or found is vars(importlib.import_module(lazy.NAMES[name]))[name]


def test_public_names_are_those_of_the_list() -> None:
    """A change of what people may write is seen in the list, and belongs into the changelog."""
    listed = PAGE.read_text(encoding="utf-8").split()
    came, went = sorted({*surface()} - {*listed}), sorted({*listed} - {*surface()})
    assert not came and not went, f"came: {came}, went: {went}; python -m tools.surface"  # noqa: PT018
