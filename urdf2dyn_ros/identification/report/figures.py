"""The result as JSON: all figures and parameters, for programs."""

from collections.abc import Mapping
from itertools import compress
from typing import Any

from urdf2dyn_ros.identification.columns import PARAMETERS
from urdf2dyn_ros.identification.fit.deviations import source_of_value
from urdf2dyn_ros.identification.fit.held_out import Figures
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS, units_of
from urdf2dyn_ros.identification.payload.payload_tables import payload_figures
from urdf2dyn_ros.identification.result import MODELS, Identification
from urdf2dyn_ros.system.json_text import json_text


def identification_json(result: Identification, about: Mapping[str, Any]) -> str:
    """Return the text of identification.json; `about` is the origin."""
    robot, deviations = result.robot, result.deviations
    return json_text({
        'about': about, 'held_out_parts': result.parts, 'weight': result.weight,
        'known_combinations': deviations.known, 'combinations': deviations.unknowns,
        'friction_of_recordings': {
            name: {joint: dict(zip(JOINT_COLUMNS, row))
                   for joint, row, used in zip(robot.joints, values, each.used) if used}
            for (name, values), each in zip(result.own_friction.items(), result.summaries)},
        'base_parameters': {
            name: {'unit': unit, 'urdf': urdf, 'identified': identified, 'deviation': deviation}
            for name, unit, urdf, identified, deviation in zip(*result.base)},
        'joints': {joint: _joint(result, j) for j, joint in enumerate(robot.joints)
                   if result.used[j]},
        'bodies': {body.name: _body(result, k) for k, body in enumerate(robot.system.bodies)},
        'payload': payload_figures(result.payload),
        'recordings': [
            {'name': each.name, 'seconds': each.seconds, 'cutoff_hz': each.cutoff,
             'delay_s': each.delay,
             'joints': [*compress(robot.joints, each.used)]}
            for each in result.summaries],
        'remarks': result.remarks}, indent=1)


def _joint(result: Identification, j: int) -> dict[str, Any]:
    deviations, rate = result.deviations, result.effort_per_unit[j]
    return {
        'held_out': _figures(result.held_out, j),
        'validation': {name: _figures(each, j) for name, each in result.validation.items()},
        'unit': result.units[j],
        'gain': {'effort_per_recorded_unit': rate,
                 'deviation': abs(rate) * deviations.gains[j],
                 'deviation_of_ratio': abs(rate) * deviations.ratios[j]},
        'terms': {name: {'value': value, 'deviation': error} for name, value, error in zip(
            JOINT_COLUMNS, result.joints[j],
            deviations.joints[j] / units_of(result.fit.gains)[j])},
        'friction_bounded_up_to': result.terms.top_speed[j]}


def _body(result: Identification, k: int) -> dict[str, Any]:
    deviations = result.deviations
    return {name: {'urdf': urdf, 'identified': identified, 'deviation': deviation,
                   'from': source_of_value(left)}
            for name, urdf, identified, deviation, left in zip(
                PARAMETERS, result.robot.prior.nominal[k], result.fit.bodies[k],
                deviations.bodies[k], deviations.bodies_left[k])}


def _figures(figures: Figures, joint: int) -> dict[str, Any]:
    """Return the figures of a joint, those of residuals by model."""
    residuals = {'r2': figures.r2, 'r2_moving': figures.r2_moving, 'all': figures.every,
                 'moving': figures.moving}
    return {'measured': figures.measured[joint],
            **{name: dict(zip(MODELS, values[:, joint])) for name, values in residuals.items()}}
