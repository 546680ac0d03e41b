"""Every kind of rule names its tenants, in order; aliases join, and whoever no rule names is a tenant of its own."""

import json
from pathlib import Path

import pytest

from forensics.link.run import link
from tests.stages.builder import World, declared_workers

RULES = """
[[tenant_rule]]
name = "team"
path = "$.metadata.user_api_key_team_alias"
ignore = ["Shared"]
[[tenant_rule]]
name = "organization"
path = "$.metadata.user_api_key_org_id"
[[tenant_rule]]
name = "header"
path = '$.headers."x-tenant-id"'
[[tenant_rule]]
name = "end user"
path = "$.end_user"
pattern = '^([^:]+):'
[[tenant_rule]]
name = "ARN"
path = "$.arn"
pattern = 'assumed-role/([^/]+)'
[[tenant_rule]]
name = "cache salt"
path = "$.cache_salt"
[[tenant_rule]]
name = "key hash"
path = "$.metadata.user_api_key_hash"
[[tenant]]
name = "acme"
aliases = ["Acme Ltd", "88dc28d0f0"]
[[tenant]]
name = "probes"
class = "internal"
aliases = ["prb"]
"""


@pytest.mark.parametrize(
    ("identity", "tenant", "rule"),
    [
        ({"metadata": {"user_api_key_team_alias": "Acme Ltd", "user_api_key_org_id": "o-1"}}, "acme", "team"),
        ({"metadata": {"user_api_key_team_alias": "Shared", "user_api_key_org_id": "o-1"}}, "o-1", "organization"),
        ({"metadata": {"user_api_key_hash": "88dc28d0f0"}}, "acme", "key hash"),
        ({"end_user": "birch:u17"}, "birch", "end user"),
        ({"headers": {"x-tenant-id": "prb"}}, "probes", "header"),
        ({"arn": "arn:aws:sts::111122223333:assumed-role/cedar/s"}, "cedar", "ARN"),
        ({"cache_salt": "salt-7"}, "salt-7", "cache salt"),
    ],
)
def test_rules_name_tenants_in_order(identity: dict[str, object], tenant: str, rule: str, tmp_path: Path) -> None:
    world = World(tmp_path / "case", declared_workers("decode-0") + RULES)
    world.request("a", 10, 300)
    world.records[0]["identity"] = json.dumps(identity)
    con, case = world.connect()
    link(con, case)
    assert con.execute("SELECT tenant, tenant_rule FROM exchange").fetchall() == [(tenant, rule)]


def test_who_is_not_named_is_a_tenant_of_its_own_until_an_alias_says_who(tmp_path: Path) -> None:
    world = World(tmp_path / "case", declared_workers("decode-0") + RULES)
    world.request("a", 10, 300, tenant="")
    world.request("b", 20, 300, tenant="")
    con, case = world.connect()
    link(con, case)
    found = con.execute("SELECT tenant, tenant_class FROM exchange ORDER BY tenant").fetchall()
    assert {row[1] for row in found} == {"unresolved"}
    assert len({row[0] for row in found}) == 2
    known = World(tmp_path / "known", f'{RULES}[[tenant]]\nname = "dale"\naliases = ["{found[0][0]}"]\n')
    known.records, known.workers = world.records, world.workers
    con, case = known.connect()
    link(con, case)
    assert ("dale", "customer", "declared alias") in con.execute(
        "SELECT tenant, tenant_class, tenant_rule FROM exchange"
    ).fetchall()
