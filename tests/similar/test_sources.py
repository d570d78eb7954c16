"""Likeness of sources: what counts as alike, and what a class of submissions is told."""

from __future__ import annotations

import ast
import csv
import html
import io
import json
import re
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import plants

from arena.common.errors import GarbledError
from arena.similar.fingerprints import LENGTH, passages, tokens_of
from arena.similar.page import AlikePair, alike_pairs, drawn_groups, graph, pairs_csv
from arena.similar.pairs import PairSide, SourcePair, groups_of
from arena.similar.play import PlayPair
from arena.similar.submissions import LIMITS, _checked
from support.command_line import Typed, refused, succeeded

SOURCES = {path.stem: path.read_text("utf-8") for path in plants.ORIGINALS.glob("*.py")}
ONE, TWO = SOURCES["aima_cutoff"], SOURCES["tree_of_playouts"]
Row = dict[str, object]


def hashes(source: str) -> set[int]:
    return set(passages([word for word, _ in tokens_of(source, "")])[0].tolist())


def bracketed(source: str) -> str:
    """Put brackets around each call and each calculation, `pass` before and `;` after lines."""
    lines = source.split("\n")
    ends: list[tuple[int, int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call | ast.BinOp | ast.Compare):
            assert node.end_lineno is not None and node.end_col_offset is not None
            ends.append((node.lineno, node.col_offset, "("))
            ends.append((node.end_lineno, node.end_col_offset, ")"))
    for line, column, bracket in sorted(ends, key=lambda end: end[:2], reverse=True):
        lines[line - 1] = lines[line - 1][:column] + bracket + lines[line - 1][column:]
    return re.sub(r"(?m)^( +)(return .*)", r"\1pass\n\1\2;", "\n".join(lines))


def write(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return folder


class Likeness:
    """Runs the command; returns the rows by pair."""

    def __init__(self, typed: Typed, folder: Path) -> None:
        self._typed, self._folder = typed, folder
        self.page = folder / "likeness.html"
        self.errors = ""

    def __call__(self, *words: object) -> dict[tuple[str, str], Row]:
        done = self._typed("similar", *words, "--out", self.page, "--json")
        self.errors = done[2]
        rows: list[Row] = json.loads(succeeded(done))
        return {(str(row["one"]), str(row["other"])): row for row in rows}


@pytest.fixture
def alike(typed: Typed, tmp_path: Path) -> Likeness:
    return Likeness(typed, tmp_path)


class TestPassages:
    @pytest.mark.parametrize("change", [plants.renamed, plants.commented, bracketed])
    def test_names_comments_layout_and_brackets_do_not_count(
        self, change: Callable[[str], str]
    ) -> None:
        plain = plants.commented(ONE)  # unparsed, as some commas may be left out
        assert hashes(change(plain)) == hashes(plain)

    def test_a_part_that_is_in_both_is_found_wherever_it_stands(self) -> None:
        part = "\n".join(TWO.splitlines()[10:40])
        both = hashes(f"{ONE}\n{part}") & hashes(f"x = 1\n{part}\ny = 2")
        assert len(both) > 0.8 * len(hashes(part))

    def test_the_lines_of_tokens_are_those_of_the_text(self) -> None:
        source = 'x = """a\nb"""\n# c\n\ny = [1,\n  2]\n'
        assert [line for _, line in tokens_of(source, "")][-4:] == [4, 4, 5, 5]

    def test_other_languages_are_read_too(self) -> None:
        one, other = "int f(int a) { /* x */ return a; }", "int g(int b)\n{ return b; }"
        first, second = ([word for word, _ in tokens_of(text, "c")] for text in (one, other))
        assert first == second and "return" in first

    def test_a_source_shorter_than_a_passage_has_none(self) -> None:
        assert hashes("x = 1") == set()


class TestCommand:
    def test_copies_are_found_and_independent_solutions_are_not(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        folder = write(tmp_path / "class", ann=ONE, ben=plants.disguised(ONE), cid=TWO)
        rows = alike(folder)
        assert list(rows) == [("ann", "ben")]
        row = rows["ann", "ben"]
        assert float(str(row["share_of_one"])) > 0.6 and int(str(row["lines"])) > 40

    def test_there_is_one_row_for_a_pair_however_many_files_they_have(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        known = plants.write_class(tmp_path / "class", ["aima_cutoff", "bitboards"])
        of = {known[name]: name for name in known}
        split, merged = of["bitboards", plants.FILED[1]], of["bitboards", plants.FILED[2]]
        for name in known:
            if name not in (split, merged, of["aima_cutoff", ""]):
                (tmp_path / "class" / name).rename(tmp_path / name)
        assert list(alike(tmp_path / "class")) == [(split, merged)]

    def test_code_that_was_given_does_not_count(self, alike: Likeness, tmp_path: Path) -> None:
        given, *rest = (SOURCES[name] for name in ("bitboards", "arrays", "best_first"))
        own = {name: f"{given}\n{text}" for name, text in zip("ab", rest, strict=True)}
        folder = write(tmp_path / "class", **own)
        template = tmp_path / "template.py"
        template.write_text(given, "utf-8")
        assert list(alike(folder)) == [("a", "b")]
        assert list(alike(folder, "--base", template)) == []

    def test_code_that_counts_as_given_because_many_have_it_is_named(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        copies = {f"copy{n:02}": plants.renamed(ONE) if n % 2 else ONE for n in range(21)}
        folder = write(tmp_path / "class", **copies, ann=f"{SOURCES['arrays']}\n{TWO}", ben=TWO)
        assert list(alike(folder)) == [("ann", "ben")]
        (line,) = (line for line in alike.errors.splitlines() if "counts as given" in line)
        shared, first, last = map(
            int,
            re.findall(r"21 submissions share (\d+) .*copy00.py, lines (\d+) to (\d+)", line)[0],
        )
        assert ONE.count("\n") > shared >= last - first + 1 > 50
        assert "read copy00, copy01, copy02 and 18 more" in line
        page = alike.page.read_text("utf-8")
        assert "<strong>21 submissions</strong>" in page and "<bdi>copy20</bdi>" in page
        assert html.escape(ONE.splitlines()[first]) in page
        assert (
            "counts as given"
            not in (alike(folder, "--base", folder / "copy00.py"), alike.errors)[1]
        )

    def test_arenas_own_bots_do_not_count(self, alike: Likeness, tmp_path: Path) -> None:
        shipped = Path(__file__).parents[2] / "bots" / "alphabeta.py"
        text = shipped.read_text("utf-8")
        write(tmp_path / "class", a=f"{ONE}\n{text}", b=f"{TWO}\n{plants.renamed(text)}")
        assert list(alike(tmp_path / "class")) == []

    def test_earlier_submissions_are_not_compared_with_each_other(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        write(tmp_path / "now", ann=plants.renamed(ONE), ben=TWO)
        write(tmp_path / "before", old=ONE, older=ONE)
        rows = alike("now", "--against", "before")
        assert list(rows) == [("ann", "before/old"), ("ann", "before/older")]

    def test_an_export_is_read_as_collect_reads_it(self, alike: Likeness, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "homework.zip", "w") as export:
            for person, text in (("Ann Lee", ONE), ("Ben Roe", plants.notebook(ONE)), ("Z X", TWO)):
                ending = "ipynb" if text.startswith("{") else "py"
                number = 100 + len(person)
                name = f"{person}_{number}_assignsubmission_file/bot.{ending}"
                export.writestr(name, text)
            export.writestr("Eve Poe_200_assignsubmission_file/bot.zip", "no archive")
            export.writestr("../Eve.py", ONE)
        assert list(alike(tmp_path / "homework.zip")) == [("Ann Lee", "Ben Roe")]
        assert "\nEve Poe: bot.zip is damaged or no archive" in f"\n{alike.errors}"
        assert "left out: homework.zip holds a path that leaves its folder" in alike.errors

    def test_submissions_that_cannot_be_read_get_a_line_and_the_others_are_compared(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        folder = write(tmp_path / "class", ann=ONE, ben=ONE, nested="(" * 200_000, empty="")
        write(folder, long="x = [" + "1, " * 400_000 + "]")
        (folder / "broken.zip").write_bytes(b"PK\3\4 no archive")
        (folder / "broken.ipynb").write_text('{"cells": [', "utf-8")
        many = folder / "many"
        many.mkdir()
        for number in range(2100):
            (many / f"f{number}.py").touch()
        assert list(alike(folder)) == [("ann", "ben")]
        for name in ("long", "empty", "broken", "broken-2", "many"):
            assert f"\n{name}: " in f"\n{alike.errors}", alike.errors

    def test_no_pair_is_said_and_what_cannot_be_opened_is_named(
        self, typed: Typed, tmp_path: Path
    ) -> None:
        folder = write(tmp_path / "class", ann=ONE, ben=TWO)
        out = succeeded(typed("similar", folder))
        assert out == "no pair of 2 submissions is alike; likeness.html is written\n"
        (tmp_path / "cut.zip").write_bytes(b"PK\3\4 cut")
        code, _, errors = typed("similar", "cut.zip")
        assert (code, errors.splitlines()) == (
            2,
            [
                "cut: cut.zip is damaged or no archive: File is not a zip file",
                "arena: cut.zip: no submission has code that can be compared",
            ],
        )

    def test_each_line_says_what_is_true(self, typed: Typed, tmp_path: Path) -> None:
        pair = {f"{'x' * 24}{name}": ONE for name in ("ann", "ben")}
        tiny = "def pick_move(rack):\n    return 3\n"
        folder = write(tmp_path / "class", tiny=tiny, **pair)
        page = tmp_path / "likeness.html"
        out, errors = succeeded(done := typed("similar", folder, "--out", page)), done[2]
        assert "tiny: has too little code to be compared" in errors
        assert "1 alike pair among 2 submissions; " in out
        drawn = page.read_text("utf-8")
        assert all(f">xxxxxxxx…xxxxxxxx{name}</text>" in drawn for name in ("ann", "ben"))
        for number in range(4):
            write(folder, **{f"more{number}": ONE})
        out = succeeded(typed("similar", folder, "--out", page))
        assert "15 alike pairs among 6 submissions, the first 10 above; " in out

    def test_the_page_has_no_script_and_says_that_it_accuses_nobody(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        folder = write(tmp_path / "class", ann=f"{ONE}\n'</pre><script>'", ben=ONE)
        alike(folder)
        page = alike.page.read_text("utf-8")
        assert "accuses nobody" in page and "&lt;script&gt;" in page
        assert "<script" not in page

    def test_what_it_cannot_do_is_said_in_one_line(
        self, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert "PATHS" in refused(typed("similar"))
        assert "no such file" in refused(typed("similar", tmp_path / "none"))
        folder = write(tmp_path / "class", ann="")
        assert "no folder none" in refused(typed("similar", folder, "--csv", "none/a.csv"))
        assert "no submission has code" in typed("similar", folder)[2]
        base = tmp_path / "base.txt"
        base.touch()
        assert "base.txt" in typed("similar", folder, "--base", base)[2]
        monkeypatch.setattr("arena.cli.similar.find_spec", lambda name: None)
        assert "copydetect" in refused(typed("similar", folder))


@pytest.mark.slow
def test_of_a_class_all_copies_and_no_independent_solutions_are_found(
    alike: Likeness, tmp_path: Path
) -> None:
    names = ["aima_cutoff", "aima_state_class", "windows_of_four", "text_patterns"]
    known = plants.write_class(tmp_path / "class", names)
    origins = {name: origin for name, (origin, _) in known.items()}
    found = set(alike(tmp_path / "class"))
    assert {origins[one] == origins[other] for one, other in found} == {True}
    originals = {origin: name for name, (origin, disguise) in known.items() if not disguise}
    copies = {(originals[origin], name) for name, (origin, disguise) in known.items() if disguise}
    assert copies <= found
    every = [pair for pair in combinations(known, 2) if len({origins[name] for name in pair}) == 1]
    assert len(found) > 0.95 * len(every)


def source_pair(one: str, other: str, share: float = 0.5) -> SourcePair:
    sides = (
        PairSide(name=name, share=each, lines=9, marks=())
        for name, each in ((one, share), (other, share / 2))
    )
    return SourcePair(*sides)


def play_pair(one: str, other: str, surprise: float) -> PlayPair:
    return PlayPair(one=one, other=other, positions=90, equal=0.9, expected=0.5, surprise=surprise)


class TestRows:
    def test_a_pair_has_one_row_and_play_alone_must_be_surprising(self) -> None:
        plays = [play_pair("b", "a", 1), play_pair("c", "d", 9), play_pair("a", "c", 0.5)]
        rows = alike_pairs([source_pair("a", "b")], plays)
        assert [(row.one, row.other) for row in rows] == [("a", "b"), ("c", "d")]
        assert rows[0].play == plays[0] and rows[1].source is None

    def test_a_group_joins_all_that_are_connected(self) -> None:
        edges = [("a", "b"), ("c", "d"), ("d", "e"), ("e", "c")]
        assert groups_of(edges) == [("c", "d", "e"), ("a", "b")]
        drawn = graph(("a", "b"), [AlikePair(one=one, other=other) for one, other in edges])
        assert len(drawn.lines) == 1

    def test_a_large_group_is_drawn_with_the_larger_shares_only(self) -> None:
        chain = [source_pair(f"{n:02}", f"{n + 1:02}", 0.45 + 0.3 * (n % 3 > 0)) for n in range(60)]
        joined, drawn = drawn_groups(alike_pairs(chain, []))
        assert joined == 0.5 and len(drawn) == 20
        assert drawn_groups(alike_pairs(chain[:9], []))[0] == 0
        assert drawn_groups([]) == (0, [])

    def test_no_cell_of_the_csv_file_is_a_formula(self) -> None:
        rows = list(csv.reader(io.StringIO(pairs_csv(alike_pairs([source_pair("=1", "@b")], [])))))
        assert rows[1][:5] == ["'=1", "'@b", "0.5", "0.25", "9"]


def zipped(source: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("search.py", source)
    return data.getvalue()


def escaped(source: str) -> bytes:
    """Return the source as a comment, which Python reads as code in this encoding."""
    lines = source.encode().replace(b"\\", rb"\u005c").replace(b"\n", rb"\u000a")
    return b"# coding: raw_unicode_escape\n#" + rb"\u000a" + lines


class TestHiding:
    """Code that Python runs is compared, wherever a submission keeps it."""

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("search.ipynb.py", ONE.encode()),
            ("search.txt", ONE.encode()),
            ("search.dat", zipped(ONE)),
            ("search.py", escaped(ONE)),
            ("search.py", ONE.encode() + b"#" + b"x" * 600_000),
        ],
    )
    def test_a_copy_is_found(self, name: str, data: bytes, alike: Likeness, tmp_path: Path) -> None:
        folder = write(tmp_path / "class", ann=ONE)
        write(folder / "ben", bot=TWO)
        (folder / "ben" / name).write_bytes(data)
        row = alike(folder)["ann", "ben"]
        assert float(str(row["share_of_one"])) > 0.98

    def test_code_that_cannot_be_compared_has_a_remark(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        folder = write(
            tmp_path / "class", ann=f"{ONE}\nexec('x = 1')", ben=f"{ONE}\n# exec(x)\nx.compile('')"
        )
        write(folder / "cid", bot=TWO)
        (folder / "cid" / "search.pyc").write_bytes(b"\xa7\r\r\n")
        alike(folder)
        assert "ann: ann.py runs code that it makes from text" in alike.errors
        assert "cid: search.pyc is compiled" in alike.errors and "ben:" not in alike.errors

    def test_a_file_that_takes_too_long_leaves_the_python_files(
        self, alike: Likeness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert LIMITS.seconds <= 5  # so much each hostile submission costs
        monkeypatch.setattr("arena.similar.submissions.LIMITS", replace(LIMITS, seconds=1))
        folder = write(tmp_path / "class", ann=ONE)
        write(folder / "ben", bot=ONE)
        (folder / "ben" / "a.java").write_text("public " * 60_000)
        assert list(alike(folder)) == [("ann", "ben")]
        assert "ben: its files take more than 1 s to be read (it got to a.java)" in alike.errors

    def test_lines_before_a_copied_part_do_not_push_it_off_the_page(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        alike(write(tmp_path / "class", ann=ONE, ben="#\n" * 9000 + ONE))
        page = alike.page.read_text("utf-8")
        assert page.count("<mark") > 1 and page.count("\n") < 1500
        assert "… 8,802 more lines" in page

    def test_surrogates_in_a_notebook_do_not_stop_the_others(
        self, alike: Likeness, tmp_path: Path
    ) -> None:
        folder = write(tmp_path / "class", ann=ONE, ben=ONE)
        broken = json.loads(plants.notebook(TWO))
        broken["cells"][-1]["source"] = "\ud800 = '\ud800'"
        (folder / "eve.ipynb").write_text(json.dumps(broken))
        assert list(alike(folder)) == [("ann", "ben")]

    def test_many_remarks_on_a_hand_in_are_one(self, alike: Likeness, tmp_path: Path) -> None:
        folder = write(tmp_path / "class", ann=ONE, ben=ONE)
        write(folder / "eve", bot=TWO, **{f"m{n}": f"exec('{n}')" for n in range(50)})
        alike(folder)
        (line,) = (line for line in alike.errors.splitlines() if line.startswith("eve:"))
        assert line.endswith("and 47 more")


class TestUntrustedAnswers:
    GOOD: dict[str, object] = {  # noqa: RUF012
        "name": "x.py",
        "text": "\n".join("abc"),
        "lines": [0, *[2] * 15],
        "hashes": [2**64 - 1, 7],
        "starts": [0, 1],
        "left_out": [],
    }

    def test_a_good_one_is_taken(self) -> None:
        code = _checked(self.GOOD, "x")
        assert code.hashes.dtype == np.uint64 and code.parts == ((1, "x.py"),)
        assert code.token_lines.tolist() == [1, *[3] * 15]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"text": 5},
            {"text": "x" * (5 << 20)},
            {"name": "\ud800"},
            {"name": "x" * 501},
            {"lines": [-1] * 16},
            {"lines": [3] * 16},
            {"lines": [[1]] * 16},
            {"lines": None},
            {"hashes": [-1, 2]},
            {"hashes": [2**64, 2]},
            {"hashes": [1]},
            {"starts": [0, 17 - LENGTH]},
            {"starts": [1, 0]},
            {"starts": ["x", 1]},
        ],
    )
    def test_a_wrong_one_is_refused(self, wrong: dict[str, object]) -> None:
        with pytest.raises(GarbledError):
            _checked(self.GOOD | wrong, "x")
