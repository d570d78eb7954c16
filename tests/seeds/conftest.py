"""The course modules of each seed, imported as a bot imports them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.course import Import, imported


@pytest.fixture
def next_move(monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    yield from imported(monkeypatch, "next_move")


@pytest.fixture
def pick_move(monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    yield from imported(monkeypatch, "pick_move")
