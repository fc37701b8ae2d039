"""Domains of DDS that the demonstration may use."""

import os

import pytest

from support.nodes.graph import Graph
from urdf2dyn_ros.nodes import local_graph


def test_a_domain_in_which_others_receive_is_not_joined(
        graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found by their ports, however long DDS takes to discover them."""
    monkeypatch.setattr(local_graph, '_DISCOVERY_TIME', 0.0)
    monkeypatch.setattr(os, 'getpid', lambda: graph.domain - 1)
    client, domain = local_graph.join_empty_domain('visitor')
    client.close()
    assert domain != graph.domain


def test_where_all_domains_are_in_use_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_graph, '_in_use', lambda domain: True)
    with pytest.raises(OSError, match='1 to 101 of this computer are all in use: end the nodes'):
        local_graph.join_empty_domain('visitor')
