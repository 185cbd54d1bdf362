"""What is wrong with a file, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol

from dalembert.errors import InvalidMechanism, nearest

MAX_SHOWN = 200
MAX_ADVISED = 50
MAX_KEPT = 5000
MAX_TALLIES = 200
MAX_OWNERS = 6
"""Whose what was counted is, by name."""

Severity = Literal["error", "repair", "warning"]


class Place(Protocol):
    """An element of a file: anything with a line, a tag and attributes."""

    @property
    def line(self) -> int: ...
    @property
    def tag(self) -> str: ...
    @property
    def attributes(self) -> dict[str, str]: ...


@dataclass(frozen=True)
class Diagnosis:
    """One finding in a file; printed as ``file:line: element: message: remedy``.

    An "error" refuses the file, a "repair" was one and has been repaired, a "warning" is accepted.
    """

    severity: Severity
    file: str
    line: int
    element: str
    value: str
    message: str
    remedy: str

    def __str__(self) -> str:
        where = (
            f"{self.file}:{self.line}: {self.element}: "
            if self.element
            else f"{self.file}:{self.line}: "
        )
        return where + self.message + (f": {self.remedy}" if self.remedy else "")


class _Tally(NamedTuple):
    """What was done with something, how many times, on which line first, and whose it is."""

    done: str
    times: int
    line: int
    owners: tuple[str, ...] = ()

    def __str__(self) -> str:
        times = f"{self.times} times, first " if self.times > 1 else ""
        owners = [*self.owners[:MAX_OWNERS], *["…"] * (len(self.owners) > MAX_OWNERS)]
        return f"({times}at line {self.line})" + (f": {', '.join(owners)}" if owners else "")


class Report:
    """Collects the findings of one reading, so that all of them are reported at once.

    ``repairs`` names what may be repaired; see `Report.fault`.
    """

    def __init__(
        self, file: str, repairs: Collection[str] = (), *, accept_nonphysical: bool = False
    ):
        self.file = file
        self.repairs = frozenset(repairs)
        self.accept_nonphysical = accept_nonphysical
        self.diagnoses: list[Diagnosis] = []
        self._tallies: dict[str, _Tally] = {}
        self._left_out = 0

    def error(
        self, place: Place | int, owner: str, message: str, remedy: str, attribute: str = ""
    ) -> None:
        """Record what refuses the file."""
        self._add("error", place, owner, message, remedy, attribute)

    def warn(
        self, place: Place | int, owner: str, message: str, remedy: str, attribute: str = ""
    ) -> None:
        """Record what is accepted, but worth knowing."""
        self._add("warning", place, owner, message, remedy, attribute)

    def fault(
        self,
        repair: str,
        place: Place | int,
        owner: str,
        message: str,
        remedy: str,
        done: str,
        attribute: str = "",
    ) -> bool:
        """Record an error, or, when the repair of this name is allowed, that repair.

        Returns whether it is repaired; ``done`` says how.
        """
        if repair in self.repairs:
            self._add("repair", place, owner, message, f"repaired: {done}", attribute)
            return True
        remedy = f"{remedy}, or load with repair={{{repair!r}}} ({done})"
        self._add("error", place, owner, message, remedy, attribute)
        return False

    def tally(self, what: str, line: int, done: str = "ignored", owner: str = "") -> None:
        """Count what is ignored; reported once, with the number of times and the first line.

        ``done`` is another verb for what is not ignored but treated in one way. An ``owner``, such
        as a joint, is named with its line.
        """
        if what not in self._tallies and len(self._tallies) >= MAX_TALLIES:
            what, done = "other things", "ignored"
        done, count, first, owners = self._tallies.get(what, _Tally(done, 0, line))
        if owner and len(owners) <= MAX_OWNERS:
            owners = (*dict.fromkeys((*owners, f"{owner} at line {line}")),)
        self._tallies[what] = _Tally(done, count + 1, first, owners)

    def soften(self, other: Report, done: str) -> None:
        """Take over what another report found, its errors as warnings; ``done`` says what came."""
        for found in other.diagnoses:
            error = found.severity == "error"
            self._keep(replace(found, severity="warning", remedy=done) if error else found)
        for what, tally in other._tallies.items():
            self.tally(what, tally.line, tally.done)

    def nearest(self, name: str, known: Collection[str]) -> str:
        """Return a phrase with the known names closest to this one, while the errors are few."""
        if len(self.diagnoses) > MAX_ADVISED:
            return "name one that exists"
        return nearest(name[:80], list(known)[:500])

    @property
    def has_errors(self) -> bool:
        """Tell whether the file is refused."""
        return any(d.severity == "error" for d in self.diagnoses)

    def notes(self) -> tuple[str, ...]:
        """Return what a user should know: repairs, warnings, and what is ignored."""
        known = [d for d in self.diagnoses if d.severity != "error"]
        known.sort(key=lambda d: d.severity)
        counted = [f"{tally.done} {what} {tally}" for what, tally in self._tallies.items()]
        return (*map(str, known), *counted)

    def raise_errors(self) -> None:
        """Raise one InvalidMechanism that lists every error, one line each."""
        errors = [str(d) for d in self.diagnoses if d.severity == "error"]
        if not errors:
            return
        rest = len(errors) - MAX_SHOWN + self._left_out
        shown = errors[:MAX_SHOWN] + ([f"{self.file}: {rest} more errors"] if rest > 0 else [])
        raise InvalidMechanism("\n".join(shown))

    def _add(
        self,
        severity: Severity,
        place: Place | int,
        owner: str,
        message: str,
        remedy: str,
        attribute: str,
    ) -> None:
        if isinstance(place, int):
            line, element, value = place, owner, ""
        else:
            line, value = place.line, place.attributes.get(attribute, "")
            element = _opening(place, attribute) + (f" of {owner}" if owner else "")
        self._keep(Diagnosis(severity, self.file, line, element, value, message, remedy))

    def _keep(self, found: Diagnosis) -> None:
        # a broken file may hold a hundred thousand faults; errors beyond the limit are only counted
        is_error = found.severity == "error"
        if len(self.diagnoses) >= MAX_KEPT and (not is_error or self.has_errors):
            self._left_out += is_error
            return
        self.diagnoses.append(found)


def shown(text: str, length: int = 60) -> str:
    """Return text in quotes, on one line and not longer than a reader wants."""
    return repr(text if len(text) <= length else text[:length] + "…")


def _opening(place: Place, attribute: str) -> str:
    """Return the opening tag with the one attribute that matters, or else its name."""
    key = attribute if attribute in place.attributes else "name"
    if key not in place.attributes:
        return f"<{place.tag}>"
    return f'<{place.tag} {key}="{shown(place.attributes[key])[1:-1]}">'
