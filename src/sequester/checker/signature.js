// Signatures as `ssh-keygen -Y sign` makes them, and the statement beside them, in the words of `sequester verify`.

const NAMESPACE = "sequester-bundle";
const unbase64 = text => {
  need(/^[A-Za-z0-9+\/]*={0,2}$/.test(text) && text.length % 4 === 0, "it is not base64");
  return Uint8Array.from(atob(text), c => c.charCodeAt(0));
};
const base64 = bytes => btoa(String.fromCharCode(...bytes));

class Wire {                                       // strings one behind the other, as SSH packs them
  constructor(b) { this.b = b; this.p = 0; }
  number() {
    need(this.p + 4 <= this.b.length, "it is cut off");
    this.p += 4;
    return new DataView(this.b.buffer, this.b.byteOffset + this.p - 4, 4).getUint32(0);
  }
  string() {
    const n = this.number();
    need(this.p + n <= this.b.length, "it is cut off");
    this.p += n;
    return this.b.slice(this.p - n, this.p);
  }
  text() { return String.fromCharCode(...this.string()); }
  end() { need(this.p === this.b.length, "something stands behind it"); }
}
function packed(...parts) {
  const whole = parts.map(x => typeof x === "string" ? encoded(x) : x);
  const out = new Uint8Array(whole.reduce((n, x) => n + 4 + x.length, 0));
  let p = 0;
  for (const x of whole) { new DataView(out.buffer).setUint32(p, x.length); out.set(x, p + 4); p += 4 + x.length; }
  return out;
}
const joined = (...parts) => { const out = new Uint8Array(parts.reduce((n, x) => n + x.length, 0)); let p = 0; for (const x of parts) { out.set(x, p); p += x.length; } return out; };

function rawKey(blob) {
  const wire = new Wire(blob), kind = wire.text(), key = wire.string();
  wire.end();
  need(kind === "ssh-ed25519" && key.length === 32, "its key is not an Ed25519 key");
  return key;
}
const fingerprint = async blob => "SHA256:" + base64(await digest("SHA-256", blob)).replace(/=+$/, "");
async function signedBy(raw, signature, message) {
  if (signature.length !== 64) return false;
  try {
    const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, message);
  } catch { return false; }
}

const ARMOUR = /^-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+\/]{70}\n)*[A-Za-z0-9+\/]{1,70}={0,2}\n)-----END SSH SIGNATURE-----\n$/;
async function keyBelow(armoured, message) {       // the key below a message, or why this is no signature of it
  const found = ARMOUR.exec(String.fromCharCode(...armoured));
  let blob = new Uint8Array();
  try { if (found) blob = unbase64(found[1].replace(/\n/g, "")); } catch { /* said below */ }
  need(String.fromCharCode(...blob.subarray(0, 6)) === "SSHSIG", "it is not an OpenSSH signature");
  const wire = new Wire(blob.subarray(6));
  need(wire.number() === 1, "it is not an OpenSSH signature of version 1");
  const key = wire.string(), purpose = wire.text(), reserved = wire.string(), hash = wire.text(), signature = wire.string();
  wire.end();
  need(purpose === NAMESPACE, `it was made for another purpose than '${NAMESPACE}'`);
  need(!reserved.length && ["sha512", "sha256"].includes(hash), "it uses a hash or a field that is not known");
  const raw = rawKey(key), inner = new Wire(signature), kind = inner.text(), bare = inner.string();
  inner.end();
  const signed = joined(encoded("SSHSIG"), packed(purpose, "", hash, await digest(hash === "sha512" ? "SHA-512" : "SHA-256", message)));
  need(kind === "ssh-ed25519" && await signedBy(raw, bare, signed), "it does not fit: the manifest was edited after signing, or is another bundle's");
  return key;
}

