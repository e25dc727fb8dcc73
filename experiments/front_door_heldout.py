# ruff: noqa: E501
"""Sources that were written after the recognisers and run before anything was tuned to them: a held-out section.

The shapes follow documented exports (CentrePoint, E4, CareLink, RADAR-base, eICU, REDCap, UK Biobank and others); every
name and number is made up. `TRUTHS` says what `inspect` should find, as in `front_door_sources`.
"""

import datetime as dt
import json
import random

from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth


def centrepoint(to):
    rows = [["Study Id", "Subject Id", "Device Serial", "Timestamp", "X", "Y", "Z", "Steps"]]
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        for i in range(2 * 1440):
            a = moved(rng, (t + i * MINUTE).hour)
            rows.append([77, 5200 + p, f"TAS1H{p:08d}", int((t + i * MINUTE).timestamp()), a // 3, a, a // 2, a // 80])
    return table(to / "epochs.csv", rows)


def empatica_hr(to):
    for p in range(10):
        rng = random.Random(p)
        lines = [f"{1500000000 + 86400 * p}.0", "1.000000", *(f"{70 + 20 * rng.random():.2f}" for _ in range(3000))]
        path = to / "e4" / f"S{p:02d}" / "HR.csv"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(lines) + "\n")
    return "e4"


def carelink(to):
    head = [
        "Index",
        "Date",
        "Time",
        "New Device Time",
        "BG Reading (mg/dL)",
        "Basal Rate (U/h)",
        "Bolus Type",
        "Sensor Glucose (mg/dL)",
        "ISIG Value",
    ]
    for p in range(11):
        rng = random.Random(p)
        t, rows = days(p, rng), []
        for i in range(4 * 288):
            now = t + 5 * i * MINUTE
            g = f"{sugar(rng, 5 * i, 150)}"
            rows.append(
                [
                    f"{i:.1f}".replace(".", ","),
                    stamp(now, "%Y/%m/%d"),
                    stamp(now, "%H:%M:%S"),
                    "",
                    "",
                    "",
                    "",
                    g,
                    f"{20 + rng.random():.2f}".replace(".", ","),
                ]
            )
        before = [
            "Last Name;First Name;Patient ID;Start Date;End Date",
            f"Muster;Anna{p};;{stamp(t)};{stamp(t)}",
            "",
            "Device data shown may exceed selected date range.",
            "",
            "-------;MiniMed 780G;Sensor;NG123;-------",
        ]
        table(to / "carelink" / f"export_{p:02d}.csv", [head, *rows], by=";", before=before)
    return "carelink"


def radar(to):
    rows = [["key.projectId", "key.userId", "key.sourceId", "value.time", "value.timeReceived", "value.heartRate"]]
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng).timestamp()
        for i in range(2 * 288):
            at = t + 300 * i
            rows.append(["STUDY", f"u-{p:04d}-aa", f"src{p}", f"{at:.1f}", f"{at + 3.2:.3f}", rng.randint(52, 130)])
    return table(to / "oura_heart_rate.csv", rows)


def apple_health(to):
    rows = [["participant", "type", "sourceName", "unit", "creationDate", "startDate", "endDate", "value"]]
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        for _ in range(700):
            t += dt.timedelta(minutes=5, seconds=rng.randint(-20, 20))
            at = stamp(t, "%Y-%m-%d %H:%M:%S +0100")
            rows.append(
                [
                    f"AH{p:03d}",
                    "HKQuantityTypeIdentifierHeartRate",
                    "Watch",
                    "count/min",
                    at,
                    at,
                    at,
                    rng.randint(55, 125),
                ]
            )
    return table(to / "heart_rate.csv", rows)


def garmin_ms(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng).timestamp()
        rows = [["timestamp_ms", "heart_rate_bpm", "stress_level"]]
        rows += [[int(1000 * (t + 120 * i)), rng.randint(50, 140), rng.randint(-1, 90)] for i in range(1500)]
        table(to / "garmin" / f"P{p:03d}_wellness.csv", rows)
    return "garmin"


