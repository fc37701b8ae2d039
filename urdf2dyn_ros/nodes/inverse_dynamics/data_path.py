"""What the data path of the node inverse_dynamics uses."""

from __future__ import annotations

from typing import NamedTuple

from urdf2dyn_ros.nodes.conversions import JointStateFields
from urdf2dyn_ros.nodes.inverse_dynamics.descriptions import Loaded
from urdf2dyn_ros.stream.sources import Sources
from urdf2dyn_ros.stream.stream import Stream


class Running(NamedTuple):
    """What runs, replaced as a whole when anything of it changes."""

    loaded: Loaded
    stream: Stream
    sources: Sources
    message: JointStateFields
