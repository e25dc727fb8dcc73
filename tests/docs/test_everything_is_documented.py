"""Every verb, option and public name is documented; the tables of the README say what the code says."""

import re
import sys
from importlib import import_module, resources
from pathlib import Path

import pytest

import sequester as sq
from sequester.cli import VERBS, cli
from sequester.cli.options import method_options, options_of, reader_options
from tests.docs.blocks import ROOT, pages

sys.path.insert(0, str(ROOT / "docs"))
import generate

SRC = ROOT / "src" / "sequester"


@pytest.fixture(scope="module")
def reference():
    return {"cli": generate.cli_page(), "api": generate.api_page()}


def test_every_verb_and_option_is_in_the_reference(reference):
    text = reference["cli"]
    for verb in VERBS:
        assert f"## `sequester {verb}`" in text
        command = cli.get_command(None, verb)
        for option in command.params:
            for name in (o for o in option.opts if o.startswith("--")):
                assert name in text and option.help, f"{verb} {name}"
    for method_id in sq.METHODS:
        section = text[text.index(f"### `sequester publish {method_id}`") :]
        section = section[: section.index("```", section.index("```text") + 7)]
        cls = sq.method_class(method_id)
        for option in [*method_options(cls), *reader_options(sq.reader(cls.accepts.kind))]:
            assert option.opts[0] in section, f"{method_id} {option.opts[0]}"
            assert option.help, f"{method_id} {option.opts[0]}"


def test_every_public_name_is_in_the_reference(reference):
    for name in sq.__all__:
        assert f"### `{name}`" in reference["api"], name
        value = getattr(sq, name)
        if callable(value):
            assert (value.__doc__ or "").strip(), f"{name} has no docstring"


def test_every_parameter_of_a_verb_is_explained():
    from sequester.cli.options import parameter_docs

    for verb in ("anonymize", "publish", "open_bundle", "write_sample", "read_plan", "run_plan"):
        function = getattr(sq, verb)
        told = parameter_docs(function)
        import inspect

        for name in inspect.signature(function).parameters:
            assert told.get(name) or told.get(f"**{name}"), f"{verb}: {name}"


def test_every_method_has_a_page_in_the_docs(tmp_path, monkeypatch):
    monkeypatch.setenv("SEQUESTER_DOCS_PICTURES", "no")
    generate.write_methods(tmp_path / "methods")
    for method_id in sq.METHODS:
        text = (tmp_path / "methods" / f"{method_id}.md").read_text("utf-8")
        assert "Unit of protection" in text and "## All parameters" in text
        for name, declared in options_of(sq.method_class(method_id)).items():
            flag = f"--{name.rstrip('_').replace('_', '-')}"
            assert f"`{name if declared.level == 'paper' else flag}`" in text, name


def rows_of_the_readme():
    for line in (ROOT / "README.md").read_text("utf-8").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 5:
            yield re.findall(r"`([a-z0-9+-]+)`", cells[0]), cells


def test_the_readme_grades_methods_as_the_code_does():
    told = {}
    for names, (_, kind, _, unit, grade) in rows_of_the_readme():
        told |= dict.fromkeys(names, (kind, unit, grade))
    for method_id in sq.METHODS:
        cls = sq.method_class(method_id)
        promise = cls(**cls.example).guarantee.confirmed()
        if cls.baseline:
            continue
        assert method_id in told, f"README does not list {method_id}"
        kind, unit, grade = told[method_id]
        assert kind == cls.accepts.kind and promise.unit in unit and grade == promise.status, method_id


def test_links_between_pages_lead_somewhere():
    for page in [*pages(), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
            if "://" in target or target.startswith("methods/"):
                continue
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_method_links_name_methods():
    text = (ROOT / "docs" / "which-method.md").read_text("utf-8")
    linked = set(re.findall(r"\(methods/([a-z0-9-]+)\.md\)", text))
    unknown = linked - set(sq.METHODS)
    assert not unknown, f"which-method.md links to {sorted(unknown)}"
    own = {m for m in sq.METHODS if not sq.method_class(m).baseline}
    assert own <= linked, f"which-method.md does not mention {sorted(own - linked)}"


def test_no_page_speaks_of_this_machine():
    for page in [*pages(), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.py"))]:
        text = page.read_text("utf-8")
        assert "/work/" not in text and "/home/" not in text and str(Path.home()) + "/" not in text, page.name


def test_templates_are_shipped():
    names = {p.name for p in (resources.files("sequester.pages") / "templates").iterdir()}
    assert {"base.html", "page.html", "tour.html", "style.css"} <= names


def test_the_picture_of_the_house_shows_every_room_and_no_other():
    from tests.contract.test_imports import FLOOR

    picture = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("```text")[2].split("```")[0]
    floor, shown = 0, {}
    for line in picture.splitlines():
        if line.strip("─ "):
            floor = int(line[:4].strip() or floor)
            shown |= dict.fromkeys(line[4:40].split(), floor)
    assert shown == FLOOR


def test_every_file_and_name_the_architecture_page_mentions_is_there():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    quoted = re.findall(r"`([\w./]+)`", text.replace("**", ""))
    files = {q for q in quoted if "/" in q or q.endswith(".py")}
    lost = {f for f in files if not any((base / f).exists() for base in (ROOT, SRC))}
    assert len(files) > 12 and not lost, f"docs/architecture.md names {sorted(lost)}"
    rooms = {p.stem for p in SRC.iterdir()}
    names = {q for q in quoted if re.fullmatch(r"[a-z_]+\.[A-Z]\w*", q) and q.partition(".")[0] in rooms}
    wrong = {n for n in names if not hasattr(import_module(f"sequester.{n.split('.')[0]}"), n.split(".")[1])}
    assert len(names) >= 3 and not wrong, f"docs/architecture.md names {sorted(wrong)}"
