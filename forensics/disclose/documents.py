"""The template engine: strict, without code of its own, and inert for whatever it is given."""

import textwrap
from functools import lru_cache
from typing import Any, Final

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound

from forensics.disclose import inert
from forensics.resources import folder

WIDTH: Final = 78


class _Reports(BaseLoader):
    """Loads templates from the installation's ``reports`` folder only."""

    def get_source(self, _environment: Environment, template: str) -> tuple[str, str, None]:
        path = folder("reports") / template
        if ".." in template or not path.is_file():
            raise TemplateNotFound(template)
        return path.read_text(encoding="utf-8"), str(path), None


class _Fixed(str):
    """Text of a template, which the Markdown environment does not escape again."""

    __slots__ = ()


def render(template: str, **context: Any) -> str:
    """Returns the document without leading blank lines.

    The kind of escaping follows from the name: ``….html.jinja``, ``….md.jinja`` or, with none, ``….txt.jinja``.
    """
    environment = _environment(markdown=template.endswith(".md.jinja"))
    return environment.get_template(template).render(context).lstrip()


def source(template: str) -> str:
    """Returns the template's own text."""
    return _Reports().get_source(_environment(markdown=False), template)[0]


def words(template: str) -> list[str]:
    """Returns the fixed words of a template: what stands outside its expressions, and its string constants."""
    tokens = _environment(markdown=False).lex(source(template))
    return [
        value.strip("'\"") if kind == "string" else value for _, kind, value in tokens if kind in ("data", "string")
    ]


@lru_cache(maxsize=2)
def _environment(*, markdown: bool) -> Environment:
    environment = Environment(
        loader=_Reports(),
        # HTML is escaped by the engine, Markdown by finalize; plain text and the shared words need neither.
        autoescape=lambda name: name is not None and name.endswith(".html.jinja"),  # noqa: S701
        undefined=StrictUndefined,
        finalize=_markdown_value if markdown else None,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        wrap=_wrap, indent_wrap=_indent_wrap, thousands=_thousands, plural=_plural, show=_show, fixed=_Fixed
    )
    return environment


def _markdown_value(value: Any) -> Any:
    if isinstance(value, _Fixed):
        return value
    return inert.markdown(value) if isinstance(value, str) else value


def _wrap(value: str) -> str:
    return textwrap.fill(" ".join(value.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def _indent_wrap(value: str) -> str:
    return textwrap.fill(
        " ".join(value.split()), WIDTH, initial_indent="  - ", subsequent_indent="    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _thousands(value: int) -> str:
    return f"{value:,}"


def _show(value: Any) -> str:
    """Returns a table cell's text; what is not known is a dash."""
    if value is None or value == "":
        return "\N{EM DASH}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _plural(count: int, noun: str, several: str = "") -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {several or noun + 's'}"
