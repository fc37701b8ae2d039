"""
The cost of an evaluation, and that of all available peers, in one run.

    make bench

Figures of one run can be compared with each other; those of two runs, or of two computers,
cannot. The robots are in cases.py, the contestants in contestants/.

"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from cases import ROBOTS, ROOT, case
from contestants import CONTESTANTS, OTHER_RACES
from host import host
from racing.plot import draw
from racing.race import TOLERANCE, race, tolerance_of_accelerations
from racing.table import text

BUILD = ROOT / 'build' / 'benchmarks'
ROUNDS, QUICK_ROUNDS = 60, 5
TOLERANCES = {'forward_dynamics': tolerance_of_accelerations}


def main() -> int:
    """Measure, print, draw; 1 if ours disagrees with a peer."""
    arguments = parsed()
    found: dict[str, Any] = {'host': host(), 'robots': {}, **{each: {} for each in OTHER_RACES}}
    rounds = QUICK_ROUNDS if arguments.quick else ROUNDS
    for name in arguments.robots:
        print(f'{name} ...', file=sys.stderr)
        robot = case(name, BUILD / name.replace(', ', '_'))
        found['robots'][name] = race(robot, CONTESTANTS, rounds, arguments.quick)
        for each, contestants in OTHER_RACES.items():
            tolerance = TOLERANCES.get(each, lambda robot: TOLERANCE)(robot)
            found[each][name] = race(robot, contestants, rounds, arguments.quick, tolerance)
    print(text(found))
    for path in filter(None, (arguments.json, arguments.output / 'benchmark.json')):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rounded(found), indent=1) + '\n')
    draw(found, arguments.output / 'benchmark.png')
    ours = {one.name for one in CONTESTANTS if one.ours}
    wrong = [f'{robot}: {name}, {reason}' for part in ('robots', *OTHER_RACES)
             for robot, result in found[part].items()
             for name, reason in result['left_out'].items()
             if name in ours and 'differ' in reason]
    for line in wrong:
        print(f'error: {line}', file=sys.stderr)
    return bool(wrong)


def parsed() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description='Time this package and its peers.')
    parser.add_argument('--quick', action='store_true', help='under a minute, with coarse times')
    parser.add_argument('--robots', nargs='+', choices=ROBOTS, default=list(ROBOTS),
                        metavar='ROBOT', help=', '.join(map(repr, ROBOTS)))
    parser.add_argument('--json', type=Path, metavar='FILE', help='all figures, once more')
    parser.add_argument('--output', type=Path, default=ROOT / 'docs', metavar='FOLDER',
                        help='where benchmark.png and benchmark.json go; by default docs/')
    return parser.parse_args()


def rounded(found: Any) -> Any:
    """Return the figures with their significant digits."""
    if isinstance(found, dict):
        return {name: rounded(value) for name, value in found.items()}
    if isinstance(found, list):
        return [rounded(value) for value in found]
    return float(f'{found:.4g}') if isinstance(found, float) else found


if __name__ == '__main__':
    sys.exit(main())
