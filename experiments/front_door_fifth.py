# ruff: noqa: E501
# fmt: off
"""A fifth held-out section: other scripts, other stores and neighbours of health data, written before any of it was run.

Every name and number is made up. `TRUTHS` says what `inspect` should find.
"""

import datetime as dt
import json
import random
import sqlite3

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.front_door_third import walk
from experiments.front_door_writing import D0, MINUTE, days, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)


def clinic_glucose(to):
    rows = [["Patient ID", "Timestamp (YYYY-MM-DDThh:mm:ss)", "Event Type", "Event Subtype", "Device Info", "Glucose Value (mg/dL)", "Insulin Value (u)"]]
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        for i in range(3 * 288):
            g = sugar(rng, 5 * i, 160)
            rows.append([f"G{p:03d}", stamp(t + 5 * i * MINUTE, "%Y-%m-%dT%H:%M:%S"), "EGV", "", "Dexcom G6", "High" if g > 370 else "Low" if g < 50 else g, ""])
    return table(to / "clinic.csv", rows)


def apnea_events(to):
    for p in range(12):
        rng = random.Random(p)
        t, rows = dt.datetime(2023, 1, 5 + p, 22, 30), [["Start Time", "Duration (s)", "Event", "Stage"]]
        for _ in range(150):
            t += rng.randint(20, 300) * SECOND
            rows.append([stamp(t, "%d/%m/%Y %H:%M:%S"), f"{rng.uniform(10, 40):.1f}", rng.choice(["Obstructive Apnea", "Hypopnea", "Central Apnea", "Arousal", "SpO2 desaturation"]), rng.choice(["N2", "N3", "REM"])])
        table(to / "psg" / f"sub{p:02d}_scored_events.csv", rows)
    return "psg"


def home_pressure(to):
    for p in range(10):
        rng = random.Random(p)
        rows = [["Date", "Time", "Systolic (mmHg)", "Diastolic (mmHg)", "Pulse (bpm)", "Symptoms"]]
        for d in range(60):
            for hour in (7, 20):
                rows.append([stamp(D0 + d * DAY, "%b %d, %Y"), f"{hour:02d}:{rng.randint(0, 59):02d}", rng.randint(105, 165), rng.randint(65, 99), rng.randint(55, 90), ""])
        table(to / "omron" / f"report_{p + 1}.csv", rows)
    return "omron"


def russian_labs(to):
    rows = [["Пациент", "Дата", "Показатель", "Значение", "Единица"]]
    for p in range(40):
        rng, times = walk(p, 15, 5000)
        rows += [[f"П-{p:04d}", stamp(t, "%d.%m.%Y"), rng.choice(["Креатинин", "Глюкоза", "Гемоглобин", "АЛТ"]), f"{rng.random() * 100:.1f}".replace(".", ","), "г/л"] for t in times]
    return table(to / "анализы.csv", rows, by=";", encoding="utf-8-sig")


def chinese_stays(to):
    rows = [["患者编号", "入院时间", "出院时间", "科室", "床位"]]
    for p in range(45):
        rng, times = walk(p, 5, 90000)
        rows += [[f"{900000 + p}", stamp(t, "%Y/%m/%d %H:%M"), stamp(t + 3 * DAY, "%Y/%m/%d %H:%M"), rng.choice(["内科", "外科", "急诊科", "儿科"]), rng.randint(1, 60)] for t in times]
    return table(to / "zhuyuan.csv", rows)


def forum_posts(to):
    with (to / "posts.jsonl").open("w") as file:
        for p in range(35):
            rng = random.Random(p)
            for i in range(3):
                file.write(json.dumps({"id": f"t3_{p}{i}", "author": f"user_{p}", "created_utc": 1600000000 + 999 * i, "title": sentence(rng, 6), "selftext": " ".join(sentence(rng, 18) for _ in range(3)), "score": rng.randint(0, 90)}) + "\n")
    return "posts.jsonl"


def notes_workbook(to):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["MRN", "Visit date", "Clinic", "Progress note"])
    for p in range(40):
        rng, times = walk(p, 3)
        for t in times:
            sheet.append([f"{88000 + p}", t, rng.choice(["Cardiology", "Renal"]), " ".join(sentence(rng, 15) for _ in range(3))])
    book.save(to / "progress_notes.xlsx")
    return "progress_notes.xlsx"


