// The manifest, the closed set of files, and the tables with their copies.
const PAGES = ["datapackage.json", "report.html", "data/csv-metadata.json", "README.md", "CITATION.cff", "LICENSE", "croissant.json", "ro-crate-metadata.json"];

const KEYS = {
  "": "created_with federation files format guarantee kind layout ledger method pages publication reading teaching_only verification",
  method: "id parameters paper", verification: "checked beside_original result basis",
  guarantee: "model level parameters unit status statement not_covered needs_original",
  publication: "title licence contact issued version expires describes",
  files: "path rows bytes sha256 schema table format copy", pages: "path sha256 drawn_with", reading: "name value how",
  federation: "sites collude trusted_combiner people study",
  checked: "name passed detail", ledger: "measure total unit epsilon delta delta_reserved entries spent",
  entries: "mechanism amount delta kind sensitivity scale",
};
const UNITS = ["person", "document", "record", "occurrence"], STATUSES = ["verified", "verifiable", "proved", "as-published"];
const ENDINGS = bare({ parquet: ".parquet", csv: ".csv", jsonl: ".jsonl", txt: ".txt", xes: ".xes", long: ".long.parquet" });
const isCount = x => isWhole(x) && x >= 0, isText = x => typeof x === "string", isDigest = x => isText(x) && /^[0-9a-f]{64}$/.test(x);
const isDay = x => /^\d{4}-\d\d-\d\d$/.test(x) && !x.startsWith("0000") && !Number.isNaN(Date.parse(x)) && new Date(x).toISOString().startsWith(x);

const STANDARDS = bare({
  omop: ["person", "concept", "cdm_source", "visit_occurrence", "condition_occurrence", "procedure_occurrence", "drug_exposure", "measurement", "observation"].map(n => `${n}.csv`),
  fhir: ["Patient", "Encounter", "Condition", "Procedure", "MedicationAdministration", "Observation"].map(n => `${n}.ndjson`),
  meds: ["data/0.parquet", "metadata/codes.parquet", "metadata/dataset.json"],
});
function placed({ path, table, format }) {
  if (format in STANDARDS) return path.startsWith(`data/${format}/`) && STANDARDS[format].includes(path.slice(`data/${format}/`.length));
  if (format !== "folder") return format in ENDINGS && path === `data/${table}${ENDINGS[format]}`;
  const cut = path.lastIndexOf("/"), name = path.slice(cut + 1);
  return path.slice(0, cut) === `data/${table}` && name.endsWith(".txt") && !name.startsWith(".") && !name.includes("\0");
}
const SHAPES = {                                   // key → whether its value is well-formed
  created_with: v => isText(v) && /^sequester \d[\w.+-]{0,40}$/.test(v),
  kind: isText, layout: isText, teaching_only: v => typeof v === "boolean",
  method: v => isRecord(v) && isText(v.id) && isRecord(v.parameters) && isText(v.paper),
  guarantee: v => isRecord(v) && isRecord(v.parameters) && [v.model, v.level, v.statement].every(isText) && UNITS.includes(v.unit)
    && STATUSES.includes(v.status) && Array.isArray(v.not_covered) && v.not_covered.length > 0 && v.not_covered.every(isText)
    && (!("needs_original" in v) || typeof v.needs_original === "boolean"),
  publication: v => isRecord(v) && isText(v.title) && v.title !== "" && Object.entries(v).every(([name, x]) => name === "describes" ? isRecord(x) && Object.values(x).every(isText) : isText(x))
    && [v.issued, v.expires].every(x => !x || isDay(x)) && !(v.issued && v.expires && v.expires <= v.issued),
  reading: v => Array.isArray(v) && v.every(f => isRecord(f) && isText(f.name) && "value" in f && ["declared", "default", "found"].includes(f.how)),
  verification: v => isRecord(v) && v.result === "confirmed" && ["release alone", "release and original"].includes(v.basis)
    && isCount(v.beside_original) && (v.basis === "release and original" || v.beside_original === 0) && Array.isArray(v.checked)
    && v.checked.every(c => isRecord(c) && isText(c.name) && c.passed === true && isText(c.detail)),
  ledger: v => v === null || isRecord(v) && Array.isArray(v.entries) && isText(v.measure) && isText(v.unit)
    && [v.total, v.epsilon, v.delta, v.delta_reserved].every(isNumber)
    && v.entries.every(e => isRecord(e) && isText(e.mechanism) && isText(e.kind) && [e.amount, e.delta, e.sensitivity, e.scale].every(isNumber)),
  pages: v => Array.isArray(v) && v.every(p => isRecord(p) && PAGES.includes(p.path) && isDigest(p.sha256)
    && (p.drawn_with === undefined || isText(p.drawn_with) && /^jinja2 [0-9a-z.]{1,20}$/.test(p.drawn_with))),
  files: v => {
    const fine = Array.isArray(v) && v.length > 0 && v.every(f => isRecord(f) && isText(f.table) && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(f.table)
      && isText(f.path) && isText(f.format) && placed(f) && isCount(f.rows) && isCount(f.bytes) && isDigest(f.sha256)
      && isRecord(f.schema) && Object.values(f.schema).every(isText) && (!("copy" in f) || typeof f.copy === "boolean"));
    if (!fine) return false;
    const own = v.filter(f => !f.copy), single = own.filter(f => f.format !== "folder").map(f => f.table);
    const folders = new Set(own.filter(f => f.format === "folder").map(f => f.table)), tables = new Set(own.map(f => f.table));
    return new Set(single).size === single.length && !single.some(t => folders.has(t))
      && v.every(f => !f.copy || tables.has(f.table) && ["csv", "jsonl", "xes", "folder", "long", ...Object.keys(STANDARDS)].includes(f.format));
  },
};

