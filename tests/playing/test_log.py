"""The log: its files, its fields, hostile text and a full disk."""

from __future__ import annotations

import json
import logging
import os
import pickle
import resource
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from threading import enumerate as enumerate_threads
from time import sleep
from typing import Any

import pytest

from arena.common.errors import InputError
from arena.playing.log import (
    RELAYING,
    Relay,
    about,
    as_object,
    captured,
    log_again,
    logged,
    set_place,
)

FIELDS = (
    *("time", "level", "logger", "message"),
    *("contest", "key", "lane", "worker", "bots", "exception"),
)
HOSTILE = ["two\nlines\r\n\u2028", "\x1b[31mred\x1b[0m\x00", "half \udc80 \ud83d", "n" * 300, '"}{']
log = logging.getLogger("arena.test")


def objects(path: Path) -> list[dict[str, Any]]:
    """Each line must be one object in ASCII."""
    return [json.loads(line) for line in path.read_bytes().decode("ascii").split("\n")[:-1]]


@pytest.fixture
def json_log(tmp_path: Path) -> Path:
    return tmp_path / "arena.jsonl"


def test_a_line_has_every_field_and_null_where_nothing_is_known(
    tmp_path: Path, json_log: Path
) -> None:
    before = datetime.now(UTC)
    with logged(tmp_path / "arena.log", contest="homework", json_log=json_log):
        log.info("playing %d games", 3)
        with about(key="abc", bots=("one", "other")), about(lane=7, worker="here"):
            log.warning("lost")
        log.info("done")
    first, second, third = objects(json_log)
    assert tuple(first) == FIELDS
    assert before <= datetime.fromisoformat(first.pop("time")) <= datetime.now(UTC)
    assert first == dict.fromkeys(FIELDS[1:]) | {
        "level": "INFO",
        "logger": "arena.test",
        "message": "playing 3 games",
        "contest": "homework",
    }
    assert second["bots"] == ["one", "other"]
    assert (second["key"], second["lane"], second["worker"]) == ("abc", 7, "here")
    assert third["bots"] is third["key"] is third["lane"] is third["worker"] is None


@pytest.mark.parametrize("text", HOSTILE)
def test_strangers_text_is_one_line_of_each_file(tmp_path: Path, json_log: Path, text: str) -> None:
    with logged(tmp_path / "arena.log", contest=text, json_log=json_log), about(bots=(text, "b")):
        log.info("%s lost", text)
    (line,) = objects(json_log)
    spelled = text.replace("\udc80", "\\udc80").replace("\ud83d", "\\ud83d")
    assert line["bots"] == [spelled, "b"]
    assert (line["message"], line["contest"]) == (f"{spelled} lost", spelled)
    (plain,) = (tmp_path / "arena.log").read_text("utf-8").splitlines()
    assert plain.isprintable()


def test_what_a_forked_process_logs_reaches_every_handler(tmp_path: Path, json_log: Path) -> None:
    shown = _Shown()
    with logged(tmp_path / "arena.log", shown, contest="homework", json_log=json_log):
        relay = Relay()
        child = get_context("fork").Process(target=_be_lane, args=(relay,))
        child.start()
        relay.fork_done()
        child.join()
        relay.close()
        log.info("from %s", "here")
    assert [(line["message"], line["lane"]) for line in objects(json_log)] == [
        ("from the lane", 3),
        ("failed", 3),
        ("from here", None),
    ]
    first, failed, _ = objects(json_log)
    assert (first["worker"], first["bots"]) == (os.uname().nodename, ["ann", "bob"])
    assert first["contest"] == "homework"
    assert failed["exception"].startswith("Traceback")
    assert r"KeyError: 'two\nlines" in failed["exception"]
    assert shown.messages == ["from the lane", "failed", "from here"]


def _be_lane(relay: Relay) -> None:
    set_place(3)
    relay.send_here()
    with about(bots=("ann", "bob")):
        log.info("from %s", _Unpicklable())
    try:
        raise KeyError("\n".join(HOSTILE))
    except KeyError:
        log.warning("failed", exc_info=True)


class _Unpicklable:
    def __reduce__(self) -> str:
        raise TypeError("cannot travel")

    def __str__(self) -> str:
        return "the lane"


def test_a_process_that_is_killed_while_it_logs_holds_nobody_up(tmp_path: Path) -> None:
    relays, children = [], []
    with logged(tmp_path / "arena.log"):
        try:
            for _ in range(2):
                relays.append(Relay())
                child = get_context("fork").Process(target=_log_on, args=relays[-1:], daemon=True)
                children.append(child)
                child.start()
                relays[-1].fork_done()
            while "\n" not in (tmp_path / "arena.log").read_text():
                sleep(0.01)
        finally:
            for child, relay in zip(children, relays, strict=True):
                child.kill()  # in the midst of a record, or of its lock, as it does nothing else
                child.join()
                relay.close()
    assert not [each for each in enumerate_threads() if each.name == RELAYING]
    assert (tmp_path / "arena.log").read_bytes().endswith(b"x\n")


def _log_on(relay: Relay) -> None:
    relay.send_here()
    for _ in range(100_000):
        log.info("x" * 9_000)
        sleep(0.000_1)


class _Shown(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def test_what_was_captured_is_logged_again_as_it_was(tmp_path: Path, json_log: Path) -> None:
    with captured() as records, about(key="k", lane=1, worker="far", bots=("a", "b")):
        log.info("%s lost", "half \udc80")
        try:
            raise ValueError("why")
        except ValueError:
            logging.getLogger("arena.other").warning("failed", exc_info=True)
    travelled = pickle.loads(pickle.dumps(records))
    with logged(tmp_path / "arena.log", contest="homework", json_log=json_log):
        log_again(travelled)
    assert objects(json_log) == [as_object(each) | {"contest": "homework"} for each in records]
    assert [as_object(each)["contest"] for each in records] == [None, None]
    assert "WARNING arena.other failed\nTraceback" in (tmp_path / "arena.log").read_text()


def test_of_a_full_disk_no_half_line_is_left(tmp_path: Path, json_log: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with logged(tmp_path / "arena.log", json_log=json_log):
        log.info("kept")
        size = json_log.stat().st_size
        # the kernel writes as much as fits of a line, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, before[1]))
        try:
            log.info("lost")
            log.info("lost, too")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert json_log.stat().st_size == size
        log.info("kept again")
    assert [line["message"] for line in objects(json_log)] == ["kept", "kept again"]


def test_a_log_that_cannot_be_opened_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "arena.jsonl").mkdir()
    handlers = logging.getLogger("arena").handlers[:]
    with (
        pytest.raises(InputError, match=r"arena\.jsonl: cannot be written to \(Is a directory\)"),
        logged(tmp_path / "arena.log", json_log=tmp_path / "arena.jsonl"),
    ):
        pass
    assert logging.getLogger("arena").handlers == handlers
