"""The result of tuning as a report, on a terminal and as a page, and as a file of parameters."""

import json
from collections.abc import Mapping, Sequence
from textwrap import wrap

import numpy as np

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.drawing.tables_page import ReportTable, report_page, text_table
from urdf2dyn_ros.estimators import ESTIMATORS
from urdf2dyn_ros.outcomes import joint_state_lines
from urdf2dyn_ros.parameters.parameter_file import yaml_number
from urdf2dyn_ros.quoting import asked_once, printable
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.noise import LEAST_NOISE, sampling
from urdf2dyn_ros.tuning.plots import joint_pictures
from urdf2dyn_ros.tuning.suggestion import Suggestion

_HEAD = ('joint', 'position noise', 'velocity noise', 'snap density', 'lag [ms]', 'scale',
         'default [%]', 'fixed [%]')

_LAG = _HEAD.index('lag [ms]') - 1

_LEGEND = ('noise: standard deviation [rad or m], [rad/s or m/s]; snap density: the one that '
           'predicts the joint best [rad^2/s^7 or m^2/s^7]; lag and scale: of the velocities, '
           'relative to the positions; default, fixed: difference of the acceleration from that '
           'smoothed with later samples, RMS over RMS, with the default and with the best fixed '
           'parameters')
_WIDTH = 88


def report(motion: RecordedMotion, suggestion: Suggestion, held: Sequence[str] = ()) -> str:
    """
    Return sampling, a row for every joint, faults of velocities, and the suggestion.

    `held` are the texts of the parameter ``hold``.
    """
    return '\n'.join([*_samples(motion), '', text_table(_joints(motion, suggestion)), '',
                      *wrap(_LEGEND, _WIDTH), '', *_remarks(motion, suggestion),
                      *_conclusion(suggestion, held)])


def html_report(motion: RecordedMotion, suggestion: Suggestion, held: Sequence[str],
                title: str, about: Mapping[str, str]) -> str:
    """Return the same as a page of HTML, with a picture of each joint and the facts `about`."""
    table = _joints(motion, suggestion)
    head, *parameters = _conclusion(suggestion, held)
    text = (f'{head} {", ".join(parameters)}'.rstrip(), *_samples(motion), _LEGEND)
    return report_page(title, [table._replace(text=text)], _remarks(motion, suggestion),
                       [f'{name}: {value}' for name, value in about.items()],
                       *joint_pictures(motion, suggestion))


def _samples(motion: RecordedMotion) -> list[str]:
    """Return what the samples are, and what was dropped."""
    lines = [motion.set_back] if motion.set_back else []
    lines.append(f'sampling: {sampling(motion.all_stamps)}')
    lines += joint_state_lines(motion.events, ('jump_back',))
    if motion.repeated:
        share = 100.0 * motion.repeated / (motion.repeated + len(motion.stamps))
        lines.append(f'repeated: {counted(motion.repeated, "sample")} ({share:.3g} %) with the '
                     'positions of the one before although the robot moves: excluded, by the '
                     'node as well, as they are no measurements')
    if motion.skipped:
        lines.append(f'tuned on {len(motion.stamps)} samples, spread over the whole recording, '
                     f'which are enough; the {motion.skipped} others are excluded')
    return lines


def _remarks(motion: RecordedMotion, suggestion: Suggestion) -> list[str]:
    """Return the faults of velocities, and joints that say little."""
    faults: list[tuple[str, str]] = []
    for name, velocity, seen, moving in zip(motion.names, suggestion.velocities,
                                            suggestion.recognised, suggestion.moving):
        if not moving:   # what a regression finds there is noise
            continue
        faults += ([(name, f'velocity of {name} is not used, here and by the node: {seen.fault}')]
                   if seen.fault and velocity.kind == 'measured' else
                   [(name, f'velocity of {name} {fault}') for fault in velocity.faults])
    lines = asked_once(faults)
    still = [name for name, moving in zip(motion.names, suggestion.moving) if not moving]
    if still:
        lines.append('excluded, as they do not move: ' + ', '.join(still))
    # smoother than any sensor's
    quiet = [name for name, noise in zip(motion.names, suggestion.noise[0])
             if noise <= LEAST_NOISE[0]]
    if quiet:
        lines.append('no noise in the positions of ' + ', '.join(quiet) + ': they are simulated '
                     'or filtered; the suggestion suits such samples only')
    return lines


def _conclusion(suggestion: Suggestion, held: Sequence[str]) -> list[str]:
    """Return the suggested parameters, or that there are none."""
    lines = ['suggested, in tuned.yaml:'] if suggestion.parameters else []
    lines += [f'{suggestion.estimator}.{name}: {value:g}'
              for name, value in suggestion.parameters.items()]
    if not lines:
        best = ', '.join(f'{name} {value:g}' for name, value in suggestion.best.items())
        lines.append('the default is as good or better: nothing is suggested; the best fixed '
                     f'parameters are {best}')
    if held:
        lines.append('hold: ' + ', '.join(map(printable, held)))
    return lines


def _joints(motion: RecordedMotion, suggestion: Suggestion) -> ReportTable:
    rows: list[Sequence[str]] = []
    for joint, (name, velocity) in enumerate(zip(motion.names, suggestion.velocities)):
        seen = suggestion.recognised[joint] if suggestion.recognised else None
        lag, scale = ((seen.lag, seen.scale) if seen and np.isfinite(seen.lag)
                      else (velocity.lag, velocity.scale))
        # without a motion, relative figures are unknown
        of_motion = np.array([suggestion.density[joint], 100.0 * suggestion.untuned[joint],
                              100.0 * suggestion.tuned[joint]])
        density, untuned, tuned = of_motion if suggestion.moving[joint] else np.full(3, np.nan)
        figures = (suggestion.noise[0, joint], suggestion.noise[1, joint],
                   density, 1e3 * lag, scale, untuned, tuned)
        cells = [f'{figure:.3g}' if np.isfinite(figure) else '-' for figure in figures]
        if np.isfinite(lag):   # as of a simulated robot: 7e-14 ms is none
            cells[_LAG] = f'{round(1e3 * lag, 2) + 0.0:.3g}'
        rows.append([name, *cells])
    return ReportTable('Joints', _HEAD, rows)


def parameter_file(suggestion: Suggestion, recording: str, about: Mapping[str, str],
                   held: Sequence[str]) -> str:
    """
    Return a file of parameters for ros2 launch (config:=) and ros2 run (--params-file).

    Its head names the recording and the facts `about`; `held` is the parameter ``hold``.
    """
    rows = {row.name: row for row in ESTIMATORS[suggestion.estimator].PARAMETERS}
    lines = [f'# Parameters of the node inverse_dynamics, tuned on {printable(recording)}',
             *(f'# {name}: {printable(value)}' for name, value in about.items()),
             '# Launch with config:=THIS_FILE or run with --params-file THIS_FILE.',
             '/**:', '  ros__parameters:', f'    estimator: "{suggestion.estimator}"']
    if not suggestion.parameters:
        lines.append('    # the default is as good as, or better than, the best fixed parameters')
    for name, value in suggestion.parameters.items():
        lines += [f'    # {rows[name].unit}',
                  f'    {suggestion.estimator}.{name}: {yaml_number(value)}']
    if held:
        lines += ['    # joints that are not published, at rest',
                  f'    hold: {json.dumps(list(held), ensure_ascii=False)}']
    return '\n'.join(lines) + '\n'
