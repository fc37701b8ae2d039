"""The SROS 2 policy of config/ against what the nodes have on a real DDS graph."""

from xml.etree import ElementTree

import pytest

from support.nodes.graph import Graph, Process
from support.paths import ROOT
from urdf2dyn_ros.nodes import security_policy as policy
from urdf2dyn_ros.nodes.demo.child_process import check_running
from urdf2dyn_ros.nodes.security_policy import Rights, rights, running_nodes, security_policy

POLICY = ROOT / 'config' / 'sros2_policy.xml'


def test_the_policy_allows_what_the_nodes_have_and_no_more(
        graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, 'ChildProcess', Process)   # they start sooner
    allowed = parsed(POLICY.read_text())
    with running_nodes(graph.domain) as nodes:
        graph.wait(lambda: rights(graph.node) == allowed, what='topics and services of the policy',
                   meanwhile=lambda: check_running(nodes))
        assert security_policy(allowed) == POLICY.read_text()
    published, subscribed = (allowed['inverse_dynamics'][right]
                             for right in ('publish', 'subscribe'))
    for topic in ('~/efforts', '~/base_wrench', '~/wrench', '~/terms/gravity', '/diagnostics'):
        assert topic in published
    assert {'joint_states', 'robot_description', 'imu', 'odometry', '/clock'} <= subscribed


def parsed(text: str) -> dict[str, Rights]:
    """Return what a policy allows, by the last word of its enclaves."""
    found = {}
    for enclave in ElementTree.fromstring(text.encode()).iter('enclave'):
        own: Rights = {}
        for group in enclave.iterfind('profiles/profile/*'):
            (right, allow), = group.attrib.items()
            assert allow == 'ALLOW'
            own[right] = {entry.text or '' for entry in group}
        found[enclave.attrib['path'].removeprefix('/urdf2dyn_ros/')] = own
    return found
