"""The judge without a process: packed replies and their verdicts."""

from __future__ import annotations

from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game.judge import MAX_NODES, REPORTED, Death, Reply, Task, charge_both, judge
from arena.game.limits import Limits
from arena.game.player import Answer, Fault
from arena.game.verdict import Ending, Proof, Verdict
from arena.host.protocol import NO_COLUMN, UNMETERED, AnswerKind, pack_answer, pack_fault
from arena.rules import Ruleset

NONCE, OTHER_NONCE = b"12345678", b"87654321"
LIMITS = Limits(nodes=1_000)
RULES = Ruleset()
MB = 1 << 20


def judged(
    data: bytes = b"", *, limits: Limits = LIMITS, rules: Ruleset = RULES, **more: object
) -> Answer | Fault:
    """Judge these bytes, by default as a move in time."""
    usual = {"nonce": NONCE, "task": Task.MOVE, "charged_ns": 7, "limit_ns": 1_500_000_000}
    return judge(Reply(data=data, **(usual | more)), limits, rules)  # type: ignore[arg-type]


def fault(data: bytes = b"", **more: object) -> tuple[Verdict, str]:
    """The verdict and the reason of a fault, which is charged its time."""
    found = judged(data, **more)  # type: ignore[arg-type]
    assert isinstance(found, Fault)
    assert found.charged_ns == more.get("charged_ns", 7)
    return found.verdict, found.reason


def move(column: int = 3, nodes: int = 20, depth: int = 0, nonce: bytes = NONCE) -> bytes:
    return pack_answer(nonce, AnswerKind.COLUMN, depth, column, nodes)


def report(kind: AnswerKind, text: str = "", nodes: int = 20, depth: int = 0) -> bytes:
    return pack_fault(NONCE, kind, depth, nodes, text)


def died(status: int, *, lived: bool = False, peak_mb: int = 50, **more: bool) -> Death:
    return Death(lived=lived, status=status, peak_bytes=peak_mb * MB, **more)


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(UNMETERED, 1_000))
def test_any_column_in_time_and_within_the_budget_is_a_move(column: int, nodes: int) -> None:
    assert judged(move(column, nodes)) == (column, 7, nodes)
    freely = judged(move(column, MAX_NODES), limits=Limits(nodes=None))
    assert freely == (column, 7, MAX_NODES)


def test_a_bot_that_reports_how_it_is_seated_is_ready() -> None:
    seated = report(AnswerKind.READY, "plays with its own board", UNMETERED)
    assert judged(seated, task=Task.LOAD) == (NO_COLUMN, 7, UNMETERED)


INTRUDED = (Verdict.PROTOCOL, "wrote to the referee's channel itself")


@pytest.mark.parametrize(
    "data",
    [
        b"x",
        move()[:-1],
        move() + b"x",
        move(nonce=OTHER_NONCE),
        move(nodes=-2),
        move(nodes=MAX_NODES + 1),
        report(AnswerKind.COLUMN),
        report(AnswerKind.READY),
        report(AnswerKind.NOT_LOADED, "x"),
        pack_answer(NONCE, AnswerKind.RAISED, 0, 3, 20),
        pack_answer(NONCE, 99, 0, 3, 20),
        pack_fault(OTHER_NONCE, AnswerKind.RAISED, 0, 20, "ValueError"),
    ],
)
def test_bytes_that_the_referee_did_not_ask_for_are_an_intrusion(data: bytes) -> None:
    assert fault(data) == INTRUDED


@pytest.mark.parametrize("data", [move(), report(AnswerKind.COLUMN)])
def test_nothing_but_ready_answers_a_load(data: bytes) -> None:
    assert fault(data, task=Task.LOAD) == (INTRUDED[0], f"{INTRUDED[1]} while it was loaded")


@given(st.binary(max_size=520))
def test_no_bytes_that_do_not_carry_the_nonce_are_a_move(data: bytes) -> None:
    if not data.startswith(NONCE):
        assert fault(data) == INTRUDED


TOO_LARGE = "needed more than 512 MB of memory"
STOPPED = "stopped its search as if its node budget were used up"


