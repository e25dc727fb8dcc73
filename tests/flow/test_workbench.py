"""The workbench over HTTP: every item of what makes it safe is tried, and the queue is watched."""

import html
import http.client
import io
import os
import re
import signal
import stat
import subprocess
import sys
import time
import zipfile

import pytest

import sequester as sq

httpx = pytest.importorskip("httpx", reason="httpx is not installed: the workbench was not asked anything")
pytest.importorskip("starlette", reason="the extra 'workbench' is not installed")

from tests.bench import PATIENCE_SECONDS, ROOT, Workbench  # noqa: E402
from tests.holding import Hold  # noqa: E402

EVIL = "<script>document.title='run'</script>"
MANY = 6000
"""People of a source on which a job takes long: it is still at work when the test has seen it begin."""
EVIL_ATTRIBUTE = '"><img src=x onerror=alert(1)>'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench")
    sq.write_sample("series", out / "vitals.csv", n_people=30, seed=1)
    sq.write_sample("series", out / "many.csv", n_people=MANY, seed=1)
    (out / "secret.txt").write_text("outside the list\n")
    evil = out / f"a{EVIL.replace('/', '_')}.csv"
    lines = (out / "vitals.csv").read_text().splitlines()
    evil.write_text("\n".join([lines[0].replace("outcome", EVIL.replace(",", "")), *lines[1:]]))
    return out


@pytest.fixture(scope="module")
def bench(folder):
    with Workbench(folder, "--largest-upload", "1") as running:
        yield running


@pytest.fixture(scope="module")
def client(bench):
    with bench.client() as browser:
        yield browser


def opened(bench, client, name="vitals.csv", **roles):
    """A source, read."""
    page = client.post("/open", data={"name": name})
    source = int(re.search(r"/source/(\d+)", str(page.url))[1])
    bench.wait(client, last_job(client))
    if roles:
        client.post(f"/source/{source}/roles", data={"kind": "series", **roles})
        bench.wait(client, last_job(client))
    return source


def last_job(client):
    return max(int(n) for n in re.findall(r'data-job="(\d+)"', client.get("/jobs").text))


# -- who may talk to it ---------------------------------------------------------------------------------------------


def test_the_first_line_is_the_address_with_the_token_on_this_machine(bench):
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", bench.address)


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_never_see(bench):
    answer = httpx.get(bench.address, trust_env=False)
    assert answer.status_code == 303 and answer.headers["location"] == "/"
    told = answer.headers["set-cookie"]
    assert "HttpOnly" in told and "SameSite=strict" in told and "Path=/" in told


@pytest.mark.parametrize("cookies", [{}, {"sequester_workbench": "x"}, None])
def test_without_the_token_nothing_is_shown(bench, cookies):
    cookies = {f"sequester_workbench_{bench.port}": "wrong"} if cookies is None else cookies
    for path in ("/", "/jobs", "/static/workbench.css", "/source/1", "/bundle/1/custodian", "/nothing"):
        answer = httpx.get(bench.base + path, cookies=cookies, trust_env=False)
        assert answer.status_code == 403
        assert answer.text == "The token is missing or wrong. Open the address that `sequester workbench` printed.\n"
    assert httpx.get(f"{bench.base}/?token=wrong", trust_env=False).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_a_foreign_name_for_this_machine_is_refused(bench, host):
    """DNS rebinding: the browser believes that another site lives here, and sends that site's name."""
    answer = httpx.get(
        bench.base, cookies=bench.cookie, headers={"Host": host.format(port=bench.port)}, trust_env=False
    )
    assert answer.status_code in (400, 421) and "<html" not in answer.text


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "http://127.0.0.1:{port}.evil"],
)
def test_another_origin_can_neither_change_nor_read(bench, origin):
    headers = {"Origin": origin.format(port=bench.port)}
    before = httpx.get(bench.base, cookies=bench.cookie, trust_env=False).text
    for ask in (lambda: httpx.post(f"{bench.base}/open", data={"name": "vitals.csv"}, cookies=bench.cookie,
                                   headers=headers, trust_env=False),
                lambda: httpx.get(bench.base, cookies=bench.cookie, headers=headers, trust_env=False)):  # fmt: skip
        answer = ask()
        assert answer.status_code == 403
        assert answer.text == "The request comes from another page. Use the workbench's own pages.\n"
    assert httpx.get(bench.base, cookies=bench.cookie, trust_env=False).text == before


def test_a_change_must_say_where_it_comes_from(bench):
    answer = httpx.post(f"{bench.base}/open", data={"name": "vitals.csv"}, cookies=bench.cookie, trust_env=False)
    assert answer.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_on_another_port_cannot_embed_ours(bench, site):
    """Ports share cookies; what the browser says about the asking page decides."""
    headers = {"Sec-Fetch-Site": site}
    assert httpx.get(bench.base, cookies=bench.cookie, headers=headers, trust_env=False).status_code == 403


def test_every_answer_is_sealed(bench, client):
    paths = ["/", "/jobs", "/static/workbench.css", "/nothing", "/?in=..", "/source/999"]
    answers = [client.get(p) for p in paths] + [httpx.get(bench.base, trust_env=False)]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in policy and "unsafe-inline" not in policy and "unsafe-eval" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in answer.headers


def test_no_page_has_inline_script(client, bench):
    for path in ("/", "/jobs"):
        page = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page) and not re.search(r"\son\w+=", page)
        assert set(re.findall(r'(?:src|href)="((?:https?:)?//[^"]*)"', page)) == set()


