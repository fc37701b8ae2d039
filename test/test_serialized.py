"""Joint states read from their bytes: as rclpy reads them, whatever the bytes are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from graph import Graph
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_robot import connected, error, started
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from test_node_status import Statuses

from urdf2dyn_ros.joint_states.serialized import Fields, SerializedJointStates
from urdf2dyn_ros.nodes.joint_states import UNREADABLE, decoded


def message(names: list[str], present: tuple[bool, ...], frame: str, value: float) -> bytes:
    """Return the bytes of a message."""
    made = JointState(name=names)
    made.header.frame_id = frame
    made.header.stamp.sec, made.header.stamp.nanosec = 7, 5
    for field, there in zip(('position', 'velocity', 'effort'), present):
        setattr(made, field, [value + k for k in range(len(names))] if there else [])
    data: bytes = serialize_message(made)
    return data


def plain(fields: Fields) -> tuple[object, ...]:
    """Return fields that can be compared, NaN and all."""
    return (fields.stamp, None if fields.names is None else list(fields.names),
            *(np.array(values, dtype=np.float64).tobytes() for values in fields[2:]))


layouts = st.tuples(st.lists(st.text('abcä', max_size=9), max_size=4),
                    st.tuples(*[st.booleans()] * 3), st.text('xyz', max_size=9))
edits = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=3)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(layouts, edits, st.integers(-12, 12)), min_size=1, max_size=3))
def test_bytes_are_read_as_rclpy_does(changes: list) -> None:
    """Those of a publisher, and then with some of them changed, left out or added."""
    serialized = SerializedJointStates(decoded)
    for layout, edit, longer in changes:
        data = message(*layout, 0.5)
        for _ in range(2):
            assert plain(serialized.read(data)) == plain(decoded(data))
        changed = bytearray(data[:len(data) + min(longer, 0)] + bytes(max(longer, 0)))
        for place, value in edit:
            if place < len(changed):
                changed[place] = value
        assert plain(serialized.read(bytes(changed))) == plain(decoded(bytes(changed)))
        assert plain(serialized.read(data)) == plain(decoded(data))


def test_what_is_like_the_last_is_read_without_the_library() -> None:
    """Twice by the library at the most: at first, and when the names are others."""
    asked = []

    def counted(data: bytes) -> Fields:
        asked.append(data)
        return decoded(data)

    serialized = SerializedJointStates(counted)
    for names in (['a', 'bc'], ['a', 'cb']):
        for value in (1.0, 2.0, np.nan, np.inf):
            found = serialized.read(message(names, (True, True, False), 'world', value))
            assert list(found.names) == names and len(found.effort) == 0
            np.testing.assert_array_equal(found.velocity, [value, value + 1])
    assert len(asked) == 2


@pytest.fixture
def graph() -> Iterator[Graph]:
    """Return a DDS graph of the test's own."""
    with Graph() as graph:
        yield graph


@pytest.mark.fault(24)
def test_bytes_that_are_no_joint_state_are_dropped_and_counted(graph: Graph) -> None:
    """By the node, which goes on."""
    assert decoded(b'\0\1\0\0no joint state') == UNREADABLE
    with started(graph) as process:
        robot, status = connected(graph), Statuses(graph)
        for data in (b'\0\1\0\0no joint state', b'\xff' * 90):
            robot.publisher.publish(data)
        robot.move(60)
        graph.wait(lambda: int(status.values('input').get('malformed', 0)) == 2)
        assert error(robot.efforts[-1], robot) < 0.1
        assert process.exit_code is None
