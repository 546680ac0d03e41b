"""``forensics compare``: text overlap alone, with no case."""

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import typer

from forensics.errors import ForensicsError
from forensics.match.compare import compare_all, compare_pairs, compare_tenants, ordered
from forensics.match.spans import Match, Text
from forensics.match.token_ids import spelled

SCHEMA = pa.schema(
    [
        ("response_id", pa.string()),
        ("prompt_id", pa.string()),
        ("response_start", pa.int64()),
        ("response_end", pa.int64()),
        ("prompt_start", pa.int64()),
        ("prompt_end", pa.int64()),
        ("bits", pa.float64()),
        ("similarity", pa.float64()),
    ]
)

_GIVEN = "Parquet or JSONL with id, text (or tokens: token ids) and, if known, tenant"


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "compare",
        epilog="Examples:  forensics compare --prompts prompts.parquet --responses responses.jsonl --out m.parquet  |  "
        "forensics compare --prompts p.parquet --responses r.parquet --pairs listed.parquet --out m.parquet",
    )(compare)


def compare(
    prompts: Path = typer.Option(..., "--prompts", help=f"{_GIVEN}."),
    responses: Path = typer.Option(..., "--responses", help=f"{_GIVEN}."),
    out: Path = typer.Option(..., "--out", help="Parquet file to write: one row per shared passage."),
    pairs: Path | None = typer.Option(
        None,
        "--pairs",
        help="Parquet or JSONL with response_id and prompt_id: compare only these, whatever the tenants.",
    ),
) -> None:
    """Finds passages that responses share with prompts, with their places, weight in bits and similarity.

    With tenants, a response is compared with other tenants' prompts, and what its own tenant sent, or many tenants
    hold, is explained away. Without, every response is compared with every prompt. Where both files have lists of
    token ids in place of texts, places are counted in tokens.
    """
    prompt_texts, with_tenants, tokens = _texts(prompts)
    response_texts, also, tokens_too = _texts(responses)
    if tokens != tokens_too:
        worded = responses if tokens else prompts
        raise ForensicsError("this file has texts, and the other has token ids", where=str(worded),
                             fix="Give both files a text column, or both a tokens column")  # fmt: skip
    if pairs is not None:
        listed = _pairs(pairs, {t.text_id for t in response_texts}, {t.text_id for t in prompt_texts})
        found = ordered(compare_pairs(response_texts, prompt_texts, listed, _progress))
    elif with_tenants != also:
        lacking = responses if with_tenants else prompts
        raise ForensicsError("this file has no tenant column, though the other has one", where=str(lacking),
                             fix="Give both files a tenant column, or neither")  # fmt: skip
    elif with_tenants:
        found = ordered(compare_tenants(response_texts, prompt_texts))
    else:
        found = ordered(compare_all(response_texts, prompt_texts, _progress))
    _write(found, out)
    typer.echo(f"{len(found):,} passages of {len({m.response_id for m in found}):,} responses in {out}", err=True)


def _texts(path: Path) -> tuple[list[Text], bool, bool]:
    """Returns the texts of a file, whether it names tenants, and whether it has token ids in place of texts."""
    columns, rows = _rows(path, ("id",), ("text", "tokens", "tenant"))
    told = next((name for name in ("text", "tokens") if name in columns), None)
    if told is None:
        raise _missing(path, "text", columns, "id, text (or tokens)")
    seen: set[str] = set()
    texts = []
    for number, values in enumerate(rows, 1):
        row = dict(zip(columns, values, strict=True))
        identity = row["id"]
        if identity is None or identity in seen:
            what = "an id is missing" if identity is None else f"id {identity!r} stands there twice"
            raise ForensicsError(what, where=f"{path}:{number}", fix="Give every text an id of its own")
        seen.add(identity)
        texts.append(Text(identity, row.get("tenant"), row[told] or ""))
    return texts, "tenant" in columns, told == "tokens"


