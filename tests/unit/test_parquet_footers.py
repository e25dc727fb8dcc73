"""A Parquet file of a bundle is what our writer makes of its table, byte by byte; nothing else can lie in it."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sequester.bundle import contents
from sequester.stored_tables import LABEL, StoredTable, labelled, write_parquet

WORDS = "protected by sequester: toy, verified, promise sha256:0"
SECRET = b"Maria Muster, HIV positive"
TABLE = pa.table({
    "n": pa.array([3, 1, None, 7], pa.int64()), "word": ["a", None, "c", "d"], "share": [0.5, 1.5, float("nan"), None],
    "yes": [True, False, None, True], "list": [[1, 2], [], None, [3]],
    "day": pa.array([1, 2, 3, 4], pa.timestamp("s")),
})  # fmt: skip


@pytest.fixture
def path(tmp_path):
    write_parquet(labelled(TABLE, WORDS), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def as_another_version(path):
    """The same file by a library that calls itself otherwise (as long a name, so that the footer keeps its length)."""
    raw = path.read_bytes()
    other = contents.WRITER[:-1] + ("9" if contents.WRITER[-1] != "9" else "8")
    path.write_bytes(raw.replace(contents.WRITER.encode(), other.encode()))
    assert pq.read_metadata(path).created_by == other


def only_the_table(path):
    return contents._only_the_table(path, pq.read_table(path, partitioning=None), WORDS)


@pytest.mark.parametrize("another", [False, True])
@pytest.mark.parametrize("table", [TABLE, TABLE.slice(0, 0), TABLE.select(["yes"]).slice(0, 0), TABLE.select(["list"])])
def test_what_our_writer_wrote_is_only_the_table(tmp_path, table, another):
    write_parquet(labelled(table, WORDS), tmp_path / "a.parquet")
    if another:
        as_another_version(tmp_path / "a.parquet")
    assert only_the_table(tmp_path / "a.parquet")


def test_a_table_that_stays_on_disk_is_compared_in_batches(path):
    assert contents._only_the_table(path, StoredTable.at(path, "x"), WORDS)


def behind_the_footer(raw):
    """Padding between the footer and its length, counted in that length: readers stop before it."""
    size = int.from_bytes(raw[-8:-4], "little") + len(SECRET)
    return raw[:-8] + SECRET + size.to_bytes(4, "little") + b"PAR1"


def unknown_field(raw):
    """A thrift field that no version knows, at the end of the footer: number 19, binary, short form."""
    size = int.from_bytes(raw[-8:-4], "little")
    footer = raw[-8 - size : -8]
    assert footer[-1] == 0, "a struct ends in a stop byte"
    more = footer[:-1] + bytes([0xC8, len(SECRET)]) + SECRET + b"\0"
    return raw[: -8 - size] + more + len(more).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("another", [False, True])
@pytest.mark.parametrize("spoil", [behind_the_footer, unknown_field])
def test_words_in_a_footer_are_seen(path, spoil, another):
    if another:
        as_another_version(path)
    path.write_bytes(spoil(path.read_bytes()))
    assert pq.read_table(path).num_rows == 4, "a reader sees nothing odd"
    assert not only_the_table(path)


@pytest.mark.parametrize("another", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"compression": "snappy"}, {"data_page_version": "2.0", "compression": "zstd"},
        {"use_dictionary": False, "compression": "zstd", "column_encoding": {"n": "DELTA_BINARY_PACKED"}},
        {"compression": "zstd", "store_schema": True}, {"compression": "zstd", "write_statistics": False},
    ],
)  # fmt: skip
def test_another_way_of_writing_is_seen(tmp_path, options, another):
    options = {"store_schema": False, **options}
    plain = TABLE.select(["n"])
    with pq.ParquetWriter(tmp_path / "a.parquet", plain.schema, **options) as writer:
        writer.write_table(plain)
        writer.add_key_value_metadata({LABEL: WORDS})
    if another:
        as_another_version(tmp_path / "a.parquet")
    lenient = another and ("write_statistics" in options or "data_page_version" in options)
    assert only_the_table(tmp_path / "a.parquet") == lenient, "what cannot be compared carries no words"


@pytest.mark.parametrize("another", [False, True])
def test_altered_statistics_are_seen(tmp_path, another):
    table = pa.table({"word": ["aaaaaaaa", "bbbbbbbb"]})
    write_parquet(labelled(table, WORDS), tmp_path / "a.parquet")
    raw = (tmp_path / "a.parquet").read_bytes()
    at = raw.rindex(b"bbbbbbbb")
    (tmp_path / "a.parquet").write_bytes(raw[:at] + b"Muster M" + raw[at + 8 :])
    if another:
        as_another_version(tmp_path / "a.parquet")
    assert not only_the_table(tmp_path / "a.parquet")


@pytest.mark.parametrize("another", [False, True])
@pytest.mark.parametrize("said", [None, {LABEL: "other words"}, {LABEL: WORDS, b"more": SECRET}, {b"other": WORDS}])
def test_a_file_that_says_anything_but_its_label_is_seen(tmp_path, said, another):
    with pq.ParquetWriter(tmp_path / "a.parquet", TABLE.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(TABLE)
        if said:
            writer.add_key_value_metadata(said)
    if another:
        as_another_version(tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 4, "a reader sees nothing odd"
    assert not only_the_table(tmp_path / "a.parquet")
