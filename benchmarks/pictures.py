"""
Draw the pictures of docs/ again from their files of figures, without a measurement.

    make pictures

Those of comparisons, identification and real recordings are drawn by their commands, from data.

"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cases import ROOT
from racing import plot
from soaking import report as soaking
from under_load import exporting_report
from under_load import report as load

PICTURES: dict[str, Callable[[dict[str, Any], Path], None]] = {
    'benchmark': plot.draw, 'load': load.draw, 'soak': soaking.draw,
    'exporting_events': exporting_report.draw, 'exporting_single': exporting_report.draw}
"""What draws each file of figures, by its name without .json."""


def main(folders: Sequence[str]) -> int:
    """Draw what a folder, by default docs/, has the figures of."""
    folder = Path(*folders) if folders else ROOT / 'docs'
    for name, draw in PICTURES.items():
        path = folder / f'{name}.json'
        if not path.exists():
            continue
        try:
            draw(json.loads(path.read_text()), path.with_suffix('.png'))
        except KeyError as error:
            print(f'{path} has no {error}, as an older version wrote it: measure again',
                  file=sys.stderr)
        else:
            print(path.with_suffix('.png'))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
