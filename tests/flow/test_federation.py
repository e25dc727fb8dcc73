"""A study through its folder: from cards to a checked bundle, and everything that must be refused on the way."""

import base64
import json
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.accounts import open_account
from sequester.bundle_checks import opened as opened_bundle
from sequester.federation import study as study_room
from sequester.federation.coordinator import Waiting, coordinator_home, publish_study, status
from sequester.federation.identity import open_home, read_card
from sequester.federation.rounds import answer_file, question_file
from sequester.federation.signed_files import LARGEST, PURPOSE, body_of, canonical, digest, signed
from sequester.federation.study import new_study, read_study
from sequester.federation.transcript import answered_for, transcript_check
from tests.federated import NAMES, READING, Hospitals, dealt, hospitals, method_for, symbols


def charged(h, name):
    return len(open_account(h.root / name).entries())


def complete(found):
    """Everything holds; of shares of time one honest sum in 500 looks as if it had no noise, and is left open."""
    left_open = [c.name for c in found.checks if c.undecided]
    return found.verdict.complete or (found.result == "undecided" and left_open == ["the sum has noise"])


def body(path):
    return json.loads(body_of(path.read_bytes()))


@pytest.mark.parametrize("name", ["ngram-dp", "markov-dp", "activity-dp"])
@pytest.mark.parametrize("trusted", [False, True])
def test_three_hospitals_publish_one_release(tmp_path, name, trusted):
    h = hospitals(tmp_path, name, trusted_combiner=trusted).accept_all()
    with pytest.raises(Waiting, match="Round 0: waiting for 3 sites to answer: north, south, west"):
        h.publish()
    bundle = h.to_the_end()
    found = sq.verify(bundle.path)
    assert complete(found), found
    assert "the release follows from the transcript" in {c.name for c in found.checks}
    about = bundle.manifest["federation"]
    assert about == {
        "sites": 3, "collude": 0 if trusted else 1, "trusted_combiner": trusted, "people": "disjoint",
        "study": h.study.digest,
    }  # fmt: skip
    words = "The coordinator saw the exact sums" if trusted else "even together with one of the other sites"
    assert words in bundle.guarantee.statement
    assert words in (bundle.path / "report.html").read_text("utf-8")
    assert bundle.guarantee.not_covered[0].startswith("Several sites: this way of joining them is experimental")
    for site in NAMES:
        assert charged(h, site) == 1
        assert answered_for(sq.open_bundle(bundle.path), open_home(h.home(site))).passed
        assert h.answer(site).startswith("The study has ended")
    assert status(h.folder)[-1].startswith("It has ended after ")


@pytest.mark.parametrize("name", ["ngram-dp", "markov-dp", "activity-dp"])
def test_nothing_of_a_person_lies_in_the_folder_or_the_transcript(tmp_path, name):
    h = hospitals(tmp_path, name).accept_all()
    bundle = h.to_the_end()
    for file, text in zip(*(bundle.tables["transcript"][c].to_pylist() for c in ("file", "text")), strict=True):
        assert (h.folder / file).read_bytes() == text.encode(), "the transcript holds the files of the folder"
    told, numbers = said(h.folder)
    for data in h.data.values():
        assert not [p for p in set(data.persons.tolist()) if str(p) in told]
        own = data.symbols if name == "ngram-dp" else data.states
        for i in range(data.n_records):
            trace = np.ascontiguousarray(own[i] if own.ndim == 2 else own[data.offsets[i] : data.offsets[i + 1]])
            if len(trace) > 8:
                assert trace.tobytes() not in numbers and trace.astype("<u8").tobytes() not in numbers
                assert ",".join(map(str, trace.tolist())) not in told
    if name == "markov-dp":  # states of the code book are public: they stand in the study, and nowhere else
        assert not [s for s in h.data["north"].state_names if s in said(h.folder, but="study.json")[0]]


def said(folder, but=""):
    """What the files of a study say in words, and their numbers in bytes; random letters hold any short word."""
    words, numbers = [], b""
    for path in sorted(folder.iterdir()):
        if path.name == but:
            continue
        told = body(path)
        for key in ("numbers", "released"):
            if isinstance(told.get(key), str):
                numbers += base64.b64decode(told.pop(key))
        words.append(json.dumps({k: v for k, v in told.items() if k != "words"}))
    return "\n".join(words), numbers


def test_keys_and_what_a_site_keeps_are_its_owners_alone(tmp_path):
    h = hospitals(tmp_path).accept_all()
    h.to_the_end()
    for folder in (h.home("north"), h.folder.with_name("study.coordinator")):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        kept = [p for p in folder.rglob("*") if p.is_file()]
        assert len(kept) > 4
        assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in kept)


def test_nothing_counts_before_the_words_were_compared(tmp_path):
    h = hospitals(tmp_path)
    from sequester.federation.site import accept

    seen = accept(h.folder, "data", {}, read=h.reader("north"), site=h.home("north"))
    assert not seen.accepted and seen.lines[-1] == f"The words: {h.study.words}" and len(h.study.words.split()) == 12
    assert not (tmp_path / "north" / "sequester.account").exists()
    with pytest.raises(sq.InputError, match="these are not the twelve words of this study"):
        h.accept("north", words=" ".join(reversed(h.study.words.split())))
    assert not (tmp_path / "north" / "sequester.account").exists()
    with pytest.raises(sq.InputError, match="you have not accepted this study"):
        h.answer("north")
    h.accept("north")
    h.accept("north")
    assert charged(h, "north") == 1
    with pytest.raises(Waiting, match="2 sites to accept: south, west"):
        h.publish()
    assert "2 sites to accept: south, west" in h.answer("north")


