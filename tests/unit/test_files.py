"""Files: read only where they are regular and bounded, written whole or not at all."""

from __future__ import annotations

import errno
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import FileError
from dalembert.files import read_regular, write_whole
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.urdf.read import load_urdf
from tests.effort import effort, refused_at_once

OLD = b"what was there before"
NEW = bytes(range(256)) * 40


# ---- reading


def test_a_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for data in (b"", b"x", NEW, NEW * 100):
        path.write_bytes(data)
        assert read_regular(path, len(data)) == data
        assert read_regular(str(path), 10**9) == data
    with pytest.raises(FileError, match="1,024,000 bytes, more than 1,023,999"):
        read_regular(path, len(NEW) * 100 - 1)


def test_a_missing_file_is_our_error_with_the_systems_number(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"expected a file to read, got '.*no': No such") as caught:
        read_regular(tmp_path / "no", 10)
    assert caught.value.errno == errno.ENOENT
    assert isinstance(caught.value, OSError)
    for name in ("a\0b", "a\ud800b"):
        with pytest.raises(FileError):
            read_regular(name, 10)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def local_socket(path: Path) -> None:
    # the path of a socket is short: it is made in the folder itself
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def terminal(path: Path) -> None:
    path.symlink_to("/dev/tty")


def ring(path: Path) -> None:
    path.symlink_to(path.name)


OTHER_KINDS: dict[str, Callable[[Path], None]] = {
    "a pipe": pipe,
    "a folder": Path.mkdir,
    "a socket": local_socket,
    "an endless device": zeros,
    "a terminal": terminal,
    "a link to itself": ring,
}
READERS: dict[str, Callable[[Path], object]] = {
    "bytes": lambda path: read_regular(path, 1 << 30),
    "urdf": lambda path: da.load(path.rename(path.with_suffix(".urdf"))),
    "json": lambda path: da.load(path.rename(path.with_suffix(".json"))),
    "xml": lambda path: da.load(path.rename(path.with_suffix(".xml"))),
    "mjcf": load_mjcf,
    "urdf by its reader": load_urdf,
    "npz": lambda path: da.Trajectory.load(path.rename(path.with_suffix(".npz"))),
    "csv": lambda path: da.Trajectory.load(path.rename(path.with_suffix(".csv"))),
}


