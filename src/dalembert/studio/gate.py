"""The door of the studio: a relay on the loopback address that asks every visitor for the token.

The server behind it asks for nothing, so the relay adds a secret to what it lets through, and
`server` refuses what comes without it. A browser gets the token in the address that is opened
first; from then on it is a cookie, which pages of other sites can neither read nor send.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

HOST = "127.0.0.1"
SECRET_HEADER = "X-Dalembert-Studio"
MAX_HEAD = 32_768
SECONDS = 10.0
"""How long a visitor may take to say what he wants."""

REFUSED = (
    b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"Wrong or missing token: open the address that dalembert printed.\n"
)


class Gate:
    """A relay in a thread of its own, from a port with a token to a port behind it.

    Attributes:
        port: Where visitors come.
        token: What they must know.
        secret: What the server behind must see.
    """

    def __init__(self, port: int = 0) -> None:
        self.token, self.secret = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._wanted = port
        self._behind = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True, name="studio gate")
        self._ready = threading.Event()
        self._error: OSError | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """The address to open, with the token in it."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def open(self, behind: int) -> None:
        """Begin to relay to a port of this machine.

        Raises:
            OSError: the port is taken.
        """
        self._behind = behind
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Stop, and wait until the port is free."""
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(SECONDS)

    def _run(self) -> None:
        with contextlib.closing(self._loop) as loop:
            asyncio.set_event_loop(loop)
            try:
                server = loop.run_until_complete(
                    asyncio.start_server(self._visit, HOST, self._wanted, limit=MAX_HEAD)
                )
            except OSError as error:
                self._error = error
                self._ready.set()
                return
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            loop.run_forever()
            server.close()
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request; refuse it, set the cookie, or relay it."""
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SECONDS)
            answer = self._answer(head)
            if answer is not None:
                writer.write(answer)
                await writer.drain()
            else:
                await self._relay(self._marked(head), reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            # the gate closes; asyncio would write an error for a visit that ends cancelled
            pass
        finally:
            writer.close()

    def _answer(self, head: bytes) -> bytes | None:
        """Return what a visitor is told; None where he may pass."""
        target, headers = _read(head)
        query = parse_qs(urlsplit(target).query)
        own = (f"{HOST}:{self.port}", f"localhost:{self.port}")
        # another host name means that somebody pointed his name at this machine
        if headers.get("host") not in own:
            return REFUSED
        origin = headers.get("origin")
        if origin is not None and origin not in [f"http://{name}" for name in own]:
            return REFUSED
        if self._is_right(query.get("token", [""])[-1]):
            cookie = f"{self._cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            lines = ("HTTP/1.1 303 See Other", "Location: /", f"Set-Cookie: {cookie}")
            return "\r\n".join([*lines, "Content-Length: 0", "Connection: close", "", ""]).encode()
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            found = None
        return None if found is not None and self._is_right(found.value) else REFUSED

    @property
    def _cookie(self) -> str:
        # cookies do not know ports: two studios have two names
        return f"dalembert_{self.port}"

    def _is_right(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    def _marked(self, head: bytes) -> bytes:
        """Return a request with our secret; one request for each connection, unless it upgrades."""
        first, *lines = head.rstrip(b"\r\n").split(b"\r\n")
        _, headers = _read(head)
        dropped = [SECRET_HEADER.lower().encode()]
        if headers.get("upgrade", "").lower() != "websocket":
            dropped.append(b"connection")
            lines.append(b"Connection: close")
        kept = [x for x in lines if x.split(b":")[0].strip().lower() not in dropped]
        if b"connection" in dropped:
            kept.append(b"Connection: close")
        secret = f"{SECRET_HEADER}: {self.secret}".encode()
        return b"\r\n".join([first, *kept, secret, b"", b""])

    async def _relay(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        behind, forward = await asyncio.open_connection(HOST, self._behind)
        forward.write(head)
        tasks = [
            asyncio.create_task(_copy(reader, forward)),
            asyncio.create_task(_copy(behind, writer)),
        ]
        try:
            # whoever hangs up ends both
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            forward.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()


def _read(head: bytes) -> tuple[str, dict[str, str]]:
    """Return the target and the headers of a request, names in small letters."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    pairs = (line.partition(":") for line in lines if ":" in line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return (words[1] if len(words) == 3 else "/"), headers
