"""A payload in the report, and as JSON."""

from typing import Any

from urdf2dyn_ros.drawing.tables_page import ReportTable
from urdf2dyn_ros.identification.columns import PARAMETERS
from urdf2dyn_ros.identification.payload.identified_payload import IdentifiedPayload
from urdf2dyn_ros.identification.report.tables import figure_text

PAYLOAD_TITLE = 'Payload'

_CENTRE = ('centre x', 'centre y', 'centre z')
_UNITS = ('kg', *(3 * ['kg m']), *(6 * ['kg m^2']))


def payload_tables(payload: IdentifiedPayload | None) -> list[ReportTable]:
    """Return the table of a payload, or none."""
    if payload is None:
        return []
    rows = [[name, unit, figure_text(value, 4), figure_text(error, 2)]
            for name, unit, value, error in zip(PARAMETERS, _UNITS, payload.parameters,
                                                payload.deviations)]
    rows += [[name, 'm', figure_text(value, 4), figure_text(error, 2)]
             for name, value, error in zip(_CENTRE, *payload.centre)]
    about = ('Its mass was known, and fixes the gains' if payload.known else
             'Its mass was not known')
    return [ReportTable(
        PAYLOAD_TITLE, ('parameter', 'unit', 'identified', 'deviation'), rows,
        (f'On link {payload.link}, in {", ".join(payload.recordings)}. {about}. Mass m, first '
         "moments h and inertia J about the link's origin, in the link's axes; the robot that "
         'was identified is without it.',
         '; '.join(f'{name}: {_text(value)}' for name, value in payload.settings().items())
         + ' (parameters of the node)'))]


def payload_figures(payload: IdentifiedPayload | None) -> dict[str, Any] | None:
    """Return what identification.json has of a payload."""
    if payload is None:
        return None
    centre, errors = payload.centre
    return {
        'link': payload.link, 'recordings': list(payload.recordings),
        'mass_known': payload.known,
        'parameters': {name: {'value': value, 'deviation': error}
                       for name, value, error in zip(PARAMETERS, payload.parameters,
                                                     payload.deviations)},
        'centre': {name[-1]: {'value': value, 'deviation': error}
                   for name, value, error in zip(_CENTRE, centre, errors)},
        'node_parameters': payload.settings()}


def _text(value: Any) -> str:
    """Return a parameter as it is written on a command line."""
    if isinstance(value, list):
        return f'[{", ".join(f"{entry:.6g}" for entry in value)}]'
    return value if isinstance(value, str) else f'{value:.6g}'
