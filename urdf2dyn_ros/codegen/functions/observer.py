"""External efforts by the momentum observer, as a function without memory: its state is passed."""

from itertools import chain
from typing import ClassVar

from urdf2dyn_ros.codegen.formulas import Symbol
from urdf2dyn_ros.codegen.functions.dynamics import EFFORTS_UNIT, Momentum
from urdf2dyn_ros.codegen.functions.function import Results
from urdf2dyn_ros.codegen.mechanics import LoopArguments, Mechanics
from urdf2dyn_ros.codegen.signature import Axis, Quantity
from urdf2dyn_ros.equations.mass_matrix import MOMENTUM_UNITS
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import exp, reciprocal

# ---- What the observer and contacts are set by, here, in estimation and in exported controllers

OBSERVER_GAIN = Parameter(   # the external effort reaches 99 % after 50 ms
    'gain', (100.0,), 'Bandwidth of the external efforts: 1 over the time constant, for all '
    'joints or for each. Noise grows with it.', unit='1/s', minimum=0.1, maximum=1e4,
    any_length=True)
CONTACT_THRESHOLDS = Parameter(
    'thresholds', (0.0,), 'External effort above which there is a contact, for all joints or for '
    'each: above noise and errors of the model. 0: not known, and no contact is reported. '
    'contact.yaml of `urdf2dyn evaluate --observer` has those of a recording without contact.',
    unit='N m or N', minimum=0.0, maximum=1e6, any_length=True)

# ---- One step of it as a function

_OBSERVER = 'The observer: what the change of p has that the known efforts do not explain'


class ExternalEfforts(Momentum):
    """
    One step of `estimation.observer.MomentumObserver`, for every sample.

    The state begins with a 1, after it are the external efforts, momenta and known efforts of the
    sample before; in one of zeros, nothing is known. So the first sample needs no branch.
    """

    INPUTS = ('state', 'q', 'qd', 'tau', 'dt')
    OBSERVES = True
    SUMMARY = ('the external efforts tau_ext of contacts, by a momentum observer without '
               'accelerations, from the measured efforts tau; next_state is the state of the next '
               'call, and zeros are that of the first, or after a gap')
    RESULTS = (Quantity('tau_ext', 'external ' + EFFORTS_UNIT),
               Quantity('next_state', 'state of the next call'))
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'known': Symbol(_OBSERVER, ('known{n}',), 'known{n} = tau{n} + beta{n} - load{n}'),
        'mean': Symbol(_OBSERVER, ('mean{n}',), 'mean{n}: change of pq{n} over dt, minus the mean '
                       'of known{n} and of that before; 0 in the first call'),
        'tau_ext': Symbol(_OBSERVER, ('tau_ext{n}',), 'tau_ext{n}: that before follows mean{n} '
                          'with the bandwidth K{n}')}

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        system, (efforts, state) = mechanics.numeric_system, self.RESULTS
        joints = [JOINTS[system.bodies[i].type] for i in system.motors]
        rows = [('begun', '')]
        for what in ('external effort', 'momentum', 'known effort'):
            rows += [(f'{what} {i + 1}',
                      MOMENTUM_UNITS[joint.effort_unit] if what == 'momentum' else
                      joint.effort_unit) for i, joint in zip(system.motors, joints)]
        return efforts, state._replace(rows=Axis('state', *zip(*rows)))

    def derive(self, mechanics: Mechanics) -> Results:
        results, arguments = super().derive(mechanics), mechanics.arguments
        if isinstance(arguments, LoopArguments):
            results = {name: arguments.constraints.reduced(each) for name, each in results.items()}
        motors, note = mechanics.system.motors, mechanics.notes.note
        begun, *before = arguments['state']
        n, per_dt = len(motors), reciprocal(arguments['dt'][0])
        gains = [*mechanics.gains] * (n if len(mechanics.gains) == 1 else 1)
        external, known = [], []
        for k, i in enumerate(motors):
            p = results['p'][k]
            known.append(arguments['tau'][k] + results['beta'][k] - results['load'][k])
            note(i, 'known', (known[-1],))
            r, p_before, known_before = before[k::n]
            mean = begun * ((p - p_before) * per_dt - 0.5 * (known[-1] + known_before))
            note(i, 'mean', (mean,))
            external.append(r + (1.0 - exp(-1.0 * (gains[k] * arguments['dt'][0]))) * (mean - r))
            note(i, 'tau_ext', (external[-1],))
        return {'tau_ext': external,
                'next_state': [1.0, *chain(external, results['p'], known)]}
