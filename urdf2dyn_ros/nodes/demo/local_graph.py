"""A DDS graph of this computer alone: no network, and no other robot."""

from __future__ import annotations

import os
import time

from urdf2dyn_ros.nodes.demo.client import Client

_LAST_DOMAIN = 101
"""ROS_DOMAIN_ID 1 to 101 have ports below the ephemeral ones of the system; 0 is the default."""

_DISCOVERY_TIME = 0.5
"""Time [s] to discover other nodes in a domain of this computer."""


def keep_local() -> None:
    """Confine DDS of this process and its children to this computer, whatever the setting."""
    for name in ('ROS_STATIC_PEERS', 'ROS_DISCOVERY_SERVER'):
        os.environ.pop(name, None)
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # Humble knows only the older variable, which later distributions warn of
    if os.environ.get('ROS_DISTRO') == 'humble':
        os.environ['ROS_LOCALHOST_ONLY'] = '1'


def join_empty_domain(name: str) -> tuple[Client, int]:
    """
    Return a node in a domain without other nodes, and the domain.

    Parameters
    ----------
    name : str
        Name of the node.

    """
    keep_local()
    domain = os.getpid()
    while True:
        domain = domain % _LAST_DOMAIN + 1
        if str(domain) == os.environ.get('ROS_DOMAIN_ID'):
            continue
        client = Client(name, domain)
        end = time.monotonic() + _DISCOVERY_TIME
        client.wait(lambda: time.monotonic() > end, 2.0 * _DISCOVERY_TIME, 'end of discovery')  # noqa: B023
        if client.node.get_node_names() == [name]:
            return client, domain
        client.close()
