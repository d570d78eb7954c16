"""Who may ask: every request is looked at before the application sees it.

A page on the internet can make a browser send requests here, too. It may have its own name point
to this machine (DNS rebinding), so a request must name this server as its host. It may send a form
or ask for a script, so a browser that says that a request came from another site is refused, and
a request that changes something must be JSON from this very site.

Connections of clients that are slow, silent or too many: none of them keeps others waiting.

uvicorn waits for as long as a client takes. Here a client that owes something, the rest of a
request or room for an answer, has some seconds for it. Where there are too many connections, the
one that has owed a whole request for longest makes room for the next. So a client that opens a
thousand connections and sends nothing, or half a request on each, shuts nobody out. If all of them
wait for answers, the next request is answered with 503.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import h11
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_HEADERS = 16_384
"""Bytes of a request's headers."""

MOST_BODY = 4096
"""Bytes of a request's body."""

BODY_SECONDS = 5.0
"""Seconds in which all of it must come."""

NETWORK_BITS = 64
"""Leading bits of an IPv6 address that are one client's: providers give each at least the rest."""

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    (b"cache-control", b"no-cache"),
)
"""Sent with every answer. The page has a stricter policy of its own, about its scripts."""


class Guard:
    """Lets only those requests through that this server is meant to answer."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
                if message["status"] >= 400:  # what else the client sends is not read
                    message["headers"].append((b"connection", b"close"))
            await send(message)

        status, problem = self._refusal(scope)
        if status:
            await PlainTextResponse(problem, status)(scope, receive, sending)
            return
        await self._app(scope, receive, sending)

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        """Return the status and reason with which a request is refused; 0 if it is not."""
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size > MOST_HEADERS:
            return 431, "too many headers"
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in (b"host", b"origin", b"content-type"):
                return 400, "a header is there twice"
            headers[name] = value
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._hosts.allows(host):
            return 421, "this server has another name"
        site = headers.get(b"sec-fetch-site", b"same-origin")
        is_page = scope["path"] == "/" and scope["method"] == "GET"
        if site not in (b"same-origin", b"none") and not is_page:
            return 403, "asked for by another site"
        if scope["method"] in ("GET", "HEAD"):
            return 0, ""
        if scope["method"] != "POST":
            return 405, "only GET and POST"
        origin = headers.get(b"origin", f"http://{host}".encode("latin-1"))
        if origin.decode("latin-1").lower() != f"http://{host}".lower():
            return 403, "asked for by another site"
        if headers.get(b"content-type", b"").split(b";")[0].strip() != b"application/json":
            return 415, "expected JSON"
        return 0, ""


class Hosts:
    """The names under which a server may be asked."""

    def __init__(self, host: str, port: int) -> None:
        """`host` is what it listens on: an address or a name."""
        self._port = port
        self._names = {host.lower()}
        self._any = False
        addresses = [ipaddress.ip_address(host)] if _is_address(host) else []
        if host.lower() == "localhost" or any(each.is_loopback for each in addresses):
            self._names |= {"localhost", "127.0.0.1", "::1"}
        elif any(each.is_unspecified for each in addresses):
            self._any = True
            self._names |= {"localhost", socket.gethostname().lower()}

    def allows(self, host: str) -> bool:
        """Return True if a request may name this host and port.

        A server that listens on all addresses may be asked by any address: it is names that others
        can have point here.
        """
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        plain = parts.netloc == host and "@" not in host and not parts.path
        known = name in self._names or (self._any and _is_address(name))
        return plain and port == self._port and known


async def body(receive: Receive) -> bytes | None:
    """Return a request's body; None if it is too long, or too slow, or the client has gone."""
    parts = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message: Any = await receive()
                if message["type"] != "http.request":
                    return None
                parts += message.get("body", b"")
                if len(parts) > MOST_BODY:
                    return None
                if not message.get("more_body", False):
                    return bytes(parts)
    except TimeoutError:
        return None


def client(scope: Scope) -> str:
    """Return who sent a request: an IPv4 address, or the network of an IPv6 address.

    Behind a trusted proxy it is the address that the proxy forwarded.
    """
    host: str = scope["client"][0] if scope.get("client") else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address), NETWORK_BITS), strict=False).network_address)
    return str(address)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


OWED_SECONDS = 10.0
"""Seconds in which a request is to come, from the first byte, or the connection, to the last."""

UNREAD_SECONDS = 20.0
"""Seconds for which a client may leave unread what fills the buffers."""

MOST = 600
"""Connections in all."""

MOST_OF_ONE = 400
"""Connections of one address, behind which there may be a class. A trusted proxy may have all."""


class Connection(H11Protocol):
    """A connection that ends when its client is too slow, or takes up room that others need."""

    _owed: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    since = 0.0
    """The moment since which it owes a request: when it was opened, or sent the last one whole."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there is room."""
        super().connection_made(transport)
        self.since = monotonic()
        self._owed = self._after(OWED_SECONDS)
        everyone = [each for each in self.connections if isinstance(each, Connection)]
        mine = [each for each in everyone if each.address == self.address]
        is_proxy = self.address in self.config.forwarded_allow_ips
        too_many = len(mine) > MOST_OF_ONE and not is_proxy
        crowd = mine if too_many else everyone if len(everyone) > MOST else []
        owing = [each for each in crowd if each.owes_request and each is not self]
        if owing:
            min(owing, key=lambda each: each.since).end()
        elif crowd:
            self.limit_concurrency = 0  # uvicorn answers with 503

    @property
    def address(self) -> str:
        """The client's address."""
        return self.client[0] if self.client else ""

    @property
    def owes_request(self) -> bool:
        """True if no answer is under way, or one to a request whose body is not all here."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body

    def data_received(self, data: bytes) -> None:
        """Read on; what is not complete is to come soon."""
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self.since = monotonic()
            _cancel(self._owed)
            self._owed = None
        elif self._owed is None:
            self._owed = self._after(OWED_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self._after(UNREAD_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._unread)

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._owed)
        _cancel(self._unread)
        super().connection_lost(exc)

    def end(self) -> None:
        """End it at once, whatever was not sent."""
        self.connections.discard(self)
        if self.transport is not None:
            self.transport.abort()

    def _after(self, seconds: float) -> asyncio.TimerHandle:
        end: Callable[[], None] = self.end
        return self.loop.call_later(seconds, end)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
