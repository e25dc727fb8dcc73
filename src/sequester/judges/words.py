"""Judge of word frequency: count every visible word in the release itself."""

from __future__ import annotations

from sequester.errors import counted
from sequester.judges.text_release import beside_originals, read_release
from sequester.model import Corpus
from sequester.release import Check, Claim, from_release


def judge(claim: Claim, source: Corpus | None) -> list[Check]:
    """Recompute the promise."""
    parameters, unit = claim.guarantee.parameters, claim.guarantee.unit
    if not {"k", "mark"} <= set(parameters) or len(parameters["mark"]) != 1:
        return [Check(name="promise", passed=False, detail="the promise lacks parameters the judge needs")]
    release, checks = read_release(claim, mark=parameters["mark"], per_character=True, with_owners=unit == "person")
    if release is None:
        return checks
    users: dict[str, set[object]] = {}
    place = cut = 0
    for text, owner in zip(release.texts, release.owners):
        for word in text.split():
            place += 1
            shown = word.strip(parameters["mark"])
            if shown and shown != word:
                cut += 1
            elif shown:
                users.setdefault(word, set()).add(place if unit == "occurrence" else owner)
    rare = sum(len(who) < parameters["k"] for who in users.values())
    checks += [
        Check(name="whole words", passed=cut == 0, detail=f"{counted(cut, 'word is', 'words are')} suppressed in part"),
        Check(
            name="frequent words",
            passed=rare == 0,
            detail=f"{rare} of {len(users)} visible words are used by fewer than {parameters['k']} ({unit})",
        ),
    ]
    checks = from_release(checks)
    if source is not None:
        checks += beside_originals(claim, release, source)[1]
    return checks