const isFederation = v => isRecord(v) && isCount(v.sites) && v.sites > 2 && v.sites <= 100 && isCount(v.collude) && v.collude < v.sites && v.trusted_combiner === (v.collude === 0)
  && typeof v.trusted_combiner === "boolean" && isText(v.people) && /^(disjoint|at most ([2-9]|[1-9][0-9]))$/.test(v.people) && isDigest(v.study);

function readManifest(bytes) {
  const m = json(decoded(bytes)), listed = [...(Array.isArray(m.files) ? m.files : []), ...(Array.isArray(m.pages) ? m.pages : [])];
  need(isRecord(m) && m.format === "sequester/1", "it is not in the format sequester/1");
  for (const key of Object.keys(SHAPES)) need(key in m, `the manifest lacks ${key}`);
  for (const f of listed) if (isRecord(f) && isText(f.path)) need(!f.path.startsWith("/") && !f.path.includes("\\") && !f.path.split("/").includes(".."), "the manifest points outside the bundle");
  for (const [key, fine] of Object.entries(SHAPES)) need(fine(m[key]), `the manifest is not well-formed in ${key}`);
  const known = (value, part) => { for (const key of Object.keys(value)) need(KEYS[part].split(" ").includes(key), `the manifest has a key that this page does not know (${part ? part + "." : ""}${key})`); };
  known(m, "");
  if ("federation" in m) { need(isFederation(m.federation), "the manifest is not well-formed in federation"); known(m.federation, "federation"); }
  for (const part of ["method", "verification", "guarantee", "publication"]) known(m[part], part);
  for (const part of ["files", "pages", "reading"]) m[part].forEach(x => known(x, part));
  m.verification.checked.forEach(x => known(x, "checked"));
  if (m.ledger) { known(m.ledger, "ledger"); m.ledger.entries.forEach(x => known(x, "entries")); }
  need(new Set(listed.map(f => f.path)).size === listed.length, "the manifest lists a file twice");
  return m;
}

async function closedSet(files, folders, m) {
  const listed = [...m.files, ...m.pages];
  let changed = 0;
  for (const f of listed) {
    const b = files.get(f.path);
    if (!b || (f.bytes !== undefined && f.bytes !== b.length) || await sha256(b) !== f.sha256) changed++;
  }
  const known = new Set(["manifest.json", "manifest.json.sig", "attestation.json", ...listed.map(f => f.path)]), above = new Set(["data"]);
  for (const path of known) path.split("/").forEach((_, i, parts) => { if (i) above.add(parts.slice(0, i).join("/")); });
  const extra = [...files.keys()].filter(path => !known.has(path)).length + folders.filter(path => !above.has(path)).length;
  const detail = `${changed} of ${counted(listed.length, "file")} ${changed === 1 ? "differs" : "differ"} from the manifest, ${extra} not listed in it`;
  return { name: "checksums", passed: !changed && !extra, detail };
}