def test_another_address_comes_with_a_warning(tmp_path):
    with Workbench(tmp_path, "--host", "0.0.0.0") as running:
        assert running.address.startswith("http://127.0.0.1:")
        with running.client() as browser:
            assert browser.get("/").status_code == 200
        running.process.send_signal(signal.SIGINT)
        told = running.process.stderr.read()
    assert told.startswith(
        "warning: everyone who can reach 0.0.0.0 and learns the address can see your original data. "
    )


# -- names from users are never paths -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../secret", "..", "/etc/passwd", "a/../../x", ".sequester-workbench/workbench.sqlite", "%2e%2e/x", "vitals.csv\0",
     "..\\x", "link.csv", "", "/"],
)  # fmt: skip
def test_a_name_that_leaves_the_folder_is_not_there(client, folder, name):
    link = folder / "link.csv"
    if not link.is_symlink():
        link.symlink_to("/etc/passwd")
    answer = client.post("/open", data={"name": name})
    assert answer.status_code == 400
    assert "There is no such file in the folder of the workbench. Choose one from the list." in answer.text
    assert client.get("/", params={"in": name or ".."}).status_code == 404


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py"])
def test_only_static_files_are_served(bench, path):
    asking = http.client.HTTPConnection("127.0.0.1", bench.port, timeout=30)  # sends the path as it is
    asking.request("GET", path, headers={"Cookie": f"sequester_workbench_{bench.port}={bench.token}"})
    answer = asking.getresponse()
    told = answer.read().decode()
    asking.close()
    assert answer.status == 404 and "uvicorn" not in told


def test_hidden_files_and_links_are_not_offered(client, folder):
    (folder / ".hidden.csv").write_text("a,b\n")
    page = client.get("/").text
    assert "vitals.csv" in page and ".hidden" not in page and "link.csv" not in page and "workbench.sqlite" not in page


def test_the_name_of_a_bundle_is_one_harmless_part(tmp_path):
    from sequester.workbench.places import bundle_name, file_name

    for told in ("../../x", "/etc/x", "..", ".bundle", "a/b\\c", "x\0y", "CON<>", "." * 300, "é" * 300, ""):
        made = bundle_name(told)
        assert (tmp_path / made).parent == tmp_path and not made.startswith(".") and made.endswith(".bundle")
        (tmp_path / made).mkdir(exist_ok=True)
    assert file_name("C:\\data\\my file.csv") == "my file.csv"


# -- uploads --------------------------------------------------------------------------------------------------------


def rooms(folder):
    return sorted((folder / ".sequester-workbench" / "uploads").iterdir())


def test_a_dropped_file_goes_to_a_closed_folder_under_a_harmless_name(bench, client, folder):
    before = rooms(folder)
    text = (folder / "vitals.csv").read_bytes()
    page = client.post("/upload", files={"file": ("../../../evil.csv", text)})
    assert re.search(r"/source/\d+", str(page.url))
    (room,) = set(rooms(folder)) - set(before)
    (file,) = room.iterdir()
    assert file.name == "evil.csv" and file.read_bytes() == text
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (folder / ".sequester-workbench", room.parent, room, file)]
    assert modes == [0o700, 0o700, 0o700, 0o600]
    assert bench.wait(client, last_job(client))["state"] == "done"


def test_several_files_of_one_name_make_one_source(client, folder):
    before = rooms(folder)
    files = [("file", ("a/note.txt", b"one")), ("file", ("b/note.txt", b"two"))]
    assert client.post("/upload", files=files).status_code == 200
    (room,) = set(rooms(folder)) - set(before)
    assert [p.name for p in room.iterdir()] == ["note and 1 more"]  # the name it has on every page
    assert sorted(p.name for p in next(room.iterdir()).iterdir()) == ["2-note.txt", "note.txt"]
    assert ">note and 1 more</a>" in client.get("/").text


