"""A step of Newton's method that closes the loops of a robot, which `close` repeats."""

from urdf2dyn_ros.codegen.functions.function import ModelFunction, Results
from urdf2dyn_ros.codegen.mechanics import LoopArguments, Mechanics
from urdf2dyn_ros.codegen.signature import Axis, Quantity
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import Multibody


class ClosureStep(ModelFunction):
    INPUTS = ('q',)
    LOAD_INPUTS = ()
    SUMMARY = ("the passive positions after a step of Newton's method, and of those before it how "
               'far the loops are open and how far from singular')
    RESULTS = (Quantity('closed', 'positions [rad or m] of the passive joints'),
               Quantity('gap', 'square of how far the loops are open [m^2]',
                        rows=Axis('gap', ('gap',), ('m^2',))),
               Quantity('margin', 'square of the least sine between columns of passive joints',
                        rows=Axis('margin', ('margin',), ('',))))
    OPTIONS = ()

    @property
    def kinematic(self) -> bool:
        return True

    def check(self, system: Multibody, loads: Loads) -> None:
        if not system.closed_loops:
            raise ParameterError('the robot has no closed loops but linear ones: its joints need '
                                 'not be closed')

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        system, (closed, *others) = mechanics.numeric_system, self.RESULTS
        bodies = [system.bodies[system.drivers[k]] for k in system.unknown]
        return closed._replace(rows=Axis('passive', tuple(body.name for body in bodies), tuple(
            JOINTS[body.type].unit for body in bodies))), *others

    def derive(self, mechanics: Mechanics) -> Results:
        assert isinstance(mechanics.arguments, LoopArguments)
        constraints = mechanics.arguments.constraints
        return {'closed': constraints.step(), 'gap': [constraints.gap()],
                'margin': [constraints.margin()]}
