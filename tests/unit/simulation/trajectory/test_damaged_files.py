"""Damaged, foreign and hostile trajectory files: our own errors, in little memory."""

from __future__ import annotations

import codecs
import io
import json
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, EvaluationError, FileError
from dalembert.simulation import Trajectory
from dalembert.simulation.problem.energy import Energy
from dalembert.simulation.trajectory.files import FORMATS
from dalembert.simulation.trajectory.tables import write_parquet
from tests.effort import effort, refused_at_once
from tests.figures import Figures

N = 4


def motion(**changes: Any) -> Trajectory:
    """Return a small trajectory by hand: two joints, one constraint, an impact."""
    fields: dict[str, Any] = {
        "name": "arm, with \"marks\"\nand lines",
        "method": "by hand",
        "t": np.array([0.0, 0.5, 0.5, 1.0]),
        "q": np.arange(2.0 * N).reshape(N, 2),
        "qd": np.asfortranarray(np.arange(2.0 * N).reshape(N, 2)),
        "qdd": np.full((N, 2), np.nan),
        "tau": np.zeros((N, 1)),
        "lam": np.ones((N, 1)),
        "controller_state": np.zeros((N, 3)),
        "q_names": ("a", "b,\"c\""),
        "v_names": ("a", "b"),
        "input_names": ("τ:1",),
        "constraint_names": ("ring",),
        "position_error": np.zeros(N),
        "velocity_error": np.full(N, 5e-324),
        "energy": Energy(np.ones(N), np.zeros(N), np.zeros(N)),
        "events": ((0.5, "impact"),),
        "warnings": ("singular",),
        "ok": True,
        "status": "finished",
    }  # fmt: skip
    return Trajectory(**{**fields, **changes})


def same(a: Trajectory, b: Trajectory) -> bool:
    arrays = ("t", "q", "qd", "qdd", "tau", "lam", "controller_state", "position_error")
    texts = ("name", "method", "q_names", "v_names", "events", "warnings", "ok", "status")
    return all(getattr(a, n).tobytes() == getattr(b, n).tobytes() for n in arrays) and all(
        getattr(a, n) == getattr(b, n) for n in texts
    )


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_names_with_any_sign_come_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"m.{ending}"
    motion().save(path)
    assert same(Trajectory.load(path), motion())


def test_what_is_written_is_no_view_of_a_file_in_memory() -> None:
    """Python 3.12 crashes when view and file die together in the traceback of a failed save."""
    for form in FORMATS.values():
        if form.write is write_parquet:
            pytest.importorskip("pyarrow")
        assert type(form.write({"t": np.zeros(3)}, {}, "{}")) is bytes


def test_a_table_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    motion().save(tmp_path / "m.csv")
    text = (tmp_path / "m.csv").read_bytes()
    (tmp_path / "m.csv").write_bytes(codecs.BOM_UTF8 + text)
    assert same(Trajectory.load(tmp_path / "m.csv"), motion())


# ---- every trajectory passes the gate, whoever builds it

