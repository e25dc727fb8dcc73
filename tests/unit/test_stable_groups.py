"""Repeated publication with kept groups hides people among k over all releases together; without, it does not."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import sequester as sq
from sequester import stable_groups
from sequester.accounts.overlap import compared_with_all, grouping

K = 4
WAYS = {
    "kapra": ("series", lambda: sq.Kapra(k=K, p=2)),
    "kp-naive": ("series", lambda: sq.KPNaive(k=K, p=2)),
    "mcka": ("activity", lambda: sq.MCKA(k=K)),
    "mcka-exact": ("activity", lambda: sq.MCKA(k=K, exact=True)),
    "mdav-ka": ("activity", lambda: sq.MDAVKA(k=K)),
}


def quarters(kind, seed, n=3, people=60):
    """The same people measured n times: some leave, some come, some come back, everybody's values change."""
    rng = np.random.default_rng(seed)
    pool = [sq.sample(kind, n_people=people, seed=seed + 100 * q) for q in range(n)]
    names = pool[0].persons
    for q, data in enumerate(pool):
        some = rng.permutation(people)[: int(people * 0.8)] if q else np.arange(int(people * 0.8))
        rows = np.sort(some)
        yield replace(data, persons=names).take(rows)


def shown(bundle):
    """Person → group, by hand from the released rows and the custodian's map; nothing of the account is used."""
    opened = sq.open_bundle(bundle, private=True)
    if "origin" in opened.private:
        group = dict(zip(*(opened.tables["records"][c].to_pylist() for c in ("record", "group"))))
        told = opened.private["origin"]
        return {p: group[r] for p, r in zip(told["person"].to_pylist(), told["record"].to_pylist())}
    told = opened.private["records"]
    cluster = dict(zip(*(opened.tables["sequences"][c].to_pylist() for c in ("record", "cluster"))))
    return {p: cluster[r] for p, r in zip(told["person"].to_pylist(), told["record"].to_pylist())}


def fewest_who_fit(releases):
    """For everybody in the last release: how many people were in the same groups of all releases, or absent alike."""
    signature = {p: tuple(r.get(p) for r in releases) for p in releases[-1]}
    return min(Counter(signature.values()).values())


def publish(folder, kind, method, seed, kept):
    out = []
    for q, data in enumerate(quarters(kind, seed)):
        target = folder / f"q{q}.bundle"
        earlier = folder / f"q{q - 1}.private" if kept and q else None
        # Rows of some 23 people are mostly one state: who would want them is not asked here. Seeded, because how many
        # people fit into kept groups hangs on the draw.
        request = sq.Request(method=method, target=target, grouping=earlier, evidence=(), force=True, seed=q)
        sq.publish_data(data, request)
        assert sq.verify(target, data).result == "confirmed"  # beside the whole original of that quarter
        out.append(shown(target))
    return out


@pytest.mark.parametrize("way", WAYS)
def test_kept_groups_hide_everybody_among_k_over_all_releases(tmp_path, way):
    kind, method = WAYS[way]
    releases = publish(tmp_path, kind, method(), seed=7, kept=True)
    for i in range(1, len(releases) + 1):
        assert fewest_who_fit(releases[:i]) >= K
    assert all(len(r) >= 20 for r in releases), "most people must still be published"
    opened = [sq.open_bundle(tmp_path / f"q{q}.bundle", private=True) for q in range(3)]
    groups = [grouping(b.tables, b.private) for b in opened]
    together = compared_with_all(groups[:2], groups[2], K)
    assert together.smallest == fewest_who_fit(releases) and together.below == 0 and together.says == ""


@pytest.mark.parametrize("way", ["kapra", "mcka"])
def test_without_kept_groups_the_releases_together_single_people_out(tmp_path, way):
    kind, method = WAYS[way]
    told = []
    releases = []
    for q, data in enumerate(quarters(kind, 7)):
        request = sq.Request(method=method(), target=tmp_path / f"q{q}.bundle", evidence=(), force=True, seed=q)
        sq.publish_data(data, request, say=told.append)
        releases.append(shown(tmp_path / f"q{q}.bundle"))
    assert fewest_who_fit(releases) < K
    assert any("(--grouping from q1.private)" in line for line in told)
    assert any(line.startswith("Whoever knows in which of the 3 releases a person is") for line in told)