def oura_daily_one(to):
    rows = [
        [
            "date",
            "Sleep Score",
            "Total Sleep Duration",
            "REM Sleep Duration",
            "Average Resting Heart Rate",
            "Steps",
            "Readiness Score",
        ]
    ]
    rng = random.Random(1)
    rows += [
        [
            stamp(D0 + dt.timedelta(days=i), "%Y-%m-%d"),
            rng.randint(50, 95),
            rng.randint(18000, 32000),
            rng.randint(2000, 8000),
            rng.randint(48, 62),
            rng.randint(900, 19000),
            rng.randint(50, 95),
        ]
        for i in range(200)
    ]
    return table(to / "oura_trends.csv", rows)


def withings_sleep(to):
    rows = [["user_id", "from", "to", "sleep_state"]]
    for p in range(12):
        rng = random.Random(p)
        night = D0 + dt.timedelta(days=rng.randint(0, 40), hours=22)
        for _ in range(6):
            t = night
            for _ in range(30):
                end = t + dt.timedelta(minutes=rng.choice([5, 10, 15, 25, 40]))
                rows.append(
                    [
                        f"w{p}",
                        stamp(t, "%Y-%m-%dT%H:%M:%S+02:00"),
                        stamp(end, "%Y-%m-%dT%H:%M:%S+02:00"),
                        rng.choice(["light", "deep", "rem", "awake"]),
                    ]
                )
                t = end
            night += dt.timedelta(days=1)
    return table(to / "sleep.csv", rows)


def fitbit_sleep(to):
    rows = [["Id", "date", "value", "logId"]]
    for p in range(10):
        rng = random.Random(p)
        for night in range(5):
            t = D0 + dt.timedelta(days=night, hours=22, minutes=rng.randint(0, 90))
            state = 3
            for i in range(430):
                state = state if rng.random() < 0.9 else rng.choice([1, 1, 1, 2, 3])
                rows.append(
                    [
                        1503960366 + 977 * p,
                        (t + i * MINUTE).strftime("%-m/%-d/%Y %-I:%M:%S %p"),
                        state,
                        11380564589 + night + 100 * p,
                    ]
                )
    return table(to / "minuteSleep_merged.csv", rows)


def polar_one(to):
    before = [
        "Name,Sport,Date,Start time,Duration,Total distance (km),Average heart rate (bpm)",
        "Anna Muster,RUNNING,12-05-2022,07:31:22,00:41:10,7.31,148",
    ]
    rng = random.Random(3)
    rows = [["Sample rate", "Time", "HR (bpm)", "Speed (km/h)", "Pace (min/km)", "Cadence", "Altitude (m)"]]
    rows += [
        [
            "1" if i == 0 else "",
            f"{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}",
            rng.randint(120, 170),
            f"{10 + rng.random():.1f}",
            "05:41",
            80,
            120,
        ]
        for i in range(2400)
    ]
    return table(to / "training.csv", rows, before=before)


def redcap(to):
    rows = [
        [
            "record_id",
            "redcap_event_name",
            "redcap_repeat_instrument",
            "redcap_repeat_instance",
            "visit_date",
            "sbp",
            "weight_kg",
            "complete",
        ]
    ]
    for p in range(40):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=rng.randint(0, 300))
        for i, e in enumerate(
            ["screening_arm_1", "baseline_arm_1", "week_4_arm_1", "week_12_arm_1", "unscheduled_arm_1"][
                : rng.randint(3, 5)
            ]
        ):
            rows.append(
                [
                    p + 1,
                    e,
                    "",
                    "",
                    stamp(t + dt.timedelta(days=28 * i), "%Y-%m-%d"),
                    rng.randint(100, 170),
                    f"{rng.gauss(75, 9):.1f}",
                    2,
                ]
            )
    return table(to / "STUDY_DATA_2022-06-01.csv", rows)


