"""A contest for reports: several openings, draws and faults, without played games."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from arena.contest.retirement import settle
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.facts import Facts, facts_of
from arena.settings.contest import BotEntry, Contest, Schedule, ScheduledGame
from support.bots import record
from support.scripted import round_robin

SCRIPT = "<script>alert(1)</script>"
LONG = "x" * 300
HEBREW = "שלום"
NAMES = ("reference", "ann", SCRIPT, LONG, HEBREW, "random")  # Bots, two of them house players.
OPENINGS = ((3, 3), (0, 1), (6, 5, 6))
REFUSED = "needs columns that are not there"


@cache
def contest_facts(
    names: Sequence[str] = NAMES, openings: int = len(OPENINGS), seed: int = 1
) -> Facts:
    """Return the facts of a round robin with random results; `absent` was refused."""
    draw = random.Random(seed)
    games = list(round_robin(names, OPENINGS[:openings]))
    records = {game.key.digest: made_up(game, draw) for game in games}
    entries = {
        name: BotEntry(content_hash=name, house=name in ("reference", "random")) for name in names
    }
    entries["absent"] = BotEntry(refused=REFUSED)
    contest = Contest(bots=entries, schedule=Schedule(openings=openings))
    return facts_of(Path("homework4"), contest, settle(games, records, 0), {})


def made_up(game: ScheduledGame, draw: random.Random) -> GameRecord:
    """Return a random record: a win on the board, a draw or a fault."""
    verdict = draw.choice([Verdict.LINE] * 3 + [Verdict.BOARD_FULL, Verdict.ERROR, Verdict.NODES])
    moves = tuple(draw.randrange(7) for _ in range(draw.randint(4, 9)))
    answers = len(moves) + verdict.is_fault
    charged = tuple(draw.randrange(10**9) for _ in range(answers))
    nodes = tuple(draw.choice([-1, draw.randrange(1, 9999)]) for _ in range(answers))
    return record(
        game.key,
        game.key.opening + moves,
        verdict,
        None if verdict is Verdict.BOARD_FULL else draw.randrange(2),
        charged_ns=charged,
        nodes=nodes,
        output="</script><b>bold</b>\x1b[31m" * verdict.is_fault,
    )


def chunks_of(page: str) -> dict[str, Any]:
    """Return a page's chunks by name."""
    texts = re.findall(r'id="chunk-([\w-]+)">([\w+/=]*)</script>', page)
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in texts}
