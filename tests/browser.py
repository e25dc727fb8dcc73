"""Headless Chromium by its driver's HTTP interface: what a page really does, not what its markup says."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import socketserver
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
ABSENT = (
    "" if CHROMIUM and DRIVER else "chromium and chromedriver are not installed: pages were not opened in a browser"
)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
    "--disable-domain-reliability", "--no-pings", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication",
)  # fmt: skip


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
        return f"127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """One Chromium window."""

    def __init__(self, width=1000, height=1400):
        self.profile = tempfile.mkdtemp(prefix="sequester-chromium-")
        self.proxy = Proxy()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}"
        self._wait()
        arguments = [
            *FLAGS,
            f"--user-data-dir={self.profile}",
            f"--window-size={width},{height}",
            f"--proxy-server=http://{self.proxy.address}",
            "--proxy-bypass-list=<-loopback>",
        ]
        options = {"args": arguments, "binary": CHROMIUM}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL"}}
        told = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{told['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(10)
            self.proxy.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, path: Path):
        """Load a file and wait until it is done."""
        self._call("POST", f"{self.session}/url", {"url": path.resolve().as_uri()})

    def requests(self):
        """Addresses the pages asked for since the last call, the pages themselves left out.

        Taken from the page's own network log: what the browser fetches for itself (its home page, its accounts) is
        not the page's doing, and ends at the proxy.
        """
        lines = self._call("POST", f"{self.session}/se/log", {"type": "performance"})
        events = [json.loads(line["message"])["message"] for line in lines]
        asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("file:", "data:", "about:", "chrome:"))]

    def run(self, script: str):
        """The value of a JavaScript function body, run from outside the page."""
        return self._call("POST", f"{self.session}/execute/sync", {"script": script, "args": []})

    def cdp(self, command: str, **parameters):
        """A command of the devtools protocol."""
        return self._call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def scheme(self, name: str):
        """`light` or `dark`."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def size(self, width: int, height: int):
        """The size of the window's inside."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def press(self, key: str):
        """A key, by its WebDriver code."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._call("POST", f"{self.session}/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def screenshot(self) -> bytes:
        """The visible part as PNG."""
        return base64.b64decode(self._call("GET", f"{self.session}/screenshot"))

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self.cdp("Page.printToPDF", printBackground=False)["data"])

    def _wait(self):
        for _ in range(100):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("chromedriver did not start")

    def _call(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=verb)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            told = json.loads(error.read())["value"]
            raise RuntimeError(f"{told.get('error')}: {told.get('message', '')[:300]}") from None


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
