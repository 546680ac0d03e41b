"""Tenants that no rule names are proposed as one where they share rare sentences, and never joined."""

from pathlib import Path

from tests.match.story import Story
from tests.match.test_run import LEAK, OTHER

TEMPLATE = "Use the house style of the Brandmeyer archive, with dates in full and every sum in Swedish crowns"
USUAL = "You are a helpful assistant that answers briefly and in the language of the question at all times"


def told(story: Story) -> dict[int, list[tuple[str, bool]]]:
    _, con = story.run()
    found: dict[int, list[tuple[str, bool]]] = {}
    for proposal, tenant, named in con.execute(
        "SELECT proposal, tenant, named FROM tenant_proposal ORDER BY ALL"
    ).fetchall():
        found.setdefault(proposal, []).append((tenant, named))
    classes = con.execute("SELECT DISTINCT tenant FROM exchange WHERE tenant_class = 'unresolved'").fetchall()
    assert len(classes) == sum(each["tenant_class"] == "unresolved" for each in story.exchanges)  # nothing was joined
    return found


def test_what_shares_rare_sentences_is_proposed_as_one(tmp_path: Path) -> None:
    story = Story(tmp_path)
    for number in range(3):
        story.exchange(
            f"u{number}",
            f"unresolved {number}",
            f"{TEMPLATE}.\n{LEAK} Letter {number}.",
            "Yes.",
            tenant_class="unresolved",
        )
    story.exchange("lone", "unresolved lone", f"{USUAL}. Something else.", "Yes.", tenant_class="unresolved")
    story.exchange("other", "birch", f"{USUAL}. {OTHER}", "Yes.")
    story.exchange("more", "cedar", f"{USUAL}. Good morning.", "Yes.")
    assert told(story) == {1: [(f"unresolved {number}", False) for number in range(3)]}


def test_a_named_tenant_may_be_the_one_and_two_are_never_chained(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.exchange("a", "birch", f"{TEMPLATE}.\n{LEAK}", "Yes.")
    story.exchange(
        "b", "unresolved b", f"{TEMPLATE}.\n{LEAK}\n{OTHER} {OTHER.upper()}x.", "Yes.", tenant_class="unresolved"
    )
    story.exchange("c", "cedar", f"{OTHER} {OTHER.upper()}x.", "Yes.")
    assert told(story) == {1: [("birch", True), ("unresolved b", False)]}


def test_what_many_send_proposes_nothing(tmp_path: Path) -> None:
    story = Story(tmp_path)
    for number in range(12):
        story.exchange(
            f"u{number}",
            f"unresolved {number}",
            f"{USUAL}. {USUAL} twice. Case {number}.",
            "Yes.",
            tenant_class="unresolved",
        )
    assert told(story) == {}
