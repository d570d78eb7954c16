"""Options whose value is one of several words."""

from __future__ import annotations

from typing import Any

import click

from arena.naming import hint_for


class OneOf(click.Choice[str]):
    """A word of several. A mistyped one is answered with the word that is most like it."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return what is wrong with a word."""
        said = super().get_invalid_choice_message(value, ctx)
        hint = hint_for(str(value), self.choices, "")
        return f"{said.removesuffix('.')}; {hint}" if hint else said
