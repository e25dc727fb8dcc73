// Zstandard (RFC 8878): one frame, whose size is known from the page of the table it holds.

const ramp = (start, flat, steps) => {             // codes of lengths: base and extra bits of each
  const base = [], bits = [];
  for (let i = 0; i < flat; i++) { base.push(start + i); bits.push(0); }
  let next = start + flat;
  for (const n of steps) { base.push(next); bits.push(n); next += 1 << n; }
  return { base, bits };
};
const LITERALS = ramp(0, 16, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const MATCHES = ramp(3, 32, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

function fseTable(counts, log) {
  const size = 1 << log, symbol = new Uint8Array(size), bits = new Uint8Array(size), base = new Uint16Array(size), next = [];
  let high = size - 1;
  counts.forEach((c, s) => { next[s] = c < 0 ? 1 : c; if (c < 0) symbol[high--] = s; });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  counts.forEach((c, s) => {
    for (let i = 0; i < c; i++) {
      symbol[at] = s;
      do at = (at + step) & (size - 1); while (at > high);
    }
  });
  need(at === 0, "zstd: a table does not close");
  for (let i = 0; i < size; i++) {
    const n = next[symbol[i]]++;
    bits[i] = log - (31 - Math.clz32(n));
    base[i] = (n << bits[i]) - size;
  }
  return { log, symbol, bits, base };
}
const repeated = (n, value) => Array(n).fill(value);
const DEFAULTS = [
  fseTable([4, 3, ...repeated(11, 2), 1, 1, 1, ...repeated(9, 2), 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1], 6),
  fseTable([...repeated(6, 1), 2, 2, 2, ...repeated(15, 1), ...repeated(5, -1)], 5),
  fseTable([1, 4, 3, ...repeated(6, 2), ...repeated(37, 1), ...repeated(7, -1)], 6),
];

function fseRead(b, start, end, most) {            // a table written in the stream, and the place behind it
  let bit = 0;
  const peek = n => {
    let v = 0;
    for (let i = 0; i < n; i++) {
      const q = bit + i, at = start + (q >> 3);
      v |= (at < end ? (b[at] >> (q & 7)) & 1 : 0) << i;
    }
    return v;
  };
  const log = peek(4) + 5;
  bit = 4;
  need(log <= most, "zstd: a table is too fine");
  let rest = (1 << log) + 1, top = 1 << log, width = log + 1;
  const counts = [];
  while (rest > 1) {
    const low = 2 * top - 1 - rest;
    let v = peek(width - 1);
    if (v < low) bit += width - 1;
    else { v = peek(width); bit += width; if (v >= top) v -= low; }
    v--;
    rest -= Math.abs(v);
    counts.push(v);
    need(rest >= 1 && counts.length < 257, "zstd: counts");
    if (v === 0) for (let r = 3; r === 3;) { r = peek(2); bit += 2; for (let i = 0; i < r; i++) counts.push(0); }
    while (rest < top) { width--; top >>= 1; }
  }
  const next = start + ((bit + 7) >> 3);
  need(next <= end, "zstd: counts");
  return [fseTable(counts, log), next];
}

class Backwards {                                  // bits from the end of a stream towards its beginning
  constructor(b, from, to) {
    need(to > from && b[to - 1], "zstd: a stream has no end");
    this.b = b; this.from = from;
    this.left = (to - from) * 8 - (Math.clz32(b[to - 1]) - 24) - 1;
  }
  at(pos, n) {
    const { b, from } = this;
    if (n === 0) return 0;
    if (pos >= 0) {
      const a = from + (pos >> 3), s = pos & 7;
      let v = (b[a] | b[a + 1] << 8 | b[a + 2] << 16 | b[a + 3] << 24) >>> s;
      if (s + n > 32) v |= b[a + 4] << (32 - s);
      return n === 32 ? v >>> 0 : v & ((1 << n) - 1);
    }
    let v = 0;
    for (let i = 0; i < n; i++) { const q = pos + i; if (q >= 0) v |= ((b[from + (q >> 3)] >> (q & 7)) & 1) << i; }
    return v;
  }
  read(n) { this.left -= n; return this.at(this.left, n); }
}

function huffmanRead(b, start, end) {
  const head = b[start], weights = [];
  let p = start + 1;
  if (head >= 128) {
    const n = head - 127;
    for (let i = 0; i < n; i++) weights.push(i & 1 ? b[p + (i >> 1)] & 15 : b[p + (i >> 1)] >> 4);
    p += (n + 1) >> 1;
  } else {
    const stop = p + head, [table, q] = fseRead(b, p, stop, 6), bits = new Backwards(b, q, stop);
    const state = [bits.read(table.log), bits.read(table.log)];
    for (let turn = 0; ; turn ^= 1) {              // two states take turns
      const x = state[turn];
      weights.push(table.symbol[x]);
      need(weights.length < 256, "zstd: weights");
      if (bits.left < table.bits[x]) { weights.push(table.symbol[state[turn ^ 1]]); break; }
      state[turn] = table.base[x] + bits.read(table.bits[x]);
    }
    p = stop;
  }
  need(p <= end, "zstd: weights");
  let sum = 0;
  for (const w of weights) if (w) sum += 1 << (w - 1);
  const log = 32 - Math.clz32(sum), lack = (1 << log) - sum;
  need(sum && log <= 11 && (lack & (lack - 1)) === 0, "zstd: weights");
  weights.push(32 - Math.clz32(lack));
  const symbol = new Uint8Array(1 << log), length = new Uint8Array(1 << log);
  let at = 0;
  for (let w = 1; w <= log; w++) weights.forEach((v, s) => {
    if (v !== w) return;
    const n = 1 << (w - 1);
    symbol.fill(s, at, at + n);
    length.fill(log + 1 - w, at, at + n);
    at += n;
  });
  need(at === 1 << log, "zstd: weights");
  return [{ log, symbol, length }, p];
}

function huffmanStream(table, b, from, to, out, start, stop) {
  const bits = new Backwards(b, from, to), { log, symbol, length } = table;
  for (let o = start; o < stop; o++) {
    const v = bits.at(bits.left - log, log);
    out[o] = symbol[v];
    bits.left -= length[v];
  }
  need(bits.left === 0, "zstd: literals");
}

function literals(b, start, end, state) {          // the literals of a block, and the place behind them
  const kind = b[start] & 3, form = b[start] >> 2 & 3;
  let p = start, n;
  if (kind < 2) {
    if (form === 1) { n = b[p] >> 4 | b[p + 1] << 4; p += 2; }
    else if (form === 3) { n = b[p] >> 4 | b[p + 1] << 4 | b[p + 2] << 12; p += 3; }
    else n = b[p++] >> 3;
    return kind === 0 ? [b.subarray(p, p + n), p + n] : [new Uint8Array(n).fill(b[p]), p + 1];
  }
  const width = [10, 10, 14, 18][form], bytes = [3, 3, 4, 5][form];
  let v = 0;
  for (let i = bytes - 1; i >= 0; i--) v = v * 256 + b[p + i];
  v = Math.floor(v / 16);
  n = v % (1 << width);
  p += bytes;
  const stop = p + Math.floor(v / (1 << width));
  need(stop <= end && n <= 1 << 17, "zstd: literals");
  if (kind === 2) [state.huffman, p] = huffmanRead(b, p, stop);
  need(state.huffman, "zstd: no table");
  const out = new Uint8Array(n);
  if (form === 0) huffmanStream(state.huffman, b, p, stop, out, 0, n);
  else {
    const sizes = [0, 2, 4].map(i => b[p + i] | b[p + i + 1] << 8), part = (n + 3) >> 2;
    let from = p + 6;
    for (let i = 0; i < 4; i++) {
      const to = i < 3 ? from + sizes[i] : stop;
      huffmanStream(state.huffman, b, from, to, out, i * part, i < 3 ? (i + 1) * part : n);
      from = to;
    }
  }
  return [out, stop];
}

function block(b, start, end, out, begin, state) { // one compressed block; returns where its output ends
  const size = out.length;
  let [lit, p] = literals(b, start, end, state), o = begin, used = 0;
  let n = b[p++];
  if (n === 255) { n = b[p] + (b[p + 1] << 8) + 0x7f00; p += 2; }
  else if (n > 127) n = (n - 128 << 8) + b[p++];
  need(p <= end, "zstd: cut off");
  if (n) {
    const modes = b[p++];
    need((modes & 3) === 0, "zstd: modes");
    [6, 4, 2].forEach((shift, i) => {
      const mode = modes >> shift & 3;
      if (mode === 0) state.tables[i] = DEFAULTS[i];
      else if (mode === 1) state.tables[i] = { log: 0, symbol: [b[p++]], bits: [0], base: [0] };
      else if (mode === 2) [state.tables[i], p] = fseRead(b, p, end, [9, 8, 9][i]);
      need(state.tables[i], "zstd: no table");
    });
    const [L, O, M] = state.tables, bits = new Backwards(b, p, end), recent = state.recent;
    let x = bits.read(L.log), y = bits.read(O.log), z = bits.read(M.log);
    for (let i = 0; i < n; i++) {
      const oc = O.symbol[y], mc = M.symbol[z], lc = L.symbol[x];
      need(oc < 31 && mc < 53 && lc < 36, "zstd: a code nobody knows");
      const value = (1 << oc) + bits.read(oc);
      const match = MATCHES.base[mc] + bits.read(MATCHES.bits[mc]), copy = LITERALS.base[lc] + bits.read(LITERALS.bits[lc]);
      let offset;
      if (value > 3) { offset = value - 3; recent.unshift(offset); recent.pop(); }
      else {
        const which = value - 1 + (copy === 0 ? 1 : 0);
        offset = which === 3 ? recent[0] - 1 : recent[which];
        if (which > 1) recent[2] = recent[1];
        if (which > 0) { recent[1] = recent[0]; recent[0] = offset; }
      }
      if (i < n - 1) {
        x = L.base[x] + bits.read(L.bits[x]);
        z = M.base[z] + bits.read(M.bits[z]);
        y = O.base[y] + bits.read(O.bits[y]);
      }
      need(used + copy <= lit.length && o + copy + match <= size, "zstd: it grows beyond its size");
      for (let e = used + copy; used < e;) out[o++] = lit[used++];
      need(offset > 0 && offset <= o, "zstd: it points before its beginning");
      for (let e = o + match; o < e; o++) out[o] = out[o - offset];
    }
    need(bits.left === 0, "zstd: sequences");
  }
  need(o + lit.length - used <= size, "zstd: it grows beyond its size");
  out.set(lit.subarray(used), o);
  return o + lit.length - used;
}

function zstd(b, size) {
  need(b.length > 8 && (b[0] | b[1] << 8 | b[2] << 16) === 0x2fb528 && b[3] === 0xfd, "zstd: it is not a frame");
  const about = b[4], single = about >> 5 & 1;
  let p = 5 + (single ? 0 : 1) + [0, 1, 2, 4][about & 3] + [single, 2, 4, 8][about >> 6], o = 0;
  const out = new Uint8Array(size), state = { recent: [1, 4, 8], tables: [null, null, null], huffman: null };
  for (let last = 0; !last;) {
    const head = b[p] | b[p + 1] << 8 | b[p + 2] << 16, n = head >> 3, kind = head >> 1 & 3;
    p += 3;
    last = head & 1;
    need(p <= b.length, "zstd: cut off");
    if (kind === 0) { need(o + n <= size && p + n <= b.length, "zstd: cut off"); out.set(b.subarray(p, p + n), o); p += n; o += n; }
    else if (kind === 1) { need(o + n <= size, "zstd: size"); out.fill(b[p++], o, o + n); o += n; }
    else { need(kind === 2 && p + n <= b.length, "zstd: cut off"); o = block(b, p, p + n, out, o, state); p += n; }
  }
  if (about >> 2 & 1) p += 4;
  need(o === size && p === b.length, "zstd: something stands behind the frame");
  return out;
}
