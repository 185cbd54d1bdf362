"""The modules of a source tree and what they import, read without running them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from weakref import WeakValueDictionary

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"


@dataclass(frozen=True)
class Import:
    """One imported name, for example `dalembert.expr.node`, and where it stands."""

    target: str
    line: int
    at_call_time: bool  # inside a function
    for_types_only: bool  # under `if TYPE_CHECKING`


@dataclass(frozen=True)
class Module:
    """A Python file below a source folder."""

    path: Path
    src: Path

    @cached_property
    def name(self) -> str:
        parts = self.path.relative_to(self.src).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def place(self) -> str:
        """The path as a person would type it: `src/dalembert/expr/node.py`."""
        return self.path.relative_to(self.src.parent).as_posix()

    @property
    def tree(self) -> ast.Module:
        """The syntax tree: the same one for as long as somebody holds it, as all take 200 MB."""
        tree = _TREES.get(self.path)
        if tree is None:
            text = self.path.read_text(encoding="utf-8")
            tree = _TREES[self.path] = ast.parse(text, str(self.path))
        return tree

    @cached_property
    def imports(self) -> list[Import]:
        return list(_imports(self, self.tree, False, False))


_TREES: WeakValueDictionary[Path, ast.Module] = WeakValueDictionary()


def modules(src: Path = SRC) -> list[Module]:
    """Return the modules below a source folder, in the order of their paths."""
    return _package() if src == SRC else _below(src)


@cache
def _package() -> list[Module]:
    """Return the modules of the package: a process reads their imports once."""
    return _below(SRC)


def _below(src: Path) -> list[Module]:
    return [Module(path, src) for path in sorted(src.rglob("*.py"))]


def _imports(module: Module, node: ast.AST, late: bool, typing: bool) -> Iterator[Import]:
    for target in _targets(module, node):
        yield Import(target, getattr(node, "lineno", 0), late, typing)
    if isinstance(node, ast.If) and _mentions_type_checking(node.test):
        for child in node.body:
            yield from _imports(module, child, late, True)
        for child in node.orelse:
            yield from _imports(module, child, late, typing)
        return
    late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from _imports(module, child, late, typing)


def _targets(module: Module, node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=source, names=names, level=level):
            source = _absolute(module, source or "", level)
            # `from package import name` imports package.name where that is a module
            return [_submodule(module.src, source, alias.name) or source for alias in names]
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__")
            | ast.Attribute(attr="import_module" | "__import__"),
            args=[ast.Constant(value=str(target)), *_],
        ):
            level = len(target) - len(target.lstrip("."))
            return [_absolute(module, target.lstrip("."), level)]
    return []


def _absolute(module: Module, source: str, level: int) -> str:
    if level == 0:
        return source
    package = module.name.split(".")
    # one dot is the package itself: for a module its parent, for an __init__ its own name
    up = level - 1 if module.is_package else level
    return ".".join([*package[: len(package) - up], *filter(None, [source])])


def _submodule(src: Path, package: str, name: str) -> str | None:
    folder = src.joinpath(*package.split("."))
    found = (folder / f"{name}.py").exists() or (folder / name).is_dir()
    return f"{package}.{name}" if found else None


def _mentions_type_checking(test: ast.expr) -> bool:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
    return False
