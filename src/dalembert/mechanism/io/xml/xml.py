"""XML to elements that know their line: strict, limited, and without entities."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from dalembert.mechanism.io.xml.diagnosis import Report, shown

MAX_DEPTH = 200
MAX_ELEMENTS = 100_000
MAX_ATTRIBUTES = 64
MAX_NAME = 1_000
MAX_VALUE = 100_000


@dataclass(eq=False, slots=True)
class Element:
    """An element with its attributes, its children and where it starts.

    ``text_line`` is the line of the first text in it that is not blank, or 0. ``text`` is its text,
    without what is longer than a value may be.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[Element] = field(default_factory=list)
    text_line: int = 0
    text: str = ""

    def all(self, tag: str) -> list[Element]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]


class _Refused(Exception):
    """Stops the parser; the report holds the reason."""


class _Tree:
    """Builds the elements; every limit is checked before anything is kept."""

    def __init__(self, report: Report):
        self.report = report
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.starts_as_xml = True
        # an element may have any tag: prefixes that nobody declared are common in real files
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = False
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.EntityDeclHandler = self.doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        self.count += 1
        self.check(tag, "elements inside each other", len(self.open) + 1, MAX_DEPTH)
        self.check(tag, "elements", self.count, MAX_ELEMENTS)
        self.check(tag, "attributes of an element", len(attributes), MAX_ATTRIBUTES)
        self.check(tag, "signs in the name of an element", len(tag), MAX_NAME)
        for key, value in attributes.items():
            self.check(tag, "signs in the name of an attribute", len(key), MAX_NAME)
            self.check(tag, "signs in the value of an attribute", len(value), MAX_VALUE)
        element = Element(tag, attributes, line, column)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def check(self, tag: str, what: str, size: int, limit: int) -> None:
        if size > limit:
            self.refuse(
                f"expected at most {limit} {what}, got {size} or more",
                "a robot does not need that; check what wrote the file",
                f"<{tag[:40]}>",
            )

    def end(self, tag: str) -> None:
        self.open.pop()

    def text(self, text: str) -> None:
        if not self.open:
            return
        element = self.open[-1]
        if not element.text_line and not text.isspace():
            element.text_line = self.parser.CurrentLineNumber
        if element.text_line and len(element.text) <= MAX_VALUE:
            element.text += text[: MAX_VALUE + 1]

    def doctype(self, *_: object) -> None:
        self.refuse(
            "expected a document without a document type, got one",
            "remove <!DOCTYPE …> and replace its entities by their text",
            "<!DOCTYPE>",
        )

    def refuse(self, message: str, remedy: str, element: str = "") -> None:
        self.report.error(self.parser.CurrentLineNumber, element, message, remedy)
        raise _Refused

    def parse(self, text: str) -> None:
        self.starts_as_xml = text.lstrip().startswith("<")
        try:
            # all at once: fed in pieces, a long token would be scanned again for each piece
            self.parser.Parse(text, True)
        except _Refused:
            return
        except expat.ExpatError as error:
            self.report.error(max(error.lineno, 1), self.place(), *self.explain(error))
        except UnicodeError:
            self.report.error(
                1, "", "expected text, got half a surrogate pair", "save the file as UTF-8"
            )

    def place(self) -> str:
        """Return the innermost element that is open."""
        if not self.open:
            return ""
        names = (e.attributes.get("name") for e in reversed(self.open) if e.tag != "robot")
        name = next((name for name in names if name), None)
        return f"<{self.open[-1].tag[:40]}>" + (f" in {shown(name)}" if name else "")

    def explain(self, error: expat.ExpatError) -> tuple[str, str]:
        codes, reason = expat.errors.codes, expat.errors.messages.get(error.code, "?")
        at = f"got {reason!r} in column {error.offset + 1}"
        if error.code in (
            codes[expat.errors.XML_ERROR_NO_ELEMENTS],
            codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
            codes[expat.errors.XML_ERROR_PARTIAL_CHAR],
            codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
        ):
            if self.root is None:
                return f"expected an XML document, {at}", "give a model file; it starts with <robot"
            return (
                "expected the end of the document, got the end of the file",
                "the file is cut off; get it whole",
            )
        remedies = {
            expat.errors.XML_ERROR_SYNTAX: "this is no XML; a model file starts with <robot",
            expat.errors.XML_ERROR_TAG_MISMATCH: "close every element in the order it was opened",
            expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE: "remove one of the two attributes",
            expat.errors.XML_ERROR_UNDEFINED_ENTITY: "write its text, and &amp; for an ampersand",
            expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "remove what follows the end of <robot>",
        }
        remedy = remedies.get(reason, "correct the XML at this place")
        if not self.starts_as_xml:
            remedy = remedies[expat.errors.XML_ERROR_SYNTAX]
        return f"expected well-formed XML, {at}", remedy


def parse_xml(text: str, report: Report) -> Element | None:
    """Return the root element, or None with the reason in the report.

    >>> root = parse_xml('<a>\\n <b c="1"/>\\n</a>', Report("text"))
    >>> root and (root.tag, root.children[0].attributes, root.children[0].line)
    ('a', {'c': '1'}, 2)
    """
    tree = _Tree(report)
    tree.parse(text)
    return None if report.has_errors else tree.root
