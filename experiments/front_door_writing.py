"""What the sources of `experiments.front_door` are written with: tables, made-up days, and what a source truly is."""

import csv
import datetime as dt

D0 = dt.datetime(2022, 5, 2)
MINUTE = dt.timedelta(minutes=1)
WORDS = [
    "patient",
    "reports",
    "chest",
    "pain",
    "since",
    "yesterday",
    "evening",
    "no",
    "fever",
    "blood",
    "pressure",
    "stable",
    "plan",
    "discharge",
    "tomorrow",
    "family",
    "informed",
    "wound",
    "dry",
    "and",
    "clean",
]


def table(path, rows, by=",", encoding="utf-8", before=(), end="\n", after=()):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding=encoding, newline="") as file:
        file.writelines(line + end for line in before)
        csv.writer(file, delimiter=by, lineterminator=end).writerows(rows)
        file.writelines(line + end for line in after)
    return path.name


def moved(rng, hour):
    return 0 if rng.random() < (0.95 if hour < 6 else 0.35) else int(rng.expovariate(1 / 350))


def sugar(rng, minute, level):
    return max(45, min(380, round(level + 45 * ((minute // 300) % 3 - 1) + rng.gauss(0, 18))))


def days(p, rng):
    return D0 + dt.timedelta(days=rng.randint(0, 90), minutes=rng.randint(0, 1200))


def sentence(rng, n=40, words=WORDS):
    return (" ".join(rng.choice(words) for _ in range(n)) + ".").capitalize()


def stamp(t, form="%Y-%m-%d %H:%M:%S"):
    return t.strftime(form)


def truth(kinds, person="", *, ask=False, never=(), run=True, **roles):
    """Kinds and people that are right, columns that play no role, and whether a command is wanted (None: either)."""
    return {
        "kinds": kinds.split("/"),
        "person": person.split("/"),
        "ask": ask,
        "never": never,
        "run": run,
        "roles": {r: v.split("|") for r, v in roles.items()},
    }
