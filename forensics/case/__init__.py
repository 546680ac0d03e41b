"""The case folder: declarations, evidence manifest, database, texts, custody."""
