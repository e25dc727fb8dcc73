"""Questions to bundles of series: sure bounds hold, distances are what they say, bad questions get a sentence."""

import numpy as np
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.methods import method_class
from sequester.model import Series
from sequester.primitives.sax import pattern_loss


@pytest.fixture(scope="module")
def data():
    values = np.random.default_rng(2).normal(size=(200, 5)).cumsum(axis=1)
    return Series(values=np.round(values, 3), sensitive={"y": np.arange(200.0)})


@pytest.fixture(scope="module")
def bundle(data, tmp_path_factory):
    release = sq.anonymize(data, method_class("kapra")(k=5, p=3), seed=1)
    return sq.publish(release, tmp_path_factory.mktemp("b") / "walk.bundle", source=data)


@pytest.mark.parametrize("method_id", ["kapra", "kp-naive"])
@pytest.mark.parametrize("pattern", [{}, {"pattern": "literal"}, {"pattern": "prototype"}])
def test_bounds_always_hold_the_truth(data, method_id, pattern, tmp_path):
    more = pattern if method_id == "kapra" else {}
    release = sq.anonymize(data, method_class(method_id)(k=5, p=3, **more), seed=1)
    lost = data.n_records - release.tables["records"].num_rows
    opened = sq.publish(release, tmp_path / "x.bundle", source=data)
    rng = np.random.default_rng(0)
    for _ in range(100):
        wanted = {data.times[j]: tuple(np.sort(rng.normal(0, 2, 2))) for j in rng.choice(5, rng.integers(1, 4), False)}
        truth = np.ones(200, dtype=bool)
        for name, (a, b) in wanted.items():
            x = data.values[:, data.times.index(name)]
            truth &= (x >= a) & (x <= b)
        count = opened.count(wanted)
        assert count.at_least <= truth.sum() <= count.at_most + lost
        assert count.at_least - 1e-9 <= count.estimate <= count.at_most + 1e-9


def test_everything_and_nothing(bundle):
    everything = bundle.count(t1=(-1e9, 1e9))
    assert (everything.at_least, everything.at_most) == (200, 200) and everything.estimate == pytest.approx(200)
    assert bundle.count(t1=(1e8, 1e9)).at_most == 0
    assert str(bundle.count(t1=(1e8, 1e9))) == "0.00 (at least 0, at most 0)"


def test_similar_rows_are_those_within_the_distance(bundle, data):
    series = data.values[0]
    distance = pattern_loss(np.broadcast_to(series, bundle.view.shape.shape), bundle.view.shape)
    found = bundle.similar(series, 0.3)
    assert found.num_rows == (distance <= 0.3).sum() and found["distance"].to_pylist() == sorted(
        found["distance"].to_pylist()
    )
    assert bundle.similar(dict(zip(data.times, series, strict=True)), 0.3).equals(found)
    assert bundle.similar(series, 2.1).num_rows == 200
    half = bundle.count(t1=(-1e9, 1e9), similar=series, within=0.3)
    assert half.at_least == half.at_most == found.num_rows
    by_shape = bundle.count({}, differences={("t5", "t1"): (0.0, 9.0)})
    assert by_shape.at_least == bundle.matching({("t5", "t1"): (0.0, 9.0)}).num_rows


def refusal(call, *args, **kwargs):
    with pytest.raises(sq.InputError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def test_bad_questions_get_a_sentence(bundle):
    assert refusal(bundle.count, t9=(0, 1)).startswith("query: no time 't9'; the bundle has t1, t2, t3, t4, t5.")
    assert refusal(bundle.count, t1=(2, 1)) == "query: the range of 't1' runs backwards; give (low, high)."
    assert refusal(bundle.count, t1=3) == "query: the range of 't1' must be two numbers, (low, high)."
    assert refusal(bundle.count, similar=[1, 2, 3, 4, 5]) == (
        "query: similar and within belong together; give both or neither."
    )
    assert refusal(bundle.similar, [1, 2], 0.1) == (
        "query: similar needs one finite number per time (5: t1, t2, t3, t4, t5), or a mapping from at least two times."
    )
    assert refusal(bundle.similar, [1, 2, 3, 4, 5], -1) == "query: within must be a distance of at least 0, got -1."


def test_command_line(bundle, tmp_path):
    run = CliRunner().invoke
    path = str(bundle.path)
    told = run(cli, ["query", path, "--where", "t3 in [-1,1]"])
    assert told.exit_code == 0 and told.output.strip() == str(bundle.count(t3=(-1, 1)))
    series = tmp_path / "q.csv"
    series.write_text("t1,t2,t3,t4,t5\n1,2,3,4,5\n")
    told = run(cli, ["query", path, "--similar", str(series), "--within", "0.2", "--json"])
    assert told.exit_code == 0 and told.output.count('"record"') == bundle.similar([1, 2, 3, 4, 5], 0.2).num_rows
    told = run(
        cli, ["query", path, "--similar", str(series), "--within", "0.2", "--where", "t5 - t1 in [0,9]", "--json"]
    )
    assert told.exit_code == 0 and '"estimate"' in told.output
    for bad in (["--where", "t3 is 4"], ["--similar", str(series)], ["--similar", "none.csv", "--within", "1"]):
        told = run(cli, ["query", path, *bad])
        assert told.exit_code == 2 and "Traceback" not in told.output


@pytest.mark.parametrize("method_id", ["tga", "bfp2ka"])
def test_baselines_answer_without_sure_bounds(data, method_id, tmp_path):
    more = {"level": 3} if method_id == "bfp2ka" else {}
    release = sq.anonymize(data, method_class(method_id)(k=4, **more), seed=1)
    opened = sq.publish(release, tmp_path / "x.bundle", source=data)
    count = opened.count({opened.times[0]: (-1.0, 1.0)})
    assert count.at_least is None and "no sure bounds" in str(count) and count.estimate >= 0
    assert opened.similar(np.arange(5.0)[: len(opened.times)], 2.0).num_rows == len(opened.view.record)
