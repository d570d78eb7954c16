"""The account of an archive: how much may come out of it, and how much has."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import TooLargeError, UnreadableError
from arena.intake.files import MAX_BYTES, MAX_FILES
from arena.quoting import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The most that may come out of an archive and all those inside it."""

    files: int = MAX_FILES
    """Files that count."""

    size: int = MAX_BYTES
    """Bytes of the files that count; all that is unpacked on the way may be three times as much."""


MAX_ENTRIES = 200_000
"""Files, folders and junk in the largest archive of a class."""


class Account:
    """The account of one archive. An archive inside another spends what is left of the same."""

    def __init__(self, archive: str, allowance: Allowance, around: Account | None = None) -> None:
        self.archive = one_line(archive, 80)
        """The archive's name, as sentences say it."""
        self.allowance = allowance
        nothing = {"entries": 0, "files": 0, "size": 0, "unpacked": 0, "headers": 0}
        self._spent: dict[str, int] = around._spent if around else nothing
        self._limits = {
            "entries": min(20 * allowance.files, MAX_ENTRIES),
            "files": allowance.files,
            "size": allowance.size,
            "unpacked": 3 * allowance.size,
            # the work they make grows with the square of their length
            "headers": allowance.files << 20,
        }

    @property
    def entries(self) -> int:
        """The most entries that the archive may have."""
        return self._limits["entries"] - self._spent["entries"]

    def spent(self) -> dict[str, int]:
        """Return what was spent so far."""
        return dict(self._spent)

    def count(self, **spent: int) -> None:
        """Add to the account. Raises TooLargeError, for headers UnreadableError."""
        for what, amount in spent.items():
            self._spent[what] += amount
            if self._spent[what] > self._limits[what]:
                raise self.says_too_much() if what == "headers" else self.too_much()

    def says_too_much(self) -> UnreadableError:
        """Return what to raise for a .tar with headers out of all proportion."""
        return UnreadableError(f"{self.archive} says far too much about its files; hand in a .zip")

    def too_much(self) -> TooLargeError:
        """Return what to raise for an archive that holds more than it may."""
        limits = f"{self.allowance.files} files or {self.allowance.size >> 20} MB"
        return TooLargeError(f"{self.archive} holds more than {limits}")
