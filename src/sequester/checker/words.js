// The words of the promise: they must be those that the method says with these numbers (WORDS, from docs/guarantees.md).

const masked = text => text.replace(/\d+(?:\.\d+)?(?:e-?\d+)?/g, "#").replace(/(?<!\w)'[^']*'(?!\w)/g, "'…'");

// A sentence with the numbers of this promise in place of the names of parameters: what is stated is what is counted.
function filled(template, p) {
  return template.replace(/\{(2|rare )?(\w+)(-1|%)?\}/g, (_, before, name, behind) => {
    const x = p[name];
    if (name === "by" && Array.isArray(x)) return x.map(column => `'${column}'`).join(" and ");
    if (!Number.isFinite(x)) return "?";
    if (behind === "%") return String(evenly(100 * x));
    if (before === "rare ") return String(Math.max(2, Math.ceil(-1 / Math.expm1(-x))));
    if (name === "epsilon" || name === "delta") return short(x, 6);
    return String((before === "2" ? 2 * x : x) - (behind === "-1" ? 1 : 0));
  });
}
const evenly = x => Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x);   // as Python rounds

// What decides which words a promise has: switches and names as they are, of numbers and lists whether there is one.
function inAWord(x) {
  if (x === undefined || x === null || isText(x)) return x ?? "";
  if (typeof x === "boolean") return x ? "yes" : "no";
  if (typeof x === "number") return x ? "n" : "0";
  return (Array.isArray(x) ? x : Object.keys(x)).length ? "n" : "0";
}

const COUNTED = ["background", "hide", "show"];      // of files the promise says how many there are
const OTHERWISE = [...COUNTED, "markers", "nouns"];   // the promise says these in another way than the option
const sorted = x => Array.isArray(x) ? x.map(sorted) : isRecord(x) ? Object.keys(x).sort().map(k => [k, sorted(x[k])]) : x;
const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function promiseWords(m) {
  const g = m.guarantee, ours = m.created_with === `sequester ${VERSION}`, known = Object.hasOwn(WORDS, m.method.id) ? WORDS[m.method.id] : null, odd = [], left = [];
  const unknown = (who, detail) => ({ check: { name: "promise", passed: false, open: true, detail }, left: [`the words of the promise ${who}`] });
  if (!known) return unknown("and its layout (this page does not know the method)", "this page does not know the method and cannot tell what it promises");
  const p = plain(g.parameters), q = plain(m.method.parameters);
  // Of data at several sites the method's own sentence comes first; what follows it, and the transcript, `verify` reads.
  const own = m.federation ? g.statement.split(` The data stayed at ${plain(m.federation.sites)} sites. `)[0] : g.statement;
  if (m.federation && own === g.statement) odd.push("statement");
  const choice = known.by.map(name => inAWord(name === "unit" ? g.unit : name in p || typeof q[name] !== "boolean" ? p[name] : q[name])).join("|");
  const words = Object.hasOwn(known.said, choice) ? known.said[choice] : known.levels.flatMap((_, i) => known.statements.map((_, j) => [i, j]));
  const right = words.map(([i, j]) => [filled(known.levels[i], p) === g.level, filled(known.statements[j], p) === own]);
  if (!right.some(([level, statement]) => level && statement)) {
    const wrong = ["level", "statement"].filter((_, at) => !right.some(x => x[at]));
    odd.push(...wrong.length ? wrong : ["statement"]);
  }
  if (m.federation) left.push("what the promise says of several sites: who is trusted, and people at two of them", "that the release follows from the transcript of the study");
  if (known.model.includes(g.model) === false) odd.push("model");
  odd.push(...["kind", "layout", "paper"].filter((name, i) => ![[known.kind], known.layouts, [known.paper]][i].includes([m.kind, m.layout, m.method.paper][i]) && (ours || name !== "paper")));
  odd.push(...Object.keys(p).filter(name => !known.parameters.includes(name)));
  odd.push(...known.needed.filter(name => !(name in p)));
  if (!known.needs_original.includes(g.needs_original ?? false)) odd.push("needs_original");
  for (const [name, values] of Object.entries(known.derived)) if (name in p && !values.some(v => same(v, p[name]))) odd.push(name);
  for (const name of Object.keys(p)) if (name in q && q[name] !== null && !OTHERWISE.includes(name) && !same(p[name], q[name])) odd.push(name);
  if (!known.units.includes(g.unit) || "unit" in q && g.unit !== q.unit) odd.push("unit");
  if (g.model === "kp-anonymity") {
    if (q.ends_step !== undefined && (p.ends === "exact") !== (q.ends_step === 0)) odd.push("ends");
    if (m.method.id === "kapra" && (p.pattern_of === "nobody") !== (q.p === 1)) odd.push("pattern_of");
  }
  if (m.ledger && g.model !== "differential-privacy") odd.push("ledger");
  if ("mask" in q && p.mark !== (q.spans ?? q.mask)) odd.push("mark");
  if ("spans" in q && p.per_character !== (q.spans === null || q.spans === undefined)) odd.push("per_character");
  if (Boolean(p.markers?.length) !== (q.markers === "typed")) odd.push("markers");
  odd.push(...COUNTED.filter(name => (p[name] ?? 0) !== (q[name]?.length ?? 0)));
  if (!same(p.kept ?? [], q.keep ?? [])) odd.push("kept");
  if (!same(p.by ?? [], q.by ?? [])) odd.push("by");
  if (g.model === "substring-k-anonymity" && q.granularity !== "character" && Boolean(p.solid) !== (q.gaps === "solid")) odd.push("solid");
  if (!known.status.includes(g.status)) odd.push("status");
  const lines = new Set(g.not_covered.map(masked));
  if (known.always.some(line => !lines.has(line))) odd.push("not_covered");
  if (m.method.paper !== known.paper) left.push("the paper that is cited (another version made it)");
  if ("list" in p) left.push("the checksums of its lists");
  left.push("options that the promise does not repeat", "which of the sentences under “not covered” belong to these parameters");
  const others = [...lines].filter(line => !known.lines.includes(line)).length;
  if (others) left.push(`${counted(others, "sentence")} under “not covered” that this page does not know`);
  const all = [...new Set(odd)];
  if (all.length && !ours)
    return unknown(`(${m.created_with} wrote the bundle, this page is of ${VERSION})`, `${all.join(", ")} differ from what version ${VERSION} promises, and ${m.created_with} wrote the bundle`);
  return { check: { name: "promise", passed: !all.length, detail: all.length ? `${all.join(", ")} differ from what the method promises` : "it is what the method promises" }, left };
}
