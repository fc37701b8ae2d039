"""Arguments of the command line of ros2 launch that a launch file does not have."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from urdf2dyn_ros.quoting import quote, suggestion


def unknown_arguments(file: str, known: Iterable[str], command: Sequence[str]) -> list[str]:
    """
    Return a sentence for each argument that launch would ignore, as it does with unknown ones.

    The launch `file` that asks has the `known` arguments, with those of the files that it
    includes. Where another one includes it, the arguments are for that one. The command is the
    words of the process: ``ros2 launch urdf2dyn_ros dynamics.launch.py urdf:=FILE``.
    """
    name, names = Path(file).name, list(known)
    words = list(command)
    at = next((at for at, word in enumerate(words) if Path(word).name == name), len(words))
    arguments = [word.partition(':=')[0] for word in words[at + 1:] if ':=' in word]
    # ros2 launch has launch-prefix and others of its own, with a hyphen
    return [f'{name} has no argument {quote(argument)}, it has no effect: '
            f'{suggestion(argument, names, search=True)}'
            for argument in arguments if argument not in names and '-' not in argument]
