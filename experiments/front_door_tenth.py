# ruff: noqa: E501
# fmt: off
"""A tenth held-out section: public data sets, registers and laboratory programs, written before any of it was run.

Every name and number is made up; only names of files and columns are those of the data sets. `TENTH` says what
`inspect` should find.
"""

import datetime as dt
import gzip
import random

from experiments.front_door_third import walk
from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)


# watches and sensors


def sleep_cohort_watch(to):
    for p in range(9):
        rng = random.Random(p)
        rows = [["mesaid", "line", "linetime", "offwrist", "activity", "marker", "whitelight", "redlight", "wake", "interval", "dayofweek", "daybymidnight", "daybynoon"]]
        for i in range(2 * 2880):
            second = (73800 + 30 * i) % 86400
            rows.append([p + 1, i + 1, f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}", 0, moved(rng, second // 3600) // 4, 0, f"{rng.random() * 90:.2f}", f"{rng.random() * 9:.2f}", int(second > 25000), "ACTIVE" if second > 25000 else "REST", 1 + (73800 + 30 * i) // 86400, 1 + (73800 + 30 * i) // 86400, 1])
        table(to / "actigraphy" / f"mesa-sleep-{p + 1:04d}.csv", rows)
    return "actigraphy"


def clock_sugar(to):
    for p in range(12):
        rng, level = random.Random(p), random.Random(p).randint(90, 160)
        rows = [["hora", "glucemia"], *([f"{i // 12:02d}:{i % 12 * 5:02d}:00", sugar(rng, 5 * i, level)] for i in range(288))]
        table(to / "casos" / f"case {p + 1}.csv", rows)
    return "casos"


def diabetes_signals(to):
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        folder = to / "diabetes_subset" / f"{p + 1:03d}"
        rows = [["date", "time", "glucose", "type", "comments"]]
        rows += [[stamp(t + 5 * i * MINUTE, "%Y-%m-%d"), stamp(t + 5 * i * MINUTE, "%H:%M:%S"), f"{sugar(rng, 5 * i, 140) / 18:.1f}", "cgm", ""] for i in range(3 * 288)]
        table(folder / "glucose.csv", rows)
        table(folder / "insulin.csv", [["date", "time", "fast_insulin", "slow_insulin", "comment"], *([stamp(t + 5 * i * HOUR, "%Y-%m-%d"), stamp(t + 5 * i * HOUR, "%H:%M"), rng.randint(1, 9), "", ""] for i in range(12))])
    return "diabetes_subset"


def labelled_wrist(to):
    for p in range(8):
        rng, now, t = random.Random(p), "sitting", days(p, random.Random(p))
        rows = [["time", "x", "y", "z", "annotation"]]
        for i in range(4000):
            now = rng.choice(["sitting", "walking", "sleeping"]) if rng.random() < 0.002 else now
            rows.append([stamp(t + 10 * i * dt.timedelta(milliseconds=1), "%Y-%m-%d %H:%M:%S.%f"), *(f"{rng.gauss(0, 0.4):.5f}" for _ in range(3)), now])
        plain = to / "capture" / f"P{p + 1:03d}.csv"
        table(plain, rows)
        (to / "capture" / f"P{p + 1:03d}.csv.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
        plain.unlink()
    return "capture"


def program_minutes(to):
    rows = [["person_id", "datetime", "heart_rate_value", "src_id"]]
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[2000000 + 77 * p, stamp(t + i * MINUTE, "%Y-%m-%d %H:%M:%S UTC"), rng.randint(48, 140), "pt"] for i in range(2 * 1440)]
    return table(to / "heart_rate_minute_level.csv", rows)


def nightly_measures(to):
    rows = [["", "id", "date", "nightly_temperature", "rmssd", "spo2", "full_sleep_breathing_rate", "stress_score", "calories", "steps", "resting_hr", "age", "gender"]]
    for p in range(20):
        rng = random.Random(p)
        t = days(p, rng)
        who = f"{rng.getrandbits(96):024x}"
        rows += [[len(rows) - 1 + i, who, stamp(t + i * DAY, "%Y-%m-%d"), f"{rng.gauss(34, 0.5):.4f}", f"{rng.uniform(20, 90):.3f}", f"{rng.uniform(93, 99):.1f}", f"{rng.uniform(12, 18):.1f}", rng.randint(40, 90), f"{rng.uniform(1500, 3500):.2f}", rng.randint(2000, 18000), f"{rng.uniform(50, 75):.4f}", "<30", "MALE"] for i in range(50)]
    return table(to / "daily_fitbit_sema.csv", rows)


def wellness_each(to):
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["effective_time_frame", "fatigue", "mood", "readiness", "sleep_duration_h", "sleep_quality", "soreness", "stress"]]
        rows += [[stamp(t + i * DAY + rng.randint(0, 120) * MINUTE, "%Y-%m-%dT%H:%M:%S.000Z"), *(rng.randint(1, 5) for _ in range(3)), rng.randint(4, 9), *(rng.randint(1, 5) for _ in range(3))] for i in range(90)]
        table(to / "pmdata" / f"p{p + 1:02d}" / "wellness.csv", rows)
    return "pmdata"


