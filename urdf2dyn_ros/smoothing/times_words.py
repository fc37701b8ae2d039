"""Samples that were taken by another clock than that of their stamps, in words."""

from collections.abc import Sequence

from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed


def times_sentences(names: Sequence[str], clocks: Array) -> list[str]:
    """
    Return a sentence for each clock of a driver.

    It is that of joints with these names; the clocks are `period` and `off` of `Taken`, (2, n).
    """
    joints: dict[str, list[str]] = {}
    for name, period, off in zip(names, *(1e3 * clocks).tolist()):
        if period:
            clock = (f'{period:.3g} ms, by another clock than that of their stamps, which are up '
                     f'to {off:.2g} ms late or early')
            joints.setdefault(clock, []).append(name)
    return [f'samples of {listed(some) if len(some) < len(names) else "all joints"} were taken '
            f'every {clock}: the motion is smoothed at the times at which they were taken'
            for clock, some in joints.items()]