def test_an_account_that_is_too_small_refuses_and_is_not_charged(tmp_path):
    h = hospitals(tmp_path)
    open_account(tmp_path / "north", create=True).set_limit(epsilon=3.0)
    with pytest.raises(sq.BudgetError, match="the limit is 3"):
        h.accept("north")
    assert charged(h, "north") == 0 and not (h.folder / "accepted-north.json").exists()


def test_people_at_two_sites_are_charged_for_both(tmp_path):
    h = hospitals(tmp_path, people="at most 2")
    open_account(tmp_path / "north", create=True).set_limit(epsilon=7.0)
    with pytest.raises(sq.BudgetError, match="epsilon would be 8 "):
        h.accept("north")
    open_account(tmp_path / "north").set_limit(epsilon=8.0)
    bundle = h.accept_all().to_the_end()
    assert "for a person at up to 2 sites epsilon is 8." in bundle.guarantee.statement
    assert complete(sq.verify(bundle.path))


def test_another_roll_is_shown_before_it_is_accepted(tmp_path):
    h = hospitals(tmp_path).accept_all()
    h.to_the_end()
    (tmp_path / "again").mkdir()
    join_east(tmp_path)
    cards = [tmp_path / n / f"{n}.card" for n in ("north", "south", "east")]
    second = new_study(
        h.method, cards, tmp_path / "again" / "study", people="disjoint", reading=READING["ngram-dp"],
        private=tmp_path / "again",
    )  # fmt: skip
    from sequester.federation.site import accept

    seen = accept(tmp_path / "again" / "study", "data", {}, read=h.reader("north"), site=h.home("north"))
    assert any("another roll: east, west are in one of the two only" in line for line in seen.lines)
    assert second.digest != h.study.digest
    with pytest.raises(sq.InputError, match="roll of this study does not hold the keys of 'west'"):
        accept(tmp_path / "again" / "study", "data", {}, read=h.reader("west"), site=h.home("west"))


def join_east(root):
    from sequester.federation.identity import join

    (root / "east").mkdir()
    join("east", root / "east" / "east.card", root / "east")


def asked(tmp_path, name="ngram-dp", **declared):
    h = hospitals(tmp_path, name, **declared).accept_all()
    with pytest.raises(Waiting):
        h.publish()
    return h


def refused(h, match, site="north"):
    with pytest.raises(sq.InputError, match=match) as error:
        h.answer(site)
    assert str(error.value).count("\n") == 0
    assert not (h.root / "joint.bundle").exists() and charged(h, site) == 1


def rewritten(h, number=0, **changed):
    """The coordinator's own key below another question."""
    path = h.folder / question_file(number)
    told = body(path) | changed
    path.write_bytes(signed(told, coordinator_home(h.folder, h.root).key))


def test_a_question_that_does_not_follow_is_refused(tmp_path):
    h = asked(tmp_path)
    item = body(h.folder / question_file(0))["items"][0]
    for items in ([item | {"order": 1}], [item | {"epsilon": 400.0}], [item, item], [], [item | {"name": "os:system"}],
                  [item | {"symbols": 10**12}]):  # fmt: skip
        rewritten(h, items=items)
        refused(h, "question 0 is not the one that follows")
    assert not (h.folder / answer_file(0, "north")).exists()


def test_a_second_question_for_a_round_is_refused(tmp_path):
    h = asked(tmp_path, "markov-dp")
    h.answer("north")
    first = (h.folder / answer_file(0, "north")).read_bytes()
    items = body(h.folder / question_file(0))["items"]
    rewritten(h, items=[{**items[0], "rho": 1.0}, *items[1:]])
    refused(h, "question 0 was answered already, and this is another one")
    (h.folder / answer_file(0, "north")).unlink()
    refused(h, "question 0 was answered already")
    assert not (h.folder / answer_file(0, "north")).exists()
    shutil.copy(h.folder.with_name("study.coordinator") / h.study.digest[:32] / question_file(0), h.folder)
    h.answer("north")
    assert (h.folder / answer_file(0, "north")).read_bytes() == first  # the same bytes: no noise was drawn again


