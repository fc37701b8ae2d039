"""The motion of a base may be no older than that of the joints: checked before it is used."""

from typing import Any

import pytest

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.assembly import STREAM_PARAMETERS, check_lags
from urdf2dyn_ros.estimation.moving_base import BASE_PARAMETER, MovingBase
from urdf2dyn_ros.robot.parameters import Parameter

TABLE: tuple[Parameter, ...] = (*STREAM_PARAMETERS, BASE_PARAMETER, *(
    row.named(f'moving_base.{row.name}') for row in MovingBase.PARAMETERS))


def values(**changes: Any) -> dict[str, Any]:
    return {row.name: row.default for row in TABLE} | {
        name.replace('__', '.'): value for name, value in changes.items()}


@pytest.mark.parametrize(('estimator', 'lag'), [
    ('kalman', 0.0), ('kalman_fixed_lag', 0.02), ('polynomial', 0.0), ('none', 0.0)])
def test_a_base_that_is_older_than_the_joints_is_refused(estimator: str, lag: float) -> None:
    check_lags(values(estimator=estimator, moving_base__lag=lag))
    with pytest.raises(ParameterError, match=rf'^parameter moving_base.lag is {lag + 0.01:g} s, '
                       rf'but estimator {estimator} .* lag of {lag:g} s.* set it to {lag:g}\b'):
        check_lags(values(estimator=estimator, moving_base__lag=lag + 0.01))


@pytest.mark.parametrize('changes', [
    {'base': 'fixed'}, {'estimator': 'polynomial', 'polynomial__align': 'centre'},
    {'estimator': 'external'}, {'estimator': 'kalman_fixed_lag', 'kalman_fixed_lag__lag': 0.05}])
def test_a_lag_that_may_be_right_is_accepted(changes: dict[str, Any]) -> None:
    """Nothing moves the base, or the lag of the joints follows from their messages."""
    check_lags(values(moving_base__lag=0.05, **changes))
