"""
How many mistakes of a recording are recognised, by the limits in recordings/mistakes.py.

    .venv/bin/python benchmarks/mistakes.py [FOLDER]

Mistakes of drivers are put into recordings of a worn RX-90 (examples/worn_rx90.py) and, of the
folder, if it is there, a UR10, a TX40 and an RX-90 in Gazebo. For values of each limit it prints
how many are found, taken for another, not found, and how many are named where there is none.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from freeze import EXAMPLES, ROOT

from urdf2dyn_ros import InverseDynamics, open_recording
from urdf2dyn_ros.identification.checks import check_recording, fitted_error
from urdf2dyn_ros.identification.robot import robot_of
from urdf2dyn_ros.identification.summary import FARTHEST_DELAY
from urdf2dyn_ros.recordings import mistakes
from urdf2dyn_ros.recordings.mistakes import Change, Judge, RecordingFit, no_change, turned
from urdf2dyn_ros.recordings.pieces import Piece, RecordedNames, pieces_of, read_segments

LIMITS = {'_WORSE': (0.02, 0.1, 0.5, 0.8, 1.0, 1.2, 1.5, np.inf),
          '_AS_GOOD': (0.1, 0.5, 1.0, 1.3, 1.4, 1.6, np.inf), '_ABSENT': (0.05, 0.1, 0.2, 0.3)}


def changes(n: int, largest: list[int]) -> Iterator[tuple[str, Change]]:
    """Yield kind and change of each mistake, at joints in the order of their efforts."""
    none, one, (a, b, c, *_) = no_change(n), np.eye(n), largest
    yield '', none
    yield 'sign', none._replace(efforts=turned(n, a))
    yield 'signs', none._replace(efforts=-one)
    yield 'positions', none._replace(positions=turned(n, a))
    yield 'direction', none._replace(positions=turned(n, b), efforts=turned(n, b))
    for pair in ((a, b), (a, c)):
        order = one.copy()
        order[[*pair]] = one[[*pair[::-1]]]
        yield 'other efforts', none._replace(efforts=order)
        yield 'order', none._replace(positions=order, efforts=order)
        if pair == (a, b):
            yield 'other positions', none._replace(positions=order)
    for names in (largest[::-1], largest[1:] + largest[:1]):
        order = one.copy()
        order[largest] = one[names]
        yield 'order', none._replace(positions=order, efforts=order)
    for pace, joint, angle in ((0.5, a, 45), (1.5, b, 30), (2.0, b, 90)):
        yield 'pace', none._replace(pace=pace)
        yield 'zero', none.shifted(joint, np.radians(angle))


def wrong(dynamics: InverseDynamics, pieces: list[Piece],
          largest: list[int]) -> Iterator[tuple[str, list[Piece]]]:
    for kind, change in changes(dynamics.n, largest):
        yield kind, [change.piece(piece) for piece in pieces]
    none = InverseDynamics(dynamics.model, gravity=(0.0, 0.0, 0.0))
    for kind, scale, share, other in (
            ('no gravity', 1.0, 1.0, none), ('no gravity, pace', 1.0, 0.9, none),
            ('pace', 1.0, 0.5, none), ('', 0.1, 0.0, none),
            *(('gravity', 1.0, 1.0, InverseDynamics(dynamics.model, gravity=side))
              for side in ((9.81, 0.0, 0.0), (0.0, 9.81, 0.0)))):
        yield kind, [piece._replace(effort=scale * piece.effort - share * dynamics.gravity(piece.q)
                                    + other.gravity(piece.q)) for piece in pieces]


def remembered(function: Callable[[Change], Any]) -> Callable[[Change], Any]:
    def of(change: Change) -> Any:
        key = b''.join(np.asarray(part, dtype=float).tobytes() for part in change)
        return results[key] if key in results else results.setdefault(key, function(change))

    results: dict[bytes, Any] = {}
    return of


def named(name: str, path: Path, dynamics: InverseDynamics, counts: dict[str, Any]) -> None:
    robot, names = robot_of(dynamics), RecordedNames(
        dynamics.joint_names, dynamics.continuous, dynamics.units)
    pieces = pieces_of(*read_segments(open_recording(path), names), path)
    checked = check_recording(robot, pieces)
    used, free, joints = checked.used, np.zeros(dynamics.n, bool), np.flatnonzero(checked.used)
    sizes = np.nanstd(np.concatenate([piece.effort for piece in pieces])[:, joints], axis=0)
    for kind, changed in wrong(dynamics, pieces, joints[np.argsort(-sizes)].tolist()):
        fit: Any = RecordingFit(dynamics, changed, used, free)
        judge = Judge(remembered(partial(fitted_error, robot, fit.longest, used, free)),
                      FARTHEST_DELAY)
        fit.unexplained = remembered(fit.unexplained)
        for limit, values in LIMITS.items():
            usual = getattr(mistakes, limit)
            for value in sorted({*values, usual}, key=usual.__eq__):
                setattr(mistakes, limit, value)
                found = [each.kind for each in mistakes.mistakes_of(fit, checked.moving, judge)]
                column = 3 if not kind else 2 if not found else found[0] not in kind.split(', ')
                counts[limit].setdefault(value, [0] * 4)[column] += bool(kind or found)
        print(f'{name}, {kind or "none"}: {", ".join(found) or "-"}', flush=True)


if __name__ == '__main__':
    data = Path(*sys.argv[1:2] or [ROOT.parent / 'shared/data'])
    counts: dict[str, Any] = {limit: {} for limit in LIMITS}
    with tempfile.TemporaryDirectory() as folder:
        worn = Path(folder, 'worn.csv')
        subprocess.run([sys.executable, ROOT / 'examples/worn_rx90.py',
                        ROOT / 'examples/rx90.csv', worn], check=True)
        for name, path, urdf, g in (
                ('worn RX-90', worn, ROOT / 'urdf/rx90.urdf', 9.81),
                ('UR10', next(data.glob('ur10*/ur10*.db3'), data / 'ur10'),
                 EXAMPLES / 'ur_description/urdf/ur10_robot.urdf', 9.81),
                ('TX40', data / 'tx40/tx40.csv', data / 'tx40/tx40.urdf', 9.81),
                ('Gazebo', data / 'gazebo/rx90_friction_effort.csv',
                 data / 'gazebo/rx90_friction.urdf', 9.8)):
            if path.is_file():
                named(name, path, InverseDynamics(urdf, gravity=(0.0, 0.0, -g)), counts)
    for limit, by_value in counts.items():
        print(f'{limit:>10} {"found":>6} {"another":>8} {"not found":>10} {"in vain":>8}')
        for value, (found, other, missed, vain) in sorted(by_value.items()):
            print(f'{value:10g} {found:6} {other:8} {missed:10} {vain:8}')
