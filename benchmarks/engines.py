"""All engines that can run here, opened for one robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import ours
from benchmarks.peers import casadi_peer, mujoco_peer, pinocchio_cpp, pinocchio_python
from benchmarks.peers.base import Case, Engine, Unavailable

Announce = Callable[[str], None]
BASELINE = pinocchio_cpp.PinocchioCpp.name
"""What ratios are taken against."""
NAMES = (
    BASELINE,
    pinocchio_python.PinocchioPython.name,
    mujoco_peer.MuJoCo.name,
    casadi_peer.CasadiMachine.name,
    casadi_peer.CasadiC.name,
    ours.DalembertBatch.name,
    ours.DalembertFloats.name,
    ours.DalembertSingle.name,
    ours.DalembertPython.name,
)


def open_engines(
    case: Case, *, peers_only: bool, announce: Announce
) -> tuple[list[Engine], dict[str, str]]:
    """Return what runs here, and why the rest does not."""
    opened: list[Engine] = []
    missing: dict[str, str] = {}
    for names, make in _makers(case, peers_only, announce):
        try:
            opened += make()
        except Unavailable as error:
            missing |= dict.fromkeys(names, str(error))
    return opened, missing


def _makers(
    case: Case, peers_only: bool, announce: Announce
) -> Iterator[tuple[tuple[str, ...], Callable[[], list[Any]]]]:
    """Yield names with the function that opens them."""
    yield NAMES[:1], lambda: [pinocchio_cpp.PinocchioCpp(case, announce)]
    yield NAMES[1:2], lambda: [pinocchio_python.PinocchioPython(case)]
    yield NAMES[2:3], lambda: [mujoco_peer.MuJoCo(case, announce)]
    made: dict[str, Any] = {}

    def casadi_machine() -> list[Any]:
        announce(f"{case.name}: CasADi traces the recursions")
        made.update(casadi_peer.functions(case.mechanism))
        return [casadi_peer.CasadiMachine(case, made)]

    yield NAMES[3:4], casadi_machine
    yield NAMES[4:5], lambda: [casadi_peer.CasadiC(case, made, announce)] if made else []
    if not peers_only:
        yield NAMES[5:], lambda: _ours(case, announce)


def _ours(case: Case, announce: Announce) -> list[Any]:
    announce(f"{case.name}: dalembert compiles")
    model = ours.compile_model(case.mechanism, threads=1)
    floats = ours.compile_model(case.mechanism, threads=1, dtype="float32")
    kinds = (ours.DalembertBatch, ours.DalembertSingle, ours.DalembertPython)
    return [*(kind(case, model) for kind in kinds), ours.DalembertFloats(case, floats)]