@pytest.mark.parametrize("honest", [True, False])
def test_an_oversized_upload_is_refused_and_leaves_nothing(client, folder, honest):
    """Also one that does not say how large it is: it is counted as it comes."""
    before = rooms(folder)
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.csv"\r\n\r\n'
    foot = b"\r\n--b--\r\n"
    sent = 0

    def body():
        nonlocal sent
        yield head
        for _ in range(40):
            sent += 100_000
            yield b"x" * 100_000
        yield foot

    length = len(head) + 4_000_000 + len(foot)
    headers = {"Content-Type": "multipart/form-data; boundary=b"} | ({"Content-Length": str(length)} if honest else {})
    try:
        answer = client.post("/upload", content=body(), headers=headers)
        assert answer.status_code == 400
        assert (
            "The upload is larger than 1 MB. Copy the file into the folder of the workbench and open it there."
            in answer.text
        )
    except (httpx.WriteError, httpx.RemoteProtocolError):  # refused before all of it was sent
        assert sent < 4_000_000
    assert rooms(folder) == before


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        (b"nothing", "multipart/form-data; boundary=b", "The upload arrived damaged. Try again."),
        (b"a=b", "application/x-www-form-urlencoded", "No file arrived. Choose a file first."),
        (b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--b--\r\n",
         "multipart/form-data; boundary=b", "No file arrived. Choose a file first."),
    ],
)  # fmt: skip
def test_a_damaged_upload_is_refused_in_words(client, folder, body, kind, says):
    before = rooms(folder)
    answer = client.post("/upload", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 400 and says in answer.text
    assert rooms(folder) == before


# -- hostile texts --------------------------------------------------------------------------------------------------


def test_hostile_names_and_columns_are_shown_and_never_markup(bench, client, folder):
    name = next(p.name for p in folder.iterdir() if p.name.startswith("a<"))
    source = opened(bench, client, name)
    for page in (client.get("/").text, client.get(f"/source/{source}?values=show").text, client.get("/jobs").text):
        assert "<script>document" not in page
    assert "&lt;script&gt;document" in client.get(f"/source/{source}").text


def test_hostile_fields_come_back_as_text(bench, client):
    source = opened(bench, client)
    for text in (EVIL, EVIL_ATTRIBUTE):
        answers = [
            client.post(f"/source/{source}/explore", data={"method": text}),
            client.post(f"/source/{source}/explore", data={"method": "kapra", "kapra.k": text, "kapra.p": "3"}),
            client.get(f"/source/{source}/method/{text.replace('/', '_')}"),
            client.get("/", params={"in": text}),
            client.post(f"/source/{source}/publish", data={"method": "kapra", "k": "5", "p": "3", "issued": text}),
        ]
        for answer in answers:
            assert answer.status_code in (400, 404)
            assert text not in answer.text


def test_a_report_that_was_sent_cannot_do_anything(bench, client, folder):
    """Even one that is a page of an attacker: it is sealed off from the workbench."""
    evil = folder / "sent.bundle"
    evil.mkdir(exist_ok=True)
    (evil / "manifest.json").write_text("{}")
    (evil / "report.html").write_text(f"<form action=/open method=post>{EVIL}<button>Click me</button></form>")
    page = client.post("/open", data={"name": "sent.bundle"})
    number = re.search(r"/bundle/(\d+)", str(page.url))[1]
    answer = client.get(f"/bundle/{number}/report")
    policy = answer.headers["content-security-policy"]
    assert "sandbox" in policy and "form-action 'none'" in policy and "script-src" not in policy
    told = bench.wait(client, last_job(client))
    assert told["state"] == "failed" and told["said"].startswith("'sent.bundle' is not in the format")


# -- values stay hidden ---------------------------------------------------------------------------------------------


def test_values_are_hidden_until_asked_for(bench, client, folder):
    source = opened(bench, client)
    person = (folder / "vitals.csv").read_text().splitlines()[1].split(",")[0]
    assert person not in client.get(f"/source/{source}").text
    assert person in client.get(f"/source/{source}?values=show").text


def test_words_that_a_release_hides_are_masked_until_asked_for(bench, client, folder):
    sq.write_sample("text", folder / "notes", n_people=8, seed=1)
    page = client.post("/open", data={"name": "notes"})
    source = int(re.search(r"/source/(\d+)", str(page.url))[1])
    bench.wait(client, last_job(client))
    client.post(f"/source/{source}/explore", data={"method": "k-repeats", "k-repeats.k": "4"})
    assert bench.wait(client, last_job(client))["state"] == "done"
    client.post(f"/source/{source}/look", data={"setting": f"{last_job(client)}-0"})
    job = last_job(client)
    assert bench.wait(client, job)["state"] == "done"
    assert client.post(f"/source/{source}/look", data={"setting": f"{job - 1}-0"}).url.path == f"/job/{job}", "once"
    hidden = re.findall(r'<del class="gone">(.*?)</del>', client.get(f"/job/{job}").text, re.S)
    shown = re.findall(r'<del class="gone">(.*?)</del>', client.get(f"/job/{job}?values=show").text, re.S)
    assert set(hidden) == {"••••"} and len(hidden) == len(shown) and len(set(shown)) > 5


def test_pages_and_scripts_are_shipped():
    told = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '"**/*.js"' in told and '"**/*.css"' in told and '"**/*.html"' in told


# -- jobs -----------------------------------------------------------------------------------------------------------


def test_two_jobs_run_at_once_the_others_wait_in_order_and_a_stop_stops(bench, client):
    source = opened(bench, client, "many.csv", sensitive="stay_days,outcome")
    for k in range(4, 9):
        client.post(f"/source/{source}/explore", data={"method": "kapra", "kapra.k": k, "kapra.p": "3"})
    page = client.get("/jobs").text
    states = dict(re.findall(r'data-job="(\d+)" data-state="(\w+)"', page))
    mine = sorted((int(j) for j in states), reverse=False)[-5:]
    assert [states[str(j)] for j in mine].count("running") <= 2
    assert [states[str(j)] for j in mine][2:].count("waiting") >= 2
    waiting = re.findall(r"waits, (\d+) before it", page)
    assert [int(n) for n in waiting] == sorted((int(n) for n in waiting), reverse=True)
    bench.wait_until(client, mine[0], "running")
    pid = children(bench)
    assert len(pid) <= 2
    client.post(f"/source/{source}/stop")
    page = client.get("/jobs").text
    states = dict(re.findall(r'data-job="(\d+)" data-state="(\w+)"', page))
    assert "running" not in states.values() and "waiting" not in states.values()
    assert not children(bench)
    assert "You stopped this." in page


def children(bench):
    out = subprocess.run(["ps", "-o", "pid=", "--ppid", str(bench.process.pid)], capture_output=True, text=True)
    return out.stdout.split()


def test_a_killed_job_is_told_and_the_queue_goes_on(bench, client):
    source = opened(bench, client, "many.csv", sensitive="stay_days,outcome")
    client.post(f"/source/{source}/explore", data={"method": "kapra", "kapra.k": "4", "kapra.p": "3"})
    job = last_job(client)
    bench.wait_until(client, job, "running")
    for pid in children(bench):
        os.kill(int(pid), signal.SIGKILL)
    told = bench.wait(client, job)
    assert told["state"] == "failed" and told["said"] == "The work ended unexpectedly; nothing was published."
    client.post(f"/source/{source}/assess", data={})
    assert bench.wait(client, last_job(client))["state"] == "done"


def test_a_setting_out_of_range_is_told_at_once(bench, client):
    source = opened(bench, client)

    def asked(**data):
        return client.post(f"/source/{source}/explore", data={n.replace("_", "."): v for n, v in data.items()})

    answer = asked(method="kapra", kapra_k="3", kapra_p="5")
    assert answer.status_code == 400
    assert "p must lie in 1..k, got p=5 with k=3." in answer.text
    assert re.search(r'id="kapra-p" name="kapra.p" value="5"', answer.text), "the form is kept"
    beside = asked(method="kapra", kapra_k="many", kapra_p="5").text
    assert re.search(r'name="kapra.k" value="many"[^>]* aria-describedby="kapra-k-w kapra-k-h" aria-invalid', beside)
    assert re.search(r'<p class="wrong" id="kapra-k-w">[^<]*many', beside), "said beside its field"
    assert "Choose at least one method." in asked(kapra_k="3").text
    answer = asked(method="kapra", kapra_k=",".join(map(str, range(4, 90))), kapra_p="3")
    assert "That makes 86 settings; at most 60 are computed at once. Shorten a list." in answer.text


def test_one_sweep_reads_the_source_once_and_the_command_and_plan_follow_a_setting(bench, client, tmp_path):
    source = opened(bench, client, sensitive="stay_days,outcome")
    grid = {"method": ["kapra", "tga"], "kapra.k": "3,5,90", "kapra.p": "2", "tga.k": "4"}
    client.post(f"/source/{source}/explore", data=grid)
    job = last_job(client)
    assert bench.wait(client, job)["state"] == "done"
    page = client.get(f"/source/{source}/explore").text
    assert page.count('class="card setting"') == 3 and page.count('class="point"') == 3
    assert "needs 90 people" in page and "proved first, then verified, then as published" in page
    assert page.index("give groups of similar people one range") < page.index("draw series from the range of a group")
    lines = re.findall(r"<pre tabindex=\"0\"><code>(.*?)</code>", page, re.S)
    assert [re.search(r"--k</span> <span class=\"word\">(\d+)", line)[1] for line in lines[:3]] == ["3", "5", "4"]
    told = client.get(f"/source/{source}/plan.toml", params={"setting": f"{job}-1"}).text
    assert 'method = "kapra"' in told and "k = 5" in told
    assert client.get(f"/source/{source}/plan.toml", params={"setting": "999-1"}).status_code == 404
    form = client.get(f"/source/{source}/publish", params={"setting": f"{job}-1"}).text
    assert "(5,2)-anonymity" in form


def test_a_plan_is_opened_edited_and_saved(bench, client, folder):
    source = opened(bench, client, sensitive="stay_days,outcome", quasi="h04,h08,h12")
    client.post(f"/source/{source}/explore", data={"method": "kapra", "kapra.k": "4", "kapra.p": "2"})
    job = last_job(client)
    bench.wait(client, job)
    page = client.get(f"/source/{source}/plan?setting={job}-0").text
    text = html.unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.S)[1])
    assert "k = 4" in text and 'method = "kapra"' in text
    saved = client.post("/plan", data={"name": "spring", "opened": "", "text": text})
    assert "Saved, and sound." in saved.text and "(4,2)-anonymity" in saved.text
    assert "sequester run spring.toml" in saved.text
    assert 'Open<span class="hidden"> spring.toml' in client.get("/").text
    wrong = client.post("/plan", data={"name": "spring.toml", "opened": "spring.toml", "text": "k = = 4"})
    assert wrong.status_code == 400 and "This is no TOML" in wrong.text and "k = = 4" in wrong.text
    taken = client.post("/plan", data={"name": "spring", "opened": "", "text": text})
    assert taken.status_code == 400 and "There is a file" in taken.text
    assert (folder / "spring.toml").read_text().strip() == text.strip()
    edited = {"name": "spring.toml", "opened": "spring.toml", "text": text.replace("k = 4", "k = 1")}
    assert "It cannot be carried out like this" in client.post("/plan", data=edited).text
    edited["text"] = text.replace("k = 4", "k = 5").replace("(4,2)", "(5,2)").replace("\n", "\r\n")
    assert "(5,2)-anonymity" in client.post("/plan", data=edited).text
    assert "(5,2)-anonymity" in str(sq.read_plan(folder / "spring.toml", overwrite=True))
    for name in ("vitals.csv", "nosuch.toml", "../spring.toml"):
        assert client.get("/plan", params={"name": name}).status_code == 404
        client.post("/plan", data={"name": name, "opened": name, "text": text})
    assert (folder / "vitals.csv").read_text().startswith("person")


