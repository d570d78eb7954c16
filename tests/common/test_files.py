"""Files and folders are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.common.files import new_folder, partial_path, write_file


@pytest.mark.parametrize("hidden", [False, True])
def test_a_file_is_there_whole_and_nothing_beside_it(tmp_path: Path, hidden: bool) -> None:
    path = tmp_path / "table.csv"
    for text in ("a,b\n", "ü\n"):
        write_file(path, text, durable=hidden, hidden=hidden)
        assert path.read_bytes() == text.encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_take_its_name_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "table.csv").mkdir()
    (tmp_path / "table.csv" / "held").touch()
    with pytest.raises(OSError):
        write_file(tmp_path / "table.csv", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    path, secret = tmp_path / "table.csv", tmp_path / "secret"
    secret.write_text("mine")
    partial_path(path).symlink_to(secret)
    write_file(path, "a,b\n")
    assert secret.read_text() == "mine"
    assert path.read_text() == "a,b\n" and not path.is_symlink()


def test_a_folder_replaces_the_one_before_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    partial_path(path).mkdir()
    (partial_path(path) / "half.py").touch()  # of a run that was killed
    for name in ("one.py", "two.py"):
        with new_folder(path) as folder:
            (folder / name).touch()
            assert not (path / name).exists()
        assert [file.name for file in path.iterdir()] == [name]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_could_not_be_filled_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    with new_folder(path) as folder:
        (folder / "one.py").touch()
    with pytest.raises(KeyboardInterrupt), new_folder(path, hidden=True) as folder:
        (folder / "two.py").touch()
        raise KeyboardInterrupt
    assert [file.name for file in path.iterdir()] == ["one.py"]
    assert list(tmp_path.iterdir()) == [path]