@pytest.mark.skipif(sys.platform == "win32", reason="kinds of files that Windows does not have")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_what_is_no_regular_file_is_refused_at_once(kind: str, reader: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    OTHER_KINDS[kind](path)

    def read() -> object:
        # a try that failed may have renamed it
        found = next(tmp_path.iterdir())
        return READERS[reader](found)

    refused_at_once(da.DalembertError, read)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_mesh_that_is_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    model = tmp_path / "m.xml"
    model.write_text(
        '<mujoco><asset><mesh name="a" file="a.stl"/></asset><worldbody><body>'
        '<geom type="mesh" mesh="a"/></body></worldbody></mujoco>'
    )
    os.mkfifo(tmp_path / "a.stl")
    refused_at_once(da.InvalidMechanism, lambda: load_mjcf(model))


# ---- writing


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_new_file_and_one_that_replaces_another(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_whole(path, OLD)
    assert path.read_bytes() == OLD
    path.chmod(0o640)
    write_whole(path, NEW)
    assert path.read_bytes() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_whole(path, NEW, mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(tmp_path) == [path.name]


def test_a_relative_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole("a", NEW)
    assert names(tmp_path) == ["a"]


def test_a_link_is_replaced_and_what_it_names_left_alone(tmp_path: Path) -> None:
    """A link that somebody planted does not lead our bytes elsewhere."""
    other, path = tmp_path / "other", tmp_path / "a"
    other.write_bytes(OLD)
    path.symlink_to(other)
    write_whole(path, NEW)
    assert other.read_bytes() == OLD
    assert path.read_bytes() == NEW
    assert not path.is_symlink()


def test_a_planted_link_at_the_new_name_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the name were guessed."""
    monkeypatch.setattr("secrets.token_hex", lambda count: "guessed")
    victim, path = tmp_path / "victim", tmp_path / "a"
    victim.write_bytes(OLD)
    path.write_bytes(OLD)
    (tmp_path / ".guessed.new").symlink_to(victim)
    with pytest.raises(FileError, match="File exists"):
        write_whole(path, NEW)
    assert victim.read_bytes() == path.read_bytes() == OLD


@pytest.mark.skipif(sys.platform == "win32", reason="kinds of files that Windows does not have")
@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a socket"])
def test_nothing_but_a_file_is_replaced(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    OTHER_KINDS[kind](path)
    before = path.lstat().st_mode
    refused_at_once(FileError, lambda: write_whole(path, NEW))
    assert path.lstat().st_mode == before
    assert names(tmp_path) == ["a"]


def test_a_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o444)
    # root may write anything
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileError, match="write-protected"):
        write_whole(path, NEW)
    assert path.read_bytes() == OLD


STEPS = ("open", "write", "fsync", "close", "replace")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", STEPS)
def test_whatever_fails_the_old_file_stays(
    step: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    does = getattr(os, step)
    calls = []

    def fail(*args: Any, **options: Any) -> Any:
        calls.append(step)
        if step == "close":
            does(*args, **options)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(FileError if isinstance(error, OSError) else KeyboardInterrupt):
            write_whole(path, NEW)
    assert calls
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["a"]


def test_a_file_system_without_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is written, and never open to more people than the old one."""

    def refuse(*_: Any) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o600)
    monkeypatch.setattr(os, "fchmod", refuse)
    write_whole(path, NEW)
    assert path.read_bytes() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_disk_that_takes_a_few_bytes_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write may take less than it is given; a full disk says so at a later byte."""
    write = os.write
    for room in (0, 1, len(NEW) - 1, len(NEW)):
        path = tmp_path / "a"
        path.write_bytes(OLD)
        left = [room]

        def few(handle: int, data: Any, left: list[int] = left) -> int:
            if not left[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            count = write(handle, bytes(data[: min(7, left[0])]))
            left[0] -= count
            return count

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", few)
            if room < len(NEW):
                with pytest.raises(FileError, match="No space left"):
                    write_whole(path, NEW)
            else:
                write_whole(path, NEW)
        assert path.read_bytes() == (NEW if room == len(NEW) else OLD)
        assert names(tmp_path) == ["a"]


# ---- savers: all of them go that way


def arm() -> da.Mechanism:
    return (
        da.Builder("arm")
        .link("a", mass=2, com=(0.1, 0, 0), inertia=(1, 1, 1))
        .continuous("j", "a", axis="y")
        .build()
    )


def motion() -> da.Trajectory:
    return da.simulate(da.compile(arm()), [0.1], [0.2], 0.1)


def source(path: Path) -> None:
    from dalembert.kernel.backends.c.header import CSource

    CSource("/* a */\n" * 500, "/* b */\n" * 500, path.stem).save(path.parent)


def savers() -> dict[str, Callable[[Path], object]]:
    mechanism, trajectory = arm(), motion()
    return {
        "a.urdf": lambda path: da.save(mechanism, path),
        "a.xml": lambda path: da.save(mechanism, path),
        "a.json": lambda path: da.save(mechanism, path),
        "a.npz": trajectory.save,
        "a.csv": trajectory.save,
        "a.png": trajectory.plot,
        "a.c": source,
    }


def test_a_full_disk_leaves_what_was_saved_before(tmp_path: Path) -> None:
    """The disk is full after a few bytes; a limit of the system on the size of files says so."""
    resource: Any = pytest.importorskip("resource")
    for name, save in savers().items():
        path = tmp_path / name
        save(path)
        before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
        assert max(map(len, before.values())) > 300
        old = resource.getrlimit(resource.RLIMIT_FSIZE)
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, old[1]))
        try:
            with pytest.raises(FileError, match="unchanged"):
                save(path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, old)
            signal.signal(signal.SIGXFSZ, ignored)
        assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


KILLED = """
import sys
from dalembert.files import write_whole
old, new = b"a" * 300_000, b"b" * 700_000
print("ready", flush=True)
while True:
    write_whole(sys.argv[1], new)
    write_whole(sys.argv[1], old)
"""


def killed_while_writing(folder: Path, count: int, seed: int) -> dict[str, int]:
    """Kill a process that writes two contents in turn; return how often each was found whole.

    Part of G14: a file is one of its contents at whatever time the process is killed.
    """
    draw = random.Random(seed)
    path = folder / "a"
    write_whole(path, b"a" * 300_000)
    found = {"a": 0, "b": 0, "torn": 0}
    for _ in range(count):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout
            process.stdout.readline()
            time.sleep(draw.uniform(0, 0.03))
            process.kill()
        data = path.read_bytes()
        whole = {b"a" * 300_000: "a", b"b" * 700_000: "b"}
        found[whole.get(data, "torn")] += 1
    return found


def test_a_kill_leaves_one_of_the_contents(tmp_path: Path, rng: np.random.Generator) -> None:
    found = killed_while_writing(tmp_path, effort(6), int(rng.integers(2**31)))
    assert found["torn"] == 0
    assert found["a"] + found["b"] == effort(6)
    # what is left over are new files that never took the place
    assert all(name == "a" or name.endswith(".new") for name in names(tmp_path))


def test_saved_files_are_read_back(tmp_path: Path) -> None:
    mechanism, trajectory = arm(), motion()
    for name in ("a.urdf", "a.xml", "a.json"):
        da.save(mechanism, tmp_path / name)
        again = da.load(tmp_path / name)
        assert float(again.link("a").inertia.m) == 2
    trajectory.save(tmp_path / "a.npz")
    assert np.array_equal(da.Trajectory.load(tmp_path / "a.npz").q, trajectory.q)
