"""A real cluster of Ray on this machine: the same bits, and a killed worker is replaced."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.studies import Rows
from dalembert.studies.engines.base import WorkerLost
from dalembert.studies.engines.ray import room
from tests.unit.studies.drivers import WORK, kill_at, started
from tests.unit.studies.work import POINTS, contents, deadly, deadly_once, noisy, pause, wrong

pytest.importorskip("pyarrow", reason="pip install pyarrow")
ray = pytest.importorskip("ray", reason="pip install ray")

# Ray leaves sockets and log files to the interpreter
pytestmark = pytest.mark.filterwarnings("ignore")
TWO = da.sweep.Ray(address=None, workers=2)


# listening sockets of all processes of a cluster, as the kernel of Linux knows them
PORTS = """\
import os, sys
from pathlib import Path

import numpy as np

import dalembert as da

driver = os.getpid()

def ports(rows):
    below, sockets = [driver], set()
    for pid in below:
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            below += path.read_text().split()
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                sockets.add(os.readlink(handle))
            except OSError:
                pass
    addresses = []
    for kind in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                addresses.append(words[1].partition(":")[0])
    # 127.0.0.1, as IPv4 and as IPv6 has it
    strange = [x for x in addresses if not x.endswith("0100007F")]
    return {"open": np.full(len(rows), len(addresses)), "strange": np.full(len(rows), len(strange))}

study = da.sweep(ports, da.sweep.Grid({"x": [0.0]}), sys.argv[1], engine=da.sweep.Ray(None, 1))
print(study, study["open"][0] >= 3, study["strange"][0])
"""


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="needs /proc of Linux")
def test_no_other_machine_reaches_a_cluster_of_our_own(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PORTS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "1 of 1 rows, 0 failed True 0\n", done.stderr


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Room for three workers, and two GPUs as far as Ray is concerned."""
    ray.init(num_cpus=3, num_gpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(autouse=True)
def use(request: pytest.FixtureRequest) -> None:
    """Every test here needs the cluster, but the one of another cluster."""
    if "no_other_machine" not in request.node.name:
        request.getfixturevalue("cluster")


def test_a_cluster_gives_the_same_bits(tmp_path: Path) -> None:
    options = {"seed": 7, "block": 10, "chunk": 50}
    alone = da.sweep(noisy, POINTS, tmp_path / "alone", **options)  # type: ignore[arg-type]
    # two workers, and three that share two GPUs
    for engine in (TWO, da.sweep.Ray(gpus=0.5)):
        folder = tmp_path / str(engine.workers)
        study = da.sweep(noisy, POINTS, folder, engine=engine, **options)  # type: ignore[arg-type]
        assert contents(study) == contents(alone)
        assert [one.path.name for one in study.files] == [one.path.name for one in alone.files]


def test_rollouts_with_a_model_around_them(tmp_path: Path) -> None:
    """A closure with a compiled model travels; kernels are the same on the other side."""
    arm = da.textbook.robots.planar_arm_nr(2)
    model = da.compile(arm, parameters=dict.fromkeys(arm.parameters, 1))

    def end(rows: Rows) -> dict[str, np.ndarray]:
        runs = da.rollout(model, rows["q0"], None, 50, record=None)
        return {"q": runs.q[:, -1]}

    points = da.sweep.Sobol({"q0": ([-3, -3], [3, 3])}, 256)
    options = {"block": 64, "chunk": 64}
    here = da.sweep(end, points, tmp_path / "here", **options)  # type: ignore[arg-type]
    there = da.sweep(end, points, tmp_path / "there", engine=TWO, **options)  # type: ignore[arg-type]
    assert np.isfinite(here["q"]).all()
    assert contents(there) == contents(here)


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    # workers have the environment of the cluster, not of this test
    flag = tmp_path / "flag"
    options = {"seed": 7, "block": 10, "chunk": 50}

    def killing(rows: Rows) -> dict[str, np.ndarray]:
        import os

        os.environ["DALEMBERT_TEST_FLAG"] = str(flag)
        return deadly_once(rows)

    alone = da.sweep(noisy, POINTS, tmp_path / "alone", **options)  # type: ignore[arg-type]
    study = da.sweep(killing, POINTS, tmp_path / "two", engine=TWO, **options)  # type: ignore[arg-type]
    assert flag.exists()
    assert contents(study) == contents(alone)


def test_a_killed_driver_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    address = ray.get_runtime_context().gcs_address
    folder = tmp_path / "killed"
    kill_at(20, folder, started("-m", WORK, str(folder), address))
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("data/*.parquet")}
    assert len(kept) < 100
    study = da.sweep(pause, POINTS, folder, seed=7, block=10, chunk=10, engine=TWO)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
    assert contents(study) == contents(
        da.sweep(noisy, POINTS, tmp_path / "whole", seed=7, block=10)
    )


def test_rows_that_kill_every_worker_are_named(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost, match="rows 500 to 549, got 3 that died over them"):
        da.sweep(deadly, POINTS, tmp_path, block=10, chunk=50, engine=TWO)
    assert da.Study.open(tmp_path).num_done >= 450


def test_an_error_of_the_function_comes_back(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="got 'z'"):
        da.sweep(wrong, POINTS, tmp_path, engine=TWO)


@pytest.mark.parametrize(("gpus", "places"), [(1, 2), (0.6, 2), (0.5, 3)])
def test_workers_have_gpus_of_their_own(gpus: float, places: int, tmp_path: Path) -> None:
    """Each worker sees the GPU that Ray gave it, and there are no more than have room."""

    def seen(rows: Rows) -> dict[str, np.ndarray]:
        import os
        import time

        # long enough that every worker gets rows
        time.sleep(0.02)
        gpu = int(os.environ["CUDA_VISIBLE_DEVICES"])
        return {"gpu": np.full(len(rows), gpu), "process": np.full(len(rows), os.getpid())}

    engine = da.sweep.Ray(gpus=gpus)
    assert engine._count(ray) == places
    study = da.sweep(seen, POINTS, tmp_path, block=10, chunk=10, engine=engine)
    pairs = set(zip(study["process"].tolist(), study["gpu"].tolist(), strict=True))
    assert {gpu for _, gpu in pairs} == {0, 1}
    # a process keeps its GPU, and whole GPUs are not shared
    assert len(pairs) == len({process for process, _ in pairs}) <= places


@pytest.mark.parametrize(
    ("has", "wants", "expected"),
    [((8, 0), (1, 0), 8), ((3, 0), (0.3, 0), 10), ((4, 4), (1, 0.25), 4), ((64, 2), (1, 0.4), 4)],
)
def test_room_of_a_machine(
    has: tuple[float, float], wants: tuple[float, float], expected: int
) -> None:
    assert room(*has, *wants) == expected


def test_a_cluster_without_room_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="room for a worker of 1 cores and 8 GPUs, got a cl"):
        da.sweep(noisy, POINTS, tmp_path, engine=da.sweep.Ray(gpus=8))


@pytest.mark.parametrize("options", [{"workers": 0}, {"cpus": -1}, {"cpus": 0}, {"gpus": 1.5}])
def test_workers_without_meaning_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(EvaluationError, match="expected"):
        da.sweep.Ray(**options)  # type: ignore[arg-type]
