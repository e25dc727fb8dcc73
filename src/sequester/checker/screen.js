// The page: choose or drop a bundle, and read the verdict. What a bundle says enters as text, never as markup.

const by = id => document.getElementById(id);
const made = (tag, text, cls) => { const x = document.createElement(tag); x.textContent = text; if (cls) x.className = cls; return x; };
const list = (lines, cls) => { const ul = made("ul", "", cls); for (const line of lines) ul.append(line instanceof Node ? line : made("li", line)); return ul; };

function show(found) {
  const out = by("out"), colour = { broken: "no", refused: "no", confirmed: "yes" }[found.result] ?? "open";
  out.replaceChildren(made("h2", found.verdict, colour));
  if (found.promise) out.append(made("p", `${found.promise.level} · ${found.promise.unit} · ${found.promise.grade}`, "level"), made("p", found.promise.words));
  if (found.signature) out.append(made("p", found.signature[0].toUpperCase() + found.signature.slice(1) + "."));
  out.append(made("h3", "Checked"), list(found.checks.map(c => {
    const li = made("li", "", c.passed ? "yes" : c.open ? "open" : "no");
    li.append(made("strong", `${c.passed ? "✓" : c.open ? "?" : "✗"} ${c.name}`), made("span", `: ${c.detail}`));
    return li;
  }), "checks"));
  if (found.not_checked.length) out.append(made("h3", "Not checked here"), list(found.not_checked));
  if (found.statement.length) out.append(made("h3", "What the custodian states"), list(found.statement), made("p", "Nobody can check a statement from the bundle: you trust the signer."));
  if (found.promise) out.append(made("h3", "Not covered by the promise"), list(found.promise.not_covered));
  out.append(made("p", `Checked in ${(found.ms / 1000).toFixed(2)} s.`, "small"));
  window.result = found;
  by("out").focus();
}

async function run(get) {
  window.result = null;
  const began = performance.now();
  by("out").replaceChildren(made("p", "Checking …"));
  await new Promise(resolve => setTimeout(resolve, 20));   // let the browser draw that line
  try { const [files, folders] = await get(); const found = await examine(files, folders, by("signers").value.trim()); show({ ...found, ms: performance.now() - began }); }
  catch (e) { show({ result: "refused", verdict: SAID.refused, checks: failed("files", e.message), not_checked: [], statement: [], signature: "", promise: null, ms: 0 }); }
}

const bytesOf = async file => new Uint8Array(await file.arrayBuffer());
async function fromHandle(folder, above, files, folders) {
  for await (const [name, entry] of folder.entries()) {
    if (entry.kind === "file") files.set(above + name, await bytesOf(await entry.getFile()));
    else { folders.push(above + name); await fromHandle(entry, `${above}${name}/`, files, folders); }
  }
}
async function fromEntry(folder, above, files, folders) {
  const reader = folder.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const entry of some) {
      if (entry.isFile) files.set(above + entry.name, await bytesOf(await new Promise((resolve, reject) => entry.file(resolve, reject))));
      else { folders.push(above + entry.name); await fromEntry(entry, `${above}${entry.name}/`, files, folders); }
    }
  }
}
function dropped(event) {
  event.preventDefault();
  by("drop").classList.remove("over");
  // both are asked for while the event lasts; from file:// Chromium reads folders by handles alone
  const item = event.dataTransfer.items[0], file = event.dataTransfer.files[0], entry = item?.webkitGetAsEntry(), handle = item?.getAsFileSystemHandle?.();
  run(async () => {
    if (!entry?.isDirectory) return unzipped(await bytesOf(file));
    const files = new Map(), folders = [], folder = await handle;
    if (folder) await fromHandle(folder, "", files, folders); else await fromEntry(entry, "", files, folders);
    return [files, folders];
  });
}
async function chosen(event) {
  const files = new Map();
  for (const f of event.target.files) files.set(f.webkitRelativePath.split("/").slice(1).join("/"), await bytesOf(f));
  return [files, []];
}

addEventListener("dragover", event => { event.preventDefault(); by("drop").classList.add("over"); });
addEventListener("dragleave", () => by("drop").classList.remove("over"));
addEventListener("drop", dropped);
by("folder").addEventListener("change", event => run(() => chosen(event)));
by("zip").addEventListener("change", event => run(async () => unzipped(await bytesOf(event.target.files[0]))));
by("list").addEventListener("change", async event => { by("signers").value = decoded(await bytesOf(event.target.files[0])); });
