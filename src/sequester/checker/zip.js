// A bundle comes as a folder or as one ZIP file.

const CRC = new Uint32Array(256).map((_, i) => { for (let j = 0; j < 8; j++) i = i & 1 ? i >>> 1 ^ 0xedb88320 : i >>> 1; return i; });
const crc32 = b => { let c = -1; for (let i = 0; i < b.length; i++) c = CRC[(c ^ b[i]) & 255] ^ c >>> 8; return ~c >>> 0; };

async function unzipped(b) {                       // path → bytes, and the folders that are named
  const view = new DataView(b.buffer, b.byteOffset, b.length);
  const end = b.length - 22;
  need(end >= 0 && view.getUint32(end, true) === 0x06054b50, "it is not a ZIP file, or something stands behind its end");
  let left = view.getUint16(end + 10, true), p = view.getUint32(end + 16, true), total = 0;
  need(p !== 0xffffffff && left !== 0xffff, "it is too large a ZIP file for this page; unpack it and choose the folder");
  need(p + view.getUint32(end + 12, true) === end, "the ZIP file is damaged");
  const files = new Map(), folders = [];
  for (; left; left--) {
    need(p + 46 <= b.length && view.getUint32(p, true) === 0x02014b50, "the ZIP file is damaged");
    const u16 = at => view.getUint16(p + at, true), u32 = at => view.getUint32(p + at, true);
    const packed = u32(20), full = u32(24), long = u16(28), start = u32(42), mode = u32(38) >>> 28;
    const spelled = b.subarray(p + 46, p + 46 + long), path = decoded(spelled), name = path.split("/").filter(x => x && x !== ".").join("/");
    need(!(u16(8) & 1), "the ZIP file is encrypted");
    need(name && !path.startsWith("/") && !path.includes("\\") && !path.split("/").includes(".."), "the ZIP file points outside itself");
    need(mode === 0 || mode === 8 || mode === 4, "the ZIP file holds a link");
    const how = u16(10), crc = u32(16);
    p += 46 + long + u16(30) + u16(32);
    need(!files.has(name) && !folders.includes(name), "the ZIP file names a file twice");
    if (path.endsWith("/")) { need(!full, "the ZIP file is damaged"); folders.push(name); continue; }
    total += full;
    need(total <= 200 * b.length + 5e7, "the ZIP file would grow out of all proportion");
    need(start + 30 + long <= b.length && view.getUint32(start, true) === 0x04034b50 && view.getUint16(start + 26, true) === long
      && sameBytes(b.subarray(start + 30, start + 30 + long), spelled), "the ZIP file is damaged");
    const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true), raw = b.subarray(from, from + packed);
    need(how === 0 || how === 8, "the ZIP file is packed in a way that this page does not know; unpack it and choose the folder");
    const bytes = how === 0 ? raw.slice() : await inflated(raw, "deflate-raw", full);
    need(bytes.length === full && crc32(bytes) === crc, "the ZIP file is damaged");
    files.set(name, bytes);
  }
  need(p === end, "the ZIP file is damaged");
  const tops = new Set([...files.keys()].map(k => k.split("/")[0]));
  if (files.has("manifest.json") || tops.size !== 1) return [files, folders];
  const top = [...tops][0] + "/", inside = k => k.slice(top.length);   // all lies in one folder: the bundle itself
  need(folders.every(k => (k + "/").startsWith(top)), "the ZIP file holds more than one folder");
  return [new Map([...files].map(([k, x]) => [inside(k), x])), folders.map(inside).filter(Boolean)];
}
