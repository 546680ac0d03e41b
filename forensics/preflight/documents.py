"""The answers as text, JSON and JUnit XML. Names and reasons may hold what logs hold, so all of it is made harmless."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from xml.etree import ElementTree as ET

from forensics.disclose import inert
from forensics.errors import ForensicsError
from forensics.preflight.answers import LETTERS, ORDER, WORDS, Answers, Row

_SHOWN = 4


def text(answers: Answers) -> str:
    """Returns the answers for a terminal: one block per letter, reasons and fixes below."""
    return "\n".join(_lines(answers)) + "\n"


def _lines(answers: Answers) -> Iterator[str]:
    for letter, answer in answers.letters.items():
        yield f"{letter}  {WORDS[answer].upper():<13}  {LETTERS[letter]}"
        for rows in _alike(answers.of(letter)):
            yield f"   {WORDS[rows[0].answer]:<13}  {rows[0].check}  {_places(rows)}"
            yield f"{'':<18}{inert.text(rows[0].reason)}"
            if rows[0].fix:
                yield f"{'':<18}fix: {inert.text(rows[0].fix)} [{inert.text(rows[0].setting)}]"
    for problem in answers.problems:
        yield f"not read: {inert.text(str(problem))}"
    yield _summary(answers)


def _alike(rows: list[Row]) -> list[list[Row]]:
    """Returns rows that say the same together, the worst first."""
    groups: dict[tuple[int, str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((-ORDER.index(row.answer), row.check, row.reason, row.fix), []).append(row)
    return [groups[key] for key in sorted(groups)]


def _places(rows: list[Row]) -> str:
    places = [inert.text(row.where if row.where.startswith(row.subject) else row.subject) for row in rows]
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return ", ".join(places[:_SHOWN]) + more


def _summary(answers: Answers) -> str:
    letters = list(answers.letters.values())
    counted = ", ".join(f"{letters.count(answer)} {words}" for answer, words in WORDS.items() if answer in letters)
    return f"{len(letters)} questions: {counted}. Exit code {answers.exit_code}."


def line(problem: ForensicsError) -> str:
    """Returns a problem as one line for standard error."""
    return f"forensics: {inert.text(str(problem))}"


def as_json(answers: Answers) -> str:
    """Returns the answers as one JSON object: ``exit_code``, ``letters``, ``checks``, ``problems``."""
    value = {
        "exit_code": answers.exit_code,
        "letters": {
            letter: {"question": LETTERS[letter], "answer": answer} for letter, answer in answers.letters.items()
        },
        "checks": [{"letter": row.letter, **asdict(row)} for row in answers.rows],
        "problems": [{"what": each.what, "where": each.where, "fix": each.fix} for each in answers.problems],
    }
    return json.dumps(inert.tree(value), indent=2, ensure_ascii=False) + "\n"


def junit(answers: Answers) -> str:
    """Returns the answers as JUnit XML: a failed check is a failure, one that cannot be told an error."""
    root = ET.Element("testsuites", name="forensics preflight")
    for letter, question in LETTERS.items():
        rows = answers.of(letter)
        suite = ET.SubElement(root, "testsuite", {"name": f"{letter}: {question}", **_counts(rows)})
        for row in rows:
            _case(suite, row)
    if answers.problems:
        counts = {"tests": str(len(answers.problems)), "failures": "0", "errors": str(len(answers.problems))}
        suite = ET.SubElement(root, "testsuite", {"name": "files that could not be read", **counts})
        for problem in answers.problems:
            case = ET.SubElement(suite, "testcase", classname="preflight", name=inert.text(problem.where or "file"))
            ET.SubElement(case, "error", message=inert.text(str(problem)))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _counts(rows: list[Row]) -> dict[str, str]:
    answers = [row.answer for row in rows]
    counts = {"tests": len(rows), "failures": answers.count("fail"), "errors": answers.count("cannot_tell")}
    return {name: str(count) for name, count in counts.items()}


def _case(suite: ET.Element, row: Row) -> None:
    name = inert.text(f"{row.check} {row.subject}")
    case = ET.SubElement(suite, "testcase", classname=f"preflight.{row.letter}", name=name)
    told = inert.text(f"{row.reason}. Setting: {row.setting}. Fix: {row.fix}. {row.where}")
    tag = {"fail": "failure", "cannot_tell": "error"}.get(row.answer)
    if tag:
        ET.SubElement(case, tag, message=inert.text(row.reason)).text = told
    else:
        ET.SubElement(case, "system-out").text = f"{WORDS[row.answer]}: {told}" if row.fix else inert.text(row.reason)
