# ruff: noqa: E501
# fmt: off
"""A third held-out section: exports in other languages, formats and shapes, written before any of it was run.

Every name and number is made up. `TRUTHS` says what `inspect` should find.
"""

import datetime as dt
import gzip
import json
import random
import sqlite3
import zipfile

from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)


def walk(p, n, most=3000, start=None):
    """A generator and times that go on by up to `most` minutes."""
    rng = random.Random(1000 + p)
    t, out = start or days(p, rng), []
    for _ in range(n):
        out.append(t)
        t += dt.timedelta(minutes=rng.randint(15, most))
    return rng, out


# watches and sensors


def apple_xml_dump(to):
    rows = [["type", "sourceName", "unit", "startDate", "endDate", "value", "user"]]
    kinds = [("StepCount", "count", 0, 400), ("HeartRate", "count/min", 50, 130), ("ActiveEnergyBurned", "kcal", 0, 9)]
    for p in range(12):
        rng, times = walk(p, 150, 400)
        for t in times:
            kind, unit, low, high = rng.choice(kinds)
            rows.append([f"HKQuantityTypeIdentifier{kind}", "iPhone", unit, stamp(t), stamp(t + 5 * MINUTE), rng.randint(low, high), f"AX{p:04d}"])
    return table(to / "records.tsv", rows, by="\t")


def activpal_events(to):
    for p in range(11):
        rng = random.Random(p)
        t, rows, steps = days(p, rng), [["Time", "DataCount (samples)", "Interval (s)", "ActivityCode (0=sedentary, 1= standing, 2=stepping)", "CumulativeStepCount", "Activity Score (MET.h)", "Abs(sumDiff)"]], 0
        end, count = t + 3 * DAY, 0
        while t < end:
            code, length = rng.choice([(0, rng.randint(60, 4000)), (1, rng.randint(5, 300)), (2, rng.randint(5, 200))])
            steps += length if code == 2 else 0
            rows.append([f"{(t - dt.datetime(1899, 12, 30)).total_seconds() / 86400:.9f}", count, f"{length:.1f}", code, steps, f"{length * (1.25, 1.4, 3)[code] / 3600:.6f}", rng.randint(10, 90000)])
            t, count = t + length * SECOND, count + 10 * length
        table(to / "activpal" / f"{p + 301}-AP4709 {p}Events.csv", rows)
    return "activpal"


def samsung_heart(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["com.samsung.health.heart_rate.create_time", "com.samsung.health.heart_rate.start_time", "com.samsung.health.heart_rate.heart_rate", "com.samsung.health.heart_rate.time_offset", "com.samsung.health.heart_rate.deviceuuid"]]
        rows += [[stamp(t + 10 * i * MINUTE + 7 * SECOND, "%Y-%m-%d %H:%M:%S.000"), stamp(t + 10 * i * MINUTE, "%Y-%m-%d %H:%M:%S.000"), f"{rng.randint(52, 121)}.0", "UTC+0200", f"dev{p}"] for i in range(5 * 144)]
        table(to / "samsung" / f"user{p:02d}" / "com.samsung.shealth.tracker.heart_rate.20230504.csv", rows, before=["com.samsung.shealth.tracker.heart_rate,6230015,9"])
    return "samsung"


def whoop_cycles(to):
    rows = [["User ID", "Cycle start time", "Cycle end time", "Cycle timezone", "Recovery score %", "Resting heart rate (bpm)", "Heart rate variability (ms)", "Day Strain", "Energy burned (cal)", "Asleep duration (min)"]]
    for p in range(14):
        rng = random.Random(p)
        t = days(p, rng)
        for i in range(40):
            a = t + i * DAY + rng.randint(-80, 80) * MINUTE
            rows.append([4000 + p, stamp(a), stamp(a + DAY), "UTC+01:00", rng.randint(20, 99), rng.randint(44, 70), rng.randint(20, 140), f"{rng.random() * 20:.1f}", rng.randint(1500, 3800), rng.randint(240, 560)])
    return table(to / "physiological_cycles.csv", rows)


def xiaomi_sport(to):
    rows = [["Uid", "Sid", "Key", "Time", "Value", "UpdateTime"]]
    for p in range(10):
        rng = random.Random(p)
        t = int(days(p, rng).timestamp())
        for i in range(2 * 288):
            rows.append([6400100 + p, "xiaomiwear_app", "heart_rate", t + 300 * i, rng.randint(50, 130), t + 90000])
    return table(to / "hlth_center_fitness_data.csv", rows)


def google_takeout(to):
    for p in range(9):
        rng = random.Random(p)
        t = D0 + p * 7 * DAY
        for d in range(4):
            rows = [["timestamp", "beats per minute"]] + [[stamp(t + d * DAY + 5 * i * MINUTE, "%Y-%m-%dT%H:%M:%SZ"), f"{rng.randint(50, 120)}.0"] for i in range(288)]
            table(to / "Takeout" / f"participant_{p:02d}" / "Physical Activity" / f"heart_rate_{stamp(t + d * DAY, '%Y-%m-%d')}.csv", rows)
    return "Takeout"


