"""The bundle and the custodian's folder change together or not at all, and nothing of others is touched."""

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest

import sequester as sq
from sequester.bundle import atomic
from sequester.platform import STOPPING
from sequester.release import Evidence
from tests import killing, toy


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    toy.register(monkeypatch)


def release(n=10):
    return sq.anonymize(toy.panel(n), toy.ToyGroups(k=3), seed=1)


def publish(target, n=10, **options):
    return sq.publish(release(n), target, source=toy.panel(n), roles={"n": n}, **options)


def names(folder):
    """What lies in a folder beside the account of its releases."""
    return sorted(p.name for p in folder.iterdir() if "sequester.account" not in p.name)


@pytest.mark.parametrize("exchange", [True, False])
def test_kills_in_short(exchange):
    found = killing.kills(6, seed=3, exchange=exchange)
    assert found["leftovers"] == 0
    assert found["next run: done, whole"] == 6
    allowed = {"after the kill: whole", "after the kill: nothing"}
    assert {k for k in found if k.startswith("after")} <= allowed, found
    if exchange:
        assert found["old bundle aside in the stage"] == 0


@pytest.mark.parametrize(("overwrite", "pid"), [(False, 0), (True, 7)])
def test_races_in_short(overwrite, pid):
    found = killing.races(2, overwrite=overwrite, pid=pid)
    assert found[f"{3 if overwrite else 1} of 3 wrote, whole"] == 2, found
    assert found["leftovers"] == found["other sentences"] == 0


DIES = """
right = atomic._swap_in
def swap(new, place, aside):
    if place.name == "a.private":
        os._exit(9)
    return right(new, place, aside)
atomic._swap_in = swap
"""


def test_a_kill_between_the_two_swaps_is_mended(tmp_path):
    target = tmp_path / "a.bundle"
    publish(target, 10)
    one = killing.child(target, 20, also=DIES)
    one.communicate()
    assert one.returncode == 9
    before = names(tmp_path)
    # Readers find the custodian's folder in the stage by the manifest it was written with, and write nothing.
    assert sq.custodian(target)["roles"] == {"n": 20}
    assert sq.open_bundle(target, private=True).private["people"].num_rows == 20
    assert sq.verify(target, toy.panel(20)).holds
    assert names(tmp_path) == before == [".a.bundle.lock", ".a.bundle.stage", "a.bundle", "a.private"]
    with pytest.raises(sq.BundleError, match="exists"):
        publish(target, 30)
    assert names(tmp_path) == ["a.bundle", "a.private"]
    assert json.loads((tmp_path / "a.private" / "custodian.json").read_text())["roles"] == {"n": 20}


@pytest.mark.parametrize("exchange", [True, False])
def test_the_first_swap_is_undone_if_the_second_fails(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(atomic, "exchange", lambda a, b: False)
    target = tmp_path / "a.bundle"
    publish(target, 10)
    right = atomic._swap_in

    def failing(new, place, aside):
        if place.name == "a.private":
            raise OSError(errno.EIO, "Input/output error")
        return right(new, place, aside)

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "_swap_in", failing)
        with pytest.raises(sq.BundleError) as caught:
            publish(target, 20, overwrite=True)
    assert str(caught.value) == "publish: 'a.bundle' cannot be written (Input/output error). Check the folder."
    assert sq.custodian(target)["roles"] == {"n": 10} and sq.verify(target).holds
    assert names(tmp_path) == ["a.bundle", "a.private"]


