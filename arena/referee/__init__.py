"""One game: limits, clocks, verdicts, the key that identifies it and the record kept of it."""

from arena.referee.game import play
from arena.referee.limits import Limits
from arena.referee.player import Answer, Fault, Player
from arena.referee.record import Bot, GameKey, GameRecord, Retake
from arena.referee.verdict import Proof, Verdict

__all__ = [
    "Answer",
    "Bot",
    "Fault",
    "GameKey",
    "GameRecord",
    "Limits",
    "Player",
    "Proof",
    "Retake",
    "Verdict",
    "play",
]
