"""A DDS graph of our own on this computer: no network, and nobody else's robot."""

from __future__ import annotations

import os
import time

from urdf2dyn_ros.nodes.demo.client import Client

DOMAINS = 101
"""ROS_DOMAIN_ID 1 to 101 have ports below those that the system hands out; 0 is everybody's."""

LOOK = 0.5
"""Time [s] to see who else is in a domain of this computer."""


def keep_local() -> None:
    """Keep DDS of this process and its children on this computer, whatever the user's setting."""
    for name in ('ROS_STATIC_PEERS', 'ROS_DISCOVERY_SERVER'):
        os.environ.pop(name, None)
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # Humble knows only the older variable, which its successors warn of.
    if os.environ.get('ROS_DISTRO') == 'humble':
        os.environ['ROS_LOCALHOST_ONLY'] = '1'


def join_empty_domain(name: str) -> tuple[Client, int]:
    """
    Return a node in a domain where nobody else is, and the domain.

    Parameters
    ----------
    name : str
        Of the node.

    """
    keep_local()
    domain = os.getpid()
    while True:
        domain = domain % DOMAINS + 1
        if str(domain) == os.environ.get('ROS_DOMAIN_ID'):
            continue
        client = Client(name, domain)
        end = time.monotonic() + LOOK
        client.wait(lambda: time.monotonic() > end, 2.0 * LOOK, 'end of looking')  # noqa: B023
        if client.node.get_node_names() == [name]:
            return client, domain
        client.close()
