# ruff: noqa: E501
# fmt: off
"""A fourth held-out section: public data sets and exports as they come, written before any of it was run.

Every name and number is made up. `TRUTHS` says what `inspect` should find.
"""

import datetime as dt
import random

import openpyxl

from experiments.front_door_third import walk
from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)


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


TRUTHS = {
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
"""Source → what it is."""
