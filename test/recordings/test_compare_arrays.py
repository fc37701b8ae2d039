"""What Python users call: recordings by path, and arrays, compared as the command does."""

import json
from typing import Any

import numpy as np
import pytest

from support.paths import ROOT
from support.robot_files import OWN
from urdf2dyn_ros import (
    EvaluationSettings,
    IdentificationError,
    InverseDynamics,
    ParameterError,
    StateError,
    compare,
    comparison_table,
    evaluate,
    identify,
)
from urdf2dyn_ros.__main__ import main

RECORDING = ROOT / 'examples' / 'rx90.csv'
RX90 = InverseDynamics(OWN / 'rx90.urdf')
TIME = np.arange(0.0, 5.0, 0.01)
PHASES = TIME[:, None] * np.linspace(1.0, 2.0, 6) + np.arange(6)
RATES = np.linspace(1.0, 2.0, 6)
Q, QD = np.sin(PHASES), RATES * np.cos(PHASES)
COMPUTED = RX90(Q, QD, -RATES**2 * Q)


@pytest.mark.slow
def test_a_recording_is_evaluated_as_by_the_command(tmp_path, capsys):
    assert main(['evaluate', str(RECORDING), '--urdf', str(OWN / 'rx90.urdf'), '--estimator',
                 'none', '-o', str(tmp_path)]) == 0
    result = evaluate(str(RECORDING), RX90, EvaluationSettings(estimator='none'))
    assert comparison_table(result.joints) in capsys.readouterr().out
    assert result.files == []
    report = json.loads((tmp_path / 'efforts.json').read_text())
    assert len(report['joints']) == len(result.joints) == 6


def test_efforts_that_are_practically_zero_are_not_credible() -> None:
    for joint in compare(RX90, TIME, 1e-310 * COMPUTED, COMPUTED, Q, QD):
        assert joint.fault.startswith('the measured effort is zero: at most ')


def test_arrays_are_compared_at_the_same_instants() -> None:
    """Friction of joint 1 is fitted to the residual; a joint that is late has a lag."""
    measured = COMPUTED.copy()
    measured[:, 0] += 3.0 * QD[:, 0] + 5.0 * np.sign(QD[:, 0])
    joints = compare(RX90, TIME, measured, COMPUTED, Q, QD)
    assert [each.joint for each in joints] == [*RX90.joint_names]
    assert joints[1].figures.rmse == pytest.approx(0.0, abs=1e-9)
    assert joints[0].figures.friction.viscous.value == pytest.approx(3.0, rel=0.02)
    assert joints[0].figures.friction.coulomb.value == pytest.approx(5.0, rel=0.02)
    np.testing.assert_allclose(joints[0].residual, measured[:, 0] - COMPUTED[:, 0], atol=1e-6)
    late = compare(RX90, TIME[:-3] + 7.0, COMPUTED[:-3], COMPUTED[3:], Q[3:], QD[3:])
    assert late[0].total.lag == pytest.approx(0.03, abs=2e-3)
    names = dict(zip(RX90.joint_names, COMPUTED.T))
    assert compare(RX90, TIME, names, COMPUTED)[2].figures.samples == len(TIME)


@pytest.mark.parametrize(('changed', 'error', 'words'), [
    ({'measured': COMPUTED[:-1]}, StateError, r'measured must be .* its shape is \(499, 6\)'),
    ({'time': Q}, StateError, r'time must be numbers \(N,\)'),
    ({'time': np.where(TIME > 1.0, np.nan, TIME)}, StateError, r'time must be .* within 1e\+09 s'),
    ({'time': TIME[::-1]}, StateError, 'time must not decrease'),
    ({'time': None}, StateError, r'time must be numbers \(N,\)'),
    ({'gains': 'a'}, ParameterError, "current_gains = 'a'"),
    ({'measured': COMPUTED + 1j}, StateError, 'measured must be .* its type is complex128'),
    ({'measured': np.ma.masked_less(COMPUTED, 0.0)}, StateError, 'some of it is masked'),
    ({'semantics': 'gravity_compensated'}, StateError, 'efforts need the positions q'),
    ({'q': 'far'}, StateError, r'q must be numbers \(N, 6\)'),
    ({'semantics': 'gross'}, ParameterError, "unknown semantics 'gross'; they are: net"),
    ({'gains': (1.0, 2.0)}, ParameterError, 'there are 2 gains for 6 joints')])
def test_what_cannot_be_compared_is_refused(changed, error, words):
    arguments = {'time': TIME, 'measured': COMPUTED, 'computed': COMPUTED, **changed}
    with pytest.raises(error, match=words):
        compare(RX90, **arguments)


@pytest.mark.parametrize(('settings', 'words'), [
    ({'semantics': 'gross'}, "unknown semantics 'gross'; they are: net"),
    ({'semantics': 'current', 'gains': (1.0, 2.0)}, 'current_gains has 2 entries'),
    ({'gains': 'ten'}, "current_gains = 'ten': must be one or more numbers")])
def test_settings_of_an_evaluation_are_checked(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        evaluate(ROOT / 'examples' / 'rx90.csv', RX90, EvaluationSettings(**settings))


def test_no_recording_is_nothing_to_identify_from() -> None:
    with pytest.raises(IdentificationError, match='there are no recordings'):
        identify([], RX90)
    with pytest.raises(IdentificationError, match=r'^lost\.csv: there is no such file'):
        identify('lost.csv', RX90)
