"""Whoever cites or catalogues the program reads its version, everywhere the same."""

import json
from pathlib import Path

import yaml

from sequester.version import VERSION

ROOT = Path(__file__).parents[2]


def test_citation_and_codemeta_have_the_version_of_the_program():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == VERSION
    assert json.loads((ROOT / "codemeta.json").read_text("utf-8"))["version"] == VERSION