def test_an_error_after_the_swap_says_that_the_bundle_is_there(tmp_path, monkeypatch):
    right, target = atomic.fsync, tmp_path / "a.bundle"

    def failing(path):
        if path == tmp_path and target.exists():
            raise OSError(errno.EIO, "Input/output error")
        right(path)

    monkeypatch.setattr(atomic, "fsync", failing)
    with pytest.raises(sq.BundleError) as caught:
        publish(target)
    assert str(caught.value) == (
        "publish: 'a.bundle' was written, but the system reported an error afterwards (Input/output error). Verify it "
        "before you hand it out."
    )
    assert sq.verify(target).holds


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_private_folders_and_stages_are_closed_to_others(tmp_path, monkeypatch, umask):
    target = tmp_path / "a.bundle"
    right, stages = atomic.flush, []
    monkeypatch.setattr(atomic, "flush", lambda f: (stages.append(stat.S_IMODE(f.stat().st_mode)), right(f)))
    before = os.umask(umask)
    try:
        publish(target)
        sq.keep(target, Evidence(about="risk", saw_original=True, summary="High."))
    finally:
        os.umask(before)
    private = tmp_path / "a.private"
    assert stages == [0o700]
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in private.iterdir()} == {0o600}
    assert stat.S_IMODE((target / "manifest.json").stat().st_mode) == 0o666 & ~umask


def test_what_others_wrote_is_never_touched(tmp_path):
    for name in (".a.bundle.old", ".a.bundle.123.tmp", ".b.bundle.stage"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.txt").write_text("years of work")
    target = publish(tmp_path / "a.bundle").path
    sq.verify(target)
    publish(target, 20, overwrite=True)
    assert {".a.bundle.old", ".a.bundle.123.tmp"} <= set(names(tmp_path))
    with pytest.raises(sq.BundleError) as caught:
        publish(tmp_path / "b.bundle")
    assert str(caught.value) == (
        "publish: '.b.bundle.stage' is in the way and is not something sequester wrote. Move it away."
    )
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "manifest.json").write_text('{"name": "an app"}')
    with pytest.raises(sq.BundleError, match="'web' is not something sequester wrote"):
        publish(tmp_path / "web", overwrite=True)
    assert (tmp_path / ".b.bundle.stage" / "thesis.txt").exists()


def test_a_private_folder_whose_bundle_was_moved_is_kept(tmp_path):
    target = publish(tmp_path / "a.bundle").path
    target.rename(tmp_path / "elsewhere.bundle")
    with pytest.raises(sq.BundleError) as caught:
        publish(target, 20)
    assert str(caught.value) == (
        "publish: 'a.private' exists without its bundle, which was moved or renamed. Move it there, or pass "
        "overwrite=True to replace it."
    )
    assert json.loads((tmp_path / "a.private" / "custodian.json").read_text())["roles"] == {"n": 10}
    publish(target, 20, overwrite=True)
    assert sq.custodian(target)["roles"] == {"n": 20}


@pytest.mark.parametrize("name", ["plain", "g[1].bundle", "a*.bundle", "x y.bundle", "k=1.bundle"])
def test_any_name_will_do(tmp_path, name):
    other = publish(tmp_path / "a1.bundle").path
    path = publish(tmp_path / name).path
    publish(tmp_path / name, 20, overwrite=True)
    assert sq.verify(path, toy.panel(20)).holds and sq.verify(other).holds
    assert sq.custodian(path)["roles"] == {"n": 20}
    assert not [n for n in names(tmp_path) if n.startswith(".")]


def test_a_bundle_in_a_bundle_is_refused(tmp_path):
    target = publish(tmp_path / "a.bundle").path
    for inside in (target, target / "data", tmp_path / "a.private"):
        with pytest.raises(sq.BundleError, match=r"cannot be written inside 'a\.(bundle|private)'"):
            publish(inside / "b.bundle")
    assert sq.verify(target).holds


