"""How much two people were recorded at the same time, against the plain definition; and where it is shown."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.read.summary import shared_share, shared_span, some_people


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)), min_size=2, max_size=8))
def test_spans_against_the_plain_loop(spans):
    first, last = np.array([a for a, _ in spans]), np.array([a + n for a, n in spans])
    want = []
    for i in range(len(spans)):
        for j in range(i):
            least = min(last[i] - first[i], last[j] - first[j])
            both = min(last[i], last[j]) - max(first[i], first[j])
            want.append((max(both, 0) / least) if least else float(both >= 0))
    assert shared_span(first, last) == pytest.approx(np.mean(want))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=2, max_size=8))
def test_cells_against_the_plain_loop(rows):
    pairs = [(rows[i], rows[j]) for i in range(len(rows)) for j in range(i)]
    want = [
        sum(x and y for x, y in zip(a, b, strict=True)) / min(sum(a), sum(b)) for a, b in pairs if any(a) and any(b)
    ]
    assert shared_share(np.array(rows)) == pytest.approx(np.mean(want) if want else 0.0)


def test_people_come_from_all_of_the_source():
    assert some_people(3).tolist() == [0, 1, 2]
    assert len(some_people(1000)) == 40 and some_people(1000)[[0, -1]].tolist() == [0, 999]


def test_it_is_shown_for_every_kind_that_has_times(tmp_path):
    log = tmp_path / "log.csv"
    rows = [f"p{i},20{10 + i}-01-01T10:00:00,A\np{i},20{10 + i}-03-01T10:00:00,B" for i in range(6)]
    log.write_text("person,time,state\n" + "\n".join(rows) + "\n")
    said = "People overlap in time by 0% on average; little overlap makes hiding harder"
    assert said in sq.inspect(log).lines, "people of different years"
    panel = tmp_path / "panel.csv"
    panel.write_text("person,h1,h2,h3,h4\n" + "\n".join(f"p{i},{i},2,," if i % 2 else f"p{i},,,3,4" for i in range(8)))
    assert "On average, two records share 43% of the times of the one that has fewer" in sq.inspect(panel).lines
    minutes = tmp_path / "minutes.csv"
    rows = [f"p{i},2024-03-0{1 + i % 2}T10:0{m}:00,{'ab'[m % 2]}" for i in range(4) for m in range(9)]
    minutes.write_text("person,time,state\n" + "\n".join(rows) + "\n")
    data = sq.read_activities(minutes, person="person", time="time", state="state")
    assert "two people" in sq.summary(data).summary