def test_the_whole_way_and_the_commands_that_do_it_again(bench, client, folder, tmp_path):
    source = opened(bench, client, sensitive="stay_days,outcome")
    page = client.post(f"/source/{source}/publish", data={
        "method": "kapra", "k": "5", "p": "3", "out": "../walk", "title": "Walks & <b>vitals</b>",
        "licence": "CC-BY-4.0", "describes": "h04_lo = lowest heart rate", "formats": "csv",
    })  # fmt: skip
    job = int(re.search(r"/job/(\d+)", str(page.url))[1])
    assert bench.wait(client, job)["state"] == "done"
    page = client.get(f"/job/{job}").text
    assert "<strong>Published. The promise is confirmed.</strong>" in page
    assert (folder / "walk.bundle").is_dir() and not (folder.parent / "walk.bundle").exists()
    assert sq.verify(folder / "walk.bundle").holds
    # it exists now: without the tick nothing is replaced
    again = client.post(f"/source/{source}/publish", data={"method": "kapra", "k": "5", "p": "3", "out": "walk"})
    assert again.status_code == 400 and "'walk.bundle' exists" in html.unescape(again.text)
    # read it
    page = client.post("/open", data={"name": "walk.bundle"})
    number = re.search(r"/bundle/(\d+)", str(page.url))[1]
    assert bench.wait(client, last_job(client))["state"] == "done"
    page = client.get(f"/bundle/{number}").text
    assert "The promise is confirmed." in page and "Walks &amp; &lt;b&gt;vitals&lt;/b&gt;" in page
    # ask it
    data = {"how": "ranges", "time0": "h04", "low0": "0", "high0": "500"}
    page = client.post(f"/bundle/{number}/ask", data=data)
    bench.wait(client, last_job(client))
    assert "Surely at least 30 and at most 30 records." in client.get(str(page.url)).text
    page = client.post(f"/bundle/{number}/ask", data={"how": "sql", "sql": "drop table records"})
    told = bench.wait(client, last_job(client))
    assert told["said"] == "Exactly one SELECT is answered; nothing in a bundle can be changed."
    # hand it on
    packed = tmp_path / "walk.bundle.zip"
    packed.write_bytes(client.get(f"/bundle/{number}/download").content)
    assert not [n for n in zipfile.ZipFile(packed).namelist() if "private" in n]
    assert sq.verify(packed).holds
    assert [p.name for p in rooms(folder) if p.suffix == ".zip"] == []
    # somebody else opens the zip
    if packed.stat().st_size < 1_000_000:
        page = client.post("/upload", files={"file": ("walk.zip", packed.read_bytes())})
        assert "/bundle/" in str(page.url) and bench.wait(client, last_job(client))["state"] == "done"
    # the custodian's report, behind the token
    assert "PRIVATE" in client.get(f"/bundle/{number}/custodian").text
    assert httpx.get(f"{bench.base}/bundle/{number}/custodian", trust_env=False).status_code == 403
    # do it all again: the plan is checked whole and makes the same promise
    plan = folder / "plan.toml"
    plan.write_text(client.get("/plan.toml").text.replace('"walk.bundle"', '"again.bundle"'))
    steps = sq.read_plan(plan).steps
    assert [s.out.name for s in steps] == ["again.bundle"]
    assert steps[0].guarantee.level == "(5,3)-anonymity"
    line = re.search(r'data-copy="(sequester publish [^"]*)"', client.get(f"/job/{job}").text)[1]
    assert "--out walk.bundle" in line and "--sensitive stay_days,outcome" in line


