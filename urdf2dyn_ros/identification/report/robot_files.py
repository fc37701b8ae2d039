"""The identified robot as files: a URDF, and parameters that a URDF cannot express."""

from collections.abc import Sequence
from dataclasses import replace

from urdf2dyn_ros.identification.bodies import link_inertias
from urdf2dyn_ros.identification.fit.joint_columns import (
    ARMATURE,
    COULOMB,
    LOAD,
    OFFSET,
    QUADRATIC,
    VISCOUS,
)
from urdf2dyn_ros.identification.report.identified_parameters import identified_parameters
from urdf2dyn_ros.identification.report.identified_urdf import identified_urdf
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.loads import Friction, JointTerm, Rotor
from urdf2dyn_ros.robot_model import Inertia, RobotModel


def identified_model(result: Identification) -> RobotModel:
    """Return the model with identified inertias, damping and friction."""
    robot, model = result.robot, result.robot.model
    inertias: dict[str, Inertia] = {}
    changes = sorted({body for j, used in enumerate(result.used) if used
                      for body in robot.columns.bodies[j]} - {*result.terms.fixed})
    for number in changes:
        body = robot.system.bodies[number]
        inertias |= link_inertias(body.attached, robot.prior.nominal[number],
                                  result.fit.bodies[number])
    links = tuple(replace(link, inertia=inertias.get(link.name, link.inertia))
                  for link in model.links)
    rows = {name: row for name, row, used in zip(robot.joints, result.joints, result.used) if used}
    joints = tuple(
        replace(joint, damping=float(rows[joint.name][VISCOUS]),
                friction=float(rows[joint.name][COULOMB])) if joint.name in rows else joint
        for joint in model.joints)
    return replace(model, links=links, joints=joints)


def identified_joint_terms(result: Identification) -> dict[str, tuple[JointTerm, ...]]:
    """Return friction and rotor of every joint that is identified."""
    return {name: (Friction(float(row[VISCOUS]), float(row[COULOMB]), 1.0 / float(width),
                            offset=float(row[OFFSET]), load=float(row[LOAD]),
                            quadratic=float(row[QUADRATIC])),
                   Rotor(armature=float(row[ARMATURE])))
            for name, row, used, width in zip(result.robot.joints, result.joints, result.used,
                                              result.robot.sign_widths) if used}


def robot_texts(result: Identification, text: str | bytes,
                head: Sequence[str]) -> dict[str, bytes]:
    """Return identified.urdf and parameters.yaml; `head` are lines of a comment."""
    model = identified_model(result)
    if isinstance(text, str):
        urdf = identified_urdf(text, model).encode()
    else:
        urdf = identified_urdf(text, model)
    parameters = identified_parameters(identified_joint_terms(result), head)
    return {'identified.urdf': urdf, 'parameters.yaml': parameters.encode()}
