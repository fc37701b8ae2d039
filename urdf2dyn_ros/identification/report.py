"""The report of an identification: tables, sentences, figures and a picture."""

import math
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from urdf2dyn_ros.identification.fit import DATA, source_of_value
from urdf2dyn_ros.identification.held_out import IDENTIFIED, MODELS, Figures
from urdf2dyn_ros.identification.payload import IdentifiedPayload
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import (
    ASYMMETRY,
    JOINT_COLUMNS,
    PARAMETERS,
    STRIBECK,
    USUAL,
    friction_of,
)
from urdf2dyn_ros.identification.rollouts import HORIZON, rollouts
from urdf2dyn_ros.identification.rows import HIGHEST_CUTOFF, ROW_RATE
from urdf2dyn_ros.identification.summary import DELAY_STEP
from urdf2dyn_ros.recordings.pages import (
    COMPUTED,
    GREY,
    LIGHT,
    MEASURED,
    ReportTable,
    add_head,
    add_name,
    drawn_name,
    panels,
    png_bytes,
    style_axes,
    thinned,
)
from urdf2dyn_ros.robot.multibody import Attached
from urdf2dyn_ros.robot.spatial import Array, Vector, geometric_mean
from urdf2dyn_ros.system import json_text
from urdf2dyn_ros.text import counted

# ---- The report's tables and sentences, in the order in which a user asks

GAINS_TITLE = 'What changed: gains'
PAYLOAD_TITLE = 'Payload'
VALIDATION_TITLE = 'Validation recording'
_MOST_TOLD = 3   # findings that the verdict has; the JSON has all


def report_tables(result: Identification) -> list[ReportTable]:
    cutoffs = [summary.cutoff for summary in result.summaries]
    low, high = min(cutoffs), max(cutoffs)
    band = figure_text(low) if low > 0.99 * high else f'{figure_text(low)} to {figure_text(high)}'
    return [_figures_table(
        result, 'Does it explain data that it was not fitted to?', result.held_out, [
            verdict(result), f'Held out of the fit in turn: {result.parts}. Root mean squares of '
            f'the measured effort below {HIGHEST_CUTOFF:g} Hz minus the computed one below {band} '
            'Hz.']),
            *_payload_table(result.payload), *_rollouts_table(result),
            *(_figures_table(result, f'{VALIDATION_TITLE} {name}', figures, [])
              for name, figures in result.validation.items()),
            *_gains_table(result), _friction_table(result), _masses_table(result),
            _parameters_table(result), _base_table(result), _recordings_table(result)]


def figure_text(value: float, digits: int = 3) -> str:
    """Return a number, or a dash where there is none."""
    return f'{value:.{digits}g}' if math.isfinite(value) else '-'


def verdict(result: Identification) -> str:
    """Return what is not explained, what the data contradict, and what is left of the efforts."""
    urdf, friction, model = (geometric_mean(row[np.isfinite(row)])
                             for row in result.held_out.every)
    joints, parts = result.robot.joints, list[str]()
    poor = [*compress(joints, result.unexplained)]
    if poor:
        verb = 'keeps' if len(poor) == 1 else 'keep'
        kept = '' if result.force else f', which {verb} the numbers of the URDF without --force'
        explained = len(poor) < np.sum(result.used) and not result.contradictions
        parts.append(f'{"Yes, but not" if explained else "Not"} at {", ".join(poor)}{kept}.')
    where = '' if result.used.all() else f' at {", ".join(compress(joints, result.used))}'
    contradictions = result.contradictions
    if len(contradictions) > 1:
        contradictions = tuple(f'({k}) {text}' for k, text in enumerate(contradictions, 1))
    for sentences, begin in ((contradictions, 'The data contradict the model: '),
                             (result.caveats, '' if poor else 'But ' if contradictions else
                              f'Yes{where}, but ')):
        more = len(sentences) - _MOST_TOLD
        if sentences:
            parts.append(f'{begin}{"; ".join(sentences[:_MOST_TOLD])}.'
                         + (f' And {more} more, which the JSON has.' if more > 0 else ''))
    parts.append(f'The residual of the identified model{where}' if parts else
                 f'Yes{where}: its residual')
    parts[-1] += (f' is {100.0 * model / urdf:.3g} % of that of the URDF, and '
                  f'{100.0 * model / friction:.3g} % of that of the URDF with fitted friction and '
                  'rotors (geometric means of the joints).')
    if result.unchecked.any():
        parts.append('Friction would hide a wrong gain or unit of '
                     f'{", ".join(compress(joints, result.unchecked))}.')
    return ' '.join(parts).replace('?.', '?').replace('?;', '?')


