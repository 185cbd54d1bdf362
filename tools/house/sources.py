"""The modules of a source tree, and what the names in them stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.project.source_tree import Module, modules

PACKAGE = "dalembert"


class Node(NamedTuple):
    """A node of a syntax tree, and the module it stands in."""

    module: Module
    node: ast.AST

    @property
    def place(self) -> str:
        return f"{self.module.place}:{getattr(self.node, 'lineno', 1)}"

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        return (Node(self.module, child) for child in ast.walk(self.node))


class Sources:
    """The modules of a source folder, and what the names in them stand for."""

    def __init__(self, src: Path) -> None:
        self.modules = modules(src)
        # nodes are compared by identity: each file has one tree for as long as this lives
        self.trees = [module.tree for module in self.modules]
        self.files = [module for module in self.modules if not module.is_package]
        self.by_name = {module.name: module for module in self.modules}
        self.names = {module.name: dict(_bindings(module)) for module in self.modules}
        self.top = [Node(module, node) for module in self.modules for node in module.tree.body]
        self.classes = [x for x in self.top if isinstance(x.node, ast.ClassDef)]
        self.nodes = [x for module in self.modules for x in Node(module, module.tree).walk()]

    def find(self, module: str, name: str) -> Node | None:
        """Return what a name of a module stands for: a class, a function, a module or a value."""
        match self.names.get(module, {}).get(name):
            case (source, original) if (source, original) != (module, name):
                return self.find(source, original)
            case ast.AST() as node:
                return Node(self.by_name[module], node)
        found = self.by_name.get(f"{module}.{name}".strip("."))
        return None if found is None else Node(found, found.tree)

    def resolve(self, x: Node) -> Node | None:
        """Return what an expression stands for, if it is a name, with or without dots."""
        match x.node:
            case ast.Name(id=name):
                return self.find(x.module.name, name)
            case ast.Attribute(value=owner, attr=name):
                found = self.resolve(Node(x.module, owner))
                if found is not None and isinstance(found.node, ast.Module):
                    return self.find(found.module.name, name)
        return None

    def classes_in(self, x: Node) -> Iterator[Node]:
        """Yield the classes of the package that an expression names, also through aliases."""
        for found in map(self.resolve, x.walk()):
            if found is not None and isinstance(found.node, ast.ClassDef):
                yield found
            elif found is not None and isinstance(found.node, ast.expr) and found != x:
                yield from self.classes_in(found)

    def ancestors(self, x: Node) -> Iterator[Node]:
        """Yield a class and those of the package that it derives from."""
        yield x
        for base in getattr(x.node, "bases", ()):
            for found in self.classes_in(Node(x.module, base)):
                yield from self.ancestors(found)

    def attributes(self, x: Node | None) -> dict[str, ast.AST]:
        """Return what the instances of a class have, by name, inherited or not."""
        found: dict[str, ast.AST] = {}
        for _, node in () if x is None else self.ancestors(x):
            inside = [pair for child in getattr(node, "body", ()) for pair in _assigned(child)]
            for child in ast.walk(node):
                match child:
                    case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                        inside.append((name, child))
            found = dict(reversed(inside)) | found
        return found

    def annotated_classes(self, x: Node) -> set[Node]:
        """Return the classes that the annotations of a variable name, anywhere in its module."""
        name = x.node.id if isinstance(x.node, ast.Name) else ""
        found = []
        for child in ast.walk(x.module.tree):
            match child:
                case (
                    ast.arg(arg=variable, annotation=ast.expr() as annotation)
                    | ast.AnnAssign(target=ast.Name(id=variable), annotation=annotation)
                ) if variable == name:
                    found += self.classes_in(Node(x.module, annotation))
        return set(found)

    def any_in(self, x: Node) -> str:
        """Return how an annotation has `Any`: "whole", "inside", "alias", or "" if it has none."""
        if any(self._is_any(Node(x.module, member)) for member in union_members(x.node)):
            return "whole"
        if any(map(self._is_any, x.walk())):
            return "inside"
        values = [y for y in map(self.resolve, x.walk()) if y and isinstance(y.node, ast.expr)]
        return "alias" if any(y != x and self.any_in(y) for y in values) else ""

    def _is_any(self, x: Node) -> bool:
        if isinstance(x.node, ast.Name):
            return self.names[x.module.name].get(x.node.id) == ("typing", "Any")
        return isinstance(x.node, ast.Attribute) and ast.unparse(x.node) == "typing.Any"


def _bindings(module: Module) -> Iterator[tuple[str, object]]:
    """Yield names with what defines them, or with the module and name they are imported from."""
    for node in ast.walk(module.tree):
        match node:
            case ast.ImportFrom(module=str(source), names=names, level=0):
                yield from ((alias.asname or alias.name, (source, alias.name)) for alias in names)
            case ast.Import(names=names):
                for alias in names:
                    top = alias.name.split(".")[0]
                    yield alias.asname or top, (alias.name if alias.asname else top, "")
    for node in module.tree.body:
        yield from _assigned(node)


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a statement defines, with a class, a function or a value."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            yield name, node
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            yield name, value or node
        case ast.Assign(targets=targets, value=value):
            yield from ((x.id, value) for x in targets if isinstance(x, ast.Name))


def union_members(annotation: ast.AST) -> list[ast.AST]:
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*union_members(left), *union_members(right)]
    return [annotation]


def package_of(module: Module) -> str:
    return ".".join(module.name.split(".")[:2])
