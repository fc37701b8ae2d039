"""Joint states read from their bytes, and written as bytes: as rclpy does, whatever they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from statuses import Statuses

from support.nodes.graph import Graph
from support.nodes.moving_robot import connected, error, started
from urdf2dyn_ros.estimation.messages import Fields, SerializedJointStates
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.nodes.endpoints import JointStateFields
from urdf2dyn_ros.nodes.inverse_dynamics import UNREADABLE, decoded


def message(names: list[str], present: tuple[bool, ...], frame: str, value: float) -> bytes:
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
    """Those of a publisher, and then with some of them changed, removed or added."""
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
    for names, effort in ((['a', 'bc'], False), (['a', 'cb'], True)):
        for value in (1.0, 2.0, np.nan, np.inf):
            found = serialized.read(message(names, (not effort, True, effort), 'world', value))
            assert list(found.names) == names and len(found.effort) == 2 * effort
            np.testing.assert_array_equal(found.velocity, [value, value + 1])
    assert len(asked) == 2
    lies = SerializedJointStates(lambda data: decoded(data)._replace(velocity=[7.0, 7.0]))
    data = message(['a', 'b'], (True, True, True), 'world', 1.0)   # has them elsewhere
    assert [lies.read(data).velocity for _ in range(2)] == [[7.0, 7.0]] * 2


def output(stamp: int, q: np.ndarray, qd: np.ndarray) -> Output:
    """Return what a stream gives, as far as a message has it."""
    return Output(stamp, q, qd, q, q, q, q, ())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text('abcä', max_size=9), max_size=4), st.text('xyzä', max_size=9),
       st.lists(st.tuples(st.integers(0, 2**31 * 10**9 - 1), st.lists(
           st.floats(width=64), min_size=12, max_size=12)), min_size=1, max_size=3))
def test_what_is_written_as_bytes_is_what_rclpy_writes(names, frame, contents):
    """NaN and all, and what was written before stays as it was."""
    fields, n, written, expected = JointStateFields(names, frame), len(names), [], []
    for stamp, values in contents:
        q, qd, effort = np.array(values).reshape(3, 4)[:, :n]
        written.append(fields.filled(output(stamp, q, qd), effort))
        message = JointState(name=names, position=q.tolist(), velocity=qd.tolist(),
                             effort=effort.tolist())
        message.header.frame_id = frame
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
        expected.append(message)
    for data, message in zip(written, expected, strict=True):
        found = deserialize_message(data, JointState)
        assert found.header == message.header
        assert plain(decoded(data)) == plain(decoded(serialize_message(message)))


@pytest.mark.parametrize('strange', [lambda data: data + b'\0' * 8, lambda data: data[:9],
                                     lambda data: data[:60] + b'\0' * 4 + data[60:],
                                     lambda data: b'\0\0' + data[2:]])
def test_where_the_bytes_are_others_a_message_is_filled(strange, monkeypatch):
    """Longer, shorter, aligned in another way, of the other endianness; rclpy writes it then."""
    monkeypatch.setattr('urdf2dyn_ros.nodes.endpoints.serialize_message',
                        lambda message: strange(serialize_message(message)))
    fields = JointStateFields(['a', 'b'], 'base')
    q, qd, effort = np.arange(6.0).reshape(3, 2)
    message = fields.filled(output(7_000_000_005, q, qd), effort)
    data = message if isinstance(message, bytes) else serialize_message(message)
    found = deserialize_message(data, JointState)
    assert (found.header.stamp.sec, found.header.stamp.nanosec) == (7, 5)
    assert found.header.frame_id == 'base' and list(found.name) == ['a', 'b']
    assert [list(found.position), list(found.velocity), list(found.effort)] == [
        [0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


@pytest.mark.fault(24)
def test_bytes_that_are_no_joint_state_are_dropped_and_counted(graph: Graph) -> None:
    assert decoded(b'\0\1\0\0no joint state') == UNREADABLE
    with started(graph) as process:
        robot, status = connected(graph), Statuses(graph)
        # what is sent before DDS has introduced the two to each other is lost
        graph.wait(lambda: robot.efforts, meanwhile=robot.move_one)
        for data in (b'\0\1\0\0no joint state', b'\xff' * 90):
            robot.publisher.publish(data)
        robot.move(60)
        graph.wait(lambda: int(status.values('input').get('malformed', 0)) == 2)
        assert error(robot.efforts[-1], robot) < 0.1
        assert process.exit_code is None
