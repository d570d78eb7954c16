"""Mail reaches its student, with that student's page, whatever names and addresses hold."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.courses.export import Person
from arena.courses.gradebook import Form, Made
from arena.report.exports import FORMATS
from support.courses import ANN, BOB, CID, ZED, course

BREAK = "Eve\r\nBcc: all@u.edu\r\n\r\n<script>alert(1)</script>"
ENCODED = "=?utf-8?q?Eve=0D=0ABcc=3A_all=40u.edu?="
LISTED = 'Eve" <all@u.edu>, "Bob'
FORMULA = '=HYPERLINK("http://x")'
TURNED = "\u202eשרה\x00\x1b[31m"
STRANGE = (BREAK, ENCODED, LISTED, FORMULA, "x" * 300, TURNED, "é" * 200, "\ud800", "")
UNUSABLE = (
    *("", "ann", "ann@", "@u.edu", "ann@u", "ann@u.edu\nBcc: all@u.edu", "a@u.edu, b@u.edu"),
    *("Ann <ann@u.edu>", "=1+1@u.edu", "-ann@u.edu", '"a b"@u.edu', "ann@u.edu ", "ann@.edu"),
    *("a" * 65 + "@u.edu", "ann@" + "u" * 250 + ".edu", "ann@u.edu\u202e", "an\udc80n@u.edu"),
)


def mailed(*people: Person, template: Path | None = None) -> Made:
    return FORMATS["mail"].make(course(people), Form(template=template))


def messages(made: Made) -> dict[str, EmailMessage]:
    """The messages by address, as a mail program reads them."""
    found: dict[str, EmailMessage] = {}
    for name, data in made.files.items():
        if name.endswith(".eml"):
            read = message_from_bytes(data, policy=default)
            assert isinstance(read, EmailMessage)
            (address,) = read["To"].addresses
            found[address.addr_spec] = read
    return found


def rows(made: Made) -> list[Mapping[str, str]]:
    return list(csv.DictReader(io.StringIO(made.files["mails.csv"].decode(), newline="")))


def text_of(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def test_each_person_with_a_bot_has_a_row_and_a_message_with_the_own_page() -> None:
    made = mailed(ANN, BOB, CID, ZED)
    found = messages(made)
    assert [*found] == ["ann@u.edu", "bob@u.edu", "cid@u.edu"]
    for row, (address, message) in zip(rows(made), found.items(), strict=True):
        page = made.files[row["page"]]
        assert row["address"] == address
        assert {each for each in made.files if each.startswith(row["page"].split("/")[0])} > {
            row["page"]
        }
        (attached,) = message.iter_attachments()
        assert attached.get_filename() == f"{row['bot']}.html"
        assert attached.get_content().split() == page.decode().split()
        assert message["Subject"] == f"homework4: the result of {row['bot']}"
        assert f"Grade: {row['grade']}\n" in text_of(message)
        assert f"The attached page is the report of {row['bot']}." in text_of(message)
        assert row["result"].startswith(f"Rank {row['rank']} of 6: ")
        assert message["Bcc"] is message["From"] is None
    assert [row["grade"] for row in rows(made)] == ["10", "8", "5"]
    assert "שרה כהן" in str(found["cid@u.edu"]["To"])
    assert "no report, as they have no bot in the contest: Zed Last" in made.remarks


@pytest.mark.parametrize("name", STRANGE)
def test_a_name_adds_no_header_no_recipient_and_no_formula(name: str, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Subject: For $name\n\nDear $name,\n$$5\n")
    made = mailed(replace(ANN, name=name), BOB, template=letter)
    message = messages(made)["ann@u.edu"]
    assert len(messages(made)) == 2
    assert set(message.keys()) == {"To", "Subject", "X-Unsent", "MIME-Version", "Content-Type"}
    assert not any(mark in str(message["Subject"]) for mark in "\r\n\0\x1b\u202e")
    assert text_of(message).splitlines()[1:] == ["$5"]
    cells = [cell for row in rows(made) for cell in row.values()]
    assert not any(cell.startswith(("=", "+", "-", "@")) or "\n" in cell for cell in cells)


@pytest.mark.parametrize("address", UNUSABLE)
def test_who_has_no_valid_address_is_named_and_keeps_the_folder(address: str) -> None:
    made = mailed(replace(ANN, email=address), BOB)
    assert [*messages(made)] == ["bob@u.edu"] == [row["address"] for row in rows(made)]
    (said,) = (each for each in made.remarks if each.startswith("no mail"))
    assert 'Ben-Ari, Ann "A"' in said and "\n" not in said
    assert any(name.endswith("/ann.html") for name in made.files)


def test_an_address_may_be_of_any_script() -> None:
    made = mailed(replace(ANN, email="ännchen@universität.de"))
    (file,) = (data for name, data in made.files.items() if name.endswith(".eml"))
    assert "To: Ben-Ari Ann A <ännchen@universität.de>".encode() in file.splitlines()
    assert rows(made)[0]["address"] == "ännchen@universität.de"


def test_without_any_address_there_is_no_mail() -> None:
    with pytest.raises(InputError, match="--to mail: nobody has a valid address; --to reports"):
        mailed(replace(ANN, email=""))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hello $name", ":1: expected Subject: …, then an empty line and the text"),
        ("Subject: x\n\nHello $nmae", r": \$nmae: expected one of address, .* mean name\?"),
        ("Subject: 5$ less\n\nHello", r": a \$ begins no name of a field; write \$\$"),
        (b"Subject: \xff", ": cannot be read as UTF-8 text"),
    ],
)
def test_a_wrong_letter_is_one_line(text: str | bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=said):
        mailed(ANN, template=file)
