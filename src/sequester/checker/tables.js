// Recounts of tables: ranges and patterns, sequences, rows of a cluster, n-grams, and the ledger of a budget.

const SLACK = 1e-9, MOST_STEPS = 1e8;
const isPlace = v => v !== null && v >= 0 && v <= 2 ** 53;
const isWholeColumn = (t, name) => /^u?int/.test(t.types[name]) && t.columns[name].every(isPlace);
const numbered = (cells, first = 1) => new Set(cells).size === cells.length && cells.every(v => v >= first && v < first + cells.length);
const FIXED = bare({ record: "number", group: "group", pattern: "pattern", level: "level" });

function rangesShape(m, tables) {                  // why the tables are not what the promise speaks of, or what they are
  const p = m.guarantee.parameters, t = tables.records, none = p.pattern_of === "nobody";
  if (!isWhole(p.k) || p.k < 2 || !isWhole(p.p) || p.p < (none ? 1 : 2) || none && p.p !== 1) return { why: "the promise states no k and p of at least 2" };
  if (p.l !== undefined && p.l !== null && !(isWhole(p.l) && p.l >= 2)) return { why: "the promise states no l of at least 2" };
  if (m.method.parameters.max_level !== undefined && !isWhole(m.method.parameters.max_level)) return { why: "the finest level is no whole number" };
  if (!["record", "subgroup", "neighbour", "nobody"].includes(p.pattern_of)) return { why: "the promise does not say whose pattern is shown" };
  if (!t || !tables.columns) return { why: "the table records or columns is missing" };
  const beside = bare({ records: null, columns: "name,role", times: "time,letter", alphabet: "value,letter", withheld: "column,records" });
  for (const name of Object.keys(tables)) {
    if (!(name in beside)) return { why: `the table ${name} does not belong to this promise` };
    if (beside[name] && tables[name].names.join() !== beside[name]) return { why: `the table ${name} has other columns` };
  }
  const letters = tables.alphabet?.columns;
  if (letters && !(letters.value.every((v, i) => v === i) && lettersOnly(letters.letter))) return { why: "the table alphabet is not a list of letters, numbered from 0" };
  const times = t.names.filter(n => n.endsWith("_lo") && t.names.includes(n.slice(0, -3) + "_hi")).map(n => n.slice(0, -3));
  const ends = times.flatMap(x => [`${x}_lo`, `${x}_hi`]), shown = ["pattern", "level"].filter(n => t.names.includes(n));
  if (!times.length || !t.rows) return { why: "there are no ranges" };
  if (t.names.slice(0, 2 + ends.length).join("\0") !== ["record", "group", ...ends].join("\0")) return { why: "the columns stand in another order" };
  if (none ? shown.length : !shown.includes("pattern") || !shown.includes("level")) return { why: "patterns are shown that should not be, or are missing" };
  const role = n => FIXED[n] ?? (ends.includes(n) ? (n.endsWith("_lo") ? "low" : "high") : "sensitive");
  const { name, role: roles } = tables.columns.columns;
  if (name.join("\0") !== t.names.join("\0") || roles.some((r, i) => r !== role(t.names[i]))) return { why: "the table columns does not account for every column" };
  for (const n of ["record", "group", "level"]) if (t.names.includes(n) && !isWholeColumn(t, n)) return { why: `the column ${n} must hold whole numbers` };
  for (const n of ends) if (!/^(u?int|float|double)/.test(t.types[n]) || t.columns[n].some(v => v === null || !Number.isFinite(Number(v)))) return { why: `the column ${n} must hold numbers` };
  if (!none && (!/^(large_)?string$/.test(t.types.pattern) || t.columns.pattern.some(w => !w))) return { why: "a pattern is missing" };
  if (t.names.some(n => role(n) === "sensitive" && !["double", "string"].includes(t.types[n]))) return { why: "a sensitive column holds neither numbers nor text" };
  if (tables.times) {                              // all times, where some are not shown; the letters of a pattern are numbered
    const q = m.method.parameters, named = q.publish_patterns ?? [], all = new Set(tables.times.columns.time), places = tables.times.columns.letter.filter(x => x !== null);
    const shown = [...times, ...named].every(x => all.has(x)) && all.size === tables.times.rows && !all.has(null);
    if (!(q.publish_values?.length || named.length) || !shown || !numbered(places) || places.length !== (none ? 0 : points(t.columns.pattern[0]).length))
      return { why: "the table times does not name every time once and number the letters of a pattern" };
  }
  return { t, times, ends, none, sensitive: t.names.filter(n => role(n) === "sensitive") };
}