// A line as Python's json.dumps(row, ensure_ascii=False) spells it.
const spelled = (row, names) => `{${names.map(name => `${JSON.stringify(name)}: ${JSON.stringify(row[name])}`).join(", ")}}`;
function readLine(line) {
  try {                                            // a line that is spelled the same again hides nothing
    const row = JSON.parse(line);
    const plainly = isRecord(row) && Object.values(row).every(x => x === null || typeof x === "boolean" || isText(x) && x.isWellFormed());
    if (plainly && spelled(row, Object.keys(row)) === line) return row;
  } catch { /* the slow way says why */ }
  const row = json(line);
  need(isRecord(row) && (spelled(row, row[WRITTEN]) === line || Object.values(row).some(isNumber)), "a line is not as it was written");
  return row;
}
const fitsType = (v, type) => v === null || (/string$/.test(type) ? isText(v) : type === "bool" ? typeof v === "boolean" : isNumber(v));
function readLines(bytes, schema) {
  const names = Object.keys(schema), lines = decoded(bytes).split("\n"), columns = bare(Object.fromEntries(names.map(n => [n, []])));
  need(lines.pop() === "", "its last line is cut off");
  for (const line of lines) {
    const row = readLine(line);
    need(sameSet(Object.keys(row), names), "a line has other keys");
    need(names.every(n => fitsType(row[n], schema[n])), "a cell has another type");
    for (const n of names) columns[n].push(plain(row[n]));
  }
  return { rows: lines.length, names, columns };
}

function fits(table, schema) {                     // the columns and types of the manifest
  need(sameSet(table.names, Object.keys(schema)), "it has other columns");
  for (const name of table.names) {
    const wanted = schema[name].replace("element:", "item:"), found = table.types[name];
    if (found !== "timestamp") { need(found === wanted, `the type of a column differs`); continue; }
    need(/^timestamp\[(s|ms|us)\]$/.test(wanted), "the type of a column differs");
    need(wanted !== "timestamp[s]" || table.columns[name].every(v => v === null || Number(v) % 1000 === 0), "a time has a fraction");
  }
}

function readTable(files, parts, label) {
  const first = parts[0], schema = first.schema, names = Object.keys(schema);
  for (const f of parts) need(files.has(f.path), "it is not there");
  let table;
  if (first.format === "parquet") { table = parquet(files.get(first.path), label); fits(table, schema); }
  else if (first.format === "jsonl") table = { ...readLines(files.get(first.path), schema), types: schema };
  else {
    need(["folder", "txt"].includes(first.format) && sameSet(names, ["document", "text"]), "its format is not known");
    const name = f => first.format === "txt" ? "1" : f.path.split("/").pop().slice(0, -4);
    table = { rows: parts.length, names, types: schema, columns: { document: parts.map(name), text: parts.map(f => decoded(files.get(f.path))) } };
  }
  need(table.rows === parts.reduce((n, f) => n + f.rows, 0), "it has other rows");
  return table;
}

// A CSV copy as Arrow writes it: text in quotes, nothing for an empty cell, numbers in their shortest form.
function csvNumber(v) {
  if (!Number.isFinite(v)) return Number.isNaN(v) ? "nan" : v > 0 ? "inf" : "-inf";
  return Object.is(v, -0) ? "-0" : Math.abs(v) >= 1e10 ? v.toExponential() : String(v);
}
const quoted = text => `"${text.replaceAll('"', '""')}"`;
const CSV_CELLS = bare({
  string: quoted, bool: String, double: csvNumber, "timestamp[s]": v => clock(Number(v)), "date32[day]": v => clock(v * 864e5).slice(0, 10),
  ...Object.fromEntries(["", "u"].flatMap(u => [8, 16, 32, 64].map(bits => [`${u}int${bits}`, String]))),
});
function csvOf(table, schema) {                    // nothing where this page does not know how a column is spelled
  const spell = table.names.map(n => /^list</.test(schema[n]) ? v => quoted(v.join(" ")) : CSV_CELLS[schema[n].replace("large_", "")]);
  if (spell.some(x => !x)) return null;
  const lines = [table.names.map(quoted).join(",")], cells = table.names.map(n => table.columns[n]);
  for (let i = 0; i < table.rows; i++) lines.push(cells.map((c, j) => c[i] === null ? "" : spell[j](c[i])).join(","));
  return lines.join("\n") + "\n";
}
const sameTypes = (a, b) => sameSet(Object.keys(a), Object.keys(b)) && Object.keys(a).every(n => a[n].replace("element:", "item:") === b[n].replace("element:", "item:"));

