"""The report for one bot's author: only this bot's games and results.

Other bots have their names or pseudonyms, and games show what happened on the board, see
`OwnGames`. Bots are sorted by these names, as another order could reveal ranks. Of the author's bot
only AUTHOR_FACTS are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.common.text import counted
from arena.report.facts import Facts
from arena.report.feedback import about_name, shared_sentence
from arena.report.html.games import CHUNK_GAMES, bot_chunks, game_chunks
from arena.report.html.overview import bot_entries, contest_terms, ladder_rounds, opening_columns
from arena.report.html.shell import Chunk, page
from arena.report.own_games import OwnGames
from arena.report.replay import ShownGame

# The facts about a bot that its author may see, as named in the contest's overview.
AUTHOR_FACTS = (
    *("house", "rank", "rank_low", "rank_high", "points", "games", "wins", "draws", "losses"),
    *("faults", "rating", "rating_low", "rating_high", "grade", "grade_why", "grade_error"),
    *("grade_certainty", "interface", "mean_ms", "max_ms", "mean_nodes"),
    *("max_nodes", "accuracy", "blunders", "retired", "refused", "late", "penalty", "remark"),
    *("budget", "faults_by", "history", "second_tries"),
)


class StudentReports:
    def __init__(self, facts: Facts, name: str) -> None:
        self._facts = facts
        self._own_games = OwnGames(facts)
        self._openings = opening_columns(facts)
        self._entries = {str(entry["name"]): entry for entry in bot_entries(facts)}
        self._terms = contest_terms(facts, name)

    def __call__(self, bot: str) -> str:
        games = list(self._own_games(bot))
        me = self._facts.public_name(bot)
        names = (me, *sorted({name for game in games for name in game.names} - {me}))
        places = {name: place for place, name in enumerate(names)}
        overview = self._overview(bot, names, games)
        chunks = [
            Chunk("overview", overview),
            next(bot_chunks(games, places)),
            *game_chunks(games, places),
        ]
        return page(f"{bot}: {self._terms['name']}", chunks, table=overview["bots"][:1])

    def _overview(self, bot: str, names: tuple[str, ...], games: list[ShownGame]) -> dict[str, Any]:
        facts, entry = self._facts, self._entries[bot]
        house = {name for name, each in facts.contest.bots.items() if each.house}
        met = sorted({game.opening for game in games})
        analysed = sum(game.analysis is not None for game in games)
        return {
            "view": "student",
            "me": 0,
            "contest": self._terms
            | {
                "games": len(games),
                "playing": len(facts.contest.playing),
                "notes": list(self._notes(bot)),
            },
            "bots": [
                {key: entry[key] for key in AUTHOR_FACTS} | {"name": names[0], "same_as": []},
                *({"name": name, "house": name in house} for name in names[1:]),
            ],
            "crosstable": None,
            "openings": [{"number": n, "columns": list(self._openings[n])} for n in met],
            "convergence": None,
            "rounds": ladder_rounds(facts),
            "analysed": {"games": analysed, "of": len(games)} if analysed else None,
            "chunk_games": CHUNK_GAMES,
            "last_game": games[-1].number if games else 0,
        }

    def _notes(self, bot: str) -> Iterator[str]:
        facts = self._facts
        yield f"This is the report for the author of {bot}."
        for sentence in about_name(facts.pseudonyms.get(bot)):
            yield sentence.replace("`", "")  # the page is no Markdown
        if not facts.settled.is_final:
            games = counted(len(facts.settled.due), "game")
            yield f"The contest is not over, with {games} still to be played."
        if shared := shared_sentence(bot, facts.same, facts.board):
            yield shared