const lettersOnly = cells => new Set(cells).size === cells.length && cells.every(x => x !== null && points(x).length === 1);

function oddPatterns(t, times, q) {
  const named = q.publish_patterns?.length ?? 0, partly = q.publish_values?.length, first = points(t.columns.pattern[0]).length;
  let odd = 0, aside = 0;
  t.columns.pattern.forEach((word, i) => {
    const letters = points(word).map(c => c - 97), level = t.columns.level[i], n = letters.length;
    const wrongLength = named ? n !== named : partly ? n !== first : n !== times.length;
    odd += level < 1 || level > (q.max_level ?? 26) || letters.some(x => x < 0 || x >= level) || wrongLength;
    const middle = Math.floor(level / 2);          // the letter of the value 0, which every whole shape has around it
    aside += level > 1 && !(Math.min(...letters) <= middle && middle <= Math.max(...letters));
  });
  return { odd, aside };
}

function diversity(t, cell, p, sensitive, withheld) {
  if (p.near?.length) return [{ name: "l-diversity", passed: false, open: true, detail: "numbers that count as near are not recounted here" }];
  if (!Array.isArray(p.harmless) || !isNumber(p.withhold_up_to)) return failed("l-diversity", "the promise does not state what is harmless and how much may be withheld");
  const out = [];
  for (const name of sensitive) {
    const harmless = new Set(p.harmless.flatMap(h => h.startsWith(`${name}=`) ? [h, h.slice(name.length + 1)] : [h])), cells = new Map();
    t.columns[name].forEach((v, i) => {
      if (v === null || v !== v) return;
      const key = cell(i);
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(v === 0 ? 0 : v);
    });
    const worst = [...cells.values()].filter(held => [...tally(held)].some(([v, n]) => !(isText(v) && harmless.has(v)) && n * p.l > held.length)).length;
    out.push({ name: `l-diversity of '${name}'`, passed: !worst, detail: `in ${counted(worst, "cell")} a protected value is held by more than one in ${p.l}` });
  }
  if (!withheld) return [...out, ...failed("withheld", "the table that states how many values are withheld is missing")];
  const { column, records } = withheld.columns, empty = name => t.columns[name].filter(v => v === null || v !== v).length;
  const fine = sameSet(column, sensitive) && records.every((n, i) => isCount(n) && n <= number(p.withhold_up_to) * t.rows && n <= empty(column[i]));
  return [...out, { name: "withheld", passed: fine, detail: fine ? "no more than is missing and allowed" : "more than is missing or allowed, or not stated for every column" }];
}

