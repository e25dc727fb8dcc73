"""The public transcript of a study: anybody can add the answers up again and see that the release follows.

With noise at the sites every sum in it is protected already. Under a trusted coordinator the answers stay hidden behind
the coordinator's own mask; then only what was released can be followed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from sequester.errors import MALFORMED, InputError, SequesterError, counted
from sequester.federation.identity import Home
from sequester.federation.rounds import (
    answer_file,
    end_of,
    follow,
    missing_acceptances,
    read_answer,
    read_questions,
    require_derived,
    require_sum,
)
from sequester.federation.signed_files import read_file
from sequester.federation.study import STUDY, Study, home_of, opened_study
from sequester.query.bundle import Bundle
from sequester.release import Check
from sequester.version import VERSION

NAME = "the release follows from the transcript"


def transcript_check(claim: Bundle) -> list[Check]:
    """Follow a federated bundle's transcript; nothing where a release is of one site."""
    federation = claim.federation
    table = claim.tables.get("transcript")
    if federation is None and table is None:
        return []
    other = False
    try:
        files = _files(claim)
        study = opened_study(files[STUDY], any_version=True)
        other = study.body["version"] != VERSION
        rounds = _followed(claim, study, files)
    except (SequesterError, *MALFORMED) as error:
        plain = isinstance(error, SequesterError)
        why = str(error).removeprefix("federation: ") if plain else f"({type(error).__name__})"
        if other:
            why = f"only sequester {str(study.body['version'])[:20]} can follow it: {why}"
        return [
            Check(name=NAME, passed=False, undecided=other, detail=why if plain else f"it cannot be followed {why}")
        ]
    detail = f"{counted(rounds, 'round')} of {counted(federation['sites'] if federation else 0, 'site')}"
    return [Check(name=NAME, passed=True, detail=f"{detail}: signatures, sums, measurements and ledger agree")]


def _files(claim: Bundle) -> dict[str, bytes]:
    table = claim.tables.get("transcript")
    if table is None:
        raise InputError("federation: the bundle has no transcript; it is the release of one site")
    names = table["file"].to_pylist()
    if table.column_names != ["file", "text"] or len(set(names)) < len(names):
        raise InputError("federation: the transcript is not a list of files")
    return {name: text.encode("ascii") for name, text in zip(names, table["text"].to_pylist(), strict=True)}


def _followed(claim: Bundle, study: Study, files: Mapping[str, bytes]) -> int:
    """Check every file and every sum, and run the method on them again; returns the number of rounds."""
    if dict(claim.federation or {}) != study.about or study.body["method"] != claim.method_id:
        raise InputError("federation: the manifest tells of another study than the transcript")
    if claim.manifest["reading"] != [asdict(fact) for fact in study.reading]:
        raise InputError("federation: the manifest tells of another reading than the study")
    if lacking := missing_acceptances(study, files.get):
        raise InputError(f"federation: {counted(len(lacking), 'site')} never accepted")
    questions, released = read_questions(study, files.get)
    last = end_of(study, files.get)
    if last is None:
        raise InputError("federation: the study never ended")
    released.append(last)
    with tempfile.TemporaryDirectory() as folder:
        method = study.method(Path(folder))
        if method.parameters != dict(claim.parameters):
            raise InputError("federation: the parameters are not the study's")
        followed = follow(study, method, released)
    if followed.done is None or len(followed.asked) != len(questions):
        raise InputError("federation: the rounds are not those that follow from the study")
    for number, (question, items) in enumerate(zip(questions, followed.asked, strict=True)):
        named, size = require_derived(question, number, items), sum(item.size for item in items)
        for site in study.names:
            if read_answer(study, files.get, number, named, site, size) is None:
                raise InputError(f"federation: an answer of '{site}' is missing")
        require_sum(study, files.get, number, named, items, released[number])
    known = 2 + len(study.names) + len(questions) * (1 + len(study.names))
    if len(files) != known:
        raise InputError(f"federation: {len(files) - known} files do not belong to the study")
    if not followed.done.measurements.equals(claim.tables["measurements"].combine_chunks()):
        raise InputError("federation: the measurements are not what was released")
    if claim.ledger is None or followed.done.ledger.to_json() != claim.ledger.to_json():
        raise InputError("federation: the ledger is not the study's")
    return len(questions)


def answered_for(claim: Bundle, home: Home) -> Check:
    """Whether a release is the one a site accepted and answered for, by what the site kept."""
    files = _files(claim)
    study = opened_study(files[STUDY], any_version=True)
    name = home_of(study, home)
    private = home.folder / study.digest[:32]
    questions, _ = read_questions(study, files.get)
    mine = [read_file(private / answer_file(number, name)) for number in range(len(questions))]
    same = sum(kept is not None and files.get(answer_file(i, name)) == kept for i, kept in enumerate(mine))
    detail = f"{same} of {counted(len(questions), 'answer')} are those that '{name}' gave"
    return Check(name="your answers are in", passed=bool(questions) and same == len(questions), detail=detail)
