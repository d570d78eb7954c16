"""Protection of the server: which requests and connections it accepts.

A page on the internet can make a visitor's browser send requests here, even with a name that points
to this machine (DNS rebinding). So a request must name this server as its host, requests that a
browser marks as from another site are refused, and a request that changes something must be JSON
from this site.

uvicorn waits for slow clients without limit. Here a client has some seconds to send the rest of a
request or to read an answer. If there are too many connections, the one whose request has been
incomplete for longest is closed, so a client cannot block others with idle connections. If all
requests are complete, the next request gets status 503.
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

MOST_HEADERS = 16_384  # Bytes of a request's headers.
MOST_BODY = 4096  # Bytes of a request's body.
BODY_SECONDS = 5.0  # Seconds to receive a body.
NETWORK_BITS = 64  # Leading bits of an IPv6 address that identify a client.

# Headers of every answer. The page itself has a stricter policy for scripts.
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    (b"cache-control", b"no-cache"),
)


class Guard:
    """Middleware that refuses requests from other sites, and broken ones."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
                if message["status"] >= 400:  # the rest of the request stays unread
                    message["headers"].append((b"connection", b"close"))
            await send(message)

        status, problem = self._refusal(scope)
        if status:
            await PlainTextResponse(problem, status)(scope, receive, sending)
            return
        await self._app(scope, receive, sending)

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        """Return (status, reason) of a refusal; (0, "") if the request is accepted."""
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size > MOST_HEADERS:
            return 431, "too many headers"
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in (b"host", b"origin", b"content-type"):
                return 400, "a header is repeated"
            headers[name] = value
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._hosts.allows(host):
            return 421, "this server has another name"
        site = headers.get(b"sec-fetch-site", b"same-origin")
        is_page = scope["path"] == "/" and scope["method"] == "GET"
        if site not in (b"same-origin", b"none") and not is_page:
            return 403, "a request from another site"
        if scope["method"] in ("GET", "HEAD"):
            return 0, ""
        if scope["method"] != "POST":
            return 405, "only GET and POST"
        origin = headers.get(b"origin", f"http://{host}".encode("latin-1"))
        if origin.decode("latin-1").lower() != f"http://{host}".lower():
            return 403, "a request from another site"
        if headers.get(b"content-type", b"").split(b";")[0].strip() != b"application/json":
            return 415, "expected JSON"
        return 0, ""


class Hosts:
    def __init__(self, host: str, port: int) -> None:
        """`host` is the address or name that the server listens on."""
        self._port, self._names = port, {host.lower()}
        address = ipaddress.ip_address(host) if _is_address(host) else None
        self._any = address is not None and address.is_unspecified
        if self._any:
            self._names |= {"localhost", socket.gethostname().lower()}
        elif host.lower() == "localhost" or (address is not None and address.is_loopback):
            self._names |= {"localhost", "127.0.0.1", "::1"}

    def allows(self, host: str) -> bool:
        """Return True for names of this server; if it listens on all, for any address."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        plain = parts.netloc == host and "@" not in host and not parts.path
        known = name in self._names or (self._any and _is_address(name))
        return plain and port == self._port and known


async def body(receive: Receive) -> bytes | None:
    """Return a request's body; None if it is too long or slow, or the client has gone."""
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
    """Return a client's IPv4 address or IPv6 network, also behind a trusted proxy."""
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


OWED_SECONDS = 10.0  # Seconds to receive a request, from its first byte or the connection's start.
UNREAD_SECONDS = 20.0  # Seconds for which a client may leave full buffers unread.
MOST = 600  # Connections in all.
MOST_OF_ONE = 400  # Connections from one address; a course may share it. No limit for proxies.


class Connection(H11Protocol):
    """A connection that ends if its client is slow or if another one needs its place."""

    _owed: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
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
        return self.client[0] if self.client else ""

    @property
    def owes_request(self) -> bool:
        """True while the client has to send a request or the rest of its body."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body

    def data_received(self, data: bytes) -> None:
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
        self.connections.discard(self)
        if self.transport is not None:
            self.transport.abort()

    def _after(self, seconds: float) -> asyncio.TimerHandle:
        end: Callable[[], None] = self.end
        return self.loop.call_later(seconds, end)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
