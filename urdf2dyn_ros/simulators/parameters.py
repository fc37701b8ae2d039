"""The parameters of the node `joint_simulator`."""

from dataclasses import replace

from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.gravity import GRAVITY_PARAMETER
from urdf2dyn_ros.simulators import SIMULATORS
from urdf2dyn_ros.simulators.control import CONTROLS
from urdf2dyn_ros.simulators.sample import EFFORTS
from urdf2dyn_ros.trajectories import TRAJECTORIES

BY_TOPIC = 'topic'
"""A motion that is not in the table: it is received as a message."""

BY_FILE = 'file'
"""A motion that is not in the table: it is that of a file."""

SIMULATOR_PARAMETERS = (
    Parameter('robot_description', '', 'The robot, as URDF.', read_only=True),
    Parameter('simulator', 'dart', 'Physics engine.', choices=tuple(SIMULATORS), read_only=True),
    replace(GRAVITY_PARAMETER, read_only=True),
    Parameter('friction', False, 'Whether damping and friction of the URDF act in the joints.',
              read_only=True),
    Parameter('effort', 'net', 'Which effort is published: net, what a wrench sensor in the '
              'joint would see and Gazebo Sim publishes, without friction; or commanded, what '
              'the actuator supplies, including the friction and rotors of the drives that '
              'joints.<joint>.* are, as in the parameters of inverse_dynamics.',
              choices=EFFORTS, read_only=True),
    Parameter('control', 'computed_torque', 'What the engine is commanded: efforts by its own '
              "model, efforts of a spring and a damper (pd), or what the engine's servos follow.",
              choices=tuple(CONTROLS), read_only=True),
    Parameter('trajectory', 'smooth', 'How the robot moves; file: as trajectory_file says; topic: '
              'as the last message on ~/joint_trajectory says.',
              choices=(*TRAJECTORIES, BY_FILE, BY_TOPIC), read_only=True),
    Parameter('trajectory_file', '', 'Motion for trajectory: file, as urdf2dyn excite writes it: '
              'a table (.csv: time, q_<joint>, qd_<joint>), which begins at its first row, or a '
              'trajectory_msgs/JointTrajectory (.yaml), which begins where the other motions do.',
              read_only=True),
    Parameter('duration', 20.0, 'How long the robot moves; a file has its own duration.',
              unit='s', minimum=0.5, maximum=86400.0, read_only=True),
    Parameter('physics_step', 0.001, 'Time step of the engine.', unit='s', minimum=1e-5,
              maximum=0.01, read_only=True),
    Parameter('publish_rate', 250.0, 'Joint states for each second of simulated time; one is '
              'published every whole number of physics steps.', unit='Hz', minimum=1.0,
              maximum=10000.0, read_only=True),
    Parameter('real_time_factor', 1.0, 'Simulated time for each second.', minimum=0.01,
              maximum=100.0, read_only=True),
    Parameter('publish_clock', False, 'Publish /clock with every joint state, for nodes with '
              'use_sim_time; time then begins at 0.', read_only=True),
    Parameter('start.subscribers', 1, 'Subscribers of joint_states that the motion waits for.',
              minimum=0, read_only=True),
    Parameter('start.timeout', 20.0, 'It starts without them after this time.', unit='s',
              minimum=0.0, read_only=True),
)
