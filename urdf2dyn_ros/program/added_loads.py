"""The payload and external wrenches as a part of what a function is derived from."""

from urdf2dyn_ros.algebra.inertia import BodyInertia, total
from urdf2dyn_ros.functions.inputs import body_wrenches, external_wrenches, payload_inertia
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.loads import Loads


def add_payload(mechanics: Mechanics, loads: Loads) -> None:
    """Add the payload to the body that carries it."""
    if 'payload' not in mechanics.arguments:
        return
    i, at = mechanics.system.links[loads.payload]
    inertia = payload_inertia(at, mechanics.arguments['payload'])
    moments = inertia.with_second_moments()
    if mechanics.second_moments and mechanics.second_moments is not mechanics.inertias:
        mechanics.second_moments[i] = _with_payload(mechanics.second_moments[i], moments)
    whole = _with_payload(mechanics.inertias[i], inertia if mechanics.textbook else moments)
    mechanics.inertias[i] = whole
    mechanics.notes.note(i, 'It', whole.entries)


def _with_payload(carrier: BodyInertia | None, payload: BodyInertia) -> BodyInertia:
    whole = total(each for each in (carrier, payload) if each is not None)
    assert whole is not None
    return whole


def add_wrenches(mechanics: Mechanics, loads: Loads) -> None:
    """Add the constant external wrenches of the description, and those that are an input."""
    wrenches = [*mechanics.system.forces,
                *external_wrenches(loads, mechanics.arguments.get('external', ()))]
    mechanics.wrenches = body_wrenches(mechanics.system, wrenches, mechanics.moving,
                                       mechanics.notes.note)
