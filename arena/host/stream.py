"""Messages over a stream socket, each after a mark and its length."""

from __future__ import annotations

import socket
import struct
from time import monotonic

_HEAD = struct.Struct("<HH")
_MARK = 0xA7E4
_PIECE = 1 << 16


class MessageStream:
    """Has the methods of a SEQPACKET socket that the referee and a bot's process use."""

    def __init__(self, stream: socket.socket) -> None:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = stream
        self._received = bytearray()

    def send(self, data: bytes, /) -> int:
        """Send a message. Raises OSError."""
        self._stream.sendall(_HEAD.pack(_MARK, len(data)) + data)
        return len(data)

    def recv_into(self, buffer: bytearray, /) -> int:
        """Write the next message into `buffer`; return its size.

        A message that is too long is cut; the size is 0 if the other end is closed. Raises
        BlockingIOError if the message is not complete after the time of `wait_at_most`, and
        OSError.
        """
        seconds = self._stream.gettimeout()
        return self._receive(buffer, None if seconds is None else monotonic() + seconds)

    def receive_now(self, buffer: bytearray) -> int:
        """Do the same without waiting."""
        seconds = self._stream.gettimeout()
        self._stream.settimeout(0)
        try:
            return self._receive(buffer, None)
        finally:
            self._stream.settimeout(seconds)

    def wait_at_most(self, seconds: float) -> None:
        self._stream.settimeout(seconds)

    def close(self) -> None:
        self._stream.close()

    def _receive(self, buffer: bytearray, until: float | None) -> int:
        received = self._received
        while True:
            if len(received) >= _HEAD.size:
                mark, size = _HEAD.unpack_from(received)
                if mark != _MARK:
                    return len(buffer)  # no message: the bot has written into the channel
                end = _HEAD.size + size
                if len(received) >= end:
                    message = received[_HEAD.size : end][: len(buffer)]
                    del received[:end]
                    buffer[: len(message)] = message
                    return len(message)
            try:
                piece = self._stream.recv(_PIECE)
            except TimeoutError:
                raise BlockingIOError from None
            if not piece:
                return 0
            received += piece
            if until is not None and monotonic() > until:  # the other end sends byte by byte
                raise BlockingIOError
