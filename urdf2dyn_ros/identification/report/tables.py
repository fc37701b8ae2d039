"""The report's tables and sentences, in the order in which a user asks."""

import math
from collections.abc import Sequence
from itertools import compress

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array, geometric_mean
from urdf2dyn_ros.algebra.vectors import apply, subtract, transpose
from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.drawing.tables_page import ReportTable
from urdf2dyn_ros.evaluation.gain_fit import gain_words
from urdf2dyn_ros.identification.columns import PARAMETERS
from urdf2dyn_ros.identification.fit.deviations import DATA, source_of_value
from urdf2dyn_ros.identification.fit.held_out import Figures
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS, units_of
from urdf2dyn_ros.identification.low_pass import HIGHEST_CUTOFF
from urdf2dyn_ros.identification.misfits import LEAST_R2
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.multibody import Attached

GAINS_TITLE = 'What changed: gains'
VALIDATION_TITLE = 'Validation recording'


def report_tables(result: Identification) -> list[ReportTable]:
    return [_figures(result, 'Does it explain data that it was not fitted to?', result.held_out,
                     [_verdict(result), f'Held out of the fit in turn: {result.parts}. Root mean '
                      f'squares of the measured effort below {HIGHEST_CUTOFF:g} Hz minus the '
                      f'computed one below {_band(result)} Hz.']),
            *(_figures(result, f'{VALIDATION_TITLE} {name}', figures, [])
              for name, figures in result.validation.items()),
            *_gains(result), _friction(result), *_own_friction(result), _masses(result),
            _parameters(result), _base(result), _recordings(result)]


def figure_text(value: float, digits: int = 3) -> str:
    """Return a number, or a dash where there is none."""
    return f'{value:.{digits}g}' if math.isfinite(value) else '-'


def _band(result: Identification) -> str:
    low, high = (function(each.cutoff for each in result.summaries) for function in (min, max))
    return figure_text(low) if low > 0.99 * high else f'{figure_text(low)} to {figure_text(high)}'


def _verdict(result: Identification) -> str:
    urdf, friction, own = (geometric_mean(row[np.isfinite(row)]) for row in result.held_out.every)
    poor = [joint for joint, r2, used in zip(
        result.robot.joints, result.held_out.r2[2], result.used) if used and r2 < LEAST_R2]
    answer = f'Not at {", ".join(poor)} (R2 below {LEAST_R2:g}). In all' if poor else 'Yes'
    return (f'{answer}: its residual is {100.0 * own / urdf:.3g} % of that of the URDF, and '
            f'{100.0 * own / friction:.3g} % of that of the URDF with fitted friction and rotors '
            '(geometric means of the joints).')


def _figures(result: Identification, title: str, figures: Figures,
             text: Sequence[str]) -> ReportTable:
    rows = [[joint, unit, figure_text(figures.measured[j]),
             *(figure_text(each[k, j]) for each in (figures.every, figures.moving)
               for k in range(3)), figure_text(figures.r2[2, j]),
             figure_text(figures.r2_moving[2, j])]
            for j, (joint, unit) in enumerate(zip(
                result.robot.joints, result.units)) if result.used[j]]
    return ReportTable(title, ('joint', 'unit', 'measured', 'URDF', 'friction only',
                               'identified', 'URDF, moving', 'friction only, moving',
                               'identified, moving', 'R2', 'R2, moving'), rows, text)


def _gains(result: Identification) -> list[ReportTable]:
    robot, gains, errors = result.robot, result.gains, result.deviations
    if gains is None or not gains.free.any():
        return []
    rows = []
    for j, (joint, unit) in enumerate(zip(robot.joints, robot.dynamics.effort_units)):
        if result.used[j]:
            value = result.effort_per_unit[j]
            error, ratio = (100.0 * each[j] for each in (errors.gains, errors.ratios))
            rows.append([joint, f'{unit}/A', figure_text(value), *(
                [figure_text(ratio, 2), figure_text(error, 2)] if gains.free[j]
                else ['known', 'known'])])
    words = gain_words(robot.joints, np.where(result.used, result.effort_per_unit, np.nan))
    known = result.payload is not None and result.payload.known
    scale = ('fixed by the mass of the payload' if known else
             'fixed by the known gains' if not gains.free[result.used].all() else
             "that of the URDF's masses, as currents do not determine it: a payload of known mass "
             'or a known gain (--gains free JOINT=VALUE) does')
    return [ReportTable(
        GAINS_TITLE, ('joint', 'unit', 'gain', 'deviation of ratio [%]', 'deviation [%]'), rows,
        (f'Effort over current. Their common factor is {scale}. Deviation of ratio: of the gain '
         'over the mean of all free ones. A negative gain: this motor turns the other way. For '
         f'urdf2dyn evaluate: --effort-semantics current --gains {words}',))]