def _figures_table(result: Identification, title: str, figures: Figures,
                   text: Sequence[str]) -> ReportTable:
    rows = [[joint, unit, figure_text(figures.measured[j]),
             *(figure_text(residuals[k, j]) for residuals in (figures.every, figures.moving)
               for k in range(len(MODELS))), figure_text(figures.r2[IDENTIFIED, j]),
             figure_text(figures.r2_moving[IDENTIFIED, j])]
            for j, (joint, unit) in enumerate(zip(
                result.robot.joints, result.units)) if result.used[j]]
    return ReportTable(title, ('joint', 'unit', 'measured', 'URDF', 'friction only',
                               'identified', 'URDF, moving', 'friction only, moving',
                               'identified, moving', 'R2', 'R2, moving'), rows, text)


def _rollouts_table(result: Identification) -> list[ReportTable]:
    errors_of, robot = rollouts(result), result.robot
    if errors_of is None:
        return []
    rows = [[joint, unit, *(figure_text(errors[j]) for errors in errors_of)]
            for j, (joint, unit) in enumerate(zip(robot.joints, robot.dynamics.units))
            if result.used[j]]
    return [ReportTable(
        'Where do the recorded efforts lead in a simulation?',
        ('joint', 'unit', 'moved', 'error of the URDF', 'error of the identified robot'), rows,
        (f'Simulated for {HORIZON:g} s from recorded positions and velocities by the recorded '
         f'efforts alone, in {result.parts} that were held out of the fit: root mean squares of '
         'how far the joints came, and of the errors of the simulated positions by then. '
         'Simulated velocities are bounded to three times the recorded ones.',))]


def _gains_table(result: Identification) -> list[ReportTable]:
    robot, gains = result.robot, result.gains
    if gains is None or not gains.free.any():
        return []
    rows = []
    for j, (joint, unit) in enumerate(zip(robot.joints, robot.dynamics.effort_units)):
        if result.used[j]:
            value = result.effort_per_unit[j]
            error, ratio = 100.0 * gains.deviations[j], 100.0 * gains.ratios[j]
            rows.append([joint, f'{unit}/A', figure_text(value), *(
                [figure_text(ratio, 2), figure_text(error, 2)] if gains.free[j]
                else ['known', 'known'])])
    typed = [f'{joint}={value:.6g}' for joint, value, used in zip(
        robot.joints, result.handed_gains, result.used) if used and math.isfinite(value)]
    words = ' '.join(typed if len(typed) == len(robot.joints) else ['free', *typed])
    payload_known = result.payload is not None and result.payload.known
    scale = ('fixed by the mass of the payload' if payload_known else
             'fixed by the known gains' if not gains.free[result.used].all() else
             "that of the URDF's masses, as currents do not determine it: a payload of known mass "
             'or a known gain (--gains free JOINT=VALUE) does')
    return [ReportTable(
        GAINS_TITLE, ('joint', 'unit', 'gain', 'deviation of ratio [%]', 'deviation [%]'), rows,
        (f'Effort over current. Their common factor is {scale}. Deviation of ratio: of the gain '
         'over the mean of all free ones. A negative gain: this motor turns the other way. For '
         f'urdf2dyn evaluate: --effort-semantics current --gains {words}',))]


_TERMS = (*JOINT_COLUMNS[:STRIBECK[0]], 'stribeck')   # of a joint, as they are reported


def _reported_terms(row: Array) -> list[float]:
    """Return _TERMS of JOINT_COLUMNS (c,): no more than one velocity of Stribeck's is used."""
    finite = row[STRIBECK][np.isfinite(row[STRIBECK])]
    return [*row[:STRIBECK[0]].tolist(), float(finite.max()) if len(finite) else math.nan]


def _stribeck_velocity(result: Identification, j: int) -> float:
    """Return the velocity of Stribeck's friction of a joint, NaN where it is not used."""
    friction = friction_of(result.joints[j], float(result.robot.sign_widths[j]))
    return friction.decay ** -0.5 if friction.stribeck else math.nan


