"""Parameters of the Kalman filters."""

from dataclasses import replace

from urdf2dyn_ros.estimators.bank import Model
from urdf2dyn_ros.robot.parameters import Parameter

FIXED_DENSITY = Parameter(
    'snap_density', 1e5, 'Power spectral density of the white noise that models snap, the fourth '
    'derivative of position: larger follows faster and is noisier.',
    unit='rad^2/s^7 or m^2/s^7', minimum=1e-3, maximum=1e12)
"""Row of a filter that does not adapt its bandwidth."""

FIXED_MODEL = Model(FIXED_DENSITY.default)

KALMAN_PARAMETERS = (
    replace(FIXED_DENSITY, default=0.0, minimum=0.0, meaning=FIXED_DENSITY.meaning.rstrip('.')
            + '; 0 adapts it to the motion of each joint, by how well predictions succeed.'),
    Parameter('position_noise', 0.0, 'Standard deviation of measured positions; 0 to estimate '
              'it from the samples.', unit='rad or m', minimum=0.0, maximum=1.0),
    Parameter('velocity_noise', 0.0, 'Standard deviation of measured velocities; 0 to '
              'estimate it from the samples.', unit='rad/s or m/s', minimum=0.0,
              maximum=100.0),
    Parameter('gate', 25.0, 'Squared innovation, relative to its variance, beyond which a '
              'measurement is rejected; 0 for no gate.', minimum=0.0, maximum=1e6),
    Parameter('acceleration_step', 20.0, 'Largest step of the acceleration that is not '
              'rejected as an outlier.', unit='rad/s^2 or m/s^2', minimum=0.0, maximum=1e5),
    Parameter('max_std', 10.0, 'Largest standard deviation of an acceleration by the noise of '
              'the samples; as long as one is larger, there is no estimate.',
              unit='rad/s^2 or m/s^2', minimum=1e-6, maximum=1e9),
)
