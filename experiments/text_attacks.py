"""Attacks on released notes: a known sentence, five words, three common words; two notes of one person; gaps."""

from collections.abc import Iterator

import sequester as sq
from experiments import s002_text as corpora
from sequester.model import Corpus

TITLE = "Attacks on released notes: k-words beside k-repeats and word-frequency"
PAPER = "beyond Matsubara, Hasida 2014"
NOTE = """The last 200 notes of MEDDOCAN, every note a person, and 120 invented people with two to four notes each
(for the attack on two notes of one person), k = 4. `success` is the share of targets that are found, `control` the
share of people who never were in the data that the same attack "finds", `baseline` a blind guess. For `k-words` the
first three are not covered by the promise, and its page says so first: it is meant for partners under an agreement."""

K = 4
NOTES = 200
SHOWN = ("found by a known sentence", "found by five known words in a row", "found by three common words known",
         "two notes of one person", "hidden words restored")  # fmt: skip


def run() -> Iterator[dict]:
    """A row per corpus, method and attack."""
    meddocan = Corpus.from_texts(corpora.meddocan().texts[-NOTES:])
    people = sq.sample("text", n_people=120, seed=1)
    for name, data, language, unit in (("MEDDOCAN", meddocan, "es", "document"), ("sample", people, "en", "person")):
        methods = (
            sq.WordFrequency(k=K, unit=unit), sq.KRepeats(k=K, unit=unit), sq.KWords(k=K, unit=unit, language=language)
        )  # fmt: skip
        for method in methods:
            found = sq.attack(sq.anonymize(data, method, seed=1), data, seed=1)
            for row in found.rows["attacks"]:
                if row["attack"] in SHOWN and (row["attack"] == SHOWN[3]) == (name == "sample"):
                    yield {
                        "corpus": name, "method": method.id, "attack": row["attack"], "targets": row["targets"],
                        "success": row["success"], "control": row["control"], "baseline": row["baseline"],
                        "covered": row["covered"],
                    }  # fmt: skip