def _friction_table(result: Identification) -> ReportTable:
    rows, unknown = [], result.terms.unknown
    for j, joint in enumerate(result.robot.joints):
        if result.used[j]:
            cells = [f'{figure_text(value)} +- {figure_text(error, 2)}' if math.isfinite(error)
                     else 'not known' if name in JOINT_COLUMNS[USUAL] else '-'
                     for name, value, error in zip(
                         _TERMS, _reported_terms(result.joints[j]),
                         _reported_terms(result.deviations.joints[j]))]
            before = ', '.join(figure_text(value) for value in result.robot.urdf_friction[j])
            rows.append([joint, before, *cells, figure_text(_stribeck_velocity(result, j)),
                         figure_text(result.terms.top_speed[j])])
    further = '; '.join(
        f'{joint}: ' + ' and '.join(compress(
            ('asymmetry', 'Stribeck friction'),
            (unknown[j, ASYMMETRY], unknown[j, STRIBECK].any())))
        + f', by {100.0 * (1.0 - result.left_by_friction[j]):.0f} %'
        for j, joint in enumerate(result.robot.joints) if unknown[j, ASYMMETRY:].any())
    return ReportTable(
        'What changed: friction and rotors', (
            'joint', 'URDF: viscous, Coulomb', *_TERMS, 'Stribeck velocity',
            'not negative up to'), rows,
        ('Friction = viscous qd + (coulomb + load |effort| + asymmetry qd + stribeck '
         'exp(-(qd / Stribeck velocity)^2)) tanh(qd / width) + quadratic qd |qd| '
         '+ offset; width is 0.02 rad/s or 0.002 m/s; armature is the reflected inertia of the '
         'rotor. +- is one standard deviation, with neighbouring residuals counted as alike. The '
         'last column is the velocity [rad/s or m/s] up to which friction is bounded to be '
         'positive: beyond it, it is an extrapolation.',
         'Asymmetry (viscous friction is larger in one direction) and Stribeck friction are used '
         f'where the residual of held-out {result.parts} falls by 5 %: {further or "nowhere"}. '
         'A Stribeck velocity of up to 5 widths may also mean that the sign turns over faster.'))


def centre_in_link(row: Array, link: Attached) -> Vector:
    """Return the centre of mass [m] of a body's inertial parameters (10,) in a link's frame."""
    if not row[0]:
        return Vector(math.nan, math.nan, math.nan)
    c = Vector(*(row[1:4] / row[0]).tolist())
    return link.body_R_link.T @ (c - link.body_p_link)


def _masses_table(result: Identification) -> ReportTable:
    robot = result.robot
    rows = []
    for number, body in enumerate(robot.system.bodies):
        before, after = robot.prior.nominal[number], result.fit.bodies[number]
        if not body.attached:
            continue
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


def _parameters_table(result: Identification) -> ReportTable:
    deviations, robot = result.deviations, result.robot
    rows = []
    for body, part in enumerate(robot.system.bodies):
        for k, name in enumerate(PARAMETERS):
            share = deviations.bodies_left[body, k]
            rows.append([part.name, name, figure_text(robot.prior.nominal[body, k]),
                         figure_text(result.fit.bodies[body, k], 4),
                         figure_text(deviations.bodies[body, k], 2), source_of_value(share)])
    determined = sum(row[-1] == DATA for row in rows)
    return ReportTable(
        'What the data determine', ('moved by', 'parameter', 'URDF', 'identified', 'deviation',
                                    'from'), rows,
        (f'The data determine {deviations.known} of {deviations.unknowns} combinations of '
         f'inertial parameters, and {counted(determined, "single parameter")}; the others are '
         'from the URDF. Mass m [kg], first moments h [kg m] and inertia J [kg m^2] about the '
         "joint, in the frame of the body with z along the joint's axis.",))


def _base_table(result: Identification) -> ReportTable:
    rows = [[name, unit, figure_text(before), figure_text(after, 4), figure_text(error, 2)]
            for name, unit, before, after, error in zip(*result.base)]
    return ReportTable(
        'Base parameters', ('parameter', 'unit', 'URDF', 'identified', 'deviation'), rows,
        ('The combinations of inertial parameters that efforts depend on, each named by its first '
         'one: urdf2dyn info --function regressor prints the sums. Of the true values 95 % are '
         'within 1.96 deviations.',))


