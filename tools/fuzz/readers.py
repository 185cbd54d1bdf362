"""The readers of files and texts from others: their seeds, and what each may answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

Mutate = Callable[[random.Random, str], bytes]

MECHANISMS = ("dalembert.mechanism", "dalembert.spatial")
PACKAGES = {
    "urdf": MECHANISMS,
    "sdf": MECHANISMS,
    "json": MECHANISMS,
    "mjcf": MECHANISMS,
    "expression": ("dalembert.reader", "dalembert.expr"),
    "lagrangian": ("dalembert.cli.files", "dalembert.reader", "dalembert.expr"),
    "trajectory": ("dalembert.simulation.trajectory", "dalembert.files"),
    "certificate": ("dalembert.certificates",),
}
"""Name of a reader → the packages whose branches count as reached."""


class Reader(NamedTuple):
    """A reader.

    ``read`` returns something, or raises one of ``errors`` with a message; ``mutate`` changes texts
    that are well-formed, None leaves all changes to bytes.
    """

    seeds: Sequence[bytes]
    read: Callable[[bytes], object]
    mutate: Mutate | None
    errors: tuple[type[Exception], ...]


def reader(name: str, folder: Path) -> Reader:
    """Return a reader; what it needs is imported now, and its files are written into a folder."""
    match name:
        case "lagrangian":
            return _lagrangian(folder / "system.toml")
        case "trajectory":
            return _trajectory([folder / f"motion.{ending}" for ending in ("csv", "npz")])
        case "certificate":
            return _certificate()
    return _as_in_the_tests(name)


def _as_in_the_tests(name: str) -> Reader:
    """Return a reader of robots or expressions, with the changes by trees that the tests make."""
    from dalembert.errors import DalembertError
    from tests.laws.test_fuzz_readers import seeds

    texts, mutate, read, _ = seeds()[name]

    def read_with_options(data: bytes) -> object:
        # options are drawn from the input, so that the same input does the same again
        return read(data, random.Random(data))

    return Reader(
        [x.encode(errors="surrogatepass") for x in texts],
        read_with_options,
        mutate,
        (DalembertError,),
    )


def _lagrangian(path: Path) -> Reader:
    from dalembert.cli.files.lagrangian import read_lagrangian
    from dalembert.errors import DalembertError
    from tests.laws.test_fuzz_readers import mutate_expression
    from tests.unit.cli.test_lagrangian_file import CART

    def read(data: bytes) -> object:
        path.write_bytes(data)
        return read_lagrangian(str(path))

    return Reader([CART.encode()], read, mutate_expression, (DalembertError,))


def _trajectory(places: Sequence[Path]) -> Reader:
    from dalembert.errors import DalembertError
    from dalembert.simulation import Trajectory
    from tests.unit.simulation.trajectory.test_damaged_files import motion, mutated

    for path in places:
        motion().save(path)
    seeds = [path.read_bytes() for path in places]

    def read(data: bytes) -> object:
        # as the head of a ZIP archive, which .npz is, has it
        path = places[data.startswith(b"PK")]
        path.write_bytes(data)
        return Trajectory.load(path)

    def mutate(draw: random.Random, text: str) -> bytes:
        return mutated(text.encode(), draw)

    return Reader(seeds, read, mutate, (DalembertError,))


def _certificate() -> Reader:
    from dalembert.certificates import check
    from tests.laws.test_fuzz_readers import mutate_json
    from tools.certificates.cases import textbook

    known = textbook()
    seeds = [known[x]().text.encode() for x in ("particle", "rp_arm_maximal", "rp_arm")]
    # a thousandth of what the checker allows, so that no input takes long
    work = check.MAX_WORK // 1000

    def read(data: bytes) -> object:
        return check.check(check.read(data), work)

    return Reader(seeds, read, mutate_json, (check.Refused,))
