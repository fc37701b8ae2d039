"""What the tests of pictures ask of a figure."""

import itertools
import warnings
from typing import Any


def texts(figure: Any) -> list[str]:
    """Return every text of the first axes, row by row, from left to right."""
    found = [text for text in figure.axes[0].texts if text.get_text()]
    return [text.get_text()
            for text in sorted(found, key=lambda text: text.get_position()[::-1])]


def assert_apart(figure: Any, artists: list[Any]) -> None:
    """Fail if two of the artists overlap by more than a pixel or two, or stick out."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')   # letters that the font has not
        renderer = figure.canvas.get_renderer()
        boxes = [(artist.get_tightbbox(renderer), artist) for artist in artists]
    for box, artist in boxes:
        assert box.x0 >= 0.0 and box.y0 >= 0.0, artist
        assert box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1, artist
    for (one, first), (two, second) in itertools.combinations(boxes, 2):
        inner = (min(one.x1, two.x1) - max(one.x0, two.x0),
                 min(one.y1, two.y1) - max(one.y0, two.y0))
        assert min(inner) < 2.0, f'{first} and {second} overlap'