def pulse_jsonl(to):
    with (to / "hr.ndjson").open("w") as file:
        for p in range(10):
            rng = random.Random(p)
            t = int(days(p, rng).timestamp() * 1000)
            for i in range(2 * 288):
                file.write(json.dumps({"user": f"w{p:02d}", "ts": t + 300000 * i, "hr": rng.randint(48, 130), "quality": 3}) + "\n")
    return "hr.ndjson"


def event_parquet(to):
    who, when, what = [], [], []
    for p in range(60):
        rng, times = walk(p, 12, 20000)
        who += [10_000_000 + 37 * p] * 12
        when += times
        what += [rng.choice(["LAB:CRP", "RX:AMOX", "DX:J18", "ADM", "DIS"]) for _ in times]
    pq.write_table(pa.table({"patient_key": who, "event_ts": pa.array(when, pa.timestamp("us")), "event_code": what, "source_row_id": list(range(len(who)))}), to / "events.parquet")
    return "events.parquet"


def yearly_sugar(to):
    rows = [["Patient", "Sex", "YOB", *(f"HbA1c_{y}" for y in range(2014, 2022))]]
    for p in range(90):
        rng = random.Random(p)
        level = rng.uniform(5.5, 9)
        rows.append([f"D{p:03d}", rng.choice("MF"), rng.randint(1935, 1990), *(f"{level + rng.gauss(0, 0.4):.1f}" for _ in range(8))])
    return table(to / "hba1c.csv", rows)


def visits_wide(to):
    rows = [["subjid", "arm", *(f"sbp_v{i}" for i in range(1, 6)), *(f"pulse_v{i}" for i in range(1, 6))]]
    for p in range(100):
        rng = random.Random(p)
        rows.append([f"1001-{p:03d}", rng.choice(["placebo", "active"]), *(rng.randint(100, 170) for _ in range(5)), *(rng.randint(55, 99) for _ in range(5))])
    return table(to / "visits.csv", rows)


def growth_long(to):
    rows = [["child", "age_months", "weight_kg", "height_cm"]]
    for p in range(40):
        rng = random.Random(p)
        rows += [[f"C{p:03d}", m, f"{3.4 + 0.5 * m ** 0.7 + rng.gauss(0, 0.2):.2f}", f"{50 + 2 * m ** 0.9:.1f}"] for m in (0, 1, 2, 4, 6, 9, 12, 18, 24)]
    return table(to / "growth_long.csv", rows)


def ward_scores(to):
    rows = [["patient_id", "charted_at", "gcs", "rass", "pain_score"]]
    for p in range(25):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[5000 + p, stamp(t + 4 * i * HOUR), rng.randint(9, 15), rng.randint(-4, 1), rng.randint(0, 8)] for i in range(36)]
    return table(to / "scores.csv", rows)


def gps_trace(to):
    rows = [["participant_id", "timestamp", "lat", "lon", "accuracy", "speed"]]
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[f"gp{p:02d}", stamp(t + 5 * i * MINUTE), f"{52.3 + rng.random() / 50:.5f}", f"{4.9 + rng.random() / 50:.5f}", rng.randint(5, 60), f"{max(0, rng.gauss(0.5, 1)):.2f}"] for i in range(3 * 288)]
    return table(to / "locations.csv", rows)


def microbiology(to):
    rows = [["PID", "SampleNo", "SampleDate", "Material", "Organism", "Antibiotic", "SIR"]]
    for p in range(60):
        rng, times = walk(p, 8, 20000)
        for t in times:
            rows.append([f"M{p:04d}", f"{len(rows):07d}", stamp(t, "%d-%m-%Y"), rng.choice(["urine", "blood", "swab"]), rng.choice(["E. coli", "S. aureus", "K. pneumoniae"]), rng.choice(["AMX", "CIP", "GEN"]), rng.choice("SIR")])
    return table(to / "micro.csv", rows, by=";")


def model_results(to):
    r = random.Random(1)
    rows = [["Model", "Fold", "AUROC", "AUPRC", "Brier", "n_train", "n_test"]]
    rows += [[m, f, f"{r.uniform(0.7, 0.9):.3f}", f"{r.uniform(0.2, 0.5):.3f}", f"{r.random() / 5:.3f}", 8000, 2000] for m in ("LR", "XGB", "LSTM", "GRU-D") for f in range(10)]
    return table(to / "results.csv", rows)


