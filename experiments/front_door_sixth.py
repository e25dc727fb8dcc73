# ruff: noqa: E501
# fmt: off
"""A sixth held-out section: exports of devices, registers and wards not seen before, written before any of it was run.

Every name and number is made up. `TRUTHS` says what `inspect` should find.
"""

import csv
import datetime as dt
import gzip
import io
import json
import math
import random
import struct
import zipfile

import openpyxl

from experiments.front_door_writing import D0, MINUTE, days, moved, sentence, stamp, sugar, table, truth

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)
EPOCH = dt.datetime(1970, 1, 1)


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


TRUTHS = {
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
    person_sheets: truth("activity/symbols/none", "", run=None),
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
"""Source → what it is."""