@pytest.mark.parametrize(
    ("kind", "text", "verdict", "reason"),
    [
        ("RAISED", "KeyError: 1", Verdict.ERROR, "raised KeyError: 1"),
        ("RAISED", "E: {0} {x} \x1b[1m\n2", Verdict.ERROR, "raised E: {0} {x} [1m 2"),
        (
            *("NOT_A_COLUMN", "None"),
            *(Verdict.ILLEGAL_MOVE, "returned None, which is no column number"),
        ),
        ("NO_MOVE", "printed 'x'", Verdict.ILLEGAL_MOVE, "printed 'x'"),
        ("PROGRAM_FAILED", "ended with exit status 1", Verdict.CRASH, "ended with exit status 1"),
        ("OUT_OF_MEMORY", "", Verdict.MEMORY, TOO_LARGE),
        ("OUT_OF_MEMORY", "(a.py, line 2)", Verdict.MEMORY, f"{TOO_LARGE} (a.py, line 2)"),
        ("STOPPED_SEARCH", "calls of search", Verdict.NODES, STOPPED),
        ("NOT_LOADED", "it is empty", Verdict.LOAD_ERROR, "could not be loaded: it is empty"),
    ],
)
def test_a_fault_that_the_bots_process_reports_becomes_a_sentence(
    kind: str, text: str, verdict: Verdict, reason: str
) -> None:
    task = Task.LOAD if kind == "NOT_LOADED" else Task.MOVE
    assert fault(report(AnswerKind[kind], text), task=task) == (verdict, reason)


def test_a_fault_while_loading_mentions_that_unless_its_sentence_does() -> None:
    load = {"task": Task.LOAD, "limit_ns": 60_000_000_000}
    assert fault(report(AnswerKind.NOT_LOADED, "no"), **load)[1] == "could not be loaded: no"
    memory = Verdict.MEMORY, f"{TOO_LARGE} while it was loaded"
    assert fault(report(AnswerKind.OUT_OF_MEMORY), **load) == memory
    crash = Verdict.CRASH, "ended its own process with status 0 while it was loaded"
    assert fault(death=died(0), **load) == crash
    timeout = Verdict.TIMEOUT, "took more than 60 s to be imported and built"
    assert fault(**load | {"charged_ns": 60_000_000_001}) == timeout


def test_a_search_may_unwind_by_the_columns_times_its_depth_and_no_further() -> None:
    assert judged(move(nodes=1_000 + 7 * 5, depth=5)) == (3, 7, 1_035)
    assert fault(move(nodes=1_000 + 7 * 5 + 1, depth=5)) == (
        Verdict.NODES,
        "used more than 1,000 nodes in one move (1,036); search less deep",
    )
    small = Ruleset(rows=2, columns=2, connect=2)  # no depth excuses more than the whole board
    assert judged(move(nodes=1_008, depth=9_999), rules=small) == (3, 7, 1_008)
    assert fault(move(nodes=1_009, depth=9_999), rules=small)[0] is Verdict.NODES


def test_a_search_that_was_stopped_is_reported_with_its_count() -> None:
    over = report(AnswerKind.STOPPED_SEARCH, "calls of search", nodes=1_008, depth=1)
    assert fault(over) == (
        Verdict.NODES,
        "used more than 1,000 nodes in one move (1,008 calls of search); search less deep",
    )
    assert isinstance(found := judged(over), Fault) and found.nodes == 1_008


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, "took more than 1.5 s for its move"),
        ({"task": Task.FIRST_MOVE}, "took more than 1.5 s for its first move"),
        ({"ponders": True}, "took more than 1.5 s for its move and in its opponent's turn"),
        ({"place": " (a.py, line 2)"}, "took more than 1.5 s for its move (a.py, line 2)"),
        ({"task": Task.LOAD, "ponders": True}, "took more than 1.5 s to be imported and built"),
    ],
)
def test_a_nanosecond_too_many_is_a_timeout_with_or_without_an_answer(
    more: dict[str, object], reason: str
) -> None:
    for data in (b"", move(), report(AnswerKind.RAISED, "ValueError")):
        found = fault(data, **{"charged_ns": 1_500_000_001} | more)
        assert found == (Verdict.TIMEOUT, reason)
    assert judged(move(), charged_ns=1_500_000_000) == (3, 1_500_000_000, 20)


