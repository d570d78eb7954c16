"""Connections of clients that are slow, silent or too many: none of them keeps others waiting.

uvicorn waits for as long as a client takes. Here a client that owes something, the rest of a
request or room for an answer, has some seconds for it. Where there are too many connections, the
one that has owed a whole request for longest makes room for the next. So a client that opens a
thousand connections and sends nothing, or half a request on each, shuts nobody out. If all of them
wait for answers, the next request is answered with 503.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

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
