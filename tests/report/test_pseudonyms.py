"""Pseudonyms: nobody is named in what is published, and nobody can pass for somebody else."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.common.names import PLAYERS, plain_name
from arena.contest.folder import ContestFolder
from arena.courses.gradebook import Form
from arena.interfaces import EntryPoint
from arena.report.course_results import course_results
from arena.report.exports import FORMATS
from arena.report.facts import Facts
from arena.report.feedback import feedback_pages
from arena.report.pseudonyms import (
    CHOICE_FILE,
    FIRST,
    SECOND,
    Pseudonym,
    contest_pseudonyms,
    pseudonyms,
)
from arena.settings.contest import BotEntry, Contest
from support.courses import ANN, CID, PEOPLE, STUDENTS, course_facts

KEY = b"a key"
NAMES = {bot: bot for bot in (*STUDENTS, "Jane Doe")}


def chosen(choices: dict[str, str], **given: str) -> dict[str, Pseudonym]:
    real = [*NAMES, "Jane Doe", "Phil Hernandez", "jdoe42@u.edu", "שרה כהן"]
    return pseudonyms(KEY, NAMES, given=given, chosen=choices, real=real)


class TestGenerated:
    def test_they_are_words_of_which_no_two_are_the_same(self) -> None:
        identities = {f"bot {number}": f"id{number}" for number in range(2000)}
        found = pseudonyms(KEY, identities, given={}, chosen={}, real=())
        names = [pseudonym.name for pseudonym in found.values()]
        assert len({name.casefold() for name in names}) == 2000
        assert all(plain_name(name) == name for name in names)
        for name in names:
            first, second, number = name.split()
            assert first in FIRST
            assert second in SECOND
            assert number.isdecimal()

    def test_a_student_keeps_theirs_with_the_key_unless_somebody_goes_by_it(self) -> None:
        def ann(name: str = "ann", key: bytes = KEY, real: str = "", **others: str) -> str:
            identities = {**others, name: "101"}
            return pseudonyms(key, identities, given={}, chosen={}, real=[real])[name].name

        assert ann("ann (2)", bob="102", zoe="9") == ann()
        assert ann(key=b"another") != ann()
        assert ann(real=ann().upper()).casefold() != ann().casefold()


class TestChosen:
    def test_a_student_s_choice_is_taken(self) -> None:
        assert chosen({"ann": "Deep Thought 42"})["ann"] == Pseudonym(name="Deep Thought 42")

    @pytest.mark.parametrize(
        ("why", "choices"),
        [
            ("is not 3 to 24 characters long", ["ab", "x" * 25]),
            (
                "has characters other than English letters",
                ["<b>bold</b>", "| a | b |", "=HYPERLINK(1)", "\\input{x}", "tab\tbed"]
                + ["bo\u202ebob", "Jаne"],
            ),
            (
                "contains the name of a house player",
                ["Random", "r3ference", "Grand Master B", "SPARRING-1"],
            ),
            ("is a device's name", ["LPT0", "con"]),
            (
                "contains the name of somebody in the course or of a bot",
                ["jane", "J4ne", "the doe", "xXJaneDoeXx", "owls", "DAN 2"]
                + ["JaneIsHere", "whatDoeDid", "hernandezzz", "oH3rn4nd3z", "Ph1l"],
            ),
        ],
    )
    def test_one_that_could_be_somebody_else_or_break_a_page_is_not(
        self, why: str, choices: list[str]
    ) -> None:
        for choice in choices:
            pseudonym = chosen({"ann": choice})["ann"]
            assert pseudonym.refused.startswith(why), choice
            assert pseudonym.name == chosen({})["ann"].name

    @pytest.mark.parametrize("change", [str, str.upper, lambda name: name.replace("o", "0")])
    def test_the_words_that_another_has_cannot_be_taken(self, change: Callable[[str], str]) -> None:
        before = chosen({})
        found = chosen({"bob": change(before["ann"].name)})
        assert found["bob"].refused.startswith("looks like a name that Arena gives")
        assert {bot: one.name for bot, one in found.items()} == {
            bot: one.name for bot, one in before.items()
        }

    @pytest.mark.parametrize(
        ("one", "other"), [("Illusion 10", "lllusion IO"), ("Deep Thought", "deep-thought")]
    )
    def test_what_two_choose_nobody_gets(self, one: str, other: str) -> None:
        found = chosen({"ann": one, "bob": other})
        assert found["ann"].refused == found["bob"].refused == "is also the choice of somebody else"
        assert len({pseudonym.name for pseudonym in found.values()}) == len(NAMES)

    def test_the_instructor_has_the_last_word(self) -> None:
        found = chosen({"ann": "Deep Thought", "bob": "Blue"}, bob="Deep Thought")
        assert found["bob"] == Pseudonym(name="Deep Thought")
        assert found["ann"].refused == "is also the choice of somebody else"

    def test_one_name_given_to_two_is_given_to_none(self) -> None:
        found = chosen({"ann": "Jane D"}, ann="Blue", bob="blue")
        assert found["ann"].refused.startswith("contains the name of")
        assert not {found["ann"].name, found["bob"].name} & {"Blue", "blue", "Jane D"}

    @pytest.mark.parametrize("name", ["Random", "dan", "OWLS"])
    def test_nobody_is_given_the_name_of_another_bot(self, name: str) -> None:
        assert chosen({}, ann=name)["ann"] == chosen({})["ann"]

    @example(choices={"ann": "LPT0", "bob": "SPARRING-1"})
    @given(choices=st.dictionaries(st.sampled_from([*NAMES]), st.text(max_size=30)))
    def test_whatever_is_chosen_all_names_differ_and_are_harmless(
        self, choices: dict[str, str]
    ) -> None:
        found = [pseudonym.name for pseudonym in chosen(choices).values()]
        assert len({name.casefold() for name in found}) == len(NAMES)
        for name in found:
            assert plain_name(name) == name
            assert name.casefold() not in {*PLAYERS, "ann", "bob", "dan", "owls"}


class TestOfAContest:
    def folder(self, path: Path, text: bytes = b"") -> tuple[ContestFolder, Contest]:
        entries = {
            name: BotEntry(
                source=f"hw/{name}",
                content_hash=f"h{name}",
                house=name == "random",
                entry_point=EntryPoint(file="deep/bot.py"),
            )
            for name in (*STUDENTS, "random")
        }
        (path / "bots" / "hann" / "deep").mkdir(parents=True)
        (path / "bots" / "hann" / "deep" / CHOICE_FILE).write_bytes(text)
        return ContestFolder(path), Contest(bots=entries)

    def test_the_key_is_drawn_once_and_only_its_owner_may_read_it(self, tmp_path: Path) -> None:
        folder, contest = self.folder(tmp_path)
        first = contest_pseudonyms(folder, contest)
        assert first == contest_pseudonyms(folder, contest)
        assert set(first) == set(STUDENTS)
        assert stat.S_IMODE(folder.pseudonym_key.stat().st_mode) == 0o600
        folder.pseudonym_key.unlink()
        assert contest_pseudonyms(folder, contest) != first

    def test_the_file_lies_beside_the_bot_and_its_first_line_counts(self, tmp_path: Path) -> None:
        folder, contest = self.folder(tmp_path, "\ufeff Deep Thought \r\nmore\n".encode())
        assert contest_pseudonyms(folder, contest)["ann"].name == "Deep Thought"
        (tmp_path / "bots/hann/deep" / CHOICE_FILE).write_bytes(b"\xff\0\xfe" * 100_000)
        assert contest_pseudonyms(folder, contest)["ann"].refused

    def test_the_roster_s_pseudonym_is_the_group_s(self, tmp_path: Path) -> None:
        folder, contest = self.folder(tmp_path)
        folder.roster.write_text("name,id,bot,pseudonym\nCid,3,Owls,\nEva,4,Owls,Night Shift\n")
        assert contest_pseudonyms(folder, contest)["Owls"].name == "Night Shift"


PSEUDONYMS = {bot: Pseudonym(name=f"calm otter {n}") for n, bot in enumerate(STUDENTS, 500)}
BACKWARDS = {bot: Pseudonym(name=f"owl {9 - n}") for n, bot in enumerate(STUDENTS)}
SECRETS = [text for one in PEOPLE for text in (one.name, one.email)]


def pages_of(facts: Facts) -> dict[str, str]:
    """The pages that stand alone, by bot."""
    return {each.bot: each.page for each in feedback_pages(facts)}


class TestPublished:
    def test_a_page_names_nobody_but_its_own_bot(self) -> None:
        facts = replace(course_facts(), pseudonyms=PSEUDONYMS)
        pages = pages_of(facts)
        for bot in STUDENTS:
            page = pages[bot]
            assert page.startswith(f"# {bot}\n")
            assert f"In what is published it is called `{PSEUDONYMS[bot].name}`." in page
            others = [other for other in STUDENTS if other != bot]
            assert not any(other in page for other in others)
            assert all(PSEUDONYMS[other].name in page for other in others)
            assert "reference" in page
        assert "calm otter 500" in pages["random"]
        assert "Owls" not in pages["random"]

    def test_results_on_a_page_are_the_same_with_and_without(self) -> None:
        facts = course_facts()
        with_names = pages_of(facts)["dan"]
        page = pages_of(replace(facts, pseudonyms=PSEUDONYMS))["dan"]
        for bot, pseudonym in PSEUDONYMS.items():
            page = page.replace(pseudonym.name, bot)
        page = page.replace("In what is published it is called `dan`.\n", "")
        lines, named = (
            sorted(line for line in text.splitlines() if not line.startswith("- It `"))
            for text in (page, with_names)
        )  # the examples are other games, as their order would tell
        assert lines == named

    @pytest.mark.parametrize("names", [PSEUDONYMS, BACKWARDS])
    def test_games_on_a_page_are_numbered_in_an_order_of_pseudonyms_if_at_all(
        self, names: dict[str, Pseudonym]
    ) -> None:
        facts = course_facts()
        games = facts.games.assign(fault=True, verdict="CRASH", reason="crashed")
        known = replace(facts, games=games, pseudonyms=names)
        alone = pages_of(known)["bob"]
        assert not re.search(r"\bgame \d|arena replay", alone)
        pairs = re.findall(r"\((.*) against (.*);", alone)
        assert pairs == sorted(pairs) != []
        page = next(each.page for each in feedback_pages(known, "c") if each.bot == "bob")
        shown = re.findall(r"game (\d+), (.*) against (.*); `arena replay bob.json (\d+)`", page)
        assert len(shown) == 3
        assert all(number == again for number, _, _, again in shown)
        assert [int(number) for number, *_ in shown] == sorted(int(n) for n, *_ in shown)
        every = sorted(
            (known.public_name(game.first), known.public_name(game.second))
            for game, _, _ in known.settled.games
            if "bob" in (game.first, game.second)
        )
        assert all(every[int(n) - 1] == (first, second) for n, first, second, _ in shown)

    def test_why_a_student_s_own_name_is_not_used_stands_on_the_page(self) -> None:
        refused = Pseudonym(name="calm otter 1", refused="is not 3 to 24 characters long")
        facts = replace(course_facts(), pseudonyms=PSEUDONYMS | {"dan": refused})
        page = pages_of(facts)["dan"]
        said = "The name in `pseudonym.txt` is not used: it is not 3 to 24 characters long."
        assert said in page.splitlines()

    @pytest.mark.parametrize("name", ["csv", "json", "markdown", "latex"])
    def test_a_published_table_names_nobody(self, name: str) -> None:
        facts = replace(course_facts(), pseudonyms=PSEUDONYMS)
        results = course_results(facts, PEOPLE, contest="c", is_published=True)
        written = FORMATS[name].make(results, Form())
        (text,) = (data.decode() for data in written.files.values())
        assert not written.remarks
        hidden = [*SECRETS, *STUDENTS, "grade", *(f"{n:016x}" for n in range(9))]
        assert [secret for secret in hidden if secret in text] == []
        assert all(pseudonym.name in text for pseudonym in PSEUDONYMS.values())

    def test_only_the_instructor_s_own_table_says_who_is_who(self) -> None:
        facts = replace(course_facts(), pseudonyms=PSEUDONYMS)
        results = course_results(facts, PEOPLE, contest="c")
        text = FORMATS["csv"].make(results, Form()).files["leaderboard.csv"].decode()
        (ann,) = (line for line in text.splitlines() if ANN.email in line)
        assert PSEUDONYMS["ann"].name in ann
        assert sum(PSEUDONYMS["Owls"].name in line for line in text.splitlines()) == 2
        assert CID.name in text
        text = FORMATS["gradescope"].make(results, Form()).files["dan/results.json"].decode()
        assert PSEUDONYMS["bob"].name in text
        assert "bob" not in text
