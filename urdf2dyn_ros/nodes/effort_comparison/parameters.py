"""The parameters of the node effort_comparison."""

from dataclasses import replace

from urdf2dyn_ros.comparison.semantics import SEMANTICS
from urdf2dyn_ros.origin import EFFORT_SOURCES
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.parameters.gravity import GRAVITY_PARAMETER

COMPARISON_PARAMETERS = (
    Parameter('effort_semantics', 'net', 'What the measured effort is: ' + '; '.join(
        f'{name}: {row.meaning}' for name, row in SEMANTICS.items()) + '. Efforts computed with '
              'friction.enabled include friction: they compare as net.',
        choices=tuple(SEMANTICS), read_only=True),
    Parameter('current_gains', (1.0,), 'Effort of a joint per current: one for all, or one for '
              'each in the order of the computed efforts.', unit='N m/A or N/A', read_only=True,
              any_length=True, nonzero=True),
    Parameter('efforts', EFFORT_SOURCES[0], 'Where the measured efforts come from, as the report '
              'names them.', choices=EFFORT_SOURCES, read_only=True),
    Parameter('window', 10.0, 'Length of the sliding window.', unit='s', minimum=0.5,
              maximum=3600.0, read_only=True),
    Parameter('samples', 60_000, 'Newest samples of each joint that are kept for pictures and '
              'tables; figures of the total cover all.', minimum=1000, maximum=10_000_000,
              read_only=True),
    Parameter('lag.search', 0.1, 'Longest constant lag of the measurement that is searched for '
              'and aligned; below 1 ms: none.', unit='s', minimum=0.0, maximum=0.5,
              read_only=True),
    Parameter('still_velocity', 0.005, 'Velocity up to which a joint rests: its friction is not '
              'fitted then.', unit='rad/s or m/s', minimum=0.0, maximum=10.0, read_only=True),
    replace(GRAVITY_PARAMETER, read_only=True,
            meaning=GRAVITY_PARAMETER.meaning + ' For gravity_compensated efforts.'),
    Parameter('report.directory', '.', 'Directory in which save_report writes efforts.csv, '
              'efforts.json, efforts.png and efforts.html; created if it does not exist.'),
    Parameter('report.overwrite', False, 'Replace the files of another report.'),
    Parameter('progress_period', 5.0, 'Time between two log lines with the progress.', unit='s',
              minimum=0.1, maximum=3600.0, read_only=True),
)
