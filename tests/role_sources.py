"""Small sources of every kind, as files, folders, databases and recordings."""

import sqlite3

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sequester as sq


def table(path, header, rows, encoding="utf-8"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *rows]) + "\n", encoding)
    return path


def database(path, **tables):
    with sqlite3.connect(path) as base:
        for name, (header, rows) in tables.items():
            columns = header.split(",")
            base.execute(f"create table {name} ({', '.join(c + ' text' for c in columns)})")
            base.executemany(
                f"insert into {name} values ({','.join('?' * len(columns))})", [r.split(",") for r in rows]
            )
    return path


def parquet(path, header, rows):
    columns = zip(*(r.split(",") for r in rows), strict=True)
    pq.write_table(pa.table(dict(zip(header.split(","), map(list, columns), strict=True))), path)
    return path


def write_sources(at):
    """All of them, into one folder."""
    # text
    notes = [f"Ä note {i} on a visit,d{i},p{i % 3},W{i % 2}" for i in range(6)]
    table(at / "notes.csv", "text,document,person,ward,nr", [f"{n},{i}" for i, n in enumerate(notes)])
    table(at / "notes-latin.csv", "text,document,person,ward", notes, "latin-1")
    parquet(at / "notes.parquet", "text,document,person,ward", notes)
    database(at / "notes.sqlite", a=("text,person", ["One,p1", "Two,p2"]), b=("text,person", ["Three,p1", "Four,p2"]))
    for i in range(4):
        table(at / "notes" / f"p{i % 2}" / f"{i}.txt", f"Ä note {i}", [])
    table(at / "note.txt", "Ä note", [], "latin-1")
    # series
    wide = [f"r{i},{i % 5},{i % 3 + 2},{i % 7},{'xy'[i % 2]}" for i in range(12)]
    table(at / "wide.csv", "rec,h1,h2,h3,outcome", wide)
    table(at / "wide-latin.csv", "rec,h1,h2,h3,öutcome", wide, "latin-1")
    table(at / "bare.csv", wide[0], wide[1:])
    parquet(at / "wide.parquet", "rec,h1,h2,h3,outcome", wide)
    database(at / "wide.sqlite", a=("person,h1,h2", ["p1,1,2", "p2,2,3"]), b=("person,h1,h2", ["p1,5,6", "p2,7,8"]))
    table(at / "long.csv", "who,at,mmol,outcome", [f"p{i // 3},{i % 3},{i % 7},x" for i in range(12)])
    table(at / "letters.csv", "person,a,b", [f"p{i},{'xyz'[i % 3]},{'yxz'[i % 3]}" for i in range(9)])
    for i in range(3):
        table(at / "panel" / f"p{i}.csv", "h1,h2", [f"{i},{i + 1}"])
    table(at / "panel" / "notes.tsv", "h1\th2", ["9\t9"])
    table(at / "people.csv", "recording,person", [f"r{i},q{i // 2}" for i in range(12)])
    table(at / "wide-block.csv", "Made by a device\nrec,h1,h2,h3", ["name,mV,mV,mV", *(r[:-2] for r in wide)])
    table(at / "wide-comma.csv", "rec;h1;h2", [f"r{i};{i},5;{i % 3},25" for i in range(12)])
    # activity
    table(
        at / "spans2.csv",
        "rec,from,until,did,late",
        [f"p{i},2024-03-04T0{i}:00,2024-03-04T05:00,a,2024-03-04T09:00" for i in range(4)],
    )
    spans = [f"p{i % 4},2024-03-0{4 + i // 4}T0{i % 4}:00+05:00,2024-03-0{4 + i // 4}T09:00+05:00,{'ab'[i % 2]},{i % 4}"
             for i in range(12)]  # fmt: skip
    table(at / "spans.csv", "rec,from,until,did,age", spans)
    single = [f"r{i % 4},2024-03-04T{i // 4:02d}:{i % 4:02d}:00,{'abc?'[i % 4]},{(i * 7) % 40}" for i in range(80)]
    table(
        at / "minutes.csv",
        "rec,at,did,steps,later,more",
        [f"{r},2024-03-05T01:00:00,{i % 50}" for i, r in enumerate(single)],
    )
    table(at / "minutes-latin.csv", "rec,ät,did,steps", single, "latin-1")
    table(at / "minutes-bare.csv", single[0], single[1:])
    parquet(at / "minutes.parquet", "rec,at,did,steps", single)
    database(at / "minutes.sqlite", a=("rec,at,did,steps", single), b=("rec,at,did,steps", single[:40]))
    for i in range(3):
        table(at / "counts" / f"p{i}.csv", "at,steps", [f"2024-03-04T{h:02d}:00:00,{h * 9 + i}" for h in range(20)])
    table(at / "counts" / "p9.tsv", "at\tsteps", ["2024-03-04T05:00:00\t6"])
    table(at / "days.csv", "person,m1,m2,m3", [f"p{i},{'ab'[i % 2]},a,b" for i in range(6)])
    table(at / "block.csv", "Made by a device\nserial: 7\nrec,at,did,steps", ["name,time,word,n", *single])
    apart = [r.replace("T", ";").replace(",", ";") + f",{i % 3}" for i, r in enumerate(single)]
    table(at / "apart.csv", "rec;day;hour;did;steps", apart)
    # events
    log = [f"r{i % 6},2024-03-{4 + i // 6:02d}T10:00:00+05:00,{'ABC'[i % 3]},{'xy'[i % 2]}" for i in range(36)]
    table(at / "log.csv", "rec,at,did,ward,later", [f"{r},2024-04-{1 + i % 9:02d}" for i, r in enumerate(log)])
    table(at / "log-latin.csv", "rec,ät,did,ward", log, "latin-1")
    table(at / "log-bare.csv", log[0], log[1:])
    parquet(at / "log.parquet", "rec,at,did,ward", log)
    table(at / "log-block.csv", "Made by a device\nrec,at,did,ward", ["name,time,word,x", *log])
    split = [f"r{i % 6};{4 + i // 6}.03.2024;{i % 9}:00;{i % 3},5" for i in range(36)]
    table(at / "log-apart.csv", "rec;at;hour;did", split)
    database(at / "log.sqlite", a=("rec,at,did,ward", log), b=("rec,at,did,ward", log[:12]))
    for i in range(3):
        table(at / "logs" / f"p{i}.csv", "time,state", [f"2024-03-0{d}T10:00:00,{'ABC'[d % 3]}" for d in range(1, 8)])
    table(at / "logs" / "p9.tsv", "time\tstate", ["2024-03-04T05:00:00\tA"])
    for form in ("omop", "meds", "fhir"):
        sq.write_sample("events", at / form, form=form, n_people=5, seed=1)
    events = [f"<event><string key='concept:name' value='{'ABC'[i % 3]}'/><date key='time:timestamp' "
              f"value='2024-03-0{1 + i}T10:00:00+05:00'/></event>" for i in range(4)]  # fmt: skip
    traces = [f"<trace><string key='patient' value='p{i}'/>{''.join(events)}</trace>" for i in range(4)]
    (at / "log.xes").write_text(f"<log>{''.join(traces)}</log>")
    # symbols
    signal = [f"r{i // 40},{i % 40},{(i * i) % 17},{(i * 3) % 11}" for i in range(160)]
    table(at / "signal.csv", "rec,at,mv,ohm", signal)
    table(at / "signal-latin.csv", "rec,ät,mv,ohm", signal, "latin-1")
    table(at / "signal-block.csv", "Made by a device\nrec,at,mv,ohm", ["name,s,mV,ohm", *signal])
    commas = [f"r{i // 40};{1 + i % 28}.03.2024;{i % 24}:00;{(i * i) % 17},{i % 9}" for i in range(160)]
    table(at / "signal-comma.csv", "rec;at;hour;mv", commas)
    table(at / "signal-bare.csv", signal[0], signal[1:])
    parquet(at / "signal.parquet", "rec,at,mv,ohm", signal)
    database(at / "signal.sqlite", a=("rec,mv", ["p1,1"] * 20), b=("rec,mv", ["p1,1", "p1,2"] * 20))
    for i in range(3):
        table(at / "signals" / f"p{i}.csv", "mv", [str((j * j + i) % 13) for j in range(40)])
    table(at / "signals" / "p9.tsv", "mv", [str(j % 3) for j in range(40)])
    (at / "columns.txt").write_text("\n".join(f"{i % 5} {(i * i) % 7}" for i in range(60)))
    (at / "columns-latin.txt").write_text("\n".join(["ä b ä b"] * 4), "latin-1")
    (at / "words.txt").write_text("a b a b\nb b a\n")
    (at / "ecg").mkdir()
    for name in ("r0", "r1"):
        signal = np.cumsum(np.random.default_rng(len(name)).integers(-40, 41, size=(400, 2)), axis=0)
        signal.astype("<i2").tofile(at / "ecg" / f"{name}.dat")
        leads = "".join(f"{name}.dat 16 200(0)/mV 16 0 {signal[0, i]} 0 0 {x}\n" for i, x in enumerate(("II", "V5")))
        (at / "ecg" / f"{name}.hea").write_text(f"{name} 2 100 400\n{leads}", "utf-8")
    return at
