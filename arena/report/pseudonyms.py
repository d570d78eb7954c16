"""Pseudonyms: the bots' names in everything that is published.

A pseudonym is the one in the roster's column `pseudonym`; else the student's choice in
`pseudonym.txt`, if it looks like no other name; else made from a keyed hash of the student's
identity. The key is drawn once and stays in the contest's folder: a student keeps the same
pseudonym, and without the key nobody can find out whose it is.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath

from arena.common.errors import InputError, unwritable
from arena.common.names import PLAYERS, page_name, plain_name
from arena.contest.folder import ContestFolder
from arena.contest.people import by_bot
from arena.settings.contest import BotEntry, Contest

ADJECTIVES = """
able agile airy alert amber ample apt azure blithe bold brave breezy bright brisk calm candid
careful cheery chief civil clear clever coral cosy crimson crisp curious daring dapper deft eager
early easy elated fair famous fancy fine firm fleet fond free fresh gentle glad golden grand green
handy happy hardy hazel honest humble ivory jade jolly jovial keen kind lilac lively loyal lucid
lucky lunar lush mellow merry mild modest neat nimble noble olive opal patient placid pleasant
polite proud quick quiet rapid ready regal rosy ruby rustic scarlet serene sharp shiny silent
silver sincere sleek smart snowy solar solid sonic spry steady sunny swift tame tawny teal thrifty
tidy tranquil trusty upbeat velvet verdant violet vivid warm wise witty zesty
"""

ANIMALS = """
badger beaver bison bobcat buffalo camel canary caribou cheetah cicada condor coyote crane cricket
curlew deer dingo dolphin donkey dragonfly eagle egret eland elk ermine falcon ferret finch
firefly flamingo fox gazelle gecko gibbon giraffe grouse gull hare harrier hawk hedgehog heron
hippo hoopoe hornbill horse ibex ibis iguana impala jackdaw jaguar kestrel kingfisher kiwi koala
kudu lark lemur leopard lion lizard llama lobster lynx macaw magpie mallard manatee marlin marmot
marten meerkat merlin mongoose moose narwhal newt nightjar ocelot octopus okapi orca oriole osprey
ostrich otter owl oyster panda panther partridge pelican penguin petrel pheasant pika plover pony
porpoise puffin puma quail rabbit raccoon raven reindeer salmon seal sparrow squirrel starling
stork swallow swan tapir tern thrush tiger toucan trout turtle walrus warbler wombat woodpecker
wren yak zebra
"""

CHOICE_FILE = "pseudonym.txt"  # file in a submission; its first line is the student's choice
CHOICE_BYTES = 200  # bytes read from this file
CHOICE = re.compile(r"[A-Za-z]([A-Za-z0-9 -]*[A-Za-z0-9-])?")
SHORTEST, LONGEST = 3, 24  # characters of a student's choice
KEY_BYTES = 32
KEY = re.compile(rb"[0-9a-f]{64}")  # the key's form in its file

# Advice about an unusable key.
LOST_KEY = (
    "put it back from a backup; or remove it and the folder feedback/: Arena then draws another "
    "key and other pseudonyms"
)

FEEDBACK = "feedback"  # folder with the feedback pages
CALLED = "In what is published it is called"  # a feedback page's words before the pseudonym

# Parts of a pseudonym, like `amber otter 417`.
FIRST, SECOND, NUMBERS = ADJECTIVES.split(), ANIMALS.split(), range(100, 1000)
NAME_LETTERS = 3  # letters from which a word counts as a name
INSIDE_LETTERS = 6  # letters from which a name counts even inside other letters
ALIKE = str.maketrans("lio", "110")  # letters that look like digits
LEET = str.maketrans("034578", "oeastb")  # digits that replace letters; 1 replaces l or i


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonym:
    """A bot's name in everything that is published."""

    name: str

    refused: str = ""
    """Why the student's choice was refused: completes "it …". Empty if nothing was refused."""


def contest_pseudonyms(folder: ContestFolder, contest: Contest) -> dict[str, Pseudonym]:
    """Return the pseudonyms of a contest's students, by bot.

    Raises InputError for a mistake in the roster or a lost key, StorageError if a new key cannot be
    stored.
    """
    students = {name: bot for name, bot in contest.bots.items() if not bot.house}
    people = folder.people(contest)
    chosen = {name: _chosen(folder.snapshots, bot) for name, bot in students.items()}
    owners = by_bot(people)
    given = {
        name: next((plain_name(one.pseudonym) for one in owners.get(name, ()) if one.pseudonym), "")
        for name in students
    }
    identities = {
        name: min((one.identity for one in owners.get(name, ())), default=name) for name in students
    }
    real = [*students, *(text for one in people for text in (one.name, one.group, one.email))]
    if not folder.pseudonym_key.exists() and _were_given(folder.path):
        raise InputError(
            f"{folder.pseudonym_key}: is missing, and with it the pseudonyms so far; {LOST_KEY}"
        )
    key = _key(folder.pseudonym_key)
    return pseudonyms(key, identities, given=given, chosen=chosen, real=real)


