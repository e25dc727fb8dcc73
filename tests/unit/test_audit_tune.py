"""The audit passes sound noise and fails frauds; the sweep is a table, resumes, and repeats."""

import json
from functools import partial

import pytest
from click.testing import CliRunner
from experiments import audit_frauds as frauds

import sequester as sq
from sequester.audits import transcript
from sequester.audits.neighbours import neighbours
from sequester.audits.run import for_audit
from sequester.cli import cli
from sequester.dp.noise import TeachingNoise
from tests import planted, toy


def test_a_sound_mechanism_passes_and_the_same_with_thin_noise_fails():
    """The contract suite audits every method that claims a proof; here is what is said of one."""
    honest = sq.audit("ngram-dp", runs=60)
    assert honest.holds and honest["epsilon_lower_bound"] < 1, honest.summary
    thin = sq.audit("ngram-dp", runs=120, noise_factor=0.05)
    assert not thin.holds and thin["epsilon_lower_bound"] > 1, thin.summary


def test_the_unnormalised_transform_fails_and_its_unitary_twin_passes():
    without, with_ = frauds.cluster_neighbours()
    tell = partial(transcript.audit, without=without, with_=with_, runs=100, delta=0.0, claimed=1.0, seed=0)
    wrong = tell(lambda data, rng: frauds.unnormalised_fpa(data, rng, size=50, epsilon=1.0))
    assert not wrong.holds and wrong["epsilon_lower_bound"] > 2
    right = tell(lambda data, rng: frauds.unitary_fpa(data, rng, size=50, epsilon=1.0))
    assert right.holds


def test_faithful_mcdp_is_told_apart_by_its_clusters():
    found = sq.audit("mcdp", runs=20)
    assert not found.holds and found["epsilon_lower_bound"] == "infinite"
    json.dumps(found.to_json(), allow_nan=False)


def test_the_ratio_test_fails():
    found = sq.audit("markov-ratio", runs=30)
    assert not found.holds and found["epsilon_lower_bound"] > 1


@pytest.mark.parametrize("epsilon, fewest", [(0.05, 17), (0.35, 4), (0.65, 3)])
def test_the_witness_stands_at_the_smallest_count_that_passes(epsilon, fewest):
    without, with_, _ = sq.MarkovRatio(epsilon=epsilon).witness()
    assert int((with_.states == 2).sum()) == fewest and int((without.states == 2).sum()) == fewest - 1


def test_neighbours_differ_in_one_person():
    proved = [m for m in sq.METHODS if (c := sq.method_class(m))(**c.example).guarantee.status == "proved"]
    for method_id in proved:
        cls = sq.method_class(method_id)
        without, with_ = neighbours(cls.accepts.kind, people=8, method=cls(**for_audit(cls)))
        assert with_.n_people == without.n_people + 1 == 9


def test_an_audit_repeats_with_its_seed():
    first, again = (sq.audit("ngram-dp", runs=40, seed=3).to_json() for _ in range(2))
    assert first == again and not first["saw_original"]


@pytest.mark.parametrize(
    "method, options, message",
    [
        ("mcka", {}, "audit: mcka states no epsilon, so there is no noise to audit. Use `attack`."),
        ("ngram-dp", {"runs": 5}, "audit: runs must be a whole number of at least 20, got runs=5."),
        ("ngram-dp", {"noise_factor": 2.0}, "audit: noise_factor must lie in (0, 1], got noise_factor=2.0."),
    ],
)
def test_bad_audits_are_refused(method, options, message):
    with pytest.raises(sq.ParameterError) as caught:
        sq.audit(method, **options)
    assert str(caught.value) == message


def test_noise_of_another_shape_stops_a_replay():
    import numpy as np

    from sequester.audits.run import SameShape

    same = SameShape(TeachingNoise(np.random.default_rng(0)))
    assert same.laplace("x", np.zeros(3, np.int64), 2.0).shape == (3,)
    replayed = transcript.ReplayNoise([{"kind": "laplace", "name": "x", "out": np.zeros(4)}])
    with pytest.raises(sq.ParameterError, match="another shape"):
        SameShape(replayed).laplace("x", np.zeros(3, np.int64), 2.0)


def test_audit_on_the_command_line():
    good = CliRunner().invoke(cli, ["audit", "ngram-dp", "--runs", "40", "--json"])
    assert good.exit_code == 0 and json.loads(good.output)["holds"] is True
    bad = CliRunner().invoke(cli, ["audit", "ngram-dp", "--runs", "100", "--noise-factor", "0.1"])
    assert bad.exit_code == 1 and "NO " in bad.output
    assert "markov-dp" in CliRunner().invoke(cli, ["audit", "--help"]).output


