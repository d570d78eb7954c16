"""A course's interface as data: how its bots are found, made and asked for a move.

A description is a TOML table: a file in `arena/interfaces/courses/`, or `[interface.NAME]` in a
contest file. It is never executed. docs/reference/interfaces.md explains each key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")  # The name of an interface.
CALL = "__call__"
IN_LIST, IN_BOARD, IN_PLAY = "list", "board", "play"  # In `answer_in`.


class Role(StrEnum):
    """An argument that changes from game to game. Other texts are `{ text = "…" }`."""

    BOARD = "board"
    """The position, as the table `board` says."""
    OBJECT = "object"
    """The object that the table `object` describes."""
    SIDE = "side"
    """The bot's side, as the table `side` says."""
    OPPONENT = "opponent"
    """The other side."""
    COLUMN = "column"
    """The opponent's last column, `no_column` if there is none."""
    ROW = "row"
    """The row of that disc, counted as in the table `board`."""
    OWN_COLUMN = "own_column"
    """The bot's last column, `no_column` if there is none."""
    OWN_ROW = "own_row"
    ROWS = "rows"
    COLUMNS = "columns"
    CONNECT = "connect"
    """The discs in a line."""
    SECONDS = "seconds"
    """The limit for a move."""
    NODES = "nodes"
    """The node budget; None without one."""
    STATE = "state"
    """The state that the last move returned; None before the first."""
    LIST = "list"
    """A list in which the bot writes its answer; at first its items are None."""
    CALLBACK = "callback"
    """A function that the bot calls with its answer."""
    MOVES = "moves"
    """All columns played so far, a list."""
    LEGAL = "legal"
    """The columns with room, a list."""
    MASK = "mask"
    """For each column whether it has room, a list."""
    CELLS = "cells"
    """The number of cells of the board."""
    HEIGHTS = "heights"
    """For each column the number of its discs, a list."""
    PLY = "ply"
    """The number of discs on the board."""
    OWN_BITS = "own_bits"
    """The bot's discs as bits of an int, as the table `board` numbers the cells."""
    OPPONENT_BITS = "opponent_bits"
    ALL_BITS = "all_bits"


class BoardKind(StrEnum):
    ARRAY = "array"
    """A numpy array of two dimensions."""
    PLANES = "planes"
    """A numpy array [row, column, 2]: the own and the opponent's plane, 1 for a disc, else 0."""
    PLANES_FIRST = "planes-first"
    """The same as [2, row, column]."""
    LISTS = "lists"
    TUPLES = "tuples"
    FLAT = "flat"
    """One list of all cells."""
    TEXT = "text"
    """One string of all cells; `separator` is between lines."""
    STACKS = "stacks"
    """For each column a list of its discs from below; with the dtype `str` a text."""
    CELLS = "cells"
    """A dict of cells with keys (row, column), or (column, row) if `by_columns`."""
    BITS = "bits"
    """Only for the roles of bits; `by_columns` and `top` number the cells from bit 0."""


Scalar = object  # A number, a text, true or false, or a Named.


@dataclass(frozen=True, slots=True)
class Named:
    """A value of a module of submission or course: `{ name = "board.Color.RED" }`."""

    name: str


