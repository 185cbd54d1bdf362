"""Whether two certificates describe the same system: their descriptions as functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dalembert.certificates import check
from dalembert.certificates.check import ENERGIES, FORCES, NAMES, Ring


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return a line for each part of the description in which two certificates differ.

    Both programs are run over one ring of the checker: parts that are equal as functions are equal,
    however their steps were written.

    Raises:
        check.Refused: one of them cannot be read.
    """
    found = []
    for part in NAMES[:4]:
        # parameters and inputs have no order
        as_read = list if part in ("coordinates", "multipliers") else set
        if as_read(old[part]) != as_read(new[part]):
            found.append(f"{part}: {', '.join(old[part])}, and now {', '.join(new[part])}")
    if found:
        return found
    check.Meter.work = check.MAX_WORK
    domains = [_domain(data) for data in (old, new)]
    if domains[0] != domains[1]:
        found.append(
            f"defined where: {domains[0] or 'everywhere'}, and now: {domains[1] or 'everywhere'}"
        )
    ring = _ring(old)
    sides = []
    for data in (old, new):
        given = data["description"]
        values = check.run(ring, given["program"])
        parts = {k: given[k] for k in (*FORCES, *ENERGIES, "lagrangian") if k in given}
        sides.append(dict(_leaves(parts, values)))
    first, second = sides
    for name in dict.fromkeys([*first, *second]):
        if name not in first or name not in second:
            found.append(f"{name}: {'added' if name in second else 'missing now'}")
        elif not _equal(ring, first[name], second[name]):
            shown = (_text(ring, side[name]) for side in sides)
            found.append(f"{name}: {', and now '.join(shown)}")
    return found


def _ring(data: Mapping[str, Any]) -> Ring:
    """Return a ring with the symbols of a certificate."""
    moving = [x + rate for rate in ("", ".dot", ".ddot") for x in data["coordinates"]]
    return Ring([*moving, "t", *(x for part in NAMES[1:4] for x in data[part])], [])


def _domain(data: Mapping[str, Any]) -> str:
    """Return where a description is defined."""
    ring = _ring(data)
    check.run(ring, data["description"]["program"])
    return check.conditions(ring, 0, len(ring.names))


def _leaves(part: Any, values: list[check.Poly], name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the entries of nested parts by names such as ``bodies 2 mass``."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "parent":
                yield f"{name} parent".strip(), value
            else:
                yield from _leaves(value, values, f"{name} {key}".strip())
    elif isinstance(part, list):
        for k, value in enumerate(part):
            yield from _leaves(value, values, f"{name} {k}")
    else:
        yield name, check.item(part, values)


def _equal(ring: Ring, a: Any, b: Any) -> bool:
    if isinstance(a, check.Poly) and isinstance(b, check.Poly):
        return ring.is_zero(a - b)
    return a == b


def _text(ring: Ring, x: Any) -> str:
    return ring.label(x) if isinstance(x, check.Poly) else str(x)
