// Parquet, exactly as the writer of bundles makes it: every field of its footer must be a known one.

class Thrift {                                     // compact protocol
  constructor(b, p) { this.b = b; this.p = p; }
  byte() { const x = this.b[this.p++]; need(x !== undefined, "a table is cut off"); return x; }
  varint() {
    let v = 0, m = 1;
    for (;;) {
      const x = this.byte();
      need(m < 2 ** 63, "a number in a footer is too large");
      v += (x & 127) * m;
      if (x < 128) return v;
      m *= 128;
    }
  }
  zigzag() { const v = this.varint(); return v % 2 ? -(v + 1) / 2 : v / 2; }
  bytes() {
    const n = this.varint();
    need(this.p + n <= this.b.length, "a table is cut off");
    this.p += n;
    return this.b.subarray(this.p - n, this.p);
  }
  value(type, form) {
    if (type === 1 || type === 2) { need(form === "bool", "a footer holds another type"); return type === 1; }
    if (type === 3) { need(form === "int", "a footer holds another type"); return this.byte(); }
    if (type >= 4 && type <= 6) { need(form === "int", "a footer holds another type"); return this.zigzag(); }
    if (type === 8) { need(form === "bytes", "a footer holds another type"); return this.bytes(); }
    if (type === 9) {
      need(Array.isArray(form), "a footer holds another type");
      const head = this.byte(), n = head >> 4 === 15 ? this.varint() : head >> 4, out = [];
      for (let i = 0; i < n; i++) out.push(this.value(head & 15, form[0]));
      return out;
    }
    need(type === 12 && typeof form === "object" && !Array.isArray(form), "a footer holds another type");
    return this.struct(form);
  }
  struct(form) {
    const out = {};
    for (let id = 0; ;) {
      const head = this.byte();
      if (head === 0) return out;
      id = head >> 4 ? id + (head >> 4) : this.zigzag();
      need(id in form && !(id in out), "a footer holds something unknown");
      out[id] = this.value(head & 15, form[id]);
    }
  }
}

const STATISTICS = { 1: "bytes", 2: "bytes", 3: "int", 5: "bytes", 6: "bytes", 7: "bool", 8: "bool" };
const LOGICAL = { 1: {}, 3: {}, 6: {}, 8: { 1: "bool", 2: { 1: {}, 2: {}, 3: {} } }, 10: { 1: "int", 2: "bool" } };
const ELEMENT = { 1: "int", 2: "int", 3: "int", 4: "bytes", 5: "int", 6: "int", 10: LOGICAL };
const COLUMN = {
  1: "int", 2: ["int"], 3: ["bytes"], 4: "int", 5: "int", 6: "int", 7: "int", 9: "int", 11: "int", 12: STATISTICS,
  13: [{ 1: "int", 2: "int", 3: "int" }], 16: { 1: "int", 2: ["int"], 3: ["int"] },
};
const FOOTER = {
  1: "int", 2: [ELEMENT], 3: "int", 4: [{ 1: [{ 2: "int", 3: COLUMN }], 2: "int", 3: "int", 5: "int", 6: "int", 7: "int" }],
  5: [{ 1: "bytes", 2: "bytes" }], 6: "bytes", 7: [{ 1: {} }],
};
const PAGE = { 1: "int", 2: "int", 3: "int", 5: { 1: "int", 2: "int", 3: "int", 4: "int", 5: STATISTICS }, 7: { 1: "int", 2: "int", 3: "bool" } };
const WRITER = /^parquet-cpp-arrow version [0-9]+\.[0-9]+\.[0-9]+$/;
const BOOLEAN = 0, INT32 = 1, INT64 = 2, FLOAT = 4, DOUBLE = 5, BYTES = 6;

function hybrid(b, start, end, width, n) {         // runs and bit-packed groups; the values, and the place behind them
  const out = new Int32Array(n), bytes = (width + 7) >> 3, mask = width < 32 ? (1 << width) - 1 : -1, t = new Thrift(b, start);
  for (let i = 0; i < n;) {
    const head = t.varint();
    if (head & 1) {
      let bit = t.p * 8;
      t.p += (head >> 1) * width;
      need(head > 1 && t.p <= end, "levels");
      for (let stop = Math.min(n, i + (head >> 1) * 8); i < stop; i++, bit += width) {
        let v = 0;
        for (let k = 0; k < width; k += 8) { const q = bit + k; v |= (((b[q >> 3] | b[(q >> 3) + 1] << 8) >> (q & 7)) & 255) << k; }
        out[i] = v & mask;
      }
    } else {
      let v = 0;
      for (let k = 0; k < bytes; k++) v |= t.byte() << (8 * k);
      const m = head / 2;
      need(m > 0 && i + m <= n && t.p <= end, "levels");
      out.fill(v, i, i + m);
      i += m;
    }
  }
  return [out, t.p];
}

const safe = big => { const x = Number(big); return Number.isSafeInteger(x) ? x : big; };

