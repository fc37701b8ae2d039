"""Thresholds of external efforts: when a contact begins, ends, and is forgotten."""

import numpy as np
import pytest

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.observer import ContactDetector


def test_a_contact_lasts_from_its_threshold_to_its_release_and_is_remembered() -> None:
    """Hysteresis, a shortest time, one joint or several at once; NaN is no touch."""
    detector = ContactDetector(('a', 'b'), thresholds=(4.0, 2.0), min_duration=0.003)
    a = [0.0, 5.0, 0.0, 4.5, 2.5, -3.0, 2.1, 1.9, np.nan, 0.0, -9.0, -8.0, -8.0, -8.0, np.nan]
    b = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.5, 2.0, 1.5, 1.2, 1.0, 0.0, 0.0, 0.0, 0.0]
    ended, touched = [], []
    for k, pair in enumerate(zip(a, b)):
        ended += detector.update(k * 1_000_000, np.array(pair))
        touched.append(detector.touched)
    assert [(each.joint, each.begin // 10**6, each.end // 10**6, each.peak) for each in ended] == [
        ('a', 3, 6, 4.5), ('b', 6, 9, 2.5), ('a', 10, 13, -9.0)]
    assert touched[5] == () and touched[6] == touched[8] == ('a',)
    assert touched[9] == touched[-1] == ('a', 'b')   # for good
    detector.reset()
    assert detector.touched == ()
    for k in range(20, 24):
        assert detector.update(k * 1_000_000, np.array((0.0, -3.0))) == []
    detector.reset()
    assert detector.update(24_000_000, np.array((0.0, -2.5))) == []
    assert detector.touched == ('b',)   # it is still there
    assert [each.peak for each in detector.stop()] == [-3.0] and detector.stop() == []


def test_thresholds_are_checked() -> None:
    for values, said in (({'thresholds': (1.0, 2.0, 3.0)}, '2 joints'),
                         ({'release': 1.5}, 'at most 1'),
                         ({'thresholds': (-1.0,)}, 'at least')):
        with pytest.raises(ParameterError, match=said):
            ContactDetector(('a', 'b'), **values)