def test_a_bundle_is_checked_beside_its_original_and_an_answer_is_saved(bench, client, folder):
    source = opened(bench, client, sensitive="stay_days,outcome")
    made = {"method": "kapra", "k": "5", "p": "2", "out": "beside", "overwrite": "yes"}
    page = client.post(f"/source/{source}/publish", data=made)
    assert bench.wait(client, int(re.search(r"/job/(\d+)", str(page.url))[1]))["state"] == "done"
    page = client.post("/open", data={"name": "beside.bundle"})
    number = re.search(r"/bundle/(\d+)", str(page.url))[1]
    bench.wait(client, last_job(client))
    assert client.post(f"/bundle/{number}/check", data={"original": "999", "how": "verify"}).status_code == 400
    for how, said in (("verify", "confirmed"), ("attack", "The strongest of"), ("measure", "")):
        client.post(f"/bundle/{number}/check", data={"original": source, "how": how, "sample": "30"})
        assert bench.wait(client, last_job(client))["state"] == "done"
        assert said in re.search(r'id="checked".*', client.get(f"/bundle/{number}").text, re.S)[0]
    kept = {p.name for p in (folder / "beside.private").iterdir()}
    assert any("attack" in name for name in kept)
    client.post(f"/bundle/{number}/ask", data={"how": "sql", "sql": "select '=1+1' as a, 2 as b"})
    job = last_job(client)
    assert bench.wait(client, job)["state"] == "done"
    answer = client.get(f"/bundle/{number}/answer/{job}.csv")
    assert answer.text.splitlines() == ["a,b", "'=1+1,2"] and "answer.csv" in answer.headers["content-disposition"]


def test_a_bundle_is_exported_and_signed_from_its_page(bench, client, folder, tmp_path):
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    source = opened(bench, client, sensitive="stay_days,outcome")
    made = {"method": "kapra", "k": "5", "p": "2", "out": "signed", "overwrite": "yes"}
    page = client.post(f"/source/{source}/publish", data=made)
    assert bench.wait(client, int(re.search(r"/job/(\d+)", str(page.url))[1]))["state"] == "done"
    page = client.post("/open", data={"name": "signed.bundle"})
    number = re.search(r"/bundle/(\d+)", str(page.url))[1]
    bench.wait(client, last_job(client))
    assert f"/bundle/{number}/export/csv" in client.get(f"/bundle/{number}").text
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"/bundle/{number}/export/csv").content))
    assert {n.split("/", 1)[1] for n in archive.namelist()} == {"data/records.csv", "data/columns.csv"}
    assert client.get(f"/bundle/{number}/export/xes").status_code == 404
    lock = serialization.BestAvailableEncryption(b"open sesame")
    key = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, lock
    )
    (tmp_path / "office_key").write_bytes(key)
    asked = {"key": str(tmp_path / "office_key"), "passphrase": "wrong"}
    for form in ({}, {"key": str(tmp_path / "none")}, asked):
        assert client.post(f"/bundle/{number}/sign", data=form).status_code == 400
    assert client.post(f"/bundle/{number}/sign", data=asked | {"passphrase": "open sesame"}).status_code == 200
    assert bench.wait(client, last_job(client))["state"] == "done"
    assert "The bundle is not signed." not in client.get(f"/bundle/{number}").text
    names = zipfile.ZipFile(io.BytesIO(client.get(f"/bundle/{number}/download").content)).namelist()
    assert "signed.bundle/manifest.json.sig" in names, "the signature goes where the bundle goes"
    stored = b"".join(p.read_bytes() for p in (folder / ".sequester-workbench").rglob("*") if p.is_file())
    assert b"sesame" not in stored and b"office_key" not in stored


