"""Write `constraints.txt` anew: `python -m tools.constraints`, with Python 3.11.

The versions come from one resolution of the package with all of its extras, so that the pins of
the test environment leave every extra installable; only what the tests need is written. Beside
each stand the hashes of its files for the platforms that dalembert runs on.
"""

import html
import itertools
import re
import sys
import tomllib
import urllib.parse
import urllib.request

from tools.pins import BUILD, CONSTRAINTS, ROOT, Pin, normalised, resolve

HEADER = """\
# Versions the tests run with: dalembert, its test extra, and what these depend on.
# Resolved on Python 3.11 by `python -m tools.constraints`; valid on 3.12 to 3.14 too.
# What has no wheels of these versions for Python 3.15 or for Intel Macs has a marker.
# `python -m tools.pins` installs them; pip takes no hashes by -c.
"""
PLATFORMS = re.compile(r"any|manylinux\w*_(x86_64|aarch64)|macosx_\w+|win_(amd64|arm64)")
"""Wheels of other platforms are left out, such as those for musl and 32 bits."""
PYTHONS = re.compile(r"py3|py2\.py3|cp3(1[1-9]|[2-9]\d)")
# needed on Windows only, so that a resolution elsewhere does not see it
ELSEWHERE = {"colorama": "0.4.6"}
INTEL_MAC = 'sys_platform == "darwin" and platform_machine == "x86_64"'
NOT_INTEL_MAC = 'sys_platform != "darwin" or platform_machine != "x86_64"'
NEWEST = 'python_version < "3.15"'
# the markers of pins that do not hold everywhere
MARKERS = {
    "contourpy": NEWEST,
    "jax": NEWEST,
    "jaxlib": NEWEST,
    "llvmlite": NOT_INTEL_MAC,
    "numpy": NEWEST,
    "scipy": NEWEST,
}
# the last versions that have wheels for Intel Macs
ON_INTEL_MACS = {"llvmlite": "0.45.1"}


def main() -> None:
    """Resolve twice and write the pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core, extras = [*project["dependencies"], *BUILD], project["optional-dependencies"]
    everything = resolve(sys.executable, [*core, *itertools.chain(*extras.values())], [])
    tested, newest = [*core, *extras["test"]], itertools.starmap(Pin, everything.items())
    pins = resolve(sys.executable, tested, newest)
    found = [hashed(pin) for pin in marked(pins | ELSEWHERE)]
    text = HEADER + "".join(f"{pin}\n" for pin in found)
    CONSTRAINTS.write_text(text, encoding="utf-8", newline="\n")
    print(f"constraints.txt: {len(found)} versions, {sum(len(x.hashes) for x in found)} hashes")


def marked(versions: dict[str, str]) -> list[Pin]:
    """Return the pins with the markers of those that do not hold everywhere.

    >>> for pin in marked({"llvmlite": "0.50.0", "rich": "14.3.4"}):
    ...     print(pin)
    llvmlite==0.45.1; sys_platform == "darwin" and platform_machine == "x86_64"
    llvmlite==0.50.0; sys_platform != "darwin" or platform_machine != "x86_64"
    rich==14.3.4
    """
    pins = []
    for name, version in sorted(versions.items()):
        if name in ON_INTEL_MACS:
            pins.append(Pin(name, ON_INTEL_MACS[name], INTEL_MAC))
        pins.append(Pin(name, version, MARKERS.get(name, "")))
    return pins


def hashed(pin: Pin) -> Pin:
    """Return a pin with the hashes of its files, as the index has them."""
    # where pip looks by default; its reports tell the hash of one file, not of those for others
    from pip._internal.models.index import PyPI

    with urllib.request.urlopen(f"{PyPI.simple_url}/{pin.name}/") as answer:
        page = answer.read().decode()
    hashes = sorted(hashes_of(pin, page))
    if not hashes:
        raise SystemExit(f"expected files of {pin.name} {pin.version} in the index, got none")
    return pin._replace(hashes=tuple(hashes))


def hashes_of(pin: Pin, page: str) -> list[str]:
    """Return the hashes of the files on a page of the index that may be installed.

    >>> def link(name):
    ...     return f'<a href="../{name}#sha256={"0" * 64}">{name}</a>'
    >>> names = ["a_b-1.0.tar.gz", "a_b-1.0.1.tar.gz", "a_b-1.0-cp310-cp310-win_amd64.whl"]
    >>> names += ["a_b-1.0-cp37-abi3-win_amd64.whl", "a_b-1.0-cp312-cp312-musllinux_1_1_x86_64.whl"]
    >>> len(hashes_of(Pin("a-b", "1.0"), " ".join(map(link, names))))
    2
    """
    links = re.findall(r'href="([^"]+)"', page)
    found = []
    for link in map(html.unescape, links):
        address, _, digest = link.partition("#sha256=")
        name = urllib.parse.unquote(address.rpartition("/")[2])
        if digest and _is_wanted(pin, name):
            found.append(digest)
    return found


def _is_wanted(pin: Pin, name: str) -> bool:
    """Tell whether a file is a source or a wheel of a version, for a platform that we run on."""
    if name.endswith(".tar.gz"):
        source, _, version = name.removesuffix(".tar.gz").rpartition("-")
        return (normalised(source), version) == (pin.name, pin.version)
    parts = name.removesuffix(".whl").split("-")
    if not name.endswith(".whl") or len(parts) < 5:
        return False
    is_ours = (normalised(parts[0]), parts[1]) == (pin.name, pin.version)
    python, abi, platform = parts[-3:]
    runs = abi == "abi3" or any(PYTHONS.fullmatch(x) for x in (python, *python.split(".")))
    return is_ours and runs and any(PLATFORMS.fullmatch(x) for x in platform.split("."))


if __name__ == "__main__":
    main()