# laboratories


def open_signals(to):
    for p in range(8):
        rng = random.Random(p)
        lines = ["# OpenSignals Text File Format", '# {"00:07:80:3B:46:61": {"sensor": ["ECG", "EDA"], "column": ["nSeq", "I1", "I2", "O1", "O2", "A1", "A2"], "sampling rate": 1000}}', "# EndOfHeader"]
        lines += [f"{i % 16}\t0\t0\t0\t0\t{rng.randint(400, 600)}\t{rng.randint(100, 300)}\t" for i in range(3000)]
        path = to / "opensignals" / f"subject{p + 1}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    return "opensignals"


def lab_chart(to):
    for p in range(8):
        rng = random.Random(p)
        lines = ["Interval=\t0.01 s", "ExcelDateTime=\t4.4683e+04\t05/02/2022 09:15:00", "TimeFormat=\tStartOfBlock", "ChannelTitle=\tECG\tResp", "Range=\t5.000 mV\t1.000 V"]
        lines += [f"{i / 100:.2f}\t{rng.gauss(0, 0.4):.5f}\t{rng.gauss(0, 0.1):.5f}" for i in range(3000)]
        path = to / "labchart" / f"animal {p + 1}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    return "labchart"


def cyclic_sleep(to):
    for p in range(8):
        rng = random.Random(p)
        lines = ["Scoring Session:", "Version: 3.0", "", "Sleep Stage\tPosition\tTime [hh:mm:ss]\tEvent\tDuration[s]\tLocation"]
        for i in range(800):
            second = (79200 + 30 * i) % 86400
            lines.append(f"{rng.choice(['W', 'S1', 'S2', 'S3', 'R'])}\tSupine\t{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}\tSLEEP-{rng.choice(['S0', 'S1', 'S2', 'REM'])}\t30\tROC-LOC")
        path = to / "scorings" / f"n{p + 1}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    return "scorings"


# hospitals


def unit_laboratory(to):
    rows = [["labid", "patientunitstayid", "labresultoffset", "labtypeid", "labname", "labresult", "labresulttext", "labmeasurenamesystem", "labresultrevisedoffset"]]
    for p in range(60):
        rng = random.Random(p)
        at = rng.randint(-400, 0)
        for _ in range(20):
            at += rng.randint(30, 700)
            value = f"{rng.random() * 140:.2f}"
            rows.append([52307000 + 7 * len(rows), 141168 + 29 * p, at, rng.choice([1, 3]), rng.choice(["potassium", "sodium", "Hgb", "WBC x 1000", "glucose"]), value, value, "mmol/L", at + 20])
    return table(to / "lab.csv", rows)


def unit_infusions(to):
    rows = [["infusiondrugid", "patientunitstayid", "infusionoffset", "drugname", "drugrate", "infusionrate", "drugamount", "volumeoffluid", "patientweight"]]
    for p in range(50):
        rng = random.Random(p)
        at = 0
        for _ in range(25):
            at += rng.randint(5, 300)
            rows.append([2000100 + 3 * len(rows), 242000 + 31 * p, at, rng.choice(["Propofol (mcg/kg/min)", "Norepinephrine (mcg/min)", "Heparin (units/hr)"]), rng.randint(1, 90), rng.randint(1, 40), "", "", ""])
    return table(to / "infusionDrug.csv", rows)