def epic_adt(to):
    rows = [["PAT_ID", "PAT_ENC_CSN_ID", "EVENT_ID", "EVENT_TYPE", "EFFECTIVE_TIME", "DEPARTMENT_NAME", "BED_ID"]]
    n = 900000
    for p in range(60):
        rng = random.Random(p)
        for v in range(rng.randint(1, 3)):
            t = D0 + dt.timedelta(days=rng.randint(0, 300), minutes=rng.randint(0, 1400))
            for e in ["Admission", *(["Transfer Out", "Transfer In"] * rng.randint(0, 2)), "Discharge"]:
                n += 1
                rows.append(
                    [
                        f"Z{100000 + p}",
                        5550000 + 10 * p + v,
                        n,
                        e,
                        stamp(t, "%m/%d/%Y %H:%M"),
                        rng.choice(["EMERGENCY", "ICU", "MED SURG"]),
                        f"B{rng.randint(1, 40)}",
                    ]
                )
                t += dt.timedelta(minutes=rng.randint(30, 3000))
    return table(to / "adt.csv", rows)


def eicu_vitals(to):
    rows = [
        ["vitalperiodicid", "patientunitstayid", "observationoffset", "temperature", "sao2", "heartrate", "respiration"]
    ]
    n = 35440000
    for p in range(14):
        rng = random.Random(p)
        for i in range(500):
            n += rng.randint(1, 400)
            rows.append(
                [n, 141168 + 25 * p, -20 + 5 * i, "", rng.randint(90, 100), rng.randint(60, 120), rng.randint(10, 28)]
            )
    return table(to / "vitalPeriodic.csv", rows)


def eicu_nursing(to):
    rows = [
        [
            "nursingchartid",
            "patientunitstayid",
            "nursingchartoffset",
            "nursingchartcelltypecat",
            "nursingchartcelltypevallabel",
            "nursingchartvalue",
        ]
    ]
    n = 199400000
    for p in range(30):
        rng = random.Random(p)
        at = 0
        for _ in range(60):
            at += rng.randint(3, 200)
            n += rng.randint(1, 90)
            what = rng.choice(
                [
                    "Heart Rate",
                    "Respiratory Rate",
                    "Pain Score",
                    "Glasgow coma score",
                    "O2 Saturation",
                    "Non-Invasive BP",
                ]
            )
            rows.append([n, 141200 + 31 * p, at, rng.choice(["Vital Signs", "Scores"]), what, rng.randint(1, 120)])
    return table(to / "nurseCharting.csv", rows)


def mimic_folder(to):
    rng = random.Random(5)
    table(
        to / "hosp" / "patients.csv",
        [
            ["subject_id", "gender", "anchor_age"],
            *[[10000000 + p, "MF"[p % 2], rng.randint(20, 90)] for p in range(60)],
        ],
    )
    rows = [["subject_id", "hadm_id", "admittime", "dischtime", "admission_type"]]
    drugs = [["subject_id", "hadm_id", "starttime", "stoptime", "drug"]]
    for p in range(60):
        for v in range(rng.randint(1, 4)):
            t = D0 + dt.timedelta(days=rng.randint(0, 900))
            rows.append(
                [
                    10000000 + p,
                    20000000 + 7 * p + v,
                    stamp(t),
                    stamp(t + dt.timedelta(days=4)),
                    rng.choice(["EW EMER.", "URGENT", "ELECTIVE"]),
                ]
            )
            drugs += [
                [
                    10000000 + p,
                    20000000 + 7 * p + v,
                    stamp(t),
                    stamp(t + dt.timedelta(days=1)),
                    rng.choice(["Heparin", "Insulin", "Aspirin"]),
                ]
                for _ in range(5)
            ]
    table(to / "hosp" / "admissions.csv", rows)
    table(to / "hosp" / "prescriptions.csv", drugs)
    return "hosp"


