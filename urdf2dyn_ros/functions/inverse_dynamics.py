"""Efforts of a motion; in a readable program the vectors in the root frame as well."""

from urdf2dyn_ros.equations.root_frame import Vectors, root_frame
from urdf2dyn_ros.functions.efforts import Efforts
from urdf2dyn_ros.functions.mechanics import Mechanics


class EffortsOfMotion(Efforts):
    """Efforts that a motion requires."""

    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = 'the efforts tau that a motion requires'
    TITLE = ('Inverse dynamics{robot}: {results} = ID({inverse_dynamics}), the efforts that give '
             'a motion.')

    def in_root_frame(self, mechanics: Mechanics) -> Vectors:
        """Return pose and motion of frames, and force and moment of joints."""
        if mechanics.moving:
            return {}
        return root_frame(mechanics.system, mechanics.sweep(self.INPUTS), mechanics.gravity,
                          mechanics.notes.note)
