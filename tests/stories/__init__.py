"""Stories that tests write to a folder of their own: the bundled one, plain and hostile."""
