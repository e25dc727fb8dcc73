"""Files as newcomers have them: what `inspect` says is right, or says what to do."""

import numpy as np
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli

STATES = ("walk", "sit", "run")
ROWS = [(f"p{i % 20}", f"2024-03-{1 + i % 28:02d} 10:{i % 60:02d}:00", STATES[i % 3]) for i in range(90)]


def table(by=",", end="\n", names=("patient", "time", "state"), rows=ROWS):
    return end.join(by.join(row) for row in [names, *rows]) + end


@pytest.mark.parametrize(
    ("written", "encoding"),
    [
        (table().encode(), None), (table(";").encode(), None), (table("\t").encode(), None),
        (table("|").encode(), None),
        (table(end="\r\n").encode(), None), (table(end="\r").encode(), None), (table().encode("utf-8-sig"), None),
        (table().encode("utf-16"), "utf-16"), (table().encode("utf-16-le"), "utf-16-le"),
        (table().encode("utf-16-be"), "utf-16-be"),
    ],
)  # fmt: skip
def test_the_same_table_is_understood_alike(written, encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(written)
    found = sq.inspect(path)
    assert found.kind == "events" and found.lines[0] == "Person = patient: 20 people, 90 events"
    assert found.roles == {"person": "patient", "time": "time", "state": "state", "time-format": "iso",
                           "time-unit": "second", **({"encoding": encoding} if encoding else {})}  # fmt: skip


def test_one_person_is_said_to_be_one(tmp_path):
    (tmp_path / "t.csv").write_text(table(rows=[("p1", t, s) for _, t, s in ROWS]))
    found = sq.inspect(tmp_path / "t.csv")
    assert found.lines[0] == "Person = patient: 1 person, 90 events" and "state" not in found.alternatives.get(
        "state", ()
    )
    assert found.asked() == ["one person alone cannot be hidden"]
    assert not found.command


def test_decimal_commas_are_read(tmp_path):
    (tmp_path / "t.csv").write_text("id;t1;t2;t3\n" + "".join(f"{i};1,{i};2,5;3,{i}\n" for i in range(30)))
    found = sq.inspect(tmp_path / "t.csv")
    assert found.kind == "series" and found.roles["decimal"] == ","
    assert sq.read_series(tmp_path / "t.csv", **found.options).values[7].tolist() == [1.7, 2.5, 3.7]


def test_a_matrix_set_apart_by_blanks_goes_all_the_way(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 6))
    (tmp_path / "m.dat").write_text("\n".join(" ".join(f"{x:8.3f}" for x in row) for row in rows) + "\n")
    found = sq.inspect(tmp_path / "m.dat")
    assert found.kind == "series" and found.roles == {"person": "each", "no-header": ""}
    assert np.allclose(sq.read_series(tmp_path / "m.dat", **found.options).values, rows.round(3))


def test_a_file_that_is_no_text_is_not_told_an_encoding(tmp_path):
    raw = np.random.default_rng(1).integers(0, 256, 3000, dtype=np.uint8).tobytes()
    for name in ("t.csv", "rec.dat"):
        (tmp_path / name).write_bytes(b"\xff" + raw)
    (tmp_path / "rec.hea").write_text("rec 1 100 600\n")
    for name, hint in (
        ("t.csv", "Save the data as a table, or give the file the ending of its format."),
        ("rec.dat", "It is the signal of a recording: name 'rec.hea' instead."),
    ):
        with pytest.raises(sq.InputError) as caught:
            sq.read_series(tmp_path / name)
        assert str(caught.value) == f"read_series: '{name}' is not text, in whatever encoding. {hint}"


def test_a_zero_byte_in_the_header_is_said(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"per\0son,state\na,x\nb,y\n")
    with pytest.raises(sq.InputError, match=r"'t.csv' is not text"):
        sq.inspect(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--persn", "inspect finds the columns itself; --person belongs to the command it proposes."),
        ("--id", "inspect finds the columns itself; --person belongs to the command it proposes."),
        ("--state", "inspect finds the columns itself; --state belongs to the command it proposes."),
        ("--enc", "Did you mean '--encoding'?"),
        ("--jsn", "Did you mean '--json'?"),
        ("--zzz", ""),
    ],
)
def test_an_option_that_inspect_does_not_have(option, says, tmp_path):
    (tmp_path / "t.csv").write_text(table())
    done = CliRunner().invoke(cli, ["inspect", str(tmp_path / "t.csv"), option, "x"])
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == f"Error: No such option '{option}'. {says}".strip()


BIRTHS = (
    "Geb.-Datum",
    "Geb_Datum",
    "GebDatum",
    "Fecha nac.",
    "Date naiss.",
    "Todesdatum",
    "Stichtag",
    "Datum der Karte",
)


