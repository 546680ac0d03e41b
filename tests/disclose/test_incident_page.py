"""The incident page: one file that asks for nothing, shows hostile text as text, and fits a phone and a sheet."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

from forensics.disclose.charts import draw
from forensics.disclose.run import report

from .conftest import NOW, Run
from .world import START, World, incident

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}${7*7}]]>&lt;'"
VOID = {"meta", "link", "img", "br", "hr", "input", "base", "embed", "source", "track", "wbr", "col", "area"}


@dataclass
class Page(HTMLParser):
    """What a page consists of: its tags with attributes, text by tag, and tables that nothing lets scroll."""

    html: str
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    text: dict[str, str] = field(default_factory=dict)
    stuck: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, str]] = []
        self.feed(self.html)
        assert not self._open, self._open[-3:]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        self.stuck += tag in ("table", "svg") and not any("scroll" in kinds.split() for _, kinds in self._open)
        if tag not in VOID:
            self._open.append((tag, found.get("class", "")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag = self._open[-1][0] if self._open else ""
        self.text[tag] = self.text.get(tag, "") + data

    def count(self, tag: str) -> int:
        return sum(each == tag for each, _ in self.tags)


def hostile() -> World:
    """The usual incident, on workers and by tenants whose names want to be more than names."""
    world = incident()
    for table in ("exchange", "verdict"):
        for row in world.rows[table]:
            row["decode_worker"] = HOSTILE
    world.rows["worker_limit"].append({
        "worker": HOSTILE, "start_ns": START, "end_ns": 2**63 - 1, "rank": 1, "how": HOSTILE, "in_force": True,
        "record_id": "f0:0:0", "pool_tokens": 10, "context_tokens": 20, "limit_tokens": 4,
    })  # fmt: skip
    world.rows["file"][0]["worker"] = HOSTILE
    world.rows["record"][0] |= {"kind": "start"}
    world.exchange(HOSTILE)
    return world


@pytest.fixture(scope="module")
def worst(tmp_path_factory: pytest.TempPathFactory) -> Run:
    case = hostile().build(tmp_path_factory.mktemp("hostile") / "case")
    return Run(case, report(case, now=NOW))


@pytest.fixture(params=["run", "worst"])
def page(request: pytest.FixtureRequest) -> Page:
    found: Run = request.getfixturevalue(request.param)
    return Page(found.text("incident.html"))


def test_it_is_one_file_that_asks_for_nothing(page: Page) -> None:
    for forbidden in (
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "image",
        "use",
        "foreignobject",
    ):
        assert not page.count(forbidden), forbidden
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "xlink:href")], (
            tag
        )
        assert attributes.get("href", "#").startswith("#"), tag
    style = page.text["style"]
    assert not re.search(r"url\(|@import|@font-face|https?:", style)
    assert not re.search(r"url\(|https?://", " ".join(value for _, each in page.tags for value in each.values()))
    policies = [each["content"] for _, each in page.tags if each.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_it_has_a_language_a_title_and_charts(page: Page) -> None:
    assert page.tags[0] == ("html", {"lang": "en"})
    assert page.text["title"].startswith("Incident report: ")
    assert page.count("svg") >= 6
    regions = [each for _, each in page.tags if each.get("role") == "region"]
    assert len(regions) >= page.count("table") + page.count("svg")
    assert all(each["aria-label"] and each["tabindex"] == "0" for each in regions)
    assert "{{" not in page.text["style"]


def test_every_table_and_chart_can_scroll_on_a_phone_and_is_whole_on_paper(page: Page) -> None:
    assert page.count("table") >= 7
    assert page.stuck == 0
    printed = page.text["style"].partition("@media print")[2]
    assert re.search(r"\.scroll\.tall \{ overflow: visible; max-height: none; \}", printed)
    assert "details::details-content { content-visibility: visible" in printed


def test_hostile_names_are_shown_as_text(worst: Run) -> None:
    page = Page(worst.text("incident.html"))
    assert HOSTILE in page.text["td"]
    assert "<script>alert(1)" in page.text["text"]  # inside a chart
    assert "49" not in page.text["text"].split()


def test_charts_are_the_same_bytes_each_time_and_empty_where_there_is_nothing() -> None:
    marks = [{"lane": "a", "order": 0, "at": 1_788_000_000_000 + n * 7_777_777, "kind": "affected"} for n in range(9)]
    first = draw("lanes", marks=marks)
    assert first == draw("lanes", marks=marks)
    assert first.startswith('<svg viewBox="0 0 ')
    assert "url(" not in first
    assert " id=" not in first
    assert draw("lanes", marks=[]) == ""


def test_a_case_without_suspects_has_a_page_too(tmp_path: Path) -> None:
    world = World()
    world.file()
    world.exchange("acme", received_ns=None, prompt_tokens=None)
    case = world.build(tmp_path / "case", "")
    page = Page(Run(case, report(case, now=NOW)).text("incident.html"))
    assert page.stuck == 0
    assert "No exchange was over-pool or late-written." in page.text["p"]
    assert "No record states the length of a prompt." in page.text["p"]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: the page was not looked at in a browser")
@pytest.mark.parametrize("width", [360, 1200])
def test_a_browser_has_no_complaint_and_nothing_overflows(worst: Run, tmp_path: Path, width: int) -> None:
    frame = tmp_path / "frame.html"
    said = json.dumps(worst.text("incident.html")).replace("<", "\\u003c")
    frame.write_text(
        f'<iframe width="{width}" height="900" style="border: 0"></iframe><p id="seen"></p><script>'
        "const frame = document.querySelector('iframe');"
        "frame.onload = () => { const page = frame.contentDocument; document.querySelector('#seen').textContent ="
        " [page.documentElement.scrollWidth, frame.contentWindow.performance.getEntriesByType('resource').length,"
        " page.querySelectorAll('svg').length].join(' '); };"
        f"frame.srcdoc = {said};</script>",
        encoding="utf-8",
    )
    arguments = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    arguments += " --disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=5000"
    seen = subprocess.run(
        [str(CHROMIUM), *arguments.split(), f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", frame.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r'<p id="seen">(\d+) (\d+) (\d+)</p>', seen.stdout)
    assert found, seen.stdout[-300:]
    scrolled, requests, charts = map(int, found.groups())
    assert scrolled <= width
    assert requests == 0
    assert charts >= 6
    assert "CONSOLE" not in seen.stderr
