"""Connections of clients that are slow, silent or too many: none of them keeps others waiting.

uvicorn waits for as long as a client takes. Here a client that owes something, the rest of a
request or room for an answer, has some seconds for it. Where there are too many connections, the
one that has been idle for longest makes room for the next, so that somebody who opens a thousand
and says nothing shuts nobody out.
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
"""Connections of one address, behind which there may be a class."""


class Connection(H11Protocol):
    """A connection that ends when its client is too slow, or takes up room that others need."""

    _owed: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    since = 0.0
    """The moment at which anything came last."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there is room."""
        super().connection_made(transport)
        self.since = monotonic()
        others = [each for each in self.connections if isinstance(each, Connection)]
        mine = [each for each in others if each.address == self.address]
        crowd = mine if len(mine) > MOST_OF_ONE else others if len(others) > MOST else []
        if crowd:
            idle = [each for each in crowd if each.is_idle]  # this one is
            min(idle, key=lambda each: each.since).end()
        self._owed = self._after(OWED_SECONDS)

    @property
    def address(self) -> str:
        """The client's address."""
        return self.client[0] if self.client else ""

    @property
    def is_idle(self) -> bool:
        """True if no answer is under way."""
        return self.cycle is None or self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Read on; what is not complete is to come soon."""
        self.since = monotonic()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            _cancel(self._owed)
            self._owed = None
        elif self._owed is None:
            self._owed = self._after(OWED_SECONDS)

    def pause_writing(self) -> None:
        """Wait until the client has read what was sent."""
        super().pause_writing()
        self._unread = self._after(UNREAD_SECONDS)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        _cancel(self._unread)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
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
