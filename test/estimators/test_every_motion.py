"""
`kalman` is no worse than differences with a low-pass, nor 1.2 times the best fixed density.

With -s the figures are printed; `benchmarks/estimator_cases.py` has all columns. Two motions are
exceptions: minimum jerk in C from positions alone, whose best density, 1e4, lies between those of
two filters, and 0.8 rad at 0.05 Hz with the noise of F.

"""

import sys

import numpy as np
import pytest

from support.paths import RECORDINGS, ROOT
from support.streams.known_motions import PROFILES

sys.path.insert(0, str(ROOT / 'benchmarks'))
import estimator_cases as cases
import real_accelerations as real

DENSITIES = (1e-3, 1e1, 1e3, 1e4, 1e5, 1e6, 1e7)
EXCEPTIONS = {('C alone', 'minimum jerk'): 1.3, ('F', 'slow'): 1.5}
"""Limits of the errors, in multiples of that of the best density."""

# recording, cutoff of the reference [Hz], limit in multiples of the error of differences: those of
# the fast wrist of the TX40 have hardly any noise, and the filters are mixed
REAL = [('kr300/kr300.csv', 12.0, 1.0), ('kinova_gen3/joint_2.csv', 15.0, 1.0),
        ('tx40/tx40.csv', 15.0, 1.15),
        ('ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 8.0, 1.0)]


@pytest.mark.parametrize('case', ['A alone', 'C', 'C alone', 'F'])
def test_no_motion_is_estimated_worse(case):
    column, alone = cases.CASES[case]
    found = cases.compare(cases.samples(PROFILES[column], alone), DENSITIES)
    print(case, *(np.round(each, 2) for each in found))
    assert (found.kalman < 1.02 * found.differences).all()   # as good in a trapezoid: 1.00
    assert (found.lagging < found.kalman).all()
    most = [EXCEPTIONS.get((case, motion), cases.OF_BEST) for motion in cases.MOTIONS]
    assert (found.kalman <= np.maximum(most * found.best, cases.SMALL)).all()


@pytest.mark.parametrize(('name', 'cutoff', 'most'), REAL, ids=[row[0][:5] for row in REAL])
def test_no_real_robot_is_estimated_worse_than_by_differences(name, cutoff, most):
    """They receive the samples as they are; the filter those velocities that the stream uses."""
    if not (RECORDINGS / name).exists():
        pytest.skip(f'the recording {name} is not part of the repository')
    motion = real.load(RECORDINGS / name)
    true, some = real.reference(motion, cutoff), real.judged(motion)
    found, differences = (real.errors(real.estimated(motion, kind, parameters, velocity)[0],
                                      true, some)[0]
                          for kind, parameters, velocity in (
                              ('kalman', {}, not name.startswith('kr300')),
                              ('finite_difference', {'cutoff': 20.0}, True)))
    print(name, found.round(1), differences.round(1))
    assert (found <= most * differences).all()
