"""A person on the roster of a contest."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "nothing was handed in"  # Last words of the status of someone without a file.


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person; texts may be empty."""

    name: str
    id: str = ""
    system: str = ""
    """The course system that `id` belongs to."""

    email: str = ""
    group: str = ""
    submitted: str = ""
    late: bool | None = None
    penalty: float | None = None
    """Grade points to subtract."""

    pseudonym: str = ""
    """Chosen by the instructor."""

    path: str = ""
    """Their submission's folder beside the roster, or their bot's name."""

    bot: str = ""
    """Their bot's name in the contest."""

    status: str = ""
    """`ok`, or why the submission was refused."""

    @property
    def handed_in(self) -> bool:
        """Whether they handed in anything, usable or not."""
        return bool(self.path) or (bool(self.status) and not self.status.endswith(NOTHING))

    def id_in(self, system: str) -> str:
        """Return their identifier in a course system; empty if it is another system's.

        An identifier without a system is valid in any.
        """
        return self.id if self.system.casefold() in ("", system.casefold()) else ""

    @property
    def identity(self) -> str:
        """The identifier, else e-mail, else name."""
        return self.id or self.email or self.name
