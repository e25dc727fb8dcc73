"""Presidio's pattern recognisers, without a model and without the network."""

from __future__ import annotations

from typing import Any

from sequester.errors import InputError
from sequester.methods.text.shared.first_pass import Span
from sequester.model import Corpus

SCORE = 0.3
"""Least score of a finding that is hidden."""


def by_presidio(data: Corpus, language: str) -> list[Span]:
    """What Presidio's recognisers find by their form; names need a model and are not looked for."""
    analyzer = _analyzer(language)
    out = []
    for i, text in enumerate(data.texts):
        if text.strip():
            found = analyzer.analyze(text=text, language=language, score_threshold=SCORE)
            out += [Span(i, r.start, r.end, r.entity_type) for r in found]
    return out


def _analyzer(language: str) -> Any:
    try:
        import spacy
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import SpacyNlpEngine
    except ImportError as error:
        raise InputError(
            "k-repeats: first_pass=presidio needs the extra 'presidio'. Install sequester[presidio]."
        ) from error
    _stay_offline()

    class Blank(SpacyNlpEngine):
        """A tokeniser and nothing else: no model is looked for."""

        def __init__(self) -> None:
            super().__init__(models=[{"lang_code": language, "model_name": "blank"}])
            self.nlp = {language: spacy.blank(language)}

        def load(self) -> None:
            """Nothing to load."""

    try:
        engine = Blank()
        registry = RecognizerRegistry(supported_languages=[language])
        registry.load_predefined_recognizers(languages=[language])
    except (ImportError, ValueError, OSError) as error:
        raise InputError(f"k-repeats: Presidio knows no recognisers for language='{language}'.") from error
    registry.remove_recognizer("SpacyRecognizer")
    return AnalyzerEngine(nlp_engine=engine, registry=registry, supported_languages=[language])


def _stay_offline() -> None:
    """Its recogniser of mail asks the network for a list of domains; the copy that came with it will do."""
    import tldextract

    offline = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    tldextract.extract = offline
    tldextract.tldextract.TLD_EXTRACTOR = offline
