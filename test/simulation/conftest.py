"""Every physics engine that is installed."""

import pytest

from urdf2dyn_ros.simulation import SIMULATORS


@pytest.fixture(params=SIMULATORS)
def engine(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(SIMULATORS[request.param], exc_type=ImportError)
    return str(request.param)
