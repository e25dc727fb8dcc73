# ruff: noqa: E501
# fmt: off
"""A second held-out section: exports written from documented formats after the first two, before any of it was run.

Every name and number is made up. `TRUTHS` says what `inspect` should find.
"""

import datetime as dt
import json
import random
import uuid

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR = dt.timedelta(days=1), dt.timedelta(hours=1)


def later(rng, most=2000):
    return dt.timedelta(minutes=rng.randint(20, most))


# watches


def fitbit_heart_json(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng).replace(hour=0, minute=0)
        for day in range(2):
            rows = [{"dateTime": stamp(t + day * DAY + i * MINUTE, "%m/%d/%y %H:%M:%S"), "value": {"bpm": rng.randint(52, 130), "confidence": 3}} for i in range(1440)]
            path = to / "fitbit" / f"user_{p:02d}" / f"heart_rate-{stamp(t + day * DAY, '%Y-%m-%d')}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(rows))
    return "fitbit"


def fitbit_daily(to):
    rows = [["Id", "ActivityDate", "TotalSteps", "TotalDistance", "TrackerDistance", "LoggedActivitiesDistance", "VeryActiveMinutes", "FairlyActiveMinutes", "LightlyActiveMinutes", "SedentaryMinutes", "Calories"]]
    for p in range(33):
        rng = random.Random(p)
        for d in range(31):
            t, n = D0 + d * DAY, rng.randint(0, 20000)
            rows.append([1503960366 + 91_234_567 * p, f"{t.month}/{t.day}/{t.year}", n, f"{n / 1400:.2f}", f"{n / 1400:.2f}", 0, n // 600, n // 900, n // 60, 1440 - n // 30, 1500 + n // 12])
    return table(to / "dailyActivity_merged.csv", rows)


def garmin_epochs(to):
    rows = [["participantId", "summaryId", "startTimeInSeconds", "startTimeOffsetInSeconds", "activityType", "durationInSeconds", "steps", "met", "intensity", "meanMotionIntensity"]]
    for p in range(14):
        rng = random.Random(p)
        t = int(days(p, rng).timestamp()) // 900 * 900
        for i in range(3 * 96):
            n = moved(rng, i // 4 % 24)
            rows.append([f"GP-{p:03d}", f"x{p:04x}{i:08x}-62d0a", t + 900 * i, 7200, "WALKING" if n > 300 else "SEDENTARY", 900, n, f"{1 + n / 400:.1f}", "ACTIVE" if n > 300 else "SEDENTARY", f"{n / 300:.2f}"])
    return table(to / "epochs.csv", rows)


def apple_one(to):
    rng, t = random.Random(1), D0
    rows = [["type", "sourceName", "sourceVersion", "device", "unit", "creationDate", "startDate", "endDate", "value"]]
    for _ in range(4000):
        t += dt.timedelta(minutes=rng.randint(1, 30))
        kind, unit, value = rng.choice([("StepCount", "count", rng.randint(3, 900)), ("HeartRate", "count/min", rng.randint(50, 140)), ("ActiveEnergyBurned", "kcal", rng.random())])
        at = stamp(t, "%Y-%m-%d %H:%M:%S +0200")
        rows.append([f"HKQuantityTypeIdentifier{kind}", "Anna's Watch", "9.1", "<<HKDevice: 0x28>>", unit, at, at, stamp(t + 2 * MINUTE, "%Y-%m-%d %H:%M:%S +0200"), value])
    return table(to / "apple_health_export.csv", rows)


def oura_nights(to):
    rows = [["participant", "day", "bedtime_start", "bedtime_end", "total_sleep_duration", "efficiency", "average_hrv", "lowest_heart_rate", "readiness_score"]]
    for p in range(25):
        rng = random.Random(p)
        t = days(p, rng)
        for d in range(28):
            a = t.replace(hour=22, minute=rng.randint(0, 59)) + d * DAY
            b = a + dt.timedelta(hours=6, minutes=rng.randint(0, 150))
            rows.append([f"OU{p:03d}", stamp(b, "%Y-%m-%d"), a.isoformat() + "+02:00", b.isoformat() + "+02:00", int((b - a).total_seconds()) - rng.randint(600, 4000), rng.randint(70, 98), rng.randint(20, 90), rng.randint(44, 66), rng.randint(50, 99)])
    return table(to / "sleep_periods.csv", rows)


def withings_weight(to):
    for p in range(12):
        rng = random.Random(p)
        t, rows = days(p, rng), [["Date", "Weight (kg)", "Fat mass (kg)", "Bone mass (kg)", "Muscle mass (kg)", "Hydration (kg)", "Comments"]]
        for _ in range(90):
            t += dt.timedelta(hours=rng.randint(14, 60))
            w = 60 + 3 * p + rng.gauss(0, 1)
            rows.append([stamp(t), f"{w:.2f}", f"{w * .25:.2f}", f"{w * .05:.2f}", f"{w * .7:.2f}", "", ""])
        table(to / "withings" / f"weight_{p:02d}.csv", rows)
    return "withings"


def geneactiv_epochs(to):
    for p in range(10):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=rng.randint(0, 80), hours=10)
        block = ["Device Type,GENEActiv", "Device Model,1.2", f"Device Unique Serial Code,{40000 + p}", "Device Firmware Version,Ver5.09 date30May13", "Calibration Date,2021-01-10 09:00:00:000", "Application name & version,GENEActiv PC software 3.3", "", "", "", "Measurement Frequency,100.0 Hz", "Start Time," + stamp(t) + ":000", "Last measurement," + stamp(t + 3 * DAY) + ":000", "Device Location Code,left wrist", "Time Zone,GMT +01:00", "", "", "", "", "", f"Subject Code,GA{p:03d}", "Date of Birth,1970-1-1", "Sex,female", "Height,165", "Weight,60", "Handedness Code,right", *[""] * 75]
        rows = []
        for i in range(3 * 1440):
            a = moved(rng, (t + i * MINUTE).hour) / 10
            rows.append([stamp(t + i * MINUTE) + ":000", f"{rng.gauss(0, .5):.4f}", f"{rng.gauss(0, .5):.4f}", f"{rng.gauss(0, .5):.4f}", rng.randint(0, 900), 0, f"{28 + rng.random():.1f}", f"{a:.2f}", f"{rng.random() / 10:.4f}", f"{rng.random() / 10:.4f}", f"{rng.random() / 10:.4f}", rng.randint(0, 1200)])
        table(to / "geneactiv" / f"GA{p:03d}_left wrist_{40000 + p}_60s.csv", rows, before=block, end="\r\n")
    return "geneactiv"


def biobank_tool(to):
    for p in range(11):
        rng = random.Random(p)
        t, rows = days(p, rng), [["time", "acc", "light", "moderate-vigorous", "sedentary", "sleep", "MET", "imputed"]]
        for i in range(4 * 2880):
            a = moved(rng, (t + i * MINUTE / 2).hour) / 8
            hot = 3 if a < 1 else 2 if a < 10 else 0 if a < 60 else 1
            rows.append([stamp(t + i * MINUTE / 2, "%Y-%m-%d %H:%M:%S.000+0100 [Europe/London]"), f"{a:.1f}", *(int(hot == j) for j in range(4)), f"{1 + a / 100:.2f}", 0])
        table(to / "biobank" / f"sample{p + 1}-timeSeries.csv", rows)
    return "biobank"


def empatica_session(to):
    for p in range(9):
        rng = random.Random(p)
        folder = to / "sessions" / f"P{p:02d}_A0{p}F"
        begin = 1651500000 + 90000 * p
        for name, rate, n, width in (("ACC", 32, 9000, 3), ("EDA", 4, 1200, 1), ("TEMP", 4, 1200, 1), ("HR", 1, 300, 1)):
            table(folder / f"{name}.csv", [[f"{begin}.000000"] * width, [f"{rate}.000000"] * width, *([f"{rng.gauss(30, 9):.3f}" for _ in range(width)] for _ in range(n))])
        table(folder / "IBI.csv", [[f"{begin}.0", " IBI"], *([f"{i * .8:.4f}", f"{.7 + rng.random() / 5:.4f}"] for i in range(200))])
        (folder / "info.txt").write_text(".csv files in this archive are in the following format:\nThe first row is the initial time of the session expressed as unix timestamp in UTC.\nThe second row is the sample rate expressed in Hz.\n")
    return "sessions"


def polar_sessions(to):
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["Sample rate", "Time", "HR (bpm)", "Speed (km/h)", "Pace (min/km)", "Cadence", "Altitude (m)"]]
        rows += [["1" if not i else "", f"{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}", rng.randint(90, 175), f"{8 + 3 * rng.random():.1f}", f"0{rng.randint(4, 7)}:{rng.randint(10, 59)}", "", rng.randint(90, 130)] for i in range(1800)]
        block = ["Name,Sport,Date,Start time,Duration,Total distance (km),Average heart rate (bpm)", f"Runner {p},RUNNING,{stamp(t, '%d-%m-%Y')},{stamp(t, '%H:%M:%S')},00:30:00,5.1,140"]
        table(to / "polar" / f"training_{p:03d}.csv", rows, before=block)
    return "polar"


def actiware_sections(to):
    for p in range(10):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=rng.randint(0, 200), hours=14)
        rows = [["Line", "Date", "Time", "Off-Wrist Status", "Activity", "Marker", "White Light", "Red Light", "Sleep/Wake", "Interval Status", ""]]
        for i in range(2 * 2880):
            now = t + i * MINUTE / 2
            a = moved(rng, now.hour)
            rows.append([i + 1, f"{now.month}/{now.day}/{now.year}", stamp(now, "%I:%M:%S %p"), 0, a, 0, f"{rng.random() * 90:.2f}", f"{rng.random():.2f}", int(a > 20), "REST" if now.hour < 6 else "ACTIVE", ""])
        block = ['"--------------------------------------------------"', '"Actiware Export File"', "", '"------------------- Subject Properties -------------------"', "", f'"Identity:","AW{p:03d}",', '"Gender:","Female",', '"Epoch Length:","30","seconds",', "", '"------------------------ Statistics ------------------------"', "",
                 '"Interval Type","Interval#","Start Date","Start Time","End Date","End Time","Duration","Sleep Time","Efficiency"', *(f'"REST","{j + 1}","5/{j + 2}/2022","11:00:00 PM","5/{j + 3}/2022","7:00:00 AM","480.00","412.50","85.94"' for j in range(2)), "",
                 '"-------------------- Epoch-by-Epoch Data -------------------"', "", '"Line:","Row number"', '"Date:","Date of epoch"', '"Time:","Time of epoch"', '"Activity:","Counts"', ""]
        table(to / "actiware" / f"AW{p:03d}_5_2_2022_New_Analysis.csv", rows, before=block)
    return "actiware"