def _friction(result: Identification) -> ReportTable:
    rows = []
    for j, joint in enumerate(result.robot.joints):
        if result.used[j]:
            errors = result.deviations.joints[j] / units_of(result.fit.gains)[j]
            cells = [f'{figure_text(value)} +- {figure_text(error, 2)}'
                     if math.isfinite(error) else 'not known'
                     for value, error in zip(result.joints[j], errors)]
            before = ', '.join(figure_text(value) for value in result.robot.urdf_friction[j])
            rows.append([joint, before, *cells, figure_text(result.terms.top_speed[j])])
    return ReportTable(
        'What changed: friction and rotors', (
            'joint', 'URDF: viscous, Coulomb', *JOINT_COLUMNS, 'not negative up to'), rows,
        ('Friction = viscous qd + (coulomb + load |effort|) tanh(qd / width) + quadratic qd |qd| '
         '+ offset; width is 0.02 rad/s or 0.002 m/s; armature is the reflected inertia of the '
         'rotor. +- is one standard deviation, with neighbouring residuals counted as alike. The '
         'last column is the velocity [rad/s or m/s] up to which friction is bounded to be '
         'positive: beyond it, it is an extrapolation.',))


def _own_friction(result: Identification) -> list[ReportTable]:
    if not result.own_friction:
        return []
    rows = [[joint, name, *map(figure_text, values[j])]
            for j, joint in enumerate(result.robot.joints) if result.used[j]
            for (name, values), each in zip(result.own_friction.items(), result.summaries)
            if each.used[j]]
    return [ReportTable(
        'Friction of each recording', ('joint', 'recording', *JOINT_COLUMNS), rows,
        ('Links and rotors are shared. The table above and parameters.yaml have the friction of '
         'the last recording in which a joint is identified.',))]


def centre_in_link(row: Array, link: Attached) -> tuple[float, ...]:
    """Return the centre of mass [m] of a body's inertial parameters (10,) in a link's frame."""
    if not row[0]:
        return (math.nan,) * 3
    x, y, z = (row[1:4] / row[0]).tolist()
    return apply(transpose(link.body_R_link), subtract((x, y, z), link.body_p_link))


def _masses(result: Identification) -> ReportTable:
    robot = result.robot
    rows = []
    for number, body in enumerate(robot.system.bodies):
        before, after = robot.prior.nominal[number], result.fit.bodies[number]
        first = body.attached[0]
        centre = [', '.join(map(figure_text, centre_in_link(row, first)))
                  for row in (before, after)]
        rows.append([body.name, ', '.join(each.link.name for each in body.attached),
                     figure_text(before[0]), figure_text(after[0]), *centre])
    return ReportTable(
        'What changed: bodies', ('moved by', 'links', 'mass in the URDF [kg]',
                                 'mass identified [kg]', 'centre in the URDF [m]',
                                 'centre identified [m]'), rows,
        ('Single masses and centres are hardly determined by efforts at joints, however long the '
         'recording is; their combinations are. So they are those nearest to the URDF that '
         'explain the data, with every body possible. Centres of mass are in the frame of the '
         'first link of a row.', *robot.prior.remarks))


def _parameters(result: Identification) -> ReportTable:
    deviations, robot = result.deviations, result.robot
    rows = []
    for body, part in enumerate(robot.system.bodies):
        for k, name in enumerate(PARAMETERS):
            left = deviations.bodies_left[body, k]
            rows.append([part.name, name, figure_text(robot.prior.nominal[body, k]),
                         figure_text(result.fit.bodies[body, k], 4),
                         figure_text(deviations.bodies[body, k], 2), source_of_value(left)])
    known = sum(row[-1] == DATA for row in rows)
    return ReportTable(
        'What the data determine', ('moved by', 'parameter', 'URDF', 'identified', 'deviation',
                                    'from'), rows,
        (f'The data determine {deviations.known} of {deviations.unknowns} combinations of '
         f'inertial parameters, and {counted(known, "single parameter")}; the others are from '
         'the URDF. Mass m [kg], first moments h [kg m] and inertia J [kg m^2] about the joint, '
         "in the frame of the body with z along the joint's axis.",))


def _base(result: Identification) -> ReportTable:
    rows = [[name, unit, figure_text(before), figure_text(after, 4), figure_text(error, 2)]
            for name, unit, before, after, error in zip(*result.base)]
    return ReportTable(
        'Base parameters', ('parameter', 'unit', 'URDF', 'identified', 'deviation'), rows,
        ('The combinations of inertial parameters that efforts depend on, each named by its first '
         'one: urdf2dyn info --model regressor prints the sums. Of the true values 95 % are '
         'within 1.96 deviations.',))


def _recordings(result: Identification) -> ReportTable:
    rows = [[each.name, figure_text(each.seconds, 4), figure_text(each.cutoff),
             figure_text(1e3 * each.delay),
             'all' if each.used.all() else ', '.join(compress(result.robot.joints, each.used))]
            for each in result.summaries]
    return ReportTable('Recordings', ('recording', 'used [s]', 'cutoff [Hz]',
                                      'effort is late by [ms]', 'joints'), rows,
                       ('Weight of the URDF in pseudo-observations per body: '
                        f'{result.weight:g}.',))
