"""Domains of DDS that the demonstration may use."""

import os

import pytest

from support.nodes.graph import Graph
from urdf2dyn_ros.nodes.demo import local_graph


def test_a_domain_in_which_others_receive_is_not_joined(
        graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found by their ports, however long DDS takes to discover them."""
    monkeypatch.setattr(local_graph, '_DISCOVERY_TIME', 0.0)
    monkeypatch.setattr(os, 'getpid', lambda: graph.domain - 1)
    client, domain = local_graph.join_empty_domain('visitor')
    client.close()
    assert domain != graph.domain
