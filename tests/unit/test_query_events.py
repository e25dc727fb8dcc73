import pyarrow as pa
import pytest

import sequester as sq
from sequester.query.events import EventBundle


def bundle(times=None):
    states = ["in", "lab", "out", "in", "out", "in", "lab", "out"]
    objects = [1, 1, 1, 2, 2, 3, 3, 3]
    seconds = pa.array([0, 3600, 7200, 0, 60, 0, 1800, 5400], pa.timestamp("s")) if times is None else pa.array(times)
    out = EventBundle(None, {"files": [], "method": {"parameters": {}}})
    out.tables = {"events": pa.table({"object": objects, "time": seconds, "state": states})}
    return out


def test_what_follows_what():
    log = bundle()
    assert log.following("in") == {"lab": 2 / 3, "out": 1 / 3}
    assert log.following() == {"in": 1.0} and log.following("out") == {"(end)": 1.0}


def test_paths_and_their_order():
    log = bundle()
    assert log.variants(1) == [(("in", "lab", "out"), 2)]
    assert log.containing("in", "out") == 3 and log.containing("out", "in") == 0 and log.containing("lab", "out") == 2


def test_hours_between():
    assert bundle().hours_between("in", "out").tolist() == [60 / 3600, 1.5, 2.0]
    with pytest.raises(sq.InputError) as caught:
        bundle([1, 2, 3, 1, 2, 1, 2, 3]).hours_between("in", "out")
    assert str(caught.value) == "query: this log knows the order of events, not their times."


def test_an_unknown_state():
    with pytest.raises(sq.InputError) as caught:
        bundle().following("labs")
    assert str(caught.value) == "query: no state 'labs' in this log; it has 3. Did you mean 'lab'?"


def test_a_published_log_answers(tmp_path):
    release = sq.anonymize(sq.sample("events", n_people=80), sq.MarkovRatio(epsilon=0.65), seed=1)
    log = sq.publish(release, tmp_path / "x.bundle")
    assert isinstance(log, EventBundle) and next(iter(log.following("ARRIVAL"))) == "TRIAGE"
