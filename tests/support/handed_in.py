"""Submissions: folders, archives and notebooks."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

Tree = dict[str, str | bytes]  # Contents by path; a path ending in `/` is an empty folder.


def written(folder: Path, tree: Tree) -> Path:
    """Write these files into a folder and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def zipped(tree: Tree) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in tree.items():
            archive.writestr(name, content)
    return data.getvalue()


def notebook(*cells: str) -> str:
    """Return a notebook with these code cells."""
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    listed = [{**code, "source": cell} for cell in cells]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
