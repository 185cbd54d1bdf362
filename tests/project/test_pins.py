"""What the tests run with has hashes, and a file that is another one is not installed."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest

from tools import pins
from tools.pins import CONSTRAINTS, Pin, install, read


def test_every_pin_has_hashes() -> None:
    text = CONSTRAINTS.read_text(encoding="utf-8")
    found = read(text)
    assert len(found) > 50
    for pin in found:
        assert pin.hashes, pin.name
        assert all(re.fullmatch("[0-9a-f]{64}", x) for x in pin.hashes), pin.name
    # nothing is lost between the file and what is read
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert "\n".join(map(str, found)) == "\n".join(lines)


def wheel(folder: Path, name: str, requires: str = "") -> str:
    """Write a wheel without code, and return its hash."""
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}"
    tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", "")
        file.writestr(f"{info}/METADATA", metadata)
        file.writestr(f"{info}/WHEEL", tags)
        file.writestr(f"{info}/RECORD", f"{name}.py,,\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_with_another_hash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = wheel(tmp_path, "first", "Requires-Dist: second\n"), wheel(tmp_path, "second")
    own = tmp_path / "constraints.txt"
    monkeypatch.setattr(pins, "CONSTRAINTS", own)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    options = ["--no-index", "-f", str(tmp_path)]

    def tried(folder: str, *known: Pin) -> list[str]:
        own.write_text("".join(f"{x}\n" for x in known), encoding="utf-8")
        to = ["--target", str(tmp_path / folder)]
        return install(sys.executable, ["first"], options, to)

    # what has no pin is named, and left to the caller
    right = Pin("second", "1.0", hashes=(second, "0" * 64))
    assert tried("right", right) == ["first==1.0"]
    assert [x.name for x in (tmp_path / "right").glob("*.py")] == ["second.py"]
    with pytest.raises(SystemExit, match="THESE PACKAGES DO NOT MATCH THE HASHES"):
        tried("wrong", Pin("first", "1.0", hashes=(first,)), right._replace(hashes=("0" * 64,)))
    assert not (tmp_path / "wrong").exists()
