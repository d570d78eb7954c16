"""A person on the roster of a contest."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "nothing was handed in"  # Last words of the status of someone without a file.


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    name: str
    id: str = ""
    """The course system's identifier; may be empty."""

    system: str = ""
    """The course system of `id`; may be empty."""

    email: str = ""
    """May be empty."""

    group: str = ""
    """Empty for a single person."""

    submitted: str = ""
    """Time as in the roster; may be empty."""

    late: bool | None = None
    """None if unknown."""

    penalty: float | None = None
    """Grade points to subtract; None if not set."""

    pseudonym: str = ""
    """Chosen by the instructor; may be empty."""

    path: str = ""
    """Folder of their submission beside the roster, or their bot's name; may be empty."""

    bot: str = ""
    """Their bot's name in the contest; may be empty."""

    status: str = ""
    """`ok`, or why the submission was refused."""

    @property
    def handed_in(self) -> bool:
        """Whether they handed in anything, usable or not."""
        return bool(self.path) or (bool(self.status) and not self.status.endswith(NOTHING))

    def id_in(self, system: str) -> str:
        """Return their identifier in a course system; empty if theirs is another system's.

        An identifier without a system is valid in any.
        """
        return self.id if self.system.casefold() in ("", system.casefold()) else ""

    @property
    def identity(self) -> str:
        """Identifier, else e-mail, else name."""
        return self.id or self.email or self.name
