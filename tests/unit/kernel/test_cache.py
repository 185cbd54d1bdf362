"""The cache of machine code: whatever happens to its files, results are the same bits."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel import cache
from dalembert.kernel.backends.llvm import build as llvm_build
from dalembert.kernel.backends.llvm import cached_code, python_entry
from dalembert.kernel.backends.llvm.host import Host, this_host
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.trace import trace
from tests.effort import at_once, effort
from tests.figures import Figures

X = np.linspace(0.1, 2.0, 5)


def program(factor: int = 2) -> Program:
    (x,) = da.parameters("x")
    return trace("f", {"x": x}, {"y": factor * da.sin(x) * x})


def result(factor: int = 2) -> list[bytes]:
    """Return the results of a new kernel, one by one so that only one entry is made."""
    kernel = llvm_build.build(program(factor))
    return [kernel(x).tobytes() for x in X]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    place = tmp_path / "cache"
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(place))
    cache._user_key.cache_clear()
    yield place
    cache._user_key.cache_clear()


@pytest.fixture
def right(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The results without a cache, which agree with numpy."""
    with monkeypatch.context() as patch:
        patch.setenv(cache.FOLDER_VARIABLE, "")
        found = result()
    np.testing.assert_allclose([np.frombuffer(y)[0] for y in found], 2 * np.sin(X) * X, rtol=1e-15)
    return found


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were compiled since the test began."""
    texts: list[str] = []
    compile_text = cached_code.machine_code

    def counted(text: str, host: Host) -> bytes:
        texts.append(text)
        return compile_text(text, host)

    monkeypatch.setattr(cached_code, "machine_code", counted)
    return texts


def entries(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.name != "key")


def new_process() -> None:
    """Forget what a new process would not know."""
    cache._user_key.cache_clear()


def test_an_entry_is_used(folder: Path, right: Any, compilations: list[str]) -> None:
    assert result() == right
    assert len(compilations) == 1
    assert len(entries(folder)) == 1
    new_process()
    assert result() == right
    assert len(compilations) == 1
    assert result(3) != right
    assert len(compilations) == 2


def test_another_process_compiles_nothing(folder: Path, right: Any) -> None:
    assert result() == right
    code = (
        "from tests.unit.kernel.test_cache import *\n"
        "def fail(*_): raise AssertionError('compiled')\n"
        "cached_code.machine_code = fail\n"
        "sys.stdout.buffer.write(b''.join(result()))\n"
    )
    assert run_python(code, folder) == b"".join(right)
    folder.joinpath("key").unlink()
    with pytest.raises(subprocess.CalledProcessError):
        run_python(code, folder)


def run_python(code: str, folder: Path) -> bytes:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[3],
        env={**os.environ, cache.FOLDER_VARIABLE: str(folder)},
        capture_output=True,
        check=True,
        timeout=600,
    ).stdout


def test_processes_that_start_together(folder: Path, right: Any) -> None:
    code = (
        "from tests.unit.kernel.test_cache import *\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "sys.stdout.buffer.write(b''.join(result()))\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[3],
            env={**os.environ, cache.FOLDER_VARIABLE: str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        out, err = process.communicate(timeout=600)
        assert (process.returncode, out, err) == (0, b"".join(right), b"")
    # one key and one entry are left, and both are sound or replaced at once
    assert [p.name for p in entries(folder) if p.name.endswith(".new")] == []
    assert result() == right


def test_an_empty_variable_switches_it_off(
    folder: Path, right: Any, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "")
    assert cache.folder() is None
    assert result() == right
    assert result() == right
    assert len(compilations) == 2
    assert not folder.exists()


# ---- other code


def test_code_of_other_writers_is_not_used(
    right: Any, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that was wrong leaves its code on disk; the mended one must not load it."""
    assert result() == right
    with monkeypatch.context() as patch:
        patch.setattr(cached_code, "SOURCES", "of another release")
        assert result() == right
        assert len(compilations) == 2
    assert result() == right
    assert len(compilations) == 2


