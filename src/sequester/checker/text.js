// Recounts of text: every visible run, or every visible word, is shared by enough people, documents or places.

const WHOM = { person: "people", document: "documents", occurrence: "occurrences" };
const length = text => PAIR.test(text) ? points(text).length : text.length;   // in code points
const spanKey = (start, end) => start >= 0 && start < 2 ** 26 && end >= 0 && end < 2 ** 26 ? Number(start) * 2 ** 26 + Number(end) : `${start} ${end}`;
const PAIR = /[\ud800-\udbff]/;
const failed = (name, detail) => [{ name, passed: false, detail }];

// Documents with their owners, and the check of the table of spans; `why` instead, where the tables have another shape.
function releasedText(m, tables, { mark, perCharacter, owned, kept = [] }) {
  const wanted = { documents: ["document", ...kept, "text"], spans: ["document", "start", "end"], ...(owned ? { owners: ["document", "owner"] } : {}) };
  if (!sameSet(Object.keys(tables), Object.keys(wanted))) return { why: `the release must hold the tables ${Object.keys(wanted).join(", ")}` };
  for (const [name, columns] of Object.entries(wanted)) {
    const t = tables[name];
    if (!sameSet(t.names, columns)) return { why: `the table ${name} has other columns` };
    for (const c of columns) {
      if (t.types[c].replace("large_", "") !== (["start", "end", "owner"].includes(c) ? "int64" : "string")) return { why: `the column ${c} has another type` };
      if (["start", "end", "owner"].includes(c) && !t.columns[c].every(isPlace)) return { why: `the column ${c} holds numbers that nothing counts with` };
      if (!kept.includes(c) && t.columns[c].some(v => v === null)) return { why: `the table ${name} has empty cells` };
    }
  }
  const { document: names, text: texts } = tables.documents.columns;
  if (new Set(names).size !== names.length) return { why: "a document stands twice" };
  const wide = String(names.length).length, numbers = new Set(names), odd = [];
  if (!names.every((_, i) => numbers.has(String(i + 1).padStart(wide, "0")))) odd.push(...failed("numbers", `documents are not numbered 1 to ${names.length}, all equally wide`));
  let owners = names;
  if (owned) {
    const { document, owner } = tables.owners.columns, of = new Map(document.map((d, i) => [d, owner[i]]));
    if (document.length !== names.length || of.size !== names.length || names.some(n => !of.has(n))) return { why: "every document needs one owner" };
    owners = names.map(n => of.get(n));
    const people = new Set(owners);
    if (![...people].every((_, i) => people.has(i + 1))) odd.push(...failed("numbers", `owners are not numbered 1 to ${people.size}`));
  }
  const { document, start, end } = tables.spans.columns, stated = new Map(), size = length(mark), pieces = texts.map(text => text.split(mark));
  document.forEach((d, i) => { if (!stated.has(d)) stated.set(d, new Set()); stated.get(d).add(spanKey(start[i], end[i])); });
  let wrong = document.length, found = 0;          // every span must be found once
  pieces.forEach((own, i) => {
    const spans = stated.get(names[i]);
    let at = 0, from = -1, to = -1;                // the mark or the row of masks that is not counted yet
    const count = () => { if (from >= 0) { found++; wrong += spans?.delete(spanKey(from, to)) ? -1 : 1; } };
    own.forEach((piece, j) => {
      if (j) {
        if (!perCharacter || to !== at) { count(); from = at; }
        at += size;
        to = at;
      }
      at += length(piece);
    });
    count();
  });
  const checks = [...odd, { name: "documents", passed: true, detail: counted(names.length, "document") },
    { name: "spans", passed: wrong === 0, detail: `${wrong} of ${found} suppressed spans differ` }];
  return { texts, pieces, owners, checks };
}

