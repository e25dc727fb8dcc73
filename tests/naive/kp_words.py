"""Subgroups of equal words with lists and plain loops."""

import math


def width(rows):
    columns = list(zip(*rows))
    total = 0.0
    for c in columns:  # not `sum`, which newer Pythons round differently
        total += (max(c) - min(c)) * (max(c) - min(c))
    return math.sqrt(total / len(columns))


def accept(candidates, by_cost, subgroup, first):
    """Take candidates in order whose members are all free; writes into `subgroup`, returns those taken."""
    taken = []
    for c in by_cost:
        if all(subgroup[r] < 0 for r in candidates[c]):
            for r in candidates[c]:
                subgroup[r] = first + len(taken)
            taken.append(c)
    return taken


def join_own_word(values, keys, losses, subgroup, forms, free, weight):
    """A free record joins the subgroup of its own word that costs least, if that beats giving up its pattern."""
    members = [[i for i in range(len(values)) if subgroup[i] == s] for s in range(len(forms))]
    word = [keys[forms[s]][members[s][-1]] for s in range(len(forms))]
    widths = [width([values[i] for i in m]) for m in members]
    limit = weight + sum(widths) / len(forms)
    for r in free:
        best, chosen = limit, -1
        for form in range(len(keys) - 1, 0, -1):
            price = weight * losses[form][r]
            if price >= best:
                continue
            for s in range(len(forms)):
                if forms[s] != form or word[s] != keys[form][r]:
                    continue
                grown = width([values[i] for i in [*members[s], r]])
                cost = (len(members[s]) + 1) * grown - len(members[s]) * widths[s] + price
                if cost < best:
                    best, chosen = cost, s
        if chosen >= 0:
            subgroup[r] = chosen
            members[chosen].append(r)
            widths[chosen] = width([values[i] for i in members[chosen]])
    return subgroup


def best_form(keys, losses, members):
    """Among the forms all members agree on the one with the least loss; the finer one of equals."""
    best, chosen = math.inf, 0
    for form in range(len(keys) - 1, -1, -1):
        if len({keys[form][i] for i in members}) == 1:
            total = 0.0
            for i in members:
                total += losses[form][i]
            if total < best:
                best, chosen = total, form
    return chosen