def test_what_is_said_to_be_released_must_be_the_sum(tmp_path):
    h = asked(tmp_path, "markov-dp")
    h.answer_all()
    with pytest.raises(Waiting):
        h.publish()
    size = 8 * (len(base64.b64decode(body(h.folder / question_file(1))["released"])) // 8)
    rewritten(h, 1, released=base64.b64encode(bytes(size)).decode())
    refused(h, "not the sum of the answers|not the one that follows")
    rewritten(h, 1, released="AAAA")
    refused(h, "should hold .* numbers and does not")


def test_a_trusted_coordinator_that_releases_nonsense_is_refused(tmp_path):
    h = asked(tmp_path, "markov-dp", trusted_combiner=True)
    h.answer_all()
    with pytest.raises(Waiting):
        h.publish()
    steps = body(h.folder / question_file(1))["released"]
    median = next(i for i, step in enumerate(steps) if step["kind"] == "noisy-max")
    for odd in (
        [*steps[:median], steps[median] | {"out": 10**6}, *steps[median + 1 :]],
        [steps[0] | {"out": {"n": 0, "of": ""}}, *steps[1:]],
        [steps[0] | {"out": {"n": 3, "of": "AAAA"}}, *steps[1:]],
        [steps[0] | {"kind": "laplace"}, *steps[1:]],
        steps[1:], [7], "x", None,
    ):  # fmt: skip
        rewritten(h, 1, released=odd)
        refused(h, "^federation: (what was released|question 1 is not the one)")


def test_files_of_others_are_refused(tmp_path):
    h = asked(tmp_path)
    question = h.folder / question_file(0)
    good = question.read_bytes()
    question.write_bytes(signed(body(question), open_home(h.home("south")).key))
    refused(h, "signed by another key than the study's")
    question.write_bytes(good.replace(b'"round":0', b'"round":1'))
    refused(h, "was changed after signing")
    question.write_bytes(good.partition(b"\n")[0] + b"\n")
    refused(h, "has no signature")
    rewritten(h, study="0" * 64)
    refused(h, "belongs to another study")
    rewritten(h, round=5)
    refused(h, "is not question 0 of a study")
    question.unlink()
    question.symlink_to("/etc/passwd")
    refused(h, "cannot be read")


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    h = asked(tmp_path)
    with (h.folder / question_file(0)).open("r+b") as file:
        file.truncate(LARGEST + 5)
    refused(h, "larger than such a file can be")


def test_a_signed_file_of_millions_of_values_is_not_taken_apart(tmp_path):
    h = asked(tmp_path)
    key = open_home(h.home("west")).key
    for one in (b"0", b"{}", b"[]"):
        line = b'{"numbers":[' + b",".join([one] * 2_100_000) + b"]}"
        (h.folder / answer_file(0, "west")).write_bytes(line + b"\n" + key.sign(line, PURPOSE).encode())
        h.answer("north")
        h.answer("south")
        with pytest.raises(sq.InputError, match="does not hold what such a file holds"):
            h.publish()


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"numbers": "AAAA"}, "should hold 16 numbers and does not"),
        ({"numbers": 7}, "should hold 16 numbers and does not"),
        ({"question": "0" * 64}, "answers another question"),
        ({"round": 3}, "answers another question"),
        ({"round": False}, "answers another question"),
        ({"round": 0.0}, "answers another question"),
        ({"study": "0" * 64}, "belongs to another study"),
        ({"site": "south"}, "is not an answer of 'north'"),
    ],
)
def test_an_answer_that_does_not_fit_publishes_nothing(tmp_path, changed, match):
    h = asked(tmp_path)
    h.answer_all()
    path = h.folder / answer_file(0, "north")
    path.write_bytes(signed(body(path) | changed, open_home(h.home("north")).key))
    with pytest.raises(sq.InputError, match=match):
        h.publish()
    assert not (tmp_path / "joint.bundle").exists() and not (h.folder / "end.json").exists()


def test_numbers_in_another_spelling_are_refused(tmp_path):
    h = asked(tmp_path)
    h.answer_all()
    path = h.folder / answer_file(0, "north")
    numbers = body(path)["numbers"]
    assert numbers.endswith("=") and numbers[-2] != "="
    for other in (numbers[:-2] + chr(ord(numbers[-2]) + 1) + "=", numbers + "\n"):
        path.write_bytes(signed(body(path) | {"numbers": other}, open_home(h.home("north")).key))
        with pytest.raises(sq.InputError, match="should hold 16 numbers and does not"):
            h.publish()


def test_two_sites_with_one_key_are_refused(tmp_path):
    h = hospitals(tmp_path)
    sites = body(h.folder / "study.json")["sites"]
    for kind in ("mask", "sign"):
        twin = {**sites, "south": sites["south"] | {kind: sites["west"][kind]}}
        with pytest.raises(sq.InputError, match="two sites of the roll have one key"):
            hostile(h, sites=twin)


def test_an_answer_sent_again_or_by_another_is_refused(tmp_path):
    h = asked(tmp_path, "markov-dp")
    h.answer_all()
    with pytest.raises(Waiting):
        h.publish()
    h.answer_all()
    old, now = (h.folder / answer_file(i, "north") for i in (0, 1))
    kept = now.read_bytes()
    shutil.copy(old, now)
    with pytest.raises(sq.InputError, match="answers another question"):
        h.publish()
    now.write_bytes((h.folder / answer_file(1, "south")).read_bytes())
    with pytest.raises(sq.InputError, match="signed by another key"):
        h.publish()
    now.write_bytes(kept)
    assert complete(sq.verify(h.to_the_end().path))


def test_a_site_that_drops_out_ends_the_study(tmp_path):
    h = asked(tmp_path)
    h.answer("north"), h.answer("south")
    with pytest.raises(Waiting, match="waiting for 1 site to answer: west"):
        h.publish()
    assert "waiting for 1 site to answer: west" in status(h.folder)[-1]
    assert not (tmp_path / "joint.bundle").exists()
    assert [charged(h, site) for site in NAMES] == [1, 1, 1]  # an abandoned study has been paid for


def test_data_that_changed_is_not_answered_from(tmp_path):
    h = asked(tmp_path)
    h.data["north"] = h.data["north"].take(np.arange(5))
    refused(h, "the source has changed since you accepted")


