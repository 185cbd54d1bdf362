"""Machine code from the cache, or compiled and kept there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from dalembert.kernel import cache
from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.jit import Code, machine_code

KERNEL = Path(__file__).parents[2]
"""The package in which every text is written."""


def cached_code(
    host: Host,
    write: Callable[[], str],
    *key: str,
    check: Callable[[Code], None] | None = None,
) -> Code:
    """Return the machine code, for a processor, of the text that ``write`` returns.

    An entry of the cache is found by the processor, by the sources of the writers and by ``key``,
    which says what is written; without a key by the text itself. So no change of a writer needs a
    number that somebody must remember to raise.

    ``check`` is given code that was compiled now; if it raises, the code is not kept. What is in
    the cache has passed.
    """
    if not key or SOURCES is None:
        text = write()
        write, key = (lambda: text), (text,)
    compiled: list[Code] = []

    def compile_and_check() -> bytes:
        content = machine_code(write(), host)
        code = Code(content, host)
        if check is not None:
            check(code)
        compiled.append(code)
        return content

    content = cache.cached(("llvm", str(host), str(SOURCES), *key), compile_and_check)
    return compiled[-1] if compiled else Code(content, host)


def digest_of_sources(folder: Path) -> str | None:
    """Return the digest of all sources below a folder; None where there are none to read."""
    paths = [
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith(".py")
    ]
    digest = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{path[len(str(folder)) :]} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest() if paths else None


SOURCES = digest_of_sources(KERNEL)
"""Read when this module is loaded, as the writers are: a file that changes later has no part in
what this process writes."""
