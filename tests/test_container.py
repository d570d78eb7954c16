"""The Dockerfile by its parts: what it copies is there, what it installs exists, nobody is root."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRIAL = (ROOT / ".ci" / "container").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

Stage = list[tuple[str, str]]


def stages() -> list[Stage]:
    """The stages of the Dockerfile, each the words that begin its instructions and the rest."""
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found: list[Stage] = [[]]
    for line in lines:
        word, rest = line.split(maxsplit=1)
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest))
    return found


def rests(stage: Stage, word: str) -> list[str]:
    return [rest for each, rest in stage if each == word]


HEAD, BUILD, FINAL = stages()


def test_both_stages_are_built_on_an_image_that_can_be_named() -> None:
    assert [word for word, _ in HEAD] == ["ARG"]
    assert HEAD[0][1].startswith("BASE=python:3.")
    assert [rests(stage, "FROM")[0].split()[0] for stage in (BUILD, FINAL)] == ["${BASE}"] * 2


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert ignored[0] == "*"
    copied = [name for rest in rests(BUILD, "COPY") for name in rest.split()[:-1]]
    assert sorted(f"!{name}" for name in copied) == sorted(
        line for line in ignored if line.startswith("!")
    )
    assert all((ROOT / name).exists() for name in copied)


def test_everything_that_the_wheel_is_made_of_is_copied() -> None:
    copied = {name for rest in rests(BUILD, "COPY") for name in rest.split()[:-1]}
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", "README.md", *wheel["packages"]}
    assert needed | set(wheel["force-include"]) <= copied


def test_the_extras_that_it_installs_exist() -> None:
    (extras,) = re.findall(r'pip install [^&]*"\.\[([\w,]+)\]"', " ".join(rests(BUILD, "RUN")))
    assert set(extras.split(",")) == {"cluster", "web"}
    assert set(extras.split(",")) <= PROJECT["project"]["optional-dependencies"].keys()


def test_the_engine_is_compiled_for_the_package_that_is_kept() -> None:
    """Without -P Python would compile the sources here, which are left behind."""
    compiles = [rest for rest in rests(BUILD, "RUN") if "arena.engine.compile" in rest]
    assert compiles == ["/opt/arena/bin/python -P -m arena.engine.compile"]
    assert (ROOT / "arena" / "engine" / "compile.py").exists()
    chosen = [
        re.findall(r"NUMBA_CPU_NAME=(\w+)", " ".join(rests(s, "ENV"))) for s in (BUILD, FINAL)
    ]
    assert chosen == [["generic"], ["generic"]]


def test_what_its_trial_imports_exists() -> None:
    imported = re.findall(r"from (arena[\w.]*) import (\w+)", TRIAL)
    assert imported and all(hasattr(import_module(module), name) for module, name in imported)


def test_what_is_set_when_it_is_built_exists() -> None:
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    known = {rest.partition("=")[0] for rest in rests(HEAD, "ARG") + rests(BUILD, "ARG")}
    assert {*re.findall(r"--build-arg (\w+)=", TRIAL + release)} == known == {"BASE", "VERSION"}


def test_it_ends_as_a_user_without_privileges_who_types_arena() -> None:
    (user,) = rests(FINAL, "USER")
    assert int(user) > 0
    words = [word for word, _ in FINAL]
    assert words.index("USER") > max(at for at, word in enumerate(words) if word in ("RUN", "COPY"))
    assert rests(FINAL, "ENTRYPOINT") == ['["arena"]']
    assert "arena" in PROJECT["project"]["scripts"]
    assert rests(FINAL, "COPY") == ["--from=build /opt/arena /opt/arena"]
