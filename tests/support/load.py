"""Many readers and players of a server at the same time."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from arena.rules import Position, Ruleset

# Pause of a reader between pages, of a player before a move.
READ_SECONDS, THINK_SECONDS = 3.0, 1.5
NEWS_BYTES = 1 << 20  # Most bytes of news that a reader takes at once.


@dataclass
class Met:
    """What happened to readers and players."""

    done: Counter[str] = field(default_factory=Counter)
    """Pages, news, games and moves."""

    errors: Counter[str] = field(default_factory=Counter)
    """Wrong answers."""


class Client:
    """One browser."""

    def __init__(self, port: int, met: Met, end: float) -> None:
        self._port, self._met, self._end = port, met, end

    async def read(self, seed: int) -> None:
        draw = random.Random(seed)
        await asyncio.sleep(draw.uniform(0, READ_SECONDS))
        hearing = asyncio.create_task(self._hear())
        while monotonic() < self._end:
            await self._get("/", "page")
            overview = await self._get("/data/overview", "page")
            if overview:
                edition, bots = overview["edition"], len(overview["bots"])
                await self._get(f"/data/bot-{draw.randrange(bots)}?edition={edition}", "page", 410)
                await self._get(f"/data/games-0?edition={edition}", "page", 410)
            await asyncio.sleep(draw.uniform(0.5, 1.5) * READ_SECONDS)
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)

    async def play(self, seed: int) -> None:
        draw = random.Random(seed)
        overview = await self._get("/data/overview", "page")
        rules = Ruleset(
            **{name: overview["contest"]["rules"][name] for name in ("rows", "columns")}
        )
        bots = [bot["name"] for bot in overview["bots"] if not bot["refused"]]
        while monotonic() < self._end:
            asked = {"bot": draw.choice(bots), "person": draw.randrange(2), "moves": []}
            game = await self._ask("POST", "/play", asked)
            if game is None or "game" not in game:
                await asyncio.sleep(THINK_SECONDS)
                continue
            self._met.done["games"] += 1
            await self._play_on(game, rules, draw)

    async def _play_on(self, game: dict[str, Any], rules: Ruleset, draw: random.Random) -> None:
        path = f"/play/{game['game']}"
        while monotonic() < self._end:
            while game["thinking"] and monotonic() < self._end:
                game = await self._ask("GET", f"{path}?after={game['version']}") or game
            if game["problem"] or "over" in game:
                self._met.errors[game["problem"]] += bool(game["problem"])
                return
            if game["thinking"]:
                break  # the time is over
            await asyncio.sleep(draw.uniform(0.5, 1.5) * THINK_SECONDS)
            position = Position(rules, tuple(game["moves"]))
            move = {"ply": position.ply, "column": draw.choice(position.legal())}
            game = await self._ask("POST", path, move) or game
            self._met.done["moves"] += 1
        await self._ask("POST", f"{path}/leave", {})

    async def _hear(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=NEWS_BYTES)
        writer.write(self._head("GET", "/live"))
        try:
            while line := await reader.readline():
                self._met.done["news"] += line.startswith(b"event:")
            if monotonic() < self._end:
                self._met.errors["the news ended"] += 1
        finally:
            writer.close()

    async def _get(self, path: str, kind: str, *fine: int) -> Any:
        said = await self._ask("GET", path, None, *fine)
        self._met.done[kind] += 1
        return said

    async def _ask(self, method: str, path: str, data: object = None, *fine: int) -> Any:
        """Send a request on a new connection; return its JSON, None for other answers."""
        body = b"" if data is None else json.dumps(data).encode()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            try:
                writer.write(self._head(method, path, len(body)) + body)
                said = await asyncio.wait_for(reader.read(), 60)
            finally:
                writer.close()
            head, _, body = said.partition(b"\r\n\r\n")
            status = int(head.split(b" ", 2)[1])
            if status != 200:
                if status not in fine:
                    self._met.errors[
                        f"{status} {method} {path.split('?')[0][:6]} {body[:60]!r}"
                    ] += 1
                return None
            if b"content-encoding: gzip" in head:
                body = gzip.decompress(body)
            return json.loads(body) if b"application/json" in head else None
        except (OSError, TimeoutError, ValueError, IndexError) as error:
            self._met.errors[f"{type(error).__name__} {method} {path[:6]}"] += 1
            return None

    def _head(self, method: str, path: str, size: int = 0) -> bytes:
        return (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nConnection: close\r\n"
            "Accept-Encoding: gzip\r\nContent-Type: application/json\r\n"
            f"Content-Length: {size}\r\n\r\n"
        ).encode()


async def load(port: int, seconds: float, *, readers: int, players: int) -> Met:
    """Run readers and players for `seconds`."""
    met = Met()
    client = Client(port, met, monotonic() + seconds)
    reading = [client.read(seed) for seed in range(readers)]
    await asyncio.gather(*reading, *(client.play(seed) for seed in range(players)))
    return met
