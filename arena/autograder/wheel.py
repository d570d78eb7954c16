"""A wheel of the Arena that is installed here, be it from a wheel or from a checkout.

An installation knows its files, its version and what it needs. So no checkout, no build backend and
no network is needed to install the very same Arena somewhere else.
"""

from __future__ import annotations

import base64
import hashlib
import io
from importlib import metadata
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arena.errors import InputError
from arena.intake import house_folder

PACKAGE = "arena"

WHEEL = "Wheel-Version: 1.0\nGenerator: arena\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
"""The file of that name in a wheel of Python files alone."""

INFORMATION = ("METADATA", "entry_points.txt", "licenses/LICENSE")
"""Files about the package that are taken over as they are."""

MADE = "__pycache__"
"""The name of folders that are made anew wherever Arena is installed."""


def arena_wheel() -> tuple[str, bytes]:
    """Return the name and the content of a wheel. Raises InputError if Arena is not installed."""
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise InputError(
            "Arena is not installed, so no wheel can be made of it; in its folder type: "
            "pip install -e ."
        ) from None
    home = Path(__file__).parents[1]
    # in a checkout the bots lie beside the package
    found = _files(home, PACKAGE) | _files(house_folder(), f"{PACKAGE}/bots")
    files = dict(sorted(found.items()))
    stem = f"{PACKAGE}-{distribution.version}"
    about = f"{stem}.dist-info"
    for name in INFORMATION:
        if (text := distribution.read_text(name)) is not None:
            files[f"{about}/{name}"] = text.encode()
    files[f"{about}/WHEEL"] = WHEEL.encode()
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD")
    return f"{stem}-py3-none-any.whl", packed(files)


def packed(files: dict[str, bytes], programs: tuple[str, ...] = ()) -> bytes:
    """Return a zip archive of files, the same for the same files; `programs` can be executed."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            member = ZipInfo(name)  # dated 1980, as no time is given
            member.external_attr = (0o100755 if name in programs else 0o100644) << 16
            member.compress_type = ZIP_DEFLATED
            archive.writestr(member, data)
    return buffer.getvalue()


def _files(home: Path, name: str) -> dict[str, bytes]:
    """Return the files below a folder by their names in the wheel, where it has that name."""
    return {
        f"{name}/{path.relative_to(home).as_posix()}": path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and MADE not in path.parts
    }


def _record(files: dict[str, bytes], name: str) -> bytes:
    """Return the list of a wheel's files with their digests; it is one of them itself."""
    rows = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}")
    return "\n".join([*rows, f"{name},,", ""]).encode()