// The runs that too few share. A run occurs where a visible piece holds its characters with both ends at edges.
function rareRuns(all, k, unit, granularity) {     // all: run → its owners, as far as k, and how often it stands
  const byPlace = unit === "occurrence", enough = (owners, times) => (byPlace ? times : owners.size) >= k;
  const open = [...all].filter(([, e]) => !enough(e.owners, e.times)).map(([text]) => text);
  if (!open.length) return new Set();
  const texts = [...all.keys()], entries = [...all.values()];
  const edges = i => {
    if (granularity === "character") return null;
    if (entries[i].edges) return entries[i].edges;
    const text = texts[i], found = granularity === "token" ? tokenEdges(text) : wordEdges(text);
    if (!PAIR.test(text)) return entries[i].edges = new Set(found);
    const place = [0];                             // characters outside the basic plane are two units of a string
    for (const c of text) place.push(place[place.length - 1] + c.length);
    return entries[i].edges = new Set(found.map(x => place[x]));
  };
  // an index of all places by the eight letters that stand there; it only proposes places, which are then compared
  const KEY = 8, BITS = 20, heads = new Int32Array(1 << BITS).fill(-1), where = [], place = [], next = [];
  const hash = (text, p) => { let h = 0; for (let i = 0; i < KEY; i++) h = Math.imul(h ^ text.charCodeAt(p + i), 0x9e3779b1); return h >>> (32 - BITS); };
  if (open.some(text => text.length >= KEY)) texts.forEach((text, i) => {
    const last = text.length - KEY, put = p => {
      if (p > last) return;
      const h = hash(text, p);
      next.push(heads[h]);
      heads[h] = where.length;
      where.push(i);
      place.push(p);
    };
    const at = edges(i);
    if (at) for (const p of at) put(p); else for (let p = 0; p <= last; p++) put(p);
  });
  const rare = new Set();
  for (const run of open) {
    const owners = new Set();
    let times = 0;
    const seen = (i, p) => {                       // counts one place; whether that is enough
      const at = edges(i);
      if (at && !(at.has(p) && at.has(p + run.length))) return false;
      times += entries[i].times;
      for (const o of entries[i].owners) { owners.add(o); if (owners.size >= k) break; }
      return enough(owners, times);
    };
    let done = false;
    if (run.length >= KEY) {
      for (let x = heads[hash(run, 0)]; x >= 0 && !done; x = next[x]) if (texts[where[x]].startsWith(run, place[x])) done = seen(where[x], place[x]);
    } else {
      for (let i = 0; i < texts.length && !done; i++)
        for (let p = texts[i].indexOf(run); p >= 0 && !done; p = texts[i].indexOf(run, p + 1)) done = seen(i, p);
    }
    if (!done) rare.add(run);
  }
  return rare;
}

function recountRuns(m, tables) {
  const p = m.guarantee.parameters, { unit } = m.guarantee;
  if (!["k", "count_in", "min_length", "granularity", "mark", "per_character", "background"].every(x => x in p) || !p.mark || !isWhole(p.k) || p.k < 2)
    return failed("promise", "the promise lacks parameters that a recount needs");
  const published = p.count_in === "published";
  const read = releasedText(m, tables, { mark: p.mark, perCharacter: p.per_character, owned: published && unit === "person", kept: p.kept ?? [] });
  if (read.why) return failed("documents", read.why);
  const all = new Map();
  let runs = 0;
  read.pieces.forEach((own, i) => {
    for (const run of own) {
      if (!run) continue;
      let entry = all.get(run);
      if (!entry) all.set(run, entry = { owners: new Set(), times: 0, edges: undefined });
      entry.times++;
      runs++;
      if (entry.owners.size < p.k) entry.owners.add(read.owners[i]);
    }
  });
  let short = 0, bare = 0;
  for (const [run, { times }] of all) {
    const own = points(run);
    if (own.length < p.min_length) short += times;
    if (!own.some(c => is(c, ALNUM))) bare += times;
  }
  const n = counted(runs, "run"), out = [...read.checks];
  out.push({ name: "run length", passed: !short, detail: `${short} of ${n} shorter than ${counted(p.min_length, "character")}` });
  if (p.solid) out.push({ name: "bare runs", passed: !bare, detail: `${bare} of ${n} without a letter or digit` });
  if (!published) return [...out, { name: "shared runs", passed: false, open: true, detail: "runs are counted in the original, which a release does not show" }];
  let few = 0;
  for (const run of rareRuns(all, p.k, unit, p.granularity)) few += all.get(run).times;
  const leans = number(p.background) || p.show;    // what few share may be public
  out.push({ name: "shared runs", passed: !few, open: Boolean(few && leans), detail: `${few} of ${n} shared by fewer than ${p.k} released ${WHOM[unit]}` });
  return out;
}

function recountWords(m, tables) {
  const p = m.guarantee.parameters, { unit } = m.guarantee;
  if (!isWhole(p.k) || !isText(p.mark) || points(p.mark).length !== 1) return failed("promise", "the promise lacks parameters that a recount needs");
  const read = releasedText(m, tables, { mark: p.mark, perCharacter: true, owned: unit === "person" });
  if (read.why) return failed("documents", read.why);
  const users = new Map();
  let cut = 0, place = 0;
  read.texts.forEach((text, i) => {
    let word = "";
    const over = () => {
      if (!word) return;
      place++;
      const letters = Array.from(word), hidden = letters.filter(c => c === p.mark).length;
      const edge = letters[0] === p.mark || letters[letters.length - 1] === p.mark;
      if (edge && hidden < letters.length) cut++;
      else if (hidden < letters.length) { if (!users.has(word)) users.set(word, new Set()); users.get(word).add(unit === "occurrence" ? place : read.owners[i]); }
      word = "";
    };
    for (const c of text) if (is(c.codePointAt(0), SPACE)) over(); else word += c;
    over();
  });
  const rare = [...users.values()].filter(who => who.size < p.k).length;
  return [...read.checks, { name: "whole words", passed: !cut, detail: `${counted(cut, "word is", "words are")} suppressed in part` },
    { name: "frequent words", passed: !rare, detail: `${rare} of ${users.size} visible words are used by fewer than ${p.k} ${WHOM[unit]}` }];
}
