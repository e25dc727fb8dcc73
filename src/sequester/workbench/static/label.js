// Marking words of a note: click, drag, or keys. The marks go with the form; nothing is sent before "Done".

const box = document.getElementById("words");
const words = [...box.querySelectorAll("[role=option]")];
const kind = document.getElementById("kind");
const said = document.getElementById("said");
const form = document.getElementById("note");
let at = 0;
let dragging = null;

const marked = (word) => word.getAttribute("aria-selected") === "true";

function mark(word, on) {
  if (on === marked(word)) return;
  word.setAttribute("aria-selected", String(on));
  if (on) word.dataset.kind = word.title = kind.value;
  else {
    delete word.dataset.kind;
    word.removeAttribute("title");
  }
}

function tell() {
  const n = words.filter(marked).length;
  const here = words[at];
  const state = here ? `${here.textContent}: ${marked(here) ? `marked ${here.dataset.kind}` : "not marked"}. ` : "";
  said.textContent = `${state}${n === 1 ? "1 word" : `${n} words`} marked.`;
}

function go(to) {
  words[at]?.classList.remove("here");
  at = Math.max(0, Math.min(words.length - 1, to));
  words[at]?.classList.add("here");
  if (words[at]) box.setAttribute("aria-activedescendant", words[at].id);
  words[at]?.scrollIntoView({ block: "nearest" });
  tell();
}

// the nearest word in the line above or below
function line(step) {
  const here = words[at].getBoundingClientRect();
  let best = at;
  let far = Infinity;
  let row = null;
  for (let i = at + step; i >= 0 && i < words.length; i += step) {
    const place = words[i].getBoundingClientRect();
    if (Math.abs(place.top - here.top) < 4) continue;
    if (row === null) row = place.top;
    if (Math.abs(place.top - row) > 4) break;
    if (Math.abs(place.left - here.left) < far) {
      far = Math.abs(place.left - here.left);
      best = i;
    }
  }
  return best;
}

function everywhere() {
  const here = words[at];
  if (!here) return;
  const on = marked(here);
  const same = words.filter((word) => word.textContent.toLowerCase() === here.textContent.toLowerCase());
  for (const word of same) {
    mark(word, on);
    if (on) word.dataset.kind = word.title = here.dataset.kind;
  }
  tell();
  said.textContent = `${here.textContent}: ${on ? "marked" : "unmarked"} in ${same.length === 1 ? "1 place" : `${same.length} places`}.`;
}

box.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const steps = { ArrowRight: () => at + 1, ArrowLeft: () => at - 1, ArrowDown: () => line(1), ArrowUp: () => line(-1), Home: () => 0, End: () => words.length - 1 };
  if (key in steps) {
    const from = at;
    go(steps[key]());
    if (event.shiftKey) for (let i = Math.min(from, at); i <= Math.max(from, at); i++) mark(words[i], true);
    tell();
  } else if (key === " ") {
    mark(words[at], !marked(words[at]));
    tell();
  } else if (key === "e") everywhere();
  else if (key === "d") form.requestSubmit();
  else return;
  event.preventDefault();
});

const under = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[role=option]");

box.addEventListener("pointerdown", (event) => {
  const word = event.target.closest("[role=option]");
  if (!word || event.button) return;
  const i = words.indexOf(word);
  dragging = { from: i, on: !marked(word), before: words.map((w) => [marked(w), w.dataset.kind]) };
  mark(word, dragging.on);
  go(i);
});

box.addEventListener("pointermove", (event) => {
  const word = dragging && event.pointerType !== "touch" ? under(event) : null;
  if (!word) return;
  const to = words.indexOf(word);
  const [low, high] = [Math.min(dragging.from, to), Math.max(dragging.from, to)];
  words.forEach((w, i) => mark(w, i >= low && i <= high ? dragging.on : dragging.before[i][0]));
  words.forEach((w, i) => {
    if ((i < low || i > high) && dragging.before[i][0]) w.dataset.kind = w.title = dragging.before[i][1];
  });
  tell();
});

for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => (dragging = null));
document.getElementById("everywhere").addEventListener("click", everywhere);
form.addEventListener("submit", () => {
  const marks = words.map((word, i) => [i, word]).filter(([, word]) => marked(word));
  document.getElementById("marks").value = JSON.stringify(marks.map(([i, word]) => [i, word.dataset.kind || "PRIVATE"]));
});

if (words.length) go(0);
box.focus({ preventScroll: true });
