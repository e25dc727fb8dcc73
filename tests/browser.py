"""Headless Chromium by Playwright: what a page really does, not what its markup says."""

from __future__ import annotations

import shutil
import socketserver
import threading
from pathlib import Path

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ABSENT = (
    "" if CHROMIUM and sync_playwright else "chromium or playwright is not installed: no page was opened in a browser"
)
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-domain-reliability",
    "--no-pings", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication",
)  # fmt: skip
OWN = ("file:", "data:", "about:", "chrome:")


class Proxy:
    """Takes every request Chromium would send out, counts it, and answers with nothing."""

    def __init__(self):
        seen = self.seen = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                seen.append(self.rfile.readline().decode("latin-1").strip())
                self.wfile.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """One Chromium window."""

    def __init__(self, width=1000, height=1400):
        self.proxy = Proxy()
        self._playwright = sync_playwright().start()
        way_out = {"server": self.proxy.address, "bypass": "<-loopback>"}
        self._chromium = self._playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), proxy=way_out)
        self.page = self._chromium.new_page(viewport={"width": width, "height": height})
        self._devtools = self.page.context.new_cdp_session(self.page)
        self._asked = []
        self.page.on("request", lambda request: self._asked.append(request.url))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._chromium.close()
        self._playwright.stop()
        self.proxy.close()

    def open(self, path: Path):
        """Load a file and wait until it is done."""
        self.page.goto(path.resolve().as_uri())

    def requests(self):
        """Addresses the pages asked for since the last call, the pages themselves left out.

        Taken from the page's own network log: what the browser fetches for itself (its home page, its accounts) is
        not the page's doing, and ends at the proxy.
        """
        asked, self._asked[:] = list(self._asked), []
        return [url for url in asked if not url.startswith(OWN)]

    def run(self, script: str):
        """The value of a JavaScript function body, run from outside the page."""
        return self.page.evaluate(f"() => {{ {script} }}")

    def cdp(self, command: str, **parameters):
        """A command of the devtools protocol, where Playwright has none of its own."""
        return self._devtools.send(command, parameters)

    def scheme(self, name: str):
        """`light` or `dark`."""
        self.page.emulate_media(color_scheme=name)

    def media(self, name: str):
        """`screen` or `print`."""
        self.page.emulate_media(media=name)

    def size(self, width: int, height: int):
        """The size of the window's inside."""
        self.page.set_viewport_size({"width": width, "height": height})

    def press(self, key: str):
        """A key by its name."""
        self.page.keyboard.press(key)

    def screenshot(self) -> bytes:
        """The visible part as PNG."""
        return self.page.screenshot()

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return self.page.pdf(print_background=False)


CONTRASTS = """
const bad = [];
const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m; };
const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
for (const el of document.body.querySelectorAll('*')) {
  if (el.closest('svg') || el.closest('.skip')) continue;
  if (![...el.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const ink = parse(getComputedStyle(el).color);
  let ground = null;
  for (let up = el; up && !ground; up = up.parentElement) ground = parse(getComputedStyle(up).backgroundColor);
  ground = ground || [255, 255, 255];
  const [a, b] = [lum(ink), lum(ground)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) bad.push(el.tagName + ': ' + el.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2));
}
return bad;
"""
"""Text on the page whose colour is too near to its ground."""