def motionwatch(to):
    for p in range(9):
        rng = random.Random(p)
        t = D0 + dt.timedelta(days=rng.randint(0, 50), hours=12)
        rows = [["Date", "Time", "Activity", "Light", "Event"]]
        for i in range(3 * 1440):
            now = t + i * MINUTE
            rows.append([stamp(now, "%d/%m/%Y"), stamp(now, "%H:%M"), moved(rng, now.hour), rng.randint(0, 900), ""])
        block = ["MotionWatch 8 Recording", f"User ID\tMW{p:02d}", "Sex\tF", f"Start date\t{stamp(t, '%d/%m/%Y')}", f"Start time\t{stamp(t, '%H:%M')}", "Epoch length (s)\t60", "Mode\tMotionWatch mode 1", "", "Raw data:"]
        table(to / "motionwatch" / f"MW{p:02d}.txt", rows, by="\t", before=block, end="\r\n")
    return "motionwatch"


def steps_wide(to):
    rows = [["study_id", "arm", "age", *(f"day_{d + 1}" for d in range(28))]]
    for p in range(70):
        rng = random.Random(p)
        rows.append([f"ST{p:03d}", rng.choice(["control", "coaching"]), rng.randint(30, 80), *(max(200, int(rng.gauss(7000, 2000))) for _ in range(28))])
    return table(to / "daily_steps.csv", rows)


