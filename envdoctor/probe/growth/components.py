"""The strongly connected parts of a graph: the objects that all lead to each other."""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, Sequence, Set

Graph = Mapping[int, Sequence[int]]


def components(graph: Graph) -> Iterator[List[int]]:
    """The parts, each node in one of them (Kosaraju: backwards, in the order of leaving)."""
    backwards: Dict[int, List[int]] = {node: [] for node in graph}
    for node, following in graph.items():
        for other in following:
            backwards[other].append(node)
    visited: Set[int] = set()
    for node in reversed(_leaving_order(graph)):
        if node not in visited:
            yield list(_walk(node, backwards, visited))


def _leaving_order(graph: Graph) -> List[int]:
    """The nodes in the order in which a walk in depth leaves them."""
    visited: Set[int] = set()
    return [node for root in graph if root not in visited for node in _walk(root, graph, visited)]


def _walk(root: int, graph: Graph, visited: Set[int]) -> Iterator[int]:
    """The nodes that are reached from a root and were not visited, as the walk leaves them."""
    visited.add(root)
    path = [(root, iter(graph[root]))]
    while path:
        node, following = path[-1]
        other = next((each for each in following if each not in visited), None)
        if other is None:
            path.pop()
            yield node
        else:
            visited.add(other)
            path.append((other, iter(graph[other])))