def fitbit_steps_json(to):
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng).replace(hour=0, minute=0)
        rows = [{"dateTime": stamp(t + i * MINUTE, "%m/%d/%y %H:%M:%S"), "value": str(moved(rng, (t + i * MINUTE).hour) // 20)} for i in range(2 * 1440)]
        path = to / "fitbit" / f"MyFitbitData_{p:03d}" / f"steps-{stamp(t, '%Y-%m-%d')}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(rows))
    return "fitbit"


def polar_minutes(to):
    head = ["Name", "Sport", "Date", "Start time", "Duration"]
    for p in range(10):
        rng = random.Random(p)
        rows = [["Sample rate", "Time", "HR (bpm)", "Speed (km/h)", "Cadence", "Altitude (m)"]]
        rows += [["1" if i == 0 else "", f"{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}", 90 + int(30 * rng.random()) + i // 100, f"{8 + rng.random():.1f}", rng.randint(70, 90), rng.randint(100, 130)] for i in range(1500)]
        table(to / "sessions" / f"runner{p:02d}.CSV", rows, before=[",".join(head), f"Runner {p},RUNNING,{10 + p}-05-2022,07:30:00,00:25:00"])
    return "sessions"


def oura_json(to):
    for p in range(12):
        rng = random.Random(p)
        t = D0 + p * DAY
        sleep = [{"id": f"{p:04d}-{i:05d}", "day": stamp(t + i * DAY, "%Y-%m-%d"), "score": rng.randint(50, 95), "deep_sleep": rng.randint(40, 99), "efficiency": rng.randint(60, 99), "timestamp": stamp(t + i * DAY, "%Y-%m-%dT00:00:00+00:00")} for i in range(50)]
        path = to / "oura" / f"R{p:03d}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(sleep))
    return "oura"


def axivity_epochs_gz(to):
    (to / "epochs").mkdir()
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        lines = ["time,enmoTrunc,dataErrors,temp,samples"] + [f"{stamp(t + 5 * i * MINUTE)}.000,{moved(rng, (t + 5 * i * MINUTE).hour) / 9000:.4f},0,{28 + rng.random():.2f},30000" for i in range(3 * 288)]
        with gzip.open(to / "epochs" / f"{6025000 + p}_epoch.csv.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
    return "epochs"


def temperature_logger(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["Date/Time", "Unit", "Value"]] + [[stamp(t + 10 * i * MINUTE, "%d/%m/%y %I:%M:%S %p"), "C", f"{33 + 2 * rng.random():.3f}".replace(".", ",")] for i in range(4 * 144)]
        table(to / "ibuttons" / f"pp{p + 1:02d}.csv", rows, by=";", before=["1-Wire/iButton Part Number: DS1922L-F5", f"1-Wire/iButton Registration Number: {p:016X}", "Is Mission Active?  true", "Sample Rate:  Every 600 second(s)", ""])
    return "ibuttons"


def smart_home(to):
    rows = []
    for p in range(9):
        rng, times = walk(p, 200, 120)
        rows += [[f"H{p:03d}", stamp(t, "%Y-%m-%d"), stamp(t, "%H:%M:%S"), rng.choice(["Kitchen", "Bathroom", "Bedroom", "LivingRoom", "FrontDoor"]), rng.choice(["ON", "OFF"])] for t in times]
    return table(to / "motion.tsv", [["resident", "date", "time", "sensor_location", "message"], *rows], by="\t")


# glucose


def ohio_xml_as_csv(to):
    for p in (540, 544, 552, 559, 563, 567, 570, 575, 584, 588):
        rng = random.Random(p)
        rows = [["5minute_intervals_timestamp", "missing_cbg", "cbg", "finger", "basal", "hr", "gsr", "carbInput", "bolus"]]
        rows += [[5000000 + i, 0, sugar(rng, 5 * i, 150), "", "0.92" if i % 40 == 0 else "", rng.randint(50, 110), f"{rng.random():.3f}", "", ""] for i in range(3 * 288)]
        table(to / "ohio" / f"{p}-ws-training_processed.csv", rows)
    return "ohio"


def spanish_glucose(to):
    rows = [["Nº paciente", "Fecha y hora", "Glucosa (mg/dL)", "Tipo de lectura"]]
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[700 + p, stamp(t + 15 * i * MINUTE, "%d/%m/%Y %H:%M"), sugar(rng, 15 * i, 160), "0"] for i in range(4 * 96)]
    return table(to / "glucosa.csv", rows, by=";", encoding="cp1252")


def japanese_glucose(to):
    rows = [["患者ID", "測定日時", "血糖値(mg/dL)", "デバイス"]]
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng)
        rows += [[f"P{p:04d}", stamp(t + 15 * i * MINUTE, "%Y/%m/%d %H:%M"), sugar(rng, 15 * i, 150), "リブレ"] for i in range(3 * 96)]
    return table(to / "data.csv", rows, encoding="utf-8-sig")


def glooko_zip(to):
    with zipfile.ZipFile(to / "glooko.zip", "w") as box:
        for p in range(9):
            rng = random.Random(p)
            t = days(p, rng)
            lines = [f"Name:Pat {p},Date Range:2022-05-01 - 2022-05-14", "Timestamp,CGM Glucose Value (mmol/l),Serial Number"] + [f"{stamp(t + 5 * i * MINUTE, '%Y-%m-%d %H:%M')},{sugar(rng, 5 * i, 150) / 18:.1f},S{p:06d}" for i in range(3 * 288)]
            box.writestr(f"patient_{p:02d}/cgm_data_1.csv", "\n".join(lines) + "\n")
    return "glooko.zip"


def fingersticks(to):
    rows = [["SubjectID", "Date", "Time", "BG mg/dl", "Meal"]]
    for p in range(20):
        rng = random.Random(p)
        t = days(p, rng)
        for d in range(14):
            for hour, meal in ((7, "fasting"), (12, "pre-lunch"), (18, "pre-dinner"), (22, "bedtime")):
                if rng.random() < 0.85:
                    at = (t + d * DAY).replace(hour=hour, minute=rng.randint(0, 59))
                    rows.append([f"{p + 1:03d}", stamp(at, "%m/%d/%Y"), stamp(at, "%I:%M %p"), sugar(rng, 60 * hour, 160), meal])
    return table(to / "smbg.csv", rows)


# hospitals


def amsterdam_list(to):
    items = [(6640, "Hartfrequentie", "/min"), (6642, "ABP gemiddeld", "mmHg"), (8658, "Temp Bloed", "°C"), (6709, "Saturatie (Monitor)", "%")]
    rows = [["admissionid", "itemid", "item", "value", "unit", "measuredat", "registeredat", "registeredby", "islabresult"]]
    for p in range(30):
        rng = random.Random(p)
        t = 0
        for _ in range(60):
            item = rng.choice(items)
            t += rng.randint(60, 4000) * 1000
            rows.append([p + 11, item[0], item[1], f"{rng.uniform(30, 120):.1f}", item[2], t, t + 60000, "ICV_IC-Verpleegkundig", 0])
    return table(to / "numericitems.csv", rows, encoding="latin-1")


def hirid_observations(to):
    rows = [["patientid", "datetime", "entertime", "status", "stringvalue", "type", "value", "variableid"]]
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        for _ in range(250):
            t += rng.randint(1, 8) * MINUTE
            rows.append([p + 1, stamp(t), stamp(t + MINUTE), 8, "", "", f"{rng.uniform(40, 120):.1f}", rng.choice([200, 110, 120, 100, 4000])])
    return table(to / "observations.csv", rows)


def pcornet_folder(to):
    base = to / "pcornet"
    pats = [f"PT{i:05d}" for i in range(40)]
    rng = random.Random(3)
    table(base / "DEMOGRAPHIC.csv", [["PATID", "BIRTH_DATE", "SEX", "HISPANIC", "RACE"], *([p, f"19{rng.randint(30, 99)}-01-01", rng.choice("MF"), "N", "05"] for p in pats)], by="|")
    table(base / "ENCOUNTER.csv", [["ENCOUNTERID", "PATID", "ADMIT_DATE", "ADMIT_TIME", "DISCHARGE_DATE", "PROVIDERID", "ENC_TYPE"], *([f"E{i:06d}", rng.choice(pats), stamp(D0 + rng.randint(0, 900) * DAY, "%Y-%m-%d"), "10:00", "", f"D{i % 9}", rng.choice(["AV", "ED", "IP"])] for i in range(300))], by="|")
    table(base / "DIAGNOSIS.csv", [["DIAGNOSISID", "PATID", "ENCOUNTERID", "ENC_TYPE", "ADMIT_DATE", "DX", "DX_TYPE", "PDX"], *([f"X{i:06d}", rng.choice(pats), f"E{i % 300:06d}", "AV", stamp(D0 + rng.randint(0, 900) * DAY, "%Y-%m-%d"), rng.choice(["I10", "E11.9", "J45", "N18"]), "10", "P"] for i in range(500))], by="|")
    table(base / "VITAL.csv", [["VITALID", "PATID", "MEASURE_DATE", "MEASURE_TIME", "HT", "WT", "SYSTOLIC", "DIASTOLIC"], *([f"V{i:06d}", rng.choice(pats), stamp(D0 + rng.randint(0, 900) * DAY, "%Y-%m-%d"), "09:00", 67, 180, 130, 80] for i in range(300))], by="|")
    return "pcornet"


def pcornet_dispensing(to):
    rows = [["DISPENSINGID", "PATID", "PRESCRIBINGID", "DISPENSE_DATE", "NDC", "DISPENSE_SUP", "DISPENSE_AMT"]]
    for p in range(60):
        rng, times = walk(p, 12, 60000)
        rows += [[f"DS{p:04d}{i:03d}", f"PT{p:05d}", "", stamp(t, "%Y-%m-%d"), rng.choice(["00093106301", "00378180101", "00591040501", "68180051301"]), rng.choice([30, 60, 90]), rng.choice([30, 60, 90, 180])] for i, t in enumerate(times)]
    return table(to / "dispensing.cpt", rows, by="|") and _renamed(to / "dispensing.cpt", "dispensing.txt")


def _renamed(path, name):
    path.rename(path.with_name(name))
    return name


def synthea_medications(to):
    rows = [["START", "STOP", "PATIENT", "PAYER", "ENCOUNTER", "CODE", "DESCRIPTION", "BASE_COST", "PAYER_COVERAGE", "DISPENSES", "TOTALCOST", "REASONCODE", "REASONDESCRIPTION"]]
    drugs = [(314076, "lisinopril 10 MG Oral Tablet"), (860975, "24 HR Metformin hydrochloride 500 MG"), (243670, "aspirin 81 MG Oral Tablet"), (198405, "Ibuprofen 100 MG Oral Tablet")]
    for p in range(40):
        rng, times = walk(p, 10, 400000)
        for i, t in enumerate(times):
            code, name = rng.choice(drugs)
            rows.append([stamp(t, "%Y-%m-%dT%H:%M:%SZ"), stamp(t + 30 * DAY, "%Y-%m-%dT%H:%M:%SZ"), f"{p:08x}-1111-4222-8333-abcdefabcdef", "b1c428d6-4f07-31e0-90f0-68ffa6ff8c76", f"{p:04x}{i:04x}-1111-4222-8333-abcdefabcdef", code, name, f"{rng.random() * 200:.2f}", "0.00", rng.randint(1, 12), f"{rng.random() * 900:.2f}", "", ""])
    return table(to / "medications.csv", rows)


def fhir_ndjson(to):
    path = to / "Observation.ndjson"
    with path.open("w") as file:
        for p in range(20):
            rng, times = walk(p, 25, 20000)
            for i, t in enumerate(times):
                code, name = rng.choice([("8867-4", "Heart rate"), ("8480-6", "Systolic blood pressure"), ("29463-7", "Body weight")])
                file.write(json.dumps({"resourceType": "Observation", "id": f"o{p}-{i}", "status": "final", "code": {"coding": [{"system": "http://loinc.org", "code": code, "display": name}], "text": name}, "subject": {"reference": f"Patient/{p:04d}"}, "effectiveDateTime": stamp(t, "%Y-%m-%dT%H:%M:%S+00:00"), "valueQuantity": {"value": rng.randint(50, 150), "unit": "x"}}) + "\n")
    return path.name


def bundle_per_patient(to):
    (to / "fhir").mkdir()
    for p in range(12):
        rng, times = walk(p, 12, 40000)
        entries = [{"resource": {"resourceType": "Patient", "id": f"p{p}", "gender": "female"}}]
        for i, t in enumerate(times):
            code = rng.choice(["Hypertension", "Sinusitis", "Normal pregnancy", "Asthma"])
            entries.append({"resource": {"resourceType": "Condition", "id": f"c{p}-{i}", "code": {"text": code, "coding": [{"code": code[:4], "display": code}]}, "subject": {"reference": f"Patient/p{p}"}, "onsetDateTime": stamp(t, "%Y-%m-%dT%H:%M:%S+00:00")}})
        (to / "fhir" / f"Family{p}_Given{p}.json").write_text(json.dumps({"resourceType": "Bundle", "type": "collection", "entry": entries}))
    return "fhir"


def redcap_repeating(to):
    rows = [["record_id", "redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance", "ae_date", "ae_term", "ae_grade", "ae_related", "adverse_event_complete"]]
    for p in range(45):
        rng, times = walk(p, 7, 30000)
        rows += [[f"101-{p:03d}", "treatment_arm_1", "adverse_event", i + 1, stamp(t, "%Y-%m-%d"), rng.choice(["Nausea", "Fatigue", "Anaemia", "Headache", "Rash"]), rng.randint(1, 4), rng.choice(["Yes", "No"]), 2] for i, t in enumerate(times)]
    return table(to / "AE_DATA_2023-03-01_1311.csv", rows)


def redcap_dictionary(to):
    head = ["Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label", "Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number", "Text Validation Min", "Text Validation Max", "Identifier?", "Branching Logic (Show field only if...)", "Required Field?"]
    rng = random.Random(1)
    rows = [[f"var_{i}", rng.choice(["demographics", "baseline", "adverse_event"]), "", rng.choice(["text", "radio", "calc"]), sentence(rng, 6), "1, Yes | 0, No" if i % 2 else "", "", "", "", "", "", "", "y"] for i in range(90)]
    return table(to / "Study_DataDictionary.csv", [head, *rows])


def sdtm_vitals(to):
    rows = [["STUDYID", "DOMAIN", "USUBJID", "VSSEQ", "VSTESTCD", "VSTEST", "VSORRES", "VSORRESU", "VISITNUM", "VISIT", "VSDTC", "VSDY"]]
    for p in range(40):
        rng = random.Random(p)
        t, seq = days(p, rng), 0
        for v in range(6):
            for code, name, unit in (("SYSBP", "Systolic Blood Pressure", "mmHg"), ("PULSE", "Pulse Rate", "BEATS/MIN"), ("TEMP", "Temperature", "C")):
                seq += 1
                rows.append(["CDISC01", "VS", f"CDISC01.{100 + p:04d}", seq, code, name, rng.randint(36, 140), unit, v, f"WEEK {2 * v}", stamp(t + 14 * v * DAY, "%Y-%m-%d"), 14 * v + 1])
    return table(to / "vs.csv", rows)


def sdtm_adverse(to):
    rows = [["STUDYID", "USUBJID", "AESEQ", "AETERM", "AEDECOD", "AESEV", "AESER", "AESTDTC", "AEENDTC"]]
    for p in range(50):
        rng, times = walk(p, rng_n := 6, 40000)
        assert rng_n
        for i, t in enumerate(times):
            term = rng.choice(["HEADACHE", "NAUSEA", "DIZZINESS", "PRURITUS", "FATIGUE"])
            rows.append(["CDISC01", f"01-701-{1000 + p}", i + 1, term.lower() + " mild", term, rng.choice(["MILD", "MODERATE", "SEVERE"]), "N", stamp(t, "%Y-%m-%d"), stamp(t + 3 * DAY, "%Y-%m-%d")])
    return table(to / "ae.csv", rows)


def german_labs(to):
    rows = [["Pat-ID", "Fall", "Abnahmedatum", "Parameter", "Ergebnis", "Einheit", "Referenzbereich", "Bewertung"]]
    for p in range(40):
        rng, times = walk(p, 20, 3000)
        for t in times:
            name, unit = rng.choice([("Kreatinin", "mg/dl"), ("Natrium", "mmol/l"), ("CRP", "mg/l"), ("Hämoglobin", "g/dl")])
            rows.append([f"{880000 + p}", f"{12000000 + p}", stamp(t, "%d.%m.%Y %H:%M"), name, f"{rng.random() * 14:.2f}".replace(".", ","), unit, "0,5 - 1,2", rng.choice(["", "+", "-"])])
    return table(to / "labor.csv", rows, by=";", encoding="cp1252", end="\r\n")


def french_labs_wide(to):
    head = ["IPP", "Date prélèvement", "Créatinine (µmol/L)", "Sodium (mmol/L)", "Potassium (mmol/L)", "CRP (mg/L)", "Hémoglobine (g/dL)", "Plaquettes (G/L)"]
    rows = [head]
    for p in range(50):
        rng, times = walk(p, 8, 9000)
        rows += [[f"80{p:06d}", stamp(t, "%d/%m/%Y %H:%M"), rng.randint(40, 300), rng.randint(128, 148), f"{rng.uniform(3, 5.5):.1f}".replace(".", ","), rng.randint(1, 200), f"{rng.uniform(7, 16):.1f}".replace(".", ","), rng.randint(80, 450)] for t in times]
    return table(to / "biologie.csv", rows, by=";", encoding="utf-8-sig")


def spanish_emergency(to):
    rows = [["NHC", "Fecha", "Hora", "Episodio", "Estado", "Ubicación"]]
    for p in range(60):
        rng = random.Random(p)
        t = days(p, rng)
        for state, place in (("Admisión", "Mostrador"), ("Triaje", "Box triaje"), ("Atención médica", "Box 3"), ("Pruebas", "Radiología"), ("Alta", "Salida")):
            if rng.random() < 0.9:
                rows.append([f"NH{p:05d}", stamp(t, "%d-%m-%Y"), stamp(t, "%H:%M"), f"U22{p:06d}", state, place])
            t += rng.randint(5, 90) * MINUTE
    return table(to / "urgencias.txt", rows, by="|", encoding="latin-1")


def italian_transfers(to):
    rows = [["Codice paziente", "Data ingresso", "Data uscita", "Reparto", "Posto letto"]]
    for p in range(50):
        rng = random.Random(p)
        t = days(p, rng)
        for _ in range(rng.randint(2, 6)):
            out = t + rng.randint(4, 90) * HOUR
            rows.append([f"PZ{p:04d}", stamp(t, "%d/%m/%Y %H:%M"), stamp(out, "%d/%m/%Y %H:%M"), rng.choice(["Medicina", "Chirurgia", "Rianimazione", "Cardiologia"]), f"L{rng.randint(1, 40)}"])
            t = out
    return table(to / "trasferimenti.csv", rows, by=";")


def dutch_pathway(to):
    rows = [["Patiëntnummer", "Activiteit", "Uitvoerdatum", "Specialisme", "Tarief"]]
    for p in range(50):
        rng, times = walk(p, 10, 20000)
        rows += [[f"{p:08d}", rng.choice(["consult", "echo", "bloedafname", "operatie", "controle"]), stamp(t, "%d-%m-%Y"), rng.choice(["CAR", "INT", "CHI"]), f"{rng.random() * 300:.2f}".replace(".", ",")] for t in times]
    return table(to / "verrichtingen.csv", rows, by=";")


def portuguese_visits(to):
    rows = [["cod_utente", "dt_atendimento", "cid10", "procedimento", "municipio"]]
    for p in range(60):
        rng, times = walk(p, 9, 50000)
        rows += [[30000 + p, stamp(t, "%Y%m%d"), rng.choice(["I10", "E119", "J00", "M545", "Z000"]), rng.choice(["0301010072", "0301060029", "0202010473"]), rng.choice([355030, 330455])] for t in times]
    return table(to / "atendimentos.csv", rows)


def fixed_width(to):
    lines = ["PATNO     ADMDATE     DRG  WARD      "]
    for p in range(50):
        rng, times = walk(p, 6, 60000)
        lines += [f"{p + 1000:<10}{stamp(t, '%Y-%m-%d'):<12}{rng.choice(['127', '089', '143', '209']):<5}{rng.choice(['MED', 'SURG', 'ICU', 'ORTHO']):<10}" for t in times]
    (to / "discharges.txt").write_text("\n".join(lines) + "\n")
    return "discharges.txt"


def utf16_wards(to):
    rows = [["Patienten-ID", "Station", "Aufnahme", "Entlassung"]]
    for p in range(45):
        rng = random.Random(p)
        t = days(p, rng)
        for _ in range(rng.randint(2, 5)):
            out = t + rng.randint(6, 80) * HOUR
            rows.append([f"B{p:04d}", rng.choice(["Innere", "Chirurgie", "Intensiv", "Geriatrie"]), stamp(t, "%d.%m.%Y %H:%M"), stamp(out, "%d.%m.%Y %H:%M")])
            t = out
    return table(to / "verlegungen.txt", rows, by="\t", encoding="utf-16")


def emergency_xes(to):
    def attr(tag, key, value):
        return f'<{tag} key="{key}" value="{value}"/>'
    body = ['<?xml version="1.0" encoding="UTF-8"?>', '<log xes.version="1.0" xmlns="http://www.xes-standard.org/">']
    for p in range(40):
        rng, times = walk(p, 8, 90)
        body.append("<trace>" + attr("string", "concept:name", f"case{p}"))
        body += ["<event>" + attr("string", "concept:name", rng.choice(["ER Registration", "ER Triage", "Leucocytes", "CRP", "IV Antibiotics"])) + attr("date", "time:timestamp", stamp(t, "%Y-%m-%dT%H:%M:%S.000+02:00")) + "</event>" for t in times]
        body.append("</trace>")
    with gzip.open(to / "emergency.xes.gz", "wt") as file:
        file.write("\n".join([*body, "</log>"]))
    return "emergency.xes.gz"


def ocel_json(to):
    events = []
    for p in range(40):
        rng, times = walk(p, 8, 600)
        events += [{"id": f"e{p}-{i}", "type": rng.choice(["register", "triage", "treat", "discharge"]), "time": stamp(t, "%Y-%m-%dT%H:%M:%SZ"), "attributes": [], "relationships": [{"objectId": f"patient{p}", "qualifier": "for"}]} for i, t in enumerate(times)]
    (to / "log.jsonocel").write_text("x") and (to / "log.jsonocel").unlink()
    (to / "ocel2.json").write_text(json.dumps({"objectTypes": [{"name": "patient", "attributes": []}], "eventTypes": [{"name": "triage", "attributes": []}], "objects": [{"id": f"patient{p}", "type": "patient"} for p in range(40)], "events": events}))
    return "ocel2.json"


def sqlite_ward(to):
    con = sqlite3.connect(to / "ward.sqlite")
    con.execute("create table movements (patient_id text, ward text, moved_at text)")
    for p in range(40):
        rng, times = walk(p, 6, 4000)
        con.executemany("insert into movements values (?, ?, ?)", [(f"P{p:03d}", rng.choice(["ED", "ICU", "Ward A", "Ward B"]), stamp(t)) for t in times])
    con.commit()
    con.close()
    return "ward.sqlite"


def icu_psv(to):
    for p in range(12):
        rng = random.Random(p)
        rows = [["HR", "O2Sat", "Temp", "SBP", "MAP", "DBP", "Resp", "Lactate", "WBC", "Age", "Gender", "Unit1", "HospAdmTime", "ICULOS", "SepsisLabel"]]
        age = rng.randint(30, 90)
        rows += [[rng.randint(60, 120), rng.randint(90, 100), "NaN" if i % 4 else f"{36 + 2 * rng.random():.1f}", rng.randint(90, 160), rng.randint(60, 110), rng.randint(40, 90), rng.randint(10, 30), "NaN", "NaN", age, 1, 0, -0.02, i + 1, 0] for i in range(rng.randint(30, 60))]
        table(to / "training" / f"p{p:06d}.psv", rows, by="|")
    return "training"


def cancer_registry(to):
    rows = [["TumorID", "PatientPseudonym", "Datum", "Ereignis", "ICD10", "Therapieart"]]
    for p in range(60):
        rng = random.Random(p)
        t = days(p, rng)
        for i, what in enumerate(("Diagnose", "OP", "Strahlentherapie", "Systemtherapie", "Nachsorge", "Nachsorge")):
            if rng.random() < 0.8:
                rows.append([f"T{p:05d}", f"PSN{p // 2:06d}", stamp(t + 40 * i * DAY, "%d.%m.%Y"), what, rng.choice(["C50.4", "C18.7", "C34.1"]), ""])
    return table(to / "verlauf.csv", rows, by=";")


def vaccination(to):
    rows = [["nhs_number_pseudo", "vaccination_date", "vaccine", "dose", "site"]]
    for p in range(80):
        rng, times = walk(p, rng_n := 5, 150000)
        rows += [[f"ab{p:06d}", stamp(t, "%d-%b-%Y"), rng.choice(["Influenza", "Pfizer", "AstraZeneca", "Pneumococcal"]), i % rng_n + 1, rng.choice(["left", "right"])] for i, t in enumerate(times)]
    return table(to / "imms.csv", rows)


def operation_times(to):
    rows = [["case_no", "surgery_date", "in_room", "anaesthesia_start", "incision", "closure", "out_of_room", "theatre"]]
    rng = random.Random(4)
    for i in range(200):
        t = (D0 + i // 4 * DAY).replace(hour=8) + rng.randint(0, 300) * MINUTE
        times = [t + k * rng.randint(10, 20) * MINUTE for k in range(5)]
        rows.append([f"OP{i:05d}", stamp(t, "%Y-%m-%d"), *(stamp(x, "%H:%M") for x in times), rng.choice(["T1", "T2", "T3"])])
    return table(to / "theatre_times.csv", rows)


def claims_carrier(to):
    rows = [["BENE_ID", "CLM_ID", "CLM_FROM_DT", "CLM_THRU_DT", "PRNCPAL_DGNS_CD", "HCPCS_CD", "LINE_PLACE_OF_SRVC_CD", "CLM_PMT_AMT"]]
    for p in range(60):
        rng, times = walk(p, 12, 50000)
        rows += [[-10000010254000 - p, -10000930000000 - 100 * p - i, stamp(t, "%d-%b-%Y").upper(), stamp(t, "%d-%b-%Y").upper(), rng.choice(["I10", "E119", "Z000", "M545"]), rng.choice(["99213", "99214", "80053", "36415"]), rng.choice([11, 21, 22]), f"{rng.random() * 500:.2f}"] for i, t in enumerate(times)]
    return table(to / "carrier.csv", rows, by="|")


# sleep, hearts and breath


def edf_annotations(to):
    for p in range(12):
        rng, at = random.Random(p), 0
        rows = [["Onset", "Duration", "Annotation"]]
        for _ in range(120):
            n = 30 * rng.randint(1, 20)
            rows.append([f"{at:.1f}", f"{n:.1f}", "Sleep stage " + rng.choice("W123R")])
            at += n
        table(to / "sleep-edf" / f"SC4{p:02d}1EC-Hypnogram.csv", rows)
    return "sleep-edf"


def hypnogram_lines(to):
    (to / "nights").mkdir()
    for p in range(12):
        rng = random.Random(p)
        stage, out = "W", []
        for _ in range(900):
            stage = rng.choice("WN1N2N3R") if rng.random() < 0.1 else stage
            out.append({"W": "WAKE", "N": "N2", "1": "N1", "2": "N2", "3": "N3", "R": "REM"}[stage])
        (to / "nights" / f"patient{p:02d}_stages.txt").write_text("\n".join(out) + "\n")
    return "nights"


def beats_table(to):
    rows = [["subject", "beat", "t_ms", "rr_ms", "label"]]
    for p in range(10):
        rng, t = random.Random(p), 0
        for i in range(1200):
            rr = int(rng.gauss(820, 60))
            t += rr
            rows.append([f"h{p:02d}", i, t, rr, "V" if rng.random() < 0.05 else "N"])
    return table(to / "beats.csv", rows)


def spirometry_curves(to):
    rows = [["participant", "effort", "sample", "volume_l", "flow_ls"]]
    for p in range(20):
        rng = random.Random(p)
        rows += [[f"SP{p:03d}", 1, i, f"{4 * (1 - 2.7 ** (-i / 60)):.3f}", f"{8 * 2.7 ** (-i / 60) + rng.gauss(0, 0.1):.3f}"] for i in range(400)]
    return table(to / "curves.csv", rows)


def gait_files(to):
    for p in range(12):
        rng = random.Random(p)
        rows = [["time_s", "acc_x", "acc_y", "acc_z", "gyr_x", "gyr_y", "gyr_z"]] + [[f"{i / 100:.2f}", *(f"{rng.gauss(0, 1):.4f}" for _ in range(6))] for i in range(1500)]
        table(to / "gait" / f"sub-{p + 1:02d}_task-walk_motion.tsv", rows, by="\t")
    table(to / "gait" / "participants.tsv", [["participant_id", "age", "sex", "group"], *([f"sub-{p + 1:02d}", 40 + p, "MF"[p % 2], "PD" if p % 3 else "HC"] for p in range(12))], by="\t")
    return "gait"


# questionnaires and wide tables


def ema_wide_long(to):
    rows = [["PID", "Day", "Prompt", "ResponseTime", "Mood", "Stress", "Where"]]
    for p in range(25):
        rng = random.Random(p)
        t = D0 + p * DAY
        for d in range(7):
            for b in range(5):
                if rng.random() < 0.8:
                    rows.append([f"E{p:03d}", d + 1, b + 1, stamp(t + d * DAY + (9 + 3 * b) * HOUR + rng.randint(0, 60) * MINUTE, "%d/%m/%Y %H:%M"), rng.randint(1, 7), rng.randint(1, 7), rng.choice(["home", "work", "outside"])])
    return table(to / "ema.csv", rows)


def womac_wide(to):
    rows = [["Patient-Nr", "Gruppe", *(f"Schmerz_T{i}" for i in range(8))]]
    for p in range(120):
        rng = random.Random(p)
        level = rng.uniform(2, 9)
        rows.append([f"K{p:03d}", rng.choice("AB"), *(f"{max(0, min(10, level - 0.3 * i + rng.gauss(0, 0.7))):.1f}".replace(".", ",") for i in range(8))])
    return table(to / "schmerzverlauf.csv", rows, by=";", encoding="cp1252")


def growth_wide(to):
    rows = [["childid", "sex", *(f"weight_{m}m" for m in (0, 2, 4, 6, 9, 12, 18, 24))]]
    for p in range(150):
        rng = random.Random(p)
        w = rng.gauss(3.4, 0.4)
        rows.append([p + 1, rng.choice("mf"), *(f"{w + 9 * (m / 24) ** 0.6 + rng.gauss(0, 0.2):.2f}" for m in (0, 2, 4, 6, 9, 12, 18, 24))])
    return table(to / "growth.csv", rows)


def hourly_pressure(to):
    rows = [["ABPM_ID", *(f"{h:02d}:00" for h in range(24))]]
    for p in range(80):
        rng = random.Random(p)
        rows.append([f"A{p:03d}", *(int(rng.gauss(125 - 12 * (h < 6), 8)) for h in range(24))])
    return table(to / "abpm.csv", rows)


# words


def notes_folders(to):
    for p in range(15):
        rng = random.Random(p)
        for i in range(3):
            path = to / "cartas" / f"paciente_{p:03d}" / f"nota{i}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(". ".join(sentence(rng, 15, ["paciente", "refiere", "dolor", "torácico", "sin", "fiebre", "tensión", "estable", "alta", "mañana"]) for _ in range(6)))
    return "cartas"


def notes_cp1252(to):
    rows = [["Patient", "Datum", "Art", "Freitext"]]
    for p in range(40):
        rng, times = walk(p, 3)
        rows += [[f"{5000 + p}", stamp(t, "%d.%m.%Y"), rng.choice(["Visite", "Konsil", "Pflege"]), sentence(rng, 30, ["der", "Patient", "klagt", "über", "Übelkeit", "seit", "gestern", "kein", "Fieber", "Wunde", "trocken"])] for t in times]
    return table(to / "verlauf.csv", rows, by=";", encoding="cp1252")


def chat_jsonl(to):
    with (to / "transcripts.jsonl").open("w") as file:
        for p in range(30):
            rng = random.Random(p)
            for i in range(4):
                file.write(json.dumps({"conversation_id": f"c{p}-{i}", "client_id": f"cl{p:03d}", "role": "client", "utterance": sentence(rng, 25), "ts": 1650000000 + 1000 * i}) + "\n")
    return "transcripts.jsonl"


# none of these


def snp_matrix(to):
    rng = random.Random(1)
    return table(to / "genotypes.csv", [["sample_id", *(f"rs{10000 + 7 * i}" for i in range(80))], *([f"S{p:04d}", *(rng.choice([0, 0, 1, 2]) for _ in range(80))] for p in range(120))])


def image_metadata(to):
    rng = random.Random(1)
    rows = [["PatientID", "StudyInstanceUID", "SOPInstanceUID", "Modality", "BodyPartExamined", "Rows", "Columns", "PixelSpacing", "KVP", "PatientAge", "PatientSex"]]
    rows += [[f"A{i:05d}", f"1.2.840.{i}.1", f"1.2.840.{i}.1.1", rng.choice(["CR", "CT", "MR"]), "CHEST", 512, 512, "[0.7, 0.7]", rng.randint(80, 120), f"0{rng.randint(20, 90)}Y", rng.choice("MF")] for i in range(200)]
    return table(to / "dicom_index.csv", rows)


def price_list(to):
    rng = random.Random(1)
    rows = [["CPT code", "Description", "Gross charge", "Cash price", "Payer", "Negotiated rate"]]
    rows += [[f"{70000 + 11 * i}", sentence(rng, 5), f"{rng.random() * 2000:.2f}", f"{rng.random() * 1200:.2f}", rng.choice(["Aetna", "Cigna", "BCBS"]), f"{rng.random() * 900:.2f}"] for i in range(300)]
    return table(to / "standard_charges.csv", rows, before=["hospital_name,Mercy General", "last_updated_on,2023-01-01"])


def stock_inventory(to):
    rng = random.Random(1)
    rows = [["Artikelnummer", "Bezeichnung", "Lagerort", "Bestand", "Mindestbestand", "Verfallsdatum", "Preis"]]
    rows += [[f"{400000 + 3 * i}", rng.choice(["Kanüle", "Spritze", "Handschuh", "Tupfer"]) + f" {i}", rng.choice(["A1", "B2"]), rng.randint(0, 900), 50, stamp(D0 + rng.randint(0, 700) * DAY, "%d.%m.%Y"), f"{rng.random() * 30:.2f}".replace(".", ",")] for i in range(250)]
    return table(to / "lager.csv", rows, by=";")


def german_patients(to):
    rng = random.Random(2)
    rows = [["Patientennummer", "Geburtsjahr", "Geschlecht", "Größe", "Gewicht", "Diagnose", "Aufnahmedatum", "Entlassdatum", "Kosten"]]
    rows += [[20000 + i, rng.randint(1930, 2004), rng.choice("mw"), rng.randint(150, 199), f"{rng.uniform(50, 120):.1f}".replace(".", ","), rng.choice(["I21", "C34", "S72"]), stamp(D0 + rng.randint(0, 300) * DAY, "%d.%m.%Y"), stamp(D0 + rng.randint(300, 310) * DAY, "%d.%m.%Y"), rng.randint(900, 40000)] for i in range(220)]
    return table(to / "patienten.csv", rows, by=";")


def air_quality(to):
    rng = random.Random(2)
    rows = [["station_id", "datetime", "pm25", "pm10", "no2", "o3"]]
    rows += [[f"ST{s:02d}", stamp(D0 + h * HOUR), rng.randint(3, 60), rng.randint(5, 90), rng.randint(5, 80), rng.randint(10, 120)] for s in range(12) for h in range(240)]
    return table(to / "air_quality.csv", rows)


def staff_roster(to):
    rng = random.Random(2)
    rows = [["Ward", *(stamp(D0 + i * DAY, "%a %d %b") for i in range(14))]]
    rows += [[f"Ward {w}", *(rng.choice([3, 4, 5, 6]) for _ in range(14))] for w in range(9)]
    return table(to / "roster.csv", rows)


def mixed_project(to):
    base, rng = to / "project", random.Random(2)
    table(base / "results" / "table1.csv", [["Variable", "Group A", "Group B", "p"], *([f"v{i}", f"{rng.random():.2f}", f"{rng.random():.2f}", f"{rng.random():.3f}"] for i in range(12))])
    table(base / "ref" / "icd10.csv", [["code", "title"], *([f"A{i:02d}", sentence(rng, 4)] for i in range(60))])
    (base / "README.md").write_text("This project holds scripts and tables.\n")
    (base / "analysis.R").write_text("x <- 1\n")
    (base / "model.pkl").write_bytes(bytes(range(256)))
    return "project"


TRUTHS = {
    apple_xml_dump: truth("events/activity", "user", time="startDate|endDate", run=None, never=("sourceName",)),
    activpal_events: truth("events/activity/symbols/none", "file", ask=True, never=("DataCount (samples)", "CumulativeStepCount"), run=None),
    samsung_heart: truth("activity", "folder/file", ask=True, time="com.samsung.health.heart_rate.start_time|com.samsung.health.heart_rate.create_time", value="com.samsung.health.heart_rate.heart_rate"),
    whoop_cycles: truth("activity/events/none", "User ID", run=None),
    xiaomi_sport: truth("activity", "Uid", time="Time", value="Value", never=("UpdateTime", "Sid")),
    google_takeout: truth("activity", "folder", ask=True, time="timestamp", value="beats per minute"),
    fitbit_steps_json: truth("activity", "folder/file", ask=True, time="dateTime", value="value"),
    polar_minutes: truth("symbols/activity", "file", ask=True, value="HR (bpm)|Speed (km/h)|Cadence", never=("Sample rate",)),
    oura_json: truth("activity/none/events/symbols", "file", ask=True, never=("id",), run=None),
    axivity_epochs_gz: truth("activity", "file", ask=True, time="time", value="enmoTrunc", never=("dataErrors", "samples", "temp")),
    temperature_logger: truth("activity", "file", ask=True, time="Date/Time", value="Value"),
    smart_home: truth("events", "resident", time="date", state="sensor_location"),
    ohio_xml_as_csv: truth("activity/symbols", "file", ask=True, value="cbg", never=("missing_cbg",), run=None),
    spanish_glucose: truth("activity", "Nº paciente", time="Fecha y hora", value="Glucosa (mg/dL)"),
    japanese_glucose: truth("activity", "患者ID", time="測定日時", value="血糖値(mg/dL)"),
    glooko_zip: truth("activity", "folder/file", ask=True, time="Timestamp", value="CGM Glucose Value (mmol/l)"),
    fingersticks: truth("events/activity", "SubjectID", time="Date", run=None),
    amsterdam_list: truth("events", "admissionid", ask=True, time="measuredat|registeredat", state="item|itemid", never=("registeredby", "unit")),
    hirid_observations: truth("events/activity/symbols", "patientid", time="datetime", state="variableid"),
    pcornet_folder: truth("none", run=False),
    pcornet_dispensing: truth("events", "PATID", time="DISPENSE_DATE", state="NDC", never=("DISPENSINGID",)),
    synthea_medications: truth("events", "PATIENT", time="START", state="CODE|DESCRIPTION", never=("PAYER", "ENCOUNTER")),
    fhir_ndjson: truth("events", ask=False, layout="fhir"),
    bundle_per_patient: truth("events", ask=False, layout="fhir"),
    redcap_repeating: truth("events", "record_id", ask=True, time="ae_date", state="ae_term", never=("redcap_event_name", "redcap_repeat_instrument")),
    redcap_dictionary: truth("none", run=False),
    sdtm_vitals: truth("events", "USUBJID", time="VSDTC|VSDY", state="VSTESTCD|VSTEST|VISIT", never=("VSSEQ", "STUDYID")),
    sdtm_adverse: truth("events", "USUBJID", time="AESTDTC", state="AEDECOD|AETERM", never=("AESEQ",)),
    german_labs: truth("events", "Pat-ID", time="Abnahmedatum", state="Parameter", never=("Fall", "Einheit")),
    french_labs_wide: truth("events/none/activity", "IPP", run=None),
    spanish_emergency: truth("events", "NHC", time="Fecha", clock="Hora", state="Estado|Ubicación", never=("Episodio",)),
    italian_transfers: truth("events", "Codice paziente", time="Data ingresso|Data uscita", state="Reparto", never=("Posto letto",)),
    dutch_pathway: truth("events", "Patiëntnummer", time="Uitvoerdatum", state="Activiteit", never=("Tarief",)),
    portuguese_visits: truth("events", "cod_utente", time="dt_atendimento", state="cid10|procedimento", never=("municipio",)),
    fixed_width: truth("events", "PATNO", time="ADMDATE", state="DRG|WARD"),
    utf16_wards: truth("events", "Patienten-ID", time="Aufnahme|Entlassung", state="Station"),
    emergency_xes: truth("events", "case", ask=True),
    ocel_json: truth("events/none", "", run=False),
    sqlite_ward: truth("events", "patient_id", time="moved_at", state="ward"),
    icu_psv: truth("activity/symbols", "file", ask=True, never=("Age", "Gender", "HospAdmTime", "SepsisLabel", "Unit1"), run=None),
    cancer_registry: truth("events", "PatientPseudonym", time="Datum", state="Ereignis", never=("TumorID",)),
    vaccination: truth("events", "nhs_number_pseudo", time="vaccination_date", state="vaccine", never=("dose", "site")),
    operation_times: truth("none/events", "case_no", run=None),
    claims_carrier: truth("events", "BENE_ID", time="CLM_FROM_DT|CLM_THRU_DT", state="PRNCPAL_DGNS_CD|HCPCS_CD", never=("CLM_ID",)),
    edf_annotations: truth("symbols/events/activity", "file", ask=True, run=None),
    hypnogram_lines: truth("symbols", "file", ask=True),
    beats_table: truth("symbols/events", "subject", value="rr_ms|label", never=("beat",)),
    spirometry_curves: truth("symbols", "participant", value="volume_l|flow_ls", never=("sample",)),
    gait_files: truth("symbols", "file", ask=True),
    ema_wide_long: truth("events/activity/symbols", "PID", never=("Day", "Prompt"), run=None),
    womac_wide: truth("series", "Patient-Nr", never=("Gruppe",)),
    growth_wide: truth("series", "childid", never=("sex",)),
    hourly_pressure: truth("series", "ABPM_ID"),
    notes_folders: truth("text", "folder", ask=True),
    notes_cp1252: truth("text", "Patient", text="Freitext"),
    chat_jsonl: truth("text", "client_id", text="utterance"),
    snp_matrix: truth("none", run=False),
    image_metadata: truth("none", run=False),
    price_list: truth("none", run=False),
    stock_inventory: truth("none", run=False),
    german_patients: truth("none", run=False),
    air_quality: truth("none", run=False),
    staff_roster: truth("none", run=False),
    mixed_project: truth("none", run=False),
}
"""Source → what it is."""
