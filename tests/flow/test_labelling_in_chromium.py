"""The labelling page in a real browser: `sequester label` opens it, keys and mouse mark words, a round is learnt."""

import json
import shutil

import pytest

import sequester as sq
from tests.browser import CONTRASTS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("chromium is not installed: the labelling page was not opened in a browser", allow_module_level=True)
pytest.importorskip("starlette", reason="the extra 'workbench' is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("pycrfsuite", reason="the extra 'words' is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.bench import Workbench  # noqa: E402
from tests.flow.test_workbench_in_chromium import FLAGS, NAMELESS, PATIENCE  # noqa: E402


@pytest.fixture
def walk(tmp_path):
    """A page of `sequester label` on sample notes, and the folder."""
    sq.write_sample("text", tmp_path / "notes", n_people=8, seed=1)
    with (
        Workbench(tmp_path / "notes", "--person", "folder", "--language", "en", verb="label") as bench,
        playwright.sync_playwright() as driver,
    ):
        window = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = window.new_page(viewport={"width": 400, "height": 800})
        page.set_default_timeout(PATIENCE)
        page.trouble = []
        page.on("console", lambda m: page.trouble.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: page.trouble.append(str(e)))
        page.goto(bench.address)
        yield page, tmp_path
        assert page.trouble == []
        window.close()


def sound(page):
    """Names for everything, contrast by day and night, and nothing wider than a phone."""
    page.wait_for_load_state("load")
    assert page.evaluate(NAMELESS) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("() => {" + CONTRASTS + "}") == [], scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def kinds(page):
    """What each word is marked as, from what a screen reader would be told."""
    return page.evaluate("() => [...document.querySelectorAll('[role=option]')].map(w => "
                         "w.getAttribute('aria-selected') === 'true' ? w.dataset.kind : '')")  # fmt: skip


def test_a_round_of_labels_by_keys_and_mouse(walk):
    page, folder = walk
    assert page.locator("h1").inner_text() == "Label notes" and page.locator("#language").input_value() == "en"
    sound(page)
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("#words")
    sound(page)
    assert page.locator("h1").inner_text() == "Note 1 of 5: mark what is private"
    words = page.locator("[role=option]")
    text = words.all_inner_texts()
    before = kinds(page)
    assert any(before), "guesses are already marked"
    patient = text.index("Patient")
    assert not before[patient] and before[patient + 1]

    # the keyboard alone: to the word, mark it, mark it everywhere, take it back
    assert page.evaluate("document.activeElement.id") == "words"
    for _ in range(patient):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert kinds(page)[patient] == "PRIVATE"
    assert page.locator("#said").inner_text().startswith("Patient: marked PRIVATE.")
    page.keyboard.press("e")
    same = [i for i, word in enumerate(text) if word.lower() == "patient"]
    assert len(same) > 1 and {kinds(page)[i] for i in same} == {"PRIVATE"}
    page.keyboard.press("Space")
    page.keyboard.press("e")
    assert kinds(page) == before
    page.keyboard.press("Shift+ArrowRight")
    assert kinds(page)[patient] == "PRIVATE"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert page.locator(".here").count() == 1

    # the mouse: a click, and a drag over three words
    page.select_option("#kind", "HOSPITAL")
    free = next(i for i in range(len(text) - 2) if i > patient + 4 and not any(before[i : i + 3]))
    words.nth(free).click()
    assert kinds(page)[free] == "HOSPITAL"
    words.nth(free).click()
    assert kinds(page) == before
    words.nth(free).hover()
    page.mouse.down()
    words.nth(free + 2).hover()
    page.mouse.up()
    assert kinds(page)[free : free + 3] == ["HOSPITAL"] * 3

    page.locator("#words").focus()
    page.keyboard.press("d")
    for number in range(2, 6):
        page.wait_for_selector(f"h1:has-text('Note {number} of 5')")
        page.wait_for_load_state("load")  # its script has run: keys are heard
        page.get_by_role("button", name="Done, next note").click()
    page.wait_for_selector("h1:has-text('5 notes labelled')")
    sound(page)
    said = page.locator("main").inner_text()
    assert "95 % interval" in said and "not a promise" in said and "Label five more" in said
    rows = [json.loads(line) for line in (folder / "notes-labels.private/labels.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 5 and any("HOSPITAL" in span for row in rows for span in row["spans"])

    page.get_by_role("button", name="Five more").click()
    page.wait_for_selector("h1:has-text('Note 1 of 5')")
    page.wait_for_load_state("load")  # its script has run: keys are heard
    assert "5 notes labelled so far" in page.locator("main").inner_text()
    page.goto(page.url.removesuffix("/note") + "/round")
    page.wait_for_selector("h1:has-text('Note 1 of 5')")
    page.wait_for_load_state("load")  # its script has run: keys are heard


def test_enough_leads_to_a_release_with_the_labels(walk):
    page, _ = walk
    page.get_by_role("button", name="Start").click()
    for number in range(1, 6):
        page.wait_for_selector(f"h1:has-text('Note {number} of 5')")
        page.wait_for_load_state("load")  # its script has run: keys are heard
        page.keyboard.press("d")
    page.get_by_role("link", name="Enough: publish with k-words").click()
    page.wait_for_selector("h1")
    said = page.locator("main").inner_text()
    assert "Every visible stretch of words that are not public" in said and "labels.jsonl" in said
