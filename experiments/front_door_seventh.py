# ruff: noqa: E501
# fmt: off
"""A seventh held-out section: shapes of public data sets of health research, written before any of it was run.

Every name and number is made up. `TRUTHS` says what `inspect` should find.
"""

import datetime as dt
import gzip
import random

import openpyxl

from experiments.front_door_sixth import visits
from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)


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


TRUTHS = {
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
    wearables_each: truth("none/activity", "folder/file", ask=True, run=None),
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
"""Source → what it is."""
