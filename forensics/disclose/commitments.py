"""Commitments that a tenant can check against its own copy: HMACs over its texts, under its own key.

This step reads bodies; the letters get nothing from it but digests.
"""

import hmac
from collections import defaultdict

import duckdb

from forensics.case import texts
from forensics.case.folder import Case
from forensics.disclose.keys import Keys
from forensics.disclose.places import Commitments, Place
from forensics.disclose.tables import one, rows


def commit(con: duckdb.DuckDBPyConnection, case: Case, keys: Keys) -> Commitments:
    """Returns the commitments of all letters; ``con`` must have been given to ``tables.prepare``."""
    texts.attach(con, case)
    whole: dict[str, list[str]] = defaultdict(list)
    part: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for row in rows(con, case, "commitment_text"):
        if row["affected"] and row["side"] == "response" and row["state"] == "complete":
            whole[row["exchange_id"]].append(row["text"])
        if row["fragment"] in ("whole", "head"):
            part[row["exchange_id"], row["side"], row["part"]].append(row["text"])
    responses = {
        row["exchange_id"]: _digest(keys, row["tenant"], "\n".join(whole[row["exchange_id"]]))
        for row in rows(con, case, "affected")
        if row["exchange_id"] in whole and row["tenant"]
    }
    places = {}
    for row in rows(con, case, "told_range"):
        if row["source_start"] is None:
            continue
        place = Place.of(row)
        held = part.get((place.exchange_id, place.side, place.part), [])
        if len(held) == 1 and place.end <= len(held[0]):
            places[place] = _digest(keys, row["tenant"], held[0][place.start : place.end])
    return Commitments(responses, places)


def evidence_digest(con: duckdb.DuckDBPyConnection, case: Case) -> str:
    """Returns 64 hex digits that follow from the evidence's texts and ids; to be printed nowhere."""
    texts.attach(con, case)
    return str(one(con, case, "evidence_secret")["digest"])


def _digest(keys: Keys, tenant: str, text: str) -> str:
    return hmac.digest(keys.of(tenant), text.encode("utf-8", "surrogatepass"), "sha256").hex()
