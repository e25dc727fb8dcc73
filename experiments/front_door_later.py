# ruff: noqa: E501
# fmt: off
"""Five more held-out sections, each written before any of it was run; every name and number is made up."""

import csv
import datetime as dt
import gzip
import io
import json
import math
import random
import sqlite3
import struct
import zipfile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.front_door_third import walk
from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)
EPOCH = dt.datetime(1970, 1, 1)


def days_since_enrolment(to):
    rows = [["RecID", "PtID", "DeviceDtDaysFromEnroll", "DeviceTm", "RecordType", "GlucoseValue"]]
    for p in range(10):
        rng = random.Random(p)
        for i in range(4 * 288):
            rows.append([len(rows), 31 + 7 * p, i // 288 - 2, f"{i % 288 // 12:02d}:{i % 12 * 5:02d}:00", "CGM", sugar(rng, 5 * i, 150)])
    return table(to / "HDeviceCGM.txt", rows, by="|")


def transcriptions(to):
    rng = random.Random(1)
    rows = [["", "description", "medical_specialty", "sample_name", "transcription", "keywords"]]
    rows += [[i, sentence(rng, 9), rng.choice([" Surgery", " Urology", " Neurology"]), f" Sample {i % 90} - 1 ", " ".join(sentence(rng, 20) for _ in range(8)), "surgery, " + sentence(rng, 4)] for i in range(150)]
    return table(to / "mtsamples.csv", rows)


def reaction_days(to):
    rows = [["", "Reaction", "Days", "Subject"]]
    for p in range(18):
        rng = random.Random(p)
        rows += [[10 * p + d + 1, f"{250 + 9 * d + rng.gauss(0, 20):.4f}", d, 308 + 3 * p] for d in range(10)]
    return table(to / "sleepstudy.csv", rows)


def concentrations(to):
    rows = [["Subject", "Wt", "Dose", "Time", "conc"]]
    for p in range(12):
        rng = random.Random(p)
        rows += [[p + 1, f"{60 + 2 * p}.5", 4.02, f"{h + rng.random() / 10:.2f}", f"{9 * 2.7 ** (-h / 9) + rng.random():.2f}"] for h in (0, 0.25, 0.5, 1, 2, 3.5, 5, 7, 9, 12, 24)]
    return table(to / "theoph.csv", rows)


def liver_visits(to):
    rows = [["id", "futime", "status", "trt", "age", "sex", "day", "ascites", "hepato", "edema", "bili", "chol", "albumin", "stage"]]
    for p in range(60):
        rng = random.Random(p)
        age, sex, end, day = f"{rng.uniform(30, 75):.4f}", rng.choice("mf"), rng.randint(400, 5000), 0
        for _ in range(rng.randint(2, 8)):
            rows.append([p + 1, end, rng.choice([0, 2]), 1, age, sex, day, 0, rng.randint(0, 1), 0, f"{rng.expovariate(0.5):.1f}", rng.randint(180, 500), f"{rng.gauss(3.4, 0.4):.2f}", rng.randint(1, 4)])
            day += rng.randint(150, 400)
    return table(to / "pbcseq.csv", rows)


def framingham(to):
    r = random.Random(1)
    rows = [["male", "age", "education", "currentSmoker", "cigsPerDay", "BPMeds", "diabetes", "totChol", "sysBP", "diaBP", "BMI", "heartRate", "glucose", "TenYearCHD"]]
    rows += [[r.randint(0, 1), r.randint(32, 70), r.randint(1, 4), r.randint(0, 1), r.randint(0, 40), 0, 0, r.randint(150, 350), r.randint(95, 200), r.randint(60, 110), f"{r.gauss(26, 4):.2f}", r.randint(50, 110), r.randint(60, 120), r.randint(0, 1)] for _ in range(400)]
    return table(to / "framingham.csv", rows)


def health_survey(to):
    r = random.Random(1)
    rows = [["_STATE", "FMONTH", "IDATE", "SEQNO", "GENHLTH", "PHYSHLTH", "MENTHLTH", "HLTHPLN1", "SMOKE100", *(f"QST{i:02d}" for i in range(30)), "_LLCPWT"]]
    rows += [[r.randint(1, 56), r.randint(1, 12), f"0{r.randint(1, 9)}{r.randint(10, 28)}2021", 2021000001 + i, r.randint(1, 5), r.choice([88, 1, 5, 30]), r.choice([88, 2]), 1, 2, *(r.choice([1, 2, 7, 9]) for _ in range(30)), f"{r.random() * 900:.6f}"] for i in range(300)]
    return table(to / "LLCP2021.csv", rows)


def case_columns(to):
    rows = [["case concept:name", "event concept:name", "event time:timestamp", "event org:resource", "event lifecycle:transition", "case diagnosis", "event speciality"]]
    for p in range(70):
        rng, times = walk(p, 7, 9000)
        rows += [[f"NTG{p}", rng.choice(["NEW", "FIN", "RELEASE", "CODE OK", "BILLED", "CHANGE DIAGN"]), stamp(t, "%Y-%m-%dT%H:%M:%S.000+01:00"), f"Res{rng.randint(1, 30)}", "complete", rng.choice("ABCD"), rng.choice("XYZ")] for t in times]
    return table(to / "hospital_billing.csv", rows, by=";")


def disco_export(to):
    rows = [["Case ID", "Activity", "Resource", "Complete Timestamp", "Variant", "Variant index", "(case) age"]]
    for p in range(80):
        rng, times = walk(p, 6, 3000)
        variant = rng.randint(1, 12)
        rows += [[f"Case {p}", rng.choice(["Intake", "Triage", "MRI", "Consult", "Discharge"]), rng.choice(["anna", "bob", "cleo"]), stamp(t, "%Y/%m/%d %H:%M:%S.000"), f"Variant {variant}", variant, rng.randint(20, 80)] for t in times]
    return table(to / "disco.csv", rows)


def inpatient_claims(to):
    rows = [["DESYNPUF_ID", "CLM_ID", "SEGMENT", "CLM_FROM_DT", "CLM_THRU_DT", "PRVDR_NUM", "CLM_PMT_AMT", "CLM_ADMSN_DT", "ADMTNG_ICD9_DGNS_CD", "CLM_DRG_CD", *(f"ICD9_DGNS_CD_{i}" for i in range(1, 7))]]
    for p in range(90):
        rng, times = walk(p, rng_n := 3, 300000)
        assert rng_n
        codes = ["4580", "7866", "41401", "5849", "2762", "78079", "25000", "4019"]
        rows += [[f"00013D2EFD8E{p:04X}", 196661176900000 + 31 * len(rows), 1, stamp(t, "%Y%m%d"), stamp(t + 5 * DAY, "%Y%m%d"), f"26{rng.randint(10, 99)}GB", rng.choice([4000, 26000, 5000]), stamp(t, "%Y%m%d"), rng.choice(codes), rng.choice(["217", "865", "201"]), *(rng.choice([*codes, ""]) for _ in range(6))] for t in times]
    return table(to / "DE1_0_2008_to_2010_Inpatient_Claims.csv", rows)


def movement_features(to):
    names = [f"tBodyAcc-{f}()-{a}" for f in ("mean", "std", "mad", "max") for a in "XYZ"]
    rows = [["subject", "Activity", *names]]
    for p in range(12):
        rng = random.Random(p)
        what = "WALKING"
        for _ in range(150):
            what = rng.choice(["WALKING", "SITTING", "LAYING", "STANDING"]) if rng.random() < 0.05 else what
            rows.append([p + 1, what, *(f"{rng.uniform(-1, 1):.6f}" for _ in names)])
    return table(to / "har_train.csv", rows)


def eye_state(to):
    r = random.Random(1)
    rows = [["AF3", "F7", "F3", "FC5", "T7", "P7", "O1", "O2", "P8", "T8", "eyeDetection"]]
    rows += [[*(f"{4200 + r.gauss(0, 30):.2f}" for _ in range(10)), int(i > 1500)] for i in range(3000)]
    return table(to / "EEG_Eye_State.csv", rows)


def heartbeat_matrix(to):
    lines = []
    for p in range(120):
        r = random.Random(p)
        lines.append("  ".join([f"{r.randint(1, 5):.7e}", *(f"{r.gauss(0, 1):.7e}" for _ in range(60))]))
    (to / "ECG_TRAIN.txt").write_text("\n".join(lines) + "\n")
    return "ECG_TRAIN.txt"


def phone_accelerometer(to):
    lines = []
    for p in range(12):
        r = random.Random(p)
        lines += [f"{p + 20},{'Walking' if i < 300 else 'Jogging'},{49105962326000 + 50000000 * i},{r.gauss(0, 5):.6f},{r.gauss(8, 3):.6f},{r.gauss(1, 2):.6f};" for i in range(600)]
    (to / "WISDM_raw.txt").write_text("\n".join(lines) + "\n")
    return "WISDM_raw.txt"


def depression_items(to):
    r = random.Random(1)
    rows = [["SEQN", *(f"DPQ0{i}0" for i in range(1, 10)), "DPQ100"]]
    rows += [[109266 + i, *(r.choice([0, 0, 1, 2, 3]) for _ in range(9)), r.choice(["", 0, 1])] for i in range(350)]
    return table(to / "P_DPQ.csv", rows)


def narrow_steps(to):
    rows = [["Id", "ActivityMinute", "Steps"]]
    for p in range(9):
        rng = random.Random(p)
        rows += [[1503960366 + 77777 * p, (D0 + i * MINUTE).strftime("%-m/%-d/%Y %-I:%M:%S %p"), moved(rng, (D0 + i * MINUTE).hour) // 20] for i in range(2 * 1440)]
    return table(to / "minuteStepsNarrow_merged.csv", rows)


def enmo_epochs(to):
    for p in range(8):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["timestamp", "ENMO", "anglez"]] + [[stamp(t + 5 * i * SECOND, "%Y-%m-%dT%H:%M:%S+0100"), f"{moved(rng, (t + 5 * i * SECOND).hour) / 9000:.4f}", f"{rng.uniform(-90, 90):.3f}"] for i in range(24 * 720)]
        table(to / "ms5.rawout" / f"ID{p:03d}_T1.csv", rows)
    return "ms5.rawout"


def night_stages(to):
    for p in range(11):
        rng = random.Random(p)
        t, stage, rows = dt.datetime(2023, 3, 1 + p, 22, 14), "Wach", [["Epoche", "Uhrzeit", "Stadium", "Körperlage"]]
        for i in range(900):
            stage = rng.choice(["Wach", "N1", "N2", "N3", "REM"]) if rng.random() < 0.08 else stage
            rows.append([i + 1, stamp(t + 30 * i * SECOND, "%H:%M:%S"), stage, rng.choice(["Rücken", "links", "rechts"])])
        table(to / "schlaflabor" / f"Nacht_{p:03d}.txt", rows, by=";", encoding="cp1252", before=["Schlafprofil", "Epochenlänge: 30 s"])
    return "schlaflabor"


def monitor_numerics(to):
    for p in range(10):
        rng = random.Random(p)
        rows = [["Time", "HR", "PULSE", "SpO2", "ABPSys"], ["sec", "bpm", "bpm", "%", "mmHg"]] + [[i, rng.randint(60, 110), rng.randint(60, 110), rng.randint(90, 100), rng.randint(90, 160)] for i in range(3000)]
        table(to / "numerics" / f"s{10000 + p}n.csv", rows)
    return "numerics"


def workbook_with_title(to):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Verlegungsliste 1. Quartal 2023"])
    sheet.append([])
    sheet.append(["Pat.-Nr.", "Station", "Verlegt am", "Grund"])
    for p in range(40):
        rng, times = walk(p, 4, 4000)
        for t in times:
            sheet.append([70000 + p, rng.choice(["A1", "B2", "ITS", "IMC"]), t, rng.choice(["Bett", "Verschlechterung", "Entlassung"])])
    book.save(to / "verlegungen.xlsx")
    return "verlegungen.xlsx"


def chest_reports(to):
    rng = random.Random(1)
    rows = [["uid", "MeSH", "Problems", "indication", "comparison", "findings", "impression"]]
    rows += [[i + 1, "normal", "normal", sentence(rng, 5), "None.", " ".join(sentence(rng, 12) for _ in range(4)), sentence(rng, 12)] for i in range(120)]
    return table(to / "indiana_reports.csv", rows)


def line_list(to):
    r = random.Random(1)
    rows = [["case_id", "age", "sex", "province", "date_onset", "date_admission", "date_confirmation", "outcome", "travel_history"]]
    rows += [[i + 1, r.randint(1, 90), r.choice(["male", "female"]), r.choice(["Hubei", "Zhejiang"]), stamp(D0 + (i % 40) * DAY, "%d.%m.%Y"), stamp(D0 + (i % 40 + 4) * DAY, "%d.%m.%Y"), stamp(D0 + (i % 40 + 6) * DAY, "%d.%m.%Y"), r.choice(["discharged", "died", ""]), ""] for i in range(250)]
    return table(to / "linelist.csv", rows)


def bank_indicators(to):
    r = random.Random(1)
    rows = [["Country Name", "Country Code", "Indicator Name", "Indicator Code", *(str(y) for y in range(1990, 2020))]]
    rows += [[f"Country {i}", f"C{i:02d}", "Mortality rate, under-5 (per 1,000 live births)", "SH.DYN.MORT", *(f"{r.uniform(3, 90):.1f}" for _ in range(30))] for i in range(60)]
    return table(to / "API_SH.DYN.MORT.csv", rows, before=['"Data Source","World Development Indicators",', "", '"Last Updated Date","2023-03-01",', ""])


def ambulance(to):
    rows = [["incident_number", "unit_callsign", "status", "status_time", "postcode"]]
    for p in range(90):
        rng = random.Random(p)
        t = D0 + p * HOUR
        for what in ("CALL", "DISPATCH", "MOBILE", "ON SCENE", "LEFT SCENE", "AT HOSPITAL", "CLEAR"):
            if rng.random() < 0.93:
                rows.append([f"I{220000 + p}", f"A{rng.randint(100, 130)}", what, stamp(t, "%d/%m/%Y %H:%M:%S"), rng.choice(["SW1", "N7"])])
            t += rng.randint(1, 25) * MINUTE
    return table(to / "cad_times.csv", rows)


def answers_long(to):
    rows = [["user", "survey", "question", "answer", "answered_at"]]
    for p in range(25):
        rng, times = walk(p, 14, 900)
        for t in times:
            rows += [[f"usr_{p:03d}", "evening", q, rng.randint(1, 7), stamp(t + i * SECOND, "%Y-%m-%dT%H:%M:%SZ")] for i, q in enumerate(("mood", "fatigue", "pain", "sleep"))]
    return table(to / "responses.csv", rows, by=";")


def dialysis(to):
    rows = [["patient", "session", "date", "pre_weight", "post_weight", "uf_volume", "pre_sbp", "post_sbp", "access"]]
    for p in range(30):
        rng = random.Random(p)
        rows += [[f"HD{p:03d}", i + 1, stamp(D0 + (7 * i // 3) * DAY, "%d %b %Y"), f"{rng.gauss(72, 2):.1f}", f"{rng.gauss(70, 2):.1f}", rng.randint(900, 3500), rng.randint(110, 180), rng.randint(95, 160), "AVF"] for i in range(36)]
    return table(to / "sessions.csv", rows)


def excel_separator_line(to):
    rows = [["Patient", "Ereignis", "Zeitpunkt", "Bemerkung", ""]]
    for p in range(40):
        rng, times = walk(p, 6, 800)
        rows += [[f"P-{p:04d}", rng.choice(["Aufnahme", "Labor", "Röntgen", "Visite", "Entlassung"]), stamp(t, "%d.%m.%y %H:%M"), "", ""] for t in times]
    return table(to / "export.csv", rows, by=";", encoding="cp1252", before=["sep=;"])


def commented_log(to):
    rows = [["participant", "timestamp", "app_category", "duration_ms"]]
    for p in range(15):
        rng, times = walk(p, 120, 100)
        rows += [[f"dev{p:02d}", int(t.timestamp() * 1000), rng.choice(["social", "news", "games", "health"]), f"{rng.randint(1000, 900000):,}"] for t in times]
    return table(to / "usage.tsv", rows, by="\t", before=["# exported by the study server", "# timezone: UTC"])


FOURTH = {
    days_since_enrolment: truth("activity/symbols/events", "PtID", value="GlucoseValue", never=("RecID",), run=None),
    transcriptions: truth("text", "", ask=True, text="transcription"),
    reaction_days: truth("series/activity/events/symbols/none", "Subject", never=("column 1",), run=None),
    concentrations: truth("series/activity/events/symbols/none", "Subject", never=("Wt", "Dose"), run=None),
    liver_visits: truth("series/activity/events/symbols/none", "id", never=("futime", "age", "trt"), run=None),
    framingham: truth("none", run=False),
    health_survey: truth("none", run=False),
    case_columns: truth("events", "case concept:name", ask=True, time="event time:timestamp", state="event concept:name", never=("event org:resource", "case diagnosis")),
    disco_export: truth("events", "Case ID", ask=True, time="Complete Timestamp", state="Activity", never=("Variant", "Variant index", "Resource")),
    inpatient_claims: truth("events", "DESYNPUF_ID", time="CLM_FROM_DT|CLM_ADMSN_DT|CLM_THRU_DT", never=("CLM_ID", "PRVDR_NUM"), state="ADMTNG_ICD9_DGNS_CD|CLM_DRG_CD|ICD9_DGNS_CD_1"),
    movement_features: truth("symbols/activity/events/none", "subject", run=None),
    eye_state: truth("symbols/none", "", run=False),
    heartbeat_matrix: truth("series", "each", ask=True),
    phone_accelerometer: truth("symbols/activity/events", "1", ask=True, run=None),
    depression_items: truth("none", run=False),
    narrow_steps: truth("activity", "Id", time="ActivityMinute", value="Steps"),
    enmo_epochs: truth("activity", "file", ask=True, time="timestamp", value="ENMO|anglez"),
    night_stages: truth("symbols/activity", "file", ask=True, never=("Körperlage",)),
    monitor_numerics: truth("symbols/activity", "file", ask=True, value="HR|PULSE|SpO2|ABPSys"),
    workbook_with_title: truth("events", "Pat.-Nr.", time="Verlegt am", state="Station|Grund"),
    chest_reports: truth("text", "uid", ask=True, text="findings|impression"),
    line_list: truth("none", run=False),
    bank_indicators: truth("none", run=False),
    ambulance: truth("events", "incident_number", ask=True, time="status_time", state="status", never=("unit_callsign", "postcode")),
    answers_long: truth("events", "user", time="answered_at", state="question|answer"),
    dialysis: truth("activity/events/symbols/none", "patient", never=("session",), run=None),
    excel_separator_line: truth("events", "Patient", time="Zeitpunkt", state="Ereignis"),
    commented_log: truth("events", "participant", time="timestamp", state="app_category"),
}
"""Public data sets and exports as they come."""


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


FIFTH = {
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
"""Other scripts, other stores and neighbours of health data."""


def visits(p, rng, least, most, gap):
    """Times of one person's visits, so many hours apart on average."""
    t = days(p, rng)
    for _ in range(rng.randint(least, most)):
        t += dt.timedelta(hours=max(0.2, rng.expovariate(1 / gap)))
        yield t


def minutely_steps(to):
    (to / "steps").mkdir()
    for p in range(12):
        rng, text = random.Random(p), io.StringIO()
        t, out = days(p, rng), csv.writer(text)
        out.writerow(["time", "Steps", "ENMO(mg)"])
        for i in range(3 * 1440):
            when = t + i * MINUTE
            out.writerow([stamp(when), moved(rng, when.hour) // 20, f"{rng.expovariate(1 / 25):.3f}"])
        (to / "steps" / f"P{p + 1:03d}-Minutely.csv.gz").write_bytes(gzip.compress(text.getvalue().encode()))
    return "steps"


def awd_files(to):
    (to / "awd").mkdir()
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        lines = [f"SUBJ{p:02d}", stamp(t, "%d-%b-%Y"), stamp(t, "%H:%M"), "4", "44", "V812345", "M"]
        lines += [str(moved(rng, (t + i * MINUTE).hour)) for i in range(3 * 1440)]
        (to / "awd" / f"subj{p:02d}.AWD").write_text("\r\n".join(lines) + "\r\n")
    return "awd"


def ggir_epochs(to):
    for p in range(12):
        rng = random.Random(p)
        t, rows = days(p, rng), [["timenum", "ACC", "SleepPeriodTime", "invalidepoch", "guider", "window", "class_id", "angle"]]
        for i in range(3 * 1440):
            when = t + i * MINUTE
            night = int(when.hour < 7)
            rows.append([int((when - EPOCH).total_seconds()), f"{rng.expovariate(1 / (6 if night else 40)):.2f}", night, 0, "setwindow", i // 1440 + 1, 0 if night else rng.choice([5, 5, 6, 7, 9]), f"{rng.uniform(-80, 80):.1f}"])
        table(to / "timeseries" / f"{1000 + p}_WW_L40M100V400_T5A5.csv", rows)
    return "timeseries"


def ggir_days(to):
    rows = [["ID", "filename", "calendar_date", "bodylocation", "N valid hours", "N hours", "weekday", "measurementday", "mean_ENMO_mg_0-24hr", "M5_ENMO_mg_0-24hr", "L5_ENMO_mg_0-24hr", "M5hr"]]
    for p in range(30):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[f"GG{p:03d}", f"GG{p:03d}_day1.cwa.RData", stamp(t + d * DAY, "%Y-%m-%d"), "not extracted", 24, 24, stamp(t + d * DAY, "%A"), d + 1, f"{rng.gauss(28, 5):.2f}", f"{rng.gauss(80, 15):.2f}", f"{rng.gauss(3, 1):.2f}", f"{rng.uniform(8, 20):.2f}"] for d in range(7)]
    return table(to / "part2_daysummary.csv", rows)


def actical_epochs(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        before = ["Actical Exported Data", f"Identity: AC{p:02d}", "Age: 9 years", "Gender: Female", "Height: 131 cm", "Weight: 29 kg", f"Start Date: {stamp(t, '%d-%b-%y')}", f"Start Time: {stamp(t, '%H:%M')}", "Epoch Length: 1 minute", ""]
        rows = [["Epoch#", "Day#", "Elapsed Seconds", "Date", "Time", "Activity Counts", "Steps", "Energy Expenditure (kcals/min/kg)", "Activity Intensity"]]
        for i in range(3 * 1440):
            when = t + i * MINUTE
            n = moved(rng, when.hour)
            rows.append([i + 1, i // 1440 + 1, 60 * i, stamp(when, "%d-%b-%y"), stamp(when, "%H:%M"), n, n // 50, f"{n / 90000:.4f}", 0 if n < 1 else 1 if n < 400 else 2])
        table(to / "actical" / f"AC{p:02d}_1min.csv", rows, before=before)
    return "actical"


def fitbit_nights(to):
    for p in range(14):
        rng = random.Random(p)
        rows = [["Start Time", "End Time", "Minutes Asleep", "Minutes Awake", "Number of Awakenings", "Time in Bed", "Minutes REM Sleep", "Minutes Light Sleep", "Minutes Deep Sleep"]]
        for d in range(28):
            t = D0 + d * DAY + rng.randint(22 * 60, 25 * 60) * MINUTE
            n = rng.randint(330, 520)
            rows.append([stamp(t, "%Y-%m-%d %I:%M%p"), stamp(t + n * MINUTE, "%Y-%m-%d %I:%M%p"), n - 40, 40, rng.randint(3, 40), n, n // 5, n // 2, n // 6])
        table(to / "fitbit" / f"fitbit_export_user{p + 1}.csv", rows, before=["Sleep"])
    return "fitbit"


def diasend(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["Time", "mmol/L"]]
        rows += [[stamp(t + 5 * i * MINUTE, "%d/%m/%Y %H:%M"), f"{sugar(rng, 5 * i, 150) / 18:.1f}"] for i in range(3 * 288)]
        table(to / "diasend" / f"patient_{p:02d}_cgm.csv", rows, before=["Name,", f"Serial number,SM{5000 + p}"])
    return "diasend"


def public_cgm(to):
    rows = [["PtID", "Period", "RecID", "DataDtTm", "CGM", "Unit", "ParentHDeviceUploadsID"]]
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[p + 3, "1. Baseline" if i < 288 else "2. Post", 100000 * p + i, stamp(t + 5 * i * MINUTE, "%m/%d/%Y %I:%M:%S %p"), sugar(rng, 5 * i, 155), "mg/dL", 900 + p] for i in range(3 * 288)]
    return table(to / "IOBP2DeviceCGM.txt", rows, by="|")


def guardian_connect(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        before = ["Last Name;First Name;Patient ID;System ID;Start Date;End Date;Device;Hardware Version", ";;;;2022/05/02 00:00;2022/08/02 00:00;Guardian;A1", "", "Device data shown may exceed selected date range.", "", f"-------;Guardian Connect;Sensor;GC{300 + p};-------"]
        rows = [["Index", "Date", "Time", "New Device Time", "BG Reading (mg/dL)", "Event Marker", "Sensor Calibration BG (mg/dL)", "Sensor Glucose (mg/dL)", "ISIG Value"]]
        for i in range(3 * 288):
            when = t + 5 * i * MINUTE
            finger = rng.random() < 0.01
            rows.append([f"{i},00000", stamp(when, "%Y/%m/%d"), stamp(when, "%H:%M:%S"), "", 120 if finger else "", "Meal: 40,00 grams" if rng.random() < 0.01 else "", "", "" if finger else f"{sugar(rng, 5 * i, 150)},00", f"{rng.uniform(10, 40):.2f}".replace(".", ",")])
        table(to / "guardian" / f"export {p + 1}.csv", rows, by=";", before=before)
    return "guardian"


def glimp(to):
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["+", stamp(t + 15 * i * MINUTE, "%d/%m/%Y %H.%M.%S"), "", "", "", f"{sugar(rng, 15 * i, 140)}", f"{sugar(rng, 15 * i, 140) + 2}", 6, "E007A0001", "", 0] for i in range(4 * 96)]
        table(to / "glimp" / f"user{p}_GlicemiaMisurazioni.csv", rows, by=";", encoding="utf-16")
    return "glimp"


def glucose_days_wide(to):
    rows = [["subject_id", "date", *(f"{h:02d}:{m:02d}" for h in range(24) for m in (0, 15, 30, 45))]]
    for p in range(20):
        rng = random.Random(p)
        rows += [[f"W{p:02d}", stamp(D0 + d * DAY, "%Y-%m-%d"), *(sugar(rng, 15 * i, 150) for i in range(96))] for d in range(4)]
    return table(to / "cgm_daily_wide.csv", rows)


def health_app_hours(to):
    for p in range(12):
        rng = random.Random(p)
        rows = [["Start", "Finish", "Heart Rate (count/min)", "Steps (count)", "Distance (mi)"]]
        for i in range(6 * 24):
            t = D0 + i * HOUR
            rows.append([stamp(t, "%d-%b-%Y %H:%M"), stamp(t + HOUR, "%d-%b-%Y %H:%M"), f"{rng.gauss(58 if t.hour < 6 else 82, 9):.2f}", 0 if t.hour < 6 else rng.randint(0, 2500), f"{rng.random():.3f}"])
        table(to / "qs" / f"health_data_{p:02d}.csv", rows)
    return "qs"


def workouts(to):
    for p in range(12):
        rng = random.Random(p)
        rows = [["Activity Type", "Date", "Favorite", "Title", "Distance", "Calories", "Time", "Avg HR", "Max HR", "Avg Pace"]]
        for t in visits(p, rng, 20, 45, 50):
            what = rng.choice(["Running", "Cycling", "Pool Swimming", "Strength Training"])
            rows.append([what, stamp(t), "false", f"Town {what}", f"{rng.uniform(2, 30):.2f}", rng.randint(100, 900), f"00:{rng.randint(20, 59)}:{rng.randint(10, 59)}", rng.randint(110, 160), rng.randint(150, 190), f"{rng.randint(4, 7)}:{rng.randint(10, 59)}"])
        table(to / "garmin" / f"Activities_{p + 1:02d}.csv", rows)
    return "garmin"


def night_spans(to):
    rows = [["participant", "start_time", "end_time", "stage"]]
    for p in range(20):
        rng = random.Random(p)
        for d in range(6):
            t = D0 + d * DAY + rng.randint(1300, 1500) * MINUTE
            for _ in range(20):
                n = rng.randint(5, 45)
                rows.append([f"MB{p:02d}", stamp(t), stamp(t + n * MINUTE), rng.choice(["light", "deep", "rem", "awake"])])
                t += n * MINUTE
    return table(to / "sleep_segments.csv", rows)


def muse_headband(to):
    for p in range(10):
        rng = random.Random(p)
        t = dt.datetime(2022, 5, 2 + p, 10)
        rows = [["TimeStamp", "Delta_TP9", "Alpha_TP9", "RAW_TP9", "RAW_AF7", "RAW_AF8", "RAW_TP10", "HeadBandOn", "HSI_TP9", "Battery", "Elements"]]
        rows += [[(t + i * 4 * SECOND / 1000).isoformat(" ", "milliseconds"), f"{rng.random():.5f}", f"{rng.random():.5f}", *(f"{rng.gauss(800, 30):.4f}" for _ in range(4)), 1, 1, 85, ""] for i in range(2500)]
        table(to / "muse" / f"mindMonitor_{p:02d}.csv", rows)
    return "muse"


def openbci(to):
    for p in range(10):
        rng = random.Random(p)
        before = ["%OpenBCI Raw EXG Data", "%Number of channels = 4", "%Sample Rate = 200 Hz", "%Board = OpenBCI_GUI$BoardGanglion"]
        rows = [["Sample Index", *(f" EXG Channel {c}" for c in range(4)), " Timestamp"]]
        rows += [[i % 200, *(f" {rng.gauss(0, 40):.6f}" for _ in range(4)), f" {1651480000 + i / 200:.6f}"] for i in range(3000)]
        table(to / "bci" / f"OpenBCI-RAW-s{p + 1}.txt", rows, before=before)
    return "bci"


def oximeter(to):
    for p in range(14):
        rng = random.Random(p)
        t = D0 + p * DAY + 23 * HOUR
        rows = [["Time", "Oxygen Level", "Pulse Rate", "Motion", "O2 Reminder", "PR Reminder"]]
        rows += [[stamp(t + 4 * i * SECOND, "%H:%M:%S %b %d %Y"), min(99, round(rng.gauss(95, 2))), round(rng.gauss(62, 6)), rng.choice([0, 0, 0, 3, 12]), 0, 0] for i in range(7 * 900)]
        table(to / "o2ring" / f"O2Ring_{1200 + p}_night.csv", rows)
    return "o2ring"


def recordings_edf(to):
    (to / "psg").mkdir()
    for p in range(9):
        rng, seconds, rate = random.Random(p), 60, 50
        head = f"{'0':8}{'X X X X':80}{'Startdate 02-MAY-2022 X X X':80}{'02.05.22':8}{'22.10.00':8}{512:<8}{'':44}{seconds:<8}{1:<8}{1:<4}"
        head += f"{'EEG Fpz-Cz':16}{'AgAgCl':80}{'uV':8}{-200:<8}{200:<8}{-2048:<8}{2047:<8}{'':80}{rate:<8}{'':32}"
        wave = [int(400 * math.sin(i / (4 + p % 3)) + rng.gauss(0, 90)) for i in range(seconds * rate)]
        (to / "psg" / f"SC4{p:03d}.edf").write_bytes(head.encode() + struct.pack(f"<{len(wave)}h", *wave))
    return "psg"


def triage_vitals(to):
    rows = [["subject_id", "stay_id", "charttime", "temperature", "heartrate", "resprate", "o2sat", "sbp", "dbp", "rhythm", "pain"]]
    for p in range(50):
        rng = random.Random(p)
        rows += [[10000000 + 917 * p, 30000000 + 31 * p, stamp(t), f"{rng.gauss(98.2, 0.7):.1f}", rng.randint(55, 130), rng.randint(12, 26), rng.randint(90, 100), rng.randint(90, 180), rng.randint(50, 99), rng.choice(["", "", "", "Sinus Rhythm"]), rng.randint(0, 10)] for t in visits(p, rng, 3, 9, 1.5)]
    return table(to / "vitalsign.csv", rows)


def input_events(to):
    rows = [["subject_id", "hadm_id", "stay_id", "caregiver_id", "starttime", "endtime", "storetime", "itemid", "amount", "amountuom", "rate", "rateuom", "orderid", "ordercategoryname", "patientweight", "statusdescription"]]
    for p in range(40):
        rng = random.Random(p)
        for t in visits(p, rng, 8, 30, 3):
            rows.append([10000000 + 917 * p, 20000000 + p, 30000000 + p, rng.randint(10000, 99999), stamp(t), stamp(t + 2 * HOUR), stamp(t + 3 * MINUTE), rng.choice([225158, 220949, 221906, 222168, 225943]), f"{rng.uniform(1, 500):.4f}", "ml", f"{rng.uniform(1, 90):.3f}", "mL/hour", rng.randint(10**6, 10**7), rng.choice(["01-Drips", "02-Fluids (Crystalloids)", "05-Med Bolus"]), 60 + p, "FinishedRunning"])
    return table(to / "inputevents.csv", rows)


def diagnosis_order(to):
    rows = [["subject_id", "hadm_id", "seq_num", "icd_code", "icd_version"]]
    for p in range(80):
        rng = random.Random(p)
        for h in range(rng.randint(1, 3)):
            rows += [[10000000 + 917 * p, 20000000 + 10 * p + h, i + 1, rng.choice(["I10", "E119", "N179", "J189", "I5020", "Z7901"]), 10] for i in range(rng.randint(3, 9))]
    return table(to / "diagnoses_icd.csv", rows)


def practice_observations(to):
    rows = [["patid", "consid", "pracid", "obsid", "obsdate", "enterdate", "staffid", "parentobsid", "medcodeid", "value", "numunitid", "obstypeid", "numrangelow", "numrangehigh", "probobsid"]]
    for p in range(60):
        rng = random.Random(p)
        for t in visits(p, rng, 5, 25, 900):
            rows.append([f"{6000000000 + 37 * p}{20000 + p % 5}", f"{8000000 + len(rows)}", 20000 + p % 5, f"{9000000000 + 13 * len(rows)}", stamp(t, "%d/%m/%Y"), stamp(t + DAY, "%d/%m/%Y"), 500 + p % 7, "", rng.choice(["253677014", "457939013", "216743010", "254061018"]), rng.choice(["", "", f"{rng.uniform(1, 200):.1f}"]), rng.choice(["", "218"]), rng.choice([4, 5, 7, 10]), "", "", ""])
    return table(to / "Observation_001.txt", rows, by="\t")


def hospital_episodes(to):
    rows = [["PSEUDO_HESID", "EPIKEY", "ADMIDATE", "EPISTART", "EPIEND", "DISDATE", "EPIORDER", "ADMIMETH", "MAINSPEF", "DIAG_01", "DIAG_02", "OPERTN_01", "PROCODE3", "STARTAGE", "SEX", "IMD04_DECILE"]]
    for p in range(70):
        rng = random.Random(p)
        for t in visits(p, rng, 2, 8, 2000):
            rows.append([f"TEST{p:05d}Z", f"{500000000000 + 7 * len(rows)}", stamp(t, "%d/%m/%Y"), stamp(t, "%d/%m/%Y"), stamp(t + 2 * DAY, "%d/%m/%Y"), stamp(t + 2 * DAY, "%d/%m/%Y"), 1, rng.choice(["11", "21", "12"]), rng.choice(["100", "300", "430", "502"]), rng.choice(["I21.9", "J18.9", "K35.8", "C50.9"]), rng.choice(["I10X", "E11.9", ""]), rng.choice(["-", "X99.8"]), rng.choice(["RJ1", "RRK"]), 30 + p % 50, 1 + p % 2, 1 + p % 10])
    return table(to / "hes_apc.csv", rows)


def french_stays_digits(to):
    rows = [["NUM_PATIENT", "NUM_RSS", "DATE_ENTREE", "DATE_SORTIE", "MODE_ENTREE", "UNITE_MEDICALE", "DIAG_PRINCIPAL", "GHM", "CODE_POSTAL"]]
    for p in range(60):
        rng = random.Random(p)
        for t in visits(p, rng, 2, 7, 1500):
            rows.append([f"{8000 + p}", f"{700000 + len(rows)}", stamp(t, "%d%m%Y"), stamp(t + 3 * DAY, "%d%m%Y"), rng.choice([8, 7, 6]), rng.choice(["CHIR", "MED", "RÉA", "URG"]), rng.choice(["I500", "J440", "K359"]), rng.choice(["05M092", "04M053", "06C091"]), rng.choice(["69003", "38000"])])
    return table(to / "rss_export.csv", rows, by=";", encoding="cp1252")


def spanish_discharges(to):
    rows = [["NHC", "Sexo", "Fecha nacimiento", "Fecha ingreso", "Fecha alta", "Servicio", "Diagnóstico principal", "Tipo alta", "Médico"]]
    for p in range(60):
        rng = random.Random(p)
        for t in visits(p, rng, 2, 6, 3000):
            rows.append([f"{450000 + 3 * p}", "Varón" if p % 2 else "Mujer", f"12/03/{1940 + p % 50}", stamp(t, "%d/%m/%Y"), stamp(t + 4 * DAY, "%d/%m/%Y"), rng.choice(["Cardiología", "Cirugía", "Urgencias", "Neumología"]), rng.choice(["I50.9", "J44.1", "K80.2"]), rng.choice(["Domicilio", "Traslado"]), f"Med{rng.randint(1, 40)}"])
    return table(to / "cmbd_altas.csv", rows, by=";", encoding="latin-1")


def german_vitals_long(to):
    rows = [["PatNr", "FallNr", "Messzeitpunkt", "Parameter", "Wert", "Einheit", "Station", "erfasst von"]]
    for p in range(35):
        rng = random.Random(p)
        for t in visits(p, rng, 15, 40, 3):
            rows.append([770000 + p, 2200000 + 3 * p, stamp(t, "%d.%m.%Y %H:%M"), rng.choice(["Puls", "RR sys", "RR dia", "Temperatur", "SpO2"]), f"{rng.uniform(36, 130):.1f}".replace(".", ","), rng.choice(["1/min", "mmHg", "°C", "%"]), rng.choice(["A1", "B2"]), rng.choice(["mue", "sch", "bau"])])
    return table(to / "Vitalwerte.csv", rows, by=";", encoding="cp1252")


def flattened_results(to):
    rows = [["PID.3", "PV1.19", "OBR.3", "OBR.7", "OBX.3.1", "OBX.3.2", "OBX.5", "OBX.6", "OBX.8"]]
    for p in range(40):
        rng = random.Random(p)
        for t in visits(p, rng, 4, 14, 40):
            code, name = rng.choice([("718-7", "Hemoglobin"), ("2160-0", "Creatinine"), ("2951-2", "Sodium"), ("2823-3", "Potassium")])
            rows.append([f"MRN{40000 + p}", f"V{90000 + p}", f"ACC{len(rows):07d}", stamp(t, "%Y%m%d%H%M"), code, name, f"{rng.uniform(1, 140):.1f}", "mmol/L", rng.choice(["", "H", "L"])])
    return table(to / "oru.psv", rows, by="|")


def drug_exposures(to):
    rows = [["drug_exposure_id", "person_id", "drug_concept_id", "drug_exposure_start_date", "drug_exposure_end_date", "drug_type_concept_id", "quantity", "days_supply", "visit_occurrence_id"]]
    for p in range(60):
        rng = random.Random(p)
        rows += [[len(rows) + i, p + 11, rng.choice([1125315, 19078461, 40213154, 1713332]), stamp(t, "%Y-%m-%d"), stamp(t + 30 * DAY, "%Y-%m-%d"), 38000177, 30, 30, 5000 + 7 * p + i] for i, t in enumerate(visits(p, rng, 3, 15, 900))]
    return table(to / "drug_exposure.csv", rows)


def procedures_done(to):
    rows = [["START", "STOP", "PATIENT", "ENCOUNTER", "SYSTEM", "CODE", "DESCRIPTION", "BASE_COST", "REASONCODE", "REASONDESCRIPTION"]]
    for p in range(50):
        rng = random.Random(p)
        name = "-".join(f"{rng.getrandbits(32):08x}" for _ in range(4))
        for t in visits(p, rng, 3, 14, 3000):
            code, words = rng.choice([(430193006, "Medication Reconciliation"), (76601001, "Intramuscular injection"), (399208008, "Plain chest X-ray"), (710824005, "Assessment of health")])
            rows.append([stamp(t, "%Y-%m-%dT%H:%M:%SZ"), stamp(t + 20 * MINUTE, "%Y-%m-%dT%H:%M:%SZ"), name, f"{rng.getrandbits(64):016x}", "SNOMED-CT", code, words, f"{rng.uniform(100, 900):.2f}", "", ""])
    return table(to / "procedures.csv", rows)


def sas_dates(to):
    rows = [["DIAGNOSISID", "PATID", "ENCOUNTERID", "ENC_TYPE", "ADMIT_DATE", "PROVIDERID", "DX", "DX_TYPE", "PDX"]]
    for p in range(60):
        rng = random.Random(p)
        rows += [[f"D{p}_{i}", f"PT{p:06d}", f"E{p}_{i}", rng.choice(["AV", "IP", "ED"]), stamp(t, "%d%b%Y").upper(), f"PR{rng.randint(1, 50)}", rng.choice(["E11.9", "I10", "F32.9", "M54.5"]), "10", rng.choice("PS")] for i, t in enumerate(visits(p, rng, 3, 12, 1500))]
    return table(to / "diagnosis.csv", rows)


def redcap_no_dates(to):
    rows = [["record_id", "redcap_event_name", "hb", "crp", "weight", "vitals_complete"]]
    for p in range(40):
        rng = random.Random(p)
        rows += [[f"12-{p + 1}", f"{e}_arm_1", f"{rng.gauss(13, 1):.1f}", f"{rng.expovariate(0.1):.1f}", rng.randint(50, 99), 2] for e in ("baseline", "month_1", "month_3", "month_6")]
    return table(to / "DATA_2022-05-02.csv", rows)


def xes_gz(to):
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<log xes.version="1.0" xmlns="http://www.xes-standard.org/">']
    for p in range(60):
        rng = random.Random(p)
        lines.append(f'<trace><string key="concept:name" value="C{p}"/>')
        lines += [f'<event><string key="concept:name" value="{rng.choice(["Register", "Triage", "Lab", "X-ray", "Discharge"])}"/><date key="time:timestamp" value="{t.isoformat()}+00:00"/></event>' for t in visits(p, rng, 3, 9, 2)]
        lines.append("</trace>")
    (to / "hospital.xes.gz").write_bytes(gzip.compress("\n".join([*lines, "</log>"]).encode()))
    return "hospital.xes.gz"


def sepsis_log(to):
    rows = [["case_id", "activity", "lifecycle:transition", "timestamp", "org:group", "Age", "Leucocytes", "CRP", "LacticAcid", "DiagnosticBlood"]]
    for p in range(70):
        rng = random.Random(p)
        for t in visits(p, rng, 4, 14, 6):
            what = rng.choice(["ER Registration", "ER Triage", "Leucocytes", "CRP", "LacticAcid", "IV Antibiotics", "Release A"])
            rows.append([f"{p:03X}A", what, "complete", stamp(t, "%Y-%m-%dT%H:%M:%S+01:00"), rng.choice("ABCE"), 40 + p % 50, f"{rng.random() * 20:.1f}" if what == "Leucocytes" else "", rng.randint(1, 200) if what == "CRP" else "", "", "True"])
    return table(to / "sepsis.csv", rows)


def access_log(to):
    rows = [["ACCESS_TIME", "USER_ID", "PAT_ID", "CSN", "METRIC_NAME", "WORKSTATION_ID"]]
    for p in range(25):
        rng = random.Random(p)
        rows += [[stamp(t), f"U{rng.randint(1, 30):03d}", f"Z{7000 + p}", 10000 + p, rng.choice(["Chart review", "Login", "Orders", "Notes viewed", "MAR"]), f"WS{rng.randint(1, 90)}"] for t in visits(p, rng, 20, 60, 2)]
    return table(to / "access_log.csv", sorted(rows[1:]) and [rows[0], *sorted(rows[1:])])


def medication_given(to):
    rows = [["Patient", "Scheduled", "Administered", "Medication", "Dose", "Unit", "Route", "Status", "Nurse"]]
    for p in range(40):
        rng = random.Random(p)
        for t in visits(p, rng, 10, 40, 6):
            given = rng.random() < 0.9
            rows.append([f"PX-{p:03d}", stamp(t, "%m/%d/%y %H:%M"), stamp(t + 10 * MINUTE, "%m/%d/%y %H:%M") if given else "", rng.choice(["Paracetamol", "Heparin", "Metoprolol", "Insulin aspart"]), rng.choice([1, 2, 500, 5000]), rng.choice(["mg", "IU"]), rng.choice(["PO", "SC", "IV"]), "Given" if given else "Held", f"RN{rng.randint(1, 20)}"])
    return table(to / "emar.csv", rows)


def diary_codes(to):
    rows = [["hldid", "persid", "diary", *(f"main{i}" for i in range(1, 145))]]
    for p in range(50):
        rng = random.Random(p)
        codes = [2 if i < 20 else 7 for i in range(144)]
        for i in range(20, 144):
            codes[i] = rng.choice([7, 15, 38, 60, 62, 5]) if rng.random() < 0.2 else codes[i - 1]
        rows.append([300 + p // 2, p + 1, 1, *codes])
    return table(to / "time_use_episodes.csv", rows)


def school_to_work(to):
    months = [f"{m}.{y}" for y in (93, 94, 95, 96) for m in ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")]
    rows = [["id", "weight", "male", "catholic", *months]]
    for p in range(90):
        rng, what = random.Random(p), "school"
        row = [p + 1, f"{rng.uniform(0.2, 2):.2f}", rng.choice(["yes", "no"]), rng.choice(["yes", "no"])]
        for _ in months:
            what = rng.choice(["school", "training", "employment", "joblessness", "FE", "HE"]) if rng.random() < 0.08 else what
            row.append(what)
        rows.append(row)
    return table(to / "mvad.csv", rows)


def notes_xml(to):
    (to / "notes").mkdir()
    for p in range(30):
        rng = random.Random(p)
        body = "\n".join(sentence(rng, 14) for _ in range(8))
        (to / "notes" / f"{100 + p}-01.xml").write_text(f'<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n<TEXT><![CDATA[\nRecord date: 2070-01-{p % 28 + 1:02d}\n{body}\n]]></TEXT>\n<TAGS></TAGS>\n</deIdi2b2>\n')
    return "notes"


def discharge_table(to):
    rows = [["note_id", "subject_id", "hadm_id", "note_type", "note_seq", "charttime", "storetime", "text"]]
    for p in range(40):
        rng = random.Random(p)
        for i in range(2):
            text = " \nName:  ___                  Unit No:   ___\n \nChief Complaint:\n" + "\n".join(sentence(rng, 12) for _ in range(9))
            rows.append([f"{10000000 + p}-DS-{i}", 10000000 + p, 22000000 + 2 * p + i, "DS", 20 + i, stamp(D0 + i * DAY), stamp(D0 + i * DAY), text])
    return table(to / "discharge.csv", rows)


def german_progress_tsv(to):
    rows = [["PatientenID", "Datum", "Fachbereich", "Verlaufsnotiz"]]
    for p in range(30):
        rng = random.Random(p)
        rows += [[f"PSY{p:03d}", stamp(t, "%d.%m.%Y"), "Psychiatrie", " ".join(sentence(rng, 13) for _ in range(4))] for t in visits(p, rng, 2, 4, 90)]
    return table(to / "verlauf.tsv", rows, by="\t")


def letters_docx(to):
    (to / "briefe").mkdir()
    for p in range(15):
        rng = random.Random(p)
        body = "".join(f"<w:p><w:r><w:t>{sentence(rng, 14)}</w:t></w:r></w:p>" for _ in range(8))
        with zipfile.ZipFile(to / "briefe" / f"Brief_{p + 1:02d}.docx", "w") as z:
            z.writestr("[Content_Types].xml", '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>')
            z.writestr("_rels/.rels", '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>')
            z.writestr("word/document.xml", f'<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>')
    return "briefe"


def visit_dialogues(to):
    rng = random.Random(1)
    rows = [["ID", "section_header", "section_text", "dialogue"]]
    rows += [[i, rng.choice(["GENHX", "ROS", "ALLERGY", "FAM/SOCHX"]), sentence(rng, 25), "\r\n".join(f"{'Doctor' if k % 2 == 0 else 'Patient'}: {sentence(rng, 10)}" for k in range(10))] for i in range(120)]
    return table(to / "dialogues.csv", rows)


def text_messages(to):
    rows = [["participant_id", "sent", "direction", "body"]]
    for p in range(25):
        rng = random.Random(p)
        rows += [[f"T{p:02d}", stamp(t, "%Y-%m-%d %H:%M"), rng.choice(["in", "out"]), sentence(rng, rng.randint(6, 22))] for t in visits(p, rng, 10, 25, 9)]
    return table(to / "messages.csv", rows)


def panel_waves(to):
    rows = [["pid", "sex", "yob", *(f"bmi_w{w}" for w in range(1, 9))]]
    for p in range(90):
        rng = random.Random(p)
        base = rng.gauss(26, 4)
        rows.append([10101 + 10 * p, 1 + p % 2, 1940 + p % 50, *(f"{base + w / 5 + rng.gauss(0, 0.6):.1f}" for w in range(8))])
    return table(to / "panel_wide.csv", rows)


def seizures_by_month(to):
    rows = [["patient_id", "drug", *(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])]]
    for p in range(60):
        rng = random.Random(p)
        rows.append([f"EP{p:03d}", rng.choice(["LEV", "VPA"]), *(rng.randint(0, 14) for _ in range(12))])
    return table(to / "seizure_counts.csv", rows)


def days_workbook(to):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "NRS Schmerz"
    sheet.append(["Studienteilnehmer", "Gruppe", *(f"Tag {d}" for d in range(1, 15))])
    for p in range(48):
        rng = random.Random(p)
        sheet.append([f"ST-{p + 1:03d}", rng.choice(["A", "B"]), *(max(0, min(10, round(rng.gauss(6 - d / 3, 1.5)))) for d in range(14))])
    book.save(to / "Schmerz_NRS.xlsx")
    return "Schmerz_NRS.xlsx"


def person_sheets(to):
    book = openpyxl.Workbook()
    for p in range(9):
        rng = random.Random(p)
        sheet = book.active if p == 0 else book.create_sheet()
        sheet.title = f"Subject {p + 1}"
        sheet.append(["Time", "HR"])
        for i in range(300):
            sheet.append([D0 + i * MINUTE, round(rng.gauss(75, 8))])
    book.save(to / "heart_rates.xlsx")
    return "heart_rates.xlsx"


def statistics_file(to):
    (to / "survey.sav").write_bytes(b"$FL2@(#) SPSS DATA FILE MS Windows 25.0" + random.Random(1).randbytes(9000))
    return "survey.sav"


def rest_or_awake(to):
    rows = [["subject", "timestamp", "awake"]]
    for p in range(14):
        rng = random.Random(p)
        t, state = days(p, rng), 1
        for i in range(2 * 1440):
            when = t + i * MINUTE
            state = int(7 <= when.hour < 23) if rng.random() < 0.3 else state
            rows.append([f"RA{p:02d}", stamp(when), state])
    return table(to / "sleepwake.csv", rows)


def bed_sensor_json(to):
    for p in range(9):
        rng = random.Random(p)
        (to / "emfit").mkdir(exist_ok=True)
        data = [[1651480000 + 4 * i, rng.randint(45, 90), f"{rng.uniform(9, 18):.1f}", rng.randint(0, 200)] for i in range(5000)]
        (to / "emfit" / f"device_{p}.json").write_text(json.dumps({"device": p, "from": 1651480000, "calc_data": data}))
    return "emfit"


def minutes_of_days(to):
    rows = [["SEQN", "PAXDAYM", "PAXDAYWM", *(f"min_{m}" for m in range(1, 1441))]]
    for p in range(20):
        rng = random.Random(p)
        rows += [[62161 + p, d, (p + d) % 7 + 1, *(moved(rng, m // 60) for m in range(1440))] for d in range(1, 4)]
    return table(to / "nhanes_1440_AC.csv", rows)


def reference_ranges(to):
    r = random.Random(1)
    rows = [["LOINC_NUM", "COMPONENT", "PROPERTY", "SYSTEM", "UNIT", "LOW", "HIGH", "STATUS"]]
    rows += [[f"{1000 + 3 * i}-{i % 9}", sentence(r, 3), "MCnc", r.choice(["Bld", "Ser/Plas"]), "mg/dL", r.randint(1, 90), r.randint(91, 300), "ACTIVE"] for i in range(300)]
    return table(to / "loinc_ranges.csv", rows)


def cost_weights(to):
    r = random.Random(1)
    rows = [["DRG", "Partition", "Bezeichnung", "Bewertungsrelation", "Mittlere Verweildauer", "Untere Grenzverweildauer", "Obere Grenzverweildauer"]]
    rows += [[f"{r.choice('ABFIG')}{10 + i % 90}{r.choice('ABZ')}", r.choice("OMA"), sentence(r, 6), f"{r.uniform(0.2, 9):.3f}".replace(".", ","), f"{r.uniform(2, 20):.1f}".replace(".", ","), r.randint(1, 4), r.randint(8, 40)] for i in range(200)]
    return table(to / "Fallpauschalenkatalog.csv", rows, by=";", encoding="cp1252")


def department_costs(to):
    rows = [["Kostenstelle", "Bezeichnung", "Monat", "Personalkosten", "Sachkosten", "Fallzahl"]]
    rng = random.Random(1)
    rows += [[9000 + c, f"Station {c}", f"{m:02d}/2022", f"{rng.uniform(8e4, 3e5):.2f}".replace(".", ","), f"{rng.uniform(1e4, 9e4):.2f}".replace(".", ","), rng.randint(40, 300)] for c in range(14) for m in range(1, 13)]
    return table(to / "kosten.csv", rows, by=";")


def short_form(to):
    rows = [["patient_id", "completed_on", *(f"SF36_{i}" for i in range(1, 37))]]
    for p in range(120):
        rng = random.Random(p)
        rows.append([f"Q{p:04d}", stamp(D0 + p * DAY, "%Y-%m-%d"), *(rng.randint(1, 5) for _ in range(36))])
    return table(to / "sf36.csv", rows)


def survival(to):
    rows = [["inst", "time", "status", "age", "sex", "ph.ecog", "ph.karno", "pat.karno", "meal.cal", "wt.loss"]]
    r = random.Random(1)
    rows += [[r.randint(1, 33), r.randint(5, 1000), r.choice([1, 2]), r.randint(40, 82), r.choice([1, 2]), r.randint(0, 3), r.choice([60, 70, 80, 90]), r.choice([60, 70, 80, 90]), r.choice(["NA", 1175, 825]), r.randint(-10, 40)] for _ in range(228)]
    return table(to / "lung.csv", rows)


def births(to):
    rows = [["birth_id", "dob", "mother_age", "gestation_weeks", "weight_g", "apgar1", "apgar5", "delivery", "sex"]]
    r = random.Random(1)
    rows += [[i + 1, stamp(D0 + i * HOUR, "%Y-%m-%d"), r.randint(17, 45), r.randint(30, 42), r.randint(1500, 4600), r.randint(3, 10), r.randint(6, 10), r.choice(["vaginal", "caesarean"]), r.choice("mf")] for i in range(300)]
    return table(to / "births.csv", rows)


def pictures(to):
    (to / "scans").mkdir()
    for i in range(12):
        (to / "scans" / f"img_{i:03d}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + random.Random(i).randbytes(3000))
    (to / "scans" / "README.md").write_text("# Scans\n\nTwelve pictures.\n")
    return "scans"


def analysis_config(to):
    (to / "config.json").write_text(json.dumps({"study": "demo", "seed": 3, "models": [{"name": "lr", "c": 1.0}, {"name": "rf", "trees": 500}], "paths": {"in": "data", "out": "results"}}, indent=2))
    return "config.json"


def meta_analysis(to):
    r = random.Random(1)
    rows = [["study", "year", "n_treat", "n_control", "events_treat", "events_control", "log_or", "se"]]
    rows += [[f"Author{i} et al.", 1990 + i, r.randint(20, 500), r.randint(20, 500), r.randint(1, 19), r.randint(1, 19), f"{r.gauss(-0.2, 0.4):.3f}", f"{r.uniform(0.1, 0.6):.3f}"] for i in range(30)]
    return table(to / "meta.csv", rows)


def drug_trial_sites(to):
    r = random.Random(1)
    rows = [["site_id", "country", "month", "screened", "randomised", "dropouts"]]
    rows += [[f"S{s:02d}", r.choice(["DE", "FR", "ES"]), f"2022-{m:02d}", r.randint(0, 20), r.randint(0, 12), r.randint(0, 3)] for s in range(18) for m in range(1, 13)]
    return table(to / "recruitment.csv", rows)


SIXTH = {
    minutely_steps: truth("activity", "file", ask=True, time="time", value="Steps|ENMO(mg)"),
    awd_files: truth("activity/symbols/none", "file", ask=True, run=None),
    ggir_epochs: truth("activity", "file", ask=True, time="timenum", never=("window", "invalidepoch", "guider")),
    ggir_days: truth("activity/series/none/events/symbols", "ID", never=("filename", "bodylocation", "measurementday"), run=None),
    actical_epochs: truth("activity", "file", ask=True, time="Date", value="Activity Counts|Steps", never=("Epoch#", "Day#", "Elapsed Seconds")),
    fitbit_nights: truth("activity/events/none", "file", ask=True, run=None),
    diasend: truth("activity", "file", ask=True, time="Time", value="mmol/L"),
    public_cgm: truth("activity", "PtID", time="DataDtTm", value="CGM", never=("RecID", "ParentHDeviceUploadsID")),
    guardian_connect: truth("activity", "file", ask=True, time="Date", value="Sensor Glucose (mg/dL)", never=("Index", "ISIG Value")),
    glimp: truth("activity", "file", ask=True, time="2", run=None),
    glucose_days_wide: truth("activity/series", "subject_id", run=None),
    health_app_hours: truth("activity", "file", ask=True, time="Start|Finish", value="Heart Rate (count/min)|Steps (count)"),
    workouts: truth("events", "file", ask=True, time="Date", state="Activity Type", never=("Title",)),
    night_spans: truth("events/activity/symbols", "participant", state="stage"),
    muse_headband: truth("symbols", "file", ask=True, never=("HeadBandOn", "HSI_TP9", "Battery")),
    openbci: truth("symbols", "file", ask=True, never=("Sample Index",)),
    oximeter: truth("symbols/activity", "file", ask=True, value="Oxygen Level|Pulse Rate", never=("O2 Reminder",)),
    recordings_edf: truth("symbols", "each", ask=True),
    triage_vitals: truth("activity/events/symbols/none", "subject_id", never=("stay_id",), run=None),
    input_events: truth("events", "subject_id", time="starttime|endtime|storetime", state="itemid|ordercategoryname", never=("hadm_id", "stay_id", "caregiver_id", "orderid")),
    diagnosis_order: truth("events/none", "subject_id", never=("hadm_id", "icd_version"), run=None),
    practice_observations: truth("events", "patid", time="obsdate|enterdate", state="medcodeid|obstypeid", never=("consid", "obsid", "staffid", "pracid")),
    hospital_episodes: truth("events", "PSEUDO_HESID", time="ADMIDATE|EPISTART|EPIEND|DISDATE", state="DIAG_01|MAINSPEF|ADMIMETH", never=("EPIKEY", "STARTAGE", "SEX", "PROCODE3")),
    french_stays_digits: truth("events", "NUM_PATIENT", time="DATE_ENTREE|DATE_SORTIE", state="UNITE_MEDICALE|DIAG_PRINCIPAL|GHM", never=("NUM_RSS", "CODE_POSTAL")),
    spanish_discharges: truth("events", "NHC", time="Fecha ingreso|Fecha alta", state="Servicio|Diagnóstico principal|Tipo alta", never=("Médico", "Sexo", "Fecha nacimiento")),
    german_vitals_long: truth("events", "PatNr", time="Messzeitpunkt", state="Parameter", never=("FallNr", "erfasst von", "Einheit")),
    flattened_results: truth("events", "PID.3", time="OBR.7", state="OBX.3.1|OBX.3.2", never=("OBR.3", "PV1.19", "OBX.6")),
    drug_exposures: truth("events", ask=True, layout="omop"),
    procedures_done: truth("events", "PATIENT", time="START|STOP", state="CODE|DESCRIPTION", never=("ENCOUNTER",)),
    sas_dates: truth("events", "PATID", time="ADMIT_DATE", state="DX|ENC_TYPE", never=("DIAGNOSISID", "ENCOUNTERID", "PROVIDERID")),
    redcap_no_dates: truth("series/events/none/symbols/activity", "record_id", run=None),
    xes_gz: truth("events", "case", ask=True),
    sepsis_log: truth("events", "case_id", ask=True, time="timestamp", state="activity", never=("org:group", "lifecycle:transition", "Age")),
    access_log: truth("events", "PAT_ID|USER_ID".replace("|", "/"), time="ACCESS_TIME", state="METRIC_NAME", never=("WORKSTATION_ID", "CSN")),
    medication_given: truth("events", "Patient", time="Scheduled|Administered", state="Medication|Status|Route", never=("Nurse", "Unit")),
    diary_codes: truth("activity/series/none", "persid", never=("hldid", "diary"), run=None),
    school_to_work: truth("activity", "id", ask=True, never=("weight", "male")),
    notes_xml: truth("text/none", "", ask=True, run=None),
    discharge_table: truth("text", "subject_id", text="text"),
    german_progress_tsv: truth("text", "PatientenID", text="Verlaufsnotiz"),
    letters_docx: truth("text", "", ask=True),
    visit_dialogues: truth("text", "/ID", ask=True, text="dialogue|section_text"),
    text_messages: truth("text", "participant_id", text="body"),
    panel_waves: truth("series", "pid", never=("yob", "sex")),
    seizures_by_month: truth("series", "patient_id", never=("drug",)),
    days_workbook: truth("series", "Studienteilnehmer", never=("Gruppe",)),
    person_sheets: truth("activity/symbols/none/refused", "", run=None),
    statistics_file: truth("none/refused", run=False),
    rest_or_awake: truth("activity", "subject", time="timestamp", state="awake"),
    bed_sensor_json: truth("none/refused/symbols/activity", "file", ask=True, run=None),
    minutes_of_days: truth("activity/series", "SEQN", never=("PAXDAYWM",), run=None),
    reference_ranges: truth("none", run=False),
    cost_weights: truth("none", run=False),
    department_costs: truth("none", run=False),
    short_form: truth("none", run=False),
    survival: truth("none", run=False),
    births: truth("none", run=False),
    pictures: truth("none/refused", run=False),
    analysis_config: truth("none/refused", run=False),
    meta_analysis: truth("none", run=False),
    drug_trial_sites: truth("none", run=False),
}
"""Devices, registers and wards not seen before."""


def insulin_diaries(to):
    for p in range(1, 31):
        rng = random.Random(p)
        rows = [[stamp(t, "%m-%d-%Y"), f"{t.hour}:{t.minute:02d}", rng.choice([33, 34, 58, 60, 62, 65]), rng.randint(3, 250)] for t in visits(p, rng, 90, 200, 7)]
        table(to / "Diabetes-Data" / f"data-{p:02d}", rows, by="\t")
    return "Diabetes-Data"


def body_sensors(to):
    for p in range(9):
        rng = random.Random(p)
        (to / "Protocol").mkdir(exist_ok=True)
        lines = [" ".join([f"{8 + i / 100:.2f}", str(rng.choice([0, 1, 2, 4])), "NaN" if i % 10 else str(rng.randint(70, 150)), *(f"{rng.gauss(0, 4):.5f}" for _ in range(9))]) for i in range(1500)]
        (to / "Protocol" / f"subject10{p}.dat").write_text("\n".join(lines) + "\n")
    return "Protocol"


def display_times(to):
    rows = [["DisplayTime", "GlucoseValue", "subjectId", "InternalTime"]]
    for p in range(15):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[stamp(t + 5 * i * MINUTE), sugar(rng, 5 * i, 110), f"1636-69-{p:03d}", stamp(t + 5 * i * MINUTE + 7 * HOUR)] for i in range(3 * 288)]
    return table(to / "cgm_2018.txt", rows, by="\t")


def sleep_lifestyle(to):
    r = random.Random(1)
    rows = [["Person ID", "Gender", "Age", "Occupation", "Sleep Duration", "Quality of Sleep", "Physical Activity Level", "Stress Level", "BMI Category", "Blood Pressure", "Heart Rate", "Daily Steps", "Sleep Disorder"]]
    rows += [[i + 1, r.choice(["Male", "Female"]), r.randint(27, 59), r.choice(["Nurse", "Doctor", "Teacher"]), f"{r.uniform(5, 9):.1f}", r.randint(4, 9), r.randint(30, 90), r.randint(3, 8), "Normal", "126/83", r.randint(65, 86), r.randint(3000, 10000), "None"] for i in range(374)]
    return table(to / "Sleep_health_and_lifestyle_dataset.csv", rows)


def no_shows(to):
    rows = [["PatientId", "AppointmentID", "Gender", "ScheduledDay", "AppointmentDay", "Age", "Neighbourhood", "Scholarship", "Hipertension", "Diabetes", "SMS_received", "No-show"]]
    for p in range(90):
        rng = random.Random(p)
        for t in visits(p, rng, 2, 7, 400):
            rows.append([f"{29872499824296 + 77711 * p}.0", 5642903 + len(rows), "FM"[p % 2], stamp(t, "%Y-%m-%dT%H:%M:%SZ"), stamp(t + 3 * DAY, "%Y-%m-%dT00:00:00Z"), 10 + p % 70, rng.choice(["JARDIM DA PENHA", "CENTRO", "MARIA ORTIZ"]), 0, p % 2, 0, rng.randint(0, 1), rng.choice(["No", "No", "Yes"])])
    return table(to / "noshow.csv", rows)


def readmissions(to):
    rows = [["encounter_id", "patient_nbr", "race", "gender", "age", "weight", "admission_type_id", "discharge_disposition_id", "time_in_hospital", "num_lab_procedures", "diag_1", "diag_2", "insulin", "readmitted"]]
    for p in range(200):
        rng = random.Random(p)
        rows += [[2278392 + 17 * len(rows), 8222157 + 31 * p, "Caucasian", "Female", "[70-80)", "?", rng.randint(1, 6), rng.randint(1, 8), rng.randint(1, 14), rng.randint(1, 90), rng.choice(["250.83", "276", "648"]), rng.choice(["250.01", "428"]), rng.choice(["No", "Up", "Steady"]), rng.choice(["NO", ">30", "<30"])] for _ in range(rng.choice([1, 1, 2, 3]))]
    return table(to / "diabetic_data.csv", rows)


def gynaecology_log(to):
    rows = [["Case ID", "Activity", "Complete Timestamp", "Producer code", "Section", "Activity code", "Number of executions", "Specialism code", "org:group", "(case) Diagnosis", "(case) Treatment code", "lifecycle:transition"]]
    for p in range(60):
        rng = random.Random(p)
        rows += [[f"{p:08d}", rng.choice(["aanname laboratoriumonderzoek", "ligdagen", "1e consult poliklinisch", "ureum"]), stamp(t, "%Y/%m/%d 00:00:00.000"), rng.choice(["SIOG", "CRLA", "BRTH"]), "Section 4", rng.choice([370000, 610001, 410100]), 1, rng.choice([7, 86]), rng.choice(["Radiotherapy", "General Lab"]), "maligniteit", 101, "complete"] for t in visits(p, rng, 8, 40, 200)]
    return table(to / "Hospital_log.csv", rows)


def incident_states(to):
    rows = [["number", "incident_state", "active", "reassignment_count", "sys_mod_count", "opened_by", "opened_at", "sys_updated_by", "sys_updated_at", "category", "priority", "assignment_group"]]
    for p in range(90):
        rng = random.Random(p)
        t0 = None
        for k, t in enumerate(visits(p, rng, 4, 9, 3)):
            t0 = t0 or t
            rows.append([f"INC{45 + p:07d}", rng.choice(["New", "Active", "Resolved", "Closed"]), "true", 0, k, "Opened by  8", stamp(t0, "%d/%m/%Y %H:%M"), f"Updated by {rng.randint(1, 90)}", stamp(t, "%d/%m/%Y %H:%M"), "Category 55", "3 - Moderate", f"Group {rng.randint(1, 30)}"])
    return table(to / "incident_event_log.csv", rows)


def watch_lines(to):
    for p in range(9):
        rng = random.Random(p)
        rows = [["mesaid", "line", "linetime", "offwrist", "activity", "marker", "whitelight", "wake", "interval", "dayofweek", "daybymidnight", "daybynoon"]]
        for i in range(4 * 1440):
            when = dt.datetime(2020, 1, 1, 20, 30) + i * MINUTE
            rows.append([p + 1, i + 1, stamp(when, "%H:%M:%S"), 0, moved(rng, when.hour), 0, f"{rng.random() * 90:.2f}", int(when.hour > 6), "ACTIVE" if when.hour > 6 else "REST-S", 1 + i // 1440, 1 + i // 1440, 1])
        table(to / "actigraphy" / f"mesa-sleep-{p + 1:04d}.csv", rows)
    return "actigraphy"


def watch_pulse(to):
    (to / "heart_rate").mkdir()
    for p in range(12):
        rng = random.Random(p)
        at = -3000.0
        lines = []
        for _ in range(4000):
            at += rng.choice([4, 5, 5, 6])
            lines.append(f"{at:.5f},{rng.randint(48, 95)}")
        (to / "heart_rate" / f"{1066528 + 31 * p}_heartrate.txt").write_text("\n".join(lines) + "\n")
    return "heart_rate"


def many_tables_each(to):
    for p in range(1, 13):
        rng = random.Random(p)
        inside = to / "DataPaper" / f"user_{p}"
        table(inside / "Actigraph.csv", [["", "Axis1", "Axis2", "Steps", "HR", "day", "time"], *([i + 1, rng.randint(0, 90), 0, 0, 70, 1, f"10:{i // 60:02d}:{i % 60:02d}"] for i in range(600))])
        table(inside / "RR.csv", [["", "ibi_s", "day", "time"], *([i + 1, f"{rng.gauss(0.8, 0.05):.3f}", 1, "10:10:17"] for i in range(500))])
        table(inside / "sleep.csv", [["", "In Bed Date", "In Bed Time", "Latency", "Efficiency"], [1, 2, "00:46", 0, 87.2]])
        table(inside / "questionnaire.csv", [["", "MEQ", "STAI1", "PSQI"], [1, 47, 32, 5]])
    return "DataPaper"


def beats_kaggle(to):
    lines = []
    for p in range(150):
        r = random.Random(p)
        lines.append(",".join([*(f"{abs(r.gauss(0.3, 0.2)):.18e}" for _ in range(80)), f"{r.choice([0, 0, 1, 2, 4]):.18e}"]))
    (to / "mitbih_train.csv").write_text("\n".join(lines) + "\n")
    return "mitbih_train.csv"


def seizure_rows(to):
    rows = [["", *(f"X{i}" for i in range(1, 101)), "y"]]
    for p in range(120):
        r = random.Random(p)
        rows.append([f"X{r.randint(1, 23)}.V1.{100 + p}", *(round(r.gauss(0, 120)) for _ in range(100)), r.randint(1, 5)])
    return table(to / "Epileptic Seizure Recognition.csv", rows)


def voice_follow_up(to):
    rows = [["subject#", "age", "sex", "test_time", "motor_UPDRS", "total_UPDRS", "Jitter(%)", "Shimmer", "NHR", "HNR", "PPE"]]
    for p in range(30):
        r = random.Random(p)
        t = 5.0
        for _ in range(60):
            t += r.uniform(0, 6)
            rows.append([p + 1, 50 + p, p % 2, f"{t:.3f}", f"{28 + t / 30:.3f}", f"{34 + t / 30:.3f}", f"{r.random() / 100:.5f}", f"{r.random() / 10:.5f}", f"{r.random() / 10:.6f}", f"{r.gauss(21, 3):.3f}", f"{r.random() / 2:.5f}"])
    return table(to / "parkinsons_updrs.data", rows)


def voice_features(to):
    r = random.Random(1)
    rows = [["name", "MDVP:Fo(Hz)", "MDVP:Fhi(Hz)", "MDVP:Flo(Hz)", "MDVP:Jitter(%)", "NHR", "HNR", "status", "RPDE", "DFA"]]
    rows += [[f"phon_R01_S{i // 6:02d}_{i % 6 + 1}", f"{r.uniform(90, 250):.3f}", f"{r.uniform(100, 500):.3f}", f"{r.uniform(60, 200):.3f}", f"{r.random() / 90:.5f}", f"{r.random() / 20:.5f}", f"{r.gauss(21, 3):.3f}", int(i > 50), f"{r.random():.6f}", f"{r.random():.6f}"] for i in range(190)]
    return table(to / "parkinsons.data", rows)


def force_plates(to):
    (to / "gaitpdb").mkdir()
    for p in range(10):
        r = random.Random(p)
        (to / "gaitpdb" / f"GaPt{p + 3:02d}_01.txt").write_text("\n".join("\t".join([f"{i / 100:.2f}", *(f"{abs(r.gauss(60, 40)):.2f}" for _ in range(18))]) for i in range(1500)) + "\n")
    return "gaitpdb"


def ecg_catalogue(to):
    r = random.Random(1)
    rows = [["ecg_id", "patient_id", "age", "sex", "height", "weight", "site", "device", "recording_date", "report", "scp_codes", "strat_fold", "filename_lr"]]
    rows += [[i + 1, f"{11243 + 7 * (i // 2)}.0", f"{r.randint(20, 89)}.0", i % 2, "", "", "0.0", "CS-12   E", stamp(D0 + i * HOUR), sentence(r, 9, ["sinusrhythmus", "linkstyp", "t", "abnormal", "periphere", "niederspannung", "sonst", "normales", "ekg"]), "{'NORM': 100.0}", 1 + i % 10, f"records100/00000/{i:05d}_lr"] for i in range(300)]
    return table(to / "ptbxl_database.csv", rows)


def drug_reviews(to):
    r = random.Random(1)
    rows = [["", "drugName", "condition", "review", "rating", "date", "usefulCount"]]
    rows += [[206461 + 3 * i, r.choice(["Valsartan", "Guanfacine", "Lybrel"]), r.choice(["ADHD", "Birth Control"]), f'"{sentence(r, 45)}"', f"{r.randint(1, 10)}.0", stamp(D0 + i * DAY, "%B %d, %Y"), r.randint(0, 90)] for i in range(200)]
    return table(to / "drugsComTrain_raw.tsv", rows, by="\t")


def reaction_reports(to):
    r = random.Random(1)
    rows = [["VAERS_ID", "RECVDATE", "STATE", "AGE_YRS", "SEX", "SYMPTOM_TEXT", "DIED", "HOSPITAL", "VAX_DATE", "ONSET_DATE", "NUMDAYS"]]
    rows += [[f"{916600 + i:07d}", stamp(D0 + i * HOUR, "%m/%d/%Y"), r.choice(["TX", "CA"]), r.randint(18, 90), r.choice("FM"), sentence(r, 40), "", "", stamp(D0, "%m/%d/%Y"), stamp(D0, "%m/%d/%Y"), 2] for i in range(250)]
    return table(to / "2021VAERSDATA.csv", rows, encoding="latin-1")


def dollar_drugs(to):
    rows = [["primaryid", "caseid", "drug_seq", "role_cod", "drugname", "prod_ai", "val_vbm", "route", "dose_vbm"]]
    for p in range(150):
        rng = random.Random(p)
        rows += [[100033001 + 10 * p, 10003300 + p, k + 1, rng.choice(["PS", "SS", "C"]), rng.choice(["HUMIRA", "METFORMIN", "ASPIRIN", "LISINOPRIL"]), "", 1, rng.choice(["Oral", "Subcutaneous"]), ""] for k in range(rng.randint(1, 6))]
    return table(to / "DRUG22Q1.txt", rows, by="$")


def memory_visits(to):
    rows = [["RID", "PTID", "VISCODE", "SITE", "COLPROT", "EXAMDATE", "DX_bl", "AGE", "PTGENDER", "APOE4", "MMSE", "ADAS13", "Hippocampus", "DX", "update_stamp"]]
    for p in range(60):
        rng = random.Random(p)
        rows += [[p + 2, f"011_S_{p + 2:04d}", v, 11, "ADNI1", stamp(D0 + m * 30 * DAY + p * DAY, "%Y-%m-%d"), "CN", f"{60 + p % 30}.3", "Male", 0, rng.randint(20, 30), f"{rng.uniform(5, 40):.2f}", rng.randint(5000, 8000), rng.choice(["CN", "MCI", "Dementia"]), "2022-05-02 09:00:00"] for v, m in (("bl", 0), ("m06", 6), ("m12", 12), ("m24", 24))]
    return table(to / "ADNIMERGE.csv", rows)


def brain_visits(to):
    rows = [["Subject ID", "MRI ID", "Group", "Visit", "MR Delay", "M/F", "Hand", "Age", "EDUC", "SES", "MMSE", "CDR", "eTIV", "nWBV", "ASF"]]
    for p in range(70):
        rng = random.Random(p)
        rows += [[f"OAS2_{p + 1:04d}", f"OAS2_{p + 1:04d}_MR{v + 1}", "Nondemented", v + 1, 450 * v, "MF"[p % 2], "R", 60 + p % 30 + v, 14, 2, rng.randint(20, 30), rng.choice([0, 0.5]), rng.randint(1300, 1800), f"{rng.uniform(0.65, 0.8):.3f}", f"{rng.uniform(0.9, 1.3):.3f}"] for v in range(rng.randint(2, 4))]
    return table(to / "oasis_longitudinal.csv", rows)


def heart_exams(to):
    rows = [["RANDID", "SEX", "TOTCHOL", "AGE", "SYSBP", "DIABP", "CURSMOKE", "BMI", "DIABETES", "TIME", "PERIOD", "DEATH", "ANGINA", "TIMEAP"]]
    for p in range(90):
        rng = random.Random(p)
        rows += [[2448 + 37 * p, 1 + p % 2, rng.randint(150, 320), 39 + p % 30 + 6 * v, rng.randint(100, 190), rng.randint(60, 110), 0, f"{rng.gauss(26, 3):.2f}", 0, 2190 * v, v + 1, 0, 0, 8766] for v in range(3)]
    return table(to / "frmgham2.csv", rows)


def shanghai_books(to):
    (to / "Shanghai_T1DM").mkdir()
    for p in range(9):
        rng = random.Random(p)
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.append(["Date", "CGM (mg / dl)", "CBG (mg / dl)", "Blood Ketone (mmol / L)", "Dietary intake", "饮食", "Insulin dose - s.c.", "CSII - bolus insulin (Novolin R, IU)"])
        t = days(p, rng)
        for i in range(3 * 96):
            sheet.append([t + 15 * i * MINUTE, sugar(rng, 15 * i, 140), 130 if i % 40 == 5 else None, None, "Rice 100 g" if i % 32 == 0 else None, None, None, None])
        book.save(to / "Shanghai_T1DM" / f"10{p + 1:02d}_0_20210{p + 1}01.xlsx")
    return "Shanghai_T1DM"


def meals_and_sugar(to):
    for p in range(1, 11):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["", "Timestamp", "Libre GL", "Dexcom GL", "HR", "Calories (Activity)", "METs", "Meal Type", "Calories", "Carbs", "Amount Consumed", "Image path"]]
        rows += [[i, stamp(t + i * MINUTE), f"{sugar(rng, i, 120)}.0", f"{sugar(rng, i, 125)}.0", f"{rng.randint(55, 120)}.0", f"{rng.random():.4f}", 10, "Lunch" if i % 700 == 300 else "", 500.0 if i % 700 == 300 else "", "", "", ""] for i in range(2 * 1440)]
        table(to / "CGMacros" / f"CGMacros-{p:03d}" / f"CGMacros-{p:03d}.csv", rows)
    return "CGMacros"


def wearables_each(to):
    for p in range(1, 10):
        rng = random.Random(p)
        inside = to / "big_ideas" / f"{p:03d}"
        t = days(p, rng)
        table(inside / f"Dexcom_{p:03d}.csv", [["Index", "Timestamp (YYYY-MM-DDThh:mm:ss)", "Event Type", "Glucose Value (mg/dL)"], *([i + 1, stamp(t + 5 * i * MINUTE), "EGV", sugar(rng, 5 * i, 110)] for i in range(600))])
        table(inside / f"HR_{p:03d}.csv", [["datetime", " hr"], *([stamp(t + i * SECOND), f"{rng.gauss(80, 9):.2f}"] for i in range(900))])
        table(inside / f"Food_Log_{p:03d}.csv", [["date", "time", "logged_food", "calorie"], *([stamp(t, "%Y-%m-%d"), "18:00:00", "Berry Smoothie", 456] for _ in range(9))])
    return "big_ideas"


def motor_activity(to):
    for p in range(1, 16):
        rng = random.Random(p)
        t = days(p, rng)
        table(to / "hyperaktiv" / "activity_data" / f"patient_activity_{p:02d}.csv", [["TIMESTAMP", "ACTIVITY"], *([stamp(t + i * MINUTE, "%m-%d-%Y %H:%M"), moved(rng, (t + i * MINUTE).hour)] for i in range(3 * 1440))], by=";")
    table(to / "hyperaktiv" / "patient_info.csv", [["ID", "SEX", "AGE", "ADHD", "MADRS"], *([p, p % 2, 1 + p % 4, p % 2, p % 30] for p in range(1, 16))], by=";")
    return "hyperaktiv"


def context_features(to):
    (to / "features_labels").mkdir()
    for p in range(9):
        rng = random.Random(p)
        head = ["timestamp", *(f"raw_acc:magnitude_stats:f{i}" for i in range(40)), *(f"label:{n}" for n in ("LYING_DOWN", "SITTING", "FIX_walking")), "label_source"]
        lines = [",".join(head)] + [",".join([str(1444079161 + 60 * i), *(f"{rng.random():.6f}" for _ in range(40)), str(int(rng.random() < 0.4)), str(int(rng.random() < 0.4)), "nan", "2"]) for i in range(1000)]
        (to / "features_labels" / f"{rng.getrandbits(32):08X}-3000-4000-8000-{rng.getrandbits(48):012X}.features_labels.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return "features_labels"


def phone_inference(to):
    for p in range(10):
        rng = random.Random(p)
        at, rows, what = 1364410000 + 999 * p, [["timestamp", " activity inference"]], 0
        for _ in range(9000):
            at += rng.choice([2, 3, 3])
            what = rng.choice([0, 0, 0, 1, 2, 3]) if rng.random() < 0.02 else what
            rows.append([at, f" {what}"])
        table(to / "activity" / f"activity_u{p:02d}.csv", rows)
    return "activity"


def home_sensors(to):
    r, t, rows = random.Random(1), D0, []
    for _ in range(3000):
        t += r.randint(1, 200) * SECOND
        rows.append([t.isoformat(" ") + ".209589", f"M{r.randint(1, 30):03d}", r.choice(["ON", "OFF"])])
    return table(to / "aruba.txt", rows, by="\t")


def life_days(to):
    rows = [["", "id", "date", "nightly_temperature", "rmssd", "spo2", "calories", "steps", "resting_hr", "sleep_duration", "age", "gender", "bmi"]]
    for p in range(25):
        rng = random.Random(p)
        rows += [[len(rows) - 1 + d, f"621e2e8e67b776a2405{p:05x}", stamp(D0 + d * DAY, "%Y-%m-%d"), f"{rng.gauss(34, 0.5):.2f}", f"{rng.gauss(50, 9):.2f}", "", f"{rng.gauss(2300, 300):.1f}", f"{rng.randint(900, 20000)}.0", f"{rng.gauss(60, 4):.2f}", rng.randint(2 * 10**7, 3 * 10**7), "<30", "MALE", "<25"] for d in range(60)]
    return table(to / "daily_fitbit_sema_df_unprocessed.csv", rows)


def lab_each_unit(to):
    rows = [["labid", "patientunitstayid", "labresultoffset", "labtypeid", "labname", "labresult", "labresulttext", "labmeasurenamesystem", "labresultrevisedoffset"]]
    for p in range(40):
        rng = random.Random(p)
        rows += [[50000000 + 7 * len(rows) + k, 141168 + 31 * p, 60 * k - 200, rng.choice([1, 3]), rng.choice(["potassium", "sodium", "Hgb", "WBC x 1000"]), f"{rng.uniform(3, 140):.1f}", "", "mmol/L", 60 * k - 190] for k in range(rng.randint(10, 40))]
    return table(to / "lab.csv", rows)


def track_numbers(to):
    for p in range(10):
        rng = random.Random(p)
        rows = [["Time", "Solar8000/HR", "Solar8000/ART_MBP", "Solar8000/PLETH_SPO2", "BIS/BIS"]]
        rows += [[i, rng.randint(55, 95), rng.randint(60, 110), rng.randint(95, 100), f"{rng.uniform(30, 60):.1f}"] for i in range(0, 9000, 2)]
        table(to / "vitaldb" / f"{p + 1:04d}.csv", rows)
    return "vitaldb"


def healthcare_demo(to):
    r = random.Random(1)
    rows = [["Name", "Age", "Gender", "Blood Type", "Medical Condition", "Date of Admission", "Doctor", "Hospital", "Insurance Provider", "Billing Amount", "Room Number", "Admission Type", "Discharge Date", "Medication", "Test Results"]]
    rows += [[f"PeRsOn{i} NaMe{i * 7 % 300}", r.randint(18, 89), r.choice(["Male", "Female"]), r.choice(["A+", "O-"]), r.choice(["Asthma", "Cancer"]), stamp(D0 + i * DAY, "%Y-%m-%d"), f"Doc{r.randint(1, 99)}", "Sons and Miller", "Medicare", f"{r.uniform(1000, 50000):.5f}", r.randint(101, 500), "Urgent", stamp(D0 + i * DAY + 9 * DAY, "%Y-%m-%d"), "Aspirin", "Normal"] for i in range(300)]
    return table(to / "healthcare_dataset.csv", rows)


def cardio(to):
    r = random.Random(1)
    rows = [["id", "age", "gender", "height", "weight", "ap_hi", "ap_lo", "cholesterol", "gluc", "smoke", "alco", "active", "cardio"]]
    rows += [[i, r.randint(14000, 23000), 1 + i % 2, r.randint(150, 190), f"{r.gauss(75, 12):.1f}", r.choice([110, 120, 140]), r.choice([70, 80, 90]), 1, 1, 0, 0, 1, r.randint(0, 1)] for i in range(500)]
    return table(to / "cardio_train.csv", rows, by=";")


def tumour_clinical(to):
    r = random.Random(1)
    rows = [["case_submitter_id", "project_id", "age_at_index", "days_to_birth", "days_to_death", "gender", "vital_status", "ajcc_pathologic_stage", "primary_diagnosis", "site_of_resection_or_biopsy"]]
    rows += [[f"TCGA-{i // 99:02d}-{1000 + i}", "TCGA-BRCA", r.randint(30, 89), -r.randint(11000, 32000), "'--", "female", "Alive", "Stage IIA", "Infiltrating duct carcinoma, NOS", "Breast, NOS"] for i in range(250)]
    return table(to / "clinical.tsv", rows, by="\t")


def vaccinations_by_country(to):
    rows = [["location", "iso_code", "date", "total_vaccinations", "people_vaccinated", "daily_vaccinations", "total_vaccinations_per_hundred"]]
    rng = random.Random(1)
    rows += [[f"Country {c}", f"C{c:02d}", stamp(D0 + d * DAY, "%Y-%m-%d"), d * 1000 * (c + 1), d * 700 * (c + 1), rng.randint(500, 3000), f"{d / 10:.2f}"] for c in range(12) for d in range(90)]
    return table(to / "vaccinations.csv", rows)


def death_rates(to):
    rng = random.Random(1)
    rows = [["Entity", "Code", "Year", *(f"Deaths - {n} - Sex: Both" for n in ("Malaria", "HIV/AIDS", "Stroke", "Road injuries"))]]
    rows += [[f"Country {c}", f"C{c:02d}", y, *(rng.randint(10, 90000) for _ in range(4))] for c in range(20) for y in range(1990, 2020)]
    return table(to / "annual-number-of-deaths-by-cause.csv", rows)


def gene_counts(to):
    r = random.Random(1)
    rows = [["", *(f"SRR10395{i:02d}" for i in range(12))]]
    rows += [[f"ENSG{i:011d}", *(r.randint(0, 5000) for _ in range(12))] for i in range(400)]
    return table(to / "airway_scaledcounts.csv", rows)


def question_pairs(to):
    r = random.Random(1)
    rows = [["qtype", "Question", "Answer"]]
    rows += [[r.choice(["symptoms", "treatment", "information"]), f"What is (are) {sentence(r, 3)[:-1]} ?", sentence(r, 60)] for _ in range(150)]
    return table(to / "medquad.csv", rows)


SEVENTH = {
    insulin_diaries: truth("events", "file", ask=True, time="1", run=None),
    body_sensors: truth("symbols", "file", ask=True, never=("1",), run=None),
    display_times: truth("activity", "subjectId", time="DisplayTime|InternalTime", value="GlucoseValue"),
    sleep_lifestyle: truth("none", run=False),
    no_shows: truth("events", "PatientId", time="ScheduledDay|AppointmentDay", never=("AppointmentID", "Age", "Gender"), run=None),
    readmissions: truth("events/none", "patient_nbr", never=("encounter_id", "weight"), run=None),
    gynaecology_log: truth("events", "Case ID", ask=True, time="Complete Timestamp", state="Activity", never=("Producer code", "lifecycle:transition")),
    incident_states: truth("events", "number", ask=True, time="sys_updated_at|opened_at", state="incident_state", never=("sys_updated_by", "opened_by")),
    watch_lines: truth("activity/symbols", "file/mesaid", value="activity", never=("line", "marker", "dayofweek"), run=None),
    watch_pulse: truth("symbols/activity", "file", ask=True, value="2", never=(), run=None),
    many_tables_each: truth("none/activity/symbols", "folder", ask=True, run=None),
    beats_kaggle: truth("series", "each", ask=True),
    seizure_rows: truth("series/symbols", "each/column 1/", ask=True, never=("y",), run=None),
    voice_follow_up: truth("symbols/activity/events/series/none", "subject#", never=("age", "sex"), run=None),
    voice_features: truth("none", run=False),
    force_plates: truth("symbols", "file", ask=True, never=("1",), run=None),
    ecg_catalogue: truth("text/events/none", "patient_id", never=("filename_lr", "ecg_id", "scp_codes"), run=None),
    drug_reviews: truth("text", "", ask=True, text="review"),
    reaction_reports: truth("text/none", "VAERS_ID/", text="SYMPTOM_TEXT", run=None),
    dollar_drugs: truth("events/none", "caseid/primaryid", ask=True, never=("drug_seq", "val_vbm"), run=None),
    memory_visits: truth("events", "RID/PTID", time="EXAMDATE", never=("SITE", "COLPROT", "PTGENDER", "DX_bl", "AGE", "update_stamp"), run=None),
    brain_visits: truth("events/symbols/activity/series/none", "Subject ID", never=("MRI ID", "Hand", "M/F"), run=None),
    heart_exams: truth("events/symbols/activity/series/none", "RANDID", never=("SEX", "DEATH", "TIMEAP"), run=None),
    shanghai_books: truth("activity", "file", ask=True, time="Date", value="CGM (mg / dl)"),
    meals_and_sugar: truth("activity", "folder/file", ask=True, time="Timestamp", value="Libre GL|Dexcom GL|HR"),
    wearables_each: truth("none/activity/symbols", "folder/file", ask=True, run=None),
    motor_activity: truth("activity", "file", ask=True, time="TIMESTAMP", value="ACTIVITY", never=("MADRS",)),
    context_features: truth("activity/symbols/none", "file", ask=True, run=None),
    phone_inference: truth("activity/symbols", "file", ask=True, run=None),
    home_sensors: truth("events/none/symbols", "", run=False),
    life_days: truth("activity/series/none", "id", time="date", never=("age", "gender", "bmi"), run=None),
    lab_each_unit: truth("events", "patientunitstayid", ask=True, time="labresultoffset|labresultrevisedoffset", state="labname", never=("labid",)),
    track_numbers: truth("symbols/activity", "file", ask=True, value="Solar8000/HR|Solar8000/ART_MBP|Solar8000/PLETH_SPO2|BIS/BIS"),
    healthcare_demo: truth("none", run=False),
    cardio: truth("none", run=False),
    tumour_clinical: truth("none", run=False),
    vaccinations_by_country: truth("none", run=False),
    death_rates: truth("none", run=False),
    gene_counts: truth("none", run=False),
    question_pairs: truth("text/none", "", ask=True, run=None),
}
"""Shapes of public data sets of health research."""


# what public archives and makers' manuals show, by their own column names


def actiware_german(to):
    for p in range(8):
        rng = random.Random(p)
        t = dt.datetime(2019, 9, 2 + 2 * p, 14)
        before = ['"Actiware-Exportdatei (Version 05.00 )"', '"Dateiname:",""', "", "", '"-------------------- Patienteneigenschaften--------------------"', "", f'"Identität:","TEST_{p}"', '"Geschlecht:","Männlich"', '"Geburtsdatum:","01.01.1911"', '"Alter (zu Beginn der Datenerfassung):","100","Jahre"', "", '"Startdatum der Datenerfassung:","19.09.2019"', '"Startzeit der Datenerfassung:","14:00:00"', '"Epochenlänge:","30","Sekunden",""', '"Grenzwert für Wachphasen:","40,00","Aktivitätszählungen"', "",
                  '"------------------------ Statistiken ------------------------"', "", '"Intervalltyp","Intervall Nr.","Startdatum","Startzeit","Enddatum","Endzeit","Dauer","Nicht am Handgelenk","% Wach",', '"","","","","","","(Minuten)","(Minuten)","(%)",', "", *(f'"RUHE","{i + 1}","24.01.2020","21:15:00","25.01.2020","07:39:30","624,50","0,00","8,49",' for i in range(7)), '"Ruhe-Zusammenfassung","n","kZ","kZ","kZ","kZ","45","45","45",', "", '"-------------------- Daten nach Epochen -------------------"', "", '"Spaltenüberschrift","Hinweise"', '"------------------","---------"', '"Zeile:","Zeilennummer"', '"Datum:","Datum (Start der Epoche)"', '"Aktivität:","Aktivität (Zählwert)"', ""]
        rows = [["Zeile", "Datum", "Zeit", "Status „Nicht am Handgelenk“", "Aktivität", "Markierung", "Weißes Licht", "Rotes Licht", "Schlaf/Wach", "Intervallstatus"]]
        for i in range(3 * 2880):
            now = t + i * 30 * SECOND
            rows.append([i + 1, stamp(now, "%d.%m.%Y"), stamp(now, "%H:%M:%S"), 0, moved(rng, now.hour), 0, f"{rng.uniform(0, 2000):.2f}".replace(".", ","), f"{rng.uniform(0, 9):.2f}E+02".replace(".", ","), rng.choice(["0", "1", "kZ"]), "RUHE" if now.hour < 7 else "AKTIV"])
        table(to / "actiware" / f"TEST_{p}_Neue_Analyse.csv", rows, before=before)
    return "actiware"


def condor_report(to):
    for p in range(9):
        rng = random.Random(p)
        t = dt.datetime(2021, 4, 13 + p, 4, 14)
        line = "+-------------------------------------------------------+"
        before = ["+----------------+ Condor Instruments Report +----------------+", "SOFTWARE_VERSION : ActStudio 1.0.14", "SUBJECT_NAME : S" + str(p), "SUBJECT_GENDER : Male", "SUBJECT_DATE_OF_BIRTH : 01/01/1990", "SUBJECT_DESCRIPTION : NULL", "DEVICE_ID : 210", "DEVICE_MODEL : ACT1", "FIRMWARE_VERSION : ACT1.2", "TAT_THRESHOLD : 10", "INTERVAL : 60", "DATA_CORRECTION : ON", "DATE_TIME : 07/06/2021 07:00:00", line]
        rows = [["DATE/TIME", "MS", "EVENT", "TEMPERATURE", "EXT TEMPERATURE", "ORIENTATION", "PIM", "PIMn", "TAT", "TATn", "ZCM", "ZCMn", "LIGHT", "AMB LIGHT", "RED LIGHT", "STATE"]]
        for i in range(5 * 1440):
            now = t + i * MINUTE
            a = moved(rng, now.hour) * 9
            rows.append([stamp(now, "%d/%m/%Y %H:%M:%S"), 0, 0, f"{rng.uniform(25, 34):.2f}", f"{rng.uniform(22, 30):.2f}", 0, a, a / 60, a // 12, a / 720, a // 30, a / 1800, f"{rng.random() * 90:.2f}", f"{rng.random() * 40:.2f}", 0.24, 0])
        table(to / "acttrust" / f"log_{p:02d}.txt", rows, by=";", before=before)
    return "acttrust"


def daqtix_seconds(to):
    for p in range(8):
        rng = random.Random(p)
        t = dt.datetime(2020, 1, 7 + p, 19)
        before = [f"Start: {t:%Y-%m-%d %H:%M:%S} GMT", "End: 2020-02-28 06:59:59 GMT", "", "Serial number:,myUUID,myUUID", "Name:,Accelleration X+Y,Light", "", "Group:,0,1", "Type:,0+1,3", "Sample rate:,10,10", "Store rate:,1,1", "", "Binning mode:,Sum,Average", ""]
        table(to / "dqt" / f"D{p:02d}.csv", [[stamp(t + 10 * i * SECOND), rng.choice([0, 1, 5, 26, 115]), rng.randint(50, 60)] for i in range(2 * 8640)], before=before)
    return "dqt"


def pump_and_sensor(to):
    """iPro and pump exports: a dozen lines of the patient, tabs, ISIG beside the glucose."""
    for p in range(9):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=3 * p, hours=9)
        before = ["PATIENT INFO", "Name\tName Surname", "ID\t" + str(100 + p), "Physician", "Reports Range\t01/05/2022 to 07/05/2022", "Device\tiPro2 MMT-7745", "Serial\tNG1000A", "", "-----\t-----\t-----", "Sensor", ""]
        rows = [["Index", "Date", "Time", "Timestamp", "Excluded", "Used for Calibration", "ISIG Value", "Sensor Glucose (mg/dL)", "Sensor Event"]]
        for i in range(4 * 288):
            now = t + 5 * i * MINUTE
            rows.append([i + 1, stamp(now, "%d/%m/%Y"), stamp(now, "%H:%M:%S"), stamp(now, "%d/%m/%Y %H:%M:%S"), "FALSE", "", f"{rng.uniform(8, 40):.2f}", sugar(rng, 5 * i, 150), ""])
        table(to / "ipro" / f"ipro_{p:02d}.txt", rows, by="\t", before=before)
    return "ipro"


def libre_pro_text(to):
    for p in range(8):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=p, minutes=7 * p)
        rows = [["ID", "Time", "Record Type", "Historic Glucose (mg/dL)", "Scan Glucose (mg/dL)", "Non-numeric Rapid-Acting Insulin", "Notes"]]
        for i in range(10 * 96):
            now = t + 15 * i * MINUTE
            rows.append([7000 + i, stamp(now, "%Y/%m/%d %H:%M"), 0, sugar(rng, 15 * i, 140), "", "", ""])
            if i % 11 == 0:
                rows.append([90000 + i, stamp(now + MINUTE, "%Y/%m/%d %H:%M"), 1, "", sugar(rng, 15 * i, 140), "", ""])
        table(to / "librepro" / f"PRO{p:03d}.txt", rows, by="\t", before=["Name Surname"])
    return "librepro"


def trial_lab_domain(to):
    rows = [["STUDYID", "DOMAIN", "USUBJID", "LBSEQ", "LBTESTCD", "LBTEST", "LBCAT", "LBORRES", "LBORRESU", "LBSTRESN", "LBDTC"]]
    for p in range(40):
        rng, times = walk(p, 25, 9000)
        rows += [["T1DEXI", "LB", f"T1-{p * 7 + 11:04d}", i + 1, *rng.choice([("HBA1C", "Hemoglobin A1C"), ("GLUC", "Glucose"), ("KETONE", "Ketones"), ("CREAT", "Creatinine")]), "CHEMISTRY", f"{rng.uniform(4, 9):.1f}", "%", f"{rng.uniform(4, 9):.1f}", stamp(t, "%Y-%m-%dT%H:%M")] for i, t in enumerate(times)]
    return table(to / "lb.csv", rows)


def raw_counts_block(to):
    for p in range(8):
        rng = random.Random(p)
        before = ["------------ Data File Created By ActiGraph GT3X+ ActiLife v6.13.3 Firmware v3.2.1 date format M/d/yyyy at 30 Hz  Filter Normal -----------", f"Serial Number: CLE2B2113{p:04d}", "Start Time 12:00:00", "Start Date 3/7/2022", "Epoch Period (hh:mm:ss) 00:00:00", "Download Time 11:09:12", "Download Date 3/14/2022", "Current Memory Address: 0", "Current Battery Voltage: 4.02     Mode = 12", "--------------------------------------------------"]
        rows = [["Accelerometer X", "Accelerometer Y", "Accelerometer Z"]]
        rows += [[f"{rng.gauss(0, 0.3):.3f}", f"{rng.gauss(-1, 0.2):.3f}", f"{rng.gauss(0.1, 0.3):.3f}"] for _ in range(9000)]
        table(to / "raw" / f"P{p:02d} (2022-03-14)RAW.csv", rows, before=before)
    return "raw"


def stages_of_nights(to):
    rows = [["Id", "LogId", "Time", "Level", "ShortWakes", "SleepStage"]]
    for p in range(20):
        rng = random.Random(p)
        for night in range(6):
            t = D0 + night * DAY + dt.timedelta(hours=23, seconds=30 * rng.randint(0, 90))
            stage = "wake"
            for i in range(700):
                stage = rng.choice(["wake", "light", "deep", "rem"]) if rng.random() < 0.03 else stage
                rows.append([1503960366 + 977 * p, 26084418000 + 31 * (10 * p + night), stamp(t + 30 * i * SECOND, "%-m/%-d/%Y %-I:%M:%S %p"), stage, "", stage])
    return table(to / "30secondSleepStages_merged.csv", rows)


def services(to):
    rows = [["subject_id", "hadm_id", "transfertime", "prev_service", "curr_service"]]
    for p in range(90):
        rng, times = walk(p, random.Random(p).randint(1, 6), 90000)
        last = ""
        for t in times:
            now = rng.choice(["MED", "SURG", "CMED", "CSURG", "NMED", "TRAUM", "ORTHO"])
            rows.append([10000032 + 331 * p, 22595853 + 17 * len(rows), stamp(t), last, now])
            last = now
    return table(to / "services.csv", rows)


def demo_folders(to):
    rng = random.Random(1)
    people = [10000032 + 331 * p for p in range(40)]
    known = {
        "hosp/patients": [["subject_id", "gender", "anchor_age", "anchor_year", "anchor_year_group", "dod"], *([p, "F", 52, 2180, "2014 - 2016", ""] for p in people)],
        "hosp/diagnoses_icd": [["subject_id", "hadm_id", "seq_num", "icd_code", "icd_version"], *([p, 22595853 + p % 91, s, rng.choice(["5723", "78959", "5715", "07070"]), 9] for p in people for s in range(1, 9))],
        "hosp/transfers": [["subject_id", "hadm_id", "transfer_id", "eventtype", "careunit", "intime", "outtime"], *([p, 22595853 + p % 91, 33258284 + 7 * i + p, "transfer", rng.choice(["Medicine", "ED", "MICU", "SICU"]), stamp(D0 + i * DAY), stamp(D0 + (i + 1) * DAY)] for p in people for i in range(5))],
        "icu/chartevents": [["subject_id", "hadm_id", "stay_id", "caregiver_id", "charttime", "storetime", "itemid", "value", "valuenum", "valueuom", "warning"], *([p, 1, 39553978 + p, 47007, stamp(D0 + i * HOUR), stamp(D0 + i * HOUR), rng.choice([220045, 220179, 220277]), 84, 84, "bpm", 0] for p in people for i in range(30))],
        "icu/d_items": [["itemid", "label", "abbreviation", "linksto", "category", "unitname", "param_type", "lownormalvalue", "highnormalvalue"], *([220001 + i, f"Item {i}", f"It {i}", "chartevents", "General", "", "Text", "", ""] for i in range(80))],
    }
    for name, rows in known.items():
        path = to / "mimic-iv-demo" / f"{name}.csv"
        table(path, rows)
        with gzip.open(f"{path}.gz", "wb") as packed:
            packed.write(path.read_bytes())
        path.unlink()
    return "mimic-iv-demo"


def unit_diagnoses(to):
    rows = [["diagnosisid", "patientunitstayid", "activeupondischarge", "diagnosisoffset", "diagnosisstring", "icd9code", "diagnosispriority"]]
    said = ["cardiovascular|shock / hypotension|sepsis", "pulmonary|respiratory failure|acute respiratory failure", "renal|disorder of kidney|acute renal failure", "neurologic|altered mental status / pain|change in mental status"]
    for p in range(60):
        rng = random.Random(p)
        rows += [[4222318 + 13 * (len(rows) + i), 141168 + 29 * p, rng.choice(["True", "False"]), 60 * i + rng.randint(1, 59), rng.choice(said), "785.52, R65.21", rng.choice(["Primary", "Major", "Other"])] for i in range(rng.randint(2, 12))]
    return table(to / "diagnosis.csv", rows)


def salzburg_values(to):
    rows = [["id", "CaseID", "DataID", "Offset", "Val", "cnt"]]
    for p in range(25):
        rng = random.Random(p)
        for i in range(60):
            rows += [[len(rows) + k, 1000 + 37 * p, d, 60 * i + 7, f"{rng.gauss(v, 5):.1f}", 1] for k, (d, v) in enumerate(((708, 80), (724, 75), (710, 97)))]
    return table(to / "data_float_h.csv", rows)


def measurement_lower(to):
    rows = [["measurement_id", "person_id", "measurement_concept_id", "measurement_date", "measurement_datetime", "measurement_type_concept_id", "operator_concept_id", "value_as_number", "unit_concept_id", "visit_occurrence_id", "measurement_source_value"]]
    for p in range(50):
        rng, times = walk(p, 12, 200000)
        rows += [[len(rows) + 5 + i, 3 + 11 * p, rng.choice([3000963, 3020891, 3027018, 4152194]), stamp(t, "%Y-%m-%d"), stamp(t), 5001, 0, f"{rng.uniform(30, 140):.1f}", 0, 77 + len(rows) + i, ""] for i, t in enumerate(times)]
    return table(to / "measurement.csv", rows)


def drug_events(to):
    rows = [["DESYNPUF_ID", "PDE_ID", "SRVC_DT", "PROD_SRVC_ID", "QTY_DSPNSD_NUM", "DAYS_SUPLY_NUM", "PTNT_PAY_AMT", "TOT_RX_CST_AMT"]]
    codes = [f"{random.Random(7).randint(10, 99)}{i:09d}" for i in range(1, 31)]
    for p in range(70):
        rng, times = walk(p, 15, 80000)
        rows += [[f"00014F2C07689C{p:02X}", 233000000000 + 91 * (len(rows) + i), stamp(t, "%Y%m%d"), rng.choice(codes), rng.choice([30, 60, 90]), 30, 0, rng.choice([10, 90, 160])] for i, t in enumerate(times)]
    return table(to / "DE1_0_Prescription_Drug_Events.csv", rows)


def beneficiaries(to):
    r = random.Random(1)
    rows = [["DESYNPUF_ID", "BENE_BIRTH_DT", "BENE_DEATH_DT", "BENE_SEX_IDENT_CD", "BENE_RACE_CD", "BENE_ESRD_IND", "SP_STATE_CODE", "BENE_COUNTY_CD", *(f"SP_{n}" for n in ("ALZHDMTA", "CHF", "CNCR", "COPD", "DIABETES")), "MEDREIMB_IP", "BENRES_IP", "PPPYMT_IP"]]
    rows += [[f"00013D2EFD{i:06X}", f"19{r.randint(20, 60)}0{r.randint(1, 9)}01", "", r.randint(1, 2), 1, 0, r.randint(1, 54), 10 * r.randint(1, 99), *(r.randint(1, 2) for _ in range(5)), 10 * r.randint(0, 999), 1024, 0] for i in range(300)]
    return table(to / "DE1_0_2008_Beneficiary_Summary.csv", rows)


def python_miner_log(to):
    rows = [["", "org:resource", "lifecycle:transition", "concept:name", "time:timestamp", "case:REG_DATE", "case:concept:name", "case:AMOUNT_REQ"]]
    for p in range(80):
        rng, times = walk(p, 9, 3000)
        rows += [[len(rows) - 1 + i, f"{rng.choice([112, 10862, 11169])}.0", rng.choice(["COMPLETE", "START"]), rng.choice(["A_SUBMITTED", "A_ACCEPTED", "W_Afhandelen leads", "O_SENT"]), stamp(t, "%Y-%m-%d %H:%M:%S.546000+00:00"), stamp(times[0], "%Y-%m-%d %H:%M:%S.546000+00:00"), 173688 + 3 * p, 5000 * (1 + p % 7)] for i, t in enumerate(times)]
    return table(to / "bpi_2012.csv", rows)


def handled_patients(to):
    rows = [["handling", "patient", "employee", "handling_id", "registration_type", "time", ".order"]]
    for p in range(90):
        rng, times = walk(p, 5, 9000)
        for step, t in zip(["Registration", "Triage and Assessment", rng.choice(["Blood test", "X-Ray"]), "Discuss Results", "Check-out"], times, strict=True):
            k = len(rows)
            rows.append([step, p + 1, f"r{rng.randint(1, 7)}", k, "start", stamp(t, "%Y-%m-%dT%H:%M:%SZ"), k])
            rows.append([step, p + 1, f"r{rng.randint(1, 7)}", k, "complete", stamp(t + 9 * MINUTE, "%Y-%m-%dT%H:%M:%SZ"), k + 1])
    return table(to / "patients.csv", rows)


def smoking_records(to):
    rng = random.Random(1)
    body = "".join(f'<RECORD ID="{600 + i}">\n<SMOKING STATUS="{rng.choice(["NON-SMOKER", "UNKNOWN"])}"></SMOKING>\n<TEXT>\n{"".join(sentence(rng, 15) + chr(10) for _ in range(12))}</TEXT>\n</RECORD>\n' for i in range(60))
    (to / "smokers_surrogate_train.xml").write_text(f'<?xml version="1.0"?>\n<ROOT>\n{body}</ROOT>\n')
    return "smokers_surrogate_train.xml"


def chest_studies(to):
    for p in range(30):
        rng = random.Random(p)
        for s in range(rng.randint(1, 3)):
            path = to / "files" / f"p{10000032 + 331 * p}" / f"s{50414267 + 13 * p + s}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(" " * 33 + "FINAL REPORT\n EXAMINATION:  CHEST (PA AND LAT)\n \n INDICATION:  " + sentence(rng, 12) + "\n \n FINDINGS: \n \n " + "\n ".join(sentence(rng, 14) for _ in range(5)) + "\n \n IMPRESSION: \n \n " + sentence(rng, 6) + "\n")
    return "files"


def made_up_notes(to):
    rng = random.Random(1)
    rows = [["", "patient_id", "note", "question", "answer", "task"]]
    rows += [[i, f"{i % 90}", "Discharge Summary:\n\n" + " ".join(sentence(rng, 18) for _ in range(12)), sentence(rng, 12), sentence(rng, 25), rng.choice(["Summarization", "Question Answering", "Paraphrasing"])] for i in range(200)]
    return table(to / "synthetic.csv", rows)


def five_classes(to):
    rows = []
    for i in range(200):
        rng = random.Random(i)
        rows.append(f"  {rng.randint(1, 5)}.0000000e+00" + "".join(f"  {math.sin(j / 9 + i) + rng.gauss(0, 0.1): .7e}" for j in range(140)))
    (to / "ECG5000_TRAIN.txt").write_text("\n".join(rows) + "\n")
    return "ECG5000_TRAIN.txt"


def arrhythmia_folder(to):
    for p in range(8):
        rng = random.Random(p)
        rows = [["'sample #'", "'MLII'", "'V5'"]]
        rows += [[i, 995 + int(60 * math.sin(i / 20)) + rng.randint(-3, 3), 1011 + rng.randint(-9, 9)] for i in range(4000)]
        table(to / "mitbih_database" / f"{100 + p}.csv", rows)
        lines = ["    Time   Sample #  Type  Sub Chan  Num\tAux", *(f"    0:{i // 60:02d}.{i % 60:03d} {18 + 290 * i:8d}     {rng.choice('NNNV')}    0    0    0" for i in range(60))]
        (to / "mitbih_database" / f"{100 + p}annotations.txt").write_text("\n".join(lines) + "\n")
    return "mitbih_database"


def hours_of_wear(to):
    rows = [["SEQN", "PAXDAYH", "PAXDAYWH", "PAXSSNHP", "PAXTMH", "PAXMTSH", "PAXWWMH", "PAXSWMH", "PAXNWMH", "PAXQFH"]]
    for p in range(20):
        rng = random.Random(p)
        rows += [[62161 + 3 * p, h // 24 + 1, (h // 24 + p) % 7 + 1, 288000 * h, 60, f"{rng.expovariate(1 / 700):.3f}", rng.randint(0, 60), rng.randint(0, 30), 0, 0] for h in range(9 * 24)]
    return table(to / "PAXHR_G.csv", rows)


def episode_diagnoses(to):
    rows = [["eid", "ins_index", "arr_index", "level", "diag_icd9", "diag_icd9_nb", "diag_icd10", "diag_icd10_nb"]]
    for p in range(90):
        rng = random.Random(p)
        rows += [[1000015 + 77 * p, i, j, 1 + (j > 0), "", "", rng.choice(["I10", "E119", "Z864", "R074", "K573"]), ""] for i in range(rng.randint(1, 5)) for j in range(rng.randint(1, 4))]
    return table(to / "hesin_diag.txt", rows, by="\t")


def thyroid_no_names(to):
    r = random.Random(1)
    rows = [[r.randint(1, 90), r.choice("FM"), *(r.choice("fft") for _ in range(14)), "t", f"{r.uniform(0.1, 9):.2f}", "t", f"{r.uniform(1, 4):.1f}", "t", r.randint(60, 160), "f", "?", "SVHC", f"negative.|{3000 + i}"] for i in range(300)]
    return table(to / "allhypo.data.csv", rows)


def cases_by_country(to):
    rng = random.Random(1)
    rows = [["dateRep", "day", "month", "year", "cases", "deaths", "countriesAndTerritories", "geoId", "countryterritoryCode", "popData2019", "continentExp"]]
    rows += [[stamp(D0 - d * DAY, "%d/%m/%Y"), (D0 - d * DAY).day, (D0 - d * DAY).month, 2022, rng.randint(0, 900), rng.randint(0, 9), f"Country_{c}", f"C{c}", f"C{c}X", 1000000 + c, "Europe"] for c in range(15) for d in range(80)]
    return table(to / "covid.csv", rows)


def series_matrix(to):
    rng = random.Random(1)
    before = ['!Series_title\t"Expression in blood"', '!Series_geo_accession\t"GSE11111"', "!Sample_title\t" + "\t".join(f'"sample {i}"' for i in range(12)), "!Sample_characteristics_ch1\t" + "\t".join('"age: 41"' for _ in range(12)), "!series_matrix_table_begin"]
    rows = [["ID_REF", *(f"GSM{280 + i}" for i in range(12))], *([f"{1000 + g}_at", *(f"{rng.gauss(7, 2):.4f}" for _ in range(12))] for g in range(500))]
    return table(to / "GSE11111_series_matrix.txt", rows, by="\t", before=before, after=["!series_matrix_table_end"])


def strokes(to):
    r = random.Random(1)
    rows = [["id", "gender", "age", "hypertension", "heart_disease", "ever_married", "work_type", "Residence_type", "avg_glucose_level", "bmi", "smoking_status", "stroke"]]
    rows += [[r.randint(60, 72940), r.choice(["Male", "Female"]), r.randint(1, 82), r.randint(0, 1), 0, "Yes", r.choice(["Private", "Self-employed"]), "Urban", f"{r.uniform(55, 270):.2f}", r.choice(["N/A", f"{r.uniform(15, 50):.1f}"]), r.choice(["Unknown", "smokes"]), r.randint(0, 1)] for _ in range(400)]
    return table(to / "healthcare-dataset-stroke-data.csv", rows)


def fit_messages(to):
    for p in range(8):
        rng = random.Random(p)
        rows = [["Type", "Local Number", "Message", *(f"{n} {i}" for i in range(1, 5) for n in ("Field", "Value", "Units"))]]
        rows.append(["Definition", 0, "file_id", "serial_number", 1, "", "time_created", 1, "", "manufacturer", 1, "", "type", 1, ""])
        rows += [["Data", 1, "record", "timestamp", 1000000000 + i + 99 * p, "s", "heart_rate", rng.randint(80, 160), "bpm", "distance", f"{2.7 * i:.2f}", "m", "speed", "2.7", "m/s"] for i in range(1200)]
        table(to / "fit" / f"run{p}.csv", rows)
    return "fit"


def own_workouts(to):
    rng = random.Random(1)
    rows = [["Activity Type", "Date", "Favorite", "Title", "Distance", "Calories", "Time", "Avg HR", "Max HR", "Aerobic TE", "Avg Run Cadence", "Avg Pace", "Best Pace", "Total Ascent"]]
    rows += [["Running", stamp(D0 + 2 * i * DAY), "false", "Village Running", f"{rng.uniform(4, 15):.2f}", rng.randint(200, 900), f"00:{rng.randint(20, 59)}:12", rng.randint(120, 160), rng.randint(160, 190), "3.1", 164, "5:41", "4:20", rng.randint(5, 90)] for i in range(150)]
    return table(to / "Activities.csv", rows)


def tracker_raw(to):
    rng = random.Random(1)
    for name, low in (("raw_tracker_steps", 0), ("raw_tracker_distance", 1), ("raw_hr_hr", 50)):
        table(to / "data_WIT" / f"{name}.csv", [["start", "duration", "value"], *([stamp(D0 + i * MINUTE, "%Y-%m-%dT%H:%M:%S+02:00"), "[60]", f"[{low + rng.randint(0, 60)}]"] for i in range(3000))])
    return "data_WIT"


def wristband_minutes(to):
    for p in range(12):
        rng = random.Random(p)
        for day in range(3):
            rows = [["timestamp_unix", "timestamp_iso", "participant_full_id", "pulse_rate_bpm", "missing_value_reason"]]
            for i in range(1440):
                t = D0 + day * DAY + i * MINUTE
                gone = rng.random() < 0.1
                rows.append([int((t - EPOCH).total_seconds() * 1000), stamp(t, "%Y-%m-%dT%H:%M:%SZ"), f"2414-1-1-P{p:03d}", "" if gone else rng.randint(55, 110), "device_not_recording" if gone else ""])
            table(to / "digital_biomarkers" / f"P{p:03d}" / f"2414-1-1-P{p:03d}_{D0 + day * DAY:%Y-%m-%d}_pulse-rate.csv", rows)
    return "digital_biomarkers"


def family_lives(to):
    rows = [["idhous", "sex", "birthyr", "nat_1_02", "plingu02", "p02r01", "p02r04", "cspfaj", "cspmoj", *(f"a{i}" for i in range(15, 31)), "wp00tbgp"]]
    for p in range(200):
        rng = random.Random(p)
        state, lives = 0, []
        for _ in range(16):
            state = min(7, state + (rng.random() < 0.15))
            lives.append(state)
        rows.append([66891 + 17 * p, rng.choice(["man", "woman"]), rng.randint(1909, 1957), "Switzerland", "french", "christian", "about once a month", "self-employed", "", *lives, f"{rng.random() * 3000:.3f}"])
    return table(to / "biofam.csv", rows)


def state_inpatients(to):
    rows = [["KEY", "VisitLink", "DaysToEvent", "AGE", "FEMALE", "LOS", "I10_DX1", "I10_DX2", "I10_PR1", "DRG", "TOTCHG"]]
    for p in range(90):
        rng = random.Random(p)
        day = rng.randint(10000, 18000)
        for _ in range(rng.randint(1, 5)):
            day += rng.randint(5, 300)
            rows.append([1201600000000 + 331 * len(rows), 2000 + 37 * p, day, rng.randint(20, 90), p % 2, rng.randint(1, 12), rng.choice(["A419", "I214", "J189", "N179", "I5023"]), "I10", "", rng.choice([871, 291, 193]), rng.randint(4000, 90000)])
    return table(to / "SID_CORE.csv", rows)


def danish_contacts(to):
    rows = [["recnum", "pnr", "c_adiag", "c_pattype", "d_inddto", "d_uddto", "c_sgh", "c_afd"]]
    for p in range(80):
        rng, times = walk(p, random.Random(p).randint(2, 6), 300000)
        rows += [[88000 + 3 * (len(rows) + i), f"{p * 13 + 7:010d}", rng.choice(["DI219", "DJ189", "DS720", "DZ038"]), rng.choice([0, 2]), stamp(t, "%Y-%m-%d"), stamp(t + 3 * DAY, "%Y-%m-%d"), rng.choice([1301, 1401]), "010"] for i, t in enumerate(times)]
    return table(to / "lpr_adm.csv", rows, by=";")


def korean_bills(to):
    rows = [["RN_INDI", "RN_KEY", "MDCARE_STRT_DT", "FORM_CD", "MCARE_SUBJ_CD", "SICK_SYM1", "SICK_SYM2", "VSHSP_DD_CNT", "TOT_PRSC_DD_CNT"]]
    for p in range(90):
        rng, times = walk(p, random.Random(p).randint(3, 9), 90000)
        rows += [[10000231 + 41 * p, 201500000000 + 7 * (len(rows) + i), stamp(t, "%Y%m%d"), f"0{rng.randint(2, 3)}", rng.choice(["01", "05", "12"]), rng.choice(["J209", "M545", "I10", "E119", "K297"]), "", 1, rng.randint(0, 30)] for i, t in enumerate(times)]
    return table(to / "T20_2015.csv", rows)


def claims_by_enrollee(to):
    rows = [["SEQNUM", "ENROLID", "SVCDATE", "TSVCDAT", "DX1", "DX2", "PROC1", "PROCTYP", "STDPLAC", "STDPROV", "PAY", "AGE", "SEX", "REGION"]]
    for p in range(90):
        rng, times = walk(p, random.Random(p).randint(3, 12), 40000)
        rows += [[57000 + 11 * (len(rows) + i), 2700000101 + 900 * p, stamp(t, "%m/%d/%Y"), stamp(t, "%m/%d/%Y"), rng.choice(["E119", "I10", "Z0000", "M545"]), "", rng.choice(["99213", "99214", "80053", "36415"]), 1, rng.choice([11, 22, 23, 81]), 240, f"{rng.uniform(5, 400):.2f}", 50, 1, 3] for i, t in enumerate(times)]
    return table(to / "ccaeo.csv", rows)


def polish_stays(to):
    rows = [["lp.", "id_pacjenta", "data_przyjęcia", "data_wypisu", "oddział", "rozpoznanie", "wiek"]]
    for p in range(70):
        rng, times = walk(p, random.Random(p).randint(2, 6), 90000)
        rows += [[len(rows) + i, 40210 + 19 * p, stamp(t, "%d.%m.%Y"), stamp(t + 4 * DAY, "%d.%m.%Y"), rng.choice(["Chirurgia", "Kardiologia", "Położnictwo", "Neurologia"]), rng.choice(["I21", "J18", "S72"]), rng.randint(20, 90)] for i, t in enumerate(times)]
    return table(to / "pobyty.csv", rows, by=";", encoding="cp1250")


def hospital_bills_nobody(to):
    r = random.Random(1)
    rows = [["UF_ZI", "ANO_CMPT", "MES_CMPT", "ESPEC", "N_AIH", "IDENT", "MUNIC_RES", "NASC", "SEXO", "DT_INTER", "DT_SAIDA", "DIAG_PRINC", "VAL_TOT", "DIAS_PERM", "MORTE"]]
    rows += [[350000, 2019, "01", "03", f"35191{i:08d}", 1, 350950, f"19{r.randint(30, 99)}0512", r.choice([1, 3]), stamp(D0 + r.randint(0, 30) * DAY, "%Y%m%d"), stamp(D0 + r.randint(31, 40) * DAY, "%Y%m%d"), r.choice(["O800", "J189", "K359"]), f"{r.uniform(100, 4000):.2f}", r.randint(1, 9), 0] for i in range(400)]
    return table(to / "RDSP1901.csv", rows)


def ward_signals(to):
    for p in range(8):
        rng = random.Random(p)
        rows = [["Time [s]", " RESP", " PLETH", " V", " AVR", " II"]]
        rows += [[i / 125, *(f"{0.5 + 0.3 * math.sin(i / 30 + j) + rng.gauss(0, 0.02):.5f}" for j in range(5))] for i in range(6000)]
        table(to / "bidmc_csv" / f"bidmc_{p + 1:02d}_Signals.csv", rows)
        table(to / "bidmc_csv" / f"bidmc_{p + 1:02d}_Numerics.csv", [["Time [s]", " HR", " PULSE", " RESP", " SpO2"], *([i, rng.randint(80, 95), rng.randint(80, 95), rng.randint(15, 25), rng.randint(94, 99)] for i in range(48))])
        table(to / "bidmc_csv" / f"bidmc_{p + 1:02d}_Breaths.csv", [["breaths ann1 [signal sample no]", " breaths ann2 [signal sample no]"], *([210 * i + 9, 210 * i + 14] for i in range(28))])
        (to / "bidmc_csv" / f"bidmc_{p + 1:02d}_Fix.txt").write_text(f"ID: {p + 1}\nSource: MIMIC-II matched waveforms\nAge: 88\nGender: F\nLocation: micu\n")
    return "bidmc_csv"


def watch_stages(to):
    for p in range(10):
        rng = random.Random(p)
        stage, lines = 0, []
        for i in range(950):
            stage = rng.choice([0, 1, 2, 3, 5]) if rng.random() < 0.05 else stage
            lines.append(f"{30 * i} {stage}")
        path = to / "labels" / f"{46343 + 917 * p}_labeled_sleep.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    return "labels"


def pressure_pulses(to):
    for p in range(30):
        rng = random.Random(p)
        path = to / "0_subject" / f"{p + 2}_1.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\t".join(str(2000 + int(300 * math.sin(i / 40 + p)) + rng.randint(-9, 9)) for i in range(2100)))
    return "0_subject"


def freezing_gait(to):
    for p in range(10):
        rng = random.Random(p)
        path = to / "dataset" / f"S{p + 1:02d}R01.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(" ".join(map(str, [int(1000 * i / 64), *(rng.randint(-1000, 1000) for _ in range(9)), 0 if i < 500 else 1 + (rng.random() < 0.1)])) for i in range(4000)) + "\n")
    return "dataset"


def pathology_reports(to):
    rng = random.Random(1)
    rows = [["patient_filename", "text"]]
    rows += [[f"TCGA-BP-{5000 + i}.{rng.getrandbits(64):016X}", " ".join(sentence(rng, 18) for _ in range(15))] for i in range(120)]
    return table(to / "TCGA_Reports.csv", rows)


def labelled_abstracts(to):
    rng = random.Random(1)
    rows = [["condition_label", "medical_abstract"], *([rng.randint(1, 5), " ".join(sentence(rng, 22) for _ in range(8))] for _ in range(200))]
    return table(to / "medical_tc_train.csv", rows)


def case_summaries(to):
    rng = random.Random(1)
    rows = [["patient_id", "patient_uid", "PMID", "file_path", "title", "patient", "age", "gender"]]
    rows += [[i, f"{7665777 + i // 2}-{1 + i % 2}", 33492400 + i // 2, f"comm/PMC00{i % 9}xxxxxx/PMC{7665777 + i // 2}.xml", sentence(rng, 9), " ".join(sentence(rng, 24) for _ in range(9)), "[[60.0, 'year']]", rng.choice("MF")] for i in range(150)]
    return table(to / "PMC-Patients.csv", rows)


EIGHTH = {
    actiware_german: truth("activity", "file", ask=True, time="Datum", value="Aktivität", never=("Zeile",)),
    condor_report: truth("activity", "file", ask=True, time="DATE/TIME", value="PIM|ZCM|TAT|PIMn", never=("MS", "EVENT")),
    daqtix_seconds: truth("activity", "file", ask=True, time="1", value="2|3"),
    pump_and_sensor: truth("activity", "file", ask=True, time="Timestamp|Date", value="Sensor Glucose (mg/dL)", never=("Index", "ISIG Value")),
    libre_pro_text: truth("activity", "file", ask=True, time="Time", value="Historic Glucose (mg/dL)", never=("ID", "Record Type")),
    trial_lab_domain: truth("events", "USUBJID", time="LBDTC", state="LBTESTCD|LBTEST", never=("LBSEQ", "STUDYID")),
    raw_counts_block: truth("symbols/activity", "file", ask=True, value="Accelerometer X|Accelerometer Y|Accelerometer Z", run=None),
    stages_of_nights: truth("symbols/activity/events", "Id", time="Time", never=("LogId",)),
    services: truth("events", "subject_id", time="transfertime", state="curr_service", never=("hadm_id",)),
    demo_folders: truth("none", run=False),
    unit_diagnoses: truth("events", "patientunitstayid", ask=True, time="diagnosisoffset", state="diagnosisstring", never=("diagnosisid",)),
    salzburg_values: truth("events", "CaseID", ask=True, time="Offset", state="DataID", never=("id",)),
    measurement_lower: truth("events", "", layout="omop", never=("measurement_id", "visit_occurrence_id")),
    drug_events: truth("events", "DESYNPUF_ID", time="SRVC_DT", state="PROD_SRVC_ID", never=("PDE_ID",), run=None),
    beneficiaries: truth("none", run=False),
    python_miner_log: truth("events", "case:concept:name", ask=True, time="time:timestamp", state="concept:name", never=("column 1", "org:resource")),
    handled_patients: truth("events", "patient", time="time", state="handling", never=("handling_id", ".order", "employee")),
    smoking_records: truth("text/none", "", run=None),
    chest_studies: truth("text", "folder/", ask=True, run=None),
    made_up_notes: truth("text", "patient_id", text="note"),
    five_classes: truth("series/symbols", "each", ask=True, run=None),
    arrhythmia_folder: truth("symbols", "file", ask=True, value="'MLII'|'V5'|MLII|V5"),
    hours_of_wear: truth("activity/symbols/events/series/none", "SEQN", never=("PAXQFH",), run=None),
    episode_diagnoses: truth("events/none", "eid", never=("level",), run=None),
    thyroid_no_names: truth("none", run=False),
    cases_by_country: truth("none", run=False),
    series_matrix: truth("none", run=False),
    strokes: truth("none", run=False),
    fit_messages: truth("none/symbols/activity/events", "file", ask=True, run=None),
    own_workouts: truth("events/none/activity/symbols", "", run=False),
    tracker_raw: truth("none/activity/symbols/events", "file/", run=False),
    wristband_minutes: truth("activity", "participant_full_id/folder", time="timestamp_iso|timestamp_unix", value="pulse_rate_bpm"),
    family_lives: truth("activity/events/series/symbols/none", "idhous", ask=False, never=("birthyr", "sex"), run=None),
    state_inpatients: truth("events", "VisitLink", time="DaysToEvent", state="I10_DX1|DRG", never=("KEY", "AGE", "LOS"), run=None),
    danish_contacts: truth("events", "pnr", time="d_inddto", state="c_adiag|c_sgh|c_pattype", never=("recnum",)),
    korean_bills: truth("events", "RN_INDI", time="MDCARE_STRT_DT", state="SICK_SYM1|MCARE_SUBJ_CD", never=("RN_KEY",)),
    claims_by_enrollee: truth("events", "ENROLID", time="SVCDATE|TSVCDAT", state="DX1|PROC1|STDPLAC", never=("SEQNUM",)),
    polish_stays: truth("events", "id_pacjenta", time="data_przyjęcia", state="oddział|rozpoznanie", never=("lp.", "wiek")),
    hospital_bills_nobody: truth("none/events", "", run=False),
    ward_signals: truth("symbols/none/activity", "file", ask=True, run=None),
    watch_stages: truth("symbols/activity", "file", ask=True, run=None),
    pressure_pulses: truth("symbols/series", "file/each", ask=True, run=None),
    freezing_gait: truth("symbols", "file", ask=True, never=("1",), run=None),
    pathology_reports: truth("text", "patient_filename/", text="text"),
    labelled_abstracts: truth("text/none", "", ask=True, text="medical_abstract", run=None),
    case_summaries: truth("text", "patient_id/patient_uid", text="patient", run=None),
}
"""Formats of makers' programs and public archives, by their own names."""