function plainValues({ type, unsigned }, b, start, end, n) {
  const view = new DataView(b.buffer, b.byteOffset, b.length), sized = width => need(start + width * n === end, "a page has another size");
  if (type === INT32) { sized(4); return Float64Array.from({ length: n }, (_, i) => unsigned ? view.getUint32(start + 4 * i, true) : view.getInt32(start + 4 * i, true)); }
  if (type === INT64) { sized(8); return Array.from({ length: n }, (_, i) => safe(unsigned ? view.getBigUint64(start + 8 * i, true) : view.getBigInt64(start + 8 * i, true))); }
  if (type === FLOAT) { sized(4); return Float64Array.from({ length: n }, (_, i) => view.getFloat32(start + 4 * i, true)); }
  if (type === DOUBLE) { sized(8); return Float64Array.from({ length: n }, (_, i) => view.getFloat64(start + 8 * i, true)); }
  if (type === BOOLEAN) {
    need(start + ((n + 7) >> 3) === end, "a page has another size");
    return Array.from({ length: n }, (_, i) => (b[start + (i >> 3)] >> (i & 7) & 1) === 1);
  }
  need(type === BYTES, "a type that the writer does not use");
  const out = new Array(n);
  let p = start;
  for (let i = 0; i < n; i++) {
    need(p + 4 <= end, "a page has another size");
    const size = view.getUint32(p, true);
    p += 4 + size;
    need(p <= end, "a page has another size");
    out[i] = decoded(b.subarray(p - size, p));
  }
  need(p === end, "a page has another size");
  return out;
}

// The smallest and largest of some values as statistics spell them, or nothing where there are none.
function extremes(values, column) {
  const { type } = column;
  let low, high;
  const less = type === BYTES ? (a, b) => bytesLess(a, b) : (a, b) => a < b;
  for (const v of type === BYTES ? new Set(values) : values) {
    if (v !== v) continue;
    if (low === undefined || less(v, low)) low = v;
    if (high === undefined || less(high, v)) high = v;
  }
  if (low === undefined) return null;
  const spelled = (v, sign) => {
    if (type === BYTES) return encoded(v);
    if (type === BOOLEAN) return new Uint8Array([v ? 1 : 0]);
    const view = new DataView(new ArrayBuffer(type === INT32 || type === FLOAT ? 4 : 8));
    if (type === INT32) view.setInt32(0, v, true);
    else if (type === INT64) view.setBigInt64(0, BigInt(v), true);
    else if (type === FLOAT) view.setFloat32(0, v === 0 ? sign * 0 : v, true);
    else view.setFloat64(0, v === 0 ? sign * 0 : v, true);   // zeros are written as -0 and +0
    return new Uint8Array(view.buffer);
  };
  return [spelled(low, -1), spelled(high, 1)];
}
const bytesLess = (a, b) => {                      // by bytes of UTF-8, which is by code points
  if (a === b) return false;
  if (!/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b)) return a < b;
  const x = encoded(a), y = encoded(b);
  for (let i = 0; i < x.length && i < y.length; i++) if (x[i] !== y[i]) return x[i] < y[i];
  return x.length < y.length;
};
const sameBytes = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);

function checkStatistics(stated, values, missing, column) {
  if (!stated) return;
  need(stated[3] === undefined || stated[3] === missing, "a footer counts other empty cells");
  if (![1, 2, 5, 6].some(id => id in stated)) return;
  const found = extremes(values, column);
  const fits = (id, which) => !(id in stated) || (found && sameBytes(stated[id], found[which]));
  need(fits(1, 1) && fits(5, 1) && fits(2, 0) && fits(6, 0), "a footer states other values than the table holds");
}

function schemaOf(elements) {
  const columns = [];
  let at = 1;
  const name = x => decoded(x[4]);
  for (let i = 0; i < elements[0][5]; i++) {
    let e = elements[at++], def = e[3] === 1 ? 1 : 0, rep = 0;
    const top = name(e);
    if (e[5]) {                                    // a list: list, then element
      const inner = elements[at++], item = elements[at++];
      need(e[5] === 1 && inner && inner[5] === 1 && inner[3] === 2 && name(inner) === "list" && item && !item[5] && name(item) === "element", "a table is nested");
      def += 1 + (item[3] === 1 ? 1 : 0);
      rep = 1;
      e = item;
    }
    const whole = e[10]?.[10];
    columns.push({ name: top, type: e[1], def, rep, itemNullable: rep && e[3] === 1, unsigned: whole ? !whole[2] : false, logical: e[10], parts: [] });
  }
  need(at === elements.length, "a schema holds more than its columns");
  return columns;
}

function typeName({ type, logical, rep }) {
  const whole = logical?.[10];
  const base = type === BYTES ? (logical?.[1] ? "string" : "binary") : type === DOUBLE ? "double" : type === FLOAT ? "float" : type === BOOLEAN ? "bool"
    : logical?.[8] ? "timestamp" : logical?.[6] ? "date32[day]" : whole ? `${whole[2] ? "" : "u"}int${whole[1]}` : type === INT32 ? "int32" : "int64";
  return rep ? `list<item: ${base}>` : base;
}

