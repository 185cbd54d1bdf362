"""The only port of the studio, and the secret that opens it.

The secret is the first part of every path: no cookie, which a browser would also send to the other
ports of this machine, and nothing that a page of another site could guess or read.
"""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Iterable

HOST = "127.0.0.1"


class Gate:
    """A port of the loopback address, and what a visitor must know to be let in.

    Attributes:
        token: The secret, 24 random bytes as text.
        socket: Where visitors come; nobody is answered before a server takes it.
        port: Its number.
        visited: Set when the first visitor has been let in.
    """

    def __init__(self, port: int = 0) -> None:
        """Take a port, any free one if it is 0.

        Raises:
            OSError: the port is taken.
        """
        self.token = secrets.token_urlsafe(24)
        self.socket = socket.create_server((HOST, port))
        self.port: int = self.socket.getsockname()[1]
        self.visited = threading.Event()

    @property
    def url(self) -> str:
        """The address to open; it holds the token."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def inside(self, target: str, hosts: Iterable[str], origins: Iterable[str]) -> str | None:
        """Return the path behind the token that a request asks for; None if it is refused.

        Args:
            target: What follows the method in the first line of the request.
            hosts: The values of all its headers Host.
            origins: The values of all its headers Origin.
        """
        own = [f"{HOST}:{self.port}", f"localhost:{self.port}"]
        match list(hosts):
            # another name means that somebody pointed his own at this machine
            case [host] if host in own:
                pass
            case _:
                return None
        # a page of another site
        if not set(origins) <= {f"http://{name}" for name in own}:
            return None
        first, slash, token = target.partition("?")[0].partition("/")
        token, _, rest = token.partition("/")
        if first or not slash or not self._is_right(token):
            return None
        self.visited.set()
        return f"/{rest}"

    def _is_right(self, token: str) -> bool:
        # a path may hold bytes that are no text
        given = token.encode("utf-8", "surrogatepass")
        return secrets.compare_digest(given, self.token.encode())

    def close(self) -> None:
        """Give the port back."""
        self.socket.close()