RIGHT = np.arange(2.0 * N).reshape(N, 2)
IMPOSSIBLE: dict[str, tuple[dict[str, Any], str]] = {
    "complex": ({"q": RIGHT + 1j}, "q of a trajectory to be real numbers"),
    "whole numbers": ({"q": RIGHT.astype(int)}, "real numbers (float64)"),
    "single precision": ({"qd": RIGHT.astype(np.float32)}, "real numbers (float64)"),
    "objects": ({"q": RIGHT.astype(object)}, "real numbers (float64)"),
    "a list": ({"q": RIGHT.tolist()}, "real numbers (float64)"),
    "too short": ({"q": RIGHT[1:]}, "of shape (4, 2), got float64 (3, 2)"),
    "too wide": ({"lam": RIGHT}, "of shape (4, 1), got float64 (4, 2)"),
    "flat": ({"controller_state": np.zeros(N)}, "controller_state"),
    "no times": ({"t": np.array([])}, "at least one time"),
    "times forwards and backwards": ({"t": np.array([0.0, 1.0, 0.5, 2.0])}, "times in order"),
    "times nan": ({"t": np.array([0.0, 1.0, np.nan, 2.0])}, "finite numbers in t"),
    "positions nan": ({"q": np.full((N, 2), np.nan)}, "finite numbers in q"),
    "velocities infinite": ({"qd": np.full((N, 2), np.inf)}, "finite numbers in qd"),
    "short energy": ({"energy": Energy(np.ones(2), np.ones(4), np.ones(4))}, "energy.total"),
    "complex energy": ({"energy": Energy(*np.ones((3, 4), complex))}, "energy.total"),
    "no names": ({"q_names": ("a",)}, "of shape (4, 1)"),
    "names as a list": ({"q_names": ["a", "b"]}, "q_names to be a tuple of text"),
    "event without a time": ({"events": ((np.nan, "x"),)}, "a finite time"),
    "ok as a number": ({"ok": 1}, "ok to be True or False"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_trajectory_that_cannot_be_is_refused(name: str) -> None:
    changes, words = IMPOSSIBLE[name]
    with pytest.raises(EvaluationError) as caught:
        motion(**changes)
    assert words in str(caught.value)


def test_time_may_run_backwards_as_a_whole() -> None:
    assert motion(t=np.array([1.0, 0.5, 0.5, 0.0])).t[0] == 1.0


# ---- damage


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def npy(array: np.ndarray, **options: Any) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def head(descr: str, shape: str, data: bytes = b"", *, order: str = "False") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def with_member(name: str, data: bytes) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    return lambda found: {**found, name: data}


def with_meta(**changes: Any) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    def change(found: dict[str, bytes]) -> dict[str, bytes]:
        meta = json.loads(str(np.load(io.BytesIO(found["meta.npy"]))))
        return {**found, "meta.npy": npy(np.array(json.dumps({**meta, **changes})))}

    return change


Q = RIGHT
DAMAGED: dict[str, Callable[[dict[str, bytes]], dict[str, bytes]]] = {
    "q is missing": lambda f: {k: v for k, v in f.items() if k != "q.npy"},
    "meta is missing": lambda f: {k: v for k, v in f.items() if k != "meta.npy"},
    "an energy is missing": lambda f: {k: v for k, v in f.items() if k != "energy_total.npy"},
    "nothing": lambda f: {},
    "something more": with_member("extra.npy", npy(Q)),
    "no array": with_member("q.npy", b"no array"),
    "an empty member": with_member("q.npy", b""),
    "another name": with_member("q.txt", b"q"),
    "complex": with_member("q.npy", npy(Q + 1j)),
    "whole numbers": with_member("q.npy", npy(Q.astype(int))),
    "truth values": with_member("q.npy", npy(Q > 1)),
    "single precision": with_member("q.npy", npy(Q.astype("f4"))),
    "dates": with_member("t.npy", npy(np.array(["2026-01-01"] * N, "M8[D]"))),
    "texts": with_member("q.npy", npy(Q.astype("U8"))),
    "records": with_member("q.npy", npy(np.zeros(N, [("a", "f8")]))),
    "a pickle": with_member("q.npy", npy(Q.astype(object), allow_pickle=True)),
    "transposed": with_member("q.npy", npy(Q.T)),
    "times out of order": with_member("t.npy", npy(np.array([0.0, 2.0, 1.0, 3.0]))),
    "times nan": with_member("t.npy", npy(np.full(N, np.nan))),
    "no rows": with_member("t.npy", npy(np.array([]))),
    "a huge shape": with_member("q.npy", head("'<f8'", "(10000000000, 2)")),
    "an overflowing shape": with_member("q.npy", head("'<f8'", "(99999999999, 99999999999)")),
    "a negative shape": with_member("q.npy", head("'<f8'", "(-1, 2)")),
    "no end": with_member("q.npy", b"\x93NUMPY\x01\x00\xff\xff{'descr'"),
    "code in the head": with_member("q.npy", head("__import__('os')", "(4, 2)", Q.tobytes())),
    "many brackets": with_member("q.npy", head("'<f8'", "(" * 5000)),
    "a wide text": with_member("meta.npy", head("'<U999999999'", "()")),
    "text out of Unicode": with_member("meta.npy", head("'<U1'", "()", b"\xff" * 4)),
    "version 9": with_member("q.npy", b"\x93NUMPY\x09\x00" + npy(Q)[8:]),
    "meta a number": with_member("meta.npy", npy(np.array(1.0))),
    "meta no JSON": with_member("meta.npy", npy(np.array("{"))),
    "meta a list": with_member("meta.npy", npy(np.array("[]"))),
    "meta deep": with_member("meta.npy", npy(np.array("[" * 100_000))),
    "meta with a key twice": with_member("meta.npy", npy(np.array('{"a": 1, "a": 2}'))),
    "another format": with_meta(format="dalembert trajectory 9"),
    "format as a list": with_meta(format=["dalembert trajectory 2"]),
    "q_names as text": with_meta(q_names="ab"),
    "q_names as numbers": with_meta(q_names=[1, 2]),
    "q_names null": with_meta(q_names=None),
    "too many names": with_meta(q_names=["a", "b", "c"]),
    "events as numbers": with_meta(events=[1]),
    "events of three": with_meta(events=[[1, "a", 2]]),
    "events of truth": with_meta(events=[[True, "a"]]),
    "events as text": with_meta(events="ab"),
    "event beyond doubles": with_meta(events=[[10**400, "a"]]),
    "ok as text": with_meta(ok="yes"),
    "ok as a number": with_meta(ok=1),
    "status as a number": with_meta(status=3),
    "name null": with_meta(name=None),
    "warnings as an object": with_meta(warnings={"a": 1}),
    "old format without its key": with_meta(format="dalembert trajectory 1"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_changed_file_is_refused(name: str, tmp_path: Path, figures: Figures) -> None:
    path = tmp_path / "m.npz"
    motion().save(path)
    found = DAMAGED[name](members(path))
    with zipfile.ZipFile(path, "w") as file:
        for member, data in found.items():
            file.writestr(member, data)
    with pytest.raises(EvaluationError, match=r"expected .*, got ") as caught:
        Trajectory.load(path)
    assert "\n" not in str(caught.value)
    figures.count("damaged trajectories refused")


# ---- bombs


def compressed(path: Path) -> None:
    """A million rows of zeros: a megabyte on the disk, gigabytes in memory."""
    found = members(path)
    rows = 20_000_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, data in found.items():
            if name != "q.npy":
                file.writestr(name, data)
        with file.open("q.npy", "w", force_zip64=True) as member:
            member.write(head("'<f8'", f"({rows}, 2)"))
            for _ in range(16):
                member.write(bytes(rows))


def overlapping(path: Path) -> None:
    """Many names for one member: the whole is longer than the file."""
    motion().save(path)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("lam.npy2", bytes(100_000))
        info = file.infolist()[-1]
        for k in range(99):
            twin = zipfile.ZipInfo(f"x{k}.npy")
            for key in ("header_offset", "file_size", "compress_size", "CRC", "compress_type"):
                setattr(twin, key, getattr(info, key))
            file.filelist.append(twin)
        file._didModify = True  # type: ignore[attr-defined]


def many_members(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        for k in range(5_000):
            file.writestr(f"x{k}.npy", b"")


def wide_table(path: Path) -> None:
    """A long first row and many empty ones: a table of 10¹⁰ cells."""
    path.write_text("# {}\n" + ",".join(f"c{k}" for k in range(90_000)) + "\n" + "\n" * 200_000)


def long_cell(path: Path) -> None:
    path.write_text("# {}\nt\n" + "1" * 10_000_000 + "\n")


def blank_rows(path: Path) -> None:
    path.write_text("# {}\nt\n" + "\r" * 5_000_000)


def quotes(path: Path) -> None:
    path.write_text('# {}\n"' + "\n" * 3_000_000)


BOMBS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "compressed": ("npz", compressed),
    "overlapping members": ("npz", overlapping),
    "many members": ("npz", many_members),
    "a wide table": ("csv", wide_table),
    "a long cell": ("csv", long_cell),
    "blank rows": ("csv", blank_rows),
    "quotes": ("csv", quotes),
}
MEMORY = 100 << 20


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once_in_little_memory(
    name: str, tmp_path: Path, figures: Figures
) -> None:
    """G3: what it would take is known before anything is allocated."""
    ending, make = BOMBS[name]
    path = tmp_path / f"bomb.{ending}"
    motion().save(path)
    make(path)
    tracemalloc.start()
    try:
        refused_at_once(DalembertError, lambda: Trajectory.load(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MEMORY
    figures.count("bombs refused")
    figures.worst("MiB of a bomb", peak / 2**20)


def test_a_file_beyond_the_limit_is_neither_written_nor_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dalembert.simulation.trajectory import files

    for ending in (".npz", ".csv"):
        path = tmp_path / f"m{ending}"
        motion().save(path)
        small = files.FORMATS[ending]._replace(max_bytes=500)
        monkeypatch.setitem(files.FORMATS, ending, small)
        with pytest.raises(EvaluationError, match="resample the trajectory"):
            motion().save(path)
        with pytest.raises(FileError, match="more than 500"):
            Trajectory.load(path)


# ---- mutation


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Return the bytes with a few flipped, cut, zeroed, doubled or moved."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 3)):
        i = draw.randrange(len(changed))
        j = min(len(changed), i + draw.randint(1, 64))
        match draw.randrange(6):
            case 0:
                changed[i] ^= 1 << draw.randrange(8)
            case 1:
                changed[i] = draw.choice(b'\0\xff\n\r,"{}0-9ne')
            case 2:
                del changed[i:j]
            case 3:
                changed[i:j] = bytes(j - i)
            case 4:
                changed[i:i] = changed[i:j]
            case _:
                del changed[draw.randrange(len(changed)) :]
        if not changed:
            return b""
    return bytes(changed)


def fuzz(folder: Path, count: int, seed: int) -> dict[str, int]:
    """Load mutated files; return how many were read and refused, and how many raised otherwise."""
    draw = random.Random(seed)
    found = {"tried": 0, "read": 0, "refused": 0, "foreign": 0}
    for ending in ("npz", "csv"):
        path = folder / f"m.{ending}"
        motion().save(path)
        sound = path.read_bytes()
        for _ in range(count // 2):
            path.write_bytes(mutated(sound, draw))
            found["tried"] += 1
            try:
                Trajectory.load(path)
                found["read"] += 1
            except DalembertError:
                found["refused"] += 1
            except Exception:
                found["foreign"] += 1
    return found


def test_mutated_files_are_read_or_refused(
    tmp_path: Path, rng: np.random.Generator, figures: Figures
) -> None:
    """G2 for trajectories."""
    found = fuzz(tmp_path, effort(600), int(rng.integers(2**31)))
    assert found["foreign"] == 0
    assert found["refused"] > found["tried"] // 3
    for name, number in found.items():
        figures.count(f"trajectory files {name}", number)


def test_a_missing_file_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        Trajectory.load(tmp_path / "no.npz")
    with pytest.raises(da.DalembertError):
        Trajectory.load(tmp_path / "no\0.npz")
