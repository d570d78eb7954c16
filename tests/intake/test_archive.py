"""Archives as students hand them in, and as nobody should."""

from __future__ import annotations

import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from arena.common.errors import UnreadableError
from arena.intake.archive import ArchiveFiles, unpack

BOT = b"def pick_move(rack):\n    return 0\n"


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def tarred(*members: tuple[str | tarfile.TarInfo, bytes], mode: str = "w:gz") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def kind(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def tar_kind(name: str, type_: bytes, linkname: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = type_, linkname
    return info


def files(tmp_path: Path, data: bytes, name: str = "hw.zip") -> ArchiveFiles:
    path = tmp_path / name
    path.write_bytes(data)
    return ArchiveFiles(path)


def refused(tmp_path: Path, data: bytes, name: str = "hw.zip") -> str:
    """Return the sentence with which an archive is refused."""
    with pytest.raises(UnreadableError) as error:
        files(tmp_path, data, name)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", ["hw.zip", "HW.ZIP", "hw.tar", "hw.tgz", "hw.tar.gz"])
def test_an_archive_has_the_names_and_bytes_that_went_in(tmp_path: Path, name: str) -> None:
    members = (("hw/bot.py", BOT), ("hw/data/book.json", b"{}"), ("hw/a.py", b""))
    is_zip = name.lower().endswith("zip")
    data = zipped(*members) if is_zip else tarred(*members, mode="w" if "z" not in name else "w:gz")
    found = files(tmp_path, data, name)
    assert found.names == ("hw/a.py", "hw/bot.py", "hw/data/book.json")
    assert {n: found.read(n) for n in found.names} == dict(members)
    assert found.notes == ()


def nested(levels: int) -> bytes:
    data = zipped(("bot.py", BOT))
    for level in range(levels, 1, -1):
        data = zipped((f"{level}.zip", data))
    return data


JUNK = ("__MACOSX/._bot.py", ".DS_Store", "hw/.git/config", "__pycache__/bot.pyc", "Thumbs.db")
BESIDE_JUNK = (*((name, b"junk") for name in JUNK), ("bot.py", BOT))
INNER = zipped(("bot.py", BOT), ("deep.tar.gz", tarred(("book.json", b"{}"))))
LINK = (kind("link.py", stat.S_IFLNK | 0o777), b"/etc/passwd")
LINKS = (
    (tar_kind("a", tarfile.SYMTYPE, "/etc/passwd"), b""),
    (tar_kind("b", tarfile.LNKTYPE, "/etc/passwd"), b""),
    (tar_kind("c", tarfile.CHRTYPE), b""),
    (tar_kind("d", tarfile.FIFOTYPE), b""),
)
# what an archive holds, whatever its name says: its files, and the notes
HOLDS: dict[str, tuple[bytes, set[str], str]] = {
    "what systems leave": (zipped(*BESIDE_JUNK, ("data/", b"")), {"bot.py"}, ""),
    "what systems leave in a tar": (tarred(*BESIDE_JUNK), {"bot.py"}, ""),
    "archives": (
        zipped(("report.pdf", b"%PDF"), ("HW 4.zip", INNER)),
        {"HW 4/bot.py", "HW 4/deep/book.json", "report.pdf"},
        "",
    ),
    "an archive and a folder of its name": (
        zipped(("hw/bot.py", BOT), ("hw.zip", zipped(("bot.py", BOT)))),
        {"hw/bot.py", "hw.zip/bot.py"},
        "",
    ),
    "archives in archives": (
        nested(4),
        {"2/3/4.zip"},
        "hw.zip/2.zip/3.zip/4.zip stays packed: it lies 3 archives deep",
    ),
    "links and devices": (
        zipped(("bot.py", BOT), LINK, (kind("pipe", stat.S_IFIFO | 0o644), b"")),
        {"bot.py"},
        "left out of hw.zip: link.py (link), pipe (device)",
    ),
    "links and devices in a tar": (
        tarred(("bot.py", BOT), *LINKS),
        {"bot.py"},
        "left out of hw.zip: a (link), b (link), c (device) and 1 more",
    ),
    "a link to a folder": (
        zipped((kind("out", stat.S_IFLNK | 0o777), b"/tmp"), ("out/bot.py", BOT)),
        {"out/bot.py"},
        "left out of hw.zip: out (link)",
    ),
    "a file and a folder of one name": (
        zipped(("hw", b"x"), ("hw/bot.py", BOT)),
        {"hw/bot.py"},
        "left out of hw.zip: hw (also a folder)",
    ),
    "the separators of Windows": (
        zipped(("hw\\sub\\bot.py", BOT), ("hw\\empty\\", b"")),
        {"hw/sub/bot.py"},
        "",
    ),
}


@pytest.mark.parametrize("what", HOLDS)
def test_an_archive_holds_files_and_what_is_left_out_is_noted(tmp_path: Path, what: str) -> None:
    data, names, note = HOLDS[what]
    found = files(tmp_path, data)
    assert (set(found.names), ", ".join(found.notes)) == (names, note)
    assert all(found.read(name) == BOT for name in names if name.endswith(".py"))
    assert files(tmp_path, data, "hw.tar.gz").names == found.names
    (tmp_path / "into").mkdir()
    unpack(tmp_path / "hw.zip", tmp_path / "into")
    assert not any(path.is_symlink() for path in (tmp_path / "into").rglob("*"))


def test_what_may_be_run_as_a_program_is_known(tmp_path: Path) -> None:
    program = tar_kind("bot", tarfile.REGTYPE)
    program.mode = 0o755
    packed = zipped((kind("bot", stat.S_IFREG | 0o755), b"#!/bin/sh"), ("bot.py", BOT))
    for data in (packed, tarred((program, b"#!"), ("bot.py", BOT))):
        found = files(tmp_path, data)
        assert [found.is_executable(name) for name in ("bot", "bot.py")] == [True, False]


@pytest.mark.parametrize(
    "inner, why",
    [
        (b"PK\3\4 not really", "is damaged or no archive"),
        (zipped(("../x.py", BOT)), "holds a path that leaves its folder (../x.py)"),
        (b"", "is empty"),
    ],
)
def test_a_bad_inner_archive_stays_packed(tmp_path: Path, inner: bytes, why: str) -> None:
    found = files(tmp_path, zipped(("bot.py", BOT), ("old.zip", inner)))
    assert found.names == ("bot.py", "old.zip")
    assert found.read("old.zip") == inner
    (note,) = found.notes
    assert note.startswith(f"hw.zip/old.zip {why}")
    assert note.endswith("; it stays packed")


LEAVING = ("../x.py", "a/../../x.py", "/etc/x.py", "..\\x.py", "C:\\x.py", "\\x.py", "a/../x.py")
TOO_LONG = ("x" * 256 + ".py", "ü" * 130, "d/" * 250 + "x.py")


@pytest.mark.parametrize("path", [*LEAVING, *TOO_LONG])
def test_a_path_that_leaves_its_folder_or_is_too_long_is_refused(tmp_path: Path, path: str) -> None:
    why = f"leaves its folder ({path})" if path in LEAVING else "is too long ("
    members = (("bot.py", BOT), (path, BOT))
    for name, data in (("hw.zip", zipped(*members)), ("hw.tgz", tarred(*members))):
        assert refused(tmp_path, data, name).startswith(f"{name} holds a path that {why}")
    if path == TOO_LONG[-1]:  # also if it only is too long in the folder of its archive
        inner = zipped(("d/" * 200 + "x.py", BOT))
        assert "too long" in refused(tmp_path, zipped(("d/" * 100 + "in.zip", inner)))


TOO_MUCH = "hw.zip holds more than 2000 files or 64 MB"


@pytest.mark.slow
def test_a_bomb_is_stopped_by_what_comes_out_of_it(tmp_path: Path) -> None:
    zeros = zipped(("zeros.bin", bytes(65 << 20)))
    assert refused(tmp_path, zeros) == TOO_MUCH
    # headers that promise little
    lying = zeros.replace(struct.pack("<L", 65 << 20), struct.pack("<L", 10))
    assert lying != zeros
    assert "is damaged or no archive" in refused(tmp_path, lying)
    assert refused(tmp_path, zipped(("inner.zip", zeros))) == TOO_MUCH
    many = zipped(*((f"{number}.py", b"") for number in range(2001)))
    assert refused(tmp_path, many) == TOO_MUCH
    few = zipped(*((f"{number}.py", b"") for number in range(1001)))
    assert refused(tmp_path, zipped(("a.zip", few), ("b.zip", few))) == TOO_MUCH


def test_a_bomb_of_archives_is_stopped(tmp_path: Path) -> None:
    inner = zipped(("zeros.bin", bytes(10 << 20)))
    middle = zipped(*((f"{number}.zip", inner) for number in range(10)))
    assert refused(tmp_path, zipped(*((f"{n}.zip", middle) for n in range(10)))) == TOO_MUCH


@pytest.mark.parametrize("name", ["hw.zip", "lies.zip", "hw.tar"])
def test_too_many_entries_are_refused(tmp_path: Path, name: str) -> None:
    """Empty files and junk cost no bytes, and a count may lie."""
    members = [(f"__pycache__/{number}.py", b"") for number in range(250)]
    data = tarred(*members, mode="w") if name == "hw.tar" else zipped(*members)
    if name == "lies.zip":
        data = data.replace(struct.pack("<HH", 250, 250), struct.pack("<HH", 3, 3))
    (tmp_path / name).write_bytes(data)
    (tmp_path / "into").mkdir()
    with pytest.raises(UnreadableError, match="holds more than 10 files"):
        unpack(tmp_path / name, tmp_path / "into", files=10)
    assert not list(tmp_path.glob("into/*.py"))


def test_tars_with_lying_headers_end_at_once(tmp_path: Path) -> None:
    for type_ in (tarfile.REGTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE):
        for size in (1 << 40, 1 << 60, -5):
            endless = tar_kind("bot.py", type_)
            endless.size = size
            data = gzip.compress(endless.tobuf(tarfile.GNU_FORMAT) + bytes(512))
            assert refused(tmp_path, data, "hw.tgz").startswith("hw.tgz ")
    holes = tarred(("a", b"x" * 2000), mode="w")
    holes = holes[:156] + b"S" + holes[157:]
    header = bytearray(holes[:512])
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    assert "hw.tar" in refused(tmp_path, bytes(header) + holes[512:], "hw.tar")
    assert "hw.tgz" in refused(tmp_path, tarred(("zeros", bytes(65 << 20))), "hw.tgz")


def test_a_tar_may_say_what_systems_say_of_files(tmp_path: Path) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for number in range(300):
            info = tarfile.TarInfo(f"{'ü' * 90}/{'d' * 100}/{number}.py")
            info.size, info.mtime = len(BOT), 1.5
            info.pax_headers = {"SCHILY.xattr.com.apple.metadata": "x" * 1500}
            archive.addfile(info, io.BytesIO(BOT))
    found = files(tmp_path, data.getvalue(), "hw.tgz")
    assert len(found.names) == 300
    assert found.read(found.names[0]) == BOT


def test_a_password_damage_and_other_kinds_are_said(tmp_path: Path) -> None:
    good = zipped(("bot.py", BOT * 50))
    locked = good.replace(b"PK\3\4\x14\0\0\0", b"PK\3\4\x14\0\1\0")
    locked = locked.replace(b"\x14\0\0\0\x08\0", b"\x14\0\1\0\x08\0")
    assert refused(tmp_path, locked) == "hw.zip has a password; hand it in without one"
    assert refused(tmp_path, b"") == "hw.zip is empty"
    assert refused(tmp_path, zipped(LINK)) == "hw.zip holds no files, only link.py (link)"
    for broken in (good[:40], good[:-30], good[10:], b"a report", good[:45] + b"!!!!" + good[49:]):
        assert refused(tmp_path, broken).startswith("hw.zip is damaged or no archive: ")
    for broken in (tarred(("bot.py", BOT))[:-20], b"\x1f\x8b", b"a report"):
        sentence = refused(tmp_path, broken, "hw.tar.gz")
        assert sentence.startswith("hw.tar.gz is damaged or no archive: ")
    rar = b"Rar!\x1a\7"
    for data, name in ((rar, "hw.rar"), (rar, "hw.zip"), (b"7z\xbc\xaf", "h.7z")):
        sentence = f"{name} is of a kind that Arena does not open; hand in a .zip"
        assert refused(tmp_path, data, name) == sentence


def test_the_last_of_files_with_one_name_counts(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = zipped(("bot.py", b"old"), ("bot.py", BOT), ("./bot.py", b"newest"))
    found = files(tmp_path, data)
    assert found.names == ("bot.py",)
    assert found.read("bot.py") == b"newest"


def test_names_in_other_alphabets_come_out_right(tmp_path: Path) -> None:
    data = zipped(("Jörg Ωmega.py", BOT))
    assert files(tmp_path, data).names == ("Jörg Ωmega.py",)
    unmarked = data.replace(b"\x14\0\0\x08\x08\0", b"\x14\0\0\0\x08\0")
    assert unmarked != data
    assert files(tmp_path, unmarked).names == ("Jörg Ωmega.py",)
    old = zipped(("J_rg.py", BOT)).replace(b"J_rg", b"J\x94rg")
    assert files(tmp_path, old).names == ("Jörg.py",)
    wrong = data.replace("Jörg".encode(), b"J\xff\xfexg")
    assert refused(tmp_path, wrong) == "hw.zip holds a name that is not valid UTF-8"
    latin = tarred((os.fsdecode(b"J\xf6rg.py"), BOT), ("bot.py", BOT))
    found = files(tmp_path, latin, "hw.tgz")
    assert found.names == ("bot.py",)
    assert found.notes == ("left out of hw.tgz: J rg.py (its name is not valid UTF-8)",)


def test_unpacking_many_leaves_out_one_students_bad_file_only(tmp_path: Path) -> None:
    good = os.urandom(300)
    data = zipped(
        ("x/ann/bot.py", BOT),
        ("x/bob/../../bot.py", BOT),
        ("x/bob/damaged.bin", good),
        ("x/ann", b"a file"),
        ("x/bob/hw.zip", zipped(("bot.py", BOT))),
        ("x/__MACOSX/._bot.py", b""),
    )
    spot = data.index(zlib.compress(good, wbits=-15)[5:50])
    data = data[:spot] + bytes([data[spot] ^ 1]) + data[spot + 1 :]
    (tmp_path / "class.zip").write_bytes(data)
    (tmp_path / "into").mkdir()
    left_out = unpack(tmp_path / "class.zip", tmp_path / "into")
    written = sorted(str(p.relative_to(tmp_path / "into")) for p in tmp_path.glob("into/**/*.*"))
    assert written == ["x/ann/bot.py", "x/bob/hw.zip"]
    assert [line.split(":")[0] for line in left_out] == [
        "class.zip holds a path that leaves its folder (x/bob/../../bot.py)",
        "class.zip is damaged or no archive",
        "x/ann is both a file and a folder",
    ]
    with pytest.raises(UnreadableError, match=r"class.zip holds more than 2 files or 64 MB"):
        unpack(tmp_path / "class.zip", tmp_path / "into", files=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hw.zip", "hw.tar", "hw.tgz"])
def test_a_wrong_byte_is_ignored_or_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    is_tar = name == "hw.tar"
    good = zipped(("b.py", BOT)) if name == "hw.zip" else tarred(("b.py", BOT), mode="w")
    good = gzip.compress(good) if name == "hw.tgz" else good
    for spot in range(512 if is_tar else len(good)):
        for value in (0, 0xFF):
            try:
                found = files(tmp_path, good[:spot] + bytes([value]) + good[spot + 1 :], name)
                for inside in found.names:
                    found.read(inside)
            except UnreadableError as error:
                assert str(error).isprintable()
