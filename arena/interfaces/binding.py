"""How the parts of a bot of several classes are put together, by the names they go by."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import UnseatableError
from arena.interfaces.interface import no_option

Supply = Mapping[tuple[str, ...], Callable[[], object]]
"""What an interface gives to constructors: by the names that a parameter for it goes by, without
underscores and in lower case, what makes it. In the order of the course's own constructor."""


def call_by_name(
    function: Callable[..., Any], supply: Supply, options: Mapping[str, object] | None = None
) -> Any:
    """Call a bot's constructor with what the names of its parameters ask for, in any order.

    An option takes the place of what is supplied by any of the same names. One that takes only
    `*args` gets everything, in order. Raises UnseatableError for an option that no parameter takes
    and for a parameter that nothing fills.
    """
    makers = {name: make for names, make in supply.items() for name in names}
    parameters = named_parameters(function)
    if parameters is None:
        parameters = [
            inspect.Parameter(names[0], inspect.Parameter.POSITIONAL_ONLY) for names in supply
        ]
    for option, value in (options or {}).items():
        names = next((names for names in supply if plain(option) in names), (plain(option),))
        if not any(plain(parameter.name) in names for parameter in parameters):
            raise UnseatableError(no_option(option, [parameter.name for parameter in parameters]))
        makers |= dict.fromkeys(names, lambda value=value: value)  # type: ignore[misc]
    positional: list[object] = []
    named: dict[str, object] = {}
    for parameter in parameters:
        if plain(parameter.name) in makers:
            value = makers[plain(parameter.name)]()
        elif parameter.default is not parameter.empty:
            value = parameter.default
        else:
            raise UnseatableError(f"wants an argument {parameter.name!r} that no contest gives it")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return function(*positional, **named)


def plain(name: str) -> str:
    """A parameter's name whatever the style it is written in: `gamen` of `game_n` and `gameN`."""
    return name.replace("_", "").lower()


def named_parameters(function: Callable[..., object]) -> list[inspect.Parameter] | None:
    """The parameters that have names; of a class that hands all on to its base, the base's.

    None if there are only `*args` for whoever looks at them.
    """
    makers = [function]
    if isinstance(function, type):
        makers = [c.__dict__["__init__"] for c in function.__mro__[:-1] if "__init__" in c.__dict__]
    anything = False
    for maker in makers:
        parameters = list(inspect.signature(maker).parameters.values())
        own = parameters[1:] if isinstance(function, type) else parameters
        named = [p for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if named or not own:
            return named
        anything = anything or any(p.kind is p.VAR_POSITIONAL for p in own)
    return None if anything else []