def test_another_version_is_refused(tmp_path, monkeypatch):
    h = hospitals(tmp_path)
    monkeypatch.setattr(study_room, "VERSION", "9.9.9")
    with pytest.raises(sq.InputError, match="All sites and the coordinator use one version"):
        read_study(h.folder)
    monkeypatch.undo()
    from sequester.federation import identity

    monkeypatch.setattr(identity, "VERSION", "9.9.9")
    with pytest.raises(sq.InputError, match="All sites and the coordinator use one version"):
        read_card(tmp_path / "north" / "north.card")


@pytest.mark.parametrize(
    ("declared", "match"),
    [
        ({"collude": 3}, "collude must lie in 1..2 with 3 sites"),
        # A site that reads the sum knows its own noise: what is left must be enough.
        ({"collude": 0}, "collude must lie in 1..2 with 3 sites"),
        ({"people": "many"}, "say whether a person can be at two sites"),
        ({"people": "at most 4"}, "people='at most 4' is more sites than the 3 of the roll"),
        ({"people": "counted"}, "private count of them is not offered"),
        ({"reading": {}}, "takes symbols as they are"),
        ({"trusted_combiner": True, "collude": 1}, "a trusted coordinator draws it alone"),
    ],
)
def test_a_study_that_cannot_be_is_refused(tmp_path, declared, match):
    with pytest.raises(sq.InputError, match=match):
        hospitals(tmp_path, **declared)
    assert not (tmp_path / "study").exists() and not (tmp_path / "study.coordinator").exists()


def hostile(h, **changed):
    """A study that the coordinator signs after changing it, and what a site makes of it."""
    path = h.folder / "study.json"
    path.write_bytes(signed(body(path) | changed, coordinator_home(h.folder, h.root).key))
    h.study = read_study(h.folder)
    return h


def test_a_study_cannot_name_files_of_a_site(tmp_path):
    h = hospitals(tmp_path, "markov-dp")
    told = body(h.folder / "study.json")
    secret = tmp_path / "north" / "patients.txt"
    secret.write_text("somebody\n", "utf-8")
    with pytest.raises(sq.InputError, match="names a file that it does not hold"):
        hostile(h, files={}, parameters=told["parameters"] | {"codebook": str(secret)}).accept("north")
    with pytest.raises(sq.InputError, match="names a file that it does not hold"):
        hostile(h, files=told["files"], parameters=told["parameters"] | {"rules": str(secret)}).accept("north")
    with pytest.raises(sq.InputError, match="names a file that it does not hold"):
        hostile(h, files={"../x": told["files"]["codebook"]}, parameters=told["parameters"]).accept("north")
    with pytest.raises(sq.InputError, match="a file inside the study is not well-formed"):
        hostile(h, files={"codebook": {"name": "../../ed25519", "text": "A"}}, parameters=told["parameters"])
    with pytest.raises(sq.InputError, match="parameters that the method does not know"):
        hostile(h, files=told["files"], parameters=told["parameters"] | {"shell": "rm"}).accept("north")
    # A code book with the name of a file that a site keeps lies apart from it.
    named = {"codebook": {"name": "source.json", "text": told["files"]["codebook"]["text"]}}
    h = hostile(h, files=named, parameters=told["parameters"])
    h.accept("north")
    kept = h.home("north") / h.study.digest[:32]
    assert json.loads((kept / "source.json").read_bytes())["source"].endswith("data")
    assert (kept / "files" / "codebook" / "source.json").read_text("utf-8") == named["codebook"]["text"]


def test_after_a_refusal_a_site_may_accept_with_fewer_people(tmp_path):
    h = hospitals(tmp_path)
    open_account(tmp_path / "north", create=True).set_limit(epsilon=3.0)
    with pytest.raises(sq.BudgetError):
        h.accept("north")
    open_account(tmp_path / "north").set_limit(epsilon=5.0)
    h.data["north"] = h.data["north"].take(np.arange(20))
    assert h.accept("north").accepted
    h.data["north"] = h.data["north"].take(np.arange(10))
    with pytest.raises(sq.InputError, match="you accepted this study with other data"):
        h.accept("north")
    assert charged(h, "north") == 1


def test_whatever_was_put_in_the_place_of_an_answer_is_replaced(tmp_path):
    h = asked(tmp_path)
    target = tmp_path / "elsewhere"
    target.write_text("mine", "utf-8")
    (h.folder / answer_file(0, "north")).symlink_to(target)
    (h.folder / answer_file(0, "south")).write_text("rubbish", "utf-8")
    h.answer_all()
    assert target.read_text("utf-8") == "mine"
    assert complete(sq.verify(h.publish().path))


def test_an_answer_that_a_site_lost_is_taken_back_from_the_folder(tmp_path):
    """Other noise for the same question would tell more than was paid for."""
    h = asked(tmp_path)
    h.answer_all()
    name = answer_file(0, "north")
    sent = (h.folder / name).read_bytes()
    (kept,) = tmp_path.rglob(f"*.site/*/{name}")
    kept.unlink()
    h.answer_all()
    assert (h.folder / name).read_bytes() == kept.read_bytes() == sent


def test_two_sites_are_too_few(tmp_path):
    parts = dict(zip(("north", "south"), dealt(symbols(), 2), strict=True))
    with pytest.raises(sq.InputError, match="names 2 sites; it takes 3 to 100"):
        Hospitals(tmp_path, method_for("ngram-dp", tmp_path), parts).begin()