def test_who_cannot_be_hidden_is_left_out_and_the_custodian_is_told(tmp_path):
    data = sq.sample("series", n_people=20, seed=3)
    sq.publish_data(data, sq.Request(method=sq.Kapra(k=5, p=2), target=tmp_path / "a.bundle", evidence=()))
    groups = shown(tmp_path / "a.bundle")
    sizes = Counter(groups.values())
    smallest = min(sizes, key=lambda g: (sizes[g], g))
    gone = [p for p, g in groups.items() if g == smallest][: sizes[smallest] - 3]
    other = next((p for p, g in groups.items() if g != smallest and sizes[g] > 5), None)
    here = [i for i, p in enumerate(data.persons) if p not in gone and p != other]
    more = sq.sample("series", n_people=3, seed=9)
    persons = [*data.persons[here].tolist(), "new1", "new2", "new3"]
    second = sq.Series(
        values=np.vstack([data.values[here], more.values]), persons=persons, times=data.times, people_known=True
    )
    told = []
    sq.publish_data(
        second,
        sq.Request(
            method=sq.Kapra(k=5, p=2), target=tmp_path / "b.bundle", grouping=tmp_path / "a.private", evidence=()
        ),
        say=told.append,
    )
    after = shown(tmp_path / "b.bundle")
    assert not set(after) & {"new1", "new2", "new3"} and not [p for p in after if groups[p] == smallest]
    assert (
        "3 people stay out: fewer than 5 of their group in 'a.bundle' are in the data. Published in another group they "
        "would stand out."
    ) in told
    assert "3 people are new and stay out until the next release: a group of their own needs 5." in told
    if other:
        assert (
            "1 person of 'a.bundle' is gone from 1 group published again. A reader of both releases can "
            "compare those groups and learn something about them."
        ) in told


