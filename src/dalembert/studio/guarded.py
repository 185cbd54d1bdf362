"""viser's server on one port, which asks for the token before anything else.

viser has no place for such a check, and listens as soon as it is made. But it stores its web
server in an attribute before it starts it. There the web server becomes ours: it takes the socket
of the gate instead of a port of its own, it asks the gate about every request, and requests to
share the scene with a server of others find no one who handles them.
"""

from __future__ import annotations

import logging
from types import CodeType, FunctionType, MethodType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

from dalembert.errors import DalembertError, MissingDependency
from dalembert.optional import require
from dalembert.studio.gate import Gate

if TYPE_CHECKING:
    import viser
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

NOWHERE: Any = ()
"""The addresses at which viser itself listens."""
SHARING = "ShareUrl"
"""How the names of the messages begin by which a browser asks for a public address."""
REFUSED = "Wrong or missing token: open the address that dalembert printed.\n"


def guarded(name: str, gate: Gate) -> viser.ViserServer:
    """Return a server of viser that is reached by the gate alone.

    Raises:
        MissingDependency: viser is not installed, or is one that cannot be guarded.
    """
    viser = require("viser", "the studio")
    door = _Door(gate)
    unknown = MissingDependency(
        f"expected a viser whose server dalembert can guard, got {viser.__version__}: "
        "pip install viser==1.1.1"
    )

    class GuardedServer(viser.ViserServer):
        """viser's server with our door, and without a way to share."""

        @property
        def _websock_server(self) -> Any:
            return self._behind_the_door

        @_websock_server.setter
        def _websock_server(self, server: Any) -> None:
            if not _put_behind(server, door):
                raise unknown
            self._behind_the_door = server

        def request_share_url(self, verbose: bool = True) -> NoReturn:
            raise DalembertError("the studio is not shared: send a page of `Studio.page`")

    server = GuardedServer(host=NOWHERE, label=name, verbose=False)
    if not door.is_used:
        server.stop()
        raise unknown
    return server


class _Door:
    """What stands in for the function ``serve`` of the package websockets.

    Attributes:
        is_used: Whether a server was started through it.
    """

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.is_used = False

    def serve(self, handler: Any, host: object, port: object, **options: Any) -> Any:
        """Serve on the socket of the gate, whatever address is given."""
        from websockets.asyncio.server import serve

        self.is_used = True
        answer = options.pop("process_request")

        def check(connection: ServerConnection, request: Request) -> Response | None:
            headers = request.headers
            path = self.gate.inside(
                request.path, headers.get_all("Host"), headers.get_all("Origin")
            )
            if path is None:
                return connection.respond(403, REFUSED)
            request.path = path
            response = answer(connection, request)
            if response is not None:
                # the address of the page holds the token
                response.headers["Referrer-Policy"] = "no-referrer"
            return response

        return serve(
            handler, sock=self.gate.socket, process_request=check, logger=_logger(), **options
        )


def _logger() -> logging.Logger:
    """Return a logger that is silent about visitors who come with something else than a request."""
    logger = logging.getLogger("dalembert.studio")
    if not logger.filters:
        logger.addFilter(lambda record: record.getMessage() != "opening handshake failed")
    return logger


def _put_behind(server: Any, door: _Door) -> bool:
    """Let a web server of viser, which has not started, use the door and forget about sharing.

    Returns:
        Whether that can be done with this viser.
    """
    worker = type(server)._background_worker
    names = worker.__globals__
    if not {"websockets", "serve"} <= _names(worker.__code__) or "websockets" not in names:
        return False
    # a copy of the function, in which one name means ours: other servers of viser stay as they are
    sockets = names["websockets"]
    inner = {**vars(sockets.asyncio.server), "serve": door.serve}
    ours = {**vars(sockets), "asyncio": SimpleNamespace(server=SimpleNamespace(**inner))}
    copy = FunctionType(
        worker.__code__,
        {**names, "websockets": SimpleNamespace(**ours)},
        worker.__name__,
        worker.__defaults__,
        worker.__closure__,
    )
    server._background_worker = MethodType(copy, server)
    register = server.register_handler

    def register_handler(kind: type, callback: Any) -> None:
        if not kind.__name__.startswith(SHARING):
            register(kind, callback)

    server.register_handler = register_handler
    return True


def _names(code: CodeType) -> set[str]:
    """Return the names that a function uses, and those inside it."""
    inside = (_names(x) for x in code.co_consts if isinstance(x, CodeType))
    return set(code.co_names).union(*inside)
