"""The workbench in three languages: every sentence of ours has words, numbers and names are the same in all."""

import re
from collections import Counter

import pytest

import sequester as sq

pytest.importorskip("starlette", reason="the extra 'workbench' is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from sequester.languages import LANGUAGES
from sequester.workbench import tongue
from tests.accessibility import tree
from tests.bench import Workbench

OTHERS = [language for language in LANGUAGES if language != "en"]
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
HOME = "/source/1"
PAGES = (
    "/", HOME, f"{HOME}/assess", f"{HOME}/choose?compute=flows&withstand=lookup", f"{HOME}/explore",
    f"{HOME}/method/markov-ratio", f"{HOME}/method/markov-dp", f"{HOME}/publish",
    f"{HOME}/publish?method=markov-ratio&epsilon=0.35", f"{HOME}/forget", f"{HOME}/plan?setting=2-0", "/jobs",
    "/nosuch",
)  # fmt: skip


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    sq.write_sample("events", folder / "wards.csv", n_people=40, seed=1)
    with Workbench(folder) as running:
        with running.client() as client:
            client.post("/open", data={"name": "wards.csv"})
            running.wait(client, 1)
            client.post(f"{HOME}/explore", data={"method": "markov-ratio", "markov-ratio.epsilon": "0.35,0.7"})
            running.wait(client, 2)
        yield running


def page(bench, path, language):
    with bench.client() as client:
        client.cookies.set(tongue.COOKIE, language)
        answer = client.get(path)
    assert f'<html lang="{language}">' in answer.text, path
    return answer.text


ENGLISH = re.compile(r"\b(the|of|is|are|with|from|and|which|your|every|The|Each|Every|What|Which|Your)\b")


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_of_a_page_stays_english(bench, language, monkeypatch):
    shown = []
    monkeypatch.setattr(tongue._shell, "said", lambda text: shown.append(text) or text, raising=False)
    for path in PAGES:
        before = len(shown)
        list(tongue._pieces(page(bench, path, language)))
        assert len(shown) > before + 5
    monkeypatch.undo()
    left = [t for t in dict.fromkeys(shown) if ENGLISH.search(t)]
    assert left == []


@pytest.mark.parametrize("language", OTHERS)
def test_numbers_and_names_are_the_same_in_every_language(bench, language):
    for path in PAGES:
        english, other = (tree(page(bench, path, name)) for name in ("en", language))
        lost = Counter(NUMBER.findall(english.text())) - Counter(NUMBER.findall(other.text()))
        assert not lost, f"{path}: numbers that are gone {lost}"
        for node in (*english.all("code"), *english.all("pre")):
            assert node.text() in other.text()