def test_forgetting_asks_and_an_earlier_reading_comes_back(bench, client):
    source = opened(bench, client)
    before = last_job(client)
    client.post(f"/source/{source}/roles", data={"kind": "series", "person": "person", "sensitive": "stay_days"})
    bench.wait(client, last_job(client))
    page = client.get(f"/source/{source}").text
    assert "How it was read before" in page
    client.post(f"/source/{source}/undo", data={"job": before})
    again = client.get(f"/source/{source}").text
    assert "--sensitive</span> <span" not in again.split('id="again-h"')[-1] and "How it was read before" in again
    asked = client.get(f"/source/{source}/forget").text
    assert "Your own files and releases stay where they are." in asked and client.get(f"/source/{source}").is_success
    client.post(f"/source/{source}/forget")
    assert client.get(f"/source/{source}").status_code == 404


# -- what survives --------------------------------------------------------------------------------------------------


def test_a_restart_shows_what_was_done_and_what_was_not_finished(tmp_path):
    sq.write_sample("series", tmp_path / "vitals.csv", n_people=MANY, seed=1)
    with Workbench(tmp_path) as first, first.client() as client:
        source = opened(first, client, sensitive="stay_days,outcome")
        client.post(f"/source/{source}/explore", data={"method": "kapra", "kapra.k": "4,5,6", "kapra.p": "3"})
        job = last_job(client)
        first.wait_until(client, job, "running")
    with Workbench(tmp_path) as second, second.client() as client:
        page = client.get("/jobs").text
        states = dict(re.findall(r'data-job="(\d+)" data-state="(\w+)"', page))
        assert states[str(job)] == "unfinished" and "running" not in states.values()
        assert "The workbench was closed before this was done." in page
        assert "vitals.csv" in client.get("/").text and "3 settings tried" in client.get("/").text
        assert first.token != second.token


MOMENTS = ("Reading the source", "Checking the promise", "Attacking what was published")


def held(tmp_path, moment):
    """A workbench whose job is publishing and stands still at a moment: workbench, job and its processes."""
    sq.write_sample("series", tmp_path / "vitals.csv", n_people=30, seed=1)
    hold = Hold(tmp_path / ".hold", moment)
    running = Workbench(tmp_path, environment=hold.environment)
    try:
        with running.client() as client:
            source = opened(running, client, sensitive="stay_days,outcome")
            client.post(f"/source/{source}/publish", data={"method": "kapra", "k": "5", "p": "3", "out": "walk"})
            job = last_job(client)
            hold.wait()
            return running, job, children(running)
    except BaseException:
        running.end(signal.SIGKILL)
        raise


def gone(pids):
    end = time.monotonic() + PATIENCE_SECONDS
    while any(_alive(pid) for pid in pids):
        assert time.monotonic() < end, "the job outlived its workbench"
        time.sleep(0.1)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_server_killed_during_publish_leaves_a_whole_bundle_or_none(tmp_path, moment):
    running, job, pids = held(tmp_path, moment)
    running.end(signal.SIGKILL)
    gone(pids)
    left = {p.name for p in tmp_path.iterdir() if p.name.startswith((".walk", "walk"))}
    if moment == MOMENTS[-1]:
        assert left == {"walk.bundle", "walk.private"} and sq.verify(tmp_path / "walk.bundle").holds
    else:
        assert left == set(), "a job that learns of its server's end takes away what it had begun"
    with Workbench(tmp_path) as again, again.client() as client:
        assert f'data-job="{job}" data-state="unfinished"' in client.get("/jobs").text


@pytest.mark.parametrize("moment", ["Writing tables", "Drawing the custodian's report"])
def test_a_killed_job_leaves_a_stage_that_nobody_takes_for_a_bundle(tmp_path, moment):
    """Nothing can clean up after SIGKILL. What is left is hidden and closed, and the next publication clears it."""
    running, job, pids = held(tmp_path, moment)
    for pid in pids:
        os.kill(int(pid), signal.SIGKILL)
    stage = tmp_path / ".walk.bundle.stage"
    with running, running.client() as client:
        assert running.wait(client, job)["said"] == "The work ended unexpectedly; nothing was published."
        assert stage.is_dir() and stage.stat().st_mode & 0o777 == 0o700
        assert not (tmp_path / "walk.bundle").exists() and not (tmp_path / "walk.private").exists()
        assert "walk" not in client.get("/").text, "neither as a bundle nor as a folder to look into"
        assert client.post("/open", data={"name": ".walk.bundle.stage/bundle"}).status_code == 400
    for read in (sq.open_bundle, sq.verify):
        with pytest.raises(sq.BundleError) as caught:
            read(stage / "bundle")
        assert str(caught.value) == (
            "open: 'bundle' lies in the stage of a publication that was not finished. Publish it again."
        )
    vitals = sq.read_series(tmp_path / "vitals.csv", person="person", sensitive=("stay_days", "outcome"))
    sq.publish(sq.anonymize(vitals, sq.Kapra(k=5, p=3), seed=1), tmp_path / "walk.bundle")
    assert sq.verify(tmp_path / "walk.bundle").holds
    assert not list(tmp_path.glob(".walk*"))


def _alive(pid):
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


