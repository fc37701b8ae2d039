"""
The text of a model, generated in a child process while the caller goes on.

It takes hundredths of a second to seconds of pure Python. A thread would hold the interpreter's
lock nearly all that time; a process uses another core.
"""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from urdf2dyn_ros.codegen.functions.function import FRAME_AXES, FrameAxes, LinkFrames
from urdf2dyn_ros.codegen.generator import Style
from urdf2dyn_ros.codegen.languages import LanguageName
from urdf2dyn_ros.errors import ExportError, Urdf2DynError
from urdf2dyn_ros.export import export_model
from urdf2dyn_ros.robot.loads import Loads, with_loads
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.system import IMPORT_ROOT, run_giving_way

LONGEST_EXPORT = 300.0   # [s]; the longest texts take seconds, on a busy robot a minute

# otherwise numpy starts a thread for each core, which waits for work without sleeping
_ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}

# modules are imported from where the caller imports them, not from the current directory
_PROGRAM = ('import sys; caller, *sys.path[:] = sys.argv[1:]; '
            'from urdf2dyn_ros.nodes.export_process import main; main(int(caller))')


@dataclass(frozen=True)
class Export:
    """
    An export of a robot description, as by `export_model`.

    Without the parameters `loading` of `load_parameters`, <force> tags are the only loads.
    """

    text: str
    language: LanguageName
    style: Style
    name: str | None
    gravity: tuple[float, float, float]
    functions: str
    loading: dict[str, Any] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    axes: FrameAxes = FRAME_AXES[0]

    def files(self) -> dict[str, str]:
        """Return {file name: text}; raises what `read_description` and `export_model` raise."""
        model, loads = read_description(self.text), Loads()
        if self.loading:
            model, loads = with_loads(self.loading, model)
        return export_model(model, self.language, self.style, self.name, self.gravity,
                            self.functions, loads, LinkFrames(tuple(self.links), self.axes))

    def files_of_child(self, limit: float = LONGEST_EXPORT) -> dict[str, str]:
        """
        Return the same from a child process, whose errors are raised as an ExportError.

        So is one of the process itself, and that it takes longer than `limit` [s]: one that hangs
        would leave its caller busy for ever.
        """
        try:
            done = run_giving_way(
                [sys.executable, '-c', _PROGRAM, str(os.getpid()), str(IMPORT_ROOT), *sys.path],
                json.dumps(asdict(self)).encode(), {**os.environ, **_ONE_THREAD},
                own_session=True, limit=limit)   # a Ctrl-C is for the caller
        except subprocess.TimeoutExpired:
            raise ExportError(f'the process that exports took longer than {limit:g} s and was '
                              'ended; the next export starts another one') from None
        except OSError as error:
            raise ExportError(
                f'cannot start a process to export in: {error.strerror}') from None
        if done.returncode:
            *_, last = done.stderr.decode(errors='replace').strip().splitlines() or ['no output']
            raise ExportError(
                f'the process that exports ended with code {done.returncode}: {last}')
        files, fault = json.loads(done.stdout)
        if fault:
            raise ExportError(fault)
        return dict(files)


def main(caller: int) -> None:
    """Write files and error of the export on standard input to standard output."""
    def end_with_caller() -> None:
        while os.getppid() == caller:
            time.sleep(0.5)
        os._exit(1)   # no result would be read

    threading.Thread(target=end_with_caller, daemon=True).start()
    output, sys.stdout = sys.stdout, sys.stderr   # other output is no result
    try:
        result = Export(**json.load(sys.stdin)).files(), ''
    except Urdf2DynError as error:
        result = {}, str(error)
    print(json.dumps(result), file=output, flush=True)
