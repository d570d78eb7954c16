"""Parcels and the store of bots."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from arena.cluster.terms import MISSING, BotFiles, Software, Store, pack
from arena.cluster.worker import claimed_core
from arena.common.errors import StorageError
from arena.game.record import Bot, GameKey
from arena.intake.submission import read_submission
from arena.playing.driver import Batch
from support.bots import key, pick_move_in


def bot(root: Path, source: str = "def pick_move(rack): return 0") -> Bot:
    root.mkdir()
    (root / "bot.py").write_text(source)
    found = read_submission(root)
    return Bot(content_hash=found.content_hash, root=str(root), entry_point=pick_move_in("bot.py"))


def roots_of(prefix: Bot, batch: Batch[GameKey]) -> list[str]:
    return [prefix.root, *(each.root for item in batch.items for each in (item.first, item.second))]


def test_bots_in_a_parcel_have_their_folders_where_it_is_opened(tmp_path: Path) -> None:
    one, other = bot(tmp_path / "a"), bot(tmp_path / "b", "def pick_move(rack): return 1")
    batch = Batch("a – b", (key(one, other), key(other, one)))
    parcel, roots = pack(partial(roots_of, one), batch)
    assert roots == {one.content_hash: one.root, other.content_hash: other.root}
    assert parcel.needs == roots.keys()
    assert str(tmp_path).encode() not in parcel.content
    function, opened = parcel.open(lambda content_hash: f"there/{content_hash}")
    a, b = (f"there/{each.content_hash}" for each in (one, other))
    assert function(opened) == [a, a, b, b, a]
    assert [item.digest for item in opened.items] == [item.digest for item in batch.items]


def test_a_store_holds_exactly_the_files_that_the_hash_stands_for(tmp_path: Path) -> None:
    here = bot(tmp_path / "here")
    (tmp_path / "here" / "data").mkdir()
    (tmp_path / "here" / "data" / "run").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "here" / "data" / "run").chmod(0o755)
    content_hash = read_submission(tmp_path / "here").content_hash
    store = Store(tmp_path / "store")
    assert store.lacking([content_hash]) == {content_hash}
    store.add([BotFiles.read(content_hash, Path(here.root))])
    assert not store.lacking([content_hash])
    root = Path(store.root_of(content_hash))
    assert (root / "bot.py").read_text() == (tmp_path / "here" / "bot.py").read_text()
    assert os.access(root / "data" / "run", os.X_OK)


def test_a_store_refuses_other_files_than_those(tmp_path: Path) -> None:
    bot(tmp_path / "here")
    store = Store(tmp_path / "store")
    with pytest.raises(StorageError, match="are not those that it was entered with"):
        store.add([replace(BotFiles.read("x", tmp_path / "here"), content_hash="0" * 16)])
    assert store.lacking(["0" * 16])


def test_a_bot_whose_folder_is_gone_is_no_bot_without_files(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="the files of a bot are missing"):
        BotFiles.read("0" * 16, tmp_path / "gone")


def test_a_core_is_one_workers_at_a_time(tmp_path: Path) -> None:
    with claimed_core(tmp_path, [0, 1]) as one:
        with claimed_core(tmp_path, [0, 1]) as other:
            assert {one, other} == {0, 1}
        with claimed_core(tmp_path, [1]) as again:
            assert again == 1


def test_each_difference_of_software_is_named() -> None:
    here = Software({"Python": "3.11.2", "numpy": "2.1.0", "scipy": "1.14.0"})
    there = Software({"Python": "3.11.2", "numpy": "1.26.4", "scipy": MISSING})
    assert list(here.differences(here)) == []
    assert list(here.differences(there)) == [
        "has numpy 1.26.4, here it is 2.1.0",
        "has no scipy, here it is 1.14.0",
    ]
    assert list(there.differences(here))[1] == "has scipy 1.14.0, there is none here"


def test_the_software_here_names_the_packages_of_modules() -> None:
    versions = Software.here(["pandas", "no_such_module"]).versions
    assert versions["no_such_module"] == MISSING
    assert versions["pandas"][0].isdigit()