function recountRanges(m, tables) {
  const p = m.guarantee.parameters, q = plain(m.method.parameters), read = rangesShape(m, tables);
  if (read.why) return failed("table", read.why);
  const { t, times, ends, none, sensitive } = read, { record, group } = t.columns, out = [];
  const published = q.publish_values?.length ? q.publish_values : times;
  out.push({ name: "table", passed: numbered(record) && sameSet(published, times), detail: `${counted(t.rows, "record")}, ranges at ${counted(times.length, "time")}` });
  const columns = ends.map(n => t.columns[n]), first = new Map(), leader = new Int32Array(t.rows), uneven = new Set(), crossed = new Uint8Array(t.rows);
  group.forEach((g, i) => { if (!first.has(g)) first.set(g, i); leader[i] = first.get(g); });
  for (let j = 0; j < columns.length; j += 2) {
    const low = columns[j], high = columns[j + 1];
    for (let i = 0; i < t.rows; i++) {
      if (low[i] > high[i]) crossed[i] = 1;
      if (low[i] !== low[leader[i]] || high[i] !== high[leader[i]]) uneven.add(group[i]);
    }
  }
  const back = crossed.reduce((sum, x) => sum + x, 0);
  out.push({ name: "envelopes", passed: !back && !uneven.size, detail: `${back} ranges run backwards, ${counted(uneven.size, "group has", "groups have")} more than one envelope` });
  const sizes = tally(group), smallest = least(sizes.values());
  out.push({ name: "k", passed: smallest >= p.k, detail: `${counted(sizes.size, "group")}, the smallest holds ${smallest}; promised ${p.k}` });
  const cell = i => none ? String(group[i]) : `${group[i]} ${t.columns.pattern[i]} ${t.columns.level[i]}`;
  if (!none) {
    const { odd, aside } = oddPatterns(t, times, q), cells = tally(Array.from({ length: t.rows }, (_, i) => cell(i))), rarest = least(cells.values());
    out.push({ name: "patterns", passed: !odd, detail: `${counted(odd, "pattern")} use a letter, length or level they may not` });
    out.push({ name: "p", passed: rarest >= p.p, detail: `${counted(cells.size, "pattern")} inside groups, the rarest is shown by ${rarest}; promised ${p.p}` });
    if (!q.publish_patterns?.length) out.push({ name: "patterns lie around their mean", passed: !aside, detail: `${counted(aside, "pattern lies", "patterns lie")} all above or all below 0, as no shape does` });
  }
  if (p.ends !== "exact") {
    const step = q.ends_step;
    if (!(isNumber(step) && step > 0 && step < Infinity)) return failed("table", "ends are said to be rounded, and no step is published");
    const odd = new Uint8Array(t.rows);
    for (const column of columns) {
      for (let i = 0; i < t.rows; i++) {
        const at = Number(column[i]) / step, size = Math.abs(at);
        if (size > MOST_STEPS || Math.abs(at - Math.round(at)) > SLACK * (size > 1 ? size : 1)) odd[i] = 1;
      }
    }
    const rows = odd.reduce((sum, x) => sum + x, 0);
    out.push({ name: "rounded ends", passed: !rows, detail: `${counted(rows, "row has", "rows have")} an end that is not a multiple of the step ${step}` });
  }
  if (p.l) out.push(...diversity(t, cell, p, sensitive, tables.withheld));
  else if (tables.withheld) out.push(...failed("withheld", "nothing may be withheld without l-diversity"));
  return out;
}

function recountSupport(m, tables) {               // whatever part of a sequence is known, k sequences contain it
  const { k } = m.guarantee.parameters, t = tables.sequences, letters = tables.alphabet;
  if (!isWhole(k) || k < 2) return failed("table", "the promise states no k of at least 2");
  if (!t || Object.keys(tables).some(n => !["sequences", "alphabet"].includes(n))) return failed("table", "only the tables sequences and alphabet may be released");
  if (t.names.join() !== "record,sequence" || !t.rows || t.columns.sequence.some(s => !isText(s) || !s)) return failed("table", "the table has other columns, or a sequence is missing");
  if (letters) {
    const { value, letter } = letters.columns, known = new Set(letter), once = x => x.every(v => v !== null) && new Set(x).size === x.length;
    if (letters.names.join() !== "value,letter" || !once(value) || !once(letter) || !lettersOnly(letter) || letters.types.value !== "double" || !value.every(Number.isFinite)) return failed("table", "the table alphabet is not a list of letters and their values");
    if (t.columns.sequence.some(s => s.split(" ").some(x => !known.has(x)))) return failed("table", "a letter is not in the alphabet");
  }
  const whole = tally(t.columns.sequence), begins = new Map();
  for (const [text, n] of whole) { let at = ""; for (const x of text.split(" ")) { at = at ? `${at} ${x}` : x; begins.set(at, (begins.get(at) ?? 0) + n); } }
  const rarest = least([...whole.keys()].map(text => begins.get(text)));
  return [{ name: "table", passed: isWholeColumn(t, "record") && numbered(t.columns.record), detail: counted(t.rows, "sequence") },
    { name: "support", passed: rarest >= k, detail: `${whole.size} different sequences, the rarest begins ${rarest} of them; promised ${k}` }];
}