def _missing(path: Path, name: str, found: Sequence[str], wanted: str) -> ForensicsError:
    listed = ", ".join(found) or "none"
    return ForensicsError(f"column {name!r} is missing; found {listed}", where=str(path),
                          fix=f"Name the columns {wanted}")  # fmt: skip


def _pairs(path: Path, responses: set[str], prompts: set[str]) -> dict[str, list[str]]:
    _, rows = _rows(path, ("response_id", "prompt_id"), ())
    listed: dict[str, dict[str, None]] = defaultdict(dict)
    for number, (response, prompt) in enumerate(rows, 1):
        for name, known in ((response, responses), (prompt, prompts)):
            if name not in known:
                raise ForensicsError(
                    f"{name!r} is no id of that file", where=f"{path}:{number}", fix="Correct the pair or add its text"
                )
        listed[str(response)][str(prompt)] = None
    return {response: list(chosen) for response, chosen in listed.items()}


def _rows(path: Path, needed: Sequence[str], optional: Sequence[str]) -> tuple[list[str], list[tuple[str | None, ...]]]:
    """Returns the columns found and their values as text, in the file's order."""
    if not path.is_file():
        raise ForensicsError("there is no such file", where=str(path), fix="Check the path")
    reader = "read_parquet" if _is_parquet(path) else "read_json"
    options = "" if reader == "read_parquet" else ", format = 'newline_delimited', maximum_object_size = 1073741824"
    try:
        statement = f"SELECT * FROM {reader}($path{options})"  # noqa: S608 - one of two names above
        table: pa.Table = duckdb.connect().sql(statement, params={"path": str(path)}).to_arrow_table()
    except duckdb.Error as error:
        raise ForensicsError(
            f"neither Parquet nor JSON lines ({str(error).splitlines()[0]})", where=str(path),
            fix="Write one JSON object per line, or Parquet",
        ) from error  # fmt: skip
    missing = [name for name in needed if name not in table.column_names]
    if missing:
        raise _missing(path, missing[0], table.column_names, ", ".join(needed))
    columns = [*needed, *(name for name in optional if name in table.column_names)]
    values = [
        _token_ids(table.column(name), path) if name == "tokens" else _strings(table.column(name)) for name in columns
    ]
    return columns, list(zip(*values, strict=True))


def _strings(column: pa.ChunkedArray) -> list[str | None]:
    return [None if value is None else str(value) for value in column.to_pylist()]


def _token_ids(column: pa.ChunkedArray, path: Path) -> list[str | None]:
    found: list[str | None] = []
    for number, value in enumerate(column.to_pylist(), 1):
        try:
            found.append(None if value is None else spelled(value))
        except (TypeError, ValueError) as error:
            raise ForensicsError(f"tokens are no list of token ids ({error})", where=f"{path}:{number}",
                                 fix="Write each text's token ids as a list of whole numbers") from error  # fmt: skip
    return found


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as handle:
        return handle.read(4) == b"PAR1"


def _write(found: Sequence[Match], out: Path) -> None:
    spans = [m.span for m in found]
    columns = [
        [m.response_id for m in found],
        [m.source_id for m in found],
        [s.response_start for s in spans],
        [s.response_end for s in spans],
        [s.source_start for s in spans],
        [s.source_end for s in spans],
        [s.bits_milli / 1000 for s in spans],
        [s.similarity_milli / 1000 for s in spans],
    ]
    arrays = [pa.array(values, type=field.type) for values, field in zip(columns, SCHEMA, strict=True)]
    partial = out.with_name(f".{out.name}.part")
    try:
        pq.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA), partial)
        partial.replace(out)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ForensicsError(f"cannot write ({error.strerror or error})", where=str(out),
                             fix="Choose a folder that exists and has room") from error  # fmt: skip


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty() and done % 50 == 0:
        typer.echo(f"\r{done:,} of {total:,} responses", nl=False, err=True)
