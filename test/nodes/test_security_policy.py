"""The SROS 2 policy of config/ against what the nodes have on a real DDS graph."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from rclpy.node import NodeNameNonExistentError

from support.nodes.graph import Graph, Process
from support.paths import ROOT
from urdf2dyn_ros.nodes.demonstration import check_running, stop_all
from urdf2dyn_ros.system import robot_file

pytestmark = pytest.mark.slow

POLICY = ROOT / 'config' / 'sros2_policy.xml'

Rights = dict[str, set[str]]
"""Names of topics and services by what is allowed: publish, subscribe, reply."""


class Started(NamedTuple):
    """A node that is started, its enclaves and parameters, and the topics it creates last."""

    module: str
    enclaves: tuple[str, ...]
    parameters: Mapping[str, Any]
    last: frozenset[str]


DYNAMICS, MANAGED = 'inverse_dynamics', 'inverse_dynamics_lifecycle'
BOTH = DYNAMICS, MANAGED
STARTED = (   # with every parameter that creates a topic or a service
    Started(DYNAMICS, BOTH, {'terms.enabled': True, 'observer.enabled': True,
                             'wrench_estimate.link': 'link6'},
            frozenset({'~/wrench', '~/contact'})),
    Started(DYNAMICS, BOTH, {'base': 'imu'}, frozenset({'imu', '~/base_wrench'})),
    Started(DYNAMICS, BOTH, {'base': 'odometry', 'use_sim_time': True},
            frozenset({'odometry', '~/base_wrench', '/clock'})),
    Started(MANAGED, (MANAGED,), {}, frozenset({'~/transition_event'})),
    Started('effort_comparison', ('effort_comparison',), {}, frozenset({'~/comparison'})),
    Started('joint_simulator', ('joint_simulator',),
            {'publish_clock': True}, frozenset({'joint_states', '/clock'})),
)


def test_the_policy_allows_what_the_nodes_have_and_no_more(graph: Graph) -> None:
    """A new topic or service is a new line of the policy."""
    allowed, nodes = policy(), []
    try:
        for number, each in enumerate(STARTED):   # each in a namespace of its own
            words = ['--ros-args', '-r', f'__ns:=/n{number}']
            for name, value in {'robot_description': robot_file('rx90').read_text(),
                                **each.parameters}.items():
                words += ['-p', f'{name}:={json.dumps(value)}']
            nodes.append(Process(f'urdf2dyn_ros.nodes.{each.module}', words,
                                 {'ROS_DOMAIN_ID': str(graph.domain)}))
        graph.wait(lambda: rights(graph.node) == allowed, what='topics and services of the policy',
                   meanwhile=lambda: check_running(nodes))
    finally:
        stop_all(nodes)
    published, subscribed = (allowed['inverse_dynamics'][right]
                             for right in ('publish', 'subscribe'))
    for topic in ('~/efforts', '~/base_wrench', '~/wrench', '~/terms/gravity', '/diagnostics'):
        assert topic in published
    assert {'joint_states', 'robot_description', 'imu', 'odometry', '/clock'} <= subscribed


def policy() -> dict[str, Rights]:
    """Return what the policy allows, by the last word of its enclaves; names are sorted."""
    found = {}
    for enclave in ElementTree.parse(POLICY).iter('enclave'):
        own: Rights = {}
        for group in enclave.iterfind('profiles/profile/*'):
            (right, allow), = group.attrib.items()
            names = [entry.text or '' for entry in group]
            assert allow == 'ALLOW' and names == sorted(set(names))
            own[right] = set(names)
        found[enclave.attrib['path'].removeprefix('/urdf2dyn_ros/')] = own
    return found


def rights(node: Any) -> dict[str, Rights] | None:
    """Return the rights of the running nodes in each enclave; None before all have everything."""
    by_enclave: dict[str, Rights] = defaultdict(lambda: defaultdict(set))
    for number, each in enumerate(STARTED):
        name, space = each.module.removesuffix('_lifecycle'), f'/n{number}'
        try:
            own = {'publish': node.get_publisher_names_and_types_by_node(name, space),
                   'subscribe': node.get_subscriber_names_and_types_by_node(name, space),
                   'reply': node.get_service_names_and_types_by_node(name, space)}
        except NodeNameNonExistentError:
            return None
        names = {right: {relative(full, name, space) for full, _ in rows}
                 for right, rows in own.items()}
        if not each.last <= set().union(*names.values()):
            return None
        for enclave in each.enclaves:
            for right, allowed in names.items():
                if allowed:
                    by_enclave[enclave][right] |= allowed
    return by_enclave


def relative(full: str, node: str, space: str) -> str:
    """Return the name as in the code: private, relative, or absolute outside the namespace."""
    private = f'{space}/{node}/'
    if full.startswith(private):
        return '~/' + full.removeprefix(private)
    return full.removeprefix(f'{space}/')