def test_a_card_that_is_not_written_leaves_no_keys(tmp_path, monkeypatch):
    from sequester.federation import identity

    with pytest.raises(sq.InputError, match="no site is called 'coordinator'"):
        identity.join("coordinator", tmp_path / "c.card", tmp_path)

    def full(*_told):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(identity, "write_whole", full)
    with pytest.raises(sq.InputError, match=r"'north\.card' cannot be written \(No space left on device\)"):
        identity.join("north", tmp_path / "north.card", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_trusted_coordinators_sums_are_seen_by_nobody_else(tmp_path):
    h = asked(tmp_path, trusted_combiner=True)
    h.answer_all()
    from sequester.federation.signed_files import unpacked

    answers = [body(h.folder / answer_file(0, site))["numbers"] for site in NAMES]
    total = sum((unpacked(a, 16, "x") for a in answers), np.zeros(16, np.uint64)).view(np.int64)
    assert np.abs(total.astype(float)).min() > 10**12  # without the coordinator's key it is noise over all 64 bits


def forged(bundle, table, path, **changed):
    """The same claim with another table or manifest."""
    claim = opened_bundle(bundle.path, bundle.manifest | changed)
    claim.__dict__["tables"] = {**{n: bundle.tables[n] for n in bundle.tables}, path: table}
    return transcript_check(claim)[0]


def test_a_release_that_does_not_follow_from_its_transcript_is_refused(tmp_path):
    h = hospitals(tmp_path).accept_all()
    bundle = sq.open_bundle(h.to_the_end().path)
    cells, transcript = bundle.tables["measurements"], bundle.tables["transcript"]
    assert forged(bundle, cells, "measurements").passed
    value = cells["value"].to_pylist()
    other = cells.set_column(1, "value", pa.array([value[0] + 1, *value[1:]], pa.int64()))
    assert "not what was released" in forged(bundle, other, "measurements").detail
    texts, names = transcript["text"].to_pylist(), transcript["file"].to_pylist()
    without = transcript.filter(pa.array([n != answer_file(0, "west") for n in names]))
    assert "an answer of 'west' is missing" in forged(bundle, without, "transcript").detail
    at = names.index(answer_file(0, "west"))
    told = json.loads(texts[at].partition("\n")[0])
    told["numbers"] = ("C" if told["numbers"].startswith("B") else "B") + told["numbers"][1:]
    spoiled = signed(told, open_home(h.home("west")).key).decode()
    swapped = transcript.set_column(1, "text", pa.array([*texts[:at], spoiled, *texts[at + 1 :]]))
    assert "not the sum of the answers" in forged(bundle, swapped, "transcript").detail
    more = pa.concat_tables([transcript, pa.table({"file": ["note.txt"], "text": ["p001 was here"]})])
    assert "1 files do not belong" in forged(bundle, more, "transcript").detail
    about = dict(bundle.manifest["federation"]) | {"collude": 2}
    assert "another study" in forged(bundle, cells, "measurements", federation=about).detail
    other = [fact | {"value": "5,6"} if fact["name"] == "symbols" else fact for fact in bundle.manifest["reading"]]
    for reading in (other, [], [*bundle.manifest["reading"], {"name": "window", "value": "1", "how": "declared"}]):
        assert "another reading than the study" in forged(bundle, cells, "measurements", reading=reading).detail
    key, at = coordinator_home(h.folder, h.root).key, names.index("end.json")
    for rounds, found in ((0, "another number"), (2, "never ended"), (True, "another number"), ("1", "another number")):
        ended = signed(json.loads(texts[at].partition("\n")[0]) | {"rounds": rounds}, key).decode()
        longer = transcript.set_column(1, "text", pa.array([*texts[:at], ended, *texts[at + 1 :]]))
        assert found in forged(bundle, longer, "transcript").detail
    plain = {k: v for k, v in bundle.manifest.items() if k != "federation"}
    claim = opened_bundle(bundle.path, plain)
    claim.__dict__["tables"] = bundle.tables
    assert not transcript_check(claim)[0].passed
    stranger = open_home(h.home("west"))
    (tmp_path / "east").mkdir()
    mine = answered_for(bundle, replace(stranger, folder=tmp_path / "east"))
    assert not list((tmp_path / "east").iterdir())
    assert not mine.passed and "0 of 1 answer" in mine.detail


def signed_again(h, files, name, change):
    """The files of a transcript after `change(body)` of one, signed anew; answers name the question as it is now."""
    told = json.loads(files[name].partition("\n")[0])
    change(told)
    out = files | {name: signed(told, coordinator_home(h.folder, h.root).key).decode()}
    if name == question_file(0):
        for site in NAMES:
            answer = json.loads(out[answer_file(0, site)].partition("\n")[0])
            now = answer | {"question": digest(body_of(out[name].encode()))}
            out[answer_file(0, site)] = signed(now, open_home(h.home(site)).key).decode()
    return out


def respelled_signature(text):
    """The last letter of a signature's base64 holds bits that no reader looks at."""
    lines, letters = text.split("\n"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    assert lines[-3].endswith("==")
    lines[-3] = f"{lines[-3][:-3]}{letters[letters.index(lines[-3][-3]) ^ 1]}=="
    return "\n".join(lines)


WORDS = "Maria Muster, HIV positive"


def size_as_text(told):
    size = told["released"][0]["out"]
    size["n"] = str(size["n"])


NOTED = {
    "words before the first answer": (question_file(0), lambda b: b.update(released=WORDS)),
    "words in a step": ("end.json", lambda b: b["released"][0].update(note=WORDS)),
    "a step more, with an exact sum": ("end.json", lambda b: b["released"].append(b["released"][0] | {"out": 17})),
    "a size in other letters": (
        "end.json",
        size_as_text,
    ),
    "words beside a size": ("end.json", lambda b: b["released"][0]["out"].update(who=WORDS)),
}


@pytest.mark.parametrize("name", ["ngram-dp", "markov-dp"])
@pytest.mark.parametrize("trusted", [False, True])
def test_nothing_hides_in_a_transcript(tmp_path, name, trusted):
    h = hospitals(tmp_path, name, trusted_combiner=trusted).accept_all()
    bundle = sq.open_bundle(h.to_the_end().path)
    files = dict(zip(*(bundle.tables["transcript"][c].to_pylist() for c in ("file", "text")), strict=True))

    def followed(found):
        return forged(bundle, pa.table({"file": [*found], "text": [*found.values()]}), "transcript")

    assert followed(files).passed
    for what, (file, change) in NOTED.items():
        if trusted or file != "end.json":
            assert not followed(signed_again(h, files, file, change)).passed, what
    for file in ("study.json", answer_file(0, "north")):
        check = followed(files | {file: respelled_signature(files[file])})
        assert not check.passed and "it is not an OpenSSH signature" in check.detail
    told = body(h.folder / "study.json")
    for noted in ({"coordinator": told["coordinator"] | {"note": WORDS}},
                  {"sites": told["sites"] | {"south": told["sites"]["south"] | {"note": WORDS}}}):  # fmt: skip
        with pytest.raises(sq.InputError, match="the roll of the study is not well-formed"):
            hostile(h, **noted)


def test_a_coordinator_that_was_stopped_goes_on_and_draws_no_noise_twice(tmp_path):
    h = asked(tmp_path, "markov-dp", trusted_combiner=True)
    h.answer_all()
    with pytest.raises(Waiting):
        h.publish()
    first = (h.folder / question_file(1)).read_bytes()
    (h.folder / question_file(1)).unlink()  # as if it was stopped before it was sent
    with pytest.raises(Waiting):
        h.publish()
    assert (h.folder / question_file(1)).read_bytes() == first
    assert complete(sq.verify(h.to_the_end().path))
    with pytest.raises(sq.BundleError, match="exists"):
        publish_study(h.folder, tmp_path / "joint.bundle", private=tmp_path)


@pytest.mark.parametrize("trusted", [False, True])
def test_a_coordinator_that_forgot_what_it_asked_draws_no_other_noise(tmp_path, trusted):
    h = asked(tmp_path, "markov-dp", trusted_combiner=trusted)
    h.answer_all()
    with pytest.raises(Waiting):
        h.publish()
    first, kept = (h.folder / question_file(1)).read_bytes(), tmp_path / "study.coordinator" / h.study.digest[:32]
    kept.rename(tmp_path / "away")
    with pytest.raises(
        sq.InputError if trusted else Waiting,
        match="was sent already with other numbers, and 'study.coordinator' does not know" if trusted else "Round 1",
    ):
        h.publish()
    assert (h.folder / question_file(1)).read_bytes() == first
    shutil.rmtree(kept)
    (tmp_path / "away").rename(kept)
    assert complete(sq.verify(h.to_the_end().path))


def test_canonical_numbers_are_the_same_on_other_processors():
    assert canonical({"clip": 0.1 + 0.2}) == canonical({"clip": 0.3}) == b'{"clip":0.3}'


def test_a_study_says_nothing_more_about_reading_than_its_method_needs(tmp_path):
    """Otherwise it could say what a person is, or have a site's files opened."""
    h = hospitals(tmp_path)
    told = body(h.folder / "study.json")["reading"]
    for more in ({"person": "ward"}, {"codebook": "/etc/passwd"}, {"rules": "x"}):
        with pytest.raises(sq.InputError, match="says more about reading than its method needs"):
            hostile(h, reading=told | more).accept("north")
    for odd in (7, True, 10**30):
        with pytest.raises(sq.InputError, match="parameters that the method does not know"):
            hostile(h, reading=told | {"symbols": odd}).accept("north")
    assert not (tmp_path / "north" / "sequester.account").exists()


@pytest.mark.parametrize(
    ("name", "changed", "match"),
    [
        (
            "ngram-dp",
            {"n_max": 50, "people_at_least": 10**40, "epsilon": 1e9},
            "asks for more numbers than a study may",
        ),
        ("ngram-dp", {"epsilon": "1"}, "epsilon"),
        ("markov-dp", {"dates": "0001-01-01..9999-12-31"}, "dates must be"),
        ("markov-dp", {"dates": 7}, "parameters that the method does not know"),
        ("markov-dp", {"max_events": 10**9}, "max_events must be"),
        ("activity-dp", {"calibration_people": 10**12}, "calibration_people must be"),
    ],
)
def test_a_study_with_hostile_parameters_is_refused_before_it_is_charged(tmp_path, name, changed, match):
    h = hospitals(tmp_path, name)
    with pytest.raises((sq.InputError, sq.ParameterError), match=match) as error:
        hostile(h, parameters=body(h.folder / "study.json")["parameters"] | changed).accept("north")
    assert str(error.value).count("\n") == 0
    assert not (tmp_path / "north" / "sequester.account").exists()


def test_a_roll_with_a_key_that_hides_nothing_is_refused_before_it_is_charged(tmp_path):
    h = hospitals(tmp_path)
    sites = body(h.folder / "study.json")["sites"]
    with pytest.raises(sq.InputError, match="the key of 'south' cannot be used"):
        hostile(h, sites=sites | {"south": sites["south"] | {"mask": "00" * 32}}).accept("north")
    assert not (tmp_path / "north" / "sequester.account").exists()
    with pytest.raises(sq.InputError, match="a trusted coordinator draws it alone"):
        hostile(h, sites=sites, trusted=True)
    with pytest.raises(sq.InputError, match=r"collude must lie in 1\.\.2"):
        hostile(h, trusted=False, collude=0)


def test_custodians_are_told_with_whom_to_compare_the_words(tmp_path):
    from sequester.federation.site import accept

    for trusted, whom in ((False, "south, west."), (True, "south, west, the coordinator, who will see exact sums.")):
        (root := tmp_path / str(trusted)).mkdir()
        h = hospitals(root, trusted_combiner=trusted)
        seen = accept(h.folder, "data", {}, read=h.reader("north"), site=h.home("north"))
        assert seen.lines[-2] == f"Compare the words with {whom}"


def put_in_its_place(path, what):
    path.unlink(missing_ok=True)
    path.mkdir() if what == "folder" else os.mkfifo(path)


@pytest.mark.parametrize("what", ["folder", "pipe"])
def test_what_is_no_file_is_neither_read_nor_waited_for(tmp_path, what):
    h = asked(tmp_path)
    path = h.folder / question_file(0)
    put_in_its_place(path, what)
    refused(h, "'0000.question.json' is no file")
    with pytest.raises(sq.InputError, match="is no file"):
        status(h.folder)
    path.rmdir() if what == "folder" else path.unlink()
    with pytest.raises(Waiting):
        h.publish()
    put_in_its_place(h.folder / "accepted-south.json", what)
    refused(h, "'accepted-south.json' is no file")


@pytest.mark.parametrize("planted", ["accepted-north.json", "north.card", "0000.north.answer.json"])
def test_files_of_a_site_in_the_place_of_its_next_answer_do_not_stop_it(tmp_path, planted):
    """They carry its own signature: whoever edits the folder can copy them."""
    h = asked(tmp_path, "markov-dp")
    h.answer_all()
    with pytest.raises(Waiting):
        h.publish()
    (file,) = (p for p in tmp_path.rglob(planted) if p.parent == h.folder or planted == "north.card")
    shutil.copy(file, h.folder / answer_file(1, "north"))
    h.answer_all()
    assert complete(sq.verify(h.to_the_end().path))


def test_a_file_that_is_still_on_its_way_is_waited_for(tmp_path, monkeypatch):
    h = asked(tmp_path)
    path = h.folder / question_file(0)
    whole = path.read_bytes()
    cuts = [whole[:n] for n in (0, 40, len(whole) // 2, len(whole) - 1)] + [whole]
    path.write_bytes(cuts.pop(0))
    refused(h, "has no signature")
    seen = []

    def sleep(_seconds):
        seen.append((h.folder / answer_file(0, "north")).exists())
        if not cuts:
            raise KeyboardInterrupt
        path.write_bytes(cuts.pop(0))

    monkeypatch.setattr("sequester.federation.site.time.sleep", sleep)
    with pytest.raises(KeyboardInterrupt):
        h.answer("north", wait=True)
    assert seen == [False] * 4 + [True]


@pytest.mark.parametrize("trusted", [False, True])
def test_an_answer_that_is_replaced_after_it_was_used_is_named(tmp_path, trusted):
    h = asked(tmp_path, "markov-dp", trusted_combiner=trusted)
    h.answer_all()
    with pytest.raises(Waiting):
        h.publish()
    path = h.folder / answer_file(0, "west")
    first, told = path.read_bytes(), body(path)
    told["numbers"] = ("C" if told["numbers"].startswith("B") else "B") + told["numbers"][1:]
    path.write_bytes(signed(told, open_home(h.home("west")).key))
    with pytest.raises(sq.InputError, match="answer to question 0 of west was replaced after it was used"):
        h.publish()
    path.write_bytes(first)
    assert complete(sq.verify(h.to_the_end().path))


def test_a_site_that_lies_can_spoil_a_release_and_nothing_else(tmp_path):
    h = asked(tmp_path, "markov-dp")
    with pytest.raises(sq.SequesterError, match="no release follows from these sums") as error:
        while True:
            h.answer_all()
            path = sorted(h.folder.glob("*.west.answer.json"))[-1]
            told = body(path)
            numbers = np.frombuffer(base64.b64decode(told["numbers"]), "<u8") + np.uint64(2**62)
            lie = signed(told | {"numbers": base64.b64encode(numbers).decode()}, open_home(h.home("west")).key)
            for place in (path, h.home("west") / h.study.digest[:32] / path.name):
                place.write_bytes(lie)
            try:
                h.publish()
            except Waiting:
                continue
    assert str(error.value).count("\n") == 0
    assert not (tmp_path / "joint.bundle").exists()


def test_a_later_version_follows_the_transcript_or_says_that_it_cannot(tmp_path, monkeypatch):
    bundle = sq.open_bundle(hospitals(tmp_path).accept_all().to_the_end().path)
    for module in ("study", "transcript"):
        monkeypatch.setattr(f"sequester.federation.{module}.VERSION", "9.9.9")
    assert transcript_check(bundle)[0].passed
    cells = bundle.tables["measurements"]
    value = cells["value"].to_pylist()
    other = cells.set_column(1, "value", pa.array([value[0] + 1, *value[1:]], pa.int64()))
    check = forged(bundle, other, "measurements")
    assert not check.passed and check.undecided and check.detail.startswith(f"only sequester {sq.__version__} can")


def test_the_release_of_one_site_is_checked_in_one_sentence(tmp_path):
    h = hospitals(tmp_path)
    alone = sq.publish(sq.anonymize(symbols(), h.method), tmp_path / "alone.bundle", source=symbols())
    with pytest.raises(sq.InputError, match="has no transcript; it is the release of one site"):
        answered_for(sq.open_bundle(alone.path), open_home(h.home("north")))


def test_a_folder_of_files_that_changed_is_not_answered_from(tmp_path):
    from sequester.federation.site import _fingerprint

    (tmp_path / "days").mkdir()
    (tmp_path / "days" / "a.csv").write_text("1\n", "utf-8")
    before = _fingerprint(tmp_path / "days", symbols())
    (tmp_path / "days" / "a.csv").write_text("2\n", "utf-8")
    assert _fingerprint(tmp_path / "days", symbols()) != before


def test_keys_are_never_made_where_others_look(tmp_path, monkeypatch):
    """A card or a study on a share must not take the keys, and with them the account, to the share."""
    from click.testing import CliRunner

    from sequester.cli import cli

    (share := tmp_path / "share").mkdir()
    cards = []
    for name in NAMES:
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found = CliRunner().invoke(cli, ["federation", "join", "--name", name, "--out", f"../share/{name}.card"])
        assert f"{name}.site, here: your keys." in found.output, found.output
        cards += ["--site", f"share/{name}.card"]
    monkeypatch.chdir(tmp_path)
    asked = "study ngram-dp --epsilon 4 --people-at-least 100 --symbolize none --symbols 1,2,3,4 --people disjoint"
    found = CliRunner().invoke(cli, ["federation", *asked.split(), *cards, "--out", "share/study"])
    assert "study.coordinator, here: your keys." in found.output, found.output
    assert {p.name for p in share.rglob("*")} == {"study", "study.json", *(f"{n}.card" for n in NAMES)}
    assert {p.name for p in tmp_path.iterdir()} == {"share", "study.coordinator", *NAMES}
    monkeypatch.chdir(tmp_path / "north")
    (tmp_path / "heard.bin").write_bytes(bytes(range(256)))
    told = ["--person", "person", "--value", "symbol", "--words", "../heard.bin"]
    sq.write_sample("symbols", "log.csv", n_people=20, seed=1)
    found = CliRunner().invoke(cli, ["federation", "accept", "../share/study", "log.csv", *told])
    assert "takes the 12 words that another custodian read out, or a file with them" in str(found.exception)
    found = CliRunner().invoke(cli, ["federation", "publish", "../share/study", "--out", "x.bundle"])
    assert "there is no 'study.coordinator' here, the coordinator's keys" in str(found.exception)


def test_a_study_is_written_where_a_file_has_one_name(tmp_path, monkeypatch):
    """A stick or a share may know no second name of a file."""

    link = os.link

    def no_second_name(old, new):
        if Path(new).parent == tmp_path / "study":
            raise PermissionError(1, "Operation not permitted")
        link(old, new)

    monkeypatch.setattr(os, "link", no_second_name)
    assert complete(sq.verify(hospitals(tmp_path).accept_all().to_the_end().path))


@pytest.mark.parametrize(
    ("out", "match"),
    [
        ("", "must name what to write"), (".", "must name what to write"), ("a\0b", "must name what to write"),
        ("nowhere/study", "'study' cannot be made"), ("north", "'north' exists. Choose another name"),
    ],
)  # fmt: skip
def test_a_study_that_cannot_be_written_leaves_no_keys(tmp_path, monkeypatch, out, match):
    from sequester.federation.identity import join

    h = hospitals(tmp_path)
    monkeypatch.chdir(tmp_path)
    cards = [tmp_path / n / f"{n}.card" for n in NAMES]
    before = sorted(p.name for p in tmp_path.rglob("*"))
    with pytest.raises(sq.InputError, match=match):
        new_study(h.method, cards, out, people="disjoint", reading=READING["ngram-dp"])
    with pytest.raises(sq.InputError, match=match if "made" not in match else "there is no folder 'nowhere'"):
        join("east", out)
    with pytest.raises(sq.InputError, match=r"'study\.coordinator' exists; it may hold keys"):
        new_study(h.method, cards, "north/study", people="disjoint", reading=READING["ngram-dp"])
    assert sorted(p.name for p in tmp_path.rglob("*")) == before


def test_what_is_no_card_and_no_study_is_named(tmp_path):
    h = hospitals(tmp_path)
    with pytest.raises(sq.InputError, match="'north' is a folder, not the card of a site"):
        read_card(tmp_path / "north")
    with pytest.raises(sq.InputError, match=r"'north\.card' is a file\. Name the folder of the study"):
        read_study(tmp_path / "north" / "north.card")
    for words in ("heard.txt", "", "one two"):
        with pytest.raises(sq.InputError, match="takes the 12 words that another custodian read out, or a file"):
            h.accept("north", words=words)
    assert not (tmp_path / "north" / "sequester.account").exists()
