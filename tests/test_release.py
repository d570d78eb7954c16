"""What is published: both archives, their version and metadata, and what repeats these."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import arena
from arena.common.packages import DISTRIBUTION
from support.command_line import Typed, succeeded

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
HATCH = PYPROJECT["tool"]["hatch"]
URLS = PROJECT["urls"]
UNPUBLISHED = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".hypothesis", "build", "dist")
JUNK = (
    "results/homework4/journal.sqlite",
    ".venv/pyvenv.cfg",
    "arena/__pycache__/planted.cpython-311.pyc",
    "bots/__pycache__/planted.cpython-311.pyc",
    "bots/.DS_Store",
    "tests/.pytest_cache/planted",
    "dist/planted.whl",
    "planted.egg-info/PKG-INFO",
)


def run(*words: object, cwd: Path) -> str:
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The source archive, the wheel made from it, and the wheel made from the folder."""
    folder = tmp_path_factory.mktemp("release")
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=UNPUBLISHED)
    for name in JUNK:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("junk")
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
    run(*build, folder / "both", tree, cwd=folder)
    run(*build, folder / "wheel", "--wheel", tree, cwd=folder)
    (sdist,) = (folder / "both").glob("*.tar.gz")
    (wheel,) = (folder / "both").glob("*.whl")
    (direct,) = (folder / "wheel").glob("*.whl")
    return sdist, wheel, direct


