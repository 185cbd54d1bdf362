"""Lines that ask whether a description is a system or a mechanism."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from tools.house.sources import PACKAGE, Node, Sources, package_of, union_members

KINDS = ("System", "Mechanism")
ALIKE = 5  # so many public methods in common make two classes a pair


class KindChecks:
    """The lines that ask whether a description is a system or a mechanism; defined above."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        pairs = list(self._pairs())
        members = {x for pair in pairs for x in pair}
        self.classes = {x for x in sources.classes if members & {*sources.ancestors(x)}}
        self.homes = {x.module for x in self.classes}
        bases = {x for member in members for x in sources.ancestors(member)}
        self.asked = {*self.classes, *bases, sources.find(PACKAGE, "Model")}
        self.packages = {
            package_of(module)
            for module in sources.modules
            for value in sources.names[module.name].values()
            if isinstance(value, tuple) and sources.find(*value) in self.asked
        }
        tables = [[sources.attributes(x) for x in pair] for pair in pairs]
        self.one_sided = {name for a, b in tables for name in a.keys() ^ b.keys()}
        self.flags = {name for a, b in tables for name in _differing(a, b, bool)}
        self.flags |= {name for x in self.asked if x for name in self._optional(x)}
        self.texts = {name for a, b in tables for name in _differing(a, b, str)}

    def _pairs(self) -> Iterator[tuple[Node, Node]]:
        system, mechanism = (self.sources.find(PACKAGE, name) for name in KINDS)
        if system is None or mechanism is None:
            return
        yield system, mechanism
        taken = {x: self._first_argument(x) for x in self.sources.classes}
        wrappers = [[x for x in taken if taken[x] == {kind}] for kind in (system, mechanism)]
        for a, b in itertools.product(*wrappers):
            bases = {*self.sources.ancestors(a)} & {*self.sources.ancestors(b)}
            if bases or len(self._methods(a) & self._methods(b)) >= ALIKE:
                yield a, b

    def _first_argument(self, x: Node) -> set[Node]:
        """Return the classes in the annotation of the first argument of the constructor."""
        body = getattr(x.node, "body", ())
        arguments = [child.annotation for child in body if isinstance(child, ast.AnnAssign)]
        for child in body:
            if isinstance(child, ast.FunctionDef) and child.name == "__init__":
                arguments = [y.annotation for y in (*child.args.args[1:], *child.args.kwonlyargs)]
        first = arguments[0] if arguments else None
        return set() if first is None else {*self.sources.classes_in(Node(x.module, first))}

    def _methods(self, x: Node) -> set[str]:
        found = self.sources.attributes(x).items()
        return {k for k, v in found if isinstance(v, ast.FunctionDef) and not k.startswith("_")}

    def _optional(self, x: Node) -> Iterator[str]:
        """Yield the names of the methods and fields of a class that give one of these or None."""
        for child in x.node.body if isinstance(x.node, ast.ClassDef) else ():
            match child:
                case (
                    ast.FunctionDef(name=name, returns=ast.expr() as given)
                    | ast.AnnAssign(target=ast.Name(id=name), annotation=given)
                ) if "None" in map(ast.unparse, union_members(given)):
                    if {*self.sources.classes_in(Node(x.module, given))} & self.classes:
                        yield name

    def _names_one(self, x: Node) -> bool:
        """Tell whether an expression names one of the classes, outside the file that defines it."""
        found = self.sources.classes_in(x)
        return any(y in self.classes and y.module != x.module for y in found)

    def asks(self, x: Node) -> bool:
        """Tell whether a node is a kind check."""
        tested: list[ast.AST | None] = []
        match x.node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
                tested = [classes]
            case ast.Compare(left=left, comparators=right):
                tested = [y for y in (left, *right) if isinstance(y, ast.Name | ast.Attribute)]
            case ast.MatchClass(cls=pattern):
                tested = [pattern]
            case ast.Dict(keys=keys):
                tested = [*keys]
            case ast.FunctionDef(decorator_list=marks, args=ast.arguments(args=[first, *_])):
                tested = [first] if any("register" in ast.unparse(mark) for mark in marks) else []
        names_one = any(y and self._names_one(Node(x.module, y)) for y in tested)
        return names_one or any(self._may_be_one(Node(x.module, y)) for y in self._read(x.node))

    def _read(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the values whose attributes would tell which of the classes they are."""
        value, name = probe(node) or (None, "")
        if value is not None and name in self.one_sided:
            yield value
        match node:
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in self.flags:
                yield value
            case ast.Compare(left=ast.Attribute(value=value, attr=name)) if name in self.texts:
                yield value
            case ast.Match(subject=ast.Attribute(value=value, attr=name)) if name in self.texts:
                yield value

    def _may_be_one(self, x: Node) -> bool:
        """Tell whether a value may be a description, as far as its module and annotations tell."""
        if x.module in self.homes or package_of(x.module) not in self.packages:
            return False
        known = self.sources.annotated_classes(x)
        return not known or bool(known & self.asked)


def _differing(a: dict[str, ast.AST], b: dict[str, ast.AST], kind: type) -> Iterator[str]:
    """Yield the names of the constants of a type, also of methods, that differ in two tables."""
    for name in a.keys() & b.keys():
        values = [_constant(x[name]) for x in (a, b)]
        if values[0] != values[1] and all(isinstance(value, kind) for value in values):
            yield name


def _constant(node: ast.AST) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.FunctionDef(body=[*_, ast.Return(value=ast.Constant(value=value))] as body):
            # nothing but a docstring may stand before the result
            return value if len(body) <= 2 else None
    return None


def probe(node: ast.AST) -> tuple[ast.AST, str] | None:
    """Return value and name of a `hasattr`, or of a `getattr` with a default, of a literal name."""
    match node:
        case (
            ast.Call(func=ast.Name(id="hasattr"), args=[value, ast.Constant(value=str(name))])
            | ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), _])
        ):
            return value, name
    return None
