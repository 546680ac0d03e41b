"""A mechanism is one new file: found by its header, held to its contract, listed with what it needs."""

from pathlib import Path

import pytest

from forensics.errors import ForensicsError
from forensics.link.run import link
from forensics.suspect.mechanism import TOLD, mechanisms
from forensics.suspect.run import suspect
from tests.stages.builder import World, declared_workers

HEADER = "".join(f"-- {key}: as said\n" for key in TOLD)
EVERYBODY = "SELECT exchange_id, 'possible' AS status, true AS clearable FROM exchange ORDER BY exchange_id\n"


def site(world: World, text: str, name: str = "moonlight") -> None:
    folder = world.root / "queries" / "mechanisms"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.sql").write_text(text, encoding="utf-8")


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "case", declared_workers("prefill-0", "decode-0"))
    made.start("prefill-0", 1_000)
    made.request("a", 10, 300)
    return made


def run(world: World) -> dict[str, str]:
    con, case = world.connect()
    link(con, case)
    suspect(con, case)
    return dict(con.execute("SELECT mechanism, status FROM suspicion").fetchall())


def test_a_new_mechanism_is_one_new_file(world: World) -> None:
    site(world, f"{HEADER}-- mechanism: moonlight\n-- requires: decode log or unified log\n{EVERYBODY}")
    assert run(world)["moonlight"] == "possible"


@pytest.mark.parametrize(
    ("header", "body", "said"),
    [
        ("-- mechanism: moonlight\n-- question: q\n", EVERYBODY, "its header does not say: grain"),
        (f"{HEADER}-- mechanism: moonlight\n-- sources: stars\n", EVERYBODY, "unknown sources 'stars'"),
        (f"{HEADER}-- mechanism: moonlight\n-- order: late\n", EVERYBODY, "the order 'late' is no number"),
        (f"{HEADER}-- mechanism: over_pool\n", EVERYBODY, "is the mechanism 'over_pool' too"),
        (f"{HEADER}-- mechanism: moonlight\n-- requires: telescope\n", EVERYBODY, "requires 'telescope'"),
        (f"{HEADER}-- mechanism: moonlight\n", "SELECT exchange_id, 'seen' AS status FROM exchange\n", "status 'seen'"),
        (f"{HEADER}-- mechanism: moonlight\n", "SELECT 'x' AS exchange_id, 'excluded' AS status\n", "speaks of 1 exch"),
        (f"{HEADER}-- mechanism: moonlight\n", "SELECT exchange_id, 1 AS state FROM exchange\n", "columns are not"),
    ],
)
def test_a_file_that_breaks_the_contract_stops_the_run(world: World, header: str, body: str, said: str) -> None:
    site(world, header + body)
    with pytest.raises(ForensicsError, match=said) as caught:
        run(world)
    assert "moonlight" in str(caught.value)


def test_every_mechanism_of_ours_says_what_it_needs_and_has_a_page() -> None:
    pages = Path(__file__).parents[2] / "docs" / "mechanisms"
    for each in mechanisms(None):
        assert each.requires, each.name
        assert each.ordinal < 500, each.name
        assert all(each.told(key) for key in (*TOLD, "needs")), each.name
        assert (pages / f"{each.name}.md").is_file(), each.name