def test_links_are_not_followed_out(tmp_path):
    outside = tmp_path / "outside.html"
    outside.write_text("mine")
    target = publish(tmp_path / "a.bundle").path
    (tmp_path / "r.html").symlink_to(outside)
    sq.report(target, tmp_path / "r.html")
    assert outside.read_text() == "mine" and not (tmp_path / "r.html").is_symlink()
    private = tmp_path / "a.private"
    (private / "report.html").unlink()
    (private / "report.html").symlink_to(outside)
    (private / "risk.json").symlink_to(outside)
    with pytest.raises(sq.BundleError, match="is not JSON"):
        sq.keep(target, Evidence(about="risk", saw_original=True))
    (private / "risk.json").unlink()
    sq.keep(target, Evidence(about="risk", saw_original=True))
    assert outside.read_text() == "mine"
    (tmp_path / "b.bundle").symlink_to(target)
    with pytest.raises(sq.BundleError, match=r"'b\.bundle' is a link; it will not be replaced"):
        publish(tmp_path / "b.bundle", overwrite=True)
    with pytest.raises(sq.BundleError, match="must be about one word"):
        sq.keep(target, Evidence(about="../x", saw_original=True))


def test_reading_verbs_write_nothing(tmp_path):
    target = publish(tmp_path / "a.bundle").path
    before = {p: p.stat().st_mtime_ns for p in [tmp_path, *tmp_path.rglob("*")]}
    sq.verify(target, toy.panel())
    sq.open_bundle(target, private=True).sql("select 1")
    assert {p: p.stat().st_mtime_ns for p in [tmp_path, *tmp_path.rglob("*")]} == before


COMMAND = """
import signal, sys, time
sys.path[:0] = [{root!r}, {src!r}]
from sequester import flow, platform
for number in platform.ENDING:  # whoever runs the tests may have them ignored (nohup), and children inherit that
    signal.signal(number, signal.SIG_DFL)
def slow(*a, **o):
    print("ready", flush=True)
    time.sleep(30)
flow.anonymize = slow
sys.argv = ["sequester", "publish", "kapra", {source!r}, "--k", "4", "--p", "2", "--person", "person",
            "--sensitive", "stay_days,outcome", "--out", {out!r}]
from sequester.cli import main
main()
"""


@pytest.mark.parametrize(("number", "code"), [(number, 128 + number) for number in STOPPING])
def test_signals_end_like_an_interrupt(tmp_path, number, code):
    source = sq.write_sample("series", tmp_path / "vitals.csv")
    told = COMMAND.format(
        root=str(killing.ROOT), src=str(killing.ROOT / "src"), source=str(source), out=str(tmp_path / "a.bundle")
    )
    one = subprocess.Popen([sys.executable, "-c", told], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert one.stdout.readline() == "ready\n"
    time.sleep(0.1)
    one.send_signal(number)
    said = one.communicate()[1]
    assert (one.returncode, said.splitlines()[-1]) == (
        code,
        "sequester: stopped. What was not finished was not published.",
    )
    assert names(tmp_path) == ["vitals.csv"]


def test_an_interrupt_after_the_swap_says_what_is_there(tmp_path, monkeypatch):
    right = atomic._swap_both

    def then(stage, target):
        right(stage, target)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(atomic, "_swap_both", then)
    with pytest.raises(KeyboardInterrupt) as caught:
        publish(tmp_path / "a.bundle")
    assert caught.value.published == ("a.bundle",)
    assert sq.verify(tmp_path / "a.bundle").holds and names(tmp_path) == ["a.bundle", "a.private"]


def test_a_closed_pipe_is_not_a_broken_promise():
    code = f"import sys; sys.path[:0] = [{str(killing.ROOT / 'src')!r}]; sys.argv[1:] = ['methods']; "
    code += "from sequester.cli import main; main()"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_report_takes_no_other_file_away(tmp_path):
    target = publish(tmp_path / "a.bundle").path
    data = tmp_path / "vitals.csv"
    data.write_text("person,a\n1,2\n")
    with pytest.raises(sq.BundleError, match=r"report: 'vitals.csv' exists and is no HTML page"):
        sq.report(target, data)
    with pytest.raises(sq.BundleError, match=r"verify: 'vitals.csv' exists and is no HTML page"):
        sq.write_checker(data)
    assert data.read_text() == "person,a\n1,2\n"
    page = sq.report(target, tmp_path / "r.html")
    assert sq.report(target, page) == page, "a page is written anew"
