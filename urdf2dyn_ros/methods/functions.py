"""The functions of a robot, each of which is generated when it is first needed."""

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.generated_function import GeneratedFunction
from urdf2dyn_ros.compiled.named_values import Values
from urdf2dyn_ros.functions.links.link_frames import ONLY_TIP, LinkFrames
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody, multibody
from urdf2dyn_ros.program.generator import generate
from urdf2dyn_ros.program.program import Program
from urdf2dyn_ros.robot_model import RobotModel


class Functions:
    """
    Base of all methods: a robot, and its functions so far.

    Names of joints, gravity and loads are those of `InverseDynamics`.
    """

    def __init__(self, model: RobotModel, gravity: tuple[float, float, float], backend: str,
                 threads: int, loads: Loads) -> None:
        self.model, self.gravity_vector, self.loads = model, gravity, loads
        self._system: Multibody = multibody(model)
        self._requested = backend, threads
        self._functions: dict[tuple[str, LinkFrames], GeneratedFunction] = {}
        self.joint_names = self._system.joint_names

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute that is private, or not set yet: equations do not follow a change."""
        if not name.startswith('_') and hasattr(self, name):
            raise AttributeError(f'{name} cannot be set, as the equations are generated with it: '
                                 'make another InverseDynamics(model, gravity=..., loads=...)')
        super().__setattr__(name, value)

    def prepare(self, name: str) -> None:
        """Write a function, a key of FUNCTIONS, now rather than at its first call."""
        self._function(name)

    def _whole(self, name: str, *arguments: Values | None) -> Array | tuple[Array, Array]:
        """Return the efforts and, with a moving base, the wrench on the root."""
        function, n = self._function(name), len(self.joint_names)
        result = function(*arguments)
        return result if len(function.results) == 1 else (result[..., :n], result[..., n:])

    def _program(self, name: str, frames: LinkFrames = ONLY_TIP) -> Program:
        return generate(self._system, name='robot', style='fast', gravity=self.gravity_vector,
                        functions=name, loads=self.loads, frames=frames)

    def _function(self, name: str, frames: LinkFrames = ONLY_TIP) -> GeneratedFunction:
        """Return a function, generated at its first call."""
        function = self._functions.get((name, frames))
        if function is None:
            function = GeneratedFunction(self._program(name, frames), name, *self._requested)
            self._functions[name, frames] = function
        return function
