"""A report as a PDF file, printed by a browser that is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.command_line import Typed, arena_ok, refused

pytestmark = pytest.mark.slow


def test_a_report_is_printed_on_a4(contest: Path, tmp_path: Path) -> None:
    page, pdf = tmp_path / "page.html", tmp_path / "report.pdf"
    done = arena_ok("report", contest, "--out", page, "--pdf", pdf, cwd=tmp_path)
    assert f"{pdf}: printed" in done.stdout.replace("\n", "")  # lines of a long path are wrapped
    data = pdf.read_bytes()
    assert data.startswith(b"%PDF-")
    boxes = re.findall(rb"/MediaBox \[0 0 (\d+)[.\d]* (\d+)[.\d]*\]", data)
    assert set(boxes) == {(b"594", b"841")}
    assert len(boxes) >= 3  # leaderboard, class and crosstable
    assert {each.name for each in tmp_path.iterdir()} == {"page.html", "report.pdf"}


def test_without_a_browser_one_line_says_what_to_do_and_nothing_is_written(
    contest: Path, tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    page = tmp_path / "page.html"
    said = refused(typed("report", contest, "--out", page, "--pdf", tmp_path / "report.pdf"))
    assert "Chromium, Chrome or Edge" in said
    assert not page.exists()


def test_a_browser_that_fails_is_named(
    contest: Path, tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\nexit 1\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, errors = typed(
        *("report", contest, "--out", tmp_path / "page.html", "--pdf", tmp_path / "report.pdf")
    )
    assert code == 2
    assert f"{browser} did not print" in errors
    assert errors.count("\n") == 1