@pytest.mark.parametrize(
    ("method", "kind", "says"),
    [
        (lambda: sq.KRepeats(k=2), "text", "grouping: k-repeats has no groups of people that could be kept. Leave "
         "grouping= out; kapra, kp-naive, mcka and mdav-ka can keep them."),
        (lambda: sq.MCKA(k=3), "activity", "grouping: 'a.bundle' holds series data, this is activity data."),
        (lambda: sq.Kapra(k=3, p=2, unit="record"), "series", "Kapra: groups of an earlier release are kept for "
         "people, got unit='record'."),
        (lambda: sq.Kapra(k=3, p=2, pattern="literal"), "series", "Kapra: pattern='literal' cannot keep the groups of "
         "an earlier release."),
        (lambda: sq.Kapra(k=50, p=2), "series", "grouping: no group of 'a.bundle' has k=50 people left in the data, "
         "and fewer than 50 people are new. Lower k, or publish without the earlier groups."),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_in_words(tmp_path, method, kind, says):
    sq.publish_data(
        sq.sample("series", n_people=12, seed=1),
        sq.Request(method=sq.Kapra(k=3, p=2), target=tmp_path / "a.bundle", evidence=()),
    )
    if kind == "text":
        sq.publish_data(
            sq.sample("text", n_people=12, seed=1),
            sq.Request(method=sq.KRepeats(k=2), target=tmp_path / "t.bundle", evidence=()),
        )
    place = tmp_path / ("t.private" if kind == "text" else "a.private")
    with pytest.raises(sq.SequesterError) as caught:
        sq.anonymize(sq.sample(kind, n_people=12, seed=1), method(), grouping=place)
    assert str(caught.value) == says


def test_a_place_that_is_not_there_is_said(tmp_path):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(sq.sample("series", n_people=12, seed=1), sq.Kapra(k=3, p=2), grouping=tmp_path / "x.private")
    assert str(caught.value) == (
        "grouping: 'x.bundle' does not exist. Name the private folder of an earlier release, with its bundle beside it."
    )


def test_diversity_is_kept_inside_kept_groups(tmp_path):
    rng = np.random.default_rng(4)
    data = sq.sample("series", n_people=48, seed=2)
    ill = np.array(["a", "b", "c", "d"], dtype=object)[rng.integers(0, 4, 48)]
    data = sq.Series(
        values=data.values, persons=data.persons, times=data.times, people_known=True, sensitive={"ill": ill}
    )
    method = sq.Kapra(k=8, p=4, l=2, withhold_up_to=0.5)
    sq.publish_data(data, sq.Request(method=method, target=tmp_path / "a.bundle", evidence=()))
    again = sq.Series(
        values=data.values[:, ::-1], persons=data.persons, times=data.times, people_known=True, sensitive={"ill": ill}
    )
    sq.publish_data(
        again, sq.Request(method=method, target=tmp_path / "b.bundle", grouping=tmp_path / "a.private", evidence=())
    )
    assert sq.verify(tmp_path / "b.bundle", again).result == "confirmed"
    assert fewest_who_fit([shown(tmp_path / f"{name}.bundle") for name in "ab"]) >= 8


def test_in_a_plan_the_earlier_release_may_be_made_by_the_plan_itself(tmp_path):
    for name, seed in (("jan", 1), ("apr", 2)):
        sq.write_sample("series", tmp_path / f"{name}.csv", n_people=30, seed=seed)
    (tmp_path / "plan.toml").write_text(
        "".join(
            f'[[release]]\nname = "{n}"\nsource = "{n}.csv"\nmethod = "kapra"\nout = "{n}.bundle"\nevidence = []\n'
            f"{more}[release.parameters]\nk = 4\np = 2\n[release.roles]\nperson = 'person'\n"
            "sensitive = ['stay_days', 'outcome']\n"
            for n, more in (("jan", ""), ("apr", 'grouping = "jan.private"\n'))
        )
    )
    list(sq.run_plan(sq.read_plan(tmp_path / "plan.toml")))
    releases = [shown(tmp_path / f"{n}.bundle") for n in ("jan", "apr")]
    assert fewest_who_fit(releases) >= 4
    kept = []
    list(sq.run_plan(sq.read_plan(tmp_path / "plan.toml"), say=kept.append))
    assert len(kept) == 2  # both were finished by the first run
    wrong = (tmp_path / "plan.toml").read_text().replace("jan.private", "feb.private")
    (tmp_path / "plan.toml").write_text(wrong)
    with pytest.raises(sq.InputError) as caught:
        sq.read_plan(tmp_path / "plan.toml", overwrite=True)
    assert "apr: 'grouping' names 'feb.bundle', which is not there and which no earlier release writes." in str(
        caught.value
    )


def test_on_the_command_line(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from sequester.cli import cli

    monkeypatch.chdir(tmp_path)
    for name, seed in (("jan", 1), ("apr", 2)):
        sq.write_sample("series", f"{name}.csv", n_people=30, seed=seed)
    run = CliRunner().invoke
    common = ["--person", "person", "--sensitive", "stay_days,outcome", "--k", "4", "--p", "2", "--no-measure"]
    assert run(cli, ["publish", "kapra", "jan.csv", *common, "--out", "jan.bundle"]).exit_code == 0
    done = run(
        cli, ["publish", "kapra", "apr.csv", *common, "--grouping", "from", "jan.private", "--out", "apr.bundle"]
    )
    assert done.exit_code == 0, done.output
    assert fewest_who_fit([shown(tmp_path / f"{n}.bundle") for n in ("jan", "apr")]) >= 4


def test_one_new_person_stays_out_and_several_stay_out():
    for new, said in ((1, "1 person is new and stays out"), (2, "2 people are new and stay out")):
        (note,) = stable_groups._notes("a.bundle", 5, waiting=0, new=new, left=0, thinned=0)
        assert said in str(note)