// What every file says of itself: method, grade, and the checksum of the words of the promise.
async function protectedBy(m) {
  const { level, unit, statement, status, not_covered } = m.guarantee, { id } = m.method;
  const sum = await sha256(encoded([m.publication.title, id, level, unit, statement, ...not_covered].join("\n")));
  return m.teaching_only ? `made with sequester for teaching: ${id}, protects nobody, promise sha256:${sum}` : `protected by sequester: ${id}, ${status}, promise sha256:${sum}`;
}

function longTable({ sequences, states, calendar }) {   // a row per record and interval, states by name
  const { start, interval_seconds: step } = calendar.columns, { code: codes, name } = states.columns, kept = ["record", "cluster", "group"].filter(n => sequences.names.includes(n));
  need(codes.every((code, i) => code === i), "states");
  const columns = bare(Object.fromEntries([...kept, "time", "state"].map(n => [n, []]))), begin = Number(start[0]);
  sequences.columns.states.forEach((row, i) => row.forEach((code, j) => {
    for (const n of kept) columns[n].push(sequences.columns[n][i]);
    columns.time.push(begin + j * Number(step[0]) * 1000);
    columns.state.push(name[code]);
  }));
  return { rows: columns.time.length, names: Object.keys(columns), columns, types: bare({ ...sequences.types, time: "timestamp", state: "string" }) };
}
const MOST_CELLS = 20_000_000;
const clock = ms => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

function sameCells(a, b) {
  need(a.rows === b.rows && a.names.join("\0") === b.names.join("\0"), "copy");
  for (const n of a.names) { const x = a.columns[n], y = b.columns[n]; for (let i = 0; i < a.rows; i++) need(x[i] === y[i], "copy"); }
}

function readTables(files, m, label) {
  const tables = bare({}), odd = [], parts = new Map();
  for (const f of m.files) if (!f.copy) parts.set(f.table, [...(parts.get(f.table) ?? []), f]);
  for (const [name, own] of parts) {
    try { tables[name] = readTable(files, own, label); }
    catch (e) { odd.push(`'${name}': ${e instanceof Refused ? e.message : "it cannot be read"}`); }
  }
  const checks = [{ name: "tables", passed: !odd.length, detail: odd.length ? `not as the manifest says: ${odd.join("; ")}` : `${parts.size} as listed` }];
  const copies = m.files.filter(f => f.copy), left = new Set();
  let unlike = 0, same = 0, long;
  for (const f of copies) {
    let table = tables[f.table];
    if (!table) continue;
    if (["csv", "long"].includes(f.format) && f.table === "sequences" && tables.states?.rows && tables.calendar?.rows === 1
      && table.types.states && table.rows * Number(tables.calendar.columns.intervals?.[0]) <= MOST_CELLS) {
      try { table = long ??= longTable(tables); } catch { unlike++; continue; }
    }
    const own = parts.get(f.table)[0].schema, wide = table === long;
    const types = wide ? { ...Object.fromEntries(Object.entries(own).filter(([n]) => n in table.columns)), time: "timestamp[s]", state: "string" } : own;
    try {
      if (f.format === "folder") {
        const at = table.columns.document?.indexOf(f.path.split("/").pop().slice(0, -4)) ?? -1;
        need(at >= 0 && f.rows === 1 && sameTypes(f.schema, own) && decoded(files.get(f.path)) === table.columns.text[at], "text");
      } else if (f.format === "long") {
        const copy = parquet(files.get(f.path), label);
        fits(copy, f.schema);
        need(f.rows === copy.rows, "copy");
        sameCells(table, copy);
      } else if (f.format === "jsonl") need(false, "left");
      else if (f.format === "csv") {
        need(f.rows === table.rows && sameTypes(f.schema, types), "csv");
        const wanted = csvOf(table, types);
        if (wanted === null) { left.add(f.path); continue; }
        need(decoded(files.get(f.path)) === wanted, "csv");
      } else { left.add(f.format in STANDARDS ? `data/${f.format}` : f.path); continue; }
      same++;
    } catch (e) {
      if (f.format === "jsonl") left.add(f.path); else unlike++;
    }
  }
  for (const name of new Set(copies.filter(f => f.format === "folder").map(f => f.table)))
    if (tables[name] && copies.filter(f => f.table === name && f.format === "folder").length !== tables[name].rows) unlike++;
  if (same || unlike) checks.push({ name: "copies", passed: !unlike, detail: unlike ? `${counted(unlike, "copy differs", "copies differ")} from their table` : `${same} equal to their table, cell by cell` });
  return { tables, checks, left: [...left].map(path => `whether ${path} equals its table`) };
}
