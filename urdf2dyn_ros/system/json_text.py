"""Results as JSON, for programs."""

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(data: Mapping[str, Any], indent: int) -> str:
    """Return the text of a file; numbers that are not finite are null, as they are unknown."""
    return json.dumps(_known(data), indent=indent, allow_nan=False) + '\n'


def _known(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _known(entry) for key, entry in value.items()}
    return [*map(_known, value)] if isinstance(value, (list, tuple)) else value
