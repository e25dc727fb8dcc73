// Small helps: drop files on the page, copy a command, look at one of two settings. Every page works without them.

for (const place of document.querySelectorAll("[data-drop]")) {
  const input = place.querySelector("input[type=file]");
  const stop = (event) => event.preventDefault();
  for (const name of ["dragenter", "dragover"]) {
    place.addEventListener(name, (event) => {
      stop(event);
      place.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) place.addEventListener(name, () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    stop(event);
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    place.requestSubmit();
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}

const beside = document.querySelector("[data-beside]");
const tools = document.querySelector("[data-compare-tools]");
if (beside && tools) {
  tools.hidden = false;
  for (const button of tools.querySelectorAll("[data-compare]")) {
    button.addEventListener("click", () => {
      const which = button.dataset.compare;
      beside.classList.toggle("one", which !== "both");
      for (const side of beside.querySelectorAll("[data-side]")) {
        side.classList.toggle("shown", side.dataset.side === which);
      }
      for (const other of tools.querySelectorAll("[data-compare]")) {
        other.setAttribute("aria-pressed", String(other === button));
      }
    });
  }
}
