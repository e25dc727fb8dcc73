"""One publication does its work once: the source is read once, the folder judged once, the manifest written once."""

import pytest
from benchmarks.hops import called, source

ROLES = ["--person", "person", "--k", "5", "--p", "2", "--seed", "1"]
ONCE = (
    "read.series.read_series",
    "read.gather.gather",
    "read.table.load",
    "methods.series.kapra.__init__.Kapra.apply",
    "judges.__init__.judge",
    "judges.kp.judge",
    "bundle.bundle.write_manifest",
    "bundle.bundle.write_tables",
    "bundle.manifest.read_manifest",
    "bundle.atomic.require_free",
    "layouts.boxes.Boxes.read",
    "flow.summary",
    "flow.measure",
)
MOST = 637
"""Functions of ours that one publication passes through; a new step is worth a thought here."""


@pytest.fixture
def vitals(tmp_path):
    path = source(tmp_path)
    called(["publish", "kapra", str(path), *ROLES, "--out", str(tmp_path / "before" / "first.bundle")])  # imports
    return path


def test_a_publication_does_everything_once(vitals, tmp_path):
    found = called(["publish", "kapra", str(vitals), *ROLES, "--out", str(tmp_path / "a.bundle")])
    assert {name: found.get(name, 0) for name in ONCE} == dict.fromkeys(ONCE, 1)
    assert "bundle.recognise.manifest_digest" not in found, (
        "the manifest is hashed where it is written, and nowhere else"
    )
    n_files = len(list((tmp_path / "a.bundle").rglob("*.*"))) - 1  # the manifest lists the others
    assert found["bundle.formats.sha256"] == 2 * n_files, "once when it is written, once as a stranger"
    promised = found["methods.series.kapra.__init__.Kapra.guarantee"]
    # from the parameters that were asked for, and by the stranger from those in the manifest
    assert promised == 2
    assert len(found) <= MOST


def test_the_steps_come_in_the_order_of_the_architecture_page(vitals, tmp_path):
    order = list(called(["publish", "kapra", str(vitals), *ROLES, "--assess", "--out", str(tmp_path / "a.bundle")]))
    steps = (
        "read.series.read_series", "accounts.account.Account.reserve", "flow.assess", "flow.anonymize",
        "bundle.atomic.staged", "judges.kp.judge", "pages.public.public_page", "bundle.bundle.write_manifest",
        "bundle_checks.stranger_checks", "flow.measure", "bundle.atomic._swap_both",
        "accounts.reservation.Reservation.published",
    )  # fmt: skip
    assert sorted(steps, key=order.index) == list(steps)


PLAN = """
[[release]]
source = "vitals.csv"
method = "kapra"
out = "a.bundle"
evidence = []
parameters = {k = 5, p = 2}
roles = {person = "person"}
[[release]]
source = "vitals.csv"
method = "kapra"
out = "b.bundle"
evidence = []
parameters = {k = 7, p = 3}
roles = {person = "person"}
"""


def test_two_releases_of_a_plan_share_one_reading(vitals, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    found = called(["run", str(tmp_path / "plan.toml")])
    reading = [name for name in ONCE if name.startswith("read.")]
    assert {name: found.get(name, 0) for name in reading} == dict.fromkeys(reading, 1)
    # The second release is also compared with the first, whose manifest is read for that.
    apart = ("bundle.manifest.read_manifest", "bundle.atomic.require_free", "flow.measure")
    others = [name for name in ONCE if not name.startswith("read.") and name not in apart]
    assert {name: found.get(name, 0) for name in others} == dict.fromkeys(others, 2)
