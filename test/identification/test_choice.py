"""The choice of a delay between those that were compared."""

import pytest

from urdf2dyn_ros.identification.delays import vertex


@pytest.mark.parametrize(('errors', 'least'), [
    ((2.0, 1.0, 2.0), 0.1), ((2.0, 1.0, 1.0), 0.105), ((1.0, 1.0, 1.0), 0.1)])
def test_a_delay_is_where_a_parabola_through_three_errors_is_least(
        errors: tuple[float, float, float], least: float) -> None:
    """Errors that are all equal, as those of efforts without noise may be, have the middle one."""
    assert vertex(0.1, 0.01, errors) == pytest.approx(least)
