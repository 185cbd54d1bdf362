"""Read attributes and children of an element, and find those that do not belong there."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dalembert.errors import ParseError
from dalembert.mechanism.io.xml.decimals import Number, decimals
from dalembert.mechanism.io.xml.diagnosis import Report, shown
from dalembert.mechanism.io.xml.xml import MAX_NAME, Element


def read_name(
    report: Report, element: Element, attribute: str = "name", owner: str = ""
) -> str | None:
    """Return a required name, or None with the reason in the report."""
    name = element.attributes.get(attribute)
    if name is None or not name.strip():
        got = "none" if name is None else "an empty one"
        message = f"expected the attribute {attribute}, got {got}"
        report.error(element, owner, message, f'write <{element.tag} {attribute}="…">', attribute)
        return None
    if len(name) > MAX_NAME:
        message = f"expected a name of at most {MAX_NAME} signs, got {len(name)}"
        report.error(element, owner, message, "shorten it", attribute)
        return None
    return name


def read_numbers(
    report: Report, element: Element, attribute: str, owner: str, count: int = 1
) -> list[Number] | None:
    """Return the numbers of an attribute; None when it is absent or wrong (then reported)."""
    text = element.attributes.get(attribute)
    if text is None:
        return None
    example = " ".join(["0.5", "0", "0", "0"][:count])
    remedy = f'write {attribute}="{example}"'
    return counted_numbers(report, element, text, owner, count, remedy, attribute)


def counted_numbers(
    report: Report,
    element: Element,
    text: str,
    owner: str,
    count: int,
    remedy: str,
    attribute: str = "",
) -> list[Number] | None:
    """Return so many numbers of a text, or None with the reason in the report."""
    try:
        values = decimals(text)
    except ParseError as error:
        message, _, correction = str(error).partition(": ")
        report.error(element, owner, message, correction, attribute)
        return None
    if len(values) != count:
        wanted = "a number" if count == 1 else f"{count} numbers"
        place = "" if attribute else f" in <{element.tag}>"
        message = f"expected {wanted}{place}, got {len(values) or 'nothing'}"
        report.error(element, owner, message, remedy, attribute)
        return None
    return values


def required_number(report: Report, element: Element, attribute: str, owner: str) -> Number | None:
    """Return the one number of an attribute that must be there."""
    if attribute not in element.attributes:
        message = f"expected the attribute {attribute}, got none"
        report.error(element, owner, message, f'write <{element.tag} {attribute}="…">')
        return None
    values = read_numbers(report, element, attribute, owner)
    return values[0] if values else None


def only_child(report: Report, element: Element, tag: str, owner: str) -> Element | None:
    """Return the child with this tag, the first one where repeated ones may be ignored."""
    found = element.all(tag)
    if len(found) > 1:
        message = f"expected one <{tag}>, got {len(found)} (the first at line {found[0].line})"
        report.fault(
            "elements", found[1], owner, message, "remove all but one", "the first is taken"
        )
    return found[0] if found else None


def check_children(
    report: Report, element: Element, owner: str, known: Collection[str], elsewhere: Iterable[str]
) -> None:
    """Find children that are misspelt or in the wrong place; count the others as ignored.

    ``elsewhere`` are the tags that matter somewhere, so that one of them here is a mistake.
    """
    if element.text_line:
        report.tally(f"text in <{element.tag}>", element.text_line)
    for child in element.children:
        tag = child.tag
        if tag in known:
            continue
        if tag.startswith("xacro:"):
            message = f"expected URDF, got the macro <{tag[:40]}>"
            report.error(child, owner, message, "expand the file with xacro first")
        elif tag in elsewhere:
            message = f"expected no <{tag}> in <{element.tag}>, got one"
            report.fault("elements", child, owner, message, "move it where it belongs", "ignored")
        elif likely := _meant(tag, known):
            message = f"expected <{likely}>, got <{tag[:40]}>"
            report.fault("elements", child, owner, message, f"write <{likely}>", "ignored")
        else:
            report.tally(f"<{tag[:40]}>", child.line)


def check_attributes(report: Report, element: Element, owner: str, known: Collection[str]) -> None:
    """Find attributes that are misspelt; count the others as ignored."""
    for name in element.attributes:
        if name in known or name.startswith(("xmlns", "xml:")):
            continue
        if likely := _meant(name, [k for k in known if k not in element.attributes]):
            message = f"expected the attribute {likely}, got {shown(name)}"
            report.fault("elements", element, owner, message, f"write {likely}", "ignored", name)
        else:
            report.tally(f"attribute {name[:40]} of <{element.tag}>", element.line)


def _meant(name: str, known: Collection[str]) -> str | None:
    """Return the known name that this one is a slip of: case, order of letters, or one letter."""
    name = name.lower()
    for candidate in known:
        if abs(len(candidate) - len(name)) > 1:
            continue
        short, long = sorted((candidate, name), key=len)
        if sorted(short) == sorted(long) or (len(long) > 3 and _is_one_letter_apart(short, long)):
            return candidate
    return None


def _is_one_letter_apart(short: str, long: str) -> bool:
    same = next(
        (i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]