def food_table(to):
    r = random.Random(1)
    rows = [["fdc_id", "description", "food_category", "energy_kcal", "protein_g", "fat_g", "carbohydrate_g", "sodium_mg"]]
    rows += [[167512 + 13 * i, sentence(r, 4), r.choice(["Dairy", "Fruit", "Meat"]), r.randint(20, 600), f"{r.random() * 30:.1f}", f"{r.random() * 40:.1f}", f"{r.random() * 70:.1f}", r.randint(0, 900)] for i in range(250)]
    return table(to / "foods.csv", rows)


def hospital_list(to):
    r = random.Random(1)
    rows = [["Facility ID", "Facility Name", "City", "State", "ZIP Code", "Hospital Type", "Beds", "Overall rating"]]
    rows += [[f"{10000 + i}", f"HOSPITAL {i}", r.choice(["DOTHAN", "ARAB"]), "AL", f"{36000 + i}", r.choice(["Acute Care", "Critical Access"]), r.randint(20, 900), r.randint(1, 5)] for i in range(150)]
    return table(to / "Hospital_General_Information.csv", rows)


def weather(to):
    r = random.Random(1)
    rows = [["STATION", "NAME", "DATE", "PRCP", "TMAX", "TMIN"]]
    rows += [[f"USW000{s:05d}", f"CITY {s}, US", stamp(D0 + d * DAY, "%Y-%m-%d"), f"{r.random():.2f}", r.randint(50, 99), r.randint(30, 60)] for s in range(12) for d in range(90)]
    return table(to / "weather.csv", rows)


def trial_register(to):
    r = random.Random(1)
    rows = [["nct_id", "brief_title", "phase", "status", "start_date", "completion_date", "enrollment"]]
    rows += [[f"NCT0{4000000 + 7 * i}", sentence(r, 9), r.choice(["Phase 1", "Phase 2"]), r.choice(["Completed", "Recruiting"]), stamp(D0 + i * DAY, "%Y-%m-%d"), stamp(D0 + (i + 300) * DAY, "%Y-%m-%d"), r.randint(10, 900)] for i in range(180)]
    return table(to / "trials.csv", rows)


def hospital_sqlite(to):
    con, rng = sqlite3.connect(to / "his.sqlite"), random.Random(1)
    con.execute("create table patients (pid text, sex text)")
    con.execute("create table orders (pid text, ordered_at text, item text)")
    con.execute("create table items (item text, price real)")
    con.executemany("insert into patients values (?, ?)", [(f"P{i}", rng.choice("mf")) for i in range(40)])
    con.executemany("insert into orders values (?, ?, ?)", [(f"P{i % 40}", stamp(D0 + i * HOUR), rng.choice("ABCD")) for i in range(400)])
    con.commit()
    con.close()
    return "his.sqlite"


TRUTHS = {
    clinic_glucose: truth("activity", "Patient ID", time="Timestamp (YYYY-MM-DDThh:mm:ss)", value="Glucose Value (mg/dL)"),
    apnea_events: truth("events/symbols", "file", ask=True, run=None),
    home_pressure: truth("activity/events/symbols/none", "file", ask=True, run=None),
    russian_labs: truth("events", "Пациент", time="Дата", state="Показатель", never=("Единица", "Значение")),
    chinese_stays: truth("events", "患者编号", time="入院时间|出院时间", state="科室", never=("床位",)),
    forum_posts: truth("text", "author", text="selftext"),
    notes_workbook: truth("text", "MRN", text="Progress note"),
    pulse_jsonl: truth("activity", "user", time="ts", value="hr"),
    event_parquet: truth("events", "patient_key", time="event_ts", state="event_code", never=("source_row_id",)),
    yearly_sugar: truth("series", "Patient", never=("YOB", "Sex")),
    visits_wide: truth("series", "subjid", never=("arm",)),
    growth_long: truth("series/events/activity/symbols/none", "child", run=None),
    ward_scores: truth("activity/events/symbols/none", "patient_id", run=None),
    gps_trace: truth("activity/symbols/none", "participant_id", never=("lat", "lon", "accuracy"), run=None),
    microbiology: truth("events", "PID", time="SampleDate", state="Organism|Antibiotic|Material", never=("SampleNo",)),
    model_results: truth("none", run=False),
    food_table: truth("none", run=False),
    hospital_list: truth("none", run=False),
    weather: truth("none", run=False),
    trial_register: truth("none", run=False),
    hospital_sqlite: truth("none/refused", run=False),
}
"""Source → what it is."""
