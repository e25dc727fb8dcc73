# ruff: noqa: E501
"""Sources as devices and hospitals export them, with what they are: for `experiments.front_door` and the tests.

Every function writes one source into a folder and returns its name; `TRUTHS` says what `inspect` should find: kinds that
are right, people (or that it must ask), columns of roles, columns that must play none, and whether a command is wanted.
All names and numbers are made up; the shapes follow documented exports.
"""

import datetime as dt
import json
import random

from experiments.front_door_writing import D0, MINUTE, days, moved, sugar, table, truth

# glucose


def clarity(to):
    head = ["Index", "Timestamp (YYYY-MM-DDThh:mm:ss)", "Event Type", "Event Subtype", "Patient Info", "Device Info",
            "Source Device ID", "Glucose Value (mg/dL)", "Insulin Value (u)", "Carb Value (grams)",
            "Duration (hh:mm:ss)", "Glucose Rate of Change (mg/dL/min)", "Transmitter Time (Long Integer)"]  # fmt: skip
    for p in range(14):
        rng = random.Random(p)
        rows = [head, [1, "", "FirstName", "", f"Anna{p}"] + [""] * 8, [2, "", "LastName", "", f"Muster{p}"] + [""] * 8,
                [3, "", "Device", "", "", "G6 Mobile", "iPhone"] + [""] * 6]  # fmt: skip
        t, level = days(p, rng), rng.randint(100, 180)
        for i in range(5 * 288):
            g = sugar(rng, 5 * i, level)
            at = (t + 5 * i * MINUTE + dt.timedelta(seconds=rng.randint(-8, 8))).strftime("%Y-%m-%dT%H:%M:%S")
            value = "High" if g > 375 else g
            rows.append([i + 4, at, "EGV", "", "", "", "iPhone", value, "", "", "", "", 7000000 + 300 * i])
        table(to / "clarity" / f"CLARITY_Export_{p:03d}.csv", rows)
    return "clarity"


def clarity_one(to):
    clarity(to)
    (to / "clarity" / "CLARITY_Export_000.csv").rename(to / "mine.csv")
    return "mine.csv"


def libre_mmol(to):
    head = ["Gerät", "Seriennummer", "Gerätezeitstempel", "Aufzeichnungstyp", "Glukosewert-Verlauf mmol/L",
            "Glukose-Scan mmol/L", "Notizen"]  # fmt: skip
    for p in range(12):
        rng = random.Random(p)
        t, rows = days(p, rng), [head]
        for i in range(4 * 96):
            g = f"{sugar(rng, 15 * i, 150) / 18:.1f}".replace(".", ",")
            rows.append(
                ["FreeStyle LibreLink", f"S{p}-11", (t + 15 * i * MINUTE).strftime("%d-%m-%Y %H:%M"), 0, g, "", ""]
            )
        table(
            to / "libre" / f"export{p}.csv",
            rows,
            before=["Glukose-Werte,Erstellt am,03-06-2022 10:00 UTC,Erstellt von,X"],
        )
    return "libre"


def cgm_r(to):
    rows = [["", "id", "time", "gl"]]
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        for i in range(3 * 288):
            at = (t + 5 * i * MINUTE).strftime("%Y-%m-%d %H:%M:%S")
            rows.append([len(rows), f"Subject {p + 1}", at, sugar(rng, 5 * i, 140)])
    return table(to / "example.csv", rows)


def nightscout(to):
    out = []
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        out += [json.dumps({"patient": f"ns{p}", "date": int((t + 5 * i * MINUTE).timestamp() * 1000), "sgv": sugar(
            rng, 5 * i, 150), "direction": rng.choice(["Flat", "FortyFiveUp"]), "type": "sgv"}) for i in range(600)]  # fmt: skip
    (to / "entries.jsonl").write_text("\n".join(out) + "\n")
    return "entries.jsonl"


# actigraphs