def _recordings_table(result: Identification) -> ReportTable:
    rows = [[summary.name, figure_text(summary.seconds, 4), figure_text(summary.cutoff),
             figure_text(500.0 * sum(summary.delays)) if np.ptp(summary.delays) < DELAY_STEP else
             ' to '.join(f'{1e3 * delay:.0f}' for delay in summary.delays),
             'all' if summary.used.all() else
             ', '.join(compress(result.robot.joints, summary.used))]
            for summary in result.summaries]
    return ReportTable('Recordings', ('recording', 'used [s]', 'cutoff [Hz]',
                                      'effort is late by [ms]', 'joints'), rows,
                       ('A delay is not determined where it is between two: the first and the '
                        'last are what bodies alone and with friction would choose. Weight of '
                        f'the URDF in pseudo-observations per body: {result.weight:g}.',))


# ---- A payload in the report, and as JSON

_CENTRE = ('centre x', 'centre y', 'centre z')
_UNITS = ('kg', *(3 * ['kg m']), *(6 * ['kg m^2']))


def _payload_table(payload: IdentifiedPayload | None) -> list[ReportTable]:
    if payload is None:
        return []
    rows = [[name, unit, figure_text(value, 4), figure_text(error, 2)]
            for name, unit, value, error in zip(PARAMETERS, _UNITS, payload.parameters,
                                                payload.deviations)]
    rows += [[name, 'm', figure_text(value, 4), figure_text(error, 2)]
             for name, value, error in zip(_CENTRE, *payload.centre)]
    about = ('Its mass was known, and fixes the gains' if payload.known else
             'Its mass was not known')
    settings = '; '.join(
        f'{name}: ' + (f'[{", ".join(f"{entry:.6g}" for entry in value)}]'
                       if isinstance(value, list) else
                       value if isinstance(value, str) else f'{value:.6g}')
        for name, value in payload.settings().items())
    return [ReportTable(
        PAYLOAD_TITLE, ('parameter', 'unit', 'identified', 'deviation'), rows,
        (f'On link {payload.link}, in {", ".join(payload.recordings)}. {about}. Mass m, first '
         "moments h and inertia J about the link's origin, in the link's axes; the robot that "
         'was identified is without it.',
         f'{settings} (parameters of the node)'))]


# ---- The result as JSON: all figures and parameters, for programs

def identification_json(result: Identification, about: Mapping[str, Any]) -> str:
    """Return the text of identification.json; `about` is the origin."""
    robot, deviations = result.robot, result.deviations
    return json_text({
        'verdict': verdict(result),
        'not_explained': [*compress(robot.joints, result.unexplained)],
        'about': about, 'held_out_parts': result.parts, 'weight': result.weight,
        'known_combinations': deviations.known, 'combinations': deviations.unknowns,
        'base_parameters': {
            name: {'unit': unit, 'urdf': urdf, 'identified': identified, 'deviation': deviation}
            for name, unit, urdf, identified, deviation in zip(*result.base)},
        'joints': {joint: _joint_json(result, j) for j, joint in enumerate(robot.joints)
                   if result.used[j]},
        'bodies': {body.name: _body_json(result, k) for k, body in enumerate(robot.system.bodies)},
        'payload': _payload_figures(result.payload),
        'recordings': [
            {'name': summary.name, 'seconds': summary.seconds, 'cutoff_hz': summary.cutoff,
             'delay_used_s': summary.delay, 'delays_s': summary.delays,
             'joints': [*compress(robot.joints, summary.used)]}
            for summary in result.summaries],
        'contradictions': result.contradictions, 'caveats': result.caveats,
        'remarks': result.remarks})


def _payload_figures(payload: IdentifiedPayload | None) -> dict[str, Any] | None:
    if payload is None:
        return None
    centre, errors = payload.centre
    return {
        'link': payload.link, 'recordings': list(payload.recordings),
        'mass_known': payload.known,
        'parameters': {name: {'value': value, 'deviation': error}
                       for name, value, error in zip(PARAMETERS, payload.parameters,
                                                     payload.deviations)},
        'centre': {name[-1]: {'value': value, 'deviation': error}
                   for name, value, error in zip(_CENTRE, centre, errors)},
        'node_parameters': payload.settings()}


