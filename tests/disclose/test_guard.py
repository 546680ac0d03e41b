"""The guard stops what is foreign, and nothing else."""

from pathlib import Path

import pytest

from forensics.disclose import letters as letters_module
from forensics.disclose.documents import source
from forensics.disclose.run import report
from forensics.errors import ForensicsError

from .conftest import NOW, Run
from .world import DECLARATIONS, World, incident, marker


def stopped(world: World, root: Path, declarations: str = DECLARATIONS) -> str:
    """Returns the error of a report that must not be published."""
    case = world.build(root / "case", declarations)
    with pytest.raises(ForensicsError, match="guard stopped") as caught:
        report(case)
    assert not [path for path in case.runs.iterdir() if not path.name.startswith(".")]
    return str(caught.value)


def passes(world: World, root: Path, declarations: str = DECLARATIONS) -> Run:
    case = world.build(root / "case", declarations)
    return Run(case, report(case, now=NOW))


def declared(measures: str, more: str = "") -> str:
    return DECLARATIONS.replace("Memory was freed; the engines run a corrected release.", measures) + more


def test_foreign_text_in_a_declared_value_stops_everything_and_is_not_repeated(tmp_path: Path) -> None:
    said = stopped(incident(), tmp_path, declared(f"We found the file of {marker('acme').upper()} in it."))
    assert "measures: text of another tenant" in said
    assert "letter.txt: text of another tenant" in said
    assert marker("acme") not in said.lower()


def test_foreign_text_that_enters_a_file_beside_its_values_stops_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = letters_module.render_letter

    def leaky(letter: letters_module.Letter) -> dict[str, str]:
        files = real(letter)
        if letter.tenant == "cobalt":
            files["letter.html"] = files["letter.html"].replace("</main>", f"<!-- {marker('acme')} --></main>")
        return files

    monkeypatch.setattr(letters_module, "render_letter", leaky)
    said = stopped(incident(), tmp_path)
    assert "cobalt" in said
    assert "letter.html: text of another tenant (" in said
    assert "letter.txt" not in said


def test_twelve_characters_of_chinese_are_enough(tmp_path: Path) -> None:
    world = incident()
    world.exchange("chang'an", prompt="请把合同第七条的付款期限改为三十天并通知对方")
    said = stopped(world, tmp_path, declared("We saw 第七条的付款期限改为三十天 somewhere."))
    assert "text of another tenant" in said


def test_an_id_of_another_tenant_stops_everything(tmp_path: Path) -> None:
    said = stopped(incident(), tmp_path, declared("See request decode-rid-000001."))
    assert "an id of another tenant (17 characters)" in said
    assert "decode-rid" not in said.replace("desk@", "")


def test_a_name_of_another_tenant_in_declared_prose_stops_everything(tmp_path: Path) -> None:
    said = stopped(incident(), tmp_path, declared("Borealis GmbH reported it."))
    assert "measures: the name of another tenant (13 characters)" in said
    more = '[[tenant]]\nname = "cobalt"\naliases = ["Cobalt-Werke 7"]\n'
    (tmp_path / "b").mkdir()
    said = stopped(incident(), tmp_path / "b", declared("cobalt-werke 7 reported it.", more))
    assert "the name of another tenant" in said


def test_a_tenant_whose_prompt_is_the_letters_template_stops_nothing(tmp_path: Path, run: Run) -> None:
    world = incident()
    for n, name in enumerate(letters_module.TEMPLATES):
        world.exchange(f"copyist {n}", prompt=source(name))
    passes(world, tmp_path)


def test_tenants_named_like_ordinary_words_stop_nothing(tmp_path: Path) -> None:
    world = incident()
    for name in ("Data", "The", "customer", "May", "Memory", "a", "initial", "2026-09-10"):
        world.exchange(name, "affected/none_found", mechanism="over_pool", over_pool="answered")
        world.suspect(world.rows["exchange"][-1]["exchange_id"], "over_pool", "established", "answered")
    for tenant in ("quiet ltd", "cobalt"):
        world.exchange(tenant, prompt="how much memory does a page table need?")
    found = passes(world, tmp_path, declared("Memory was freed. The customer's Data may be deleted in May."))
    assert len(found.letters()) == 15


def test_ids_that_imitate_what_letters_hold_stop_nothing(tmp_path: Path) -> None:
    world = incident()
    for forged in (
        "2026-09-10",
        "2026-08-29T00:03:00Z",
        "1",
        "confidential",
        "request_id",
        "INC-TEST0001",
        "letter.txt",
    ):
        world.exchange("forger", request_id=forged)
    passes(world, tmp_path)


def test_own_text_is_no_hit_though_others_hold_it_too(tmp_path: Path) -> None:
    world = incident()
    victim = next(row for row in world.rows["verdict"] if row["tenant"] == "cobalt")
    world.exchange("helpdesk", prompt=f"our customer asks about request {victim['request_id']} please look it up")
    passes(world, tmp_path)


def test_declared_public_text_is_no_hit(tmp_path: Path) -> None:
    world, notice = incident(), "The engines run the release that ships with the corrected allocator."
    world.exchange("reader", prompt=f"what does this mean: {notice}")
    stopped(world, tmp_path, declared(notice))
    (tmp_path / "b").mkdir()
    public = tmp_path / "b" / "notice.txt"
    public.write_text(notice, encoding="utf-8")
    passes(world, tmp_path / "b", f'public_text = ["{public}"]\n' + declared(notice))
