"""`arena new`: a small bot to start from."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.cli.files import ANY_PATH, EXISTING_PATH, OneOf, write_text
from arena.common.errors import InputError
from arena.common.names import NOTEBOOK, PYTHON, house_folder
from arena.common.text import quote
from arena.intake.draft import draft
from arena.intake.submission import read_submission
from arena.interfaces import BY_NAME, is_program
from arena.interfaces.contract import course_modules, starter
from arena.settings.file import interface_name_problem


@click.command()
@click.argument("file", type=ANY_PATH)
@click.option(
    "--interface",
    type=OneOf([*BY_NAME]),
    default="pick_move",
    show_default=True,
    help="How Arena calls the bot.",
)
@click.option(
    "--copy",
    "demo",
    type=OneOf(sorted(path.stem for path in house_folder().glob(f"*{PYTHON}"))),
    help="Write this demo bot instead.",
)
@click.option(
    "--interface-from",
    "example",
    type=EXISTING_PATH,
    metavar="BOT",
    help="Write no bot, but a first description of this bot's interface, as TOML.",
)
def new(file: Path, interface: str, demo: str | None, example: Path | None) -> int:
    """Write a small bot to FILE: Python, or a notebook if FILE ends in .ipynb.

    \b
    Examples:
      arena new my_bot.py --interface pick_move
      arena new quartets.py --copy quartets
      arena new mycourse.toml --interface-from handed_in.py
    """
    trial = quote(f"./{file}" if str(file).startswith("-") else str(file))
    if demo is not None:
        if file.suffix != PYTHON:
            raise InputError(f"{file}: a demo bot is Python; name it {file.stem}{PYTHON}")
        text, what = (house_folder() / f"{demo}{PYTHON}").read_text("utf-8"), "a demo bot"
        trial = f"arena check {trial}"
    elif example is None:
        text, what, trial = _text(file, interface), "a bot to start from", f"arena check {trial}"
    elif file.suffix == ".toml":
        if problem := interface_name_problem(file.stem):
            raise InputError(f"{file}: the interface has this file's name: {problem}")
        submission = read_submission(example)
        text, what = draft(submission, str(file)), "a description to complete"
        if known := submission.entry_point.interface:
            what = f"a description to complete, but Arena knows this interface already, as {known}"
        trial = f"arena check {quote(str(example))} --interface {trial}"
    else:
        raise InputError(f"{file}: a description is TOML; name it {file.stem}.toml")
    if file.exists() or file.is_symlink():
        raise InputError(f"{file}: exists already; name another file")
    write_text(file, text)
    click.echo(f"{file}: {what}. Try it with:\n  {trial}")
    return 0


def _text(file: Path, interface: str) -> str:
    if file.suffix == PYTHON:
        if file.stem in course_modules(interface):
            raise InputError(f"{file}: the course has a module of this name; name another file")
        return starter(interface)
    if file.suffix == NOTEBOOK:
        if is_program(interface):
            said = f"{file}: a bot of the interface {interface} is a program"
            raise InputError(f"{said}; name it {file.stem}{PYTHON}")
        return _notebook(starter(interface))
    other = "" if is_program(interface) else f" or {file.stem}{NOTEBOOK}"
    raise InputError(f"{file}: a bot to start from is Python; name it {file.stem}{PYTHON}{other}")


def _notebook(source: str) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source.rstrip("\n").splitlines(keepends=True),
    }
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": [cell],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