@pytest.mark.parametrize("called", BIRTHS)
def test_a_date_that_never_changes_for_a_person_is_no_time(called, tmp_path):
    """It would publish everybody's date of birth as the day of their transfers."""
    rows = [f"Fallnr;PatNr;{called};Station nach;Datum;Uhrzeit"]
    for i in range(240):
        who = i % 60
        born = f"{who % 28 + 1:02d}.{who % 12 + 1:02d}.{1930 + who}"
        rows.append(
            f"{5000 + i};{10_000 + who};{born};{('Innere', 'Chirurgie', 'Intensiv')[(i // 60 * 2 + who) % 3]};"
            f"{i * 5 % 28 + 1:02d}.{i // 60 + 1:02d}.2024;{i % 24:02d}:{i % 60:02d}"
        )
    (tmp_path / "verlegungen.csv").write_text("\n".join(rows) + "\n", "utf-8")
    found = sq.inspect(tmp_path / "verlegungen.csv")
    assert found.kind == "events" and found.roles["time"] == "Datum" and found.roles["clock"] == "Uhrzeit"


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("記録", "体温は三十七度で昨日から咳と発熱があり受診した。安静にて経過を観察する。担当は{}番の医師。"),
        ("informe", "Acude por tos y fiebre desde hace dos semanas, lo atiende el médico número {}."),
    ],
)
def test_notes_are_seen_in_languages_with_and_without_blanks(column, told, tmp_path):
    rows = "".join(f"p{i % 20},{told.format(i)}\n".replace(", lo", " y lo") for i in range(60))
    (tmp_path / "t.csv").write_text(f"patient,{column}\n{rows}", "utf-8")
    found = sq.inspect(tmp_path / "t.csv")
    assert found.kind == "text" and found.roles["text"] == column


@pytest.mark.parametrize("several", [False, True])
def test_lists_of_numbers_and_several_lists_are_told_from_a_table_of_patients(several, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"pid": [f"p{i}" for i in range(30)], "signal": [[i + j / 7 for j in range(300)] for i in range(30)]}
    if several:
        rows |= {
            "signal": [["A", "B", "C"][: 1 + i % 3] * 4 for i in range(30)],
            "days": [[i, i + 2] for i in range(30)],
        }
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    found = sq.inspect(tmp_path / "t.parquet")
    assert found.kind is None and ("a cell of 'signal', 'days' is" if several else "a cell of 'signal' is") in str(
        found
    )


@pytest.mark.parametrize(("column", "measured"), [("vital", ("HR", "SpO2", "Temp")), ("itemid", ("220045", "220277"))])
def test_a_table_of_two_or_three_vital_signs_is_not_one_quantity(column, measured, tmp_path):
    rows = [
        f"p{i % 20},2024-03-{1 + i // 480:02d} {i // 20 % 24:02d}:00:00,{measured[i * 7 % 11 % len(measured)]},{i % 40}"
        for i in range(960)
    ]
    (tmp_path / "t.csv").write_text("\n".join([f"patient,charttime,{column},value", *rows]))
    found = sq.inspect(tmp_path / "t.csv")
    assert found.kind == "events" and found.roles["state"] == column


def test_bins_may_be_numbers(tmp_path):
    (tmp_path / "t.csv").write_text(
        "person,time,steps\n" + "".join(f"p{i % 3},2024-03-01 10:{i:02d}:00,{9 * i}\n" for i in range(60))
    )
    roles = {"person": "person", "time": "time", "time_format": "iso", "value": "steps", "names": ("low", "high")}
    told = [sq.read_activities(tmp_path / "t.csv", bins=bins, **roles) for bins in ((100,), (100.0,), ("100",))]
    assert len({data.fingerprint() for data in told}) == 1
    with pytest.raises(sq.InputError, match="bins= must be numbers, got a whole number"):
        sq.read_activities(tmp_path / "t.csv", bins=100, **roles)


def test_a_codebook_that_is_no_file_is_a_sentence():
    with pytest.raises(sq.InputError, match="codebook must be the name of a file"):
        sq.MarkovDP(epsilon=1, delta=1e-6, people_at_least=100, dates="2024-01-01..2024-12-31", codebook=("A",)).design(
            "second"
        )


def test_steps_of_a_day_are_a_quantity_though_nearly_all_differ(tmp_path):
    rows = [f"u{i // 14},2024-02-{1 + i % 14:02d},{1000 + i * 7919 % 14000}" for i in range(700)]
    (tmp_path / "t.csv").write_text("\n".join(["user,date,steps", *rows]))
    found = sq.inspect(tmp_path / "t.csv")
    assert found.kind == "activity" and found.roles["value"] == "steps" and found.roles["interval"] == "86400"
