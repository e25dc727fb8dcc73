// Bytes, checksums, and JSON in which nothing can hide.

class Refused extends Error {}                     // a file is not what it is said to be; the message says why
const need = (fine, why) => { if (!fine) throw new Refused(why); };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoded = text => new TextEncoder().encode(text);
const decoded = bytes => { try { return utf8.decode(bytes); } catch { throw new Refused("it is not UTF-8"); } };
const hex = bytes => Array.from(bytes, x => x.toString(16).padStart(2, "0")).join("");
const digest = async (kind, bytes) => new Uint8Array(await crypto.subtle.digest(kind, bytes));
const sha256 = async bytes => hex(await digest("SHA-256", bytes));

const counted = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;
const short = (x, digits = 3) => {                 // as Python's %g spells it
  const [whole, power] = x.toExponential(digits - 1).split("e"), p = Number(power);
  return p < -4 || p >= digits ? `${Number(whole)}e${p < 0 ? "-" : "+"}${String(Math.abs(p)).padStart(2, "0")}` : String(Number(x.toPrecision(digits)));
};
const bare = entries => Object.assign(Object.create(null), entries);   // a record in which only its own names are found
const tally = items => { const found = new Map(); for (const x of items) found.set(x, (found.get(x) ?? 0) + 1); return found; };
const least = numbers => { let low = Infinity; for (const x of numbers) if (x < low) low = x; return low; };
const sameSet = (a, b) => { const s = new Set(a); return a.length === b.length && s.size === a.length && b.every(x => s.has(x)); };

async function inflated(bytes, form, size) {       // no more than it says of itself is ever unpacked
  const out = new Uint8Array(size), reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form)).getReader();
  let at = 0;
  try {
    for (let some = await reader.read(); !some.done; some = await reader.read()) { out.set(some.value, at); at += some.value.length; }
  } catch { throw new Refused("it cannot be unpacked"); }
  return out.subarray(0, at);
}

// A number that was written with a point or an exponent: 4.0 is not the whole number 4.
class Decimal {
  constructor(value) { this.value = value; }
  valueOf() { return this.value; }
}
const number = x => x instanceof Decimal ? x.value : x;
const isWhole = x => typeof x === "number";
const isNumber = x => typeof x === "number" || x instanceof Decimal;
const isRecord = x => x !== null && typeof x === "object" && !Array.isArray(x) && !(x instanceof Decimal);
const plain = x => x instanceof Decimal ? x.value : Array.isArray(x) ? x.map(plain)
  : isRecord(x) ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, plain(v)])) : x;

// As Python writes it: keys in order, no blanks, ASCII alone, numbers in the shortest form that reads as the same.
const inAscii = text => JSON.stringify(text).replace(/[\x7f-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const asPython = x => Array.isArray(x) ? `[${x.map(asPython).join()}]` : x instanceof Decimal ? float(x.value)
  : isRecord(x) ? `{${Object.keys(x).sort().map(k => `${inAscii(k)}:${asPython(x[k])}`).join()}}` : inAscii(x);
function float(x) {
  const [digits, power] = x.toExponential().split("e"), p = Number(power), plainly = Object.is(x, -0) ? "-0" : String(x);
  if (p < -4 || p >= 16) return `${digits}e${p < 0 ? "-" : "+"}${String(Math.abs(p)).padStart(2, "0")}`;
  return plainly.includes(".") ? plainly : `${plainly}.0`;
}

const WRITTEN = Symbol("keys in the order in which they stand");   // objects put keys such as "1" first
const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

// Strict JSON: no key twice, nothing behind it, no half character, no number that is not finite.
function json(text) {
  let at = 0, depth = 0;
  const skip = () => { BLANK.lastIndex = at; BLANK.test(text); at = BLANK.lastIndex; };
  const string = () => {
    STRING.lastIndex = at;
    const found = STRING.exec(text);
    need(found, "it is not JSON");
    at = STRING.lastIndex;
    const value = JSON.parse(found[0]);
    need(value.isWellFormed(), "it holds half a character");
    return value;
  };
  const listed = (end, one) => {                   // what stands between brackets, separated by commas
    at++; skip();
    if (text[at] === end) { at++; return; }
    for (;;) {
      one(); skip();
      if (text[at] === ",") { at++; continue; }
      need(text[at++] === end, "it is not JSON");
      return;
    }
  };
  const value = () => {
    skip();
    need(++depth <= 100, "it is nested too deeply");
    let out;
    if (text[at] === "{") {
      out = Object.create(null, { [WRITTEN]: { value: [] } });
      listed("}", () => {
        skip();
        const key = string();
        skip();
        need(text[at++] === ":", "it is not JSON");
        need(!(key in out), "a key stands twice");
        out[WRITTEN].push(key);
        out[key] = value();
      });
    } else if (text[at] === "[") {
      out = [];
      listed("]", () => out.push(value()));
    } else if (text[at] === '"') out = string();
    else {
      const word = ["true", "false", "null"].find(w => text.startsWith(w, at));
      if (word) { out = { true: true, false: false, null: null }[word]; at += word.length; }
      else {
        NUMBER.lastIndex = at;
        const found = NUMBER.exec(text);
        need(found, "it is not JSON");
        at = NUMBER.lastIndex;
        const x = Number(found[0]);
        need(Number.isFinite(x), "a number is not finite");
        out = found[1] || found[2] ? new Decimal(x) : x;
      }
    }
    depth--;
    return out;
  };
  const out = value();
  skip();
  need(at === text.length, "something stands behind the JSON");
  return out;
}