function readColumn(b, column, about, from) {      // the pages of one column in one group of rows
  const to = from + about[7];
  need(to <= b.length, "a table is cut off");
  let dictionary = null, met = 0, seen = 0, p = from, missing = 0;
  const all = [];
  while (seen < about[5] || p < to) {
    const t = new Thrift(b.subarray(0, to), p), head = t.struct(PAGE), raw = b.subarray(t.p, t.p + head[3]);
    p = t.p + head[3];
    need(p <= to && head[2] >= 0 && head[2] < 2 ** 31, "a page is cut off");
    const page = zstd(raw, head[2]);
    if (head[1] === 2) {
      need(!dictionary && seen === 0, "a page that the writer does not make");
      dictionary = plainValues(column, page, 0, page.length, head[7][1]);
      continue;
    }
    need(head[1] === 0 && head[5] && seen < about[5], "a page that the writer does not make");
    const n = head[5][1], view = new DataView(page.buffer, page.byteOffset, page.length);
    need(n > 0 || about[5] === 0, "an empty page");
    seen += n;
    let q = 0;
    const levels = most => {
      need(q + 4 <= page.length, "levels");
      const size = view.getUint32(q, true);
      q += 4;
      const [out, end] = hybrid(page, q, q + size, 32 - Math.clz32(most), n);
      need(end === q + size, "levels");
      q += size;
      return out;
    };
    const reps = column.rep ? levels(column.rep) : null, defs = column.def ? levels(column.def) : null;
    let real = n;
    if (defs) { real = 0; for (const x of defs) real += x === column.def; }
    let values;
    if (head[5][2] === 0) values = plainValues(column, page, q, page.length, real);
    else {
      need(head[5][2] === 8 && dictionary, "an encoding that the writer does not use");
      const width = page[q++];
      need(width <= 32, "an encoding that the writer does not use");
      let places = [], end = page.length;
      if (real) [places, end] = hybrid(page, q, page.length, width, real);
      need(end === page.length, "a page has another size");
      values = Array.from(places, i => {           // words stand in the order in which they are first used
        need(i >= 0 && i <= met && i < dictionary.length, "a dictionary is not what the writer makes");
        if (i === met) met++;
        return dictionary[i];
      });
    }
    checkStatistics(head[5][5], values, n - real, column);
    missing += n - real;
    all.push(values);
    column.parts.push([values, defs, reps]);
  }
  need(seen === about[5] && p === to, "pages");
  need(!dictionary || met === dictionary.length, "a dictionary holds a word that no cell has");
  checkStatistics(about[12], all.length === 1 ? all[0] : all.flatMap(x => Array.from(x)), missing, column);
  return to;
}

function cellsOf(column) {
  const out = [];
  for (const [values, defs, reps] of column.parts) {
    let j = 0;
    const n = defs ? defs.length : values.length;
    for (let i = 0; i < n; i++) {
      const full = !defs || defs[i] === column.def;
      const value = full ? values[j++] : null;
      if (!reps) { out.push(value); continue; }
      const held = column.def - (column.itemNullable ? 1 : 0);   // from this level on there is an item
      if (reps[i] === 0) out.push(defs[i] < held - 1 ? null : []);
      else need(out.length, "levels");
      if (defs[i] >= held) out[out.length - 1].push(value);
    }
  }
  return out;
}

function parquet(b, label) {
  const n = b.length, view = new DataView(b.buffer, b.byteOffset, n), MAGIC = 0x31524150;
  need(n > 12 && view.getUint32(0, true) === MAGIC && view.getUint32(n - 4, true) === MAGIC, "it is not Parquet");
  const size = view.getUint32(n - 8, true);
  need(size <= n - 12, "a table is cut off");
  const t = new Thrift(b.subarray(0, n - 8), n - 8 - size), about = t.struct(FOOTER);
  need(t.p === n - 8, "something stands behind a footer");
  need(about[6] && WRITER.test(decoded(about[6])), "another program wrote it");
  need(about[5]?.length === 1 && decoded(about[5][0][1]) === "sequester" && decoded(about[5][0][2] ?? []) === label, "it does not say of itself what the promise says");
  const columns = schemaOf(about[2]);
  let at = 4, rows = 0;
  for (const group of about[4] ?? []) {
    need(group[1].length === columns.length, "columns");
    rows += group[3];
    columns.forEach((column, i) => {
      const chunk = group[1][i][3];
      need(chunk[1] === column.type && chunk[4] === 6, "a codec or type that the writer does not use");
      if (chunk[5] === 0 && chunk[7] === 0) return;
      need((chunk[11] || chunk[9]) === at, "bytes lie between columns");
      at = readColumn(b, column, chunk, at);
    });
  }
  need(at + size + 8 === n && rows === about[3], "bytes lie beside the columns");
  const table = { rows, names: columns.map(c => c.name), columns: bare({}), types: bare({}) };
  for (const column of columns) {
    const cells = cellsOf(column);
    need(cells.length === rows, "columns differ in length");
    need(!(column.name in table.columns), "a column stands twice");
    table.columns[column.name] = cells;
    table.types[column.name] = typeName(column);
  }
  return table;
}