def test_code_for_another_processor_is_not_used(right: Any, compilations: list[str]) -> None:
    here = this_host()
    for host in (here, here._replace(width=1), here._replace(width=2 * here.width)) * 2:
        kernel = llvm_build.build(program(), host=host)
        assert [kernel(x).tobytes() for x in X] == right
    assert len(compilations) == 3


@pytest.mark.parametrize("system", ["linux-gnu", "apple-macosx", "windows-msvc"])
@pytest.mark.parametrize("processor", ["x86_64", "arm64"])
def test_the_key_names_how_far_code_reaches(processor: str, system: str) -> None:
    """Code of the small model, which ends the process on a Mac, may still lie in a cache there."""
    host = Host(f"{processor}-{system}", "generic", "", 2)
    assert str(host).split()[-4:-2] == [host.code_model, host.relocation]


def test_where_no_source_can_be_read_the_text_decides(
    right: Any, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_code, "SOURCES", None)
    assert result() == right
    assert result() == right
    assert len(compilations) == 1
    text = llvm_build.text
    monkeypatch.setattr(llvm_build, "text", lambda *what: text(*what) + "; another writer")
    assert result() == right
    assert len(compilations) == 2


def test_code_without_an_entry_for_python_is_another(
    right: Any, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder may be shared by implementations of Python."""
    assert result() == right
    with monkeypatch.context() as patch:
        patch.setattr(python_entry, "is_supported", lambda: False)
        assert result() == right
        assert len(compilations) == 2
    assert result() == right
    assert len(compilations) == 2


def test_every_change_of_a_source_changes_the_digest(tmp_path: Path) -> None:
    digest = cached_code.digest_of_sources
    assert digest(tmp_path) is None
    (tmp_path / "deep").mkdir()
    places = [tmp_path / "a.py", tmp_path / "deep" / "b.py"]
    found = set()
    for place in places:
        for content in ("x = 1", "x = 2"):
            place.write_text(content)
            found.add(digest(tmp_path))
    places[0].rename(tmp_path / "c.py")
    found.add(digest(tmp_path))
    assert len(found) == 5
    (tmp_path / "notes.txt").write_text("no source")
    assert digest(tmp_path) in found


def test_the_digest_is_of_the_whole_kernel() -> None:
    import dalembert.kernel

    assert dalembert.kernel.__file__
    folder = Path(dalembert.kernel.__file__).parent
    assert cached_code.digest_of_sources(folder) == cached_code.SOURCES


# ---- damage

DAMAGE: dict[str, Callable[[bytes, np.random.Generator], bytes]] = {
    "a bit flipped": lambda data, rng: flipped(data, rng),
    "truncated": lambda data, rng: data[: rng.integers(len(data))],
    "a byte zeroed": lambda data, rng: zeroed(data, rng, 1),
    "a block zeroed": lambda data, rng: zeroed(data, rng, 64),
    "appended": lambda data, rng: data + rng.bytes(int(rng.integers(1, 100))),
    "random": lambda data, rng: rng.bytes(len(data)),
    "random after the head": lambda data, rng: data[:60] + rng.bytes(len(data) - 60),
    "another format": lambda data, rng: b"dalembert-code-9\n" + data[17:],
    "bytes moved": lambda data, rng: moved(data, int(rng.integers(1, len(data)))),
    "a pickle": lambda data, rng: b"\x80\x04cposix\nsystem\n(S'false'\ntR.",
    "empty": lambda data, rng: b"",
}


def flipped(data: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(data)
    changed[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def zeroed(data: bytes, rng: np.random.Generator, count: int) -> bytes:
    # not only where zeros are
    start = int(rng.choice([k for k, byte in enumerate(data) if byte]))
    return data[:start] + bytes(len(data[start : start + count])) + data[start + count :]


def moved(data: bytes, k: int) -> bytes:
    return data[k:] + data[:k]


@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_entries_are_never_loaded(
    how: str, folder: Path, rng: np.random.Generator, figures: Figures
) -> None:
    """G6. Only the reading is repeated: compiling hundreds of times would prove no more."""
    built = b"the code of an entry " * 20
    parts = ("a program",)
    assert cache.cached(parts, lambda: built) == built
    (path,) = entries(folder)
    sound = path.read_bytes()
    for _ in range(effort(100)):
        broken = DAMAGE[how](sound, rng)
        if broken == sound:
            continue
        path.write_bytes(broken)
        calls: list[int] = []

        def rebuild(calls: list[int] = calls) -> bytes:
            calls.append(1)
            return built

        assert cache.cached(parts, rebuild) == built
        assert calls == [1]
        figures.count("damaged entries")
        # and it is whole again
        assert path.read_bytes() == sound


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_entry_gives_the_same_bits(
    how: str, folder: Path, right: Any, rng: np.random.Generator, compilations: list[str]
) -> None:
    assert result() == right
    (path,) = entries(folder)
    path.write_bytes(DAMAGE[how](path.read_bytes(), rng))
    assert result() == right
    assert len(compilations) == 2
    assert result() == right
    assert len(compilations) == 2


def test_entries_that_change_places(folder: Path, right: Any, compilations: list[str]) -> None:
    """An entry is bound to its name: the code of another program is refused."""
    assert result() == right
    (first,) = entries(folder)
    other = result(3)
    (second,) = set(entries(folder)) - {first}
    a, b = first.read_bytes(), second.read_bytes()
    first.write_bytes(b)
    second.write_bytes(a)
    assert result() == right
    assert result(3) == other
    assert len(compilations) == 4


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33, bytes(32), b"y" * 32])
def test_another_key(folder: Path, right: Any, compilations: list[str], content: bytes) -> None:
    assert result() == right
    folder.joinpath("key").write_bytes(content)
    new_process()
    assert result() == right
    assert len(compilations) == 2
    new_process()
    assert result() == right
    assert len(compilations) == 2


def test_files_of_another_kind(folder: Path, right: Any, compilations: list[str]) -> None:
    assert result() == right
    (path,) = entries(folder)
    path.unlink()
    path.mkdir()
    assert result() == right
    assert len(compilations) == 2
    key = folder / "key"
    key.unlink()
    key.mkdir()
    new_process()
    assert result() == right
    assert len(compilations) == 3
    # a link that leads nowhere
    path.rmdir()
    key.rmdir()
    path.symlink_to(folder / "nothing")
    key.symlink_to(folder / "nothing")
    new_process()
    assert result() == right
    assert len(compilations) == 4


# ---- folders that do not serve


def test_a_file_in_the_place_of_the_folder(folder: Path, right: Any) -> None:
    folder.write_bytes(b"")
    assert result() == right
    assert folder.read_bytes() == b""


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_is_not_used(
    folder: Path, right: Any, compilations: list[str], mode: int
) -> None:
    folder.mkdir()
    folder.chmod(mode)
    assert result() == right
    assert result() == right
    assert len(compilations) == 2
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("which", ["key", "entry"])
def test_a_file_that_others_may_write_is_not_used(
    folder: Path, right: Any, compilations: list[str], which: str
) -> None:
    assert result() == right
    path = folder / "key" if which == "key" else entries(folder)[0]
    path.chmod(0o666)
    new_process()
    assert result() == right
    assert len(compilations) == 2


def test_a_folder_of_another_user_is_not_used(
    folder: Path, right: Any, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert result() == right
    new_process()
    monkeypatch.setattr(os, "getuid", lambda: 4321)
    assert result() == right
    assert len(compilations) == 2


def test_what_it_makes_is_private(folder: Path) -> None:
    result()
    for path in (folder, *folder.iterdir()):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077


def refuse(code: int) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return call


@pytest.mark.parametrize("is_new", [True, False])
def test_a_folder_that_cannot_be_written(
    folder: Path, right: Any, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    if not is_new:
        result(3)
        new_process()
    opened = os.open

    def read_only(path: Any, flags: int, *mode: int, **options: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, *mode, **options)

    monkeypatch.setattr(os, "open", read_only)
    assert result() == right
    monkeypatch.setattr(Path, "mkdir", refuse(errno.EACCES))
    new_process()
    assert result() == right


@pytest.mark.parametrize("step", ["write", "replace"])
@pytest.mark.parametrize("is_new", [True, False])
def test_a_full_disk(
    folder: Path, right: Any, monkeypatch: pytest.MonkeyPatch, step: str, is_new: bool
) -> None:
    if not is_new:
        result(3)
        new_process()
    before = sorted(folder.iterdir()) if folder.exists() else []
    with monkeypatch.context() as patch:
        patch.setattr(os, step, refuse(errno.ENOSPC))
        assert result() == right
        new_process()
        assert result() == right
    # nothing half written stays
    assert sorted(folder.iterdir()) == before
    assert result() == right
    assert len(entries(folder)) == len(before or [0])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module resource")
def test_a_disk_that_is_full_after_some_bytes(folder: Path, right: Any) -> None:
    """The system itself refuses at every size of file: same bits, no exception, nothing torn."""
    code = (
        "import resource, signal\n"
        "from tests.unit.kernel.test_cache import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "for room in (0, 1, 31, 32, 60, 100, 1000):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))\n"
        "    new_process()\n"
        "    sys.stdout.buffer.write(b''.join(result()))\n"
        "    sys.stdout.buffer.flush()\n"
    )
    assert run_python(code, folder) == b"".join(right) * 7
    # the key fits from 32 bytes on, an entry never does
    assert [p.name for p in folder.iterdir()] == ["key"]


def test_a_file_that_cannot_be_read(
    folder: Path, right: Any, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert result() == right
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse(errno.EIO))
        assert result() == right
        assert len(compilations) == 2
        new_process()
        assert result() == right
        assert len(compilations) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_pipes_in_the_place_of_files_hold_nobody(
    folder: Path, right: Any, compilations: list[str]
) -> None:
    assert result() == right
    (path,) = entries(folder)
    path.unlink()
    os.mkfifo(path)
    assert at_once(result) == right
    assert len(compilations) == 2
    folder.joinpath("key").unlink()
    os.mkfifo(folder / "key")
    new_process()
    assert at_once(result) == right
    assert len(compilations) == 3


def test_a_user_without_a_home(right: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (cache.FOLDER_VARIABLE, "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", staticmethod(homeless))
    assert cache.folder() is None
    assert result() == right


def test_the_users_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.FOLDER_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == tmp_path / "xdg" / "dalembert"
    monkeypatch.setenv("HOME", str(tmp_path))
    for ignored in ("", "a/relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert cache.folder() == tmp_path / ".cache" / "dalembert"


def test_the_oldest_entries_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_ENTRIES", 10)
    for k in range(11):
        cache.cached((str(k),), lambda k=k: bytes([k]))
        for path in entries(folder):
            # file times may be coarse: make every file a second older
            status = path.stat()
            os.utime(path, (status.st_atime - 1, status.st_mtime - 1))
    left = entries(folder)
    assert len(left) == 6
    built: list[int] = []
    for k in range(10, 5, -1):
        cache.cached((str(k),), lambda k=k: built.append(k) or bytes([k]))
    assert built == []
    cache.cached(("0",), lambda: built.append(0) or b"\0")
    assert built == [0]


def test_an_entry_that_is_too_large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_BYTES", 1000)
    assert cache.cached(("a",), lambda: bytes(2000)) == bytes(2000)
    assert entries(folder) == []
    cache.cached(("b",), lambda: bytes(100))
    (path,) = entries(folder)
    path.write_bytes(path.read_bytes() + bytes(5000))
    assert cache.cached(("b",), lambda: b"again") == b"again"


def test_errors_of_the_compiler_are_not_hidden(folder: Path) -> None:
    calls: list[int] = []

    def fail() -> bytes:
        calls.append(1)
        raise ValueError("no code")

    with pytest.raises(ValueError, match="no code"):
        cache.cached(("a",), fail)
    assert calls == [1]
    assert entries(folder) == []