function recountEqualRows(m, tables, left) {       // every row equals the others of its cluster
  const { k, by } = m.guarantee.parameters, t = tables.sequences, states = tables.states, calendar = tables.calendar;
  if (!isWhole(k) || k < 2) return failed("promise", "the promise states no k of at least 2");
  if (!t || !states || !calendar) return failed("tables of rows", "the table sequences, states or calendar is missing");
  const more = Object.keys(tables).filter(n => !["sequences", "states", "calendar", "centroids"].includes(n));
  if (more.some(n => n !== "covariates")) return failed("tables of rows", "a table does not belong to this promise");
  if (more.length || by?.length) left.push(`what ${more[0] ?? "the groups"} show beside the rows`);
  if (!sameSet(t.names, ["record", "cluster", "states", ...by?.length ? ["group"] : []]) || !t.rows) return failed("tables of rows", "the table sequences has other columns");
  const beside = [[states, ["code", "name"]], [calendar, ["start", "interval_seconds", "intervals"]]];
  if (beside.some(([one, columns]) => !sameSet(one.names, columns))) return failed("tables of rows", "the table states or calendar has other columns");
  const { start, interval_seconds: step, intervals } = calendar.columns, n = Number(intervals[0]), names = states.columns.name, known = new Set(states.columns.code);
  const dated = calendar.types.start === "timestamp" && start[0] !== null && ["interval_seconds", "intervals"].every(c => isWholeColumn(calendar, c)) && step[0] > 0;
  const shaped = calendar.rows === 1 && dated && n > 0 && names.every(x => x !== null) && known.size === names.length && new Set(names).size === names.length && isWholeColumn(t, "record") && isWholeColumn(t, "cluster")
    && (numbered(t.columns.record) || numbered(t.columns.record, 0)) && t.columns.states.every(row => row !== null && row.length === n && row.every(x => known.has(x)));
  const out = [{ name: "tables of rows", passed: shaped, detail: `${counted(t.rows, "row")} of ${counted(n, "interval")}, ${counted(names.length, "state")}` }];
  if (!shaped) return out;
  const clusters = new Map();
  t.columns.cluster.forEach((c, i) => clusters.set(c, [...(clusters.get(c) ?? []), i]));
  const sizes = [...clusters.values()].map(x => x.length), low = Math.min(...sizes), high = Math.max(...sizes), row = i => t.columns.states[i].join();
  const uneven = [...clusters.values()].filter(own => own.some(i => row(i) !== row(own[0]))).length;
  out.push({ name: "cluster sizes", passed: low >= k && high <= 2 * k - 1, detail: `${counted(sizes.length, "cluster")} of ${low} to ${counted(high, "row")}, promised ${k} to ${2 * k - 1}` });
  out.push({ name: "rows of a cluster are identical", passed: !uneven, detail: `${counted(uneven, "cluster")} whose rows differ` });
  return tables.centroids ? [...out, recountMeans(tables.centroids, [...clusters.keys()], names.length)] : out;
}

function recountMeans(t, clusters, states) {       // a mean per cluster, state and day; of a day none is hidden or at least two
  const name = "hidden centroids cannot be reckoned";
  if (!sameSet(t.names, ["cluster", "state", "day", "minutes"]) || !["cluster", "state", "day"].every(n => isWholeColumn(t, n))) return failed(name, "the table centroids has other columns")[0];
  const { cluster, state, day, minutes } = t.columns, known = new Set(clusters), cells = new Set(), hidden = new Map();
  let odd = 0;
  minutes.forEach((m, i) => {
    cells.add(`${cluster[i]} ${state[i]} ${day[i]}`);
    hidden.set(`${cluster[i]} ${day[i]}`, (hidden.get(`${cluster[i]} ${day[i]}`) ?? 0) + (m === null));
    odd += !known.has(cluster[i]) || state[i] < 0 || state[i] >= states || m !== null && !(m > 0 && m < Infinity);
  });
  const days = new Set(day), single = [...hidden.values()].filter(n => n === 1).length;
  const whole = cells.size === t.rows && t.rows === clusters.length * states * days.size && [...days].every(d => d >= 0 && d < days.size);
  return { name, passed: whole && !odd && !single, detail: `${t.rows} means, ${counted(single, "day")} with a single hidden one, ${odd} that may not be shown` };
}

