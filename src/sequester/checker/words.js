// The words of the promise: they must be those that the method says with these numbers (WORDS, from docs/guarantees.md).

const numbersIn = text => (text.match(/\d+(?:\.\d+)?(?:e-?\d+)?/g) ?? []).map(Number);
const masked = text => text.replace(/\d+(?:\.\d+)?(?:e-?\d+)?/g, "#").replace(/'[^']*'/g, "'…'");

// The numbers that level and statement begin with, by model: what is stated is what is counted.
const LEADING = {
  "substring-k-anonymity": p => [[p.k], [p.k]], "word-frequency": p => [[p.k], [p.k]], "kp-anonymity": p => p.p > 1 ? [[p.k, p.p], [p.k, p.p]] : [[p.k], [p.k]],
  "k-anonymous-sequences": p => [[p.k], [p.k - 1]], "k-support": p => [[p.k], [p.k]], "ngram-k-people": p => [[p.k], [p.n, p.k]],
  "differential-privacy": p => [p.delta ? [p.epsilon, p.delta] : [p.epsilon], p.delta ? [p.epsilon, p.delta] : [p.epsilon]],
};

const OTHERWISE = ["background", "show", "markers", "nouns"];   // the promise says these in another way than the option
const sorted = x => Array.isArray(x) ? x.map(sorted) : isRecord(x) ? Object.keys(x).sort().map(k => [k, sorted(x[k])]) : x;
const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function promiseWords(m) {
  const g = m.guarantee, known = WORDS[m.method.id], odd = [], left = [];
  if (m.created_with !== `sequester ${VERSION}`) return { check: null, left: [`the words of the promise (${m.created_with} wrote the bundle, this page is of ${VERSION})`] };
  if (!known) return { check: null, left: ["the words of the promise and its layout (this page does not know the method)"] };
  const p = plain(g.parameters), q = plain(m.method.parameters);
  if (!known.levels.includes(masked(g.level))) odd.push("level");
  // Of data at several sites the method's own sentence comes first; what follows it, and the transcript, `verify` reads.
  const own = m.federation ? g.statement.split(` The data stayed at ${plain(m.federation.sites)} sites. `)[0] : g.statement;
  if (!known.statements.includes(masked(own)) || m.federation && own === g.statement) odd.push("statement");
  if (m.federation) left.push("what the promise says of several sites: who is trusted, and people at two of them", "that the release follows from the transcript of the study");
  if (known.model.includes(g.model) === false) odd.push("model");
  const lead = LEADING[g.model]?.(p);
  if (lead) [["level", g.level], ["statement", g.statement]].forEach(([name, text], i) => {
    const found = numbersIn(text);
    if (!lead[i].every((x, j) => found[j] === x)) odd.push(name);
  });
  odd.push(...["kind", "layout", "paper"].filter((_, i) => ![[known.kind], known.layouts, [known.paper]][i].includes([m.kind, m.layout, m.method.paper][i])));
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
  if ("mask" in q && p.mark !== (q.spans ?? q.mask)) odd.push("mark");
  if ("spans" in q && p.per_character !== (q.spans === null || q.spans === undefined)) odd.push("per_character");
  if (Boolean(p.markers?.length) !== (q.markers === "typed")) odd.push("markers");
  if (number(p.background ?? 0) !== (q.background?.length ?? 0) || (p.show ?? 0) !== (q.show?.length ?? 0)) odd.push("background");
  if (!same(p.kept ?? [], q.keep ?? [])) odd.push("kept");
  if (!same(p.by ?? [], q.by ?? [])) odd.push("by");
  if (g.model === "substring-k-anonymity" && q.granularity !== "character" && Boolean(p.solid) !== (q.gaps === "solid")) odd.push("solid");
  if (!known.status.includes(g.status)) odd.push("status");
  const lines = new Set(g.not_covered.map(masked));
  if (known.always.some(line => !lines.has(line))) odd.push("not_covered");
  if ("list" in p) left.push("the checksums of its lists");
  left.push("options that the promise does not repeat", "which of the sentences under “not covered” belong to these parameters");
  const unknown = [...lines].filter(line => !known.lines.includes(line)).length;
  if (unknown) left.push(`${counted(unknown, "sentence")} under “not covered” that this page does not know`);
  const all = [...new Set(odd)];
  return { check: { name: "promise", passed: !all.length, detail: all.length ? `${all.join(", ")} differ from what the method promises` : "it is what the method promises" }, left };
}