def synthea_observations(to):
    rows = [["DATE", "PATIENT", "ENCOUNTER", "CATEGORY", "CODE", "DESCRIPTION", "VALUE", "UNITS", "TYPE"]]
    for p in range(30):
        rng = random.Random(p)
        who = f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-4aaa-8bbb-{rng.getrandbits(48):012x}"
        for v in range(8):
            t = D0 - dt.timedelta(days=300 * v)
            visit = f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-4aaa-8bbb-{rng.getrandbits(48):012x}"
            for code, name, unit in (
                ("8302-2", "Body Height", "cm"),
                ("29463-7", "Body Weight", "kg"),
                ("8867-4", "Heart rate", "/min"),
                ("72166-2", "Tobacco smoking status", ""),
            ):
                rows.append(
                    [
                        stamp(t, "%Y-%m-%dT%H:%M:%SZ"),
                        who,
                        visit,
                        "vital-signs",
                        code,
                        name,
                        rng.randint(50, 190),
                        unit,
                        "numeric",
                    ]
                )
    return table(to / "observations.csv", rows)


def hypnogram_files(to):
    for p in range(14):
        rng = random.Random(p)
        stage, lines = "W", []
        for _ in range(960):
            stage = stage if rng.random() < 0.9 else rng.choice(["W", "N1", "N2", "N2", "N3", "R"])
            lines.append(stage)
        (to / "hyp").mkdir(exist_ok=True)
        (to / "hyp" / f"night{p:02d}.txt").write_text("\n".join(lines) + "\n")
    return "hyp"


def hypnogram_table(to):
    rows = [["subject", "epoch", "stage"]]
    for p in range(15):
        rng = random.Random(p)
        stage = "Wake"
        for i in range(900):
            stage = stage if rng.random() < 0.9 else rng.choice(["Wake", "N1", "N2", "N3", "REM"])
            rows.append([f"sub-{p:02d}", i + 1, stage])
    return table(to / "hypnograms.csv", rows)


def brat(to):
    for p in range(12):
        rng = random.Random(p)
        (to / "brat").mkdir(exist_ok=True)
        text = "\n".join(sentence(rng) for _ in range(8))
        (to / "brat" / f"note_{p:03d}.txt").write_text(text + "\n")
        (to / "brat" / f"note_{p:03d}.ann").write_text("T1\tPROBLEM 16 26\tchest pain\nT2\tDATE 33 42\tyesterday\n")
    return "brat"


def i2b2_jsonl(to):
    out = [
        json.dumps(
            {
                "note_id": f"n{p}-{i}",
                "mrn": f"{4000 + p}",
                "note_date": "2022-05-02",
                "note_type": "Progress",
                "note_text": sentence(random.Random(9 * p + i), 60),
            }
        )
        for p in range(20)
        for i in range(3)
    ]
    (to / "notes.jsonl").write_text("\n".join(out) + "\n")
    return "notes.jsonl"


def radiology_pipe(to):
    rows = [["ACCESSION", "PatientID", "StudyDate", "Modality", "Impression", "ReportText"]]
    rows += [
        [
            f"A{p:06d}",
            f"PX{p % 25:05d}",
            "20220502",
            random.Random(p).choice(["CT", "MR", "XR"]),
            sentence(random.Random(p), 9),
            sentence(random.Random(p), 70),
        ]
        for p in range(75)
    ]
    return table(to / "reports.txt", rows, by="|")


def holter_rr(to):
    for p in range(16):
        rng = random.Random(p)
        (to / "rr").mkdir(exist_ok=True)
        (to / "rr" / f"{100 + p}.txt").write_text("\n".join(str(int(rng.gauss(820, 70))) for _ in range(5000)) + "\n")
    return "rr"


def holter_beats(to):
    for p in range(12):
        rng = random.Random(p)
        t, rows = 0.0, [["time_s", "rr_ms", "annotation"]]
        for _ in range(3000):
            rr = int(rng.gauss(820, 70))
            t += rr / 1000
            rows.append([f"{t:.3f}", rr, rng.choice("NNNNNNVS")])
        table(to / "beats" / f"rec{p:02d}.csv", rows, by="\t")
    return "beats"


