"""Constructors of bots are called with what their parameters ask for, by position or by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.errors import UnsuitableError
from arena.naming import hint_for

Supply = Mapping[tuple[str, ...], Callable[[], object]]
"""What an interface gives to constructors: by the names that a parameter for it goes by, without
underscores and in lower case, what makes it. In the order of the course's own constructor."""


def call_by_name(
    function: Callable[..., Any], supply: Supply, options: Mapping[str, object] | None = None
) -> Any:
    """Call a bot's constructor with what the names of its parameters ask for, in any order.

    An option takes the place of what is supplied by any of the same names. One that takes only
    `*args` gets everything, in order. Raises UnsuitableError for an option that no parameter takes
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
            raise UnsuitableError(no_option(option, [parameter.name for parameter in parameters]))
        makers |= dict.fromkeys(names, lambda value=value: value)  # type: ignore[misc]
    positional: list[object] = []
    named: dict[str, object] = {}
    for parameter in parameters:
        if plain(parameter.name) in makers:
            value = makers[plain(parameter.name)]()
        elif parameter.default is not parameter.empty:
            value = parameter.default
        else:
            raise UnsuitableError(f"wants an argument {parameter.name!r} that no contest gives it")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return function(*positional, **named)


def plain(name: str) -> str:
    """A parameter's name whatever the style it is written in: `gamen` of `game_n` and `gameN`."""
    return name.replace("_", "").lower()


def named_parameters(function: Callable[..., object]) -> list[inspect.Parameter] | None:
    """Return the parameters that have names; of a class that hands all on to its base, the base's.

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


def call_with(
    function: Callable[..., object],
    positional: Sequence[object],
    named: Mapping[str, object],
    options: Mapping[str, object],
) -> object:
    """Call a bot's constructor with what its parameters ask for.

    The leading parameters get `positional` in order, as many as there are; a later one gets
    the value of its name in `options` or `named`, or keeps its default. An option also
    overrides a leading parameter of its name. Raises UnsuitableError for an option that no
    parameter takes and for a parameter that nothing fills.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return function(*positional)
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    anything = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    leading = list(positional) if anything else list(positional[: len(plain)])
    keywords: dict[str, object] = {}
    takes = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for option in options:
        if option not in takes and not takes_any:
            raise UnsuitableError(no_option(option, sorted(takes)))
    for index, parameter in enumerate(plain[: len(leading)]):
        leading[index] = options.get(parameter.name, leading[index])
    filled = {p.name for p in plain[: len(leading)]}
    for parameter in parameters:
        if parameter.name in filled or parameter.name not in takes:
            continue
        if parameter.name in options:
            keywords[parameter.name] = options[parameter.name]
        elif parameter.name in named:
            keywords[parameter.name] = named[parameter.name]
        elif parameter.default is parameter.empty:
            raise UnsuitableError(f"wants an argument {parameter.name!r} that no contest gives it")
    if takes_any:
        keywords |= {k: v for k, v in options.items() if k not in filled | keywords.keys()}
    return function(*leading, **keywords)


def no_option(option: str, takes: Sequence[str]) -> str:
    """Return the clause about a bot that takes options by these names, and not this one."""
    if not takes:
        return f"takes no option {option!r}, nor any other"
    hint = hint_for(option, takes, "")
    return f"takes no option {option!r}; it takes {', '.join(takes)}{f' ({hint})' if hint else ''}"
