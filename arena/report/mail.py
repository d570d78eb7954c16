"""Mail to students: a list for mail merge, and messages. Arena sends none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from importlib.resources import files
from pathlib import Path, PurePosixPath
from string import Template

from arena.common.errors import InputError
from arena.common.names import one_of
from arena.common.text import one_line
from arena.courses.gradebook import Graded, number

MAILS = "mails.csv"
MESSAGE = "mail.eml"
FIELDS = ("address", "name", "bot", "rank", "grade", "result", "page", "contest")

# An address that needs no quotes and that no spreadsheet takes for a formula.
ADDRESS = re.compile(r"(?=.{3,254}\Z)\w[\w.!#$%&'*+/=?^`{|}~-]{0,63}@\w[\w-]*(\.[\w-]+)+")
UNSAFE = re.compile(r'[\\"<>@,;:()\[\]=?]+')  # marks of a header's grammar
SUBJECT = "Subject:"  # beginning of a letter


def read_letter(path: Path | None) -> tuple[Template, Template]:
    """Return the subject and text of all mails, by default Arena's. Raises InputError."""
    try:
        text = (path or files("arena.report") / "letter.txt").read_text("utf-8-sig")
    except (OSError, UnicodeError):
        raise InputError(f"{path}: cannot be read as UTF-8 text") from None
    first, _, body = text.partition("\n")
    if not first.startswith(SUBJECT):
        raise InputError(f"{path}:1: expected {SUBJECT} …, then an empty line and the text")
    letter = Template(first.removeprefix(SUBJECT).strip()), Template(body.lstrip("\n"))
    for template in letter:
        if not template.is_valid():
            raise InputError(f"{path}: a $ begins no name of a field; write $$ for a dollar sign")
        for name in template.get_identifiers():
            if name not in FIELDS:
                raise InputError(f"{path}: ${name}: {one_of(name, FIELDS)}")
    return letter


def mail_fields(graded: Graded, contest: str, page: str) -> dict[str, str] | None:
    """Return the fields of a person's mail; None without a usable address."""
    person, place = graded.person, graded.place
    if not ADDRESS.fullmatch(person.email):
        return None
    rank = "" if place is None else f"{place.cells['rank']:g}"
    grade = "" if graded.grade is None else number(graded.grade)
    result = one_line(graded.comment, 2000)
    values = (person.email, one_line(person.name), person.bot, rank, grade, result, page, contest)
    return dict(zip(FIELDS, values, strict=True))


def message(fields: Mapping[str, str], letter: tuple[Template, Template], report: str) -> bytes:
    """Return a mail as a file for mail programs, with the report attached."""
    filled = {**fields, "grade": fields["grade"] or "none"}
    subject, body = (template.substitute(filled) for template in letter)
    mail = EmailMessage(policy=SMTP if fields["address"].isascii() else SMTPUTF8)
    name = one_line(UNSAFE.sub(" ", fields["name"]), 60)
    mail["To"] = Address(name, *fields["address"].rsplit("@", 1))
    mail["Subject"] = one_line(subject.replace("=?", "= ?"))
    mail["X-Unsent"] = "1"
    mail.set_content(body)
    file = PurePosixPath(fields["page"]).name
    mail.add_attachment(report, "html", filename=file, cte="base64")
    return mail.as_bytes()
