"""Table 2: the corpora, and those that stand in for them here."""

from collections.abc import Iterator

from experiments import s002_text as corpora

TITLE = "k-repeats: corpora of the paper and open ones that stand in (Table 2)"
PAPER = "Matsubara, Hasida 2014, Table 2"
NOTE = """The paper's de-identification records (i2b2 2006) may not be redistributed, and its dictionary dump is not at
hand. Sizes in characters, as in the paper. Stand-ins: MEDDOCAN for DEID (labelled clinical text), medline abstracts for
MED, Japanese encyclopedia leads and novels for WKT."""


def run() -> Iterator[dict]:
    """Their corpora, then ours."""
    for name, size, content, records in (
        ("DEID", 1_283_481, "diagnostic reports (E)", 388),
        ("MED", 7_192_989, "research papers (E)", 50_000),
        ("WKT", 45_838_626, "dictionary (J)", 31_894),
    ):
        yield {"source": "paper", "name": name, "characters": size, "content": content, "records": records}
    for name, texts, content in (
        ("MEDDOCAN", corpora.meddocan().texts, "clinical cases (Spanish)"),
        ("medline", corpora.medline(), "research abstracts (E)"),
        ("Japanese", corpora.japanese(), "encyclopedia leads and novels (J)"),
        ("Presidio", corpora.presidio().texts, "sentences from templates (E)"),
        ("WikiGold", corpora.wikigold().texts, "encyclopedia articles (E)"),
        ("Japanese NER", corpora.japanese_names().texts, "encyclopedia sentences (J)"),
    ):
        yield {"source": "here", "name": name, "characters": sum(map(len, texts)), "content": content,
               "records": len(texts)}  # fmt: skip
