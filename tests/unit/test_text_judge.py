"""The judges of text refuse what they should, and never crash on a malformed release."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

import sequester as sq
from sequester.judges import shared_runs
from sequester.judges.shared_runs import edges_of, rare_runs
from sequester.judges.text_release import fit
from sequester.methods.text.k_repeats import KRepeats
from sequester.methods.text.word_frequency import WordFrequency
from sequester.model import Corpus
from sequester.samples.notes import notes

PLAIN = {"granularity": "character", "spans": None, "first_pass": ()}

DATA = notes(n_people=12, seed=3)


def released(**parameters):
    return sq.anonymize(DATA, KRepeats(**(PLAIN | {"k": 3, "unit": "document"} | parameters)), seed=4)


def with_texts(release, texts):
    """The release with other texts, and spans that agree with them."""
    names = release.tables["documents"].column("document").to_pylist()
    mark = release.guarantee.parameters["mark"]
    rows = []
    for name, text in zip(names, texts):
        at = 0
        while (at := text.find(mark, at)) >= 0:
            end = at
            while text.startswith(mark, end):
                end += len(mark)
            rows.append({"document": name, "start": at, "end": end})
            at = end
    schema = release.tables["spans"].schema
    documents = pa.table({"document": names, "text": texts}, schema=release.tables["documents"].schema)
    tables = {**release.tables, "documents": documents, "spans": pa.Table.from_pylist(rows, schema=schema)}
    return replace(release, tables=tables)


def failed(release, source=None):
    return {c.name for c in sq.verify(release, source).checks if not c.passed}


def texts_of(release):
    return release.tables["documents"].column("text").to_pylist()


def original_of(release, i):
    table = release.private["documents"]
    name = table.column("original")[i].as_py()
    return DATA.text(DATA.documents.tolist().index(name))


def test_an_untouched_release_rewritten_is_still_confirmed():
    release = released()
    assert not failed(with_texts(release, texts_of(release)), DATA)


def test_one_extra_true_character_is_refused_from_the_release_alone():
    release = released()
    refused = 0
    for i in range(10):
        texts = texts_of(release)
        at = texts[i].find("★")
        if at < 0:
            continue
        texts[i] = texts[i][:at] + original_of(release, i)[at] + texts[i][at + 1 :]
        refused += "shared runs" in failed(with_texts(release, texts))
    assert refused >= 8  # an extra character may by chance make another common run


def test_one_extra_character_is_refused_beside_the_original():
    release = released(count_in="original")
    for i in range(10):
        texts = texts_of(release)
        at = texts[i].find("★")
        if at < 0:
            continue
        texts[i] = texts[i][:at] + original_of(release, i)[at] + texts[i][at + 1 :]
        assert failed(with_texts(release, texts), DATA) == {"shared runs"}


def test_a_changed_character_is_refused_beside_the_original():
    release = released()
    swap = str.maketrans("ps", "sp")
    texts = [t.translate(swap) for t in texts_of(release)]
    assert failed(with_texts(release, texts)) == set()  # the release alone cannot tell
    assert failed(with_texts(release, texts), DATA) == {"unchanged characters"}
    assert "unchanged characters" in failed(replace(with_texts(release, texts), private={}), DATA)


def test_a_lost_or_doubled_document_is_refused():
    release = released()
    texts = texts_of(release)
    texts[0] = texts[1]
    assert "unchanged characters" in failed(with_texts(release, texts), DATA)
    assert "unchanged characters" in failed(replace(with_texts(release, texts), private={}), DATA)
    short = {n: t.slice(1) if n == "documents" else t for n, t in release.tables.items()}
    assert {"spans", "unchanged characters"} <= failed(replace(release, tables=short), DATA)


def test_original_counts_need_the_original():
    release = released(count_in="original")
    checks = {c.name: c for c in sq.verify(release).checks}
    assert not checks["shared runs"].passed
    assert checks["shared runs"].detail == ("runs are counted in the original, which a release does not show")
    assert not failed(release, DATA)


def test_a_larger_k_than_was_used_is_refused():
    release = released(k=2)
    promise = KRepeats(k=6, unit="document", **PLAIN).guarantee
    assert failed(replace(release, guarantee=promise)) == {"shared runs"}
    longer = KRepeats(k=2, unit="document", min_length=4, **PLAIN).guarantee
    assert failed(replace(release, guarantee=longer)) == {"run length"}


def test_documents_passed_off_as_people_are_refused():
    release = released(k=3, unit="person")
    owners = release.tables["owners"]
    own = pa.table({"document": owners.column("document"), "owner": pa.array(range(1, owners.num_rows + 1))})
    forged = replace(release, tables={**release.tables, "owners": own})
    assert failed(forged, DATA) == {"owners"}
    swapped = owners.column("owner").to_pylist()
    i = next(i for i in range(len(swapped)) if swapped[i] != swapped[0])
    swapped[0], swapped[i] = swapped[i], swapped[0]
    mixed = pa.table({"document": owners.column("document"), "owner": pa.array(swapped)})
    assert "owners" in failed(replace(release, tables={**release.tables, "owners": mixed}), DATA)


def test_ann_beside_annual_is_refused():
    docs = ["Ann fell ill", "Annual visit", "Annual report"]
    data = Corpus.from_texts(docs)
    release = sq.anonymize(data, KRepeats(k=2, unit="document", **PLAIN | {"granularity": "word"}), seed=1)
    assert not failed(release, data)
    number = release.private["documents"].column("original").to_pylist().index("1")
    texts = texts_of(release)
    texts[number] = "Ann★" + texts[number][4:]
    assert "shared runs" in failed(with_texts(release, texts))
    assert "shared runs" in failed(with_texts(release, texts), data)
    by_character = replace(release, guarantee=KRepeats(k=2, unit="document", **PLAIN).guarantee)
    assert "shared runs" not in failed(with_texts(by_character, texts))


def test_a_run_that_cuts_a_word_is_refused_beside_the_original():
    docs = ["pain now", "pain now", "pain here"]
    data = Corpus.from_texts(docs)
    for spans, cut in ((None, "★ain ★★★"), ("[…]", "[…]ain […]")):
        method = KRepeats(k=2, unit="document", granularity="word", spans=spans, first_pass=())
        release = sq.anonymize(data, method, seed=1)
        texts = [cut + ("★" if spans is None and len(original_of_(data, release, i)) == 9 else "") for i in range(3)]
        assert failed(with_texts(release, texts)) == set()
        assert failed(with_texts(release, texts), data) == {"word edges"}


def original_of_(data, release, i):
    name = release.private["documents"].column("original")[i].as_py()
    return data.text(data.documents.tolist().index(name))


@pytest.mark.parametrize("method", [KRepeats(k=3, **PLAIN), WordFrequency(k=3)], ids=["k-repeats", "word-frequency"])
def test_malformed_releases_are_refused_in_a_sentence(method):
    release = sq.anonymize(DATA, method, seed=4)
    tables = dict(release.tables)
    documents, spans, owners = tables["documents"], tables["spans"], tables["owners"]
    n = documents.num_rows
    broken = [
        {},
        {"documents": documents},
        {**tables, "extra": spans},
        {**tables, "documents": documents.append_column("person", pa.array(["x"] * n))},
        {**tables, "documents": documents.drop_columns("text")},
        {**tables, "documents": documents.set_column(1, "text", pa.array(range(n)))},
        {**tables, "documents": documents.set_column(1, "text", pa.array([None] * n, pa.string()))},
        {**tables, "documents": documents.set_column(0, "document", pa.array(["1"] * n))},
        {**tables, "spans": spans.set_column(1, "start", pa.array(["0"] * spans.num_rows))},
        {**tables, "owners": owners.slice(1)},
        {**tables, "owners": owners.set_column(0, "document", pa.array(["1"] * n))},
    ]
    for bad in broken:
        assert failed(replace(release, tables=bad)) == {"tables"}
        assert failed(replace(release, tables=bad), DATA) == {"tables"}
    assert failed(replace(release, tables={**tables, "spans": spans.slice(1)})) == {"spans"}
    vague = replace(release.guarantee, parameters={"k": 3})
    assert failed(replace(release, guarantee=vague)) == {"promise"}


def test_word_frequency_is_recounted():
    release = sq.anonymize(DATA, WordFrequency(k=3, unit="document"), seed=4)
    assert not failed(release, DATA)
    texts = texts_of(release)
    i = next(i for i, t in enumerate(texts) if "★" in t)
    at = texts[i].index("★")
    shown = texts[i][:at] + original_of(release, i)[at] + texts[i][at + 1 :]
    assert failed(with_texts(release, [*texts[:i], shown, *texts[i + 1 :]])) & {"whole words", "frequent words"}
    with_new = [*texts[:-1], texts[-1] + " Xylotragus"]
    assert failed(with_texts(release, with_new)) == {"frequent words"}
    assert failed(with_texts(release, with_new), DATA) == {"frequent words", "unchanged characters"}


def test_one_extra_character_on_disk_is_refused(tmp_path):
    data = replace(DATA, shape="folder")
    release = sq.anonymize(data, KRepeats(k=3, unit="document", **PLAIN), seed=4)
    sq.publish(release, tmp_path / "n.bundle", source=data)
    assert sq.verify(tmp_path / "n.bundle", data).holds
    file = sorted((tmp_path / "n.bundle/data/documents").glob("*.txt"))[0]
    file.write_bytes(file.read_bytes().replace("★".encode(), b"q", 1))
    checks = {c.name for c in sq.verify(tmp_path / "n.bundle").checks if not c.passed}
    assert {"checksums", "spans", "shared runs"} <= checks


class TestTheJudgesOwnTools:
    def test_look_up_equals_plain_search(self):
        import random

        from tests.naive import text_repeats as naive

        rng = random.Random(2)
        for granularity in ("character", "word"):
            words = granularity == "word"
            for _ in range(150):
                docs = ["".join(rng.choice("aあ b") for _ in range(rng.randint(0, 8))) for _ in range(4)]
                for w in ("a", "aa", "a ", "あ", " aあ", "b a"):
                    for unit, owners in (("person", [0, 0, 1, 2]), ("occurrence", None)):
                        true = len(naive.owners_of(docs, owners, w, words=words))
                        for k in (1, 2, 4):
                            found = rare_runs({w}, docs, [0, 0, 1, 2], k, unit=unit, granularity=granularity)
                            assert found == ({w} if true < k else set())

    def test_whole_pieces_are_witnesses(self):
        pieces, owners = ["ab", "ab", "xabx"], [0, 0, 1]
        assert rare_runs({"ab"}, pieces, owners, 2, unit="document", granularity="character") == set()
        assert rare_runs({"ab"}, pieces, owners, 3, unit="document", granularity="character") == {"ab"}
        assert rare_runs({"ab"}, pieces, owners, 3, unit="occurrence", granularity="character") == set()
        assert rare_runs({"ab"}, pieces, owners, 2, unit="document", granularity="word") == {"ab"}
        assert rare_runs(set(), [], [], 2, unit="document", granularity="character") == set()

    @pytest.mark.parametrize(
        ("released_text", "original", "places"),
        [
            ("abc", "abc", [(0, 3)]),
            ("", "", [(0, 0)]),
            ("", "a", None),
            ("-", "", None),
            ("-", "x", []),
            ("a-c", "abc", [(0, 1), (2, 3)]),
            ("a-c", "ac", None),
            ("-b-", "abab", [(1, 2)]),
            ("-b", "abab", [(3, 4)]),
            ("a-b-b", "axbxb", [(0, 1), (2, 3), (4, 5)]),
            ("a-b-b", "axbb", None),
            ("b-", "ab", None),
            ("-a-", "ba", None),
        ],
    )
    def test_runs_are_fitted_into_the_original(self, released_text, original, places):
        assert fit(released_text, original, "-") == places

    def test_fitting_can_insist_on_word_edges(self):
        assert fit("-an-", "xan an x", "-") == [(1, 3)]
        assert fit("-an-", "xan an x", "-", edges_of("xan an x", "word")) == [(4, 6)]
        assert fit("-an-", "xan xan x", "-", edges_of("xan xan x", "word")) is None

    def test_fitting_can_insist_on_a_letter_in_every_gap(self):
        solid = [0, 1, 1, 2]
        assert fit("a-b", "a b", "-", None, solid) is None
        assert fit("a-b", "axb", "-", None, [0, 1, 2, 3]) == [(0, 1), (2, 3)]


@pytest.mark.parametrize("count_in", ["original", "published"])
def test_an_original_that_knows_no_people_confirms_nothing_about_people(count_in):
    release = released(unit="person", count_in=count_in)
    assert not failed(release, DATA)
    unknown = replace(DATA, people_known=False)
    assert failed(release, unknown) == {"people of the original"}
    said = next(c for c in sq.verify(release, unknown).checks if c.name == "people of the original")
    assert said.detail == (
        "the promise counts people, and the original does not say whose each document is: name its column of people"
    )
    assert not failed(released(count_in=count_in), unknown)


class TestTokens:
    """What the default promises more than the paper: whole tokens, solid gaps, no bare runs."""

    DOCS = ("seen by Dr Sato, well", "seen by Dr Sato-Ito, well", "seen by Ann, well")

    def release(self, **more):
        data = Corpus.from_texts(self.DOCS)
        method = KRepeats(**({"k": 2, "unit": "document", "spans": None, "first_pass": ()} | more))
        return data, sq.anonymize(data, method, seed=1)

    def rewritten(self, release, wanted):
        originals = release.private["documents"].column("original").to_pylist()
        return with_texts(release, [wanted[int(name) - 1] for name in originals])

    def test_it_is_confirmed_as_it_is(self):
        data, release = self.release()
        assert not failed(release, data)
        assert {"bare runs", "gaps", "token edges"} <= {c.name for c in sq.verify(release, data).checks}

    def test_a_token_is_not_justified_by_a_longer_one(self):
        data, release = self.release()
        # "Dr Sato" stands in two documents, but in the second it is part of "Dr Sato-Ito"
        forged = self.rewritten(release, ["seen by Dr Sato, well", "seen by ★★★★★★★★★★★, well", "seen by ★★★, well"])
        assert failed(forged) == {"shared runs"}
        forged = self.rewritten(release, ["seen by Dr Sato★ well", "seen by Dr Sato★★★★★ well", "★" * 17])
        assert failed(forged) == set()  # the release alone cannot see that a token was cut
        assert failed(forged, data) == {"token edges", "gaps"}

    def test_a_gap_that_hides_a_blank_is_refused_beside_the_original(self):
        for spans in (None, "[…]"):
            data, release = self.release(spans=spans)
            mark = "★" if spans is None else spans
            names = ["★" * 7, "★" * 11, "★" * 3] if spans is None else [spans] * 3
            forged = self.rewritten(release, [f"seen{mark}by {name}, well" for name in names])
            assert failed(forged) == set()
            assert failed(forged, data) == {"gaps"}

    def test_a_run_without_letter_or_digit_is_refused_from_the_release_alone(self):
        _, release = self.release()
        hidden = ["★" * len(d) for d in self.DOCS]
        forged = self.rewritten(
            release, [h[: d.index(",")] + "," + h[d.index(",") + 1 :] for h, d in zip(hidden, self.DOCS)]
        )
        assert failed(forged) == {"bare runs"}

    def test_a_promise_about_tokens_must_name_them(self):
        _, release = self.release()
        stolen = replace(release.guarantee, parameters={**release.guarantee.parameters, "granularity": "character"})
        assert not failed(replace(release, guarantee=stolen))  # a weaker promise holds as well


class TestTypedMarkers:
    """A release with [DATE] in it is laid beside the originals with their markers, letter by letter."""

    DOCS = ("seen well on 2021-03-04 by Dr Sato, ok", "seen well on 2020-01-02 by Dr Sato, ok", "nothing of note")

    def release(self, docs=DOCS, **more):
        data = Corpus.from_texts(docs)
        method = KRepeats(**({"k": 2, "unit": "document", "markers": "typed"} | more))
        return data, sq.anonymize(data, method, seed=1)

    def rewritten(self, release, wanted):
        originals = release.private["documents"].column("original").to_pylist()
        return with_texts(release, [wanted[int(name) - 1] for name in originals])

    @pytest.mark.parametrize("count_in", ["published", "original"])
    @pytest.mark.parametrize("granularity", ["token", "word", "character"])
    def test_it_is_confirmed_as_it_is(self, count_in, granularity):
        data, release = self.release(count_in=count_in, granularity=granularity)
        assert sum("on [DATE] by" in text for text in texts_of(release)) == 2
        assert not failed(release, data)
        names = {c.name for c in sq.verify(release, data).checks}
        assert "markers" in names and (granularity == "character") == ("gaps" not in names)

    @pytest.mark.parametrize(
        ("text", "broken"),
        [
            ("seen well on [DATE] by Dr […], ok", {"token edges"}),  # half of the token "Dr Sato"
            ("seen well[…]on [DATE] by Dr Sato, ok", {"gaps"}),  # hides a blank
            ("seen well on […][DATE] by Dr Sato, ok", {"unchanged characters"}),  # hides nothing
            ("seen well on [PHONE] by Dr Sato, ok", {"unchanged characters"}),  # was a date
            ("seen well on [DATE] by [NAME], ok", {"unchanged characters"}),  # nobody found a name
            ("seen [DATE] by Dr Sato, ok", {"unchanged characters"}),  # words are missing
        ],
    )
    def test_what_the_markers_do_not_stand_for_is_refused(self, text, broken):
        data, release = self.release()
        forged = self.rewritten(release, [text, text, "[…]"])
        assert failed(forged) == set()
        assert failed(forged, data) == broken

    def test_a_literal_marker_of_the_text_passes_for_none(self):
        docs = ["see [DATE] on 2021-03-04 ok", "see [DATE] on 2021-03-04 ok"]
        data, release = self.release(docs)
        assert not failed(release, data)
        forged = self.rewritten(release, ["see [DATE] on [DATE] ok"] * 2)
        assert failed(forged) == set()
        assert failed(forged, data) == {"unchanged characters"}

    def test_without_the_custodians_folder_it_stays_open(self):
        data, release = self.release()
        loose = replace(release, private={})
        (check,) = (c for c in sq.verify(loose, data).checks if not c.passed)
        assert check.undecided and check.name == "markers"
        assert check.detail == (
            "what the markers replaced is only known from the custodian's folder, which was not found here"
        )
        loose = replace(self.release(count_in="original")[1], private={})
        assert failed(loose, data) == {"markers", "shared runs"}
        changed = self.rewritten(release, ["seen badly on [DATE] by Dr Sato, ok"] * 2 + ["[…]"])
        assert failed(replace(changed, private={}), data) == {"markers", "unchanged characters"}

    @pytest.mark.parametrize(
        ("column", "value", "n"), [("start", 30, 1), ("end", 999, 1), ("original", "9", 1), ("marker", "[date]", 1)]
    )
    def test_a_table_of_markers_that_fits_no_original_is_refused(self, column, value, n):
        data, release = self.release()
        rows = release.private["markers"].to_pylist()
        rows[0][column] = value
        table = pa.Table.from_pylist(rows, schema=release.private["markers"].schema)
        forged = replace(release, private={**release.private, "markers": table})
        check = next(c for c in sq.verify(forged, data).checks if c.name == "markers")
        assert (check.passed, check.detail) == (False, f"{n} of 2 markers do not stand for text of their original")
        forged = replace(release, private={**release.private, "markers": table.drop_columns(["marker"])})
        assert "markers" in failed(forged, data)


class TestRunsInChunks:
    """However large the chunks are, the verdict is the same."""

    def test_chunks_equal_plain_search(self):
        import random

        rng = random.Random(3)
        for _ in range(60):
            letters = rng.choice(["ab ", "aé 1", "あ漢 X", "ab"])
            pieces = ["".join(rng.choices(letters, k=rng.randint(1, 40))) for _ in range(rng.randint(1, 12))]
            owners = [rng.randint(0, 3) for _ in pieces]
            runs = {p[i : i + rng.randint(1, 20)] for p in pieces for i in range(0, len(p), 5)}
            unit = rng.choice(["person", "occurrence"])
            k, grain = rng.choice([1, 2, 3]), rng.choice(["character", "word", "token"])
            free = {p: edges_of(p, grain) for p in pieces}
            plain = set()
            for run in runs:
                who = {
                    (n, i) if unit == "occurrence" else owners[n]
                    for n, piece in enumerate(pieces)
                    for i in range(len(piece))
                    if piece.startswith(run, i) and (free[piece] is None or {i, i + len(run)} <= free[piece])
                }
                plain |= {run} if len(who) < k else set()
            for chunk in (1, 30, 1 << 22):
                assert rare_runs(runs, pieces, owners, k, unit=unit, granularity=grain, chunk=chunk) == plain

    def test_a_planted_rare_run_is_found_in_small_chunks(self, monkeypatch):
        monkeypatch.setattr(shared_runs, "CHUNK", 50)
        release = released()
        assert not failed(release)
        texts = texts_of(release)
        i = next(i for i, text in enumerate(texts) if "★" in text)
        at = texts[i].index("★")
        texts[i] = texts[i][:at] + original_of(release, i)[at] + texts[i][at + 1 :]
        assert "shared runs" in failed(with_texts(release, texts))

    def test_short_and_empty_pieces_are_no_harm(self):
        for pieces in ([""], ["", ""], ["a"], ["", "abc", ""]):
            found = rare_runs({"abcdefgh" * 9, "abc"}, pieces, pieces, 1, unit="occurrence", granularity="character")
            assert found == {"abcdefgh" * 9} | (set() if "abc" in pieces else {"abc"})

    def test_equal_hashes_are_compared_byte_by_byte(self, monkeypatch):
        monkeypatch.setattr(shared_runs, "BASE", 0)  # a hash is then the last byte of those hashed
        pieces, runs = ["abc abd", "abd", "xb"], {"abc", "abd", "xb", "zb", "b"}
        assert rare_runs(runs, pieces, [1, 2, 3], 2, unit="person", granularity="character") == {"abc", "xb", "zb"}
