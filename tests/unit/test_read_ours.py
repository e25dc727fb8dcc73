"""A release is no original: given as a source it is refused in one sentence, by every reader."""

import shutil

import pytest

import sequester as sq
from sequester.read.table import load

READERS = (sq.read_series, sq.read_events, sq.read_activities, sq.read_symbols, sq.read_corpus, sq.inspect)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    sq.publish_data(
        sq.sample("series", n_people=12, seed=1), sq.Request(method=sq.Kapra(k=3, p=2), target=folder / "small.bundle")
    )
    shutil.make_archive(str(folder / "packed"), "zip", folder, "small.bundle")
    shutil.move(folder / "packed.zip", folder / "small.csv.zip")
    return folder


@pytest.mark.parametrize("read", READERS, ids=lambda r: r.__name__)
@pytest.mark.parametrize(
    ("name", "is_"), [("small.bundle", "a bundle, a release"), ("small.private", "a custodian's folder")]
)
def test_what_sequester_wrote_is_refused(read, name, is_, released):
    for source in (released / name, str(released / name)):
        with pytest.raises(sq.InputError) as caught:
            read(source)
        assert str(caught.value) == (
            f"{read.__name__}: '{name}' is {is_} that sequester wrote, and no original. Name the data it was made "
            "from; `sequester query` and `sequester verify` read releases."
        )


def test_so_it_is_under_another_name_in_a_list_and_packed(released, tmp_path):
    shutil.copytree(released / "small.bundle", tmp_path / "walk")
    (tmp_path / "t.csv").write_text("person,state\na,x\n")
    with pytest.raises(sq.InputError, match="'walk' is a bundle, a release that sequester wrote"):
        sq.read_events([tmp_path / "t.csv", tmp_path / "walk"])
    with pytest.raises(sq.InputError, match=r"'small.csv.zip' is a bundle, a release that sequester wrote"):
        load(released / "small.csv.zip", "read")


def test_a_folder_that_only_has_such_a_name_is_read(tmp_path):
    (tmp_path / "x.bundle").mkdir()
    (tmp_path / "x.bundle" / "t.csv").write_text("person,state\na,x\n")
    assert len(sq.read_events(tmp_path / "x.bundle").states) == 1
