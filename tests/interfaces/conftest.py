"""Submissions of several files, and games with them in real processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot, GameRecord
from arena.intake.submission import read_submission
from arena.rules import Ruleset
from support.bots import LAST_FREE, Against, HandIn, MakeBot, as_entered, key


@pytest.fixture
def hand_in(tmp_path: Path) -> HandIn:
    """`hand_in({"bot.py": source, …})`: a bot from a folder with these files."""
    made = 0

    def hand_in(files: Mapping[str, str], **settings: object) -> Bot:
        nonlocal made
        made += 1
        folder = tmp_path / f"handed_in_{made}"
        for name, source in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(dedent(source))
        found = read_submission(folder)
        assert found.problem is None, found.problem
        return as_entered(found, folder, **settings)

    return hand_in


@pytest.fixture
def against_last_free(zygote: Zygote, hand_in: HandIn, make_bot: MakeBot) -> Iterator[Against]:
    """`against_last_free(files, second=False, rules=…, …)`: the record of one game.

    The opponent plays the last free column.
    """
    with ExitStack() as stack:

        def against(
            files: Mapping[str, str],
            second: bool = False,
            rules: Ruleset | None = None,
            **settings: object,
        ) -> GameRecord:
            limits = Limits(nodes=None)
            bots = [hand_in(files, **settings), make_bot(LAST_FREE)]
            players = [stack.enter_context(BotPlayer(zygote, bot, limits)) for bot in bots]
            if second:
                bots, players = bots[::-1], players[::-1]
            changes = {"limits": limits} | ({"rules": rules} if rules else {})
            return play(key(*bots, **changes), *players)

        yield against
