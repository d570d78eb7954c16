"""Somebody on the roster of a contest, as all that is written for a course knows them."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = "nothing was handed in"
"""How the status ends of somebody who is in an export without a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody on the roster of a contest."""

    name: str
    """As the course calls them."""

    id: str = ""
    """The course system's own identifier; empty if the roster has none."""

    system: str = ""
    """The course system of that identifier; empty if the roster names none."""

    email: str = ""
    """Empty if it is not told."""

    group: str = ""
    """Name of their group; empty for a person alone."""

    submitted: str = ""
    """When they handed in, as the roster says it; empty if it does not."""

    late: bool | None = None
    """None if it is not told."""

    penalty: float | None = None
    """Grade points to be taken off, as the instructor set it; None if nothing is set."""

    pseudonym: str = ""
    """The name that the instructor chose for what is published; empty for none."""

    path: str = ""
    """The folder of what they handed in, beside the roster, or the name that the roster gives their
    bot; empty if they handed in nothing."""

    bot: str = ""
    """Name of their bot in the contest, which members of a group share; empty without one."""

    status: str = ""
    """What was found when it was collected: `ok`, or why it was refused."""

    @property
    def handed_in(self) -> bool:
        """True if they handed in anything, even what cannot be used."""
        return bool(self.path) or (bool(self.status) and not self.status.endswith(NOTHING))

    def id_in(self, system: str) -> str:
        """Return their identifier in a course system; empty if theirs is another system's.

        An identifier without a system is what the instructor gave: right for any.
        """
        return self.id if self.system.casefold() in ("", system.casefold()) else ""

    @property
    def identity(self) -> str:
        """What tells them from others: identifier, else e-mail, else name."""
        return self.id or self.email or self.name
