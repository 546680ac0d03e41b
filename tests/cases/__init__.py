"""Small stories, one folder each: ``logs/`` is the evidence, ``expect.yml`` what ingest must make of it.

``case.toml`` beside them holds declarations where a story needs its own. A file ``x.parquet.yml`` stands for a Parquet
file: its ``types`` and ``rows``. After a change that is meant, ``python -m tests.cases`` writes the expectations again:
read the diff before you commit it.
"""