def ecg_dat(to):
    for p in range(10):
        rng = random.Random(p)
        lines = [f"{i / 250:.3f} {rng.gauss(0, 0.2):.4f} {rng.gauss(0, 0.2):.4f}" for i in range(4000)]
        (to / "ecg").mkdir(exist_ok=True)
        (to / "ecg" / f"patient{p:03d}.txt").write_text("time I II\n" + "\n".join(lines) + "\n")
    return "ecg"


def pain_diary(to):
    rows = [["Participant ID", "Date", "Pain (0-10)", "Sleep hours", "Medication taken"]]
    for p in range(20):
        rng = random.Random(p)
        start = D0 + dt.timedelta(days=rng.randint(0, 5))
        rows += [
            [
                f"PD-{p:02d}",
                stamp(start + dt.timedelta(days=i), "%d/%m/%Y"),
                rng.randint(0, 10),
                f"{rng.gauss(7, 1):.1f}",
                rng.choice(["yes", "no"]),
            ]
            for i in range(28)
        ]
    return table(to / "diary.csv", rows)


def biobank_wide(to):
    rows = [["eid", *(f"4080-{i}.0" for i in range(6)), "31-0.0", "21022-0.0"]]
    for p in range(60):
        rng = random.Random(p)
        rows.append(
            [1000012 + 131 * p, *(rng.randint(100, 170) for _ in range(6)), rng.randint(0, 1), rng.randint(40, 69)]
        )
    return table(to / "ukb.csv", rows)


def spirometry(to):
    rows = [["Pat.-Nr.", "Geschlecht", *(f"FEV1 Woche {w}" for w in (0, 4, 8, 12, 24))]]
    for p in range(48):
        rng = random.Random(p)
        rows.append([f"P{p:03d}", "mw"[p % 2], *(f"{rng.gauss(2.6, 0.4):.2f}".replace(".", ",") for _ in range(5))])
    return table(to / "lufu.csv", rows, by=";", encoding="cp1252")


def pharmacy(to):
    rows = [["Versicherten-ID", "Abgabedatum", "ATC-Code", "Packungen", "Betrag €"]]
    for p in range(70):
        rng = random.Random(p)
        t = D0
        for _ in range(rng.randint(4, 12)):
            t += dt.timedelta(days=rng.randint(5, 60))
            rows.append(
                [
                    f"V{80000 + p}",
                    stamp(t, "%d.%m.%Y"),
                    rng.choice(["A10BA02", "C09AA05", "N02BE01", "C07AB02"]),
                    rng.randint(1, 3),
                    f"{rng.random() * 90:.2f}".replace(".", ","),
                ]
            )
    return table(to / "verordnungen.csv", rows, by=";", encoding="cp1252")


def xdrip(to):
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["DAY", "TIME", "UDT_CGMS", "BG_LEVEL", "CH_GR", "BOLUS", "REMARK"]]
        rows += [
            [
                stamp(t + 5 * i * MINUTE, "%d.%m.%Y"),
                stamp(t + 5 * i * MINUTE, "%H:%M"),
                sugar(rng, 5 * i, 140),
                "",
                "",
                "",
                "",
            ]
            for i in range(900)
        ]
        table(to / "xdrip" / f"export{p}.csv", rows, by=";")
    return "xdrip"


def tidepool(to):
    rows = [["Patient", "Local Time", "Type", "Value", "Units", "Duration (mins)", "Upload ID"]]
    for p in range(8):
        rng = random.Random(p)
        t = days(p, rng)
        for i in range(800):
            rows.append(
                [
                    f"tp{p}",
                    stamp(t + 5 * i * MINUTE, "%Y-%m-%dT%H:%M:%S"),
                    "cbg",
                    f"{sugar(rng, 5 * i, 150) / 18:.1f}",
                    "mmol/L",
                    "",
                    f"upid_{p:06x}",
                ]
            )
    return table(to / "cbg.csv", rows)