def emergency_vitals(to):
    rows = [["subject_id", "stay_id", "charttime", "temperature", "heartrate", "resprate", "o2sat", "sbp", "dbp", "rhythm", "pain"]]
    for p in range(80):
        rng, times = walk(p, 6, 120)
        rows += [[10000032 + 17 * p, 32000000 + 3 * p, stamp(t), f"{rng.gauss(98, 0.7):.1f}", rng.randint(55, 130), rng.randint(12, 26), rng.randint(90, 100), rng.randint(95, 170), rng.randint(50, 100), "", rng.randint(0, 10)] for t in times]
    return table(to / "vitalsign.csv", rows)


def dispensing_cabinet(to):
    rows = [["subject_id", "stay_id", "charttime", "med_rn", "name", "gsn_rn", "gsn"]]
    for p in range(80):
        rng, times = walk(p, 6, 300)
        rows += [[10000032 + 17 * p, 32000000 + 3 * p, stamp(t), n + 1, rng.choice(["Ondansetron", "Morphine", "Acetaminophen", "Ketorolac"]), 1, f"{rng.choice([4490, 15869, 61716]):06d}"] for n, t in enumerate(times)]
    return table(to / "pyxis.csv", rows)


def heart_failure_table(to):
    r = random.Random(1)
    names = ["inpatient.number", "DestinationDischarge", "admission.ward", "body.temperature", "pulse", "respiration", "systolic.blood.pressure", "weight", "height", "BMI", "type.of.heart.failure", "NYHA.cardiac.function.classification", "LVEF", "creatinine.enzymatic.method", "urea", "white.blood.cell", "platelet", "sodium", "potassium"]
    rows = [["", *names]]
    for i in range(250):
        rows.append([i + 1, 722128 + 53 * i, r.choice(["Home", "HealthcareFacility"]), r.choice(["Cardiology", "GeneralWard"]), f"{r.gauss(36.6, 0.4):.1f}", r.randint(55, 140), r.randint(14, 28), r.randint(90, 190), r.randint(35, 95), f"1.{r.randint(45, 85)}", f"{r.gauss(22, 4):.2f}", r.choice(["Left", "Both"]), r.choice(["II", "III", "IV"]), r.randint(20, 70), f"{r.uniform(40, 300):.1f}", f"{r.uniform(2, 30):.2f}", f"{r.uniform(3, 18):.1f}", r.randint(60, 400), f"{r.gauss(138, 4):.1f}", f"{r.gauss(4, 0.6):.2f}"])
    return table(to / "dat.csv", rows)


def japanese_acts(to):
    rows = [["施設コード", "データ識別番号", "退院年月日", "入院年月日", "データ区分", "順序番号", "行為明細番号", "レセプト電算コード", "診療行為名称", "使用量", "実施年月日"]]
    for p in range(60):
        rng, times = walk(p, 15, 1400)
        first, last = times[0], times[-1] + DAY
        for n, t in enumerate(times):
            code, name = rng.choice([("160008010", "末梢血液一般検査"), ("113013710", "薬剤管理指導料"), ("190117710", "入院基本料"), ("170011810", "単純撮影")])
            rows.append(["131000001", f"{7000000 + p:010d}", stamp(last, "%Y%m%d"), stamp(first, "%Y%m%d"), rng.choice(["60", "13", "90"]), f"{n + 1:04d}", "000", code, name, "1", stamp(t, "%Y%m%d")])
    return table(to / "EFn_131000001_2204.txt", rows, by="\t", encoding="utf-8")


def swedish_register(to):
    rows = [["LopNr", "AR", "INDATUM", "UTDATUM", "SJUKHUS", "MVO", "hdia", "DIAGNOS", "KON", "ALDER", "PVARD"]]
    for p in range(90):
        rng, times = walk(p, 5, 90000)
        rows += [[100 + 3 * p, t.year, stamp(t, "%Y%m%d"), stamp(t + 3 * DAY, "%Y%m%d"), rng.choice([11001, 12010]), rng.choice([101, 301, 501]), rng.choice(["I259", "J189", "F329", "S720"]), "I259 E119", p % 2 + 1, 40 + p % 40, 1] for t in times]
    return table(to / "par_sv.csv", rows, by=";")