# Tune -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def toys(monkeypatch):
    from sequester.methods import METHODS

    toy.register(monkeypatch)
    monkeypatch.setitem(METHODS, "toy-mixture", "tests.planted:ToyMixture")


def test_a_sweep_is_a_table_and_resumes(toys, tmp_path, monkeypatch):
    data = planted.crowd(n=40)
    kept = tmp_path / "sweep.jsonl"
    first = sq.tune("mcka", data, sweep={"k": [3, 5, 100]}, out=kept)
    rows = first.rows["settings"]
    assert [r["setting"]["k"] for r in rows] == [3, 5] and first.about == "tune" and first.saw_original
    assert {"seconds", "certain", "pairs", "within", "coin", "use", "promise", "verdict"} <= set(rows[0])
    assert "needs 100 people" in first.rows["refused"][0]["refused"]
    assert len(kept.read_text().splitlines()) == 3
    assert "3 run now, 0 from before" in first.summary

    def refuse(*_, **__):
        raise AssertionError("a finished setting was run again")

    import sequester.tuning as module

    whole = kept.read_text()
    monkeypatch.setattr(module, "_tried", refuse)
    again = sq.tune("mcka", data, sweep={"k": [5, 3]}, out=kept)
    assert [r["setting"]["k"] for r in again.rows["settings"]] == [5, 3] and "0 run now, 2 from before" in again.summary
    assert again.rows["settings"][1] == rows[0]
    monkeypatch.undo()
    kept.write_text(whole[: len(whole) - 30])  # killed while writing the last line
    resumed = sq.tune("mcka", data, sweep={"k": [3, 5, 100]}, out=kept)
    assert "1 run now, 2 from before" in resumed.summary
    other = sq.tune("mcka", planted.crowd(n=41), sweep={"k": [5]}, out=kept)
    assert "1 run now" in other.summary, "another source is another sweep"


def test_bad_sweeps_are_refused(tmp_path):
    data = planted.crowd(n=20)
    with pytest.raises(sq.ParameterError) as caught:
        sq.tune("kapra" if "kapra" in sq.METHODS else "ngram-k", data, sweep={"k": [2]})
    assert str(caught.value).endswith("too; a single value will do.")
    with pytest.raises(sq.ParameterError) as caught:
        sq.tune("mcka", data, sweep={"k": [2], "q": [1]})
    assert str(caught.value).startswith("tune: 'q' is not a parameter of mcka; there are by, centroids, ")
    broken = tmp_path / "notes.txt"
    broken.write_text("hello\nworld\n")
    with pytest.raises(sq.InputError) as caught:
        sq.tune("mcka", data, sweep={"k": [2]}, out=broken)
    assert str(caught.value) == "tune: line 1 of 'notes.txt' is not one of its results. Pass another file."


def test_tune_on_the_command_line(tmp_path):
    source = tmp_path / "minutes.csv"
    lines = ["person,time,state"]
    for i in range(12):
        lines += [f"{i},2024-01-01T{h:02d}:00:00,{'rest' if (h + i) % 3 else 'walk'}" for h in range(24)]
    source.write_text("\n".join(lines) + "\n")
    told = ["tune", "mcka", str(source), "--k", "2,3"]
    roles = ["--person", "person", "--time", "time", "--state", "state", "--interval", "3600"]
    result = CliRunner().invoke(cli, [*told, *roles, "--json"], catch_exceptions=False)
    assert [r["setting"]["k"] for r in json.loads(result.output)["rows"]["settings"]] == [2, 3]
    shown = CliRunner().invoke(cli, [*told, *roles], catch_exceptions=False).output
    assert "mcka at 2 settings" in shown and "right in 100 pairs" in shown and "a coin picks 50" in shown
    assert "no bound" in shown and "k is no dial of risk" in shown
    assert "All figures are in --json, and with --keep BUNDLE in the custodian's report." in shown
    bundle = str(tmp_path / "minutes.bundle")
    published = ["publish", "mcka", str(source), "--k", "2", "--out", bundle, *roles]
    assert CliRunner().invoke(cli, published, catch_exceptions=False).exit_code == 0
    kept = CliRunner().invoke(cli, [*told, *roles, "--keep", bundle], catch_exceptions=False).output
    assert kept.endswith("All figures are in the custodian's report.\n")
    assert "not a list of whole numbers" in CliRunner().invoke(cli, ["tune", "mcka", "x", "--k", "two"]).output