@pytest.mark.slow
class TestArchives:
    def test_both_ways_give_the_same_wheel(self, built: tuple[Path, Path, Path]) -> None:
        _, wheel, direct = built
        assert wheel.name == direct.name
        assert wheel.name.startswith(f"{DISTRIBUTION.replace('-', '_')}-")
        assert wheel.read_bytes() == direct.read_bytes()

    def test_a_wheel_has_every_file_of_the_package_and_the_bots(
        self, built: tuple[Path, Path, Path]
    ) -> None:
        with ZipFile(built[1]) as archive:
            there = set(archive.namelist())
        homes = {
            "arena": ROOT / "arena",
            "arena/bots": ROOT / "bots",
            "arena_lab": ROOT / "benchmarks" / "arena_lab",
        }
        needed = {
            f"{name}/{path.relative_to(home).as_posix()}"
            for name, home in homes.items()
            for path in home.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert {"arena/py.typed", "arena_lab/py.typed"} <= needed
        assert "arena/openings/shipped/classic.csv" in needed
        beside = {name for name in there - needed if ".dist-info/" not in name}
        assert (needed - there, beside) == (set(), set())

    def test_a_source_archive_has_what_is_in_the_repository(
        self, built: tuple[Path, Path, Path]
    ) -> None:
        with tarfile.open(built[0]) as archive:
            there = {name.partition("/")[2] for name in archive.getnames()}
        assert there.isdisjoint(JUNK)
        assert {name for name in there if "planted" in name or "__pycache__" in name} == set()
        if (ROOT / ".git").exists():
            listed = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
            known = set(run(*listed, cwd=ROOT).splitlines())
            assert there - known == {"PKG-INFO"}

    def test_linters_of_packages_accept_both(self, built: tuple[Path, Path, Path]) -> None:
        sdist, wheel, _ = built
        run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel, cwd=sdist.parent)
        lint = (sys.executable, "-m", "check_wheel_contents")
        run(*lint, "--config", ROOT / "pyproject.toml", wheel, cwd=sdist.parent)

    def test_the_links_of_the_packages_page_lead_to_the_repository(
        self, built: tuple[Path, Path, Path]
    ) -> None:
        with ZipFile(built[1]) as archive:
            (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
            page = archive.read(name).decode().partition("\n\n")[2]
        links = re.findall(r"\]\(([^)\s]+)\)", page)
        assert len(links) > 20
        for link in links:
            where = re.fullmatch(rf"{URLS['Source']}/(?:blob|raw)/v[^/]+/([^#]+)(#.*)?", link)
            assert where is not None and (ROOT / where[1]).exists(), link
            assert ("/raw/" in link) == link.endswith((".png", ".svg"))
        assert f"pip install -q {DISTRIBUTION}" in page
        assert "pip install -q .\n" not in page  # which needs a clone


def version_in(folder: Path) -> str:
    return run(sys.executable, "-m", "hatchling", "version", cwd=folder)


@pytest.mark.slow
class TestVersion:
    @pytest.fixture
    def clone(self, tmp_path: Path) -> Path:
        """A repository of two commits, the first of which is tagged v1.2.0."""
        folder = tmp_path / "clone"
        folder.mkdir()
        for name in ("pyproject.toml", "README.md", ".git_archival.txt", ".gitattributes"):
            shutil.copy(ROOT / name, folder)
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
        run(*git, "init", "-q", cwd=folder)
        run(*git, "add", ".", cwd=folder)
        run(*git, "commit", "-q", "-m", "one", cwd=folder)
        run(*git, "tag", "v1.2.0", cwd=folder)
        run(*git, "tag", "another-2", cwd=folder)
        return folder

    def test_it_is_that_of_the_tag(self, clone: Path) -> None:
        assert version_in(clone) == "1.2.0"

    def test_a_later_commit_comes_after_the_tag(self, clone: Path) -> None:
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
        run(*git, "commit", "-q", "--allow-empty", "-m", "two", cwd=clone)
        assert Version("1.2.0") < Version(version_in(clone)) < Version("1.2.1")

    @pytest.mark.parametrize("how", [["--no-tags"], ["--depth", "1", "--no-tags"]])
    def test_a_clone_without_tags_is_of_the_next_release(
        self, clone: Path, tmp_path: Path, how: list[str]
    ) -> None:
        run("git", "clone", "-q", *how, clone.as_uri(), tmp_path / "other", cwd=tmp_path)
        found = Version(version_in(tmp_path / "other"))
        assert found.base_version == Version(HATCH["version"]["fallback-version"]).base_version
        assert found.is_devrelease and found.local

    @pytest.mark.parametrize("tagged", [True, False])
    def test_a_repositorys_archive_knows_its_tag(
        self, clone: Path, tmp_path: Path, tagged: bool
    ) -> None:
        if not tagged:
            run("git", "tag", "-d", "v1.2.0", cwd=clone)
        run("git", "archive", "--output", tmp_path / "a.tar", "HEAD", cwd=clone)
        (tmp_path / "unpacked").mkdir()
        run("tar", "-xf", tmp_path / "a.tar", cwd=tmp_path / "unpacked")
        wanted = "1.2.0" if tagged else HATCH["version"]["fallback-version"]
        assert version_in(tmp_path / "unpacked") == wanted

    def test_a_copy_without_git_has_the_fallback(self, clone: Path) -> None:
        shutil.rmtree(clone / ".git")
        assert version_in(clone) == HATCH["version"]["fallback-version"]


def test_the_version_without_tags_comes_after_the_last_release() -> None:
    released = re.findall(r"^## (\d[\w.]*)", text_of("CHANGELOG.md"), re.MULTILINE)
    assert Version(HATCH["version"]["fallback-version"]) > max(map(Version, released))


def test_the_package_has_the_name_that_arena_looks_up() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert PROJECT["scripts"]["arena"] == PROJECT["scripts"][DISTRIBUTION]


def test_the_command_prints_the_version_of_the_package(typed: Typed) -> None:
    assert succeeded(typed("--version")) == f"arena, version {arena.__version__}\n"
    assert arena.__version__ == version(DISTRIBUTION)


def test_its_classifiers_begin_with_the_oldest_python() -> None:
    versions = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if ":: 3." in name]
    assert f">={versions[0]}" == PROJECT["requires-python"]
    assert len(versions) >= 3