def accelerometer_raw(to):
    rows = [["subject", "timestamp", "acc_x", "acc_y", "acc_z", "label"]]
    for p in range(10):
        rng = random.Random(p)
        t = 1651500000000 + 7_000_000 * p
        for i in range(4000):
            rows.append([p + 101, t + 20 * i, f"{rng.gauss(0, 3):.4f}", f"{rng.gauss(9, 3):.4f}", f"{rng.gauss(0, 2):.4f}", ["walking", "sitting", "stairs"][i // 500 % 3]])
    return table(to / "imu_50hz.csv", rows)


# glucose


def libre_us(to):
    for p in range(10):
        rng = random.Random(p)
        t, rows = days(p, rng), [["Device", "Serial Number", "Device Timestamp", "Record Type", "Historic Glucose mg/dL", "Scan Glucose mg/dL", "Non-numeric Rapid-Acting Insulin", "Rapid-Acting Insulin (units)", "Notes"]]
        for i in range(5 * 96):
            now = t + 15 * i * MINUTE
            rows.append(["FreeStyle LibreLink", f"0A{p:04d}-11", stamp(now, "%m-%d-%Y %I:%M %p"), 0, sugar(rng, 15 * i, 140), "", "", "", ""])
            if i % 11 == 5:
                rows.append(["FreeStyle LibreLink", f"0A{p:04d}-11", stamp(now + 4 * MINUTE, "%m-%d-%Y %I:%M %p"), 1, "", sugar(rng, 15 * i, 140), "", "", ""])
        table(to / "libreview" / f"Patient{p:02d}_glucose_5-2-2022.csv", rows, before=[f"Glucose Data,Generated on,05-30-2022 08:00 AM UTC,Generated by,Person{p} Name"])
    return "libreview"


def dexcom_german(to):
    head = ["Index", "Zeitstempel (JJJJ-MM-TTThh:mm:ss)", "Ereignistyp", "Ereignisuntertyp", "Patienteninfo", "Geräteinfo", "Quelle Gerätekennung", "Glukosewert (mmol/l)", "Insulinwert (E)", "Kohlenhydratwert (Gramm)", "Dauer (hh:mm:ss)", "Glukose-Änderungsrate (mmol/l/min)", "Transmitter-Zeit (lange Ganzzahl)"]
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [head, [1, "", "Vorname", "", f"Anna{p}", *[""] * 8], [2, "", "Nachname", "", "Muster", *[""] * 8], [3, "", "Gerät", "", "", "Dexcom G6 Mobil-App", "iPhone G6", *[""] * 6], [4, "", "Alarm", "Hoch", "", "", "", "13,9", *[""] * 5]]
        for i in range(4 * 288):
            g = f"{sugar(rng, 5 * i, 150) / 18:.1f}".replace(".", ",")
            rows.append([i + 5, (t + 5 * i * MINUTE).isoformat(), "EGV", "", "", "", "iPhone G6", g, "", "", "", "", 900000 + 300 * i])
        table(to / "clarity" / f"CLARITY_Export_{p:02d}.csv", rows, by=";")
    return "clarity"


def carelink_sections(to):
    head = ["Index", "Date", "Time", "New Device Time", "BG Reading (mmol/L)", "Bolus Type", "Bolus Volume Delivered (U)", "Alarm", "Sensor Glucose (mmol/L)", "ISIG Value", "Event Marker"]
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        block = ["Last Name,First Name,Patient ID,Start Date,End Date,Device,MiniMed 670G", f"Doe,P{p},{7000 + p},2022/05/02,2022/05/07,Serial Number,NG{p:07d}", "", "-------,MiniMed 670G MMT-1780,Pump,NG1,-------"]
        rows = [head]
        rows += [[f"{i:.5f}", stamp(t + 300 * i * MINUTE, "%Y/%m/%d"), stamp(t + 300 * i * MINUTE, "%H:%M:%S"), "", "", "Normal", f"{rng.random() * 9:.1f}", "", "", "", ""] for i in range(24)]
        sensor = [[f"{i + 24:.5f}", stamp(t + 5 * i * MINUTE, "%Y/%m/%d"), stamp(t + 5 * i * MINUTE, "%H:%M:%S"), "", "", "", "", "", f"{sugar(rng, 5 * i, 150) / 18:.1f}", f"{20 + rng.random():.2f}", ""] for i in range(5 * 288)]
        rows += [["-------", "MiniMed 670G MMT-1780", "Sensor", "NG1", "-------"], head, *sensor]
        table(to / "carelink" / f"P{p:02d} CareLink.csv", rows, before=block)
    return "carelink"


def nightscout_folders(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [{"_id": f"{rng.getrandbits(96):024x}", "device": "share2", "date": int((t + 5 * i * MINUTE).timestamp() * 1000), "dateString": (t + 5 * i * MINUTE).isoformat() + ".000Z", "sgv": sugar(rng, 5 * i, 150), "delta": round(rng.gauss(0, 3), 2), "direction": rng.choice(["Flat", "FortyFiveUp", "FortyFiveDown"]), "type": "sgv", "utcOffset": 0} for i in range(4 * 288)]
        path = to / "openaps" / f"{100 + p}" / "entries.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows))
    return "openaps"


# hospitals


def labevents(to):
    rows = [["labevent_id", "subject_id", "hadm_id", "specimen_id", "itemid", "charttime", "storetime", "value", "valuenum", "valueuom", "ref_range_lower", "ref_range_upper", "flag", "priority", "comments"]]
    rng, n = random.Random(3), 0
    for p in range(150):
        t = days(p, rng)
        for _ in range(rng.randint(5, 40)):
            n, t, v = n + 1, t + later(rng), round(rng.random() * 140, 1)
            rows.append([n, 10000032 + 17 * p, 22595853 + p if rng.random() < .7 else "", 45421181 + n, rng.choice([51221, 51222, 51248, 50912, 50971, 50983, 51006]), stamp(t), stamp(t + 50 * MINUTE), v, v, "mg/dL", 10, 100, "abnormal" if v > 100 else "", "ROUTINE", ""])
    return table(to / "labevents.csv", rows)


def admissions(to):
    rows = [["subject_id", "hadm_id", "admittime", "dischtime", "deathtime", "admission_type", "admission_location", "discharge_location", "insurance", "language", "marital_status", "race", "edregtime", "edouttime", "hospital_expire_flag"]]
    rng = random.Random(4)
    for p in range(300):
        t = dt.datetime(2150, 1, 1) + rng.randint(0, 4000) * DAY
        for i in range(rng.choice([1, 1, 2, 3, 5])):
            t += rng.randint(10, 300) * DAY + later(rng)
            rows.append([10000032 + 31 * p, 20000000 + 7 * p + i, stamp(t), stamp(t + rng.randint(1, 15) * DAY), "", rng.choice(["EW EMER.", "URGENT", "ELECTIVE", "OBSERVATION ADMIT", "SURGICAL SAME DAY ADMISSION"]), rng.choice(["EMERGENCY ROOM", "TRANSFER FROM HOSPITAL", "PHYSICIAN REFERRAL"]), rng.choice(["HOME", "SKILLED NURSING FACILITY", "REHAB"]), "Medicare", "ENGLISH", "WIDOWED", "WHITE", "", "", 0])
    return table(to / "admissions.csv", rows)


def eicu_treatment(to):
    rows = [["treatmentid", "patientunitstayid", "treatmentoffset", "treatmentstring", "activeupondischarge"]]
    rng, n = random.Random(5), 9_000_000
    kinds = ["cardiovascular|shock|vasopressors", "pulmonary|ventilation|mechanical ventilation", "renal|dialysis|hemodialysis", "infectious diseases|medications|therapeutic antibacterials", "gastrointestinal|medications|stress ulcer prophylaxis", "neurologic|pain / agitation|analgesics"]
    for p in range(200):
        t = 0
        for _ in range(rng.randint(2, 12)):
            n, t = n + rng.randint(1, 9), t + rng.randint(5, 900)
            rows.append([n, 141168 + 13 * p, t, rng.choice(kinds), rng.choice(["True", "False"])])
    return table(to / "treatment.csv", rows)


def synthea_conditions(to):
    rows = [["START", "STOP", "PATIENT", "ENCOUNTER", "CODE", "DESCRIPTION"]]
    rng = random.Random(6)
    found = [(444814009, "Viral sinusitis (disorder)"), (195662009, "Acute viral pharyngitis (disorder)"), (59621000, "Hypertension"), (10509002, "Acute bronchitis (disorder)"), (15777000, "Prediabetes"), (73595000, "Stress (finding)"), (160903007, "Full-time employment (finding)")]
    for _ in range(120):
        who, t = uuid.UUID(int=rng.getrandbits(128)), dt.date(rng.randint(1960, 2015), 3, 1)
        for _ in range(rng.randint(3, 18)):
            t += dt.timedelta(days=rng.randint(20, 700))
            code, name = rng.choice(found)
            rows.append([t, t + dt.timedelta(days=14) if rng.random() < .7 else "", who, uuid.UUID(int=rng.getrandbits(128)), code, name])
    return table(to / "conditions.csv", rows)


def i2b2_facts(to):
    rows = [["ENCOUNTER_NUM", "PATIENT_NUM", "CONCEPT_CD", "PROVIDER_ID", "START_DATE", "MODIFIER_CD", "INSTANCE_NUM", "VALTYPE_CD", "TVAL_CHAR", "NVAL_NUM", "VALUEFLAG_CD", "QUANTITY_NUM", "UNITS_CD", "END_DATE", "LOCATION_CD", "UPDATE_DATE", "IMPORT_DATE", "SOURCESYSTEM_CD", "UPLOAD_ID"]]
    rng = random.Random(7)
    for p in range(130):
        t = days(p, rng)
        for i in range(rng.randint(4, 30)):
            t += later(rng, 9000)
            code = rng.choice(["ICD10CM:I10", "ICD10CM:E11.9", "LOINC:2345-7", "LOINC:718-7", "RXNORM:197361", "CPT4:99213"])
            number = rng.randint(50, 200) if code.startswith("LOINC") else ""
            rows.append([480000 + 10 * p + i // 6, 1000000001 + p, code, "LCS-I2B2:D000109064", stamp(t), "@", 1, "N" if number else "@", "E" if number else "@", number, "@", "", "mg/dL" if number else "@", stamp(t), "@", "2022-06-01 00:00:00", "2022-06-01 00:00:00", "DEMO", 1])
    return table(to / "observation_fact.csv", rows, by="|")


def omop_folder(to):
    rng, visits, conditions, drugs = random.Random(8), [], [], []
    people = [[p + 1, 8507, 1950 + p % 50, 8527, 38003564] for p in range(80)]
    for p in range(80):
        t = dt.date(2015, 1, 1) + rng.randint(0, 500) * DAY
        for _ in range(rng.randint(2, 9)):
            t += rng.randint(3, 200) * DAY
            visits.append([len(visits) + 1, p + 1, rng.choice([9201, 9202, 9203]), t, t, 32817])
            conditions.append([len(conditions) + 1, p + 1, rng.choice([320128, 201826, 255848, 317009]), t, f"{t} 10:00:00", "", 32817])
            drugs.append([len(drugs) + 1, p + 1, rng.choice([1127433, 1308216, 1503297]), t, f"{t} 11:00:00", t + 10 * DAY, 32817])
    folder = to / "omop_cdm"
    table(folder / "person.csv", [["person_id", "gender_concept_id", "year_of_birth", "race_concept_id", "ethnicity_concept_id"], *people])
    table(folder / "visit_occurrence.csv", [["visit_occurrence_id", "person_id", "visit_concept_id", "visit_start_date", "visit_end_date", "visit_type_concept_id"], *visits])
    table(folder / "condition_occurrence.csv", [["condition_occurrence_id", "person_id", "condition_concept_id", "condition_start_date", "condition_start_datetime", "condition_end_date", "condition_type_concept_id"], *conditions])
    table(folder / "drug_exposure.csv", [["drug_exposure_id", "person_id", "drug_concept_id", "drug_exposure_start_date", "drug_exposure_start_datetime", "drug_exposure_end_date", "drug_type_concept_id"], *drugs])
    return "omop_cdm"


def fhir_folder(to):
    rng, folder = random.Random(9), to / "bulk"
    folder.mkdir()
    ids = [str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(60)]
    patients = [{"resourceType": "Patient", "id": i, "gender": "female", "birthDate": "1970-01-01"} for i in ids]
    seen, met = [], []
    for i in ids:
        t = dt.date(2019, 1, 1) + rng.randint(0, 400) * DAY
        for _ in range(rng.randint(3, 10)):
            t += rng.randint(2, 90) * DAY
            code, name = rng.choice([("8867-4", "Heart rate"), ("8480-6", "Systolic blood pressure"), ("2339-0", "Glucose")])
            seen.append({"resourceType": "Observation", "id": str(uuid.UUID(int=rng.getrandbits(128))), "status": "final", "code": {"coding": [{"system": "http://loinc.org", "code": code, "display": name}], "text": name}, "subject": {"reference": f"Patient/{i}"}, "effectiveDateTime": f"{t}T10:00:00+00:00", "valueQuantity": {"value": rng.randint(60, 140), "unit": "1/min"}})
            met.append({"resourceType": "Encounter", "id": str(uuid.UUID(int=rng.getrandbits(128))), "status": "finished", "class": {"code": rng.choice(["AMB", "IMP", "EMER"])}, "type": [{"text": "Visit"}], "subject": {"reference": f"Patient/{i}"}, "period": {"start": f"{t}T09:00:00Z", "end": f"{t}T11:00:00Z"}})
    for name, rows in (("Patient", patients), ("Observation", seen), ("Encounter", met)):
        (folder / f"{name}.ndjson").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return "bulk"


def hl7_adt(to):
    rows = [["MSH-10 Message Control ID", "MSH-9 Message Type", "MSH-7 Date/Time", "PID-3 Patient ID", "PV1-19 Visit Number", "PV1-3 Assigned Location", "PV1-2 Patient Class", "PV1-7 Attending Doctor"]]
    rng, n = random.Random(10), 0
    for p in range(160):
        t = days(p, rng)
        for kind in ["ADT^A01", *rng.choices(["ADT^A02", "ADT^A08", "ORM^O01", "ORU^R01"], k=rng.randint(1, 7)), "ADT^A03"]:
            n, t = n + 1, t + later(rng, 900)
            rows.append([f"MSG{n:08d}", kind, stamp(t, "%Y%m%d%H%M%S"), f"{300000 + p}^^^HOSP^MR", f"V{90000 + p}", rng.choice(["ICU^1^A", "MED^12^B", "SURG^4^A", "ED^2^C"]), rng.choice("IOE"), f"{rng.randint(100, 140)}^SMITH"])
    return table(to / "hl7_messages.csv", rows, by="\t")


def _p21(rng):
    falls, codes, ops = [], [], []
    for p in range(140):
        key, t = f"{22000000 + p}", D0 + rng.randint(0, 200) * DAY + later(rng)
        end = t + rng.randint(2, 20) * DAY
        falls.append(["260100001", "771000", key, "01", "m" if p % 2 else "w", 1940 + p % 60, "", stamp(t, "%Y%m%d%H%M"), "0101", "E", stamp(end, "%Y%m%d%H%M"), "011", rng.randint(30, 90)])
        codes += [["260100001", key, "HD" if not i else "ND", "2022", rng.choice(["I10.00", "E11.90", "J18.9", "N39.0", "I50.13"]), ""] for i in range(rng.randint(1, 6))]
        for _ in range(rng.randint(1, 7)):
            t += later(rng, 1500)
            ops.append(["260100001", "771000", key, "2022", rng.choice(["3-200", "8-800.c0", "9-984.7", "5-469.20", "1-632.0", "8-930"]), rng.choice(["", "", "L", "R"]), stamp(t, "%Y%m%d%H%M"), "J"])
    return falls, codes, ops


FALL = ["IK", "Entlassender-Standort", "KH-internes-Kennzeichen", "Fallart", "Geschlecht", "Geburtsjahr", "Geburtsmonat", "Aufnahmedatum", "Aufnahmegrund", "Aufnahmeanlass", "Entlassungsdatum", "Entlassungsgrund", "Alter-in-Jahren-am-Aufnahmetag"]
OPS = ["IK", "Entlassender-Standort", "KH-internes-Kennzeichen", "OPS-Version", "OPS-Kode", "Lokalisation", "OPS-Datum", "Belegoperateur"]


def p21_folder(to):
    falls, codes, ops = _p21(random.Random(11))
    for name, head, rows in (("FALL", FALL, falls), ("ICD", ["IK", "KH-internes-Kennzeichen", "Diagnoseart", "ICD-Version", "ICD-Kode", "Lokalisation"], codes), ("OPS", OPS, ops)):
        table(to / "P21" / f"{name}.csv", [head, *rows], by=";", encoding="latin-1")
    return "P21"


def p21_ops(to):
    return table(to / "OPS.csv", [OPS, *_p21(random.Random(12))[2]], by=";")


def patient_register(to):
    rows = [["LopNr", "INDATUMA", "UTDATUMA", "HDIA", "BDIA1", "OP1", "MVO", "SJUKHUS", "KON", "ALDER", "PVARD"]]
    rng = random.Random(13)
    for p in range(220):
        t = dt.date(2005, 1, 1) + rng.randint(0, 3000) * DAY
        for _ in range(rng.randint(1, 6)):
            t += rng.randint(20, 500) * DAY
            rows.append([100200 + 3 * p, stamp(t, "%Y%m%d"), stamp(t + rng.randint(1, 9) * DAY, "%Y%m%d"), rng.choice(["I219", "I509", "J189", "S7200", "C509", "F329", "E119"]), rng.choice(["", "I109", "E785"]), "", rng.choice(["101", "301", "111"]), rng.choice(["11001", "12010", "50071"]), 1 + p % 2, rng.randint(20, 90), rng.choice(["1", "2"])])
    return table(to / "par_sluten.csv", rows, by=";", encoding="latin-1")


def sap_movements(to):
    rows = [["EINRI", "PATNR", "FALNR", "LFDNR", "BEWTY", "BWART", "BWIDT", "BWIZT", "ORGFA", "ORGPF", "STORN"]]
    rng = random.Random(14)
    for p in range(150):
        t = days(p, rng)
        for i, kind in enumerate(["1", *rng.choices("34", k=rng.randint(1, 6)), "2"]):
            t += later(rng)
            rows.append(["0001", f"{4000000 + p:010d}", f"{80000000 + p:010d}", f"{i + 1:05d}", kind, rng.choice(["NO", "EL", "VB", "NE"]), stamp(t, "%d.%m.%Y"), stamp(t, "%H:%M:%S"), rng.choice(["INN", "CHI", "NEU", "GYN"]), rng.choice(["ST1A", "ST2B", "INT1", "ST4C"]), ""])
    return table(to / "NBEW.csv", rows, by=";", encoding="latin-1", end="\r\n")


def epic_flowsheet(to):
    rows = [["PAT_MRN_ID", "PAT_ENC_CSN_ID", "INPATIENT_DATA_ID", "FLO_MEAS_ID", "FLO_MEAS_NAME", "RECORDED_TIME", "MEAS_VALUE", "ENTRY_USER_ID"]]
    rng = random.Random(15)
    kinds = [(5, "BLOOD PRESSURE"), (6, "TEMPERATURE"), (8, "PULSE"), (9, "RESPIRATIONS"), (10, "SPO2"), (301070, "R PAIN SCORE")]
    for p in range(120):
        t = days(p, rng)
        for _ in range(rng.randint(10, 50)):
            t += dt.timedelta(minutes=rng.choice([0, 0, 60, 240]))
            number, name = rng.choice(kinds)
            rows.append([f"E{1100000 + p}", 88000000 + p, 55000000 + p, number, name, stamp(t, "%m/%d/%Y %H:%M"), "120/80" if number == 5 else rng.randint(2, 99), f"RN{rng.randint(1, 30):03d}"])
    return table(to / "flowsheet_rows.csv", rows)


def prescriptions(to):
    rows = [["patid", "eventdate", "sysdate", "consid", "prodcode", "staffid", "bnfcode", "qty", "ndd", "numdays", "issueseq"]]
    rng = random.Random(16)
    for p in range(200):
        t = dt.date(2010, 1, 1) + rng.randint(0, 900) * DAY
        for i in range(rng.randint(4, 25)):
            t += rng.randint(5, 60) * DAY
            rows.append([1001 + 1000 * p, stamp(t, "%d/%m/%Y"), stamp(t, "%d/%m/%Y"), rng.randint(1000, 999999), rng.choice([42, 56, 65, 488, 51, 83, 2107, 910]), rng.randint(10, 60), rng.randint(100, 120), rng.choice([28, 56]), 1, 28, i])
    return table(to / "therapy_001.txt", rows, by="\t")


def nursing_notes(to):
    words = ["Patient", "wach", "orientiert", "mobilisiert", "am", "Bettrand", "Vitalzeichen", "stabil", "Schmerzen", "VAS", "drei", "Verband", "trocken", "gewechselt", "isst", "gut", "Ausscheidung", "unauffällig", "Angehörige", "informiert", "Nacht", "ruhig", "geschlafen"]
    rows = [["Pat-Nr", "Datum", "Uhrzeit", "Schicht", "Kürzel", "Bericht"]]
    rng = random.Random(17)
    for p in range(60):
        t = days(p, rng)
        for _ in range(rng.randint(2, 7)):
            t += 8 * HOUR
            rows.append([50000 + p, stamp(t, "%d.%m.%Y"), stamp(t, "%H:%M"), rng.choice(["Früh", "Spät", "Nacht"]), rng.choice(["AM", "KL", "ST"]), sentence(rng, rng.randint(9, 40), words)])
    return table(to / "pflegeberichte.csv", rows, by=";", encoding="cp1252", end="\r\n")


def discharge_letters(to):
    folder = to / "Arztbriefe"
    folder.mkdir()
    for p in range(40):
        rng = random.Random(p)
        body = "\n".join(sentence(rng, 25) for _ in range(12))
        (folder / f"Brief_{700000 + p}.txt").write_text(f"Sehr geehrte Kollegin,\n\nwir berichten über Ihren Patienten.\nDiagnosen: Hypertonie, Diabetes mellitus\n\n{body}\n\nMit freundlichen Grüßen\n", "latin-1")
    return "Arztbriefe"


def french_stays(to):
    rows = [["N° patient", "N° séjour", "Date d'entrée", "Date de sortie", "Unité médicale", "Acte CCAM", "Âge", "Sexe"]]
    rng = random.Random(18)
    for p in range(130):
        t = days(p, rng)
        for i in range(rng.randint(1, 7)):
            t += rng.randint(2, 80) * DAY
            rows.append([f"IPP{30000 + p}", f"{990000 + 8 * p + i}", stamp(t, "%d/%m/%Y %H:%M"), stamp(t + 3 * DAY, "%d/%m/%Y %H:%M"), rng.choice(["Cardiologie", "Chirurgie viscérale", "Réanimation", "Gériatrie"]), rng.choice(["DEQP003", "YYYY600", "ZCQK002", "HHFA001"]), 40 + p % 50, "FM"[p % 2]])
    return table(to / "sejours.csv", rows, by=";", encoding="cp1252")


def workbook_events(to):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Patient No.", "Event date", "Event", "Ward", "Recorded by"])
    rng = random.Random(19)
    for p in range(90):
        t = days(p, rng)
        for _ in range(rng.randint(3, 9)):
            t += later(rng)
            sheet.append([2000 + p, t, rng.choice(["Fall", "Pressure sore", "Medication error", "Transfer", "Review"]), rng.choice(["A1", "B2", "C3"]), rng.choice(["kl", "mm", "st"])])
    book.save(to / "incidents.xlsx")
    return "incidents.xlsx"


def vitals_parquet(to):
    rng, rows = random.Random(20), []
    for p in range(14):
        t = days(p, rng)
        rows += [{"encounter_id": 7700 + p, "patient_id": 500 + p, "recorded_at": t + i * 5 * MINUTE, "heart_rate": float(rng.randint(55, 120)), "resp_rate": float(rng.randint(10, 26)), "spo2": float(rng.randint(88, 100))} for i in range(3 * 288)]
    pq.write_table(pa.Table.from_pylist(rows), to / "vitals.parquet")
    return "vitals.parquet"


def sepsis_hours(to):
    for p in range(40):
        rng = random.Random(p)
        head = ["HR", "O2Sat", "Temp", "SBP", "MAP", "DBP", "Resp", "Glucose", "Lactate", "Age", "Gender", "Unit1", "HospAdmTime", "ICULOS", "SepsisLabel"]
        rows = [[rng.randint(60, 120), rng.randint(90, 100), f"{36 + rng.random() * 2:.1f}" if rng.random() < .3 else "NaN", rng.randint(90, 150), rng.randint(60, 100), rng.randint(50, 90), rng.randint(10, 30), "NaN", "NaN", 61 + p % 20, p % 2, "NaN", f"{-p / 3:.2f}", i + 1, int(i > 30 and p % 9 == 0)] for i in range(rng.randint(30, 60))]
        table(to / "training_setA" / f"p{p + 1:06d}.psv", [head, *rows], by="|")
    return "training_setA"


def case_log_with_ward(to):
    rows = [["Fallnr.", "Pat.-Nr.", "Datum", "Uhrzeit", "Station", "Maßnahme", "Bemerkung"]]
    rng = random.Random(21)
    for p in range(110):
        t, ward = days(p, rng), "Chirurgie"
        for what in ["Aufnahme", *rng.choices(["Labor", "Röntgen", "OP", "Visite", "Physiotherapie", "EKG"], k=rng.randint(3, 9)), "Entlassung"]:
            t, ward = t + later(rng), rng.choice([ward, ward, ward, "Innere", "Intensiv"])
            rows.append([10000 + p, 6000 + p, stamp(t, "%d.%m.%Y"), stamp(t, "%H:%M"), ward, what, ""])
    return table(to / "leistungen.csv", rows, by=";", encoding="cp1252", end="\r\n", after=["", "Summe;;;;;;" + str(len(rows) - 1)])


# signals


def rr_lists(to):
    for p in range(12):
        rng = random.Random(p)
        t, lines = 0.0, ["Patient: anonymous", "Recorder: DL900", "Start: 09:12:00", "", "Time\tRR [ms]\tType"]
        for _ in range(5000):
            rr = int(rng.gauss(820, 60))
            t += rr / 1000
            lines.append(f"{int(t) // 3600:02d}:{int(t) // 60 % 60:02d}:{t % 60:06.3f}\t{rr}\t{'V' if rng.random() < .02 else 'N'}")
        path = to / "holter" / f"H{p:03d}_RR.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    return "holter"


def eeg_channels(to):
    names = ["Fp1", "Fp2", "F3", "F4", "C3", "C4", "P3", "P4", "O1", "O2", "F7", "F8", "T3", "T4", "Fz", "Cz", "Pz"]
    for p in range(16):
        rng = random.Random(p)
        table(to / "eeg" / f"{'v' if p % 2 else 's'}{p + 1:02d}.csv", [["Time (s)", *names], *([f"{i / 128:.6f}", *(f"{rng.gauss(0, 20):.3f}" for _ in names)] for i in range(3000))])
    return "eeg"


def hypnogram_events(to):
    for p in range(12):
        rng = random.Random(p)
        rows, t = [["onset", "duration", "trial_type", "value"]], 0
        for _ in range(160):
            d = 30 * rng.randint(1, 20)
            stage = rng.choice(["Sleep stage W", "Sleep stage N1", "Sleep stage N2", "Sleep stage N3", "Sleep stage R"])
            rows.append([t, d, stage, "n/a"])
            t += d
        table(to / "bids" / f"sub-{p + 1:02d}" / "eeg" / f"sub-{p + 1:02d}_task-sleep_events.tsv", rows, by="\t")
    return "bids"


# diaries


def sleep_diary(to):
    rows = [["Participant", "Date", "What time did you get into bed?", "What time did you try to go to sleep?", "How long to fall asleep (min)", "Times woken", "Final awakening", "Quality (1-5)"]]
    for p in range(30):
        rng = random.Random(p)
        t = days(p, rng)
        for d in range(14):
            rows.append([f"SD{p:02d}", stamp(t + d * DAY, "%d/%m/%Y"), f"{rng.randint(21, 23)}:{rng.randint(10, 59)}", f"23:{rng.randint(10, 59)}", rng.randint(5, 60), rng.randint(0, 4), f"0{rng.randint(5, 8)}:{rng.randint(10, 59)}", rng.randint(1, 5)])
    return table(to / "sleep_diary.csv", rows)


def esm_beeps(to):
    rows = [["subjno", "dayno", "beepno", "beeptime", "resptime", "mood_cheerful", "mood_down", "mood_anxious", "pa_tired", "act_what", "soc_who"]]
    for p in range(30):
        rng = random.Random(p)
        t = days(p, rng).replace(hour=7, minute=30)
        for d in range(6):
            for b in range(10):
                at = t + d * DAY + dt.timedelta(minutes=90 * b + rng.randint(0, 80))
                rows.append([f"{1000 + p}", d + 1, b + 1, stamp(at, "%d-%m-%Y %H:%M"), stamp(at + 3 * MINUTE, "%d-%m-%Y %H:%M"), *(rng.randint(1, 7) for _ in range(4)), rng.choice(["work", "rest", "eating", "travel", "housework"]), rng.choice(["alone", "partner", "friends", "colleagues"])])
    return table(to / "esm.csv", rows)


# none of these


def german_survey(to):
    rows = [["Fragebogen-Nr.", "Geschlecht", "Altersgruppe", *(f"Frage {i + 1}" for i in range(18)), "Freitext"]]
    rng = random.Random(22)
    rows += [[i + 1, rng.choice(["w", "m", "d"]), rng.choice(["18-29", "30-49", "50+"]), *(rng.randint(1, 5) for _ in range(18)), rng.choice(["", "", "gut"])] for i in range(240)]
    return table(to / "umfrage.csv", rows, by=";", encoding="latin-1")


def rna_counts(to):
    rng = random.Random(23)
    rows = [["Geneid", "Chr", "Length", *(f"TCGA-A{i}-{1000 + i}-01A" for i in range(20))]]
    rows += [[f"ENSG{i:011d}", f"chr{i % 22 + 1}", rng.randint(400, 9000), *(int(rng.expovariate(1 / 300)) for _ in range(20))] for i in range(600)]
    return table(to / "counts.tsv", rows, by="\t", before=["# Program:featureCounts v2.0.1"])


def cohort_baseline(to):
    rng = random.Random(24)
    rows = [["ID", "date_of_birth", "enrolment_date", "sex", "height_cm", "weight_kg", "bmi", "sbp", "dbp", "hba1c", "ldl", "hdl", "egfr", "smoker", "cohort"]]
    rows += [[f"C{i:04d}", f"19{rng.randint(40, 90)}-03-05", f"2021-{rng.randint(1, 12):02d}-11", rng.choice("mf"), rng.randint(150, 195), rng.randint(50, 120), f"{rng.gauss(27, 4):.1f}", rng.randint(95, 180), rng.randint(55, 110), f"{rng.gauss(6, 1):.1f}", rng.randint(60, 200), rng.randint(30, 90), rng.randint(20, 110), rng.choice(["yes", "no"]), "A"] for i in range(300)]
    return table(to / "baseline.csv", rows)


def hospital_quality(to):
    rng = random.Random(25)
    rows = [["Facility ID", "Facility Name", "State", "Measure ID", "Measure Name", "Score", "Sample", "Start Date", "End Date"]]
    rows += [[f"{10000 + i // 6}", f"Hospital {i // 6}", rng.choice(["AL", "TX", "NY"]), f"OP_{i % 6}", f"Measure number {i % 6}", rng.randint(20, 99), rng.randint(30, 600), "01/01/2021", "12/31/2021"] for i in range(600)]
    return table(to / "Timely_and_Effective_Care-Hospital.csv", rows)


def waiting_times(to):
    rng = random.Random(26)
    rows = [["Period", "Region", "Specialty", "Waiting < 18 weeks", "Waiting > 18 weeks", "Median wait (weeks)"]]
    rows += [[f"{2018 + m // 12}-{m % 12 + 1:02d}", r, s, rng.randint(100, 4000), rng.randint(10, 900), f"{rng.gauss(10, 2):.1f}"] for m in range(36) for r in ("North", "South", "East") for s in ("ENT", "Urology", "Trauma")]
    return table(to / "rtt_waiting.csv", rows)


TRUTHS = {
    fitbit_heart_json: truth("activity", "folder", ask=True, time="dateTime", value="value|value.bpm|bpm"),
    fitbit_daily: truth("activity", "Id", time="ActivityDate", value="TotalSteps|TotalDistance|Calories|SedentaryMinutes|VeryActiveMinutes"),
    garmin_epochs: truth("activity", "participantId", time="startTimeInSeconds", never=("summaryId", "durationInSeconds", "startTimeOffsetInSeconds")),
    apple_one: truth("events/activity/none", "", run=False),
    oura_nights: truth("activity/events/none", "participant", run=None),
    withings_weight: truth("none/activity/symbols/events", "file", ask=True, run=None),
    geneactiv_epochs: truth("activity", "file", ask=True),
    biobank_tool: truth("activity", "file", ask=True, time="time", value="acc|MET", never=("imputed",)),
    empatica_session: truth("none/symbols", "folder/file", ask=True, run=None),
    polar_sessions: truth("symbols/activity", "file", ask=True, value="HR (bpm)|Speed (km/h)", never=("Sample rate",)),
    actiware_sections: truth("activity", "file", ask=True, time="Date", value="Activity", never=("Line",)),
    motionwatch: truth("activity", "file", ask=True, time="Date", value="Activity"),
    steps_wide: truth("series", "study_id", never=("age",)),
    accelerometer_raw: truth("symbols/activity", "subject"),
    libre_us: truth("activity", "file", ask=True, time="Device Timestamp", value="Historic Glucose mg/dL", never=("Record Type",)),
    dexcom_german: truth("activity", "file", ask=True, time="Zeitstempel (JJJJ-MM-TTThh:mm:ss)", value="Glukosewert (mmol/l)", never=("Index", "Transmitter-Zeit (lange Ganzzahl)")),
    carelink_sections: truth("activity", "file", ask=True, time="Date", value="Sensor Glucose (mmol/L)", never=("Index", "ISIG Value")),
    nightscout_folders: truth("activity", "folder/file", ask=True, time="date|dateString", value="sgv", never=("delta", "_id")),
    labevents: truth("events", "subject_id", time="charttime", state="itemid", never=("labevent_id", "specimen_id", "hadm_id")),
    admissions: truth("events", "subject_id", time="admittime|dischtime", state="admission_type|admission_location|discharge_location", never=("hadm_id", "race", "insurance")),
    eicu_treatment: truth("events", "patientunitstayid", ask=True, time="treatmentoffset", state="treatmentstring", never=("treatmentid",)),
    synthea_conditions: truth("events", "PATIENT", time="START", state="CODE|DESCRIPTION", never=("ENCOUNTER",)),
    i2b2_facts: truth("events", "PATIENT_NUM", time="START_DATE", state="CONCEPT_CD", never=("ENCOUNTER_NUM", "PROVIDER_ID")),
    omop_folder: truth("events", ask=True, layout="omop"),
    fhir_folder: truth("events", ask=True, layout="fhir"),
    hl7_adt: truth("events", "PID-3 Patient ID", time="MSH-7 Date/Time", state="MSH-9 Message Type|PV1-3 Assigned Location", never=("MSH-10 Message Control ID", "PV1-7 Attending Doctor")),
    p21_folder: truth("none", run=False),
    p21_ops: truth("events", "KH-internes-Kennzeichen", ask=True, time="OPS-Datum", state="OPS-Kode", never=("IK",)),
    patient_register: truth("events", "LopNr", time="INDATUMA", state="HDIA", never=("ALDER", "KON")),
    sap_movements: truth("events", "PATNR", time="BWIDT", state="BEWTY|BWART|ORGPF|ORGFA", never=("FALNR", "LFDNR")),
    epic_flowsheet: truth("events", "PAT_MRN_ID", time="RECORDED_TIME", state="FLO_MEAS_NAME|FLO_MEAS_ID", never=("ENTRY_USER_ID",)),
    prescriptions: truth("events", "patid", time="eventdate", state="prodcode|bnfcode", never=("consid", "staffid")),
    nursing_notes: truth("text", "Pat-Nr", text="Bericht"),
    discharge_letters: truth("text", "", ask=True),
    french_stays: truth("events", "N° patient", time="Date d'entrée", state="Unité médicale|Acte CCAM", never=("N° séjour",)),
    workbook_events: truth("events", "Patient No.", time="Event date", state="Event"),
    vitals_parquet: truth("activity", "patient_id", time="recorded_at", value="heart_rate|resp_rate|spo2", never=("encounter_id",)),
    sepsis_hours: truth("activity/symbols", "file", ask=True, time="ICULOS", never=("Age", "Gender", "HospAdmTime", "SepsisLabel")),
    case_log_with_ward: truth("events", "Pat.-Nr.", time="Datum", state="Maßnahme", never=("Fallnr.",)),
    rr_lists: truth("symbols", "file", ask=True, value="RR [ms]|Type"),
    eeg_channels: truth("symbols", "file", ask=True),
    hypnogram_events: truth("symbols/events/activity", "file/folder", ask=True),
    sleep_diary: truth("activity/events/none", "Participant", run=None),
    esm_beeps: truth("events/activity/symbols", "subjno", never=("dayno", "beepno"), run=None),
    german_survey: truth("none", run=False),
    rna_counts: truth("none", run=False),
    cohort_baseline: truth("none", run=False),
    hospital_quality: truth("none", run=False),
    waiting_times: truth("none", run=False),
}
"""Source → what it is."""