const FACTS = {
  account: ["delta", "draws", "epsilon_after", "epsilon_before", "previous", "releases", "unbounded"],
  attack: ["bounds", "strongest", "tried"], reading: ["declared", "default", "found"],
  "": ["account", "attack", "beside_original", "checks", "program", "program_sha256", "reading", "signed"],
};
const small = (bytes, name) => { need(bytes.length <= 65536, `${name} is not a plain small file`); return bytes; };
async function attested(bytes, manifest, key) {    // the facts of an in-toto statement in a DSSE envelope
  let stored, payload, signature, statement;
  try {
    stored = json(decoded(bytes));
    payload = unbase64(stored.payload);
    need(Array.isArray(stored.signatures) && stored.signatures.length === 1, "damaged");
    signature = unbase64(stored.signatures[0].sig);
    statement = json(decoded(payload));
  } catch { throw new Refused("the attestation is damaged"); }
  const one = stored.signatures[0], kind = "application/vnd.in-toto+json";
  need(one.keyid === await fingerprint(key), "the attestation was not signed by the key that signed the manifest");
  const again = `{\n  "payload": "${base64(payload)}",\n  "payloadType": "${kind}",\n  "signatures": [\n    {\n      "keyid": "${one.keyid}",\n      "sig": "${base64(signature)}"\n    }\n  ]\n}\n`;
  need(decoded(bytes) === again, "the attestation is not in the form that signing writes");
  need(asPython(statement) === decoded(payload), "the attestation is not in the form that signing writes");
  const covered = joined(encoded(`DSSEv1 ${kind.length} ${kind} ${payload.length} `), payload);
  need(await signedBy(rawKey(key), signature, covered), "the attestation does not carry the signature of its key");
  need(statement._type === "https://in-toto.io/Statement/v1" && statement.predicateType === "urn:sequester:attestation:1"
    && Object.keys(statement).length === 4, "the attestation is a statement of another kind");
  const subject = statement.subject, facts = statement.predicate;
  need(asPython(subject) === `[{"digest":{"sha256":"${await sha256(manifest)}"},"name":"manifest.json"}]`, "the attestation is about another bundle");
  const known = (part, value) => isRecord(value) && Object.keys(value).sort().join() === FACTS[part].join();
  const words = x => typeof x === "string" && /^[a-z0-9][a-z0-9 ,()-]{0,79}$/.test(x), count = x => isCount(x) && x <= 2 ** 53;
  const a = facts.account;
  need(known("", facts) && known("reading", facts.reading) && Object.values(facts.reading).every(count)
    && /^sequester [0-9][0-9A-Za-z.+-]{0,30}$/.test(facts.program) && /^[0-9a-f]{64}$/.test(facts.program_sha256)
    && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(facts.signed) && ["confirmed", "undecided", "not looked at"].includes(facts.beside_original)
    && Array.isArray(facts.checks) && facts.checks.every(words)
    && (facts.attack === null || known("attack", facts.attack) && count(facts.attack.tried) && words(facts.attack.strongest)
      && ["kept", "beaten", "none stated"].includes(facts.attack.bounds))
    && (a === null || known("account", a) && [a.releases, a.draws, a.unbounded].every(count)
      && [a.epsilon_before, a.epsilon_after, a.delta].every(x => isNumber(x) && x >= 0 && x <= 2 ** 53) && (a.previous === null || /^[0-9a-f]{64}$/.test(a.previous))),
    "the attestation states something that is not in its schema");
  return plain(facts);
}

