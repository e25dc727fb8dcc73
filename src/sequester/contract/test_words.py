"""The words: parameters checked by name and explained, a page, and a place on the command line."""

import json
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.cli.options import field_docs, method_options, reader_options
from sequester.contract.data import method
from sequester.layouts import LAYOUTS
from sequester.methods import method_class

PRIVACY = ("k", "p", "l", "epsilon", "delta")
SHARED = {
    "--out", "--overwrite", "--format", "--seed", "--teaching-only", "--no-measure", "--assess", "--json",
    "--title", "--licence", "--contact", "--issued", "--version", "--expires", "--describe",
}  # fmt: skip


def test_it_is_a_frozen_value_under_its_own_name(method_id):
    cls = method_class(method_id)
    assert cls.id == method_id and issubclass(cls, sq.Method)
    assert is_dataclass(cls) and cls.__dataclass_params__.frozen
    assert all(f.kw_only for f in fields(cls)), "parameters are given by name"
    assert cls.accepts.kind in sq.KINDS and method(method_id).layout in LAYOUTS
    assert (cls.__doc__ or "").strip() and cls.paper


def test_bad_parameters_are_refused_by_name(method_id):
    cls = method_class(method_id)
    for name in (f.name for f in fields(cls) if f.name in PRIVACY):
        for bad in (-1, 0, float("nan"), "many"):
            with pytest.raises(sq.ParameterError) as caught:
                cls(**{**cls.example, name: bad})
            message = str(caught.value)
            assert message.startswith(f"{cls.__name__}: ") and name in message and repr(bad) in message, message
            assert message.endswith("."), message


def test_privacy_parameters_have_no_default_and_every_field_is_explained(method_id):
    cls = method_class(method_id)
    docs = field_docs(cls)
    for field in fields(cls):
        assert docs.get(field.name), f"{cls.__name__}.{field.name} has no docstring"
    required = {o.name for o in method_options(cls) if o.required}
    # l-diversity is an extra promise; without a delta the promise is pure, which is the stronger one
    optional = {"l"} | {f.name for f in fields(cls) if f.name == "delta" and f.default is None}
    assert {f.name for f in fields(cls) if f.name in PRIVACY} - optional <= required


def test_it_has_a_page(method_id):
    page = Path(import_module(method_class(method_id).__module__).__file__).with_name("page.md")
    assert page.exists(), "page.md is missing beside the method"
    text = page.read_text("utf-8")
    assert f"`{method_id}`" in text and len(text) > 800, "the page must name the method and explain it"


def test_command_line_names_are_unique(method_id):
    cls = method_class(method_id)
    own = [o for option in method_options(cls) for o in option.opts]
    assert len(own) == len(set(own)) and not SHARED & set(own)
    roles = {o for option in reader_options(sq.reader(cls.accepts.kind)) for o in option.opts}
    assert not SHARED & roles
    twice = roles & set(own)  # one flag for both is fine where the method tells the reader what it was given
    assert not twice or cls.roles is not sq.Method.roles, f"options mean two things: {twice}"


def test_the_command_line_knows_it(method_id):
    listed = CliRunner().invoke(cli, ["methods", method_id, "--json"])
    assert listed.exit_code == 0, listed.output
    assert json.loads(listed.output)[0]["promise"] == str(method(method_id).guarantee)
    help_ = CliRunner().invoke(cli, ["publish", method_id, "--help-all"])
    assert help_.exit_code == 0, help_.output
    assert all(option.opts[0] in help_.output for option in method_options(method_class(method_id)))
