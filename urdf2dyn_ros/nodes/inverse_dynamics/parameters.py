"""The parameters of the node inverse_dynamics, which config/dynamics.yaml shows."""

from urdf2dyn_ros.compiled.backend import BACKENDS
from urdf2dyn_ros.external_wrenches import ExternalWrenches
from urdf2dyn_ros.functions import CHOICES
from urdf2dyn_ros.functions.links.link_frames import FRAME_AXES
from urdf2dyn_ros.languages import LANGUAGES
from urdf2dyn_ros.loads.load_parameters import JOINT_PARAMETERS, LOAD_PARAMETERS, WRENCH_TOPICS
from urdf2dyn_ros.loads.payload import PAYLOAD
from urdf2dyn_ros.moving_base import BASE_PARAMETER, MovingBase
from urdf2dyn_ros.nodes.inverse_dynamics.outputs import TERM_NAMES
from urdf2dyn_ros.observer.contact import ContactDetector
from urdf2dyn_ros.observer.momentum_observer import MomentumObserver
from urdf2dyn_ros.observer.wrench_estimate import WrenchEstimate
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.gravity import GRAVITY_PARAMETER
from urdf2dyn_ros.program.generator import STYLES
from urdf2dyn_ros.stream.assembly import STREAM_PARAMETERS

_OWN_PARAMETERS = (
    Parameter('robot_description', '',
              'URDF text of the robot; if empty, it is received on the topic robot_description.'),
    Parameter('strict_inertia', False,
              'Reject a description with an inertia that no body can have, instead of computing '
              'with it and logging a warning.'),
    GRAVITY_PARAMETER,
    Parameter('backend', 'auto', 'Back end of the equations: python; c: compiled once for a robot '
              'and a machine, and with it the estimator kalman; auto: c where a compiler is '
              'available.', choices=BACKENDS),
    BASE_PARAMETER,
    *(row.named(f'moving_base.{row.name}') for row in MovingBase.PARAMETERS),
    *LOAD_PARAMETERS,
    *PAYLOAD,
    *(row.named(f'wrench.{row.name}') for row in ExternalWrenches.PARAMETERS),
    Parameter('terms.enabled', False, 'Publish the terms whose sum the efforts are, on ~/terms/'
              f'{", ".join(TERM_NAMES[:-1])} and {TERM_NAMES[-1]}.'),
    Parameter('observer.enabled', False, 'Observe contacts: publish external efforts on '
              '~/external_efforts, and on ~/contact whether they have exceeded their thresholds. '
              'Requires measured efforts and a fixed base.'),
    *(row.named(f'observer.{row.name}') for row in MomentumObserver.PARAMETERS),
    *(row.named(f'contact.{row.name}') for row in ContactDetector.PARAMETERS),
    *(row.named(f'wrench_estimate.{row.name}') for row in WrenchEstimate.PARAMETERS),
    Parameter('queue_depth', 1000, 'Joint states that may wait while the node is busy; of more, '
              'the oldest are dropped.', minimum=1, maximum=100_000, read_only=True),
    Parameter('diagnostics.enabled', True, 'Publish the messages of ~/status on /diagnostics too.',
              read_only=True),
    Parameter('export.language', 'python', 'Language of exported files.',
              choices=tuple(LANGUAGES)),
    Parameter('export.style', 'readable', 'Style of exported files.', choices=STYLES),
    Parameter('export.model', 'inverse_dynamics', 'Function to export; all: all of them in one '
              'file.', choices=CHOICES),
    Parameter('export.link', ('',), 'Links of a function about links; if empty, the only tip.'),
    Parameter('export.axes', FRAME_AXES[0], 'Axes of the vectors at these links.',
              choices=FRAME_AXES),
    Parameter('export.name', '', "Stem of exported files' names; if empty, the robot's name."),
    Parameter('export.directory', '~/.ros/urdf2dyn_ros', 'Directory for exported files.',
              read_only=True),
    Parameter('export.overwrite', False, 'Replace an existing file whose text differs.'),
)

NODE_PARAMETERS: tuple[Parameter, ...] = (*_OWN_PARAMETERS, *STREAM_PARAMETERS)

NODE_FAMILIES = (JOINT_PARAMETERS, WRENCH_TOPICS)
"""Parameters of joints and links, which exist only where they are set."""
