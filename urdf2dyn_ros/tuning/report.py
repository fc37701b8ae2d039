"""What tuning found, in words and as a file of parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.estimators import ESTIMATORS
from urdf2dyn_ros.outcomes import JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.noise import LEAST_NOISE
from urdf2dyn_ros.tuning.sampling import sampling
from urdf2dyn_ros.tuning.suggestion import Suggestion

_HEAD = ('joint', 'position noise', 'velocity noise', '.. in innovations', 'snap density',
        'lag [ms]', 'scale', 'default [%]', 'tuned [%]')


def report(motion: RecordedMotion, found: Suggestion) -> str:
    """Return the sampling, a row for every joint, the velocities' faults and the suggestion."""
    lines = [motion.set_back] if motion.set_back else []
    lines.append(f'sampling: {sampling(motion.all_stamps)}')
    for counters, head in ((JOINT_STATE_OUTCOMES, 'dropped'), (JOINT_STATE_EVENTS, 'besides')):
        lines += [f'{head}: {name} {motion.events[name]} ({meaning})'
                  for name, meaning in counters.items()
                  if motion.events[name] and name != 'jump_back']
    if motion.skipped:
        lines.append(f'tuned on {len(motion.stamps)} samples from all over it, which are enough: '
                     f'{motion.skipped} between them are not used')
    lines.append(f'noise of the stamps: {1e3 * found.stamps:.3g} ms')
    lines += ['', *_table(motion, found), '']
    lines += ['noise: standard deviation [rad or m], [rad/s or m/s]; snap density: the most likely'
              ' [rad^2/s^7 or m^2/s^7];', 'lag and scale: of the velocities, relative to the '
              'positions; default, tuned: difference of the', 'acceleration from the smoothed '
              'one, RMS over RMS', '']
    for name, velocity in zip(motion.names, found.velocities):
        lines += [f'velocity of {name} {fault}' for fault in velocity.faults]
    still = [name for name, moving in zip(motion.names, found.moving) if not moving]
    if still:
        lines.append('not used, as they do not move: ' + ', '.join(still))
    quiet = [name for name, quiet in zip(motion.names, noiseless(found)) if quiet]
    if quiet:
        lines.append('no noise in the positions of ' + ', '.join(quiet) + ': they are simulated '
                     'or were filtered; what is suggested suits such samples alone')
    lines += [f'{found.estimator}.{name}: {value:g}' for name, value in found.parameters.items()]
    return '\n'.join(lines)


def noiseless(found: Suggestion) -> Sequence[bool]:
    """Return for every joint whether its positions are smoother than any sensor's, (n,)."""
    quiet: Sequence[bool] = (found.noise[0] <= LEAST_NOISE[0]).tolist()
    return quiet


def _table(motion: RecordedMotion, found: Suggestion) -> list[str]:
    rows: list[Sequence[str]] = [_HEAD]
    for joint, (name, velocity) in enumerate(zip(motion.names, found.velocities)):
        # figures relative to a motion, if there is one
        of_motion = np.array([found.density[joint], 100.0 * found.untuned[joint],
                              100.0 * found.tuned[joint]])
        density, untuned, tuned = of_motion if found.moving[joint] else np.full(3, np.nan)
        figures = (found.noise[0, joint], found.noise[1, joint], found.inflated[joint], density,
                   1e3 * velocity.lag, velocity.scale, untuned, tuned)
        rows.append([name, *(f'{figure:.3g}' if np.isfinite(figure) else '-'
                             for figure in figures)])
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ['  '.join([row[0].ljust(widths[0]),
                       *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
            for row in rows]


def parameter_file(found: Suggestion, recording: str) -> str:
    """Return a file of parameters for ros2 launch (config:=) and ros2 run (--params-file)."""
    rows = {row.name: row for row in ESTIMATORS[found.estimator].PARAMETERS}
    lines = [f'# Parameters of the node inverse_dynamics, tuned on {printable(recording)}',
             '# Launch with config:=THIS_FILE or run with --params-file THIS_FILE.',
             '/**:', '  ros__parameters:', f'    estimator: "{found.estimator}"']
    for name, value in found.parameters.items():
        lines += [f'    # {rows[name].unit}', f'    {found.estimator}.{name}: {_yaml(value)}']
    return '\n'.join(lines) + '\n'


def _yaml(value: float) -> str:
    """Return a number that YAML takes for one with a fraction: 1e-05 is a text to some readers."""
    mantissa, _, exponent = f'{value!r}'.partition('e')
    point = mantissa if '.' in mantissa else f'{mantissa}.0'
    return f'{point}e{int(exponent):+03d}' if exponent else point