def australian_benefits(to):
    rows = [["PTNT_ID", "SPPLY_DT", "ITM_CD", "PBS_RGLTN24_ADJST_QTY", "BNFT_AMT", "PTNT_CNTRBTN_AMT", "MJR_SPCLTY_GRP"]]
    for p in range(90):
        rng, times = walk(p, 8, 60000)
        rows += [[9000000001 + 17 * p, stamp(t, "%d%b%Y").upper(), rng.choice(["08254K", "02622B", "01215Y", "09042P"]), 1, f"{rng.uniform(5, 80):.2f}", "6.30", rng.choice([1, 4, 9])] for t in times]
    return table(to / "pbs2014.csv", rows)


def finnish_endpoints(to):
    rows = [["FINNGENID", "SOURCE", "EVENT_AGE", "APPROX_EVENT_DAY", "CODE1", "CODE2", "CODE3", "ICDVER", "CATEGORY", "INDEX"]]
    for p in range(80):
        rng, times = walk(p, 9, 90000)
        rows += [[f"FG{p:08d}", rng.choice(["INPAT", "OUTPAT", "PURCH", "PRIM_OUT"]), f"{40 + (t - D0).days / 365:.2f}", stamp(t, "%Y-%m-%d"), rng.choice(["I10", "C10AA05", "J45", "M179"]), "", "", "10", rng.choice(["0", "1", "ICD0"]), len(rows)] for t in times]
    return table(to / "finngen_longitudinal.txt", rows, by="\t")


def biobank_practice(to):
    rows = [["eid", "data_provider", "event_dt", "read_2", "read_3", "value1", "value2", "value3"]]
    for p in range(80):
        rng, times = walk(p, 10, 90000)
        rows += [[1000013 + 13 * p, rng.choice([1, 3]), stamp(t, "%d/%m/%Y"), "", rng.choice(["XaJYA", "22A..", "246..", "XE2eD", "44P.."]), rng.choice(["", f"{rng.uniform(20, 160):.3f}"]), "", ""] for t in times]
    return table(to / "gp_clinical.txt", rows, by="\t")


# cohorts


def transplants(to):
    rows = [["start", "stop", "event", "age", "year", "surgery", "transplant", "id"]]
    for p in range(90):
        rng = random.Random(p)
        age, year, cut, end = f"{rng.uniform(-20, 15):.4f}", f"{rng.uniform(0, 6):.4f}", rng.randint(3, 90), rng.randint(100, 1800)
        rows += [[0, cut, 0, age, year, 0, 0, p + 1], [cut, end, 1, age, year, 0, 1, p + 1]]
    return table(to / "heart.csv", rows)


def seizure_periods(to):
    rows = [["y", "trt", "base", "age", "V4", "subject", "period", "lbase", "lage"]]
    for p in range(59):
        rng = random.Random(p)
        base, age = rng.randint(6, 80), rng.randint(18, 42)
        rows += [[rng.randint(0, 40), "progabide" if p % 2 else "placebo", base, age, int(v == 4), p + 1, v, f"{rng.gauss(0, 0.7):.6f}", f"{rng.gauss(0, 0.2):.6f}"] for v in range(1, 5)]
    return table(to / "epil.csv", rows)


def chick_weights(to):
    rows = [["", "weight", "Time", "Chick", "Diet"]]
    for p in range(50):
        rng = random.Random(p)
        rows += [[len(rows) + i, round(41 + d * rng.uniform(4, 9)), d, p + 1, p % 4 + 1] for i, d in enumerate([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 21])]
    return table(to / "ChickWeight.csv", rows)


def jaw_distances(to):
    rows = [["distance", "age", "Subject", "Sex"]]
    for p in range(27):
        rng = random.Random(p)
        rows += [[f"{22 + a / 2 + rng.gauss(0, 1):.1f}", a, f"{'MF'[p % 2]}{p + 1:02d}", ["Male", "Female"][p % 2]] for a in (8, 10, 12, 14)]
    return table(to / "Orthodont.csv", rows)


