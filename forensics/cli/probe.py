"""``forensics probe``: asks an endpoint of one's own, as two test tenants, whether it keeps them apart."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import typer

from forensics.cli.terminal import plain
from forensics.errors import ForensicsError


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "probe",
        epilog="Examples:  forensics probe http://10.0.0.5:4000/v1 --model m --own-endpoint --out probe-1  |  "
        "forensics probe http://10.0.0.5:4000/v1 --model m --own-endpoint --out probe-2 --provoke --isolated-endpoint "
        '--statement "staging pool 7, no other tenant since 09:00, J. Doe" --over-words 500000',
    )(probe)


def probe(  # noqa: PLR0917 - an option each
    url: str = typer.Argument(..., metavar="URL", help="Base URL of the endpoint, up to /v1."),
    model: str = typer.Option(..., "--model", help="The model's name."),
    out: Path = typer.Option(..., "--out", help="A new folder for the record; no answer's text goes into it."),
    own_endpoint: bool = typer.Option(False, "--own-endpoint", help="I own this endpoint, or act for who does."),
    key_a: str = typer.Option("PROBE_KEY_A", "--key-a", help="Environment variable with test tenant A's key."),
    key_b: str = typer.Option("PROBE_KEY_B", "--key-b", help="Environment variable with test tenant B's key."),
    salt_a: str = typer.Option("", "--salt-a", help="cache_salt to send for A. Default: none, the gateway makes it."),
    salt_b: str = typer.Option("", "--salt-b", help="cache_salt to send for B."),
    prefixes: int = typer.Option(24, "--prefixes", min=8, max=400, help="Fresh prefixes to time."),
    words: int = typer.Option(1_500, "--words", min=100, max=200_000, help="Length of a prefix in made-up words."),
    canaries: int = typer.Option(10, "--canaries", min=1, max=200, help="Markers to plant and look for."),
    rate: float = typer.Option(2.0, "--rate", help="Requests a second, at most 10."),
    most: int = typer.Option(400, "--most", help="Requests in all, at most 2,000."),
    timeout: float = typer.Option(60.0, "--timeout", min=0.1, help="Seconds to wait for an answer."),
    confidence: float = typer.Option(0.99, "--confidence", help="With which T1 speaks."),
    provoke: bool = typer.Option(False, "--provoke", help="Provoke leaks; needs the next two options."),
    isolated_endpoint: bool = typer.Option(False, "--isolated-endpoint", help="Nobody else is served there."),
    statement: str = typer.Option("", "--statement", help="Who vouches for that, and since when; it is recorded."),
    rounds: int = typer.Option(3, "--rounds", min=1, max=50, help="Rounds of provocations."),
    over_words: int = typer.Option(
        0, "--over-words", min=0, help="Words of a prompt that the prefill pool cannot hold."
    ),
) -> None:
    """Asks an endpoint that you own, with keys of two test tenants, whether it keeps them apart.

    Passive by default: times of fresh prefixes, and planted canaries. Only markers of this run are looked for.
    Exit codes: 0 kept apart as far as seen, 1 something found, 2 cannot tell or could not complete.
    """
    from forensics.probe.client import Endpoint  # noqa: PLC0415 - the rest of the tool loads no HTTP client
    from forensics.probe.run import Plan, lines  # noqa: PLC0415
    from forensics.probe.run import probe as ask  # noqa: PLC0415

    if not own_endpoint:
        raise ForensicsError("this sends requests", fix="Say --own-endpoint if the endpoint is yours to test")
    if provoke and not isolated_endpoint:
        raise ForensicsError(
            "provoking may show other people's texts", fix="Do it only where nobody else is served: --isolated-endpoint"
        )
    if urlsplit(url).scheme not in ("http", "https"):
        raise ForensicsError(f"{url!r} is no http or https address", fix="Give it as http://host:port/v1")
    salts = {who: salt for who, salt in (("a", salt_a), ("b", salt_b)) if salt}
    endpoint = Endpoint(url, model, {"a": _key(key_a), "b": _key(key_b)}, salts)
    plan = Plan(
        prefixes, words, canaries, rate, most, timeout, confidence,
        provoke=provoke, statement=statement, rounds=rounds, over_words=over_words,
    )  # fmt: skip
    outcome = ask(endpoint, plan, out)
    for line in lines(outcome):
        typer.echo(plain(line))
    raise typer.Exit(outcome.exit_code)


def _key(variable: str) -> str:
    if value := os.environ.get(variable):
        return value
    raise ForensicsError(
        f"the environment variable {variable} holds no key", fix="Set it; keys are not taken from the command line"
    )
