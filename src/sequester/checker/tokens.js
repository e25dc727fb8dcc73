// Words and tokens, from the rule in docs/tokens.md; what a character is comes from the pinned table of Unicode.

const SPACE = 1, DIGIT = 2, UPPER = 4, LOWER = 8, ALNUM = 16, LETTER = 32, MARK = 64;
const CHARACTERS = (() => {
  const out = new Uint8Array(0x110000), bits = { space: SPACE, decimal: DIGIT, upper: UPPER, lower: LOWER, alnum: ALNUM, letter: LETTER, mark: MARK };
  for (const [name, bit] of Object.entries(bits)) {
    let at = 0;
    STRETCHES[name].forEach((n, i) => { if (i % 2) for (let c = at; c < at + n; c++) out[c] |= bit; at += n; });
  }
  return out;
})();
const is = (c, bit) => (CHARACTERS[c] & bit) !== 0;
const points = text => Array.from(text, c => c.codePointAt(0));
const codes = text => new Set(points(text));

const HAN_RANGES = [[0x2e80, 0x2fdf], [0x3400, 0x9fff], [0xf900, 0xfaff], [0x20000, 0x3ffff], [0x30a1, 0x30fa], [0x31f0, 0x31ff], [0xff66, 0xff9f]];
const HAN_SIGNS = codes("々〆ヶーｰ");
const isHan = c => c >= 0x2e80 && (HAN_SIGNS.has(c) || HAN_RANGES.some(([a, b]) => a <= c && c <= b));
const isMark = c => is(c, MARK) || c === 0x3099 || c === 0x309a;
const TOUCHING = codes("-'’@.·"), BETWEEN_DIGITS = codes("/:,+&()"), BLANKS = codes(" \u00a0\u3000"), DOTS = codes("・･＝");
const SLASH = 47, COMMA = 44, STOP = 46, UNDERSCORE = 95;

const SPACED = 1, HAN = 2, HIRAGANA = 3, ALONE = 4;
function classOf(c) {
  if (isMark(c)) return SPACED;
  if (c >= 0x3041 && c <= 0x309f) return HIRAGANA;
  if (isHan(c)) return HAN;
  return c === UNDERSCORE || is(c, DIGIT | LETTER) ? SPACED : ALONE;
}

function tokenRuns(ch) {                           // 1. runs of one class; a mark belongs to the run before it
  const runs = [];
  for (let i = 0; i < ch.length;) {
    const kind = classOf(ch[i]);
    let j = i + 1;
    if (kind !== ALONE) while (j < ch.length && (isMark(ch[j]) || classOf(ch[j]) === kind)) j++;
    runs.push({ kind, from: i, to: j });
    i = j;
  }
  return runs;
}

function tokenCodes(ch, runs) {                    // 2. what touches
  const digit = i => is(ch[i], DIGIT), single = r => r.to - r.from === 1, out = [];
  const hasDigit = r => { for (let i = r.from; i < r.to; i++) if (digit(i)) return true; return false; };
  const groups = (from, to) => { let n = 0; for (let i = from; i < to; i++) n += digit(i) && (i === from || !digit(i - 1)); return n; };
  for (let i = 0; i < runs.length;) {
    const first = runs[i];
    let j = i + 1;
    if (first.kind !== SPACED) { out.push(first); i = j; continue; }
    let last = first;
    while (j + 1 < runs.length && runs[j + 1].kind === SPACED && single(runs[j])) {
      const sign = ch[runs[j].from], next = runs[j + 1], digits = digit(last.to - 1) && digit(next.from);
      const joins = TOUCHING.has(sign) || digits && (BETWEEN_DIGITS.has(sign) || runs[j].kind === HAN)
        || sign === SLASH && (hasDigit(last) || hasDigit(next));
      if (!joins) break;
      last = next;
      j += 2;
    }
    let { from } = first, { to } = last;
    if (j < runs.length && runs[j].kind === HAN && single(runs[j]) && digit(to - 1)) to = runs[j++].to;
    if (out.length && out[out.length - 1].kind === HAN && groups(from, to) > 1) from = out.pop().from;
    out.push({ kind: SPACED, from, to });
    i = j;
  }
  return out;
}

// 3. names: one letter per code, and a pattern over the letters
const ROW = /[CcNn](?:(?:,|(?<=[cn])\.)?b(?:[CcNn]|(?:pb){1,2}[Cc]))*|H(?:[bk]H)*|./gs;
function letterOf(ch, { kind, from, to }) {
  if (kind === HAN) return "H";
  if (kind === HIRAGANA) return "h";
  const c = ch[from];
  if (kind === ALONE) return BLANKS.has(c) ? "b" : c === COMMA ? "," : c === STOP ? "." : DOTS.has(c) ? "k" : "o";
  const short = to - from <= 3;
  if (is(c, UPPER) && classOf(c) === SPACED) return short ? "c" : "C";
  let digits = false, small = true;
  for (let i = from; i < to; i++) { digits ||= is(ch[i], DIGIT); small &&= is(ch[i], LOWER) && is(ch[i], LETTER); }
  return digits ? (short ? "n" : "N") : short && small ? "p" : "w";
}

function tokenEdges(text) {                        // places, in characters, where a token begins or ends
  const ch = points(text), parts = tokenCodes(ch, tokenRuns(ch)), edges = [0];
  for (const m of parts.map(p => letterOf(ch, p)).join("").matchAll(ROW)) edges.push(parts[m.index + m[0].length - 1].to);
  return edges;
}
function wordEdges(text) {
  const inside = points(text).map(c => c === UNDERSCORE || is(c, ALNUM | MARK)), out = [0];
  for (let i = 1; i <= inside.length; i++) if (i === inside.length || !(inside[i - 1] && inside[i])) out.push(i);
  return out;
}