function recountGrams(m, tables) {                 // counts reach k, lower orders follow, contexts are in balance
  const { k, n } = m.guarantee.parameters, t = tables.ngrams, about = tables.balance;
  if (!isWhole(k) || !isWhole(n) || k < 1 || n < 1) return failed("promise", "the promise states no k and n");
  if (!t || Object.keys(tables).some(x => !["ngrams", "balance"].includes(x))) return failed("tables of grams", "only the tables ngrams and balance may be released");
  if (!sameSet(t.names, ["order", "gram", "count"]) || t.types.gram !== "string" || !isWholeColumn(t, "order") || !isWholeColumn(t, "count")) return failed("tables of grams", "the table ngrams has other columns");
  const rows = new Map();
  let odd = 0;
  t.columns.gram.forEach((gram, i) => {
    const order = t.columns.order[i], symbols = gram === null ? [] : gram.split(" ");
    if (!rows.has(order)) rows.set(order, new Map());
    if (symbols.length !== order || symbols.includes("") || rows.get(order).has(gram)) odd++;
    else rows.get(order).set(gram, t.columns.count[i]);
  });
  const out = [{ name: "rows are grams", passed: !odd && rows.size > 0, detail: `${counted(t.rows, "row")}, ${odd} malformed or repeated` }];
  if (odd || !rows.size) return out;
  const smallest = least(t.columns.count), add = (map, key, x) => map.set(key, (map.get(key) ?? 0) + x);
  const flows = grams => {                         // how often each context is left, and entered
    const leave = new Map(), enter = new Map();
    for (const [gram, x] of grams) if (gram.includes(" ")) { add(leave, gram.slice(0, gram.lastIndexOf(" ")), x); add(enter, gram.slice(gram.indexOf(" ") + 1), x); }
    return [leave, enter];
  };
  out.push({ name: "orders", passed: sameSet([...rows.keys()], Array.from({ length: n }, (_, i) => i + 1)), detail: `${counted(rows.size, "order")} published, 1..${n} promised` });
  out.push({ name: "counts reach k", passed: smallest >= k, detail: `the smallest count is ${smallest}; promised ${k}` });
  let above = rows.get(n) ?? new Map(), wrong = 0;
  const [leave, enter] = flows(above), contexts = new Set([...leave.keys(), ...enter.keys()]);
  const unbalanced = [...contexts].filter(c => (leave.get(c) ?? 0) !== (enter.get(c) ?? 0)).length;
  for (let order = n - 1; order >= 1; order--) {
    const [a, b] = flows(above), wanted = new Map(), found = rows.get(order) ?? new Map();
    for (const c of new Set([...a.keys(), ...b.keys()])) wanted.set(c, Math.max(a.get(c) ?? 0, b.get(c) ?? 0));
    for (const c of new Set([...wanted.keys(), ...found.keys()])) wrong += wanted.get(c) !== found.get(c);
    above = wanted;
  }
  out.push({ name: "lower orders follow from the highest", passed: !wrong, detail: `${counted(wrong, "count")} of orders 1..${n - 1} differ from what order ${n} implies` });
  out.push({ name: "as much enters every context as leaves it", passed: !unbalanced, detail: `${unbalanced} of ${counted(contexts.size, "context")} out of balance` });
  let sum = 0;
  for (const x of (rows.get(n) ?? new Map()).values()) sum += x;
  const stated = about && about.names.join() === "moved,occurrences" && about.rows === 1 && isWholeColumn(about, "moved") && about.columns.occurrences[0] === sum;
  out.push({ name: "the balance is stated", passed: Boolean(stated), detail: stated ? "moved and occurrences, which are those of the table" : "the table balance is not as it must be" });
  return [...out, { name: "people behind every gram", passed: false, open: true, detail: "whose the grams are, only the original can tell" }];
}