def adt_pipe(to):
    rows = [["MRN", "VISIT_NUM", "EVENT_DTTM", "EVENT_CODE", "NURSE_UNIT", "ATTENDING"]]
    for p in range(50):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=rng.randint(0, 100))
        for e in ["A01", *(["A02"] * rng.randint(0, 3)), "A03"]:
            rows.append(
                [
                    7000100 + 7 * p,
                    f"V{p:05d}",
                    stamp(t, "%Y%m%d%H%M%S"),
                    e,
                    rng.choice(["3W", "ICU", "ED"]),
                    f"DR{rng.randint(1, 9)}",
                ]
            )
            t += dt.timedelta(hours=rng.randint(1, 60))
    return table(to / "hl7_adt.txt", rows, by="|")


def ema_prompts(to):
    rows = [["subj", "sent_at", "answered_at", "context", "with_whom", "mood"]]
    for p in range(25):
        rng = random.Random(p)
        for day in range(7):
            for h in (9, 12, 15, 18, 21):
                t = D0 + dt.timedelta(days=day, hours=h, minutes=rng.randint(0, 50))
                rows.append(
                    [
                        f"e{p:02d}",
                        stamp(t),
                        stamp(t + dt.timedelta(minutes=rng.randint(0, 9))),
                        rng.choice(["home", "work", "transport", "shop"]),
                        rng.choice(["alone", "family", "friends"]),
                        rng.randint(1, 7),
                    ]
                )
    return table(to / "ema.csv", rows)


def phq(to):
    rows = [
        [
            "respondent_id",
            "age",
            "sex",
            *(f"phq9_{i}" for i in range(1, 10)),
            *(f"gad7_{i}" for i in range(1, 8)),
            "total",
        ]
    ]
    rows += [
        [
            f"r{p}",
            random.Random(p).randint(18, 80),
            "fm"[p % 2],
            *(random.Random(p + i).randint(0, 3) for i in range(16)),
            9,
        ]
        for p in range(120)
    ]
    return table(to / "questionnaire.csv", rows)


def vcf_like(to):
    rows = [["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", *(f"NA{12870 + i}" for i in range(12))]]
    rng = random.Random(4)
    rows += [
        [
            rng.randint(1, 22),
            rng.randint(10**5, 10**8),
            f"rs{rng.randint(10**5, 10**7)}",
            rng.choice("ACGT"),
            rng.choice("ACGT"),
            rng.randint(20, 99),
            *(rng.choice(["0/0", "0/1", "1/1"]) for _ in range(12)),
        ]
        for _ in range(300)
    ]
    return table(to / "variants.tsv", rows, by="\t")


def bed_occupancy(to):
    rows = [["date", "hospital", "icu_beds", "occupied", "ventilated"]]
    rows += [
        [
            stamp(D0 + dt.timedelta(days=i), "%Y-%m-%d"),
            h,
            40,
            random.Random(i).randint(10, 40),
            random.Random(i + 1).randint(0, 20),
        ]
        for i in range(120)
        for h in ("North", "South", "West")
    ]
    return table(to / "beds.csv", rows)


def drug_list(to):
    rows = [["ATC", "Name", "Form", "Strength", "Unit", "Price"]]
    rows += [
        [
            f"C{i:02d}AA{i % 7:02d}",
            f"Drug {i}",
            random.Random(i).choice(["tablet", "drops"]),
            5 * i,
            "mg",
            f"{i * 1.7:.2f}",
        ]
        for i in range(90)
    ]
    return table(to / "formulary.csv", rows)


