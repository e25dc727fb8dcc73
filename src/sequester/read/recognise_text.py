"""Is it free text? Words, sentences, not annotations nor lists of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sequester.errors import counted
from sequester.read.column_facts import UNSPACED, Column
from sequester.read.gather import FOLDER
from sequester.read.sample import Sample
from sequester.read.view import Candidate, View
from sequester.read.word_files import WORD_FILES

LEAST_WORDS, LEAST_LETTERS = 7, 45
CALLED = re.compile(
    r"text|note|report|document|letter|body|content|narrative|befund|brief\b|transcri|abstract|summary|review"
    r"|message|comment|dialog|utteranc|\bpost\b|selftext|informe|\bnotas?\b|\bcarta|evoluci[oó]n|anamnes|epikris|verlauf"
    r"|compte.?rendu|\blettre|courrier|記録|所見|本文|経過|病歴",
    re.I,
)
NOT_CALLED = re.compile(
    r"\bbio\b|token|entit|label|\bphi|tag|annot|span|keyword|title|url|json|question|unit|allowed", re.I
)
DICTIONARY = re.compile(r"\bvariable|\bfield\b|\blabel\b|\bcode ?book|\bcategory\b.*\bunit", re.I)


def recognise(view: View) -> Iterable[Candidate]:
    """A column of sentences."""
    rows = view.table
    written = [c for c in rows.columns if _sentences(c)]
    if not written:
        return
    best = max(
        written, key=lambda c: (bool(CALLED.search(c.name)), not NOT_CALLED.search(c.name), min(_letters(c), 4000))
    )
    called = CALLED.search(best.name) is not None and not NOT_CALLED.search(best.name)
    others = len(rows.columns) - len(written)
    headed = rows.written is None or rows.written.header
    if headed and not called and (_letters(best) < 90 or NOT_CALLED.search(best.name) or others > 25):
        return
    roles = {"text": best.name}
    choose = []
    if view.who.role and view.who.column is not None:
        roles = {"person": view.who.role, **roles}
        choose += [view.who.question] * (not view.who.sure)
    else:
        choose.append(
            "whose text is a row? ‹person=COLUMN›, or ‹person='each'› if every row is another person"
        )  # fmt: skip
    found = Candidate("text", 0.92 if called else 0.75, f"Column '{best.name}' holds sentences.", roles, choose=choose)
    found.alternatives["text"] = [c.name for c in written if c is not best]
    if not headed:
        found.roles, found.why = {}, "A column without a name holds sentences."
        found.choose = ["whose text is a row? Add a first line such as document,person,text, then ‹person=›"]
        found.in_the_way = "its first line is a note already, and nothing names the columns"
    yield found


def _letters(c: Column) -> float:
    """Mean number of letters; one of a language that sets no blanks says as much as two."""
    some = c.full[:2000]
    return sum(len(t) + len(UNSPACED.findall(t)) for t in some) / max(1, len(some))


def _sentences(c: Column) -> bool:
    """Whether most cells are several words in a row that are not repeated."""
    if c.form or c.filled < 0.3 or c.words < LEAST_WORDS or _letters(c) < LEAST_LETTERS:
        return False
    some = c.full[:100]
    listed = sum(t[:1] in "[{" or t.count("|") > 3 or t.count("\t") > 3 for t in some)
    letters = sum(sum(ch.isalpha() or ch.isspace() for ch in t) for t in some) / max(1, sum(map(len, some)))
    return listed < 0.3 * len(some) and letters > 0.6 and c.distinct > 0.4 * len(c.full)


def documents(sample: Sample) -> Candidate:
    """Files that are documents."""
    assert sample.path is not None
    if sample.path.is_file():
        return Candidate(
            "text", 0.9, "A file of words: one document.", choose=["one document is one person's at most"],
            in_the_way="one document is only one person's: nobody can be hidden among others",
        )  # fmt: skip
    deep = sample.folders
    found = Candidate("text", 0.9, f"{counted(len(sample.main), 'document')} in a folder, a file each.")
    per_folder = len(sample.main) / max(1, len(deep))
    if deep and all(p.parent != sample.path for p in sample.main) and (len(deep) >= 8 or per_folder < 6):
        found.roles["person"] = FOLDER
        found.choose.append(
            f"is each folder a person? There are {counted(len(deep), 'folder')}. ‹person='each'› if every file is"
        )
    else:
        found.choose.append(
            "whose are they? ‹person='each'› if every file is another person's; otherwise put each person's into a "
            "folder and pass ‹person='folder'›"
        )
    unread = [p.suffix for p in sample.main if p.suffix.lower() not in (".txt", *WORD_FILES)]
    if unread:
        found.in_the_way = f"{counted(len(unread), 'file')} called *{unread[0]} would be left out: rename them to *.txt"
    odd = [e for e in sample.encodings if e != "utf-8"]
    if odd and len(sample.encodings) == 1:
        found.roles["encoding"] = odd[0]
    elif odd:
        found.in_the_way = (
            f"its files are written in different encodings ({', '.join(sample.encodings)}): make them one"
        )
    if sample.pattern:
        found.lines.append(f"{counted(len(sample.files) - len(sample.main), 'file')} beside them hold no text")
    return found
