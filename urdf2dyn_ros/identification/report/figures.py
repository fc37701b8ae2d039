"""The result as JSON: all figures and parameters, for programs."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.columns import PARAMETERS
from urdf2dyn_ros.identification.fit.deviations import source_of_value
from urdf2dyn_ros.identification.fit.held_out import Figures
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS
from urdf2dyn_ros.identification.payload.payload_tables import payload_figures
from urdf2dyn_ros.identification.result import MODELS, Identification


def identification_json(found: Identification, about: Mapping[str, Any]) -> str:
    """Return the text of identification.json; `about` is the origin."""
    deviations = found.deviations
    joints = {}
    for j, joint in enumerate(found.robot.joints):
        if not found.used[j]:
            continue
        gain, rate = float(found.fit.gains[j]), float(found.effort_per_unit[j])
        joints[joint] = {
            'held_out': _figures(found.held_out, j),
            'validation': {name: _figures(each, j) for name, each in found.validation.items()},
            'unit': found.units[j],
            'gain': {'effort_per_recorded_unit': rate,
                     'deviation': _number(abs(rate) * deviations.gains[j]),
                     'deviation_of_ratio': _number(abs(rate) * deviations.ratios[j])},
            'terms': {name: {'value': _number(value), 'deviation': _number(error / gain)}
                      for name, value, error in zip(
                          JOINT_COLUMNS, found.joints[j], deviations.joints[j])},
            'friction_bounded_up_to': _number(found.terms.top_speed[j])}
    bodies = {body.name: {name: {
        'urdf': _number(found.robot.prior.nominal[k, p]),
        'identified': _number(found.fit.bodies[k, p]),
        'deviation': _number(deviations.bodies[k, p]),
        'from': source_of_value(deviations.bodies_left[k, p])}
        for p, name in enumerate(PARAMETERS)} for k, body in enumerate(found.robot.system.bodies)}
    recordings = [{'name': each.name, 'seconds': each.seconds, 'cutoff_hz': each.cutoff,
                   'delay_s': each.delay, 'joints': [
                       joint for joint, used in zip(found.robot.joints, each.used) if used]}
                  for each in found.summaries]
    return json.dumps({
        'about': about, 'held_out_parts': found.parts, 'weight': found.weight,
        'known_combinations': deviations.known, 'combinations': deviations.unknowns,
        'friction_of_recordings': {
            name: {joint: {term: float(value) for term, value in zip(JOINT_COLUMNS, row)}
                   for joint, row, used in zip(found.robot.joints, values, each.used) if used}
            for (name, values), each in zip(found.own_friction.items(), found.summaries)},
        'base_parameters': {name: {'unit': unit, 'urdf': _number(before),
                                   'identified': _number(after), 'deviation': _number(error)}
                            for name, unit, before, after, error in zip(*found.base)},
        'joints': joints, 'bodies': bodies, 'payload': payload_figures(found.payload),
        'recordings': recordings,
        'remarks': found.remarks}, indent=1, allow_nan=False) + '\n'


def _figures(figures: Figures, joint: int) -> dict[str, Any]:
    return {'measured': _number(figures.measured[joint]),
            'r2': _models(figures.r2[:, joint]),
            'r2_moving': _models(figures.r2_moving[:, joint]),
            'all': _models(figures.every[:, joint]), 'moving': _models(figures.moving[:, joint])}


def _models(values: Array) -> dict[str, float | None]:
    return {name: _number(value) for name, value in zip(MODELS, values)}


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