def heart_table(to):
    rows = [["age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak", "target"]]
    r = random.Random(8)
    rows += [
        [
            r.randint(30, 77),
            r.randint(0, 1),
            r.randint(0, 3),
            r.randint(95, 190),
            r.randint(130, 400),
            r.randint(0, 1),
            r.randint(0, 2),
            r.randint(80, 200),
            r.randint(0, 1),
            f"{r.random() * 5:.1f}",
            r.randint(0, 1),
        ]
        for _ in range(303)
    ]
    return table(to / "heart.csv", rows)


TRUTHS = {
    centrepoint: truth("activity", "Subject Id", time="Timestamp", value="X|Y|Z|Steps", never=("Device Serial", "Study Id")),
    empatica_hr: truth("symbols", "folder/file", ask=True),
    carelink: truth("activity", "file", ask=True, time="Date", clock="Time", value="Sensor Glucose (mg/dL)", never=("Index", "ISIG Value")),
    radar: truth("activity", "key.userId", time="value.time", value="value.heartRate", never=("value.timeReceived",)),
    apple_health: truth("activity", "participant", time="startDate|creationDate|endDate", value="value"),
    garmin_ms: truth("activity", "file", ask=True, time="timestamp_ms", value="heart_rate_bpm|stress_level"),
    oura_daily_one: truth("activity/none/series", "", run=False),
    withings_sleep: truth("activity/events", "user_id", state="sleep_state"),
    fitbit_sleep: truth("symbols/activity/events", "Id", time="date", value="value", never=("logId",)),
    polar_one: truth("symbols/activity/none", "", run=False),
    redcap: truth("events", "record_id", ask=True, time="visit_date", state="redcap_event_name", never=("complete",)),
    epic_adt: truth("events", "PAT_ID", time="EFFECTIVE_TIME", state="EVENT_TYPE|DEPARTMENT_NAME", never=("EVENT_ID", "PAT_ENC_CSN_ID", "BED_ID")),
    eicu_vitals: truth("activity/symbols", "patientunitstayid", ask=True, time="observationoffset", value="heartrate|sao2|respiration", never=("vitalperiodicid",)),
    eicu_nursing: truth("events", "patientunitstayid", ask=True, time="nursingchartoffset", state="nursingchartcelltypevallabel|nursingchartcelltypecat", never=("nursingchartid",)),
    mimic_folder: truth("none", run=False),
    synthea_observations: truth("events", "PATIENT", time="DATE", state="DESCRIPTION|CODE", never=("ENCOUNTER",)),
    hypnogram_files: truth("symbols", "file", ask=True),
    hypnogram_table: truth("symbols", "subject", value="stage"),
    brat: truth("text", "", ask=True),
    i2b2_jsonl: truth("text", "mrn", text="note_text"),
    radiology_pipe: truth("text", "PatientID", text="ReportText"),
    holter_rr: truth("symbols", "file", ask=True, value="1"),
    holter_beats: truth("symbols", "file", ask=True, value="rr_ms|annotation"),
    ecg_dat: truth("symbols", "file", ask=True, value="I|II"),
    pain_diary: truth("activity/series/events", "Participant ID", time="Date"),
    biobank_wide: truth("series", "eid", never=("31-0.0", "21022-0.0")),
    spirometry: truth("series", "Pat.-Nr.", never=("Geschlecht",)),
    pharmacy: truth("events", "Versicherten-ID", time="Abgabedatum", state="ATC-Code"),
    xdrip: truth("activity", "file", ask=True, time="DAY", clock="TIME", value="UDT_CGMS"),
    tidepool: truth("activity", "Patient", time="Local Time", value="Value"),
    adt_pipe: truth("events", "MRN", time="EVENT_DTTM", state="EVENT_CODE|NURSE_UNIT", never=("VISIT_NUM", "ATTENDING")),
    ema_prompts: truth("events", "subj", time="sent_at|answered_at", state="context|with_whom"),
    phq: truth("none", run=False),
    vcf_like: truth("none", run=False),
    bed_occupancy: truth("none", run=False),
    drug_list: truth("none", run=False),
    heart_table: truth("none", run=False),
}  # fmt: skip
"""Source → what it is."""