# -- the command line -----------------------------------------------------------------------------------------------


def sequester(*arguments, **more):
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    return subprocess.run(
        [sys.executable, *more.get("before", ("-m", "sequester")), *arguments],
        capture_output=True,
        text=True,
        env=environment,
    )


def test_a_missing_folder_and_a_taken_port_are_told(bench, tmp_path):
    told = sequester("workbench", str(tmp_path / "nowhere"), "--no-open")
    assert told.returncode == 2
    assert told.stderr == "sequester: workbench: 'nowhere' is not a folder. Pass the folder that holds your data.\n"
    told = sequester("workbench", str(tmp_path), "--no-open", "--port", str(bench.port))
    assert told.returncode == 2
    assert f"workbench: cannot listen on 127.0.0.1 port {bench.port}" in told.stderr
    assert "Pass another --port, or 0 for a free one." in told.stderr


def test_ctrl_c_ends_it(tmp_path):
    running = Workbench(tmp_path)
    assert running.end(signal.SIGINT) in (0, 130)


# -- databases, and roles by clicking -------------------------------------------------------------------------------


def database(path, tables):
    """A SQLite or DuckDB file with the given CSV files as tables."""
    import csv

    if path.suffix == ".duckdb":
        import duckdb

        connection = duckdb.connect(str(path))
        for name, file in tables.items():
            connection.execute(f"create table {name} as select * from read_csv('{file}', all_varchar = true)")
    else:
        import sqlite3

        connection = sqlite3.connect(path)
        for name, file in tables.items():
            with file.open(newline="") as text:
                head, *rows = csv.reader(text)
            connection.execute(f"create table {name} ({', '.join(head)})")
            connection.executemany(f"insert into {name} values ({', '.join('?' * len(head))})", rows)
        connection.commit()
    connection.close()


@pytest.mark.parametrize("ending", [".sqlite", ".duckdb"])
def test_a_database_is_opened_by_clicking_its_table(bench, client, folder, ending):
    if not (folder / "wards.csv").exists():
        sq.write_sample("events", folder / "wards.csv", n_people=20, seed=1)
        (folder / "other.csv").write_text("a,b\n1,2\n")
    name = f"hospital{ending}"
    database(folder / name, {"wards": folder / "wards.csv", "other": folder / "other.csv"})
    source = opened(bench, client, name)
    page = client.get(f"/source/{source}").text
    assert "This database has 2 tables. Say below which one holds the data." in page
    assert 'name="table" value="wards"' in page and 'name="table" value="other"' in page
    client.post(f"/source/{source}/roles", data={"table": "wards"})
    assert bench.wait(client, last_job(client))["state"] == "done"
    page = client.get(f"/source/{source}").text
    assert "20 people" in page and 'value="person" selected>' in page
    client.post(f"/source/{source}/assess", data={})
    assert bench.wait(client, last_job(client))["state"] == "done"
    assert f"sequester assess {name}" in client.get(f"/source/{source}/assess").text
    assert "--table wards" in client.get(f"/source/{source}/assess").text
    single = f"single{ending}"
    database(folder / single, {"wards": folder / "wards.csv"})
    assert "20 people" in client.get(f"/source/{opened(bench, client, single)}").text


def test_a_file_that_only_calls_itself_a_database_is_told(bench, client, folder):
    (folder / "fake.sqlite").write_bytes(b"SQLite format 3\0 and then nothing")
    page = client.post("/open", data={"name": "fake.sqlite"})
    told = bench.wait(client, last_job(client))
    assert told["state"] == "failed" and "fake.sqlite" in told["said"], (page.url, told)


def test_columns_are_clicked_and_shown_without_their_values(bench, client):
    source = opened(bench, client)
    page = client.get(f"/source/{source}").text
    like = re.search(r'<option translate="no" value="person" selected>person \(([^)]*)\)</option>', page)
    assert like and set(like[1]) <= set("a9-") and "9" in like[1]
    assert '<input type="checkbox" id="f-sensitive-' in page
    data = [("kind", "series"), ("person", "person"), ("sensitive", "stay_days"), ("sensitive", "outcome")]
    data += [("quasi", f"h{hour:02d}") for hour in range(4, 49, 4)]
    client.post(f"/source/{source}/roles", content=httpx.QueryParams(data).__str__().encode(),
                headers={"Content-Type": "application/x-www-form-urlencoded"})  # fmt: skip
    assert bench.wait(client, last_job(client))["state"] == "done"
    page = client.get(f"/source/{source}").text
    checked = re.findall(r'name="(sensitive|quasi)" value="(\w+)" checked', page)
    assert ("sensitive", "outcome") in checked and ("quasi", "h48") in checked and len(checked) == 14
    assert "--sensitive stay_days,outcome" in client.get(f"/source/{source}/assess").text


def test_bins_and_alignment_are_clicked(bench, client, folder):
    sq.write_sample("activity", folder / "minutes.csv", n_people=6, seed=1)
    source = opened(bench, client, "minutes.csv")
    page = client.get(f"/source/{source}").text
    for name, value in (("align", "monday"), ("align", "start"), ("bins", "freedson-1998"), ("bins", "own")):
        assert f'<input type="radio" id="f-{name}-' in page and f'name="{name}" value="{value}"' in page
    form = {"kind": "activity", "person": "person", "start": "start", "end": "end", "state": "state", "align": "monday"}
    client.post(f"/source/{source}/roles", data=form)
    assert bench.wait(client, last_job(client))["state"] == "done"
    assert 'value="monday" checked' in client.get(f"/source/{source}").text