def actilife(to):
    for p in range(12):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=rng.randint(0, 60), hours=9)
        rows = [["Date", " Time", " Axis1", "Axis2", "Axis3", "Steps", "Inclinometer Off", "Vector Magnitude"]]
        for i in range(4 * 1440):
            now = t + i * MINUTE
            a = moved(rng, now.hour)
            rows.append(
                [now.strftime("%m/%d/%Y"), now.strftime("%H:%M:%S"), a, a // 2, a // 3, a // 90, 0, f"{a * 1.2:.2f}"]
            )
        block = ["------------ Data File Created By ActiGraph GT3X+ ActiLife v6.13.4 Firmware v3.2.1 date format M/d/yyyy -----------",
                 f"Serial Number: NEO1{p:05d}", "Start Time 09:00:00", f"Start Date {t:%m/%d/%Y}",
                 "Epoch Period (hh:mm:ss) 00:01:00", "Download Time 12:00:00", "Download Date 8/1/2022",
                 "Current Memory Address: 0", "Current Battery Voltage: 4.1     Mode = 12",
                 "--------------------------------------------------"]  # fmt: skip
        table(to / "actilife" / f"NEO1{p:05d} (2022-05-02)60sec.csv", rows, before=block, end="\r\n")
    return "actilife"


def actilife_no_times(to):
    for p in range(10):
        rng = random.Random(p)
        rows = [[moved(rng, i // 60 % 24), moved(rng, 12) // 2, moved(rng, 12) // 3] for i in range(2880)]
        block = ["------------ Data File Created By ActiGraph GT3X+ ActiLife -----------", "Serial Number: X",
                 "Start Time 00:00:00", "Start Date 5/2/2022", "Epoch Period (hh:mm:ss) 00:01:00",
                 "Download Time 12:00:00", "Download Date 8/1/2022", "Current Memory Address: 0",
                 "Current Battery Voltage: 4.1     Mode = 12", "-----------"]  # fmt: skip
        table(to / "counts" / f"s{p:02d}.csv", rows, before=block)
    return "counts"


def actiwatch(to):
    for p in range(10):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=rng.randint(0, 200), hours=14)
        rows = [["Line", "Date", "Time", "Off-Wrist Status", "Activity", "Marker", "White Light", "Sleep/Wake"]]
        for i in range(3 * 1440):
            now = t + i * MINUTE
            a = moved(rng, now.hour)
            rows.append([i + 1, now.strftime("%d.%m.%Y"), now.strftime("%H:%M:%S"), 0, a, 0, f"{rng.random() * 90:.2f}".replace(".", ","),
                         int(a > 20)])  # fmt: skip
        block = [
            '"Actiware Export File:"',
            f'"Identity:";"P{p}"',
            '"Initials:";"AB"',
            '"Epoch Length:";"60"',
            "",
            '"Epoch-by-Epoch Data"',
            "",
        ]
        table(to / "actiwatch" / f"P{p:02d}_New_Analysis.csv", rows, by=";", before=block, encoding="latin-1")
    return "actiwatch"


def geneactiv(to):
    for p in range(9):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=7 * p)
        rows = []
        for i in range(2 * 1440):
            now = t + i * MINUTE
            rows.append([now.strftime("%Y-%m-%d %H:%M:%S:000"), f"{rng.gauss(0, .5):.4f}", f"{rng.gauss(0, .5):.4f}",
                         f"{rng.gauss(0, .5):.4f}", rng.randint(0, 300), 0, "27.5", f"{moved(rng, now.hour) / 10:.2f}"])  # fmt: skip
        block = [f"Device Type,GENEActiv {k}" for k in range(99)]
        table(to / "gene" / f"left wrist_0{p}.csv", rows, before=[*block, ""])
    return "gene"


def axivity(to):
    rows_of = {}
    for p in range(8):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=p)
        rows_of[p] = [["time", "acc", "sleep", "sedentary"]] + [
            [(t + dt.timedelta(seconds=30 * i)).strftime("%Y-%m-%d %H:%M:%S.000000+0100 [Europe/London]"),
             f"{moved(rng, i // 120 % 24) / 9:.2f}", int(i % 3 == 0), int(i % 3 > 0)] for i in range(2 * 2880)]  # fmt: skip
        table(to / "biobank" / f"sample{p}-timeSeries.csv", rows_of[p])
    return "biobank"


def depresjon(to):
    scores = [["number", "days", "gender", "age", "madrs"]]
    for group in ("condition", "control"):
        for p in range(1, 13):
            rng = random.Random(p)
            t = D0 + dt.timedelta(days=rng.randint(0, 300), hours=12)
            rows = [["timestamp", "date", "activity"]]
            for i in range(3 * 1440):
                now = t + i * MINUTE
                rows.append([now.strftime("%Y-%m-%d %H:%M:%S"), now.strftime("%Y-%m-%d"), moved(rng, now.hour)])
            table(to / "data" / group / f"{group}_{p}.csv", rows)
            scores.append([f"{group}_{p}", 3, rng.choice("12"), "35-39", rng.randint(10, 30)])
    table(to / "data" / "scores.csv", scores)
    return "data"


def fitbit_minutes(to):
    rows = [["Id", "ActivityMinute", "Steps"]]
    for p in range(15):
        rng = random.Random(p)
        for i in range(2 * 1440):
            now = D0 + i * MINUTE
            rows.append([1503960366 + 7919 * p, now.strftime("%-m/%-d/%Y %-I:%M:%S %p"), moved(rng, now.hour) // 20])
    return table(to / "minuteStepsNarrow_merged.csv", rows)


def fitbit_wide(to):
    rows = [["Id", "ActivityHour", *[f"Steps{m:02d}" for m in range(60)]]]
    for p in range(10):
        rng = random.Random(p)
        for h in range(72):
            now = D0 + dt.timedelta(hours=h)
            rows.append(
                [
                    1503960366 + 7919 * p,
                    now.strftime("%-m/%-d/%Y %-I:%M:%S %p"),
                    *[moved(rng, now.hour) // 20 for _ in range(60)],
                ]
            )
    return table(to / "minuteStepsWide_merged.csv", rows)


def heart_seconds(to):
    rows = [["Id", "Time", "Value"]]
    for p in range(9):
        rng = random.Random(p)
        for i in range(17280):
            rows.append(
                [
                    2022484408 + p,
                    (D0 + dt.timedelta(seconds=5 * i)).strftime("%m/%d/%Y %I:%M:%S %p"),
                    round(75 + 20 * rng.random()),
                ]
            )
    return table(to / "heartrate_seconds_merged.csv", rows)


def nhanes(to):
    rows = [["SEQN", "PAXDAY", "PAXN", "PAXHOUR", "PAXMINUT", "PAXINTEN"]]
    for p in range(10):
        rng = random.Random(p)
        rows += [
            [21005 + p, 1 + i // 1440, i + 1, i // 60 % 24, i % 60, moved(rng, i // 60 % 24)] for i in range(3 * 1440)
        ]
    return table(to / "paxraw.csv", rows)


def time_use(to):
    rows = [["Participant", "Start", "End", "Activity"]]
    for p in range(20):
        rng, t = random.Random(p), D0
        while t < D0 + dt.timedelta(days=2):
            e = t + rng.randint(10, 240) * MINUTE
            rows.append(
                [
                    f"TU{p:03d}",
                    t.strftime("%d/%m/%Y %H:%M"),
                    e.strftime("%d/%m/%Y %H:%M"),
                    rng.choice(["sleep", "work", "travel", "home"]),
                ]
            )
            t = e
    return table(to / "diary.csv", rows)


def sequences_wide(to):
    names = [f"{h:02d}:{m:02d}" for h in range(24) for m in (0, 30)]
    rows = [["caseid", "sex", *names]]
    for p in range(40):
        rng = random.Random(p)
        rows.append([100 + p, rng.choice("mf"), *[rng.choice(["sleep", "work", "care", "leisure"]) for _ in names]])
    return table(to / "timeuse.csv", rows)


# events


def synthea(to):
    rows = [
        [
            "Id",
            "START",
            "STOP",
            "PATIENT",
            "ORGANIZATION",
            "PROVIDER",
            "PAYER",
            "ENCOUNTERCLASS",
            "CODE",
            "DESCRIPTION",
            "BASE_ENCOUNTER_COST",
        ]
    ]
    for p in range(60):
        rng = random.Random(p)
        who = f"{rng.getrandbits(32):08x}-1111-4abc-8def-{rng.getrandbits(48):012x}"
        for _ in range(rng.randint(3, 12)):
            t = dt.datetime(1970 + rng.randint(0, 50), rng.randint(1, 12), rng.randint(1, 28), 8, 30)
            kind = rng.choice(["wellness", "ambulatory", "emergency", "inpatient"])
            rows.append([f"{rng.getrandbits(32):08x}-2222-4abc-8def-{rng.getrandbits(48):012x}", t.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         (t + 15 * MINUTE).strftime("%Y-%m-%dT%H:%M:%SZ"), who, f"{rng.randint(1, 30):08x}-3333-4abc-8def-000000000000",
                         f"{rng.randint(1, 30):08x}-4444-4abc-8def-000000000000", "b1c428d6-4f07-31e0-90f0-68ffa6ff8c76", kind,
                         {"wellness": 162673000, "ambulatory": 185345009, "emergency": 50849002, "inpatient": 183495009}[kind],
                         f"Encounter for {kind}", "129.16"])  # fmt: skip
    return table(to / "encounters.csv", rows)


def synthea_folder(to):
    synthea(to)
    (to / "csv").mkdir()
    (to / "encounters.csv").rename(to / "csv" / "encounters.csv")
    table(
        to / "csv" / "patients.csv",
        [
            ["Id", "BIRTHDATE", "FIRST", "LAST", "GENDER"],
            *[[f"id{i}", "1970-01-01", f"A{i}", f"B{i}", "F"] for i in range(60)],
        ],
    )
    table(to / "csv" / "payers.csv", [["Id", "NAME", "AMOUNT"], *[[i, f"Payer {i}", 100.5 + i] for i in range(9)]])
    table(to / "csv" / "conditions.csv", [["START", "STOP", "PATIENT", "ENCOUNTER", "CODE", "DESCRIPTION"],
          *[[f"20{10 + i % 9}-03-0{1 + i % 9}", "", f"p{i % 50}", f"e{i}", 1000 + i % 9, f"Finding {i % 9}"] for i in range(300)]])  # fmt: skip
    return "csv"


def mimic_transfers(to):
    rows = [
        [
            "row_id",
            "subject_id",
            "hadm_id",
            "icustay_id",
            "dbsource",
            "eventtype",
            "curr_careunit",
            "intime",
            "outtime",
            "los",
        ]
    ]
    for p in range(50):
        rng = random.Random(p)
        t = dt.datetime(2100 + p, 3, 1, 10)
        for _ in range(rng.randint(2, 7)):
            e = t + dt.timedelta(hours=rng.randint(2, 90))
            rows.append([len(rows), 10000 + p, 142000 + 3 * p, "", "metavision", rng.choice(["admit", "transfer", "discharge"]), rng.choice(
                ["MICU", "SICU", "CCU", "WARD"]), t.strftime("%Y-%m-%d %H:%M:%S"), e.strftime("%Y-%m-%d %H:%M:%S"), 3.2])  # fmt: skip
            t = e
    return table(to / "TRANSFERS.csv", rows)


def chart_events(to):
    rows = [["subject_id", "hadm_id", "stay_id", "charttime", "itemid", "valuenum", "valueuom", "warning"]]
    for p in range(40):
        rng = random.Random(p)
        for i in range(60):
            t = dt.datetime(2150, 1, 1) + dt.timedelta(hours=i, minutes=rng.randint(0, 50))
            rows.append([10000 + p, 200000 + p, 300000 + p, t.strftime("%Y-%m-%d %H:%M:%S"), rng.choice([220045, 220210, 223761, 220277]),
                         round(rng.uniform(20, 120), 1), rng.choice(["bpm", "°F", "%"]), 0])  # fmt: skip
    return table(to / "chartevents.csv", rows)


def challenge(to):
    for p in range(20):
        rng = random.Random(p)
        rows = [
            ["Time", "Parameter", "Value"],
            ["00:00", "RecordID", 132539 + p],
            ["00:00", "Age", rng.randint(20, 90)],
        ]
        for m in range(0, 2880, 37):
            rows.append(
                [
                    f"{m // 60:02d}:{m % 60:02d}",
                    rng.choice(["HR", "SysABP", "Temp", "Urine", "GCS"]),
                    round(rng.uniform(1, 140), 1),
                ]
            )
        table(to / "set-a" / f"{132539 + p}.txt", rows)
    return "set-a"


def claims(to):
    rows = [
        ["DESYNPUF_ID", "CLM_ID", "SEGMENT", "CLM_FROM_DT", "CLM_THRU_DT", "PRVDR_NUM", "CLM_PMT_AMT", "ICD9_DGNS_CD_1"]
    ]
    for p in range(80):
        rng = random.Random(p)
        for _ in range(rng.randint(2, 6)):
            d = dt.date(2008, 1, 1) + dt.timedelta(days=rng.randint(0, 900))
            rows.append([f"{rng.getrandbits(64):016X}"[:0] + f"{p:04d}0013D2EFD8E45", 196661176900000 + len(rows), 1, d.strftime("%Y%m%d"),
                         d.strftime("%Y%m%d"), f"2600{rng.randint(1, 9)}", 400, rng.choice(["4019", "25000", "41401", "V5789", "486"])])  # fmt: skip
    return table(to / "claims.csv", rows)


def process_log(to):
    rows = [["case:concept:name", "concept:name", "lifecycle:transition", "org:resource", "time:timestamp"]]
    for p in range(70):
        rng, t = random.Random(p), D0 + dt.timedelta(days=p)
        for a in [
            "ER Registration",
            *rng.choices(["CRP", "Leucocytes", "IV Liquid", "Admission NC"], k=rng.randint(2, 9)),
            "Release A",
        ]:
            t += dt.timedelta(minutes=rng.randint(1, 900))
            rows.append([f"C{p}", a, "complete", f"R{rng.randint(1, 30)}", t.strftime("%Y-%m-%d %H:%M:%S+00:00")])
    return table(to / "sepsis.csv", rows)


def order_only(to):
    rows = [["mrn", "visit_no", "procedure"]]
    for p in range(60):
        rng = random.Random(p)
        rows += [[f"M{p:05d}", k + 1, rng.choice(["CT", "MRI", "blood", "biopsy"])] for k in range(rng.randint(3, 9))]
    return table(to / "procedures.csv", rows)


def epoch_events(to):
    rows = [["PatID", "ts", "event_type"]]
    for p in range(60):
        rng, t = random.Random(p), 1650000000
        for _ in range(rng.randint(4, 12)):
            t += rng.randint(100, 90000)
            rows.append([f"K{p:04d}", t, rng.choice(["alarm", "call", "dose", "meal"])])
    return table(to / "events.tsv", rows, by="\t")


def utf16_events(to):
    rows = [["Proband", "Datum", "Ereignis"]]
    for p in range(50):
        rng, t = random.Random(p), D0
        for _ in range(6):
            t += dt.timedelta(days=rng.randint(1, 30))
            rows.append([f"Pr{p}", t.strftime("%d.%m.%Y"), rng.choice(["Übelkeit", "Schwindel", "Kopfschmerz"])])
    return table(to / "ereignisse.txt", rows, by="\t", encoding="utf-16", end="\r\n")


# series


def long_names(to):
    rows = [["SubjectID", "Group", *[f"glucose_{m}min" for m in (0, 30, 60, 90, 120, 150)]]]
    for p in range(50):
        rng = random.Random(p)
        rows.append([f"OG{p:03d}", rng.choice(["IGT", "NGT"]), *[round(rng.gauss(120, 25)) for _ in range(6)]])
    return table(to / "ogtt.csv", rows)


def two_quantities(to):
    rows = [["patient", *[f"sbp_t{i}" for i in range(1, 7)], *[f"hr_t{i}" for i in range(1, 7)]]]
    for p in range(60):
        rng = random.Random(p)
        rows.append(
            [f"P{p:03d}", *[round(rng.gauss(130, 15)) for _ in range(6)], *[round(rng.gauss(75, 9)) for _ in range(6)]]
        )
    return table(to / "vitals.csv", rows)


def matrix(to):
    rng = random.Random(1)
    return table(to / "waves.csv", [[i % 4, *[f"{rng.gauss(0, 1):.4f}" for _ in range(96)]] for i in range(80)])


def comma_series(to):
    rows = [["Nr", "Patientennummer", *[f"Tag {d}" for d in range(1, 9)]]]
    for p in range(40):
        rng = random.Random(p)
        rows.append([p + 1, f"7{p:04d}", *[f"{rng.gauss(36.8, 0.4):.1f}".replace(".", ",") for _ in range(8)]])
    return table(to / "fieber.csv", rows, by=";", encoding="cp1252")


# text


def notes_csv(to):
    rows = [["ROW_ID", "SUBJECT_ID", "CHARTDATE", "CATEGORY", "TEXT"]]
    words = [
        "The",
        "patient",
        "was",
        "seen",
        "on",
        "the",
        "ward",
        "today.",
        "Pain",
        "is",
        "controlled.",
        "No",
        "fever.",
        "Plan:",
        "continue",
        "antibiotics",
        "and",
        "review",
    ]
    for p in range(40):
        rng = random.Random(p)
        rows += [
            [
                len(rows),
                1000 + p,
                "2150-01-02",
                "Nursing",
                " ".join(rng.sample(words, 15)) + f" note {k}.\nSecond line, with a comma.",
            ]
            for k in range(2)
        ]
    return table(to / "NOTEEVENTS.csv", rows)


def letters(to):
    rng = random.Random(1)
    for p in range(30):
        at = to / "letters" / f"{p:03d}.txt"
        at.parent.mkdir(exist_ok=True)
        at.write_text("Sehr geehrte Kollegin,\n\nwir berichten über die Patientin. " + " ".join(
            rng.choices(["Befund", "unauffällig,", "Röntgen", "ohne", "Therapie", "weiter."], k=60)) + "\nMit freundlichen Grüßen\n", "latin-1")  # fmt: skip
    return "letters"


def notes_headerless(to):
    rng = random.Random(1)
    return table(to / "notes.csv", [[f"d{i}", f"Frau Beispiel{i} came with pain in the chest and was sent home after " + " ".join(
        rng.choices(["rest", "tea", "a scan", "blood tests"], k=8)) + " on the same day."] for i in range(40)])  # fmt: skip


# signals


def eeg_sets(to):
    for group in "ABCDE":
        for k in range(20):
            rng, x, lines = random.Random(f"{group}{k}"), 0.0, []
            for _ in range(900):
                x = 0.9 * x + rng.gauss(0, 20)
                lines.append(str(round(x)))
            at = to / "eeg" / group / f"{group}{k + 1:03d}.txt"
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text("\n".join(lines) + "\n")
    return "eeg"


def ecg_columns(to):
    for p in range(12):
        rng = random.Random(p)
        table(
            to / "holter" / f"rec{p:02d}.csv",
            [
                ["sample", "MLII", "V5"],
                *[[i, f"{rng.gauss(0, 0.3):.3f}", f"{rng.gauss(0, 0.3):.3f}"] for i in range(1500)],
            ],
        )
    return "holter"


# none of the five


def cohort_table(to):
    rows = [["patient_id", "age", "sex", "bmi", "sbp", "hba1c", "ldl", "smoker", "stroke"]]
    for p in range(300):
        rng = random.Random(p)
        rows.append([5000 + p, rng.randint(30, 90), rng.choice("MF"), round(rng.gauss(27, 4), 1), rng.randint(100, 180),
                     round(rng.gauss(6, 1), 1), rng.randint(60, 200), rng.randint(0, 1), rng.randint(0, 1)])  # fmt: skip
    return table(to / "cohort.csv", rows)


def survey(to):
    rows = [["RespondentID", *[f"Q{i}" for i in range(1, 25)]]]
    rows += [[9000 + p, *[random.Random(p * 99 + i).randint(1, 5) for i in range(24)]] for p in range(200)]
    return table(to / "survey.csv", rows)


def covid_long(to):
    rows = [["date", "location", "new_cases", "new_deaths", "total_tests"]]
    rows += [
        [(D0 + dt.timedelta(days=d)).strftime("%Y-%m-%d"), c, d * 7 % 300, d % 9, d * 1000]
        for c in ("Austria", "Italy", "Spain")
        for d in range(200)
    ]
    return table(to / "owid.csv", rows)


def covid_wide(to):
    rows = [
        ["Province/State", "Country/Region", "Lat", "Long", *[f"{1 + d // 28}/{1 + d % 28}/20" for d in range(100)]]
    ]
    rows += [["", f"Country {c}", c, -c, *[c * d for d in range(100)]] for c in range(1, 60)]
    return table(to / "confirmed_global.csv", rows)


def results(to):
    rows = [["model", "fold", "accuracy", "auc", "f1"]]
    rows += [[f"model{m}", f, 0.7 + 0.01 * m, 0.8, 0.6 + 0.02 * f] for m in range(12) for f in range(5)]
    return table(to / "scores.csv", rows)


def wisconsin(to):
    rng = random.Random(3)
    rows = [["id", "diagnosis", "radius_mean", "texture_mean", "perimeter_mean", "area_mean", "smoothness_mean"]]
    rows += [
        [
            842302 + 97 * i,
            rng.choice("MB"),
            rng.gauss(14, 3),
            rng.gauss(19, 4),
            rng.gauss(92, 20),
            rng.gauss(650, 300),
            rng.random() / 5,
        ]
        for i in range(200)
    ]
    return table(to / "wdbc.csv", rows)


def lookups(to):
    rows = [["concept_id", "concept_name", "domain_id", "vocabulary_id"]]
    rows += [[4000 + i, f"Concept number {i}", "Drug", "RxNorm"] for i in range(300)]
    return table(to / "concept_list.csv", rows)


TRUTHS = {
    clarity: truth("activity", "file", time="Timestamp (YYYY-MM-DDThh:mm:ss)", value="Glucose Value (mg/dL)"),
    clarity_one: truth("activity", "", run=False, value="Glucose Value (mg/dL)"),
    libre_mmol: truth("activity", "file", time="Gerätezeitstempel", value="Glukosewert-Verlauf mmol/L"),
    cgm_r: truth("activity", "id", time="time", value="gl", never=("column 1",)),
    nightscout: truth("activity", "patient", time="date", value="sgv"),
    actilife: truth("activity", "file", time="Date", value="Axis1|Vector Magnitude"),
    actilife_no_times: truth("activity", "file", ask=True, time="header", value="1"),
    actiwatch: truth("activity", "file", time="Date", value="Activity", never=("Line",)),
    geneactiv: truth("activity/symbols", "file"),
    axivity: truth("activity", "file", time="time", value="acc"),
    depresjon: truth("activity", "file", time="timestamp", value="activity", never=("madrs",)),
    fitbit_minutes: truth("activity", "Id", time="ActivityMinute", value="Steps"),
    fitbit_wide: truth("activity", "Id", run=False),
    heart_seconds: truth("activity", "Id", time="Time", value="Value"),
    nhanes: truth("activity", "SEQN", time="PAXN", value="PAXINTEN"),
    time_use: truth("activity", "Participant", start="Start", end="End", state="Activity"),
    sequences_wide: truth("activity", "caseid", ask=True),
    synthea: truth("events", "PATIENT", time="START", state="ENCOUNTERCLASS|DESCRIPTION|CODE"),
    synthea_folder: truth("none", run=False),
    mimic_transfers: truth("events", "subject_id", time="intime", state="curr_careunit|eventtype", never=("row_id",)),
    chart_events: truth("events", "subject_id", time="charttime", state="itemid"),
    challenge: truth("events", "file", time="Time", state="Parameter"),
    claims: truth("events", "DESYNPUF_ID", time="CLM_FROM_DT", state="ICD9_DGNS_CD_1"),
    process_log: truth("events", "case:concept:name", ask=True, time="time:timestamp", state="concept:name"),
    order_only: truth("events", "mrn", time="visit_no", state="procedure"),
    epoch_events: truth("events", "PatID", time="ts", state="event_type"),
    utf16_events: truth("events", "Proband", time="Datum", state="Ereignis"),
    long_names: truth("series", "SubjectID", never=("Group",)),
    two_quantities: truth("series", "patient"),
    matrix: truth("series", "each", ask=True),
    comma_series: truth("series", "Patientennummer", never=("Nr",)),
    notes_csv: truth("text", "SUBJECT_ID", text="TEXT", never=("CATEGORY",)),
    letters: truth("text", "", ask=True),
    notes_headerless: truth("text", "", ask=True, run=False),
    eeg_sets: truth("symbols", "file/folder", ask=True),
    ecg_columns: truth("symbols", "file", ask=True, value="MLII|V5", never=("sample",)),
    cohort_table: truth("none", run=False),
    survey: truth("none", run=False),
    covid_long: truth("none", run=False),
    covid_wide: truth("none", run=False),
    results: truth("none", run=False),
    wisconsin: truth("none", run=False),
    lookups: truth("none", run=False),
}  # fmt: skip
"""Source → what it is; `run`: a command is wanted."""
