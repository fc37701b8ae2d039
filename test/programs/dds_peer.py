"""
Another process on the DDS graph, to be stopped and killed: a program of the node's tests.

    python -m programs.dds_peer talk      publishes an RX-90's motion, stamped with the present
    python -m programs.dds_peer listen    subscribes to the efforts, reliably

"""

import signal
import sys
import time

from sensor_msgs.msg import JointState

from support.nodes.graph import Graph
from support.nodes.moving_robot import Robot


def talk(graph: Graph) -> None:
    robot = Robot(graph)
    while True:
        robot.publisher.publish(robot.message(stamp=time.time_ns()))
        graph.spin(0.004)


def listen(graph: Graph) -> None:
    graph.subscribe(JointState, 'inverse_dynamics/efforts', lambda message: None)
    print('listening', flush=True)
    graph.spin(1e6)


if __name__ == '__main__':
    signal.signal(signal.SIGINT, signal.SIG_DFL)   # which a shell's background job ignores
    with Graph() as graph:
        {'talk': talk, 'listen': listen}[sys.argv[1]](graph)
