"""Records that change places between subgroups of their words, every envelope worked out from scratch."""

from tests.naive.kp_words import width


def exchange(values, keys, losses, of, form, word, group, near, p, k, weight, sweeps):
    of = list(of)
    members = [[r for r in range(len(of)) if of[r] == s] for s in range(len(form))]
    room = 2 * max(map(len, members)) + 4

    def people(g):
        return [r for s in range(len(form)) if group[s] == g for r in members[s]]

    def cost(rows):
        return len(rows) * width([values[r] for r in rows])

    for _ in range(sweeps):
        changed = False
        for s in range(len(form)):
            g = group[s]
            for t in near[s]:
                if t < 0 or group[t] == g:
                    continue
                h = group[t]
                mine, theirs = people(g), people(h)
                now = [cost(mine), cost(theirs)]
                best, one, other = -1e-9 * max(1e-9, now[0] + now[1]), None, None
                for a, r in enumerate(members[s]):
                    if keys[form[t]][r] != word[t]:
                        continue
                    shape = weight * (losses[form[t]][r] - losses[form[s]][r])
                    without = [x for x in mine if x != r]
                    if len(members[s]) > p and len(mine) > k and len(members[t]) < room:
                        change = cost(without) - now[0] + shape
                        change += cost([*theirs, r]) - now[1]
                        if change < best:
                            best, one, other = change, a, None
                    for b, q in enumerate(members[t]):
                        if keys[form[s]][q] != word[s]:
                            continue
                        change = cost([*without, q]) - now[0]
                        change += cost([*(x for x in theirs if x != q), r]) - now[1]
                        change += shape + weight * (losses[form[s]][q] - losses[form[t]][q])
                        if change < best:
                            best, one, other = change, a, b
                if one is None:
                    continue
                changed = True
                r = members[s][one]
                if other is None:
                    last = members[s].pop()
                    if one < len(members[s]):
                        members[s][one] = last
                    members[t].append(r)
                else:
                    q = members[t][other]
                    members[s][one], members[t][other] = q, r
                    of[q] = s
                of[r] = t
        if not changed:
            break
    return of


def nearest_of_class(centre, classes, near, count):
    """Per subgroup the nearest of its class, the earlier one of equals, after the `count` places that are there."""
    for members in classes:
        for s in members:
            gaps = [(sum((a - b) * (a - b) for a, b in zip(centre[s], centre[t])), i) for i, t in enumerate(members)]
            ranked = [members[i] for _, i in sorted(gaps) if members[i] != s][:count]
            near[s][count : count + len(ranked)] = ranked
    return near
