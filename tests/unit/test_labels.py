"""Labels in the formats people have: i2b2 2014 and 2006, brat, Presidio, presidio-research, our own."""

from __future__ import annotations

import json

import pytest

import sequester as sq
from sequester.primitives.labels import label_texts, read_labels, under_names

NOTE = "Seen by Dr Lee on 2 May."


def test_i2b2_2014(tmp_path):
    tags = '<NAME id="P0" start="11" end="14" text="Lee" TYPE="DOCTOR" comment=""/>'
    tags += '<DATE start="18" end="23" text="2 May"/>'
    (tmp_path / "220-01.xml").write_text(
        f'<?xml version="1.0"?><deIdi2b2><TEXT><![CDATA[{NOTE}]]></TEXT><TAGS>{tags}</TAGS></deIdi2b2>', "utf-8"
    )
    expected = {"220-01": [(11, 14, "DOCTOR"), (18, 23, "DATE")]}
    assert read_labels(tmp_path) == read_labels(tmp_path / "220-01.xml") == expected
    wrong = (tmp_path / "220-01.xml").read_text("utf-8").replace('start="11"', 'start="10"')
    (tmp_path / "220-01.xml").write_text(wrong, "utf-8")
    with pytest.raises(sq.InputError) as caught:
        read_labels(tmp_path)
    assert str(caught.value) == (
        "measure: tag 1 of '220-01.xml' does not stand where it says. Read the file as it was published."
    )


def test_i2b2_2006(tmp_path):
    path = tmp_path / "deid.xml"
    body = 'Seen by Dr <PHI TYPE="DOCTOR">Lee</PHI> on <PHI TYPE="DATE">2 May</PHI>.'
    path.write_text(f'<ROOT><RECORD ID="7"><TEXT>{body}</TEXT></RECORD></ROOT>', "utf-8")
    labels = read_labels(path)
    assert labels == {"7": [(11, 14, "DOCTOR"), (18, 23, "DATE")]}
    assert [NOTE[s:e] for s, e, _ in labels["7"]] == ["Lee", "2 May"]
    path.write_text('<ROOT>\n<RECORD ID="7"><TEXT>a<PHI TYPE="DOCTOR"></TEXT></RECORD></ROOT>', "utf-8")
    with pytest.raises(sq.InputError) as caught:
        read_labels(path)
    assert str(caught.value) == (
        "measure: 'deid.xml' is not well-formed XML (line 2). The training file of i2b2 2006 has a tag that is never "
        "closed; repair the line."
    )


def test_brat(tmp_path):
    (tmp_path / "a.txt").write_text(NOTE, "utf-8")
    (tmp_path / "a.ann").write_text("T1\tDOCTOR 11 14\tLee\nR1\tx Arg1:T1\nT2\tDATE 18 19;20 23\t2 May\n", "utf-8")
    assert read_labels(tmp_path) == {"a": [(11, 14, "DOCTOR"), (18, 19, "DATE"), (20, 23, "DATE")]}
    (tmp_path / "a.ann").write_text("T1\tDOCTOR eleven\n", "utf-8")
    with pytest.raises(sq.InputError, match=r"line 1 of 'a.ann' is not a brat annotation \(TYPE START END\)."):
        read_labels(tmp_path)


def test_presidio(tmp_path):
    found = [{"entity_type": "PERSON", "start": 11, "end": 14, "score": 0.9}]
    path = tmp_path / "found.json"
    for told in (
        json.dumps(found) + "\n" + json.dumps([]),
        json.dumps({"document": 1, "results": found}),
    ):
        path.write_text(told, "utf-8")
        assert read_labels(path)["1"] == [(11, 14, "PERSON")]
    rows = [{"full_text": NOTE, "spans": [{"entity_type": "PERSON", "start_position": 11, "end_position": 14}]}]
    path.write_text(json.dumps(rows), "utf-8")
    assert read_labels(path) == {"1": [(11, 14, "PERSON")]}


def test_our_own_keeps_types():
    assert read_labels([{"document": "x", "spans": [[0, 2, "NAME"], [3, 4]]}]) == {
        "x": [(0, 2, "NAME"), (3, 4, "PRIVATE")]
    }
    for bad in ([{"document": "x", "spans": [[0, "2"]]}], [[{"start": 1}]], ["x"]):
        with pytest.raises(sq.InputError, match="line 1 of the labels lacks"):
            read_labels(bad)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(sq.InputError, match=r"holds no labels \(.xml of i2b2, .ann of brat, .xmi of UIMA\)."):
        read_labels(tmp_path)


def test_a_name_may_have_the_ending_of_its_file():
    labels = {"a/1.txt": [(0, 1, "X")], "a/1": [(2, 3, "X")], "b.2": [(0, 1, "X")], "c.txt": []}
    assert under_names(labels, {"a/1", "b.2"}) == {
        "a/1": [(0, 1, "X"), (2, 3, "X")], "b.2": [(0, 1, "X")], "c.txt": []
    }  # fmt: skip


def test_objects_with_start_and_end(tmp_path):
    rows = [{"document": "x", "spans": [{"start": 11, "end": 14, "label": "DOCTOR"}, {"begin": 18, "end": 23}]}]
    assert read_labels(rows) == {"x": [(11, 14, "DOCTOR"), (18, 23, "PRIVATE")]}
    with pytest.raises(sq.InputError, match=r"line 1 of the labels lacks `document` or `spans`"):
        read_labels([{"document": "x", "spans": [{"start": "eleven", "end": 14}]}])


CAS = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
    'xmlns:custom="http:///custom.ecore" xmlns:type="http:///ner.ecore"><cas:Sofa xmi:id="1" sofaString="{text}"/>'
    '<type:Token begin="0" end="4"/>{annotations}</xmi:XMI>'
)


def test_uima_xmi_counts_utf16_units(tmp_path):
    """INCEpTION exports a CAS per document; a character beyond the first plane is two units there."""
    named = '<type:NamedEntity begin="14" end="17" value="DOCTOR"/><custom:Note begin="0" end="4"/>'
    (tmp_path / "a.xmi").write_text(CAS.format(text=f"🙂 {NOTE}", annotations=named), "utf-8")
    assert read_labels(tmp_path / "a.xmi") == {"a": [(13, 16, "DOCTOR")]}
    assert f"🙂 {NOTE}"[13:16] == "Lee"
    own = '<custom:PHI begin="11" end="14" kind="DOCTOR"/><custom:PHI begin="18" end="23"/>'
    (tmp_path / "a.xmi").write_text(CAS.format(text=NOTE, annotations=own), "utf-8")
    assert read_labels(tmp_path) == {"a": [(11, 14, "DOCTOR"), (18, 23, "PHI")]}
    (tmp_path / "a.xmi").write_text(CAS.format(text=NOTE, annotations=own.replace("23", "99")), "utf-8")
    with pytest.raises(sq.InputError, match=r"an annotation of 'a.xmi' lies outside its text"):
        read_labels(tmp_path)


def test_texts_beside_labels_are_found_also_in_presidio_research(tmp_path):
    path = tmp_path / "labels.json"
    path.write_text('[{"full_text": "Ann", "spans": []}, {"document": "b", "text": "Bo", "spans": []}]', "utf-8")
    assert label_texts(path) == {"1": "Ann", "b": "Bo"}
