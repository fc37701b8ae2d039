"""Faults of a day in operation, one function each."""

from collections.abc import Callable

from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_msgs.msg import String
from std_srvs.srv import Trigger

from soaking.world import World


def killed(world: World) -> None:
    """Kill the publisher with SIGKILL, and start another."""
    world.end_robot(world.robots[0])
    world.wait(0.3)
    world.start_robot()


def clock_set_back(world: World) -> None:
    """Make stamps jump back by 10 s and stay there."""
    world.tell(world.robots[0], offset=-10.0)


def clock_right_again(world: World) -> None:
    """Make stamps jump forward by 10 s."""
    world.tell(world.robots[0], offset=0.0)


def bag_loop(world: World) -> None:
    """Play the same half second four times."""
    world.tell(world.robots[0], loop=0.5)
    world.wait(2.0)
    world.tell(world.robots[0], loop=0.0)


def bad_description(world: World) -> None:
    """Publish descriptions that must be rejected, and the right one again."""
    for text in ('no XML', world.urdf.replace('mass value="', 'mass value="-'), ''):
        world.description.publish(String(data=text))
        world.wait(0.2)
    world.description.publish(String(data=world.urdf))


def nan_positions(world: World) -> None:
    """Publish a joint without a position for a while."""
    world.tell(world.robots[0], nan=True)
    world.wait(0.3)
    world.tell(world.robots[0], nan=False)


def flood(world: World) -> None:
    """Publish twenty times as fast, or as fast as a process can."""
    world.tell(world.robots[0], rate=20.0 * world.rate)
    world.wait(1.0)
    world.tell(world.robots[0], rate=world.rate)


def second_publisher(world: World) -> None:
    """Publish the same joints from another process, 50 ms late."""
    other = world.start_robot(offset=-0.05)
    world.wait(2.0)
    world.end_robot(other)


def export(world: World) -> None:
    """Export a script."""
    answer = world.call(Trigger, 'export_model', Trigger.Request())
    if answer is None or not answer.success:
        raise RuntimeError(f'no export: {answer}')


def parameters(world: World) -> None:
    """Set a parameter to an invalid value, which is rejected, to another one, and back."""
    for value, good in ((-1.0, False), (0.2, True), (0.1, True)):
        answer = world.call(SetParameters, 'inverse_dynamics/set_parameters',
                            SetParameters.Request(parameters=[Parameter(
                                name='stream.max_gap',
                                value=ParameterValue(type=3, double_value=value))]))
        if answer is None or answer.results[0].successful is not good:
            raise RuntimeError(f'stream.max_gap = {value}: {answer}')
        world.wait(0.1)


FAULTS: dict[str, Callable[[World], None]] = {
    'publisher killed': killed,
    'clock set back': clock_set_back,
    'clock right again': clock_right_again,
    'bag loop': bag_loop,
    'bad description': bad_description,
    'NaN positions': nan_positions,
    'flood': flood,
    'second publisher': second_publisher,
    'export': export,
    'parameters changed': parameters,
}
