"""Rollouts of an arm under a PD law, RK4: dalembert against MuJoCo, in one process and one run.

    python -m benchmarks.simulation [--quick] [--gpu] [--json FILE]

Both integrate the same seven-joint arm without contacts, with the same step and the same law:
fused into the compiled loop here, as actuators there, so that MuJoCo never returns to Python. The
trajectories must agree first. Then all take turns, round by round, and the best round of each
counts; one core, processor time. With ``--gpu`` only the loop on a GPU of NVIDIA is timed.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import dalembert as da
from benchmarks.machine import machine
from benchmarks.peers.base import Unavailable
from benchmarks.peers.mujoco_peer import import_mujoco
from benchmarks.robots import robots
from benchmarks.timing import QUICK, THOROUGH, Job, Plan, best_of
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.simulation import RK4, rollout
from dalembert.simulation.rollouts.loop import rollout_loop

STEP = 1e-3
STIFFNESS = (50.0, 50.0, 50.0, 50.0, 5.0, 5.0, 5.0)
DAMPING = (5.0, 5.0, 5.0, 5.0, 0.05, 0.05, 0.05)
# one batch of each job; a rollout of MuJoCo is long, too
SAMPLES, STEPS = 256, 200
AGREEMENT = 1e-9
GOAL = 20
# on a GPU a thread runs a rollout; the last size fills every one of them
GPU_SAMPLES, GPU_STEPS = (1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20), 500
GPU_GOAL = 2e9


class Starts(NamedTuple):
    """Where the arms begin, at rest, and where the law wants them."""

    q: np.ndarray
    target: np.ndarray


def starts(n: int) -> Starts:
    """Return seeded starts and targets."""
    rng = np.random.default_rng(0)
    return Starts(*rng.uniform(-1, 1, (2, SAMPLES, n)))


class Ours:
    """The closed loop of dalembert on some cores."""

    def __init__(self, mechanism: Any, **options: Any) -> None:
        # nothing but rigid bodies: MuJoCo gets no springs and dampers either
        self.model = da.compile(mechanism, passive=False, **options)
        n = self.model.nv
        self.target = da.parameters(" ".join(f"target{i}" for i in range(n)))
        joints = zip(
            self.model.symbols.q,
            self.model.symbols.qd,
            self.target,
            STIFFNESS,
            DAMPING,
            strict=True,
        )
        self.law = [k * (r - q) - d * v for q, v, r, k, d in joints]

    def run(self, given: Starts, record: int | None) -> Any:
        """Return the rollouts."""
        values = {self.target: given.target}
        return rollout(
            self.model,
            given.q,
            None,
            STEPS,
            self.law,
            method=RK4(STEP),
            parameters=values,
            record=record,
        )

    def job(self, given: Starts, record: int | None) -> Job:
        """Return the rollouts as a job that counts steps."""

        def run(passes: int) -> int:
            for _ in range(passes):
                self.run(given, record)
            return passes * SAMPLES * STEPS

        return run

    def device_loop(self) -> Any:
        """Return the compiled loop of (q, q̇, step, target) itself."""
        groups = {"target": self.target}
        return rollout_loop(self.model, self.law, RK4(STEP), groups, has_controls=False).run


class MuJoCo:
    """The same arm; its actuators are the law, its integrator RK4."""

    def __init__(self, mechanism: Any) -> None:
        self.mujoco = mujoco = import_mujoco()
        spec = mujoco.MjSpec.from_string(save_mjcf(mechanism))
        for joint, k, d in zip(spec.joints, STIFFNESS, DAMPING, strict=True):
            actuator = spec.add_actuator(name=joint.name, target=joint.name)
            actuator.trntype = mujoco.mjtTrn.mjTRN_JOINT
            # k · control - k · position - d · velocity
            actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
            actuator.gainprm[0] = k
            actuator.biasprm[:3] = 0.0, -k, -d
        self.model = spec.compile()
        for bit in ("CONSTRAINT", "SPRING", "DAMPER", "CONTACT"):
            self.model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{bit}"))
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.timestep = STEP
        self.data = mujoco.MjData(self.model)

    def steps(self, q: np.ndarray, target: np.ndarray, count: int) -> None:
        """Take steps inside C, from rest."""
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.ctrl[:] = q, target
        self.mujoco.mj_step(self.model, self.data, nstep=count)

    def rollouts(self, given: Starts, threads: int) -> np.ndarray:
        """Return all states of all rollouts, ``(samples, steps, nq + nv)``."""
        from mujoco import rollout as module

        n = self.model.nq
        kind = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        size = self.mujoco.mj_stateSize(self.model, kind)
        initial = np.zeros((len(given.q), size))
        # time comes before the positions
        initial[:, 1 : n + 1] = given.q
        data = [self.mujoco.MjData(self.model) for _ in range(threads)]
        states, _ = module.rollout(
            self.model, data, initial, given.target[:, None, :], nstep=STEPS, persistent_pool=True
        )
        return np.asarray(states)[..., 1 : 2 * n + 1]

    def job(self, given: Starts) -> Job:
        """Return steps of single arms as a job."""

        def run(passes: int) -> int:
            for k in range(passes):
                i = k % SAMPLES
                self.steps(given.q[i], given.target[i], STEPS)
            return passes * STEPS

        return run

    def rollout_job(self, given: Starts) -> Job:
        """Return the rollouts as a job, on one thread."""
        few = Starts(given.q[:16], given.target[:16])

        def run(passes: int) -> int:
            for _ in range(passes):
                self.rollouts(few, 1)
            return passes * len(few.q) * STEPS

        return run


def disagreement(ours: Ours, peer: MuJoCo, given: Starts) -> float:
    """Return the largest difference of positions along a few trajectories."""
    few = Starts(given.q[:8], given.target[:8])
    found, expected = ours.run(few, 1), peer.rollouts(few, 1)
    return float(np.abs(found.q[:, 1:] - expected[..., : ours.model.nq]).max())


def wall(call: Callable[[], Any], steps: int, rounds: int = 5) -> float:
    """Return the best steps per second by the clock on the wall."""
    call()
    best = float("inf")
    for _ in range(rounds):
        begin = perf_counter()
        call()
        best = min(best, perf_counter() - begin)
    return steps / best


def measure(plan: Plan) -> dict[str, Any]:
    """Return steps per second of everybody, and how well they agree."""
    mechanism = robots()["panda"]()
    ours, cores = Ours(mechanism, threads=1), len(os.sched_getaffinity(0))
    floats = Ours(mechanism, threads=1, dtype="float32")
    given = starts(ours.model.nq)
    jobs = {
        "dalembert": ours.job(given, None),
        "dalembert, every state stored": ours.job(given, 1),
        "dalembert, float32": floats.job(given, None),
    }
    result: dict[str, Any] = {"machine": machine(), "cores": cores, "step": STEP}
    try:
        peer = MuJoCo(mechanism)
        result["disagreement"] = disagreement(ours, peer, given)
        if not result["disagreement"] <= AGREEMENT:
            raise SystemExit(f"trajectories differ by {result['disagreement']:.3g} rad")
        jobs["MuJoCo, mj_step"] = peer.job(given)
        jobs["MuJoCo, rollout, every state stored"] = peer.rollout_job(given)
    except Unavailable as error:
        peer, result["missing"] = None, str(error)
    times = best_of(jobs, plan)
    result["one core"] = {name: 1e9 / ns for name, ns in times.items()}
    many = Ours(mechanism, threads=cores)
    # enough work for every core
    wide = Starts(*(np.tile(x, (8, 1)) for x in given))
    steps = len(wide.q) * STEPS
    result["all cores"] = {"dalembert": wall(partial(many.run, wide, None), steps)}
    if peer:
        call = partial(peer.rollouts, given, cores)
        result["all cores"]["MuJoCo, rollout"] = wall(call, len(given.q) * STEPS, 3)
        fastest = max(rate for name, rate in result["one core"].items() if "MuJoCo" in name)
        result["ratio"] = result["one core"]["dalembert"] / fastest
    return result


def measure_gpu() -> dict[str, Any]:
    """Return steps per second of the loop on a GPU, from arrays there to arrays there."""
    from dalembert.kernel.backends.cuda.arrays import require_cupy

    cupy = require_cupy()
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    result: dict[str, Any] = {"machine": machine(), "device": device, "step": STEP, "gpu": {}}
    for dtype in ("float32", "float64"):
        ours = Ours(robots()["panda"](), backend="cuda", dtype=dtype)
        loop, n = ours.device_loop(), ours.model.nq
        for samples in GPU_SAMPLES:
            q, target = cupy.random.RandomState(0).uniform(-1, 1, (2, samples, n)).astype(dtype)
            arrays = q, cupy.zeros_like(q), cupy.asarray(STEP, dtype), target
            assert loop(*arrays, steps=GPU_STEPS).is_finite
            call = partial(loop, *arrays, steps=GPU_STEPS)
            result["gpu"][f"{dtype}, {samples} rollouts"] = wall(call, samples * GPU_STEPS)
    return result


def report_gpu(result: dict[str, Any]) -> None:
    """Print what was measured on a GPU."""
    print(f"{result['device']}: seven-joint arm, PD law, RK4 with {STEP} s; steps per second")
    for name, rate in result["gpu"].items():
        print(f"  {name:28} {rate:16,.0f}")
    print(f"goal in float32: {GPU_GOAL:,.0f}")


def report(result: dict[str, Any]) -> None:
    """Print what was measured."""
    print(f"seven-joint arm, PD law, RK4 with {STEP} s; steps per second")
    if "disagreement" in result:
        print(f"trajectories of {STEPS} steps agree to {result['disagreement']:.1e} rad")
    for where in ("one core", "all cores"):
        for name, rate in result[where].items():
            print(f"  {where:9}  {name:36} {rate:12,.0f}")
    if "ratio" in result:
        print(f"per core {result['ratio']:.1f} × MuJoCo at its fastest (goal {GOAL} ×)")
    else:
        print(result["missing"])


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation",
        description=__doc__.split("\n")[0] if __doc__ else None,
    )
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--gpu", action="store_true", help="time a GPU instead")
    parser.add_argument("--json", type=Path, help="write all results to this file")
    options = parser.parse_args()
    if options.gpu:
        result = measure_gpu()
        report_gpu(result)
    else:
        result = measure(QUICK if options.quick else THOROUGH)
        report(result)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
