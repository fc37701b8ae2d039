"""Contacts of one robot, from the outputs of its stream, with a status."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.health import Level, Status
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.observer.contact import ContactDetector
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver, per_joint
from urdf2dyn_ros.parameters import group
from urdf2dyn_ros.stream.output import Output

PER_JOINT = ('observer.gain', 'contact.thresholds')
"""Parameters with one value for all joints, or one for each."""


class ContactWatch:
    """
    Observes the outputs of one stream and detects contacts.

    Observer and detector are used by this object alone; joints `touched` earlier are remembered
    until the next reset.
    """

    def __init__(self, dynamics: InverseDynamics, observer: MomentumObserver,
                 detector: ContactDetector, touched: Sequence[str]) -> None:
        self._names, self._units = dynamics.joint_names, dynamics.effort_units
        self._observer, self._detector = observer, detector
        self._before = tuple(touched)
        self._largest = np.full(len(self._names), np.nan)
        self._not_measured = np.full(len(self._names), False)
        self._outputs = self._observed = 0   # since the last report

    @property
    def touched(self) -> tuple[str, ...]:
        """Joints with a contact since the last reset, in the order of detection."""
        return tuple(dict.fromkeys((*self._before, *self._detector.touched)))

    def reset(self) -> None:
        """Forget past contacts; one that lasts is detected again at once."""
        self._before = ()
        self._detector.reset()
        self._largest.fill(np.nan)

    def update(self, output: Output) -> Array | None:
        """Return the external efforts (n,) of an output [N m or N], NaN where not measured."""
        self._outputs += 1
        self._not_measured = np.isnan(output.measured)
        with np.errstate(all='ignore'):   # the results are checked
            external = self._observer.update(output.stamp, output.q, output.qd, output.measured,
                                             *output.load_arguments)
            if external is None:
                self._detector.stop()
            else:
                self._observed += 1
                self._detector.update(output.stamp, external)
                np.fmax(self._largest, np.abs(external), out=self._largest)
        return external

    def description(self, joints: Sequence[str], external: Array) -> str:
        """Return a sentence about a contact at joints, with their external efforts of (n,)."""
        return _contact([f'{self._names[k]} ({external[k]:.4g} {self._units[k]})'
                         for k in map(self._names.index, joints)])

    def report(self) -> Status:
        """Return the status of contacts since the report before."""
        settling = self._observer.settling if self._observed else np.full(len(self._names), False)
        values = {
            'joints with a contact': ', '.join(self.touched), 'settling': self._named(settling),
            'not measured': self._named(self._not_measured),
            **{f'{name}: largest external effort [{unit}]': (
                'unknown' if np.isnan(largest) else f'{largest:.6g}')
               for name, unit, largest in zip(self._names, self._units, self._largest.tolist())}}
        outputs, observed = self._outputs, self._observed
        self._outputs = self._observed = 0
        if self.touched:
            return Status('contact', Level.WARN, _contact(self.touched), values)
        if not outputs:
            return Status('contact', Level.STALE, 'no external efforts: no efforts are computed',
                          values)
        if not observed:
            return Status('contact', Level.WARN, 'no external efforts: ' + (
                'no effort is measured' if self._not_measured.all() else
                'efforts come for the first time, or less often than observer.max_gap'), values)
        return Status('contact', Level.OK, 'no contact', values)

    def _named(self, flags: NDArray[np.bool_]) -> str:
        return ', '.join(compress(self._names, flags))


def contact_watch(values: Mapping[str, Any], dynamics: InverseDynamics,
                  touched: Sequence[str]) -> ContactWatch:
    """
    Return the contact watch of the parameters.

    A ParameterError if the base moves, or if gains or thresholds are not one for each joint.
    """
    for name in PER_JOINT:
        per_joint(name, values[name], dynamics.joint_names)
    chosen = group(values, 'observer')
    del chosen['enabled']
    return ContactWatch(dynamics, MomentumObserver(dynamics, **chosen),
                        ContactDetector(dynamics.joint_names, **group(values, 'contact')),
                        touched)


def not_observed(reason: str, touched: Sequence[str]) -> Status:
    """Return the status of a robot whose contacts cannot be detected."""
    return Status('contact', Level.WARN, f'what touches the robot is not observed: {reason}',
                  {'joints with a contact': ', '.join(touched)})


def _contact(joints: Sequence[str]) -> str:
    return f'contact at joint{"s" * (len(joints) > 1)} ' + ', '.join(joints)
