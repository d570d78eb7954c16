"""The workflows of public CI and the site's host: what their linter cannot see."""

from __future__ import annotations

import os
import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import settings

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FILES = {file.stem: file for file in (ROOT / ".github" / "workflows").iterdir()}
SITE = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text("utf-8"))


def jobs(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILES[name].read_text("utf-8"))["jobs"]
    return found


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in jobs(name).values() for step in job.get("steps", ())]


def test_there_is_one_for_each_time() -> None:
    assert FILES.keys() == {"checks", "home", "nightly", "release"}


def test_each_action_is_pinned_to_the_same_commit_everywhere() -> None:
    pins = defaultdict(set)
    for file in FILES.values():
        for name, pin in re.findall(r"uses: (\w[\w/-]+)@(.+)", file.read_text("utf-8")):
            pins[name].add(pin)
    assert len(pins) >= 6
    for name, (pin, *others) in pins.items():
        assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", pin) and not others, name


@pytest.mark.parametrize("name", FILES)
def test_each_job_has_an_end_and_no_more_rights_than_reading(name: str) -> None:
    assert yaml.safe_load(FILES[name].read_text("utf-8"))["permissions"] == {"contents": "read"}
    for job in jobs(name).values():
        assert "uses" in job or 0 < job["timeout-minutes"] <= 300
        assert "permissions" not in job or name == "release"


def test_what_workflows_install_and_run_exists() -> None:
    extras, scripts = set(SITE["python"]["install"][0]["extra_requirements"]), set()
    for name in FILES:
        for step in steps(name):
            extras |= {*re.findall(r'"\.\[(\w+)\]"', step.get("run", ""))}
            scripts |= {*re.findall(r"\bbash (\S+)", step.get("run", ""))}
    for job in jobs("nightly")["python"]["strategy"]["matrix"]["include"]:
        extras |= {*job["extra"].split(",")}
    assert extras > {"dev", "docs"} and extras <= PROJECT["optional-dependencies"].keys()
    assert scripts >= {".ci/run", ".ci/container"} and all((ROOT / it).exists() for it in scripts)


def test_the_wheel_is_tried_with_the_oldest_python_and_the_oldest_dependencies() -> None:
    matrix = jobs("checks")["install"]["strategy"]["matrix"]
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert matrix["python"][0] == oldest
    assert matrix["include"] == [{"python": oldest, "versions": "lowest-direct"}]


def test_a_release_publishes_what_the_checks_have_tried() -> None:
    release = jobs("release")
    assert release["checks"]["uses"].endswith("/checks.yml")
    assert {job["needs"] for name, job in release.items() if name != "checks"} == {"checks"}
    assert not any("-m build" in step.get("run", "") for step in steps("release"))


def test_the_site_is_built_as_by_its_host() -> None:
    assert SITE["sphinx"] == {"configuration": "docs/conf.py", "fail_on_warning": True}
    (site,) = (job for job in jobs("checks").values() if "Read the Docs" in job["name"])
    assert site["steps"][1]["with"]["python-version"] == SITE["build"]["tools"]["python"]


def test_ci_tries_the_same_examples_each_time_and_the_night_ten_times_as_many() -> None:
    day, night = map(settings.get_profile, ("arena", "nightly"))
    assert day.derandomize == ("CI" in os.environ)
    assert (night.derandomize, night.max_examples) == (False, 10 * day.max_examples)
    assert "--hypothesis-profile nightly" in FILES["nightly"].read_text("utf-8")