const COST = {                                     // what noise costs by its sensitivity and scale
  rho: bare({ gaussian: x => x * x / 2, threshold: x => x * x / 2, laplace: x => x * x / 2, "noisy-max": x => x * x / 2 }),
  epsilon: bare({ laplace: x => x, threshold: x => x, "noisy-max": x => 2 * x }),
};
function epsilonOf(rho, delta) {                   // the smallest epsilon over Rényi orders (Canonne, Kamath, Steinke 2020)
  if (!(Number.isFinite(rho) && delta > 0 && delta < 1)) return Infinity;
  if (rho <= 0) return 0;
  const at = s => { const a = 1 + Math.exp(s); return rho * a + Math.log1p(-1 / a) - Math.log(a * delta) / (a - 1); };
  let low = -20, high = 40;
  for (let i = 0; i < 200; i++) { const third = (high - low) / 3; if (at(low + third) < at(high - third)) high -= third; else low += third; }
  return Math.max(0, at((low + high) / 2));
}
function recountLedger(m, _tables, left) {
  const ledger = m.ledger && plain(m.ledger), { epsilon, delta } = plain(m.guarantee.parameters), SPARE = 1e-7;
  if (!ledger) return failed("ledger", "the release has no ledger, so nothing can be added up");
  if (!(epsilon > 0) || !(delta >= 0)) return failed("ledger", "the promise states no epsilon and delta");
  const rules = Object.hasOwn(COST, ledger.measure) ? COST[ledger.measure] : {}, { entries } = ledger, sum = xs => xs.reduce((a, b) => a + b, 0);
  const complete = entries.length > 0 && new Set(entries.map(e => e.mechanism)).size === entries.length && entries.every(e => e.kind in rules && e.amount >= 0 && e.delta >= 0);
  const cost = e => rules[e.kind] && e.scale > 0 && e.sensitivity > 0 ? rules[e.kind](e.sensitivity / e.scale) : Infinity;
  const cheap = entries.filter(e => !(cost(e) <= e.amount * (1 + SPARE))).length, spent = sum(entries.map(e => e.amount));
  const real = sum(entries.map(e => Math.max(e.amount, cost(e))));
  const [implied, whole] = [real, ledger.total].map(x => ledger.measure === "rho" ? epsilonOf(x, delta - ledger.delta_reserved) : x);
  const lost = sum(entries.map(e => e.delta)), kept = ledger.delta_reserved;
  left.push("that every mechanism of the method is in the ledger with its sensitivity", "that the tables have the shape and the spread of noise that the method states");
  return [
    { name: "ledger is complete", passed: complete, detail: `${counted(entries.length, "entry", "entries")}, measured in ${ledger.measure}` },
    { name: "ledger and promise agree", passed: ledger.unit === m.guarantee.unit && ledger.epsilon === epsilon && ledger.delta === delta, detail: `unit ${ledger.unit}, epsilon ${ledger.epsilon}, delta ${ledger.delta} in the ledger` },
    { name: "noise pays for its entries", passed: !cheap, detail: `${cheap} of ${entries.length} cost more than the ledger says` },
    { name: "the entries add up", passed: Math.abs(whole - epsilon) <= SPARE * epsilon && spent <= ledger.total * (1 + SPARE) && (ledger.spent === undefined || Math.abs(ledger.spent - spent) <= 1e-9 * Math.max(Math.abs(spent), Math.abs(ledger.spent))), detail: `${spent.toPrecision(6)} spent of ${ledger.total.toPrecision(6)} ${ledger.measure}` },
    { name: "the sum keeps the promise", passed: implied <= epsilon * (1 + SPARE), detail: `it gives epsilon ${implied.toPrecision(6)}, promised ${epsilon} at delta ${delta}` },
    { name: "failure probabilities add up", passed: kept >= 0 && kept <= delta && lost <= kept * (1 + SPARE) && (ledger.measure === "epsilon" || kept < delta), detail: `${lost} spent of ${kept} reserved, ${delta} promised in all` },
  ];
}
