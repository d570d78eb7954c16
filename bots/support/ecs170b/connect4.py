"""The module of the later UC Davis course from which players are derived."""

from connect4_env import Env as connect4
from connect4_env import connect4Player

__all__ = ["connect4", "connect4Player"]
