"""The bundled story with hostile names, texts and ids: what log text may hold that must stay inert everywhere."""

from dataclasses import replace
from pathlib import Path

from forensics.scenario.declare import case_toml
from forensics.scenario.plan import STORY
from forensics.scenario.story import write_story
from forensics.scenario.truth import StoryTruth
from forensics.scenario.world import STORY_WORLD, World

# No colon in the names: the rule for shared keys splits TENANT:USER there.
NAMES = {
    "brightmoor": "<script>alert(1)</script>",
    "marlstone": "[click](javascript%3Aalert(1))",
    "cobalt": '=HYPERLINK("http%3A//x.example","pay")',
    "alderforge": "../../etc/passwd",
    "pinegate": "{{ 7*7 }}{% include 'x' %}",
    "saffron": "\x1b[31mred\x1b[0m\x07",
    "tidewell": "CON",
    "hoshikawa": "a\x00b",
    "lanqiao": "'); DROP TABLE verdict; --",
}

SNIPPETS = (
    "<img src=x onerror=alert(document.domain)><b>bold</b>&amp;",
    "[refund](https://evil.example/?q=1) ![x](https://evil.example/p.png) | a | b |\n# heading",
    "=cmd|' /C calc'!A0\n+1+1\n@SUM(A1:A9)\n-2+3",
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m",
    "{{ config }} {% for x in y %}{{ x }}{% endfor %} ${jndi:ldap://x} #{7*7}",
    "../../../../etc/passwd\x00.txt ..\\..\\windows\\system32",
    "'; DROP TABLE exchange; -- \" $name :name ?",
    "\u202egnp.exe \u200b\ufeff \U0001f4a3 \ud83d",
)

# A caller may choose its own request id; the engine logs it as it is.
FORGED_IDS = (
    ("a06", "<svg/onload=alert(1)>"),
    ("a08", "../../../tmp/owned"),
    ("c02", "=1+1"),
    ("c11", "{{7*7}}"),
    ("b08", "[x](https://evil.example)"),
)


def hostile_world() -> World:
    """Returns the story's world with hostile tenant names, snippets in every prompt, and forged request ids."""
    tenants = tuple(
        replace(tenant, name=NAMES.get(tenant.name, tenant.name), alias=NAMES.get(tenant.name, tenant.alias))
        for tenant in STORY_WORLD.tenants
    )
    holders = frozenset(NAMES.get(name, name) for name in STORY_WORLD.boilerplate_holders)
    return replace(STORY_WORLD, tenants=tenants, boilerplate_holders=holders, hostile=SNIPPETS, forged_rids=FORGED_IDS)


def hostile_story(folder: Path, *, seed: int = 1) -> StoryTruth:
    """Writes the hostile story's logs, truth and ``case.toml`` to ``folder`` and returns the truth."""
    world = hostile_world()
    plans = [replace(plan, tenant=NAMES.get(plan.tenant, plan.tenant)) for plan in STORY]
    truth = write_story(folder, seed=seed, world=world, plans=plans)
    (folder / "case.toml").write_text(case_toml(world), encoding="utf-8")
    return truth


def plain_story(folder: Path, *, seed: int = 1) -> StoryTruth:
    """Writes the bundled story's logs, truth and ``case.toml`` to ``folder`` and returns the truth."""
    truth = write_story(folder, seed=seed)
    (folder / "case.toml").write_text(case_toml(), encoding="utf-8")
    return truth