def test_a_value_of_ones_own_takes_the_place_of_a_preset():
    from sequester.workbench.forms import clicked

    assert clicked([("bins", "own"), ("bins-own", "1,200"), ("names", "a,b,c")]) == {"bins": "1,200", "names": "a,b,c"}
    assert clicked([("bins", "freedson-1998"), ("bins-own", "1,200")]) == {"bins": "freedson-1998"}
    assert clicked([("bins", ""), ("bins-own", "1,200"), ("quasi", "a"), ("quasi", "b")]) == {"quasi": "a,b"}


@pytest.mark.parametrize(
    "cell, like", [("p017", "a999"), ("2024-03-04T10:00", "9999-99-99a99:99"), ("Maier, Anna", "aaaaa• aaaa"),
                   ("x" * 40, "a" * 16 + "…"), ("", "")],
)  # fmt: skip
def test_what_a_value_looks_like_never_holds_the_value(cell, like):
    from sequester.workbench.inspected import shape

    assert shape(cell) == like


# -- numbers and names that nothing has -----------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["9" * 18, str(2**63), "9" * 19, "9" * 5000, "²"])
def test_numbers_that_nothing_has_are_not_there(bench, client, number):
    source = opened(bench, client)
    for path in (f"/job/{number}", f"/source/{number}", f"/bundle/{number}", f"/source/{number}/publish"):
        assert client.get(path).status_code == 404, path
    assert client.get("/events", params={"jobs": number}).status_code == 200
    for where, key in ((f"/source/{source}/publish", "job"), (f"/source/{source}/method/kapra", "job")):
        assert client.get(where, params={key: number}).status_code in (200, 404)


def test_long_names_are_not_there_or_cut(bench, client):
    long = "x" * 5000
    assert client.get("/", params={"in": long}).status_code == 404
    assert client.post("/open", data={"name": long}).status_code == 400
    name = "数" * 120 + ".csv"  # 360 bytes, which no file system takes
    answer = client.post("/upload", files={"file": (name, b"person,a,b\n1,2,3\n")})
    assert answer.status_code == 200 and "/source/" in str(answer.url)


def test_a_report_in_a_zip_file_is_read_up_to_a_limit(bench, client, folder):
    with zipfile.ZipFile(folder / "large.bundle.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large.bundle/manifest.json", "{}")
        archive.writestr("large.bundle/report.html", b"0" * 60_000_000)
    page = client.post("/open", data={"name": "large.bundle.zip"})
    answer = client.get(re.search(r"/bundle/\d+", str(page.url))[0] + "/report")
    assert answer.status_code == 413 and "too large to be shown" in answer.text


def test_a_job_that_dies_after_the_bundle_is_in_place_says_so(tmp_path):
    running, job, pids = held(tmp_path, MOMENTS[-1])
    for pid in pids:
        os.kill(int(pid), signal.SIGKILL)
    with running, running.client() as client:
        said = running.wait(client, job)["said"]
    assert said == "'walk.bundle' was published, then the work ended unexpectedly. Verify it."
    assert sq.verify(tmp_path / "walk.bundle").holds


def test_a_column_without_a_name_is_shown_and_never_chosen(bench, client, folder):
    """Tables that were saved with row numbers begin with one; it has no name by which a role could take it."""
    rows = ["," + ",".join(("subject", "h04", "h08", "h12"))]
    rows += [f"{i},S{i},{60 + i % 7},{70 + i % 5},{65 + i % 3}" for i in range(40)]
    (folder / "numbered.csv").write_text("\n".join(rows) + "\n")
    page = client.get(f"/source/{opened(bench, client, 'numbered.csv')}").text
    assert '<th scope="row" translate="no">column 1</th>' in page and '<th scope="col"></th>' not in page
    assert not re.search(r'<input type="checkbox"[^>]* value=""', page)
    assert not re.search(r'<option[^>]* value="" selected', page)


def test_data_with_gaps_can_be_explored_without_a_shell(bench, client, folder):
    """What a method needs to be told about missing values stands in the form of the grid."""
    rows = ["person,h04,h08,h12"]
    rows += [f"S{i},{60 + i % 7},{'' if i == 3 else 70 + i % 5},{65 + i % 3}" for i in range(40)]
    (folder / "gaps.csv").write_text("\n".join(rows) + "\n")
    source = opened(bench, client, "gaps.csv")
    asked = {"method": "kapra", "kapra.k": "4", "kapra.p": "2"}
    for missing, shown in (("refuse", "refused-h"), ("fill", "table-h")):
        client.post(f"/source/{source}/explore", data=asked | {"kapra.missing": missing})
        assert bench.wait(client, last_job(client))["state"] == "done"
        page = client.get(f"/source/{source}/explore").text
        assert f'id="{shown}"' in page and 'id="kapra-missing"' in page
    assert f'<a href="/source/{source}/method/kapra">' in page


def test_a_side_table_of_people_lies_in_the_folder_of_the_workbench(bench, client, folder):
    """The server was started elsewhere; the name in the field is looked for in the folder it shows."""
    names = "abcdefghij"
    (folder / "recordings").mkdir()
    for name in names:
        (folder / "recordings" / f"{name}.csv").write_text("symbol\n" + "1\n2\n2\n" * 20)
    lines = [f"{name},p{i // 2}" for i, name in enumerate(names)]
    (folder / "map.csv").write_text("\n".join(["recording,person", *lines]) + "\n")
    source = opened(bench, client, "recordings")
    roles = {"kind": "symbols", "value": "symbol", "person": "file", "people": "map.csv"}
    client.post(f"/source/{source}/roles", data=roles)
    bench.wait(client, last_job(client))
    assert "5 people" in client.get(f"/source/{source}").text
