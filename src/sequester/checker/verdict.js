// One verdict for a bundle, and plain words for everything that was not looked at.

const RECOUNTS = bare({
  "substring-k-anonymity": recountRuns, "word-frequency": recountWords, "kp-anonymity": recountRanges, "k-support": recountSupport,
  "k-anonymous-sequences": recountEqualRows, "ngram-k-people": recountGrams, "differential-privacy": recountLedger,
});
const SAID = {
  broken: "NOT confirmed", refused: "Refused", confirmed: "Confirmed from the release alone", undecided: "Undecided without the original",
  unknown: "Undecided: this page does not know the words of the promise", ledger: "The ledger adds up; the noise itself cannot be seen", "not recounted": "The promise was not recounted here",
};

async function examine(files, folders, signers) {
  const began = performance.now(), left = [];
  const done = (result, checks, m, signed) => ({
    result, verdict: SAID[result === "undecided" && checks.some(c => c.open && c.name === "promise") ? "unknown" : result], checks, not_checked: left, ms: performance.now() - began, signature: signed?.words ?? "",
    statement: signed?.facts ? inWords(signed.facts) : [], promise: m ? { level: m.guarantee.level, unit: m.guarantee.unit, grade: m.guarantee.status, words: m.guarantee.statement, not_covered: m.guarantee.not_covered } : null,
  });
  let m;
  try {
    need(files.has("manifest.json"), files.has("custodian.json") ? "this is the custodian's folder, not a bundle; keep it private" : "this is not a bundle; it has no manifest.json");
    m = readManifest(files.get("manifest.json"));
  } catch (e) {
    return done("refused", failed("manifest", e instanceof Refused ? e.message : "it cannot be read"));
  }
  let signed;
  try { signed = await signature(files, signers); }
  catch (e) { if (!(e instanceof Refused)) throw e; return done("refused", failed("signers", e.message)); }
  let words;
  try { words = promiseWords(m); }
  catch (e) { words = { check: failed("promise", "the method and its parameters make no promise")[0], left: [] }; }
  const checks = [await closedSet(files, folders, m)], read = readTables(files, m, await protectedBy(m));
  if (words.check) checks.push(words.check);
  checks.push(...read.checks);
  if ("federation" in m !== "transcript" in read.tables) checks.push(...failed("transcript", "data of several sites and a transcript belong together"));
  const recount = RECOUNTS[m.guarantee.model];
  if (recount && read.checks.every(c => c.passed || c.name !== "tables")) {
    try { checks.push(...recount(m, read.tables, left)); }
    catch (e) { checks.push(...failed("recount", "the tables do not have the shape that the promise needs")); }
  }
  if (signed.checked) checks.push({ name: "signature", passed: signed.good, detail: signed.words });
  else left.push(signed.words ? signed.words[0].toUpperCase() + signed.words.slice(1) : "Who made it: the bundle is not signed");
  if (signed.checked && signed.good) left.push("whether the key was revoked, and the custodian's list of releases");
  if (m.teaching_only) checks.push(...failed("teaching only", "the noise was drawn with a known seed; this bundle protects nobody"));
  if (m.guarantee.model === "differential-privacy" && m.reading.some(f => f.how === "found" && f.name !== "states"))
    checks.push(...failed("reading was declared", "facts about the reading were found in the data"));
  if (m.guarantee.model === "differential-privacy" && !m.reading.length) left.push("how the source was read (the manifest says nothing)");
  left.push(...words.left, ...read.left, "what report.html, README.md and the metadata say", "the lines of checks that the manifest states",
    "that a table's file is byte for byte what its writer makes (every field of its footer is known, and its statistics fit)",
    "links and empty folders, where the browser does not show them");
  const why = m.method.id === "k-words" ? "the lists of words and names are not in the bundle; use `sequester verify`"
    : m.guarantee.status === "as-published" ? "the published claim cannot be checked" : "use `sequester verify`";
  if (!recount) left.unshift(`the promise itself and the types of its columns (${why})`);
  const broken = checks.some(c => !c.passed && !c.open), open = checks.some(c => c.open);
  const result = broken ? "broken" : !recount ? "not recounted" : open ? "undecided" : m.guarantee.model === "differential-privacy" ? "ledger" : "confirmed";
  return done(result, checks, m, signed);
}