def pseudonyms(
    key: bytes,
    identities: Mapping[str, str],
    *,
    given: Mapping[str, str],
    chosen: Mapping[str, str],
    real: Iterable[str],
) -> dict[str, Pseudonym]:
    """Return a pseudonym for each bot.

    The mappings are by bot: `identities` distinguish the authors, `given` are the instructor's
    choices, `chosen` the students'. No student may take a name of `real`. An instructor's choice is
    ignored if two bots have it or if it is another bot's name.
    """
    others = Counter(map(_compared, (*filter(None, given.values()), *identities, *PLAYERS)))
    names = {
        bot: name
        for bot, name in given.items()
        if name and others[_compared(name)] == 1 + (_compared(name) == _compared(bot))
    }
    own = {bot: name for bot, name in chosen.items() if name and bot not in names}
    refused = {bot: why for bot, why in _refused(own, names.values(), tuple(real)) if why}
    names |= {bot: name for bot, name in own.items() if bot not in refused}
    taken = {_compared(name) for name in (*names.values(), *real, *PLAYERS)}
    # in the order of hashes, as the order of names could identify bots
    for _, bot in sorted((_digest(key, identities[bot], 0), bot) for bot in identities):
        if bot not in names:
            words = (_words(_digest(key, identities[bot], number)) for number in count())
            names[bot] = next(each for each in words if _compared(each) not in taken)
            taken.add(_compared(names[bot]))
    return {bot: Pseudonym(name=names[bot], refused=refused.get(bot, "")) for bot in identities}


def _refused(
    chosen: Mapping[str, str], given: Iterable[str], real: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Yield each bot and why its author's choice is refused; "" if the choice is accepted."""
    choices = Counter(map(_compared, (*chosen.values(), *given)))
    words = {_letters(word) for name in real for word in re.split(r"[\W_]+", name)}
    words = {word for word in words if len(word) >= NAME_LETTERS}
    whole = {_letters(name) for name in real} - {""}
    first, second = ("|".join(map(_compared, words)) for words in (FIRST, SECOND))
    generated = re.compile(rf"({first})({second})\d{{3}}")
    for bot, name in chosen.items():
        why = ""
        if not SHORTEST <= len(name) <= LONGEST:
            why = f"is not {SHORTEST} to {LONGEST} characters long"
        elif not CHOICE.fullmatch(name):
            why = "has characters other than English letters, digits, spaces and hyphens"
        elif plain_name(name) != name:
            why = "is a device's name, which no file can have on Windows"
        elif any(_letters(it) in reading for it in PLAYERS for reading in _readings(name)):
            why = "contains the name of a house player"
        elif _is_somebody(name, words, whole):
            why = "contains the name of somebody in the course or of a bot"
        elif generated.fullmatch(_compared(name)):
            why = "looks like a name that Arena gives: two words and a number"
        elif choices[_compared(name)] > 1:
            why = "is also the choice of somebody else"
        yield bot, why


def _is_somebody(name: str, words: set[str], whole: set[str]) -> bool:
    """Return True if a name has one of these names as a word, or contains a long one."""
    parts = re.split(r"[ -]+|(?<=[a-z\d])(?=[A-Z])", name)
    own = {reading for part in (*parts, name) for reading in _readings(part)}
    long = [each for each in words | whole if len(each) >= INSIDE_LETTERS]
    return bool(own & (words | whole)) or any(each in one for each in long for one in own)


def _readings(name: str) -> tuple[str, ...]:
    leet = name.casefold().translate(LEET)
    return _letters(leet.replace("1", "l")), _letters(leet.replace("1", "i")), _letters(name)


def _letters(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in plain if letter.isalpha())


def _compared(name: str) -> str:
    """Return a form of a name that is equal for names that look alike."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(ALIKE)
    return "".join(letter for letter in plain if letter.isalnum())


def _chosen(snapshots: Path, bot: BotEntry) -> str:
    root = snapshots / (bot.content_hash or "")
    folders = (PurePosixPath(bot.entry_point.file).parent, PurePosixPath())
    for folder in folders if bot.content_hash else ():
        path = root / folder / CHOICE_FILE
        with suppress(OSError):
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    text = file.read(CHOICE_BYTES).decode("utf-8-sig", "replace")
                return text.strip().partition("\n")[0].strip()
    return ""


def is_key(key: bytes) -> bool:
    """Return True if a key is complete; a shorter key could be guessed."""
    return KEY.fullmatch(key) is not None


def _were_given(folder: Path) -> bool:
    for page in (folder / FEEDBACK).glob(page_name("*")):
        with suppress(OSError):
            if CALLED in page.read_text("utf-8", "replace"):
                return True
    return False


def _key(path: Path) -> bytes:
    """Return the contest's key; draw and store it if missing. Raises InputError, StorageError."""
    try:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            key = path.read_bytes().strip()
            if not is_key(key):
                raise InputError(f"{path}: is not as it was written; {LOST_KEY}") from None
            return key
        with os.fdopen(descriptor, "wb") as file:
            key = secrets.token_hex(KEY_BYTES).encode()
            file.write(key + b"\n")
        return key
    except OSError as error:
        raise unwritable(path, error) from None


def _digest(key: bytes, identity: str, number: int) -> bytes:
    return hmac.digest(key, f"{number}:{identity}".encode(), "sha256")


def _words(digest: bytes) -> str:
    rest = int.from_bytes(digest, "big")
    rest, number = divmod(rest, len(NUMBERS))
    rest, animal = divmod(rest, len(SECOND))
    return f"{FIRST[rest % len(FIRST)]} {SECOND[animal]} {NUMBERS[number]}"