def heart_states(to):
    rows = [["", "PTNUM", "age", "years", "dage", "sex", "pdiag", "cumrej", "state", "firstobs", "statemax"]]
    for p in range(120):
        rng = random.Random(p)
        age, state, year = rng.uniform(30, 60), 1, 0.0
        for v in range(rng.randint(3, 8)):
            rows.append([len(rows), 100002 + p, f"{age + year:.5f}", f"{year:.6f}", 30, 0, "IHD", rng.randint(0, 5), state, int(v == 0), state])
            year += rng.uniform(0.8, 1.3)
            state = min(4, state + (rng.random() < 0.4))
    return table(to / "cav.csv", rows)


def working_women(to):
    rows = [["idcode", "year", "birth_yr", "age", "race", "msp", "nev_mar", "grade", "collgrad", "ind_code", "occ_code", "union", "wks_work", "ln_wage"]]
    for p in range(120):
        rng = random.Random(p)
        born = rng.randint(41, 54)
        rows += [[p + 1, y, born, y - born, rng.choice([1, 2]), 1, 0, 12, 0, rng.randint(1, 12), rng.randint(1, 13), rng.randint(0, 1), rng.randint(0, 104), f"{rng.gauss(1.7, 0.4):.6f}"] for y in sorted(rng.sample(range(68, 89), rng.randint(3, 12)))]
    return table(to / "nlswork.csv", rows)


def retirement_waves(to):
    rows = [["hhidpn", "ragender", "rabyear", *(f"r{w}bmi" for w in range(1, 9)), *(f"r{w}shlt" for w in range(1, 9))]]
    for p in range(150):
        rng = random.Random(p)
        b = rng.uniform(19, 38)
        rows.append([1010 + 10 * p, rng.choice([1, 2]), rng.randint(1925, 1955), *(f"{b + rng.gauss(0, 1):.1f}" for _ in range(8)), *(rng.randint(1, 5) for _ in range(8))])
    return table(to / "randhrs.csv", rows)


def trial_capture(to):
    rows = [["Participant Id", "Participant Status", "Site Abbreviation", "Randomized", "Visit", "Visit_Date", "Pain_NRS", "Weight_kg", "Comments"]]
    for p in range(40):
        rng = random.Random(p)
        rows += [[f"AMC-{p + 1:04d}", "Completed", "AMC", "", f"V{v}", stamp(D0 + (30 * v + rng.randint(-3, 3)) * DAY, "%d-%m-%Y"), rng.randint(0, 10), f"{rng.uniform(55, 110):.1f}", ""] for v in range(1, 6)]
    return table(to / "castor_export.csv", rows, by=";")


def memory_merge(to):
    rows = [["RID", "PTID", "VISCODE", "SITE", "EXAMDATE", "DX_bl", "AGE", "PTGENDER", "CDRSB", "ADAS11", "MMSE", "Hippocampus", "DX"]]
    for p in range(70):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[p + 2, f"011_S_{p + 2:04d}", "bl" if m == 0 else f"m{m:02d}", 11, stamp(t + 30 * m * DAY, "%Y-%m-%d"), "CN", 74.3, "Male", rng.choice(["0", "0.5", "1"]), f"{rng.uniform(2, 20):.2f}", rng.randint(20, 30), rng.randint(5000, 9000), rng.choice(["CN", "MCI", "Dementia"])] for m in (0, 6, 12, 24)]
    return table(to / "ADNIMERGE.csv", rows)


# none