def test_too_much_memory_goes_before_everything_else() -> None:
    reason = f"{TOO_LARGE} (a.py, line 2)"
    for data in (b"", move(), b"x"):
        found = fault(data, too_large=True, place=" (a.py, line 2)", charged_ns=1 << 60)
        assert found == (Verdict.MEMORY, reason)


@pytest.mark.parametrize(
    ("death", "reason"),
    [
        (died(0), "ended its own process with status 0"),
        (died(3), "ended its own process with status 3"),
        (died(-9), "was killed (signal SIGKILL)"),
        (died(-9, lived=True), "closed the referee's channel"),
        (
            died(-9, lived=True, lost_main_thread=True),
            "ended the main thread of its process and left others running",
        ),
        (died(-9, peak_mb=512), "was killed (signal SIGKILL)"),
        (died(-11), "crashed its process (signal SIGSEGV) (a.py, line 2)"),
        (died(-45), "crashed its process (signal 45) (a.py, line 2)"),
        (died(-6, peak_mb=409), "crashed its process (signal SIGABRT) (a.py, line 2)"),
        (
            died(-6, peak_mb=410),
            "crashed its process (signal SIGABRT) (a.py, line 2) with 410 of its 512 MB of memory "
            "in use",
        ),
        (
            died(-6, peak_mb=712),  # with the pages of shared libraries
            "crashed its process (signal SIGABRT) (a.py, line 2) with 512 of its 512 MB of memory "
            "in use",
        ),
    ],
)
def test_a_process_that_ended_is_judged_by_how(death: Death, reason: str) -> None:
    verdict = Verdict.MEMORY if "MB" in reason else Verdict.CRASH
    assert fault(death=death, place=" (a.py, line 2)") == (verdict, reason)


@pytest.mark.parametrize("status", [-9, -11, 0])
@pytest.mark.parametrize("lived", [False, True])
@pytest.mark.parametrize("kills_itself", [False, True])
def test_only_a_whole_death_by_a_signal_that_no_bot_can_send_is_proof(
    status: int, lived: bool, kills_itself: bool
) -> None:
    found = judged(death=died(status, lived=lived, kills_itself=kills_itself))
    assert isinstance(found, Fault)
    is_proof = status == -9 and not lived and not kills_itself
    assert found.proof is (Proof.SIGNAL if is_proof else None)


def test_that_a_program_was_killed_is_no_proof_as_it_can_kill_itself() -> None:
    found = judged(report(AnswerKind.PROGRAM_KILLED, "was killed (signal SIGKILL)"))
    assert isinstance(found, Fault) and found.proof is None
    assert found.ending is not None and found.ending.by_kernel


def test_a_move_that_was_asked_twice_is_charged_for_both() -> None:
    before = Fault(Verdict.ERROR, "raised", 400, 10)
    limits = Limits(move_seconds=1e-6, first_move_seconds=1e-6)
    assert charge_both(before, (3, 600, 20), limits, is_first=False) == (3, 1_000, 30)
    assert charge_both(before, (3, 601, UNMETERED), limits, is_first=True) == (3, 1_001, UNMETERED)
    late = charge_both(before, (3, 601, 20), limits, is_first=False)
    assert isinstance(late, Fault)
    assert (late.verdict, late.charged_ns, late.nodes) == (Verdict.TIMEOUT, 1_001, 30)
    again = charge_both(before, Fault(Verdict.CRASH, "crashed", 5), limits, is_first=False)
    assert isinstance(again, Fault)
    assert (again.verdict, again.charged_ns, again.nodes) == (Verdict.CRASH, 405, 10)


def test_every_ending_has_a_sentence_and_every_verdict_an_ending() -> None:
    for ending in Ending:
        assert ending.sentence and not ending.sentence.endswith((".", " ")), ending
        facts = [name for _, name, _, _ in Formatter().parse(ending.sentence) if name is not None]
        assert all(name.isidentifier() for name in facts), ending
    assert {ending.verdict for ending in Ending} == set(Verdict)


def test_a_bots_process_can_report_its_own_faults_and_nothing_of_the_referees() -> None:
    own = {AnswerKind.READY, AnswerKind.COLUMN, AnswerKind.OUT_OF_MEMORY}
    assert set(AnswerKind) - set(REPORTED) == own
