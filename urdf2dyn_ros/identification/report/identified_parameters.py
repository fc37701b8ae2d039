"""What a URDF cannot express of an identified robot, as a file of the node's parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

from urdf2dyn_ros.loads import TERMS, Friction, JointTerm
from urdf2dyn_ros.parameters.parameter_file import parameter_file_text

_IN_URDF = ('damping', 'friction')
"""Attributes of <dynamics>, which `identified_urdf` writes."""


def identified_parameters(terms: Mapping[str, Sequence[JointTerm]],
                          head: Sequence[str] = ()) -> str:
    """
    Return the text of parameters.yaml: rotors, and friction but for viscous and Coulomb.

    Read together with the URDF that has damping and friction, by the node (``config:=``) or a
    command (``--parameters``), it gives these terms. They are as in `Loads.terms`; a mimic joint
    has its own. `head` are lines of a comment.
    """
    joints = {joint: _settings(each) for joint, each in terms.items()}
    frictions = [term for each in terms.values() for term in each if isinstance(term, Friction)]
    values: dict[str, Any] = {'friction.enabled': any(not term.is_off() for term in frictions)}
    widths = {settings['friction_width'] for settings in joints.values()
              if 'friction_width' in settings}
    if len(widths) == 1:   # the same for all
        values['friction.width'], = widths
        joints = {joint: {name: value for name, value in settings.items()
                          if name != 'friction_width'} for joint, settings in joints.items()}
    if any(joints.values()):
        values['joints'] = {joint: settings for joint, settings in joints.items() if settings}
    rows = [row for term in TERMS.values() for row in term.rows().values()]
    return parameter_file_text(values, head, {row.setting: f'[{row.row.unit}]' for row in rows})


def _settings(terms: Sequence[JointTerm]) -> dict[str, float]:
    """Return the node's parameters of a joint that have an effect and are not in the URDF."""
    return {row.setting: row.setting_of(float(value)) for term in terms if not term.is_off()
            for _, row, value in term.parameters() if row.urdf not in _IN_URDF}
