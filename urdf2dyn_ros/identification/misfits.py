"""What an identified model does not explain, and the likely reason, in sentences."""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.result import Identification

_COUPLED = 0.1
"""
Share of the residuals of two joints that the other's velocity predicts, from which on they look
coupled. Both, as friction of a motor that turns with two joints is felt at both.
"""

_UNEXPLAINED = 0.5
"""Residual over the measured effort from which on a joint is not explained."""

_OTHER_MASS = 3.0
"""Ratio of masses from which on a change is not plausible."""

_RESTS = 2.0
"""Residual of all samples over that of moving ones, from which on rest is the reason."""


def misfits(found: Identification, negative_rotors: NDArray[np.bool_]) -> list[str]:
    """Return a sentence for each joint that does not fit; some joints' rotors are at zero."""
    joints, remarks = found.robot.joints, []
    every, moving = found.held_out.every[2], found.held_out.moving[2]
    coupling = np.average([each.coupling for each in found.summaries], axis=0,
                          weights=[each.seconds for each in found.summaries])
    mutual = np.minimum(coupling, coupling.T)
    for j, joint in enumerate(joints):
        if not found.used[j]:
            continue
        other = int(np.argmax(mutual[j]))
        if mutual[j, other] > _COUPLED:
            remarks.append(
                f'{joint} does not fit a friction of its own velocity: that of {joints[other]} '
                f'predicts {100.0 * coupling[j, other]:.0f} % of what is left; the two look '
                'coupled by their gears, which this model does not have')
        if moving[j] > _UNEXPLAINED * found.held_out.measured[j]:
            remarks.append(
                f'{joint} is hardly explained: of {found.held_out.measured[j]:.3g} a residual of '
                f'{moving[j]:.3g} remains while it moves; the effort may not be that of this '
                'joint, or contact, cables or springs act on it')
        elif every[j] > _RESTS * moving[j]:
            remarks.append(
                f'{joint}: most of its residual is at rest ({every[j]:.3g} for all samples, '
                f'{moving[j]:.3g} while it moves), where static friction is undetermined')
    before, after = found.robot.prior.parameters[:, 0], found.fit.bodies[:, 0]
    changes = np.exp(np.abs(np.log(after / before)))
    for body, change, mass in zip(found.robot.system.bodies, changes, after):
        if change > _OTHER_MASS:
            remarks.append(
                f'the body that {body.name} moves would have {mass:.3g} kg, {change:.1f} times '
                'more or less than in the URDF: are the efforts in other units, or those of a '
                'motor before its gear?')
    names = [joint for joint, flag in zip(joints, negative_rotors & found.used) if flag]
    if names:
        remarks.append(
            f'the data would have a negative rotor inertia at {", ".join(names)}, which is '
            'bounded by zero: torque sensors on the side of the link see no rotor, and friction '
            'that lags looks alike')
    return remarks