const OPTION = /(cert-authority)|(namespaces|valid-after|valid-before)="([^"]*)"/gi;
const BEFORE_KEY = new RegExp(`^("[^"]*"|[^\\s"]+)?(?:\\s+((?:${OPTION.source})(?:,(?:${OPTION.source}))*))?$`, "i");
function signersOf(text) {                         // lines of allowed_signers, or of a file with one public key
  const out = [];
  text = text.replace(/^\ufeff/, "");
  need(!/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]/.test(text), "the list of signers is not a text file");
  text.split("\n").forEach((raw, i) => {
    const line = raw.trim(), found = line.startsWith("#") ? null : /(?:^|\s)ssh-ed25519\s+([A-Za-z0-9+\/]+={0,2})(?:\s|$)/.exec(line);
    if (!found) return;
    let whole = false;
    try { whole = rawKey(unbase64(found[1])) && base64(unbase64(found[1])) === found[1]; } catch { /* said below */ }
    need(whole, `line ${i + 1} of the list of signers does not hold a whole Ed25519 key`);
    const before = BEFORE_KEY.exec(line.slice(0, line.indexOf("ssh-ed25519")).trim()), options = {};
    let twice = false;
    for (const [, alone, option, value] of (before?.[2] ?? "").matchAll(OPTION)) {
      const name = (alone ?? option).toLowerCase();
      twice ||= name in options;
      options[name] = value ?? "";
    }
    need(before && !twice, `line ${i + 1} of the list of signers has an option that is not known, not in quotes or given twice`);
    const after = moment(options["valid-after"]), until = moment(options["valid-before"]);
    if ("cert-authority" in options || !(options.namespaces ?? NAMESPACE).split(",").includes(NAMESPACE)) return;
    out.push({ name: (before[1] ?? "").replace(/^"|"$/g, ""), key: found[1], after, before: until });
  });
  need(out.length, "the list of signers names no Ed25519 key for signing bundles");
  return out;
}
function moment(text) {                            // YYYYMMDD[HHMM[SS]][Z]: by this machine's clock without a Z
  if (text === undefined) return undefined;
  const m = /^([1-9]\d{3})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/.exec(text), parts = m?.slice(1, 7).map(x => Number(x ?? 0)) ?? [];
  const real = m && new Date(Date.UTC(parts[0], parts[1] - 1, ...parts.slice(2))).toISOString().replace(/\D/g, "").startsWith(parts.map((x, i) => String(x).padStart(i ? 2 : 4, "0")).join(""));
  need(real, "the list of signers has a date that is not YYYYMMDD");
  parts[1]--;
  return m[7] ? Date.UTC(...parts) : new Date(...parts).getTime();
}
const day = time => { const d = new Date(time), two = x => String(x).padStart(2, "0"); return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`; };

// What is known of a bundle's signature: { good, checked, words, facts }.
async function signature(files, signers) {
  const bad = (words, facts) => ({ good: false, checked: true, words, facts });
  const listed = signers ? signersOf(signers) : [], below = files.get("manifest.json.sig"), statement = files.get("attestation.json");
  if (!below) {
    if (statement) return bad("the signature is refused: there is an attestation, but the manifest is not signed");
    return signers ? bad("the bundle is not signed") : { good: true, checked: false, words: "" };
  }
  let key, facts = null, print;
  try {
    key = await keyBelow(small(below, "manifest.json.sig"), files.get("manifest.json"));
    if (statement) facts = await attested(small(statement, "attestation.json"), files.get("manifest.json"), key);
    print = await fingerprint(key);
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    return bad(`the signature is refused: ${e.message}`);
  }
  if (!signers) return { good: true, checked: false, words: `signed by the key ${print}; whose key that is was not checked`, facts };
  let words = "";
  for (const s of listed) {
    if (s.key !== base64(key)) continue;
    const name = s.name || print, now = Date.now();
    if (s.after !== undefined && now < s.after) words ||= `the key of ${name} does not count before ${day(s.after)}`;
    else if (s.before !== undefined && now >= s.before) words ||= `the key of ${name} has not counted since ${day(s.before)}`;
    else return { good: true, checked: true, words: `signed by ${name}${facts ? ` on ${facts.signed.slice(0, 10)}` : ""}`, facts };
  }
  return bad(words || `signed by a key that is not among the signers (${print})`, facts);
}

function inWords(facts) {                          // for a board
  const many = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`, how = facts.reading;
  const out = [`Signed on ${facts.signed.slice(0, 10)} with ${facts.program} (sources ${facts.program_sha256.slice(0, 16)}…).`,
    `How the source was read: ${how.declared} facts declared, ${how.default} by default, ${how.found} found in the data.`,
    { confirmed: `The custodian states that checks beside the original held: ${facts.checks.join(", ")}.`,
      undecided: "The custodian states that the check beside the original came to no decision.",
      "not looked at": "The custodian makes no statement about a check beside the original." }[facts.beside_original]];
  const fate = { kept: "no attack beat a bound of the promise", beaten: "an attack beat a bound of the promise", "none stated": "the promise states no bound for them" };
  out.push(facts.attack ? `The custodian states: ${many(facts.attack.tried, "attack")} tried, the strongest was ${facts.attack.strongest}; ${fate[facts.attack.bounds]}.`
    : "The custodian makes no statement about attacks.");
  const a = facts.account;
  if (!a) return [...out, "The custodian keeps no account of releases of these people."];
  out.push(`The custodian states: ${many(a.releases, "release")} of these people in the account, this one included${a.epsilon_after
    ? `; epsilon ${short(a.epsilon_before)} before it and ${short(a.epsilon_after)} with it (delta ${short(a.delta, 6)})` : ""}.`);
  if (a.unbounded) out.push(`Of these, ${a.unbounded} are not bounded by differential privacy.`);
  out.push(`The account counts ${many(a.draws, "draw")} since the release before, this one included.`);
  if (a.previous) out.push(`The release of these people before this one has the manifest ${a.previous.slice(0, 16)}….`);
  return out;
}
