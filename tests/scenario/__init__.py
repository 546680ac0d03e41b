"""The scenario: pages, texts, logs and truth of the bundled story."""