@dataclass(frozen=True, slots=True)
class CallOf:
    """An argument made by a call: `{ call = "board.Move", arguments = ["column"] }`."""

    call: str
    arguments: tuple[Argument, ...]
    named: Mapping[str, Argument]


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple of arguments: `{ tuple = ["rows", "columns"] }`."""

    items: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class DictOf:
    """A dict whose items are attributes too: `{ dict = { mark = "side" } }`."""

    items: Mapping[str, Argument]


@dataclass(frozen=True, slots=True)
class TextOf:
    """An argument as text, a list without commas: `{ text_of = "column" }`."""

    value: Argument


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """A numpy array of a list: `{ array_of = "mask", dtype = "int8" }`."""

    value: Argument
    dtype: str


@dataclass(frozen=True, slots=True)
class EachLegal:
    """A list with an item for each column with room: `{ each_legal = "column" }`."""

    item: Argument


Argument = Role | Named | CallOf | TupleOf | DictOf | TextOf | ArrayOf | EachLegal | Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The function, class or instance at module level that plays."""

    function: tuple[str, ...] = ()
    """Names of functions, lambdas or other callables at module level, the best first."""
    class_: tuple[str, ...] = ()
    """Names of classes."""
    instance: tuple[str, ...] = ()
    """Names of instances at module level."""
    base: tuple[str, ...] = ()
    """Names of base classes; a class must have one of them."""
    method: tuple[str, ...] = ()
    """Names of the method that moves; `__call__` for an instance that is called."""
    parameters: tuple[str, ...] = ()
    """Names, or words of the annotations, of the move's first parameters; none: any."""
    needs: tuple[str, ...] = ()
    """Names that the file must define too."""
    without: tuple[str, ...] = ()
    """Names that are defined together only in files of another kind."""
    finished: bool = False
    """Leave out classes whose method is a stub or asks a person."""
    static: bool = False
    """Call the method of the class itself; no instance is made."""
    fallback: bool = False
    """Whether every other interface that fits a file is preferred."""
    definitions_only: bool = False
    """Execute only imports, definitions and constants of the file, as with a notebook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Make:
    """How a bot's instance is made, once a game."""

    arguments: tuple[Argument, ...] = ()
    """Arguments by position, as many as the constructor takes."""
    named: Mapping[str, Argument] = field(default_factory=dict)
    """Arguments by name, for parameters that the constructor has; `|` is between names."""
    set: Mapping[str, Argument] = field(default_factory=dict)
    """Attributes that are set afterwards; beside a function, global names of its file."""
    calls: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    """Methods that are called next, if the bot has them, each with a list of its arguments; beside
    a function, other functions of its file."""
    anew: bool = False
    """Make a new bot for every move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardForm:
    form: BoardKind = BoardKind.ARRAY
    """The kind of value that holds the position."""
    dtype: str = "int64"
    """The type of an array's values."""
    read_only: bool = False
    """Only arrays: the bot cannot change its copy."""
    top: bool = True
    """Whether row 0 is the top row."""
    by_columns: bool = False
    """Whether the first index is the column."""
    separator: str = ""
    """Characters between the lines of a text."""
    cell_separator: str = ""
    """Characters between the cells of a line of a text."""
    base: int = 0
    """The number of the first row and column in the keys of `cells`, 0 or 1."""
    taken: bool = False
    """Leave out empty cells of `cells`."""
    gap: int = 0
    """Unused bits after each line of `bits`."""
    empty: Scalar = 0
    """An empty cell."""
    first: Scalar = 1
    """A disc of the player who moves first."""
    second: Scalar = 2
    """A disc of the other player."""
    own: Scalar = None
    """The bot's disc, if its discs look the same on both sides; then `other` too."""
    other: Scalar = None
    """The opponent's disc."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An object that shows the position, of a class of the submission or the course."""

    type: str
    """Module and class: `board.Board`."""
    arguments: tuple[Argument, ...] = ()
    """Arguments by position."""
    named: Mapping[str, Argument] = field(default_factory=dict)
    """Arguments by name."""
    set: Mapping[str, Argument] = field(default_factory=dict)
    """Attributes that are set afterwards."""
    tried: bool = False
    """Whether trials find out how the submission's own class is made and played on."""
    play: str = ""
    """The method that drops a disc; none: the position is in the arguments."""
    play_arguments: tuple[Argument, ...] = (Role.COLUMN,)
    """Its arguments; `column` and `side` are those of the disc."""
    kept: bool = False
    """Whether the bot gets the same object at each move, not a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    first: Scalar = 1
    """The side of the player who moves first."""
    second: Scalar = 2
    """The other side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    arguments: tuple[Argument, ...] = (Role.BOARD,)
    """Arguments by position."""
    optional: tuple[Argument, ...] = ()
    """Further arguments by position, as many as a function or a called instance takes."""
    named: Mapping[str, Argument] = field(default_factory=dict)
    """Arguments by name, for parameters that the move has; `|` is between names."""
    answer: tuple[int | str, ...] = ()
    """The way from the answer to the column: indices, names of attributes or keys, like `[0]`."""
    set: Mapping[str, Argument] = field(default_factory=dict)
    """Attributes that are set before each move, as by `set` of `make` before the game."""
    answer_in: str = ""
    """Where the answer is: `list` for the roles `list` and `callback`; `board` for the disc that
    the bot adds to the board it gets; `play` for its first call of `object.play`; or an attribute
    of the bot. Else it is what the move returns."""
    new_board: bool = False
    """Whether the answer is the board with one more disc, in the form of `board`."""
    text: bool = False
    """Whether the answer is a text; the first number in it is the column."""
    letters: bool = False
    """Whether the answer is a text whose first letter is the column, A for the first."""
    scores: bool = False
    """Whether the answer has a number for each column; the column with the highest is played."""
    ask_again: bool = False
    """Whether None means: ask once more."""
    base: int = 0
    """The number of the first column, 0 or 1, in answers and in arguments."""
    none: tuple[Scalar, ...] = ()
    """Answers that mean that the bot has no move."""
    no_column: Argument = None
    """The value of `column` and `row`, and of a tuple with them, before that disc."""
    state: tuple[int | str, ...] = ()
    """The way from the answer to the state for the next move."""
    tell: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    """Methods that are called after each disc of the opponent, with their arguments."""
    tell_own: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    """Methods that are called after each disc of the bot; there `column` is the bot's."""
    only_opponent: bool = False
    """Whether the bot learns only its opponent's moves: it cannot play from an opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    about: str = ""
    """The function as its course writes it, for documents and messages."""
    entry: Entry
    """The function, class or instance that plays."""
    make: Make = field(default_factory=Make)
    """How a bot of a class is made; functions and instances need nothing."""
    side: Side = field(default_factory=Side)
    """The role `side`."""
    board: BoardForm = field(default_factory=BoardForm)
    """The role `board`."""
    object: Shown | None = None
    """The role `object`."""
    move: Move = field(default_factory=Move)
    """How the bot is asked, and what its answer is."""
    sizes: tuple[str, ...] = ()
    """Boards that its bots can play, like "6x7"; none: any."""
    node_budget: bool = False
    """Whether the contest's node budget holds for its bots, also without `nodes_for_all`."""
    explain: bool = False
    """Print each position, call and answer to the bot's output, to try a description."""
    refuses: str = ""
    """Why bots of this course cannot play here, as a clause; empty if they can."""


def roles_in(*tables: object) -> set[Role]:
    found = list(tables)
    for each in found:  # the list grows
        if is_dataclass(each):
            found += [getattr(each, part.name) for part in fields(each)]
        elif isinstance(each, (tuple, Mapping)):
            found += each.values() if isinstance(each, Mapping) else each
    return {each for each in found if isinstance(each, Role)}
