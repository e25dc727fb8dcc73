"""What lies in a folder beside the files that were meant: earlier bundles, hidden files, links."""

import pytest

import sequester as sq


def _notes(folder, n=6):
    for i in range(n):
        (folder / f"p{i}").mkdir(parents=True)
        (folder / f"p{i}" / "note.txt").write_text("The patient was seen and sent home.\n")


def test_an_earlier_bundle_in_a_folder_of_notes_is_not_read(tmp_path):
    folder = tmp_path / "notes"
    _notes(folder)
    for name in ("old.bundle/data", "old.private", ".hidden"):
        (folder / name).mkdir(parents=True)
        (folder / name / "note.txt").write_text("The patient was seen and sent home.\n")
    (folder / "p0" / ".draft.txt").write_text("hidden")
    (tmp_path / "elsewhere.txt").write_text("another person's words")
    (folder / "p1" / "linked.txt").symlink_to(tmp_path / "elsewhere.txt")
    data = sq.read_corpus(folder, person="folder")
    assert sorted(data.persons.tolist()) == [f"p{i}" for i in range(6)]
    found = sq.inspect(folder)
    assert found.kind == "text" and found.roles == {"person": "folder"}


def test_an_earlier_bundle_in_a_meds_folder_is_not_read(tmp_path):
    folder = tmp_path / "meds"
    sq.write_sample("events", folder, form="meds", n_people=5, seed=1)
    before = sq.read_events(folder, layout="meds")
    inside = next(folder.rglob("*.parquet"))
    (folder / "old.bundle" / "data").mkdir(parents=True)
    (folder / "old.bundle" / "data" / "x.parquet").write_bytes(inside.read_bytes())
    after = sq.read_events(folder, layout="meds")
    assert after.n_events == before.n_events


@pytest.mark.parametrize(("kind", "told"), [("events", "markov-dp"), ("activity", "activity-dp"), ("series", None)])
def test_inspect_says_where_a_stronger_promise_is(tmp_path, kind, told):
    path = sq.write_sample(kind, tmp_path / "data.csv")
    found = sq.inspect(path)
    if told is None:
        assert found.remark == ""
    else:
        assert "formal claim does not hold" in found.remark and f"use {told};" in found.remark
        assert str(found).endswith(found.remark)