def repeated() -> Iterator[tuple[str, str]]:
    """Every address of the project that a file repeats: the file, and the address."""
    names = ("CITATION.cff", ".ci/recipe.yaml", "SECURITY.md", ".github/CODE_OF_CONDUCT.md")
    templates = (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")
    for path in (*(ROOT / name for name in names), *templates, ROOT / "pyproject.toml"):
        for url in re.findall(r"https?://[^\s'\")>`]+", path.read_text("utf-8")):
            yield path.name, url


def test_all_files_name_the_same_addresses() -> None:
    found = [*repeated()]
    assert {name for name, _ in found} >= {"CITATION.cff", "recipe.yaml", "pyproject.toml"}
    assert [(name, url) for name, url in found if not url.startswith(tuple(URLS.values()))] == []


class TestCondaRecipe:
    RECIPE = yaml.safe_load(text_of(".ci/recipe.yaml"))

    def test_it_requires_what_the_package_requires(self) -> None:
        here = {str(Requirement(line)).replace(">=", " >=") for line in PROJECT["dependencies"]}
        first, *others = self.RECIPE["requirements"]["run"]
        assert first == f"python {PROJECT['requires-python']}"
        assert set(others) == here

    def test_it_builds_with_what_the_package_is_built_with(self) -> None:
        host = self.RECIPE["requirements"]["host"]
        needed = [line.replace(">=", " >=") for line in PYPROJECT["build-system"]["requires"]]
        assert host == [f"python {PROJECT['requires-python']}", "pip", *needed]

    def test_it_has_the_names_of_the_package(self) -> None:
        about = self.RECIPE["about"]
        assert about["homepage"] == URLS["Homepage"]
        assert about["repository"] == URLS["Source"]
        assert about["documentation"] == URLS["Documentation"]
        assert about["license"] == PROJECT["license"]
        assert about["summary"] == PROJECT["description"]
        assert self.RECIPE["package"]["name"] == DISTRIBUTION
        scripts = [f"{name} = {entry}" for name, entry in PROJECT["scripts"].items()]
        assert self.RECIPE["build"]["python"]["entry_points"] == scripts


def test_the_citation_has_the_names_of_the_package() -> None:
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert citation["url"] == URLS["Homepage"]
    assert citation["repository-code"] == URLS["Source"]
    assert citation["license"] == PROJECT["license"]
    assert [each["name"] for each in citation["authors"]] == [
        each["name"] for each in PROJECT["authors"]
    ]
    assert citation["keywords"] == PROJECT["keywords"]


FREE = re.compile(r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|HPND|MPL|Mozilla")


def test_every_package_that_arena_needs_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    found = import_module("dependencies").dependencies()
    names = {each.name for each in found}
    required = [Requirement(line).name for line in PROJECT["dependencies"]]
    assert {*required, "distributed", "starlette", "copydetect", "llvmlite", "cffi"} <= names
    others = {each.name for each in found if not FREE.search(each.licence)}
    page = text_of("docs/reference/dependencies.md")
    assert others == set(re.findall(r"under the LGPL, `([\w-]+)`", page))


FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_has_what_forms_need(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    if path.stem == "config":
        assert form["blank_issues_enabled"] is False
        assert [link["url"] for link in form["contact_links"]]
        return
    assert {"name", "description", "body"} <= form.keys()
    questions = [part for part in form["body"] if part["type"] != "markdown"]
    ids = [part["id"] for part in questions]
    assert len(set(ids)) == len(ids) > 0
    assert all(part["attributes"]["label"] for part in questions)
    assert all(part["type"] in ("input", "textarea", "dropdown") for part in questions)


def test_a_report_of_a_fault_asks_for_the_doctors_report() -> None:
    forms = [yaml.safe_load(path.read_text("utf-8")) for path in FORMS if path.stem != "config"]
    asked = [part for form in forms for part in form["body"] if part.get("id") == "doctor"]
    assert len(asked) >= 1
    for part in asked:
        assert "arena doctor --report" in part["attributes"]["description"]
        assert part["validations"]["required"] is True
