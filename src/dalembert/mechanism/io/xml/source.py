"""Get the text of a model file: one regular file of limited size, in a known encoding."""

from __future__ import annotations

import codecs
import os
import re

from dalembert.errors import FileError
from dalembert.files import path_text, read_regular
from dalembert.mechanism.io.xml.diagnosis import Report, shown

MAX_BYTES = 64 * 2**20

Source = str | bytes | os.PathLike[str]

# names of encodings as files declare them; everything else could run any codec that is installed
ENCODINGS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "latin-1",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "windows-1252": "cp1252",
    "cp1252": "cp1252",
    "utf-16": "utf-16",
}
MARKS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, ""),
    (codecs.BOM_UTF32_BE, ""),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([^\"'>]{0,60})[\"']")


def file_name(source: Source) -> str:
    """Return how messages call the source: the path, or "text"."""
    if _text_of(source) is not None:
        return "text"
    return os.fsdecode(source) if isinstance(source, str | os.PathLike) else path_text(source)


def is_text(source: Source) -> bool:
    """Tell text from a path: bytes, or a string whose first sign is ``<``."""
    return _text_of(source) is not None


def _text_of(source: Source) -> str | bytes | None:
    if isinstance(source, bytes | bytearray):
        return bytes(source)
    if isinstance(source, str):
        start = source[:1000].lstrip("\ufeff \t\r\n")
        return source if not start or start.startswith("<") else None
    return None


def read_text(source: Source, report: Report) -> str | None:
    """Return the text of the source, or None with the reason in the report."""
    data = _text_of(source)
    if data is None:
        data = _read_file(os.fsdecode(source), report)
    if data is None:
        return None
    if len(data) > MAX_BYTES:
        report.error(
            1,
            "",
            f"expected at most {MAX_BYTES // 2**20} MiB, got more",
            "a model is not that long; check that this is the right file",
        )
        return None
    text = data if isinstance(data, str) else _decode(data, report)
    if text is None:
        return None
    text = text.removeprefix("\ufeff")
    if not text.strip():
        report.error(
            1, "", "expected an XML document, got nothing", "the file is empty; write it anew"
        )
        return None
    return text


def _read_file(path: str, report: Report) -> bytes | None:
    try:
        return read_regular(path, MAX_BYTES)
    except FileError as error:
        report.error(1, "", str(error), "give the path of a model file")
        return None


def _decode(data: bytes, report: Report) -> str | None:
    encoding = _encoding(data, report)
    if encoding is None:
        return None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        report.error(
            line,
            "",
            f"expected text in {encoding}, got the byte 0x{data[error.start]:02x} at offset "
            f"{error.start}",
            "save the file as UTF-8, or declare its encoding in the first line",
        )
        return None


def _encoding(data: bytes, report: Report) -> str | None:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return encoding or _refuse_encoding("UTF-32", report)
    if data.startswith(b"<\0"):
        return "utf-16-le"
    if data.startswith(b"\0<"):
        return "utf-16-be"
    if b"\0" in data[:1024]:
        report.error(
            data.count(b"\n", 0, data.index(b"\0")) + 1,
            "",
            "expected an XML document, got binary data",
            "give the model's text file",
        )
        return None
    declared = DECLARED.match(data)
    name = declared[1].decode("ascii", "replace") if declared else "utf-8"
    encoding = ENCODINGS.get(name.strip().lower())
    if encoding == "utf-16":
        # one byte for each sign, or we would not have found the declaration
        return "utf-8"
    return encoding or _refuse_encoding(name, report)


def _refuse_encoding(name: str, report: Report) -> None:
    report.error(
        1,
        "",
        f"expected text in UTF-8 or UTF-16, got encoding {shown(name)}",
        "save the file as UTF-8",
    )
