"""Least-cost flow by the plainest means: cancel negative cycles found by Bellman and Ford, one unit at a time."""


def least_cost(n_nodes, arcs, supply):
    """`arcs` are (tail, head, capacity, cost). Returns the least cost, or None if the supplies cannot be carried."""
    network = [[u, v, c, w] for u, v, c, w in arcs]
    big = 1 + sum(abs(w) for *_, w in arcs) * (n_nodes + 1)
    # a node beside the network takes every supply to every demand at a price nobody would pay
    extra = n_nodes
    for v, amount in enumerate(supply):
        if amount > 0:
            network.append([v, extra, amount, big])
        elif amount < 0:
            network.append([extra, v, -amount, big])
    flow = [0] * len(network)
    for e in range(len(arcs), len(network)):
        flow[e] = network[e][2]
    while True:
        cycle = _negative_cycle(n_nodes + 1, network, flow)
        if cycle is None:
            break
        for e, direction in cycle:
            flow[e] += direction
    if any(flow[e] for e in range(len(arcs), len(network))):
        return None
    return sum(f * w for f, (_, _, _, w) in zip(flow, arcs, strict=False))


def _negative_cycle(n, network, flow):
    residual = []
    for e, (u, v, c, w) in enumerate(network):
        if flow[e] < c:
            residual.append((u, v, w, e, 1))
        if flow[e] > 0:
            residual.append((v, u, -w, e, -1))
    distance, by = [0] * n, [None] * n
    last = None
    for _ in range(n):
        last = None
        for arc in residual:
            u, v, w, *_ = arc
            if distance[u] + w < distance[v]:
                distance[v], by[v], last = distance[u] + w, arc, v
    if last is None:
        return None
    v = last
    for _ in range(n):
        v = by[v][0]
    cycle, at = [], v
    while True:
        u, _, _, e, direction = by[at]
        cycle.append((e, direction))
        at = u
        if at == v:
            return cycle
