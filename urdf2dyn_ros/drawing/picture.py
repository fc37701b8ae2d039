"""An empty picture, names that are safe to write into it, and the file it becomes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.system.atomic_file import atomic_file

FORMATS = ('.svg', '.png')
"""Endings of files that a picture can be written to."""

BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = (
    '#0072B2', '#E69F00', '#009E73', '#D55E00', '#56B4E9', '#CC79A7')
"""Colours of Okabe and Ito, which the colour-blind can distinguish too."""

BLACK, GREY, LIGHT = '#202020', '#6E6E6E', '#C8C8C8'
"""Distinguished by lightness alone."""

MEASURED, COMPUTED, RESIDUAL = SKY, VERMILION, '#404040'
"""Colours of curves, which differ in lightness too."""

DPI = 110


def empty_figure(width: float, height: float) -> Any:
    """Return a figure of a size [in] that needs no screen; DrawingError without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise DrawingError(f'drawing needs matplotlib, which cannot be imported ({error}); '
                           'install it with: pip install matplotlib') from None
    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def text_width(figure: Any, text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is [in], in a font of a size [pt]."""
    from matplotlib.font_manager import FontProperties
    font = FontProperties(size=size, weight='bold' if bold else 'normal')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')   # letters that the font lacks are drawn as boxes
        width: float = figure.canvas.get_renderer().get_text_width_height_descent(
            text, font, ismath=False)[0]
    return width / DPI


def drawn_name(text: str, most: int) -> str:
    """
    Return a name without control characters, in at most so many letters.

    A longer name loses its middle, as names differ at their ends.

    """
    safe = printable(text)
    tail = most // 3
    return safe if len(safe) <= most else f'{safe[:most - tail - 1]}…{safe[-tail:]}'


def checked_path(path: str | Path) -> Path:
    """Return the path of a picture; DrawingError if its ending is none of FORMATS."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise DrawingError(f'{str(path)!r} does not end in {" or ".join(FORMATS)}: the ending '
                           'selects the format')
    return path


def save(figure: Any, path: Path, title: str) -> None:
    """Write a picture to a file as a whole; DrawingError with the system's reason if it fails."""
    import matplotlib
    ending = path.suffix.lower()
    metadata = {'Title': drawn_name(title, 200), **({'Date': None} if ending == '.svg' else {})}
    try:
        # without a salt, the identifiers in an SVG are random
        with (matplotlib.rc_context({'svg.hashsalt': 'urdf2dyn'}), warnings.catch_warnings(),
              atomic_file(path) as part):
            warnings.simplefilter('ignore')
            figure.savefig(part, format=ending[1:], dpi=DPI, metadata=metadata)
    except OSError as error:
        raise DrawingError(f'cannot write to {str(path)!r}: {error.strerror or error}') from None
