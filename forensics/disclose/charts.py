"""Charts as static inline SVG: a Vega-Lite file of ``reports/incident/charts`` and the rows that it draws."""

import json
import re
from functools import cache
from typing import Any, Final

import vl_convert
from markupsafe import Markup

from forensics.disclose.documents import source

VERSION: Final = "6.4"  # of Vega-Lite; named, so that another default of the library draws nothing otherwise
_FOLDER: Final = "incident/charts"
_NAMESPACES: Final = re.compile(r' (?:xmlns(?::\w+)?|version|class|width|height)="[^"]*"')

Rows = list[dict[str, Any]]


def draw(name: str, **rows: Rows) -> Markup:
    """Returns the chart ``name`` over its named ``rows``, or nothing where no row is left to draw.

    The SVG has no script, link, id or font of its own, and scales with its box; colours are the page's custom
    properties. Vega escapes text, and nothing of ``rows`` is evaluated. Points in time are milliseconds UTC.
    """
    spec = _spec(name)
    if "vconcat" in spec:
        spec["vconcat"] = [view for view in spec["vconcat"] if any(rows[each] for each in _names(view))]
    if not any(rows[each] for each in _names(spec)):
        return Markup()
    spec |= {"datasets": rows, "config": json.loads(source(f"{_FOLDER}/config.json"))}
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VERSION, allowed_base_urls=[])
    head, tag, rest = svg.partition(">")
    # Vega has escaped what is evidence; the page need not and must not do it again.
    return Markup(_NAMESPACES.sub("", head) + ' aria-hidden="true"' + tag + rest)  # noqa: S704


@cache
def _text(name: str) -> str:
    return source(f"{_FOLDER}/{name}.vl.json")


def _spec(name: str) -> dict[str, Any]:
    spec: dict[str, Any] = json.loads(_text(name))
    return spec


def _names(view: Any) -> list[str]:
    """Returns the names of all datasets that ``view`` draws from."""
    if isinstance(view, list):
        return [name for each in view for name in _names(each)]
    if not isinstance(view, dict):
        return []
    own = [view["data"]["name"]] if "data" in view else []
    return own + [name for each in view.values() for name in _names(each)]
