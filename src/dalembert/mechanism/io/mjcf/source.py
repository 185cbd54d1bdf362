"""MJCF text to a tree of elements that know their file and line, includes put in place.

Only this reader opens the files of a model; MuJoCo later sees one text that we wrote.
"""

from __future__ import annotations

import os
from pathlib import Path

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.jail import Jail, inside
from dalembert.mechanism.io.xml.source import Source, file_name, is_text, read_text
from dalembert.mechanism.io.xml.xml import MAX_DEPTH, Element, parse_xml

MAX_FILES = 200
MAX_CHARACTERS = 64 << 20


class ModelSource:
    """Where a model is read from: its name, its folder in the jail, the place of each element."""

    def __init__(self, model: Source, root: str | os.PathLike[str] | None) -> None:
        self.model, self.name = model, file_name(model)
        self.read: list[Path] = []
        self._length = 0
        self._files: dict[Element, str] = {}
        if is_text(model):
            self.jail, self.folder = Jail(root), ""
        else:
            path = Path(os.fspath(model))  # type: ignore[arg-type]
            if "\0" in self.name:
                raise InvalidMechanism(
                    f"expected the path of an MJCF file, or text that starts with '<', got "
                    f"{shown(self.name)}"
                )
            self.jail = Jail(path.parent if root is None else root)
            self.folder = "" if root is None else _folder_below(path, Path(root))

    def tree(self) -> Element:
        """Return the model with every include replaced by what it names."""
        root = self._parse(self.model, self.name)
        if root.tag != "mujoco":
            remedy = (
                "this is a URDF, load it as one" if root.tag == "robot" else "give an MJCF file"
            )
            raise InvalidMechanism(
                f"{self.place(root)}: expected <mujoco>, got <{root.tag[:40]}>: {remedy}"
            )
        self._include(root, [self.folder], 0)
        return root

    def place(self, element: Element) -> str:
        """Return ``file:line`` of an element."""
        return f"{self._files.get(element, self.name)}:{element.line}"

    def find(self, name: str, folder: str, element: Element) -> Path | None:
        """Return the file of an asset, or None where it does not exist."""
        return self.jail.find((self.folder, folder, name), where=self.place(element))

    def submodel(self, path: Path, name: str) -> ModelSource:
        """Return the source of a model that this one attaches; it has the same jail."""
        other = ModelSource(path, None)
        other.jail, other.folder = self.jail, inside(self.folder, f"{name}/..", where=self.name)
        other.read, other._length = self.read, self._length
        return other

    def _include(self, element: Element, folders: list[str], depth: int) -> None:
        if depth > MAX_DEPTH:
            raise InvalidMechanism(
                f"{self.place(element)}: expected elements at most {MAX_DEPTH} deep, got more"
            )
        children: list[Element] = []
        for child in element.children:
            if child.tag == "include":
                children += self._included(child, folders, depth).children
            else:
                self._include(child, folders, depth + 1)
                children.append(child)
        element.children = children

    def _included(self, element: Element, folders: list[str], depth: int) -> Element:
        where, name = self.place(element), element.attributes.get("file")
        if not name or element.children:
            got = "elements inside it" if name else "one without a file"
            raise InvalidMechanism(f"{where}: expected an empty <include file=…/>, got {got}")
        # MuJoCo looks beside the main file first, then beside the including one
        path = self.jail.find((folders[0], name), (folders[-1], name), where=where)
        if path is None:
            raise InvalidMechanism(
                f"{where}: expected a file to include, got {name!r}, which does not exist: "
                f"put it below {self.jail.root}"
            )
        if path in self.read:
            raise InvalidMechanism(
                f"{where}: expected each file to be included once, got {name!r} again"
            )
        self.read.append(path)
        tree = self._parse(path, str(path))
        assert self.jail.root is not None
        here = path.parent.relative_to(self.jail.root).as_posix()
        self._include(tree, [*folders, "" if here == "." else here], depth + 1)
        return tree

    def _parse(self, source: Source, name: str) -> Element:
        report = Report(name)
        text = read_text(source, report)
        self._length += len(text or "")
        if len(self.read) > MAX_FILES or self._length > MAX_CHARACTERS:
            raise InvalidMechanism(
                f"{name}:1: expected at most {MAX_FILES} files of {MAX_CHARACTERS >> 20} MiB "
                "together, got more: a robot does not need that"
            )
        root = parse_xml(text, report) if text is not None else None
        report.raise_errors()
        assert root is not None
        if name != self.name:
            pending = [root]
            while pending:
                element = pending.pop()
                self._files[element] = name
                pending += element.children
        return root


def _folder_below(path: Path, root: Path) -> str:
    """Return the folder of the model relative to the root."""
    folder, top = (Path(os.path.abspath(p)) for p in (path.parent, root))
    if folder != top and top not in folder.parents:
        raise InvalidMechanism(
            f"expected the model below root={os.fspath(root)!r}, got {os.fspath(path)!r}"
        )
    relative = folder.relative_to(top).as_posix()
    return "" if relative == "." else relative
