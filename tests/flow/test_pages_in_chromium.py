"""The pages opened in a real browser: hostile notes are shown and never run, nothing is fetched, everyone can read."""

import shutil

import pytest

from sequester.pages.custodian import custodian_page
from sequester.pages.public import public_page
from sequester.pages.tour import tour_page
from tests import pages
from tests.axe import ABSENT as NO_AXE
from tests.axe import violations
from tests.browser import ABSENT, CONTRASTS, Browser

pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT or "never")

TAB, ENTER = "Tab", "Enter"


@pytest.fixture(scope="module")
def browser():
    with Browser() as window:
        yield window


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("pages")
    for kind, make in pages.ALL.items():
        bundle = make()
        (out / f"{kind}.html").write_text(public_page(bundle, kind), "utf-8")
        (out / f"{kind}-private.html").write_text(custodian_page(bundle, kind, pages.evidence(kind)), "utf-8")
    evil = pages.text(texts=[f"{pages.EVIL} ★★★ {pages.EVIL_ATTRIBUTE}"])
    (out / "evil.html").write_text(public_page(evil, "evil"), "utf-8")
    states = (pages.EVIL, pages.EVIL_ATTRIBUTE, "c", "d", "e", "f", "g")
    (out / "evil-events.html").write_text(public_page(pages.events(states=states), "evil"), "utf-8")
    stop = {
        "title": "Notes", "story": "A story.", "method": "made-up", "guarantee": pages.text().guarantee.to_json(),
        "commands": ["sequester sample text --out notes"], "links": [["Public report", "text.html"]], "findings": [],
    }  # fmt: skip
    (out / "tour.html").write_text(tour_page([stop], seconds=1), "utf-8")
    (out / "control.html").write_text(
        f"<!doctype html><title>control</title>{pages.EVIL}<img src='http://example.invalid/x.png'>", "utf-8"
    )
    yield out
    shutil.rmtree(out, ignore_errors=True)


PAGES = [f"{kind}{which}.html" for kind in pages.ALL for which in ("", "-private")] + ["tour.html", "evil.html"]


def test_the_browser_would_notice(browser, folder):
    """The control: a page that does run scripts and does fetch something is seen to do so."""
    browser.requests()
    browser.open(folder / "control.html")
    assert browser.run("return document.title") == "run"
    assert browser.requests() == ["http://example.invalid/x.png"]
    assert any("example.invalid" in line for line in browser.proxy.seen)


@pytest.mark.parametrize("name", ["evil.html", "evil-events.html"])
def test_a_script_in_the_data_is_shown_and_never_run(browser, folder, name):
    browser.open(folder / name)
    assert browser.run("return document.title") == "evil"
    assert "<script>docum" in browser.run("return document.body.textContent")
    assert browser.run("return document.querySelectorAll('script, img, [onerror]').length") == 0


def test_no_page_makes_a_request(browser, folder):
    browser.requests()
    for name in PAGES:
        browser.open(folder / name)
        loaded = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
        assert loaded == [], name
    assert browser.requests() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_contrasts_with_its_ground(browser, folder, scheme):
    browser.scheme(scheme)
    for name in PAGES:
        browser.open(folder / name)
        assert browser.run(CONTRASTS) == [], name
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 26)")
    browser.scheme("light")


@pytest.mark.parametrize("width", [320, 390, 1000])
def test_nothing_runs_over_the_edge(browser, folder, width):
    browser.size(width, 800)
    for name in PAGES:
        browser.open(folder / name)
        assert browser.run("return document.documentElement.scrollWidth") <= width, name
    browser.size(1000, 1400)


def test_the_keyboard_reaches_everything(browser, folder):
    browser.open(folder / "series-private.html")
    browser.press(TAB)
    assert browser.run("return document.activeElement.className") == "skip"
    assert browser.run("return document.activeElement.getBoundingClientRect().left") >= 0
    browser.press(ENTER)
    assert browser.run("return document.activeElement.id") == "content"
    browser.size(320, 800)
    browser.open(folder / "text-private.html")
    unreachable = """
      return [...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1 &&
        ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && e.tabIndex < 0).length"""
    assert browser.run(unreachable) == 0
    browser.size(1000, 1400)


def test_screen_readers_get_names(browser, folder):
    """What the browser itself computes for assistive technology."""
    for name in ("activity-private.html", "events.html", "tour.html"):
        browser.open(folder / name)
        nodes = browser.cdp("Accessibility.getFullAXTree")["nodes"]
        shown = [n for n in nodes if not n.get("ignored")]
        roles = {}
        for node in shown:
            roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
        assert len(roles["main"]) == 1 and "banner" in roles and "contentinfo" in roles, name
        for role in ("image", "link", "table", "region", "heading"):
            assert all(label.strip() for label in roles.get(role, [])), (name, role)
        if name != "tour.html":
            assert roles["image"], "pictures are announced as images with their text"


def test_it_prints(browser, folder):
    browser.open(folder / "series-private.html")
    paper = browser.pdf()
    assert paper.startswith(b"%PDF") and len(paper) > 20_000
    browser.media("print")
    assert browser.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    browser.media("screen")


@pytest.mark.skipif(bool(NO_AXE), reason=NO_AXE or "never")
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation(browser, folder, name):
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.open(folder / name)
        browser.run("for (const fold of document.querySelectorAll('details')) fold.open = true")
        assert violations(browser.page) == [], scheme
    browser.scheme("light")
