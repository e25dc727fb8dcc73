// Small helps: drop files on the page, copy a command, move between settings. Every page works without them.

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
    const before = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => (button.textContent = before), 1500);
  });
}

// One setting at a time: the slider, the dots and the rows of the table all choose it. Nothing is fetched.
const settings = [...document.querySelectorAll("[data-setting]")];
const slide = document.querySelector("[data-slide]");
if (slide && settings.length) {
  const input = slide.querySelector("input");
  const says = slide.querySelector("output");
  const choose = (at) => {
    settings.forEach((panel, i) => (panel.hidden = i !== at));
    for (const mark of document.querySelectorAll("[data-point], [data-row]")) {
      mark.classList.toggle("chosen", Number(mark.dataset.point ?? mark.dataset.row) === at);
    }
    says.textContent = settings[at].dataset.says;
    input.value = String(at);
  };
  const fromAddress = () => {
    const found = settings.findIndex((panel) => `#${panel.id}` === location.hash);
    choose(found < 0 ? 0 : found);
  };
  input.addEventListener("input", () => choose(Number(input.value)));
  for (const link of document.querySelectorAll("[data-point], [data-pick]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      choose(Number(link.dataset.point ?? link.dataset.pick));
      slide.scrollIntoView({ block: "nearest" });
    });
  }
  slide.hidden = settings.length < 2;
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
}