def prescribers(to):
    r = random.Random(1)
    rows = [["Prscrbr_NPI", "Prscrbr_Last_Org_Name", "Prscrbr_First_Name", "Prscrbr_City", "Prscrbr_State_Abrvtn", "Prscrbr_Type", "Brnd_Name", "Gnrc_Name", "Tot_Clms", "Tot_30day_Fills", "Tot_Day_Suply", "Tot_Drug_Cst", "Tot_Benes"]]
    for i in range(300):
        rows.append([1003000126 + 7 * (i // 5), f"Name{i // 5}", f"First{i // 5}", "Bethesda", r.choice(["MD", "VA"]), "Internal Medicine", r.choice(["Eliquis", "Xarelto"]), r.choice(["Apixaban", "Rivaroxaban"]), r.randint(11, 300), f"{r.uniform(11, 300):.1f}", r.randint(300, 9000), f"{r.uniform(100, 99000):.2f}", r.choice(["", r.randint(11, 90)])])
    return table(to / "MUP_DPR_2021.csv", rows)


def tumour_comments(to):
    r = random.Random(1)
    rows = [["PATIENT_ID", "AGE", "SEX", "OS_STATUS", "OS_MONTHS", "DFS_STATUS", "DFS_MONTHS", "GRADE", "TMB"]]
    rows += [[f"TCGA-{i:02X}-{r.randint(1000, 9999)}", r.randint(30, 85), r.choice(["Male", "Female"]), r.choice(["0:LIVING", "1:DECEASED"]), f"{r.uniform(1, 150):.2f}", "0:DiseaseFree", f"{r.uniform(1, 150):.2f}", r.choice(["G1", "G2", "G3"]), f"{r.uniform(0, 20):.3f}"] for i in range(200)]
    before = ["#Patient Identifier\tDiagnosis Age\tSex\tOverall Survival Status", "#Identifier to uniquely specify a patient.\tAge\tSex\tStatus", "#STRING\tNUMBER\tSTRING\tSTRING", "#1\t1\t1\t1"]
    return table(to / "data_clinical_patient.txt", rows, by="\t", before=before)


def blood_donors(to):
    r = random.Random(1)
    rows = [["Recency (months)", "Frequency (times)", "Monetary (c.c. blood)", "Time (months)", "whether he/she donated blood in March 2007"]]
    rows += [[r.randint(0, 40), n := r.randint(1, 40), 250 * n, r.randint(2, 98), r.randint(0, 1)] for _ in range(400)]
    return table(to / "transfusion.data", rows) and _as(to, "transfusion.data", "transfusion.csv")


def _as(to, old, new):
    (to / old).rename(to / new)
    return new


def image_labels(to):
    r = random.Random(1)
    rows = [["Path", "Sex", "Age", "Frontal/Lateral", "AP/PA", "No Finding", "Cardiomegaly", "Lung Opacity", "Edema", "Pneumonia", "Fracture"]]
    rows += [[f"CheXpert-v1.0/train/patient{i // 2:05d}/study{i % 2 + 1}/view1_frontal.jpg", r.choice(["Male", "Female"]), r.randint(18, 90), "Frontal", "AP", *(r.choice(["", "1.0", "0.0", "-1.0"]) for _ in range(6))] for i in range(300)]
    return table(to / "train.csv", rows)


def cost_reports(to):
    r = random.Random(1)
    rows = [["rpt_rec_num", "Provider CCN", "Hospital Name", "State Code", "Fiscal Year Begin Date", "Fiscal Year End Date", "Number of Beds", "Total Days", "Total Costs", "Net Income"]]
    rows += [[600000 + i, 10000 + i // 2, f"HOSPITAL {i // 2}", "AL", "10/01/2017", "09/30/2018", r.randint(20, 800), r.randint(2000, 200000), r.randint(10**6, 10**8), r.randint(-10**6, 10**7)] for i in range(200)]
    return table(to / "CostReport_2018.csv", rows)


def benchmark_runs(to):
    r = random.Random(1)
    rows = [["run_id", "timestamp", "model", "dataset", "fold", "epoch", "train_loss", "val_loss", "auc", "seconds"]]
    rows += [[i // 30, stamp(D0 + 20 * i * SECOND, "%Y-%m-%dT%H:%M:%S"), r.choice(["lstm", "gru"]), "mimic", i // 30 % 5, i % 30, f"{2.7 ** (-i % 30 / 10):.4f}", f"{0.3 + r.random() / 5:.4f}", f"{0.7 + r.random() / 5:.4f}", f"{r.uniform(10, 30):.2f}"] for i in range(600)]
    return table(to / "runs.csv", rows)


# text


def spanish_cases(to):
    for p in range(20):
        rng = random.Random(p)
        path = to / "casos_clinicos" / f"S{rng.randint(1000, 9999)}-1130{p:06d}-{p}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("Paciente de 45 años que acude a urgencias. " + " ".join(sentence(rng, 30) for _ in range(6)) + "\n", encoding="utf-8")
    return "casos_clinicos"


def medical_notes_hadm(to):
    rows = [["ROW_ID", "SUBJECT_ID", "HADM_ID", "CHARTDATE", "CHARTTIME", "STORETIME", "CATEGORY", "DESCRIPTION", "CGID", "ISERROR", "TEXT"]]
    for p in range(40):
        rng, times = walk(p, 4, 3000)
        rows += [[len(rows), 22532 + p, 167853 + p, stamp(t, "%Y-%m-%d"), stamp(t), stamp(t + HOUR), rng.choice(["Nursing", "Physician "]), "Report", 15000 + p % 9, "", "Admission note\n" + "\n".join(sentence(rng, 15) for _ in range(5))] for t in times]
    return table(to / "NOTEEVENTS.csv", rows)


TENTH = {
    sleep_cohort_watch: truth("activity", "mesaid/file", never=("line", "offwrist", "marker", "whitelight", "dayofweek"), run=None),
    clock_sugar: truth("activity/symbols/series", "file", ask=True, value="glucemia", run=None),
    diabetes_signals: truth("activity/none", "folder", ask=True, run=None),
    labelled_wrist: truth("symbols", "file", ask=True),
    program_minutes: truth("activity", "person_id", time="datetime", value="heart_rate_value"),
    nightly_measures: truth("activity/none/events", "id", ask=True, never=("column 1", "age"), run=None),
    wellness_each: truth("activity/events/symbols/none", "folder", ask=True, run=None),
    open_signals: truth("symbols", "file", ask=True, value="6|7", run=None),
    lab_chart: truth("symbols", "file", ask=True, value="2|3", run=None),
    cyclic_sleep: truth("symbols/activity/events", "file", ask=True, run=None),
    unit_laboratory: truth("events", "patientunitstayid", ask=True, time="labresultoffset", state="labname", never=("labid", "labtypeid")),
    unit_infusions: truth("events", "patientunitstayid", ask=True, time="infusionoffset", state="drugname", never=("infusiondrugid",)),
    emergency_vitals: truth("activity/events/symbols/none", "subject_id", never=("stay_id", "pain"), run=None),
    dispensing_cabinet: truth("events", "subject_id", time="charttime", state="name|gsn", never=("med_rn", "stay_id")),
    heart_failure_table: truth("none", run=False),
    japanese_acts: truth("events", "データ識別番号", time="実施年月日", state="診療行為名称|レセプト電算コード|データ区分", never=("施設コード", "順序番号"), ask=False),
    swedish_register: truth("events", "LopNr", time="INDATUM|UTDATUM", state="hdia|MVO", never=("SJUKHUS", "KON", "ALDER")),
    australian_benefits: truth("events", "PTNT_ID", time="SPPLY_DT", state="ITM_CD"),
    finnish_endpoints: truth("events", "FINNGENID", time="APPROX_EVENT_DAY", state="CODE1|SOURCE|CATEGORY", never=("INDEX", "EVENT_AGE")),
    biobank_practice: truth("events", "eid", time="event_dt", state="read_3", never=("data_provider", "value1")),
    transplants: truth("none/events", "id", run=None),
    seizure_periods: truth("series", "subject", time="period", value="y", never=("base", "age", "lbase")),
    chick_weights: truth("series", "Chick", ask=False, time="Time", value="weight", never=("column 1", "Diet")),
    jaw_distances: truth("series", "Subject", time="age", value="distance", run=None),
    heart_states: truth("events/none", "PTNUM", never=("firstobs", "dage"), run=None),
    working_women: truth("none/events/series/activity", "idcode", never=("birth_yr",), run=None),
    retirement_waves: truth("series", "hhidpn", never=("rabyear", "ragender")),
    trial_capture: truth("events/none/series/activity", "Participant Id", never=("Site Abbreviation",), run=None),
    memory_merge: truth("events/none/activity", "PTID/RID", time="EXAMDATE", never=("SITE", "AGE"), run=None),
    prescribers: truth("none", run=False),
    tumour_comments: truth("none", run=False),
    blood_donors: truth("none", run=False),
    image_labels: truth("none", run=False),
    cost_reports: truth("none", run=False),
    benchmark_runs: truth("none", run=False),
    spanish_cases: truth("text", "/file", ask=True),
    medical_notes_hadm: truth("text", "SUBJECT_ID", text="TEXT", never=("ROW_ID",)),
}
"""Public data sets, registers of countries, programs of laboratories, and tables that are no sequences."""
