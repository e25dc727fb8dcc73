"""Shapes of exports that `inspect` once misread; each stands for a rule, not for its file."""

from __future__ import annotations

import datetime as dt
import random

import pytest
from experiments.front_door_writing import D0, MINUTE, sentence, stamp, sugar, table

import sequester as sq
from sequester.read.recognise_series import MONTHS
from sequester.read.summary import figures


def found_in(tmp_path, rows, name="export.csv", **written):
    return sq.inspect(tmp_path / table(tmp_path / name, rows, **written))


def glucose_rows(head, cells):
    """Four days of glucose of twelve people; `cells` says what stands before the value."""
    rng = random.Random(1)
    return [head, *([*cells(p, m), sugar(rng, m, 150)] for p in range(12) for m in range(0, 4 * 1440, 15))]


def results(head, cells, n=60, each=20):
    """Results in no order of time: who, when, what, how much."""
    rng = random.Random(2)
    return [head, *(cells(rng, p) for p in range(n) for _ in range(each))]


def folder_of_pulse(folder, *, names, before=(), times="ms"):
    rng = random.Random(3)
    for p, name in enumerate(names):
        rows = [["timezone", "unixTimestampInMs", "beatsPerMinute"]]
        for m in range(0, 2 * 1440, 4):
            t = D0.replace(tzinfo=dt.UTC) + m * MINUTE
            rows.append(["Europe/Berlin", int(1000 * t.timestamp()), rng.randint(55, 65) + 25 * (m % 1440 > 420) + p])
        table(folder / name, rows, before=before)
    return sq.inspect(folder)


