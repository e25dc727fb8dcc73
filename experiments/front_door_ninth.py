# ruff: noqa: E501
# fmt: off
"""A ninth held-out section: shapes of makers, hospitals and laboratories, written before any of it was run
and before its author had read the recognisers.

Every name and number is made up. `NINTH` says what `inspect` should find.
"""

import datetime as dt
import gzip
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq

from experiments.front_door_third import walk
from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)
EPOCH = dt.datetime(1970, 1, 1)


def since(t):
    return int((t - EPOCH).total_seconds())


# watches and sensors


def intensities_wide(to):
    rows = [["Id", "ActivityHour", *(f"Intensity{m:02d}" for m in range(60))]]
    for p in range(12):
        rng = random.Random(p)
        for h in range(72):
            t = D0 + h * HOUR
            rows.append([1503960366 + 7919 * p, f"{t.month}/{t.day}/{t.year} {t.strftime('%I').lstrip('0')}:00:00 {t.strftime('%p')}", *(min(3, moved(rng, h % 24) // 300) for _ in range(60))])
    return table(to / "minuteIntensitiesWide_merged.csv", rows)


def takeout_steps(to):
    for p in range(12):
        rng = random.Random(p)
        start = days(p, rng).replace(hour=0, minute=0)
        for d in range(3):
            rows = [["timestamp", "steps", "data source"]]
            rows += [[stamp(start + d * DAY + m * MINUTE, "%Y-%m-%dT%H:%M:%SZ"), moved(rng, m // 60) // 10, "Charge 5"] for m in range(1440)]
            table(to / "takeout" / f"u{p:02d}" / "Physical Activity" / f"steps_{stamp(start + d * DAY, '%Y-%m-%d')}.csv", rows)
    return "takeout"


def garmin_epoch_rows(to):
    rows = [["participantId", "summaryId", "activityType", "durationInSeconds", "activeTimeInSeconds", "startTimeInSeconds", "startTimeOffsetInSeconds", "steps", "distanceInMeters", "met", "intensity"]]
    for p in range(14):
        rng = random.Random(p)
        t = days(p, rng).replace(hour=0, minute=0)
        for i in range(4 * 96):
            at = t + 15 * i * MINUTE
            steps = moved(rng, at.hour)
            rows.append([f"st-{p:03d}", f"x{p:03x}-{i:04x}-6", "WALKING" if steps > 150 else "SEDENTARY", 900, 900 if steps else 0, since(at), 7200, steps, f"{steps * 0.7:.2f}", f"{1 + steps / 300:.2f}", "ACTIVE" if steps > 300 else "SEDENTARY"])
    return table(to / "epochs.csv", rows)


def embrace_skin(to):
    for p in range(10):
        rng = random.Random(p)
        start, t = 1000 * since(days(p, rng)), 32.0
        rows = [["timestamp", "temp"]]
        for i in range(3600):
            t += rng.gauss(0, 0.02)
            rows.append([start + 1000 * i, f"{t:.3f}"])
        table(to / "embrace" / f"E{p:02d}_temp.csv", rows)
    return "embrace"


def withings_pulses(to):
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["start", "duration", "value"]]
        rows += [[stamp(t + 10 * i * MINUTE, "%Y-%m-%dT%H:%M:%S+02:00"), "[60]", f"[{rng.randint(52, 110)}]"] for i in range(432)]
        table(to / "withings" / f"user_{p}" / "raw_hr_hr.csv", rows)
    return "withings"


def oura_pulse_lines(to):
    with (to / "heartrate.jsonl").open("w", encoding="utf-8") as file:
        for p in range(12):
            rng = random.Random(p)
            t = days(p, rng)
            for i in range(4 * 288):
                file.write(json.dumps({"participant": f"OR-{p:03d}", "timestamp": stamp(t + 5 * i * MINUTE, "%Y-%m-%dT%H:%M:%S+00:00"), "bpm": rng.randint(45, 120), "source": "sleep" if i % 288 < 90 else "awake"}) + "\n")
    return "heartrate.jsonl"


def sensewear(to):
    for p in range(10):
        rng = random.Random(p)
        t = days(p, rng).replace(hour=0, minute=0)
        rows = [["Time", "Transverse accel - average", "Heat flux - average", "Skin temp - average", "GSR - average", "METs", "Sleep"]]
        rows += [[stamp(t + i * MINUTE, "%d.%m.%Y %H:%M"), f"{rng.gauss(0, 0.3):.3f}".replace(".", ","), f"{rng.uniform(30, 90):.2f}".replace(".", ","), f"{rng.uniform(30, 34):.2f}".replace(".", ","), f"{rng.random():.4f}".replace(".", ","), f"{1 + moved(rng, i // 60 % 24) / 250:.2f}".replace(".", ","), int(i % 1440 < 420)] for i in range(3 * 1440)]
        table(to / "armband" / f"Teilnehmer {p + 1}.csv", rows, by=";", encoding="cp1252")
    return "armband"


def apple_each_type(to):
    head = ["sourceName", "sourceVersion", "device", "type", "unit", "creationDate", "startDate", "endDate", "value"]
    for p in range(8):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [head]
        for _ in range(500):
            t += rng.randint(4, 9) * MINUTE
            rows.append(["Apple Watch", "9.1", "<<HKDevice: 0x1>, name:Apple Watch>", "HKQuantityTypeIdentifierHeartRate", "count/min", stamp(t, "%Y-%m-%d %H:%M:%S +0200"), stamp(t, "%Y-%m-%d %H:%M:%S +0200"), stamp(t, "%Y-%m-%d %H:%M:%S +0200"), rng.randint(48, 140)])
        table(to / "apple" / f"participant_{p + 1}" / "HeartRate.csv", rows)
    return "apple"


def actigraph_seconds(to):
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng).replace(hour=9, minute=0)
        rows = [["Date", "Time", "Axis1", "Axis2", "Axis3", "Steps", "Lux", "Inclinometer Off", "Inclinometer Standing", "Inclinometer Sitting", "Inclinometer Lying", "Vector Magnitude"]]
        for i in range(2 * 1440):
            at, n = t + i * MINUTE, moved(rng, (9 + i // 60) % 24)
            rows.append([stamp(at, "%d/%m/%Y"), stamp(at, "%H:%M:%S"), n, n // 2, n // 3, n // 60, rng.randint(0, 400), 0, 0, 60, 0, f"{n * 1.17:.2f}"])
        before = ["------------ Data Table File Created By ActiGraph wGT3X-BT ActiLife v6.13.4 Firmware v1.9.2 date format dd/MM/yyyy Filter Normal -----------", f"Serial Number: MOS2D{p:08d}", "Start Time 09:00:00", f"Start Date {stamp(t, '%d/%m/%Y')}", "Epoch Period (hh:mm:ss) 00:01:00", "Download Time 10:11:12", "Download Date 30/05/2022", "Current Memory Address: 0", "Current Battery Voltage: 4.11     Mode = 12", "--------------------------------------------------"]
        table(to / "wgt3x" / f"{p + 11}_week1 ({stamp(t, '%Y-%m-%d')})60sec.csv", rows, before=before)
    return "wgt3x"


def activpal_bouts(to):
    rows = [["subject", "Time(approx)", "Data Count", "Event Type", "Duration (s)", "Cumulative Steps", "MET.h"]]
    for p in range(15):
        rng = random.Random(p)
        t, steps, count = days(p, rng), 0, 0
        end = t + 3 * DAY
        while t < end:
            kind, length = rng.choice([("Sedentary", rng.randint(60, 5000)), ("Standing", rng.randint(5, 400)), ("Stepping", rng.randint(5, 250))])
            steps += length if kind == "Stepping" else 0
            rows.append([f"AP{p:03d}", stamp(t), count, kind, length, steps, f"{length / 2900:.5f}"])
            t, count = t + length * SECOND, count + 20 * length
    return table(to / "events.csv", rows)


def pressure_monitor(to):
    for p in range(12):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["#", "Datum", "Zeit", "SYS", "DIA", "MAD", "HF", "Code"]]
        for i in range(60):
            rows.append([i + 1, stamp(t, "%d.%m.%Y"), stamp(t, "%H:%M"), rng.randint(100, 165), rng.randint(55, 100), rng.randint(70, 120), rng.randint(50, 100), ""])
            t += (20 if 7 <= t.hour < 22 else 40) * MINUTE
        table(to / "langzeit" / f"messung{p + 1:03d}.csv", rows, by=";", encoding="latin-1", before=["Langzeit-Blutdruck;Auswertung", "Gerät;90217A", ""])
    return "langzeit"


def polar_day_pulse(to):
    rows = [["user-id", "date", "sample-time", "heart-rate"]]
    for p in range(11):
        rng = random.Random(p)
        t = days(p, rng).replace(hour=0, minute=0)
        for i in range(3 * 288):
            at = t + 5 * i * MINUTE
            rows.append([58200000 + 31 * p, stamp(at, "%Y-%m-%d"), stamp(at, "%H:%M:%S"), rng.randint(46, 131)])
    return table(to / "continuous-heart-rate.csv", rows)


# sugar


def french_sensor(to):
    for p in range(9):
        rng = random.Random(p)
        t, level = days(p, rng), rng.randint(100, 170)
        rows = [["Appareil", "Numéro de série", "Horodatage de l'appareil", "Type d'enregistrement", "Historique de la glycémie mmol/L", "Numérisation de la glycémie mmol/L", "Glucides (grammes)"]]
        for i in range(5 * 96):
            g = f"{sugar(rng, 15 * i, level) / 18:.1f}".replace(".", ",")
            rows.append(["FreeStyle LibreLink", f"A1B2-{p:04d}", stamp(t + 15 * i * MINUTE, "%d-%m-%Y %H:%M"), 0, g, "", ""])
            if i % 17 == 3:
                rows.append(["FreeStyle LibreLink", f"A1B2-{p:04d}", stamp(t + (15 * i + 4) * MINUTE, "%d-%m-%Y %H:%M"), 1, "", g, ""])
        table(to / "capteurs" / f"P{p + 1:02d}.csv", rows, before=[f'Données du glucose,Généré le,02-06-2022 10:00 UTC,Généré par,Quelqu\'un {p}'])
    return "capteurs"


def sensor_api_lines(to):
    with (to / "egvs.ndjson").open("w", encoding="utf-8") as file:
        for p in range(10):
            rng = random.Random(p)
            t, level = days(p, rng), rng.randint(110, 180)
            for i in range(4 * 288):
                at = t + 5 * i * MINUTE
                file.write(json.dumps({"recordId": f"{p:04x}-{i:06x}", "userId": f"c{p:03d}", "systemTime": stamp(at + 6 * HOUR, "%Y-%m-%dT%H:%M:%SZ"), "displayTime": stamp(at, "%Y-%m-%dT%H:%M:%S"), "transmitterTicks": 5000 + 300 * i, "value": sugar(rng, 5 * i, level), "trend": "flat", "unit": "mg/dL"}) + "\n")
    return "egvs.ndjson"


def eversense(to):
    for p in range(8):
        rng = random.Random(p)
        t, level = days(p, rng), rng.randint(100, 170)
        rows = [["Glucose", "Unit", "Event Time", "Transmitter ID", "Sensor ID"]]
        rows += [[sugar(rng, 5 * i, level), "mg/dL", stamp(t + 5 * i * MINUTE, "%m/%d/%Y %I:%M:%S %p"), f"TX{p:05d}", f"S{p:05d}"] for i in range(4 * 288)]
        table(to / "eversense" / f"subject-{p + 1:02d}.csv", rows)
    return "eversense"


def tolerance_test(to):
    rows = [["probandid", "gruppe", "alter", *(f"glukose_{m}min" for m in (0, 15, 30, 60, 90, 120, 180))]]
    for p in range(70):
        rng = random.Random(p)
        rows.append([f"TT{p:03d}", "AB"[p % 2], rng.randint(20, 75), *(round(90 + 60 * (m / 60) * 2.7 ** (1 - m / 60) + rng.gauss(0, 12)) for m in (0, 15, 30, 60, 90, 120, 180))])
    return table(to / "ogtt.csv", rows, by=";")


# intensive care and monitors


def monitor_numerics_each(to):
    names = ["NOM_ECG_CARD_BEAT_RATE", "NOM_PULS_OXIM_SAT_O2", "NOM_RESP_RATE", "NOM_PRESS_BLD_ART_ABP_SYS", "NOM_PRESS_BLD_ART_ABP_DIA"]
    for p in range(9):
        rng = random.Random(p)
        t = days(p, rng)
        rows = [["Time", "RelativeTime", "SystemLocalTime", *names]]
        for i in range(1440):
            at = t + i * MINUTE
            rows.append([stamp(at, "%d-%m-%Y %H:%M:%S.000"), 480000 * i, stamp(at, "%d-%m-%Y %H:%M:%S.120"), rng.randint(60, 120), rng.randint(89, 100), rng.randint(10, 28), rng.randint(90, 160), rng.randint(45, 90)])
        table(to / "monitor" / f"bed{p + 1}DataExport.csv", rows)
    return "monitor"


def trend_table(to):
    rows = [["Stay", "Date", "Time", "HR (/min)", "SpO2 (%)", "NIBP-S (mmHg)", "NIBP-D (mmHg)", "Temp (C)"]]
    for p in range(14):
        rng = random.Random(p)
        t = days(p, rng)
        for i in range(288):
            at = t + 10 * i * MINUTE
            full = i % 6 == 0
            rows.append([7100 + p, stamp(at, "%d-%b-%Y"), stamp(at, "%H:%M:%S"), rng.randint(55, 125), rng.randint(88, 100), rng.randint(90, 170) if full else "", rng.randint(45, 95) if full else "", f"{rng.gauss(37, 0.4):.1f}" if full else ""])
    return table(to / "trends.csv", rows)


def administrations(to):
    rows = [["subject_id", "hadm_id", "emar_id", "emar_seq", "poe_id", "pharmacy_id", "charttime", "medication", "event_txt", "scheduletime", "storetime"]]
    for p in range(60):
        rng, times = walk(p, 20, 700)
        for n, t in enumerate(times):
            rows.append([10000032 + 17 * p, 22000000 + p, f"{10000032 + 17 * p}-{n}", n, f"{10000032 + 17 * p}-{n + 40}", 48770000 + len(rows), stamp(t), rng.choice(["Heparin", "Furosemide", "Acetaminophen", "Insulin", "Metoprolol"]), rng.choice(["Administered", "Not Given", "Flushed"]), stamp(t), stamp(t + MINUTE)])
    return table(to / "emar.csv", rows)


def procedure_spans(to):
    rows = [["subject_id", "hadm_id", "stay_id", "caregiver_id", "starttime", "endtime", "storetime", "itemid", "value", "valueuom", "location", "orderid", "ordercategoryname", "statusdescription"]]
    for p in range(70):
        rng, times = walk(p, 7, 1500)
        rows += [[10003700 + 11 * p, 28600000 + p, 37500000 + p, rng.randint(1000, 1400), stamp(t), stamp(t + 25 * MINUTE), stamp(t + HOUR), rng.choice([225459, 224275, 225792, 225752, 221214]), rng.randint(1, 900), "min", rng.choice(["", "Left Arm"]), 1000000 + len(rows), rng.choice(["Imaging", "Ventilation", "Invasive Lines"]), "FinishedRunning"] for t in times]
    return table(to / "procedureevents.csv", rows)


def unit_drugs(to):
    rows = [["medicationid", "patientunitstayid", "drugorderoffset", "drugstartoffset", "drugivadmixture", "drugordercancelled", "drugname", "dosage", "routeadmin", "frequency", "drugstopoffset"]]
    for p in range(60):
        rng = random.Random(p)
        at = rng.randint(-300, 100)
        for _ in range(12):
            at += rng.randint(10, 900)
            rows.append([7426715 + 3 * len(rows), 141168 + 29 * p, at, at + 15, "No", "No", rng.choice(["WARFARIN 5 MG", "ASPIRIN EC", "NACL 0.9%", "METOPROLOL", "INSULIN"]), rng.choice(["1", "5 mg", "40"]), rng.choice(["PO", "IV"]), "Q6H", at + rng.randint(60, 4000)])
    return table(to / "medication.csv", rows)


def pharma_records(to):
    rows = [["patientid", "pharmaid", "givenat", "enteredentryat", "givendose", "cumulativedose", "doseunit", "recordstatus", "infusionid", "typeid", "route"]]
    for p in range(45):
        rng, times = walk(p, 30, 300)
        rows += [[1 + 3 * p, rng.choice([1000462, 251, 1000656, 176, 1000750]), stamp(t), stamp(t + 2 * MINUTE, "%Y-%m-%d %H:%M:%S.000"), f"{rng.random() * 20:.3f}", f"{rng.random() * 200:.3f}", "mg", 544, 9000000 + len(rows), 8, rng.choice(["iv-inf", "oral"])] for t in times]
    return table(to / "pharma_records.csv", rows)


def drug_items(to):
    rows = [["admissionid", "orderid", "ordercategory", "itemid", "item", "rate", "rateunit", "start", "stop", "duration", "administered", "administeredunit", "action"]]
    for p in range(50):
        rng = random.Random(p)
        at = 0
        for _ in range(15):
            at += rng.randint(600, 20000) * 1000
            rows.append([19 + 7 * p, 40000 + len(rows), "Infuus - Crystalloid", rng.choice([7291, 9424, 7179, 6943]), rng.choice(["NaCl 0,45%/Glucose 2,5%", "NaCl 0,9 %", "Noradrenaline", "Propofol"]), rng.randint(1, 90), "ml/uur", at, at + 3600000, 60, rng.randint(1, 90), "ml", "Infuus"])
    return table(to / "drugitems.csv", rows, encoding="latin-1")


# hospital reports


def order_med(to):
    rows = [["ORDER_MED_ID", "PAT_ID", "PAT_ENC_CSN_ID", "ORDERING_DATE", "ORDER_CLASS_C", "MEDICATION_ID", "DESCRIPTION", "QUANTITY", "REFILLS", "AUTHRZING_PROV_ID"]]
    for p in range(90):
        rng, times = walk(p, 6, 90000)
        rows += [[880000000 + 3 * len(rows), f"Z{100000 + 37 * p}", 400000000 + len(rows), f"{t.month}/{t.day}/{t.year} 12:00:00 AM", rng.choice([1, 3, 45]), rng.choice([10493, 11100, 2364, 5500]), rng.choice(["LISINOPRIL 10 MG TABLET", "METFORMIN 500 MG TABLET", "ATORVASTATIN 20 MG TABLET", "ALBUTEROL HFA INHALER"]), rng.choice([30, 90]), rng.randint(0, 3), f"E{rng.randint(1000, 1020)}"] for t in times]
    return table(to / "ORDER_MED.csv", rows)


def adt_events(to):
    rows = [["EVENT_ID", "EVENT_TYPE_C", "EVENT_TYPE", "PAT_ID", "PAT_ENC_CSN_ID", "EFFECTIVE_TIME", "DEPARTMENT_ID", "DEPARTMENT_NAME", "ROOM_ID", "BED_ID"]]
    for p in range(80):
        rng, times = walk(p, 6, 2500)
        for n, t in enumerate(times):
            code, kind = (1, "Admission") if n == 0 else (2, "Discharge") if n == 5 else (3, "Transfer In")
            ward = rng.choice(["ED", "MED SURG 4", "ICU 2", "PACU", "TELEMETRY"])
            rows.append([5500000 + len(rows), code, kind, f"Z{7000 + p}", 300000000 + p, stamp(t, "%m/%d/%Y %H:%M"), 1010 + len(ward), ward, f"R{rng.randint(1, 40)}", f"B{rng.randint(1, 90)}"])
    return table(to / "CLARITY_ADT.txt", rows, by="|")


def fab_table(to):
    rows = [["IK", "Entlassender-Standort", "KH-internes-Kennzeichen", "FAB", "FAB-Aufnahmedatum", "FAB-Entlassungsdatum", "Kennung-Intensivbett"]]
    for p in range(120):
        rng, times = walk(p, rngn := 3, 9000)
        rows += [["260530012", "772345000", f"{90000000 + 13 * p}", rng.choice(["HA0100", "HA1500", "HA2800", "BA2900"]), stamp(t, "%Y%m%d%H%M"), stamp(t + 2 * DAY, "%Y%m%d%H%M"), rng.choice("JN")] for t in times[:rngn]]
    return table(to / "FAB.csv", rows, by=";", encoding="latin-1", end="\r\n")


def core_data_set(to):
    rows = [["patient_id", "condition_id", "encounter_id", "icd10gm_code", "icd10gm_display", "recordedDate", "clinicalStatus", "diagnosesicherheit"]]
    for p in range(100):
        rng, times = walk(p, 5, 60000)
        for t in times:
            code, name = rng.choice([("I10.90", "Essentielle Hypertonie"), ("E11.90", "Diabetes mellitus, Typ 2"), ("J44.99", "COPD"), ("N18.3", "Chronische Nierenkrankheit"), ("F32.1", "Mittelgradige depressive Episode")])
            rows.append([f"Patient/{5000 + p}", f"Condition/{len(rows):06d}", f"Encounter/{len(rows) // 2}", code, name, stamp(t, "%Y-%m-%dT%H:%M:%S+01:00"), "active", "G"])
    return table(to / "diagnosen.csv", rows, by=";")


def lab_book(to):
    rows = [["Auftragsnummer", "PatientenID", "Geburtsdatum", "Entnahmedatum", "Eingang", "Material", "Analyt", "Kürzel", "Ergebnis", "Einheit", "Referenzbereich", "Flag"]]
    tests = [("Kreatinin", "KREA", "mg/dl", "0,7-1,2"), ("Kalium", "K", "mmol/l", "3,5-5,1"), ("C-reaktives Protein", "CRP", "mg/l", "<5,0"), ("Hämoglobin", "HB", "g/dl", "12,0-16,0"), ("TSH basal", "TSH", "mU/l", "0,4-4,0")]
    for p in range(70):
        rng, times = walk(p, 3, 30000)
        for t in times:
            order = f"L{22000000 + len(rows)}"
            for name, short, unit, span in rng.sample(tests, 4):
                value = rng.choice(["<0,5", f"{rng.random() * 9:.1f}".replace(".", ",")])
                rows.append([order, f"{440000 + 7 * p}", f"0{p % 9 + 1}.0{p % 7 + 1}.19{40 + p % 50}", stamp(t, "%d.%m.%Y %H:%M"), stamp(t + HOUR, "%d.%m.%Y %H:%M"), "Serum", name, short, value, unit, span, rng.choice(["", "+", "-"])])
    return table(to / "laborwerte.csv", rows, by=";", encoding="latin-1")


def practice_codes(to):
    def uuid(r):
        return f"{r.getrandbits(32):08X}-{r.getrandbits(16):04X}-4{r.getrandbits(12):03X}-A{r.getrandbits(12):03X}-{r.getrandbits(48):012X}"
    rows = [["ObservationGuid", "PatientGuid", "OrganisationGuid", "EffectiveDate", "EffectiveDatePrecision", "EnteredDate", "CodeId", "Value", "NumericUnit", "ObservationType", "Deleted"]]
    place = uuid(random.Random(9999))
    for p in range(80):
        rng, times = walk(p, 9, 60000)
        who = uuid(rng)
        rows += [[uuid(rng), who, place, stamp(t, "%Y-%m-%d"), "YMD", stamp(t + DAY, "%Y-%m-%d"), rng.choice([253733011, 254072015, 457211000006116, 99954012]), rng.choice(["", "128", "72"]), "", rng.choice(["Observation", "Value", "Referral"]), "false"] for t in times]
    return table(to / "CareRecord_Observation.csv", rows)


def drug_issues(to):
    rows = [["patid", "issueid", "pracid", "probobsid", "issuedate", "enterdate", "prodcodeid", "dosageid", "quantity", "quantunitid", "duration"]]
    for p in range(90):
        rng, times = walk(p, 7, 50000)
        rows += [[f"{1000021 + 20021 * p}", 50000000 + 3 * len(rows), 20021, "", stamp(t, "%d/%m/%Y"), stamp(t, "%d/%m/%Y"), rng.choice([1083841000033117, 514741000033110, 3041000033114]), "b8e0", rng.choice([28, 56]), 3, 28] for t in times]
    return table(to / "Aurum_DrugIssue_001.txt", rows, by="\t")


def sas_datetimes(to):
    rows = [["BEN_IDT_ANO", "EXE_SOI_DTD", "EXE_SOI_DTF", "PRS_NAT_REF", "PSP_SPE_COD", "BSE_PRS_NAT", "PRS_PAI_MNT"]]
    for p in range(80):
        rng, times = walk(p, 7, 40000)
        rows += [[f"QX{p:015d}", stamp(t, "%d%b%Y:00:00:00").upper(), stamp(t, "%d%b%Y:00:00:00").upper(), rng.choice([1111, 3313, 1352, 9421]), rng.choice([1, 24, 50]), rng.choice([1111, 3313]), f"{rng.uniform(5, 90):.2f}"] for t in times]
    return table(to / "er_prs_f.csv", rows, by=";")


def taiwan_visits(to):
    rows = [["FEE_YM", "APPL_TYPE", "HOSP_ID", "SEQ_NO", "ID", "ID_BIRTHDAY", "FUNC_DATE", "FUNC_TYPE", "ICD9CM_1", "ICD9CM_2", "DRUG_DAY", "T_AMT"]]
    for p in range(90):
        rng, times = walk(p, 7, 40000)
        rows += [[stamp(t, "%Y%m"), 1, f"h{rng.randint(1, 60):04d}", len(rows), f"a{p:08x}", f"19{40 + p % 50}0101", stamp(t, "%Y%m%d"), rng.choice(["01", "05", "22"]), rng.choice(["460", "4011", "25000", "7840"]), rng.choice(["", "2724"]), rng.choice([0, 3, 28]), rng.randint(200, 3000)] for t in times]
    return table(to / "CD2008.csv", rows)


def miner_export(to):
    rows = [["_CASE_KEY", "ACTIVITY_EN", "EVENTTIME", "_SORTING", "USER_NAME", "USER_TYPE"]]
    for p in range(90):
        rng, times = walk(p, 7, 3000)
        rows += [[f"8000000{p:05d}", rng.choice(["Register Referral", "Book Appointment", "Cancel Appointment", "See Patient", "Write Letter"]), stamp(t, "%Y-%m-%d %H:%M:%S.000"), 10 * (n + 1), rng.choice(["DMILLER", "AKAYA", "RPATEL"]), rng.choice(["A", "B"])] for n, t in enumerate(times)]
    return table(to / "_CEL_ACTIVITIES.csv", rows, by=";")


def home_visits(to):
    rows = [["Visit ID", "Client", "Caregiver", "Scheduled Start", "Actual Start", "Actual End", "Service", "Minutes"]]
    for p in range(50):
        rng, times = walk(p, 12, 2500)
        rows += [[f"V{len(rows):06d}", f"C-{1000 + p}", rng.choice(["Anna K.", "Ben O.", "Cem T."]), stamp(t, "%m/%d/%Y %H:%M"), stamp(t + 7 * MINUTE, "%m/%d/%Y %H:%M"), stamp(t + 45 * MINUTE, "%m/%d/%Y %H:%M"), rng.choice(["Bathing", "Medication", "Wound care", "Meals"]), 38] for t in times]
    return table(to / "visits.csv", rows)


def meds_table(to):
    columns = {"subject_id": [], "time": [], "code": [], "numeric_value": []}
    for p in range(60):
        rng, times = walk(p, 15, 20000)
        for t in times:
            columns["subject_id"].append(p + 1)
            columns["time"].append(t)
            columns["code"].append(rng.choice(["ICD10CM//I10", "LOINC//2160-0", "RxNorm//1191", "HOSPITAL_ADMISSION", "LOINC//718-7"]))
            columns["numeric_value"].append(rng.random())
    folder = to / "meds" / "data" / "train"
    folder.mkdir(parents=True)
    pq.write_table(pa.table(columns, schema=pa.schema([("subject_id", pa.int64()), ("time", pa.timestamp("us")), ("code", pa.string()), ("numeric_value", pa.float32())])), folder / "0.parquet")
    return "meds"


def breathing_events(to):
    for p in range(14):
        rng, times = walk(p, 80, 20)
        rows = [["DateTime", "Session", "Event", "Data/Duration"]]
        rows += [[stamp(t, "%Y-%m-%dT%H:%M:%S"), 1650000 + p, rng.choice(["ClearAirway", "Obstructive", "Hypopnea", "RERA", "LargeLeak"]), f"{rng.randint(10, 45)}"] for t in times]
        table(to / "oscar" / f"P{p + 1:02d}_Details_2022.csv", rows)
    return "oscar"


def scored_night(to):
    for p in range(12):
        rng, times = walk(p, 60, 40)
        rows = [["Start Time", "End Time", "Duration [s]", "Event", "Location"]]
        rows += [[stamp(t, "%d.%m.%Y %H:%M:%S"), stamp(t + 20 * SECOND, "%d.%m.%Y %H:%M:%S"), 20, rng.choice(["Apnea-Obstructive", "Hypopnea", "Arousal", "Desat", "Snore Train"]), rng.choice(["Flow", "SpO2", "EEG"])] for t in times]
        table(to / "nox" / f"rec_{p + 1}" / "events.csv", rows)
    return "nox"


def drugs_of_trial(to):
    rows = [["STUDYID", "DOMAIN", "USUBJID", "EXSEQ", "EXTRT", "EXDOSE", "EXDOSU", "EPOCH", "EXSTDTC", "EXENDTC", "EXSTDY"]]
    for p in range(60):
        rng, times = walk(p, 6, 20000)
        rows += [["CX-01", "EX", f"CX-01-{700 + p}", n + 1, rng.choice(["PLACEBO", "XANOMELINE", "XANOMELINE HIGH"]), rng.choice([0, 54, 81]), "mg", "TREATMENT", stamp(t, "%Y-%m-%d"), stamp(t + 9 * DAY, "%Y-%m-%d"), 1 + 14 * n] for n, t in enumerate(times)]
    return table(to / "ex.csv", rows)


# series


def weights_weekly(to):
    rows = [["Probanden-Nr.", "Geschl.", "Größe (cm)", *(f"Gewicht Woche {w}" for w in range(1, 13))]]
    for p in range(60):
        rng = random.Random(p)
        w = rng.uniform(55, 120)
        rows.append([f"W{p:03d}", rng.choice("mw"), rng.randint(150, 195), *(f"{w + rng.gauss(0, 1) - i / 3:.1f}".replace(".", ",") for i in range(12))])
    return table(to / "gewicht.csv", rows, by=";", encoding="cp1252")


def steps_by_date(to):
    names = [stamp(D0 + d * DAY, "%Y-%m-%d") for d in range(14)]
    rows = [["participant_id", *names]]
    for p in range(70):
        rng = random.Random(p)
        rows.append([f"SP-{p:03d}", *(rng.randint(800, 16000) for _ in names)])
    return table(to / "daily_steps.csv", rows)


def weekly_mood(to):
    rows = [["Teilnehmer", "Woche", "PHQ9_Summe"]]
    for p in range(60):
        rng = random.Random(p)
        rows += [[f"T{p:03d}", w, max(0, min(27, round(rng.gauss(12 - w / 2, 3))))] for w in range(1, 11)]
    return table(to / "verlauf.csv", rows, by=";")


def lung_function(to):
    rows = [["ID", "Sex", "Age", *(f"FEV1_V{v}" for v in range(1, 9))]]
    for p in range(80):
        rng = random.Random(p)
        f = rng.uniform(1.5, 4.5)
        rows.append([3000 + p, rng.choice("MF"), rng.randint(18, 80), *("" if rng.random() < 0.03 else f"{f + rng.gauss(0, 0.15):.2f}" for _ in range(8))])
    return table(to / "fev.csv", rows)


# signals


def skin_conductance(to):
    for p in range(9):
        rng = random.Random(p)
        start, level = 1000 * since(days(p, rng)), rng.uniform(0.5, 4)
        rows = [["timestamp_ms", "eda_uS"]]
        for i in range(4 * 60 * 20):
            level = max(0.05, level + rng.gauss(0, 0.01))
            rows.append([start + 250 * i, f"{level:.5f}"])
        table(to / "eda" / f"sub{p + 1:02d}_eda.csv", rows)
    return "eda"


def staged_epochs(to):
    for p in range(11):
        rng = random.Random(p)
        t, now = D0 + 22 * HOUR + rng.randint(0, 90) * MINUTE, "W"
        rows = [["Epoch", "Clock", "Stage"]]
        for i in range(900):
            now = rng.choice(["W", "N1", "N2", "N2", "N3", "REM"]) if rng.random() < 0.06 else now
            rows.append([i + 1, stamp(t + 30 * i * SECOND, "%H:%M:%S"), now])
        table(to / "psg" / f"night_{p + 101}.csv", rows)
    return "psg"


def gaze(to):
    rows = [["Participant name", "Recording name", "Recording timestamp [ms]", "Gaze point X", "Gaze point Y", "Pupil diameter left", "Eye movement type"]]
    for p in range(10):
        rng = random.Random(p)
        x, y = 960.0, 540.0
        for i in range(1500):
            x, y = x + rng.gauss(0, 8), y + rng.gauss(0, 6)
            rows.append([f"P{p + 1:02d}", f"Recording{p + 1}", 8 * i, f"{x:.0f}", f"{y:.0f}", f"{rng.gauss(3.1, 0.1):.2f}", rng.choice(["Fixation", "Fixation", "Saccade"])])
    return table(to / "tobii.tsv", rows, by="\t")


def task_events(to):
    for p in range(12):
        rng = random.Random(p)
        at, rows = 3.0, [["onset", "duration", "trial_type", "response_time"]]
        for _ in range(120):
            at += rng.uniform(1.5, 4)
            rows.append([f"{at:.3f}", "0.500", rng.choice(["go", "stop", "target", "rest"]), f"{rng.uniform(0.2, 0.9):.3f}"])
        table(to / "bids" / f"sub-{p + 1:02d}" / "eeg" / f"sub-{p + 1:02d}_task-stop_events.tsv", rows, by="\t")
    return "bids"


# text


def shift_notes(to):
    with (to / "pflege.jsonl").open("w", encoding="utf-8") as file:
        for p in range(40):
            rng, times = walk(p, 5, 600)
            for t in times:
                file.write(json.dumps({"fall": f"F{9000 + p}", "zeitpunkt": stamp(t, "%Y-%m-%dT%H:%M"), "schicht": rng.choice(["Früh", "Spät", "Nacht"]), "bericht": " ".join(sentence(rng, 12) for _ in range(4))}, ensure_ascii=False) + "\n")
    return "pflege.jsonl"


def letters_each_patient(to):
    for p in range(25):
        rng = random.Random(p)
        for n in range(3):
            path = to / "briefe" / f"{40000 + 17 * p}" / f"arztbrief_{n + 1}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("Sehr geehrte Kolleginnen und Kollegen,\n\n" + "\n\n".join(sentence(rng, 45) for _ in range(4)) + "\n\nMit freundlichen Grüßen\n", encoding="cp1252")
    return "briefe"


def findings(to):
    rows = [["UntersuchungsNr", "PatNr", "Datum", "Modalität", "Fragestellung", "Befund", "Beurteilung"]]
    for p in range(60):
        rng, times = walk(p, 2, 50000)
        rows += [[f"U{len(rows):05d}", 31000 + p, stamp(t, "%d.%m.%Y"), rng.choice(["CT", "MRT", "RÖ"]), sentence(rng, 6), " ".join(sentence(rng, 18) for _ in range(4)), sentence(rng, 12)] for t in times]
    return table(to / "befunde.csv", rows, by=";", encoding="latin-1")


def radiology_gz(to):
    rows = [["note_id", "subject_id", "hadm_id", "note_type", "note_seq", "charttime", "storetime", "text"]]
    for p in range(50):
        rng, times = walk(p, 3, 30000)
        rows += [[f"{10000032 + 13 * p}-RR-{n}", 10000032 + 13 * p, 22000000 + p, "RR", n, stamp(t), stamp(t + HOUR), "EXAMINATION:  CHEST\n\nFINDINGS: \n" + "\n".join(sentence(rng, 20) for _ in range(4))] for n, t in enumerate(times)]
    plain = to / "radiology.csv"
    table(plain, rows)
    (to / "radiology.csv.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    plain.unlink()
    return "radiology.csv.gz"


def therapy_sessions(to):
    for p in range(20):
        rng = random.Random(p)
        path = to / "sessions" / f"client{p + 1:02d}_session1.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(f"{'TC'[i % 2]}: {sentence(rng, rng.randint(5, 30))}" for i in range(60)) + "\n", encoding="utf-8")
    return "sessions"


def feedback(to):
    rows = [["Respondent ID", "Collector ID", "Start Date", "End Date", "Overall, how was your stay?", "What could we have done better?", "Ward"]]
    for p in range(120):
        rng = random.Random(p)
        t = days(p, rng)
        rows.append([f"1144{p:06d}", 400123, stamp(t, "%m/%d/%Y %I:%M:%S %p"), stamp(t + 6 * MINUTE, "%m/%d/%Y %I:%M:%S %p"), rng.choice(["Very good", "Good", "Poor"]), " ".join(sentence(rng, 14) for _ in range(rng.randint(1, 4))), rng.choice(["4A", "5B"])])
    return table(to / "feedback.csv", rows)


# none


def invoices(to):
    r = random.Random(1)
    rows = [["Invoice No", "Invoice Date", "Supplier", "Cost Centre", "Net", "VAT", "Gross", "Due Date", "Paid"]]
    for i in range(300):
        t, net = days(i, r), r.uniform(20, 9000)
        rows.append([f"RE-2022-{i:05d}", stamp(t, "%d/%m/%Y"), r.choice(["MedSupply Ltd", "Linen Co", "Gas Works"]), r.choice([4100, 4200, 5300]), f"{net:.2f}", f"{net * 0.2:.2f}", f"{net * 1.2:.2f}", stamp(t + 30 * DAY, "%d/%m/%Y"), r.choice("YN")])
    return table(to / "invoices.csv", rows)


def scanner_log(to):
    rows = [["Timestamp", "Host", "Severity", "Source", "MsgID", "Message"]]
    for i in range(900):
        r = random.Random(i)
        rows.append([stamp(D0 + 97 * i * SECOND), r.choice(["CT01", "CT02", "MR01"]), r.choice(["INFO", "WARN", "ERROR"]), r.choice(["TubeCtrl", "Gantry", "Recon"]), r.choice([231, 544, 910]), r.choice(["Tube temperature nominal", "Gantry rotation started", "Recon queue full"])])
    return table(to / "eventlog.csv", rows)


def transcripts_per_million(to):
    rows = [["gene_id", "gene_name", *(f"TPM.{c}{i}" for c in ("ctrl", "case") for i in range(1, 13))]]
    for g in range(400):
        r = random.Random(g)
        m = r.expovariate(0.1)
        rows.append([f"ENSG{g:011d}.{r.randint(1, 9)}", f"GENE{g}", *(f"{max(0, m + r.gauss(0, m / 3)):.3f}" for _ in range(24))])
    return table(to / "tpm.tsv", rows, by="\t")


def metabolites(to):
    names = ["Alanine", "Glycine", "Lactate", "Citrate", "Urea", "Creatinine", "Taurine", "Betaine", "Choline", "Valine", "Leucine"]
    rows = [["Sample", "Batch", "Class", *names]]
    for i in range(120):
        r = random.Random(i)
        rows.append([f"QC{i:03d}" if i % 10 == 0 else f"SMP{i:03d}", i // 40 + 1, r.choice(["case", "control"]), *(f"{r.lognormvariate(j, 0.4):.4f}" for j, _ in enumerate(names))])
    return table(to / "metabolomics.csv", rows)


def admissions_by_trust(to):
    names = [stamp(dt.datetime(2021 + (m + 3) // 12, (m + 3) % 12 + 1, 1), "%b-%y") for m in range(18)]
    rows = [["Org Code", "Org Name", "Region", *names]]
    for i in range(90):
        r = random.Random(i)
        n = r.randint(2000, 14000)
        rows.append([f"R{chr(65 + i % 26)}{i % 10}", f"Hospital Trust {i}", r.choice(["North", "South", "London"]), *(round(n + r.gauss(0, n / 12)) for _ in names)])
    return table(to / "monthly_admissions.csv", rows)


def plate_reader(to):
    wells = [f"{row}{c}" for row in "ABCDEFGH" for c in range(1, 13)]
    rows = [["Time [s]", "Temp. [°C]", *wells]]
    for i in range(97):
        r = random.Random(i)
        rows.append([900 * i, f"{37 + r.gauss(0, 0.05):.1f}", *(f"{0.08 + 1.1 / (1 + 2.7 ** (4 - i / 12)) + r.gauss(0, 0.01):.4f}" for _ in wells)])
    return table(to / "od600.csv", rows)


def drug_list_german(to):
    rows = [["PZN", "Handelsname", "Wirkstoff", "ATC-Code", "Darreichungsform", "Packungsgröße", "AVP (EUR)", "Festbetrag"]]
    for i in range(250):
        r = random.Random(i)
        rows.append([f"{1000007 + 31 * i:08d}", f"Mittel {i} AL {r.choice([10, 20, 50])} mg", r.choice(["Ramipril", "Ibuprofen", "Metformin"]), r.choice(["C09AA05", "M01AE01", "A10BA02"]), r.choice(["TAB", "FTA", "KAP"]), r.choice(["N1", "N2", "N3"]), f"{r.uniform(9, 90):.2f}".replace(".", ","), ""])
    return table(to / "artikelstamm.csv", rows, by=";", encoding="latin-1")


def severity_scores(to):
    rows = [["apachepatientresultsid", "patientunitstayid", "acutephysiologyscore", "apachescore", "predictedicumortality", "actualicumortality", "predictediculos", "unabridgedunitlos", "actualventdays"]]
    for i in range(200):
        r = random.Random(i)
        rows.append([650000 + 3 * i, 141168 + 7 * i, r.randint(10, 120), r.randint(15, 140), f"{r.random():.4f}", r.choice(["ALIVE", "EXPIRED"]), f"{r.uniform(0.5, 9):.4f}", f"{r.uniform(0.3, 20):.4f}", r.choice(["", 2, 5])])
    return table(to / "apachePatientResult.csv", rows)


def women_glucose(to):
    rows = [["Pregnancies", "Glucose", "BloodPressure", "SkinThickness", "Insulin", "BMI", "DiabetesPedigreeFunction", "Age", "Outcome"]]
    for i in range(400):
        r = random.Random(i)
        rows.append([r.randint(0, 12), r.randint(60, 199), r.randint(40, 110), r.randint(0, 60), r.randint(0, 500), f"{r.gauss(32, 6):.1f}", f"{r.random() * 2:.3f}", r.randint(21, 80), r.randint(0, 1)])
    return table(to / "diabetes.csv", rows)


def safety_reports(to):
    rows = [["VAERS_ID", "RECVDATE", "STATE", "AGE_YRS", "SEX", "SYMPTOM1", "SYMPTOM2", "VAX_TYPE", "DIED", "HOSPITAL", "NUMDAYS"]]
    for i in range(300):
        r = random.Random(i)
        rows.append([902000 + i, stamp(days(i, r), "%m/%d/%Y"), r.choice(["CA", "TX", "NY"]), r.randint(16, 90), r.choice("MFU"), r.choice(["Headache", "Pyrexia", "Chills"]), r.choice(["", "Fatigue"]), "COVID19", "", r.choice(["", "Y"]), r.choice(["", 0, 1, 3])])
    return table(to / "2021VAERSDATA.csv", rows)


NINTH = {
    intensities_wide: truth("activity", "Id", time="ActivityHour", run=None),
    takeout_steps: truth("activity", "folder", ask=True, time="timestamp", value="steps"),
    garmin_epoch_rows: truth("activity", "participantId", time="startTimeInSeconds", never=("summaryId", "startTimeOffsetInSeconds", "durationInSeconds")),
    embrace_skin: truth("symbols/activity", "file", ask=True, value="temp", run=None),
    withings_pulses: truth("activity/none/events", "folder", ask=True, run=None),
    oura_pulse_lines: truth("activity", "participant", time="timestamp", value="bpm"),
    sensewear: truth("activity", "file", ask=True, time="Time", never=("column 1",)),
    apple_each_type: truth("activity", "folder", ask=True, time="startDate|endDate|creationDate", value="value", never=("sourceVersion", "device")),
    actigraph_seconds: truth("activity", "file", ask=True, time="Date", clock="Time", never=("Lux", "Inclinometer Off")),
    activpal_bouts: truth("activity/events/symbols", "subject", time="Time(approx)", never=("Data Count", "Cumulative Steps")),
    pressure_monitor: truth("activity/events/series/symbols", "file", ask=True, never=("#",), run=None),
    polar_day_pulse: truth("activity", "user-id", time="date", clock="sample-time", value="heart-rate"),
    french_sensor: truth("activity", "file", ask=True, time="Horodatage de l'appareil", value="Historique de la glycémie mmol/L", never=("Type d'enregistrement",)),
    sensor_api_lines: truth("activity", "userId", time="displayTime|systemTime", value="value", never=("recordId", "transmitterTicks")),
    eversense: truth("activity", "file", ask=True, time="Event Time", value="Glucose"),
    tolerance_test: truth("series", "probandid", never=("alter", "gruppe")),
    monitor_numerics_each: truth("activity/symbols", "file", ask=True, never=("RelativeTime",), run=None),
    trend_table: truth("activity", "Stay", ask=True, time="Date", clock="Time", value="HR (/min)|SpO2 (%)"),
    administrations: truth("events", "subject_id", time="charttime|scheduletime|storetime", state="medication|event_txt", never=("emar_seq", "hadm_id", "pharmacy_id")),
    procedure_spans: truth("events", "subject_id", state="itemid|ordercategoryname", never=("hadm_id", "stay_id", "caregiver_id", "orderid")),
    unit_drugs: truth("events", "patientunitstayid", ask=True, time="drugorderoffset|drugstartoffset|drugstopoffset", state="drugname|routeadmin", never=("medicationid",)),
    pharma_records: truth("events", "patientid", time="givenat|enteredentryat", state="pharmaid|route", never=("infusionid", "recordstatus")),
    drug_items: truth("events", "admissionid", ask=True, state="item|itemid", never=("orderid",)),
    order_med: truth("events", "PAT_ID", time="ORDERING_DATE", state="MEDICATION_ID|DESCRIPTION", never=("ORDER_MED_ID", "PAT_ENC_CSN_ID", "AUTHRZING_PROV_ID")),
    adt_events: truth("events", "PAT_ID", time="EFFECTIVE_TIME", state="EVENT_TYPE|DEPARTMENT_NAME|EVENT_TYPE_C|DEPARTMENT_ID", never=("EVENT_ID", "PAT_ENC_CSN_ID", "BED_ID")),
    fab_table: truth("events", "KH-internes-Kennzeichen", ask=True, time="FAB-Aufnahmedatum|FAB-Entlassungsdatum", state="FAB", never=("IK",)),
    core_data_set: truth("events", "patient_id", time="recordedDate", state="icd10gm_code|icd10gm_display", never=("condition_id", "encounter_id")),
    lab_book: truth("events", "PatientenID", time="Entnahmedatum|Eingang", state="Analyt|Kürzel", never=("Auftragsnummer", "Geburtsdatum", "Einheit")),
    practice_codes: truth("events", "PatientGuid", time="EffectiveDate|EnteredDate", state="CodeId|ObservationType", never=("ObservationGuid", "OrganisationGuid")),
    drug_issues: truth("events", "patid", time="issuedate|enterdate", state="prodcodeid", never=("issueid", "pracid")),
    sas_datetimes: truth("events", "BEN_IDT_ANO", time="EXE_SOI_DTD|EXE_SOI_DTF", state="PRS_NAT_REF|PSP_SPE_COD|BSE_PRS_NAT"),
    taiwan_visits: truth("events", "ID", time="FUNC_DATE", state="ICD9CM_1|FUNC_TYPE", never=("SEQ_NO", "ID_BIRTHDAY", "HOSP_ID")),
    miner_export: truth("events", "_CASE_KEY", ask=True, time="EVENTTIME", state="ACTIVITY_EN", never=("_SORTING", "USER_NAME")),
    home_visits: truth("events", "Client", state="Service", never=("Visit ID", "Caregiver")),
    meds_table: truth("events", "subject_id/", run=None),
    breathing_events: truth("events", "file", ask=True, time="DateTime", state="Event", never=("Session",)),
    scored_night: truth("events", "folder/file", ask=True, state="Event|Location"),
    drugs_of_trial: truth("events", "USUBJID", state="EXTRT|EPOCH|EXDOSE", never=("EXSEQ", "STUDYID")),
    weights_weekly: truth("series", "Probanden-Nr.", never=("Größe (cm)", "Geschl.")),
    steps_by_date: truth("series/activity", "participant_id"),
    weekly_mood: truth("series", "Teilnehmer", time="Woche", value="PHQ9_Summe"),
    lung_function: truth("series", "ID", never=("Age", "Sex")),
    skin_conductance: truth("symbols/activity", "file", ask=True, value="eda_uS"),
    staged_epochs: truth("symbols/activity/events", "file", ask=True, never=("Epoch",)),
    gaze: truth("symbols", "Participant name", never=("Recording name",)),
    task_events: truth("events/symbols", "file/folder", ask=True, run=None),
    shift_notes: truth("text", "fall", ask=True, text="bericht"),
    letters_each_patient: truth("text", "folder", ask=True),
    findings: truth("text", "PatNr", text="Befund"),
    radiology_gz: truth("text", "subject_id", text="text"),
    therapy_sessions: truth("text", "/file", ask=True),
    feedback: truth("text/none", "Respondent ID/", run=None),
    invoices: truth("none", run=False),
    scanner_log: truth("none", run=False),
    transcripts_per_million: truth("none", run=False),
    metabolites: truth("none", run=False),
    admissions_by_trust: truth("none", run=False),
    plate_reader: truth("none", run=False),
    drug_list_german: truth("none", run=False),
    severity_scores: truth("none", run=False),
    women_glucose: truth("none", run=False),
    safety_reports: truth("none", run=False),
}
"""Shapes of makers' exports, intensive care, practices, laboratories, trials and things that are no sequences."""
