"""What the pictures of a comparison have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.comparison.series import Array
from urdf2dyn_ros.errors import ComparisonError

MEASURED, COMPUTED, RESIDUAL = '#56B4E9', '#D55E00', '#404040'
"""Of Okabe and Ito's colours: also told apart by the colour-blind, and by lightness in print."""


def new_figure(size: tuple[float, float]) -> Any:
    """
    Return an empty figure of a size [in] that is drawn without a screen.

    Raises
    ------
    ComparisonError
        If matplotlib is not installed.

    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ComparisonError(f'drawing needs matplotlib, which cannot be imported ({error}); '
                              'install it with: pip install matplotlib') from error
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    return figure


def thinned(lines: Array, places: int) -> NDArray[np.int64]:
    """
    Return which samples to draw of lines (n, k), so that no peak is lost.

    Of each of `places` stretches these are the lowest and the highest of every line.

    """
    count = lines.shape[1]
    if count <= 2 * places:
        return np.arange(count, dtype=np.int64)
    starts = np.linspace(0, count, places + 1).astype(int)[:-1]
    ends = np.append(starts[1:], count)
    kept = {0, count - 1}
    for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
        stretch = lines[:, first:last]
        kept.update((first + stretch.argmin(axis=1)).tolist())
        kept.update((first + stretch.argmax(axis=1)).tolist())
    return np.array(sorted(kept), dtype=np.int64)


def shortened(text: str, most: int) -> str:
    """Keep a long name from running into its neighbour."""
    shown = ''.join(letter if letter.isprintable() else '?' for letter in text)
    return shown if len(shown) <= most else shown[:most - 1] + '…'