def test_times_of_day_without_a_date_get_no_command(tmp_path):
    """Days were laid upon each other: 70,000 readings became one day."""
    rows = glucose_rows(
        ["PtID", "DaysFromEnroll", "DeviceTm", "GlucoseValue"],
        lambda p, m: [p, m // 1440 - 2, f"{m % 1440 // 60:02}:{m % 60:02}:00"],
    )
    found = found_in(tmp_path, rows, by="|")
    assert not found.command and found.in_the_way == (
        "'DeviceTm' holds times of day, which begin again every day, and no date stands beside them: write day and "
        "time of day into one column"
    )


def test_an_hour_beside_its_date_is_a_clock(tmp_path):
    def rows(hour):
        return glucose_rows(["id", "date", "hour", "glucose"], lambda p, m: [
            f"s{p}", (D0 + m * MINUTE).date(), hour(m % 1440 // 60)])[::4]  # fmt: skip

    whole = rows(int)
    found = found_in(tmp_path, [["id", "date", "hour", "glucose"], *whole[1:]])
    assert found.command and (found.roles["clock"], found.roles["time-format"]) == ("hour", "%Y-%m-%d %H")
    found = found_in(tmp_path, [["id", "date", "hour", "glucose"], *rows(float)[1:]], "floats.csv")
    assert not found.command and "the hour of 'date' stands in 'hour'" in found.in_the_way


def test_dates_and_clocks_in_digits_are_times(tmp_path):
    rows = glucose_rows(["subject", "ts", "glucose"], lambda p, m: [f"S-{p}", f"{D0 + m * MINUTE:%Y%m%dT%H%M%S}"])
    found = found_in(tmp_path, rows)
    assert found.kind == "activity" and found.roles["time-format"] == "%Y%m%dT%H%M%S" and found.command


def test_a_month_by_name_and_a_clock_beside_it(tmp_path):
    rows = glucose_rows(
        ["patient", "Date", "Time", "glucose"],
        lambda p, m: [f"p{p}", f"{D0 + m * MINUTE:%b %d, %Y}", f"{D0 + m * MINUTE:%I:%M:%S %p}"],
    )
    found = found_in(tmp_path, rows)
    assert found.roles["time-format"] == "%b %d, %Y %I:%M:%S %p" and found.command, found


def test_what_is_counted_per_minute_is_measured(tmp_path):
    names = [f"P{p:02}/pulse/pulse.csv" for p in range(9)]
    found = folder_of_pulse(tmp_path / "watch", names=names, before=["title,pulse", "rows,720", ""])
    assert (found.kind, found.roles["quantity"], found.roles["person"]) == ("activity", "heart-rate", "folder")


def test_files_called_by_dates_are_days_not_people(tmp_path):
    days = [f"{D0.date() + dt.timedelta(days=d)}.csv" for d in range(9)]
    found = folder_of_pulse(tmp_path / "metrics", names=days)
    assert not found.command and found.in_the_way.startswith("the files are called by dates, as the days of one person")
    found = folder_of_pulse(tmp_path / "many", names=[f"user {p}/{day}" for p in range(3) for day in days[:3]])
    assert found.roles["person"] == "folder"


@pytest.mark.parametrize(
    ("name", "form", "asked"),
    [("labresultoffset", "minutes", True), ("dt", "number", False), ("DaysToEvent", "days", False)],
)
def test_a_time_since_a_start_is_one_in_whatever_order(name, form, asked, tmp_path):
    rows = results(["patient_id", name, "test", "value"], lambda rng, p: [
        f"p{p}", rng.randint(-700, 9000), rng.choice(["Na", "K", "Hb", "CRP"]), rng.uniform(1, 200)])  # fmt: skip
    found = found_in(tmp_path, rows)
    assert (found.kind, found.roles["time"], found.roles["time-format"]) == ("events", name, form)
    assert any(f"does '{name}' count {form}?" in q for q in found.choose) == asked


def test_numbers_that_tell_rows_of_one_moment_apart_are_what_was_measured(tmp_path):
    codes = {708: 85, 709: 60, 710: 97, 701: 120}
    rng = random.Random(4)
    rows = [["id", "CaseID", "DataID", "Offset", "Val"]]
    rows += [
        [0, 12 + 37 * p, code, 3600 * h, round(rng.gauss(usual, 5), 2)]
        for p in range(40) for h in range(18) for code, usual in codes.items()
    ]  # fmt: skip
    rows = [rows[0], *([i, *row[1:]] for i, row in enumerate(rows[1:]))]
    found = found_in(tmp_path, rows)
    assert (found.kind, found.roles["state"]) == ("events", "DataID") and found.command


@pytest.mark.parametrize(
    ("names", "person"),
    [
        (("op_id", "subject_id"), "subject_id"),
        (("ocel:eid", "ocel:type:patient"), "ocel:type:patient"),
        (("KEY", "VisitLink"), "VisitLink"),
        (("worker", "client_id"), "client_id"),
    ],
)
def test_who_it_is_about_and_who_wrote_it(names, person, tmp_path):
    def row(rng, p):
        other = rng.randint(1, 2) if names[0] == "worker" else rng.randint(10**6, 10**7)
        return [other, f"P{p:03}", stamp(D0 + rng.randint(0, 10**6) * MINUTE), rng.choice(["a", "b", "c", "d"])]

    found = found_in(tmp_path, results([*names, "time", "event"], row, each=6))
    assert found.roles["person"] == person and found.command, found


def test_a_ward_is_a_state_and_a_unit_of_measurement_is_none(tmp_path):
    def row(rng, p):
        ward = rng.choice(["ED", "ICU", "Ward 5"])
        return [f"P{p}", stamp(D0 + rng.randint(0, 10**5) * MINUTE), ward, rng.randint(1, 30)]

    found = found_in(tmp_path, results(["patient_id", "in_time", "unit", "bed_no"], row, each=5))
    assert found.roles["state"] == "unit"


def test_rows_of_many_widths_below_a_line_of_names_are_a_table(tmp_path):
    ends = ["", ",", ",ok", ",ok,extra,more"]
    lines = ["patient_id,time,event,comment"]
    lines += [f"P{i % 40},{stamp(D0 + 37 * i * MINUTE)},{'abcd'[i // 40 % 4]}{ends[i % 7 % 4]}" for i in range(320)]
    (tmp_path / "ragged.csv").write_text("\n".join(lines))
    found = sq.inspect(tmp_path / "ragged.csv")
    assert found.kind == "events" and found.roles["person"] == "patient_id"
    assert any("of another width, left out" in line for line in found.lines)


def test_signals_between_apostrophes_have_a_row_of_units(tmp_path):
    rng = random.Random(5)
    for p in range(9):
        lines = ["'Elapsed time','MLII','V5'", "'hh:mm:ss.mmm','mV','mV'"]
        lines += [f"'0:{i / 360:06.3f}',{rng.gauss(0, 1):.3f},{rng.gauss(0, 1):.3f}" for i in range(900)]
        (tmp_path / "ecg").mkdir(exist_ok=True)
        (tmp_path / "ecg" / f"{100 + p}.csv").write_text("\n".join(lines) + "\n")
    found = sq.inspect(tmp_path / "ecg")
    assert found.kind == "symbols" and found.roles["value"] == "'MLII'" and "units-row" in found.roles and found.command


def test_a_table_of_patients_sorted_by_its_follow_up_is_no_signal(tmp_path):
    rng = random.Random(6)
    head = ["age", "anaemia", "diabetes", "smoking", "sodium", "platelets", "time", "DEATH_EVENT"]
    rows = [
        [rng.randint(40, 95), *(rng.randint(0, 1) for _ in range(3)), rng.randint(113, 148), 900 * i, 4 + i, i % 2]
        for i in range(299)
    ]
    found = found_in(tmp_path, [head, *rows])
    assert found.kind is None and "nobody's rows" in found.why


def test_a_date_that_never_changes_is_no_time(tmp_path):
    def row(rng, p):
        return [f"P{p}", rng.choice(["visit", "call", "test"]), "2020-06-25 16:02:06"]

    found = found_in(tmp_path, results(["patient_id", "event", "last_update"], row, each=6))
    assert "time" not in found.roles and found.roles["time-unit"] == "order"


def test_texts_that_a_folder_would_leave_out_are_named(tmp_path):
    rng = random.Random(7)
    (tmp_path / "vault").mkdir()
    for i in range(20):
        (tmp_path / "vault" / f"note {i}.md").write_text(f"# Visit\n\n{sentence(rng)}\n")
    found = sq.inspect(tmp_path / "vault")
    assert found.kind == "text" and not found.command
    assert found.in_the_way == "20 files called *.md would be left out: rename them to *.txt"


def test_names_that_differ_by_the_device_are_said(tmp_path):
    rng = random.Random(8)
    for p in range(5):
        rows = [[f"S{p}_Time", f"S{p}_Acc_X", f"S{p}_Acc_Y"]]
        rows += [[i, rng.gauss(0, 1), rng.gauss(0, 1)] for i in range(200)]
        table(tmp_path / "shimmer" / f"session {p}.csv", rows)
    found = sq.inspect(tmp_path / "shimmer")
    assert found.kind is None and "give the columns the same names in every file" in found.why


def test_one_row_is_said_to_be_one(tmp_path):
    found = found_in(tmp_path, [["patient_id", "time", "event"], ["P1", "2022-05-02 10:00", "admitted"]])
    assert found.kind is None and found.why == "It has only one row, and a sequence needs several."


def test_the_numbers_of_rows_are_never_what_was_measured(tmp_path):
    """R and pandas write them in a column without a name; they were published as activity, every interval vigorous."""
    rng = random.Random(9)
    rows = [["", "subject", "timestamp", "steps"]]
    for p in range(10):
        rows += [[0, f"s{p}", stamp(D0 + m * MINUTE), rng.choice([0, 0, 0, 40, 90])] for m in range(0, 2880, 5)]
    found = found_in(tmp_path, [rows[0], *([i, *row[1:]] for i, row in enumerate(rows[1:], 1))])
    assert found.roles["value"] == "steps" and "column 1" not in str(found) and found.command


def test_people_recorded_in_different_months_keep_their_own_days(tmp_path):
    """The proposal was refused, Monday lay after each recording, and the first partial day was thrown away."""
    rng = random.Random(10)
    rows = [["person", "time", "counts"]]
    for p in range(24):
        begin = D0 + dt.timedelta(days=9 * p, hours=rng.randint(8, 18))
        rows += [[f"p{p}", stamp(begin + m * MINUTE), rng.choice([0, 0, 30, 500, 3000])] for m in range(0, 2880, 5)]
    found = found_in(tmp_path, rows)
    assert found.command and found.roles["align"] == "start" and found.roles["days"] in ("1", "2")
    said = next(line for line in found.lines if "the same dates for everybody would be observed for 1% " in line)
    assert "own days from the start on" in said and "(1 d)" in said and "(2 d)" in said
    options = {**found.options, "days": 2}
    shares = {align: sq.read_activities(tmp_path / "export.csv", **{**options, "align": align}).observed
              for align in ("start", "monday")}  # fmt: skip
    assert shares["start"] > 0.5 and shares["monday"] > 0


def test_intervals_shorter_than_the_step_are_named_as_the_cause(tmp_path):
    """`publish` then refuses what was observed too seldom, and calendars are not to blame."""
    rows = [[f"p{p}", stamp(D0 + m * MINUTE), m % 7] for p in range(8) for m in range(0, 1440, 5)]
    path = tmp_path / table(tmp_path / "steps.csv", [["person", "time", "counts"], *rows])
    roles = {"time": "time", "value": "counts", "bins": ("1", "4"), "names": ("a", "b", "c"), "time_format": "iso"}
    for interval, said in ((60, True), (300, False)):
        data = sq.read_activities(path, person="person", interval=interval, dates="2022-05-02..2022-05-02", **roles)
        line = "Most intervals hold no row: there is one every 5 minutes, and one state every minute was asked for"
        assert (line in figures(data)) == said


def test_what_a_device_says_about_itself_is_no_header(tmp_path):
    """`Binning mode:,Sum,Average` stood above times and counts without names."""
    for p in range(8):
        rng = random.Random(p)
        rows = [[stamp(D0 + i * MINUTE), rng.choice([0, 1, 26, 115]), rng.randint(50, 60)] for i in range(2 * 1440)]
        before = [
            "Start: 2022-05-02",
            "",
            "Serial number:,my,my",
            "Sample rate:,10,10",
            "Binning mode:,Sum,Average",
            "",
        ]
        table(tmp_path / "logger" / f"D{p:02}.csv", rows, before=before)
    found = sq.inspect(tmp_path / "logger")
    assert (found.kind, found.roles["time"], found.roles["skip-lines"]) == ("activity", "1", "6"), found
    assert "no-header" in found.roles and found.command


def test_how_far_something_is_is_not_what_happened(tmp_path):
    rows = results(["patient", "registration_type", "step_taken", "time"], lambda rng, p: [
        p, rng.choice(["start", "complete"]), rng.choice(["Triage", "X-Ray", "Check-out"]),
        stamp(D0 + rng.randint(0, 10**5) * MINUTE)])  # fmt: skip
    assert found_in(tmp_path, rows).roles["state"] == "step_taken"


@pytest.mark.parametrize(("shared", "kind"), [(True, "events"), (False, None)])
def test_numbers_of_things_that_people_share_happened_to_them(shared, kind, tmp_path):
    """Products are bought by many; a claim is one person's."""

    def row(rng, p):
        day = D0 + rng.randint(0, 900) * 1440 * MINUTE
        product = 10**9 + (rng.randint(1, 20) if shared else 100 * p + rng.randint(1, 5))
        return [f"X{p:03}", rng.randint(10**11, 10**12), stamp(day, "%Y%m%d"), product, rng.choice([30, 60])]

    found = found_in(tmp_path, results(["DESYNPUF_ID", "PDE_ID", "SRVC_DT", "PROD_SRVC_ID", "DAYS_SUPLY"], row))
    assert found.kind == kind and found.roles.get("state") == ("PROD_SRVC_ID" if shared else None), found


def test_stages_of_nights_in_a_large_file_are_symbols(tmp_path):
    rows = [["Id", "LogId", "Time", "Level"]]
    for p in range(20):
        rng = random.Random(p)
        for night in range(6):
            stage, begin = "wake", D0 + night * 1440 * MINUTE + 1380 * MINUTE
            for i in range(700):
                stage = rng.choice(["wake", "light", "deep"]) if rng.random() < 0.03 else stage
                rows.append([5000 + 977 * p, 26 * 10**9 + 10 * p + night, stamp(begin + i * MINUTE / 2), stage])
    found = found_in(tmp_path, rows)
    assert (found.kind, found.roles["value"]) == ("symbols", "Level") and found.command, found


@pytest.mark.parametrize(
    ("encoding", "names", "cells"),
    [
        ("cp1250", ("id_pacjenta", "data_przyjęcia", "oddział"), ("Położnictwo", "Chirurgia")),
        ("cp1251", ("пациент", "дата", "отделение"), ("Хирургия", "Терапия")),
        ("shift_jis", ("患者番号", "実施年月日", "診療名称データ"), ("初診料", "点滴注射")),
    ],
)
def test_letters_of_other_countries_are_read(encoding, names, cells, tmp_path):
    rows = results(names, lambda rng, p: [
        40210 + 19 * p, stamp(D0 + rng.randint(0, 900) * 1440 * MINUTE, "%d.%m.%Y"), rng.choice(cells)])  # fmt: skip
    found = found_in(tmp_path, rows, encoding=encoding, by=";")
    assert found.roles["encoding"] == encoding and found.roles["state"] == names[2], found


def test_a_county_is_nobody_and_a_birth_is_no_time_since_a_start(tmp_path):
    rng = random.Random(5)
    rows = [["BENE_ID", "BENE_BIRTH_DT", "BENE_COUNTY_CD", "SP_STATE_CODE", "SP_CHF", "MEDREIMB"]]
    for p in range(300):
        born = f"19{rng.randint(20, 60)}0{rng.randint(1, 9)}01"
        rows.append([f"A{p:05}", born, 10 * rng.randint(1, 99), rng.randint(1, 54), rng.randint(1, 2), 10 * p])
    found = found_in(tmp_path, rows)
    assert found.kind is None and "A table of patients" in found.why, found


@pytest.mark.parametrize(("others", "person"), [(("recnum", "pnr"), "pnr"), (("MCARE_SUBJ_CD", "RN_INDI"), "RN_INDI")])
def test_numbers_of_registers_that_mean_a_person(others, person, tmp_path):
    rows = results([*others, "KEY", "start_dt", "diag"], lambda rng, p: [
        rng.randint(1, 4) if "SUBJ" in others[0] else rng.randint(10**5, 10**6), 10**6 + 41 * p,
        12 * 10**11 + rng.randint(0, 10**9), stamp(D0 + rng.randint(0, 900) * 1440 * MINUTE, "%Y-%m-%d"),
        rng.choice(["I10", "J18", "S72"])], each=5)  # fmt: skip
    found = found_in(tmp_path, rows)
    assert (found.roles["person"], found.roles["time"]) == (person, "start_dt") and found.command, found


@pytest.mark.parametrize(("quoted", "kind"), [("", "activity"), ('"', None)])
def test_lines_of_numbers_are_no_words(quoted, kind, tmp_path):
    """Date, clock and count set apart by blanks were taken for nine letters."""
    for p in range(9):
        rng, begin = random.Random(p), D0 + p * 1440 * MINUTE
        times = (begin + i * MINUTE for i in range(3 * 1440))
        lines = [f"{quoted}{stamp(t)}{quoted} {rng.randint(0, 300)}" for t in times]
        (tmp_path / f"n{p}.txt").write_text("\n".join(lines) + "\n")
    found = sq.inspect(tmp_path)
    assert (found.kind, bool(found.command)) == (kind, not quoted), found


def test_a_year_of_months_in_words_is_a_sequence(tmp_path):
    rows = results(["person", *(f"{m}00" for m in MONTHS)], lambda rng, p: [
        f"P{p:03}", *(rng.choice(["full time", "part time", "at home"]) for _ in MONTHS)], each=1)  # fmt: skip
    assert found_in(tmp_path, rows).kind == "activity"


@pytest.mark.parametrize("gap", ["", "," * 6])
def test_tables_that_a_spreadsheet_saved_in_one_file(gap, tmp_path):
    """Every line was as wide as the widest, so that a table of nights gave the names."""
    nights = [f"RUST,{i},0{i}/06/2021,21:16:45,06:24:30,547.75," for i in range(1, 8)]
    before = ["Actiware-exportbestand,,,,,,", "Identiteit:,123456,,,,,", gap or ",,,,,,",
              "Intervaltype,Intervalnr.,Begindatum,Begintijd,Eindtijd,Duur,", *nights, ",,,,,,",
              "Lijn:,Regelnummer,,,,,", "Lijn,Datum,Tijd,Activiteit,Markering,Intervalstatus,"]  # fmt: skip
    before += [gap] * bool(gap)
    for p in range(9):
        rng, begin = random.Random(p), dt.datetime(2021, 6, 1 + p, 17)
        rows = [[i + 1, f"{begin + i * MINUTE:%d/%m/%Y}", f"{begin + i * MINUTE:%H:%M:%S}", rng.randint(0, 300), 0,
                 rng.choice(["RUST", "ACTIEF"]), ""] for i in range(2 * 1440)]  # fmt: skip
        table(tmp_path / "watch" / f"p{p}.csv", rows, before=before)
    found = sq.inspect(tmp_path / "watch")
    assert (found.kind, found.roles["value"], found.roles["time"]) == ("activity", "Activiteit", "Datum"), found
    assert found.command


def test_the_number_of_a_night_is_never_what_was_measured(tmp_path):
    rows = [["ID", "night", "wakeup", "calendar_date"]]
    for p in range(30):
        rng = random.Random(p)
        dates = [stamp(D0 + n * 1440 * MINUTE, "%d/%m/%Y") for n in range(6)]
        rows += [[p, n + 1, f"{rng.uniform(6, 9):.4f}", d] for n, d in enumerate(dates)]
    found = found_in(tmp_path, rows)
    assert (found.kind, found.roles["value"]) == ("activity", "wakeup"), found


def test_minutes_of_an_hour_in_columns_of_few_values_are_not_read_alone(tmp_path):
    """`Intensity00` was published as the activity of an hour."""
    rows = [["Id", "ActivityHour", *(f"Intensity{m:02}" for m in range(60))]]
    for p in range(12):
        rng = random.Random(p)
        hours = [stamp(D0 + h * 60 * MINUTE) for h in range(96)]
        rows += [[1503 + p, h, *(rng.randint(0, 9) for _ in range(60))] for h in hours]
    found = found_in(tmp_path, rows)
    assert not found.command and found.in_the_way == "one column of a row would be read alone"


@pytest.mark.parametrize(
    ("times", "kept", "kind"), [(12, 1.0, "series"), (12, 0.9, "series"), (12, 0.5, None), (80, 1.0, "symbols")]
)
def test_a_long_table_is_a_series_where_people_share_its_times(times, kept, kind, tmp_path):
    """A row per person and week is the commonest shape of a cohort, and was no kind at all."""
    rng = random.Random(4)
    rows = [[f"p{p:02d}", week, "mf"[p % 2], f"{rng.gauss(50, 9):.1f}"]
            for p in range(40) for week in range(1, times + 1) if rng.random() < kept]  # fmt: skip
    found = found_in(tmp_path, [["person", "week", "sex", "weight"], *rows])
    assert found.kind == kind
    if kind == "series":
        assert {"person": "person", "time": "week", "value": "weight"}.items() <= found.roles.items()
        assert ("missing" in found.roles) == (kept < 1) and "‹sensitive='sex'›" in " ".join(found.choose)