def _joint_json(result: Identification, j: int) -> dict[str, Any]:
    deviations, rate = result.deviations, result.effort_per_unit[j]
    gains = result.gains
    error, ratio = (math.nan, math.nan) if gains is None or not gains.free.any() else (
        gains.deviations[j], gains.ratios[j])
    return {
        'held_out': _joint_figures(result.held_out, j),
        'validation': {name: _joint_figures(each, j) for name, each in result.validation.items()},
        'unit': result.units[j],
        'gain': {'effort_per_recorded_unit': rate,
                 'deviation': abs(rate) * error,
                 'deviation_of_ratio': abs(rate) * ratio},
        'terms': {name: {'value': value, 'deviation': error} for name, value, error in zip(
            _TERMS, _reported_terms(result.joints[j]), _reported_terms(deviations.joints[j]))},
        'stribeck_velocity': _stribeck_velocity(result, j),
        'friction_bounded_up_to': result.terms.top_speed[j]}


def _body_json(result: Identification, k: int) -> dict[str, Any]:
    deviations = result.deviations
    return {name: {'urdf': urdf, 'identified': identified, 'deviation': deviation,
                   'from': source_of_value(share)}
            for name, urdf, identified, deviation, share in zip(
                PARAMETERS, result.robot.prior.nominal[k], result.fit.bodies[k],
                deviations.bodies[k], deviations.bodies_left[k])}


def _joint_figures(figures: Figures, joint: int) -> dict[str, Any]:
    residuals = {'r2': figures.r2, 'r2_moving': figures.r2_moving, 'all': figures.every,
                 'moving': figures.moving}
    return {'measured': figures.measured[joint],
            **{name: dict(zip(MODELS, values[:, joint])) for name, values in residuals.items()}}


# ---- The picture of an identification: efforts over time, and residuals of the three models

# width of a joint's place, in one column, its height, and that of title and legend [in]
_WIDE, _STACKED, _HIGH, _HEAD = 6.6, 5.6, 2.1, 1.1
_MOST_STACKED = 12   # joints up to which they are below each other, which a phone can show
_MOST_ROWS, _MOST_JOINTS = 1500, 40


def identification_picture(result: Identification, title: str) -> bytes:
    """Return a PNG with a panel for each joint that is identified."""
    joints = np.flatnonzero(result.used)[:_MOST_JOINTS].tolist()
    columns, wide = (1, _STACKED) if len(joints) <= _MOST_STACKED else (2, _WIDE)
    figure, places = panels(len(joints), columns, (wide, _HIGH), _HEAD, (0.85, 0.15),
                            [(0.45, _HIGH - 0.85)])
    handles: list[Any] = []
    for joint, (axes,) in zip(joints, places):
        number = next((k for k, each in enumerate(result.summaries) if each.used[joint]), 0)
        curves = result.held_out_efforts(joint, number)
        lines = _draw_bars(axes, result, joint) if curves is None else _draw_curves(axes, *curves)
        handles = handles or lines
        add_name(axes, drawn_name(result.robot.joints[joint], 30))
        figures = ' > '.join(f'{rms:.3g}' for rms in result.held_out.every[:, joint])
        axes.set_title(f'RMS {figures}', fontsize='small', loc='right')
        axes.set_ylabel(f'effort [{result.units[joint]}]', fontsize='small')
        style_axes(axes, inset=0.5)
    add_head(figure, title, 50 * columns, handles, legend=0.52, size='small')
    figure.text(0.5, 1.0 - 0.75 / figure.get_figheight(), 'RMS of the residual: URDF > with '
                'friction and rotors > identified', ha='center', fontsize='small')
    return png_bytes(figure)


def _draw_curves(axes: Any, measured: Array, nominal: Array, computed: Array) -> list[Any]:
    time = np.arange(len(measured)) / ROW_RATE
    rows = thinned(np.stack((measured, nominal, computed)), _MOST_ROWS // 2)
    lines = [axes.plot(time[rows], values[rows], color=colour, linewidth=width, label=label)[0]
             for values, colour, width, label in (
                 (nominal, LIGHT, 1.2, 'URDF, without friction'),
                 (measured, MEASURED, 2.6, 'measured'),
                 (computed, COMPUTED, 1.0, 'identified, without this part'))]
    axes.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    return lines


def _draw_bars(axes: Any, result: Identification, joint: int) -> list[Any]:
    values = result.held_out.every[:, joint]
    return [axes.bar([number], [value], color=colour, label=label)
            for number, (value, colour, label) in enumerate(zip(
                values, (LIGHT, GREY, COMPUTED),
                ('residual of the URDF', 'with friction', 'identified')))]
