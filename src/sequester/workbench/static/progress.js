// Progress of the jobs this page waits for, sent by the server as it happens. When all are over, the page is shown anew.
// Without script the page refreshes itself every few seconds instead.

const watched = document.body.dataset.watch;

function show(job) {
  for (const place of document.querySelectorAll(`[data-job="${job.job}"]`)) {
    const bar = place.querySelector("progress");
    if (bar) bar.value = job.done;
    const words = place.querySelector("[data-said]");
    if (words && job.said) words.textContent = job.said;
    const begun = place.dataset.state;
    // a table shows more of a job as soon as it starts or ends; a form that is being filled in is not taken away
    if (begun !== job.state && !document.querySelector("form[data-touched]")) again();
  }
}

let waiting = 0;
function again() {
  clearTimeout(waiting);
  waiting = setTimeout(() => location.reload(), 150);
}

if (watched) {
  const source = new EventSource(`/events?jobs=${encodeURIComponent(watched)}`);
  source.addEventListener("message", (event) => show(JSON.parse(event.data)));
  source.addEventListener("over", () => {
    source.close();
    again();
  });
  window.addEventListener("pagehide", () => source.close());
}

for (const form of document.querySelectorAll("form")) {
  form.addEventListener("input", () => form.setAttribute("data-touched", ""), { once: true });
}
