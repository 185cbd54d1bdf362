"""Names in signatures lead to what they mean on their page: two packages may share a name."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any, Protocol

from tools.site.api import packages, public_names


class Document(Protocol):
    """A page that Sphinx has read."""

    settings: Any

    def findall(self, kind: type) -> Iterator[MutableMapping[str, Any]]:
        """Yield its nodes of a kind."""
        ...


def qualify(document: Document, package: str, reference: type) -> None:
    """Complete the bare names on the page of a package; one that may mean two things is no link."""
    known = owners(package)
    for node in document.findall(reference):
        if node.get("refdomain") != "py":
            continue
        if target := known.get(node["reftarget"]):
            node["reftarget"] = f"{target}.{node['reftarget']}"
        elif "refspecific" in node:
            # Sphinx would take the first of all names with this ending
            del node["refspecific"]


def owners(package: str) -> dict[str, str]:
    """Return for each public name its package as seen from one of them, whose own names win."""
    found: dict[str, list[str]] = {}
    for owner in packages():
        for name in public_names(owner):
            found.setdefault(name, []).append(owner)
    return {
        name: package if package in homes else homes[0]
        for name, homes in found.items()
        if package in homes or len(homes) == 1
    }


def package_of(document_name: str) -> str | None:
    """Return the package whose page it is.

    >>> package_of("api/dalembert.control")
    'dalembert.control'
    """
    name = document_name.removeprefix("api/")
    return name if name in packages() else None
