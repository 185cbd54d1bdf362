"""Optional packages: what to install for each, said in one place."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

from dalembert.errors import MissingDependency

TOGETHER: dict[str, tuple[str, ...]] = {
    "cupy": ("cupy-cuda12x",),
    "flatbuffers": ("jax", "flatbuffers"),
    "jax": ("jax", "flatbuffers"),
    "pinocchio": ("pin",),
    "ray": ("pyarrow", "ray"),
    "trimesh": ("viser", "trimesh"),
    "viser": ("viser", "trimesh"),
}
"""What pip calls a package, with those that are needed beside it; others are called as imported.

Hints name the packages themselves: an extra of dalembert could only be named to those who can get
dalembert by its name.
"""


def install_command(module: str) -> str:
    """Return the command that installs what a module needs.

    >>> install_command("viser"), install_command("jax.export"), install_command("mujoco")
    ('pip install viser trimesh', 'pip install jax flatbuffers', 'pip install mujoco')
    """
    package = module.partition(".")[0]
    return f"pip install {' '.join(TOGETHER.get(package, (package,)))}"


@cache
def require(module: str, what: str, otherwise: str = "") -> ModuleType:
    """Return a module of an optional package; calls of kernels ask, so it is looked up once.

    Args:
        module: Its name.
        what: What needs it.
        otherwise: What to do instead of installing it.

    Raises:
        MissingDependency: it is not installed, or cannot be imported.
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError as error:
        is_absent = isinstance(error, ModuleNotFoundError) and error.name == package
        got = "none" if is_absent else f"one that fails: {str(error)[:200]}"
        advice = "; ".join(filter(None, (install_command(module), otherwise)))
        raise MissingDependency(
            f"expected the package {package} for {what}, got {got}: {advice}"
        ) from None
