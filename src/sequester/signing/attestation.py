"""What only the custodian can say, signed: of a release, and of all releases; in-toto statements in DSSE envelopes.

A bundle shows by itself that its files fit its promise. It cannot show that its promise was compared with the original,
what else was published about the same people, or which program made it. The custodian states that here. Nobody can
check it from the bundle: a reader has to trust the signer.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sequester.bundle.manifest import parsed
from sequester.release import to_json_text
from sequester.signing.sshsig import PublicKey, Refused, SigningKey

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:sequester:attestation:1"
LIST = "urn:sequester:releases:1"
PAYLOAD = "application/vnd.in-toto+json"

_NUMBER = {"type": "number", "minimum": 0, "maximum": 2**53}
_COUNT = {**_NUMBER, "type": "integer"}
_SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_WORDS = {"type": "string", "pattern": "^[a-z0-9][a-z0-9 ,()-]{0,79}$"}
_PROGRAM = {"type": "string", "pattern": r"^sequester [0-9][0-9A-Za-z.+-]{0,30}$"}
_TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What a custodian attests of a sequester bundle",
    "type": "object",
    "additionalProperties": False,
    "required": ["program", "program_sha256", "signed", "reading", "beside_original", "checks", "attack", "account"],
    "properties": {
        "program": _PROGRAM,
        "program_sha256": _SHA256,
        "signed": _TIME,
        "reading": {
            "type": "object",
            "additionalProperties": False,
            "required": ["declared", "default", "found"],
            "properties": {"declared": _COUNT, "default": _COUNT, "found": _COUNT},
        },
        "beside_original": {"enum": ["confirmed", "undecided", "not looked at"]},
        "checks": {"type": "array", "items": _WORDS},
        "attack": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "required": ["tried", "strongest", "bounds"],
            "properties": {"tried": _COUNT, "strongest": _WORDS, "bounds": {"enum": ["kept", "beaten", "none stated"]}},
        },
        "account": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "required": ["releases", "draws", "unbounded", "epsilon_before", "epsilon_after", "delta", "previous"],
            "properties": {
                "releases": _COUNT,
                "draws": _COUNT,
                "unbounded": _COUNT,
                "epsilon_before": _NUMBER,
                "epsilon_after": _NUMBER,
                "delta": _NUMBER,
                "previous": {"anyOf": [_SHA256, {"type": "null"}]},
            },
        },
    },
}
"""The facts, as a JSON schema: a closed set, so that an attestation has no room for anything else."""

RELEASES: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What a custodian has published about one population",
    "type": "object",
    "additionalProperties": False,
    "required": ["program", "signed", "releases"],
    "properties": {
        "program": _PROGRAM,
        "signed": _TIME,
        "releases": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["number", "published", "level", "unit", "grade", "manifest_sha256", "stands"],
                "properties": {
                    "number": _COUNT,
                    "published": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
                    "level": {"type": "string", "pattern": r"^[ -~]{1,120}$"},
                    "unit": _WORDS,
                    "grade": _WORDS,
                    "manifest_sha256": {"anyOf": [_SHA256, {"type": "null"}]},
                    "stands": {"type": "boolean"},
                },
            },
        },
    },
}
"""The list of releases: numbers, days, promises and checksums; no people."""


def envelope(facts: Mapping[str, Any], manifest_sha256: str, key: SigningKey) -> str:
    """The facts about the bundle with this manifest, signed, as the text of a file."""
    return _statement(PREDICATE, [_subject("manifest.json", manifest_sha256)], facts, key)


def attested(text: bytes, manifest_sha256: str, key: PublicKey) -> dict[str, Any]:
    """The facts that this key attests of the bundle with this manifest, or why there are none."""
    found = _opened(text, PREDICATE, "the attestation", key)
    if found["subject"] != [_subject("manifest.json", manifest_sha256)]:
        raise Refused("the attestation is about another bundle")
    return _stated(found, SCHEMA, "the attestation")


def releases_envelope(facts: Mapping[str, Any], key: SigningKey) -> str:
    """A list of releases, signed, as the text of a file."""
    return _statement(LIST, _manifests(facts), facts, key)


def listed_releases(text: bytes, keys: Iterable[PublicKey]) -> tuple[PublicKey, dict[str, Any]]:
    """Which of these keys signed a list of releases, and what it says; or why it counts for nothing."""
    what = "the list of releases"
    why = Refused(f"{what} was not signed by who signed the bundle")
    for key in keys:
        try:
            found = _opened(text, LIST, what, key)
        except Refused as refused:
            why = refused
            continue
        facts = _stated(found, RELEASES, what)
        if found["subject"] != _manifests(facts):
            raise Refused(f"{what} names other bundles than it is about")
        return key, facts
    raise why


def _subject(name: str, digest: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": digest}}


def _manifests(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    kept = (r for r in facts["releases"] if r["manifest_sha256"])
    return [_subject(f"release {r['number']}", r["manifest_sha256"]) for r in kept]


def _statement(kind: str, subject: list[dict[str, Any]], facts: Mapping[str, Any], key: SigningKey) -> str:
    statement = {"_type": STATEMENT, "subject": subject, "predicateType": kind, "predicate": dict(facts)}
    payload = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()
    return _enveloped(payload, key.private.sign(_signed(payload)), key.public)


def _opened(text: bytes, kind: str, what: str, key: PublicKey) -> dict[str, Any]:
    """The statement in an envelope that this key signed, byte for byte as it is written here."""
    try:
        stored = parsed(text)
        payload = base64.b64decode(stored["payload"], validate=True)
        (signed,) = stored["signatures"]
        signature = base64.b64decode(signed["sig"], validate=True)
        statement: dict[str, Any] = parsed(payload)
        again = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()
        keys = {"_type": STATEMENT, "predicateType": kind, **{k: statement[k] for k in ("subject", "predicate")}}
    except (ValueError, TypeError, LookupError, RecursionError):
        raise Refused(f"{what} is damaged") from None
    if signed.get("keyid") != key.fingerprint:
        raise Refused(f"{what} was not signed by the key that signed the manifest" if kind == PREDICATE
                      else f"{what} was not signed by who signed the bundle")  # fmt: skip
    if text != _enveloped(payload, signature, key).encode() or payload != again:
        raise Refused(f"{what} is not in the form that signing writes")
    if not key.fits(signature, _signed(payload)):
        raise Refused(f"{what} does not carry the signature of its key")
    if statement != keys:
        raise Refused(f"{what} is a statement of another kind")
    return statement


def _stated(statement: Mapping[str, Any], schema: Mapping[str, Any], what: str) -> dict[str, Any]:
    facts: dict[str, Any] = statement["predicate"]
    if not fits_schema(facts, schema):
        raise Refused(f"{what} states something that is not in its schema")
    return facts


def in_words(facts: Mapping[str, Any]) -> list[str]:
    """The facts as sentences for a board."""
    said = [f"Signed on {facts['signed'][:10]} with {facts['program']} (sources {facts['program_sha256'][:16]}…)."]
    how = facts["reading"]
    said.append(
        f"How the source was read: {how['declared']} facts declared, {how['default']} by default, {how['found']} found "
        "in the data."
    )
    said.append(
        {
            "confirmed": f"The custodian states that checks beside the original held: {', '.join(facts['checks'])}.",
            "undecided": "The custodian states that the check beside the original came to no decision.",
            "not looked at": "The custodian makes no statement about a check beside the original.",
        }[facts["beside_original"]]
    )
    attack = facts["attack"]
    if attack is None:
        said.append("The custodian makes no statement about attacks.")
    else:
        fate = {"kept": "no attack beat a bound of the promise", "beaten": "an attack beat a bound of the promise",
                "none stated": "the promise states no bound for them"}[attack["bounds"]]  # fmt: skip
        tried = f"{attack['tried']} attack{'s' if attack['tried'] != 1 else ''}"
        said.append(f"The custodian states: {tried} tried, the strongest was {attack['strongest']}; {fate}.")
    account = facts["account"]
    if account is None:
        said.append("The custodian keeps no account of releases of these people.")
        return said
    n = account["releases"]
    others = f"{n} release{'s' if n != 1 else ''} of these people in the account, this one included"
    spent = f"; epsilon {account['epsilon_before']:.3g} before it and {account['epsilon_after']:.3g} with it"
    spent = f"{spent} (delta {account['delta']:g})" if account["epsilon_after"] else ""
    said.append(f"The custodian states: {others}{spent}.")
    if account["unbounded"]:
        said.append(f"Of these, {account['unbounded']} are not bounded by differential privacy.")
    draws = f"{account['draws']} draw{'s' if account['draws'] != 1 else ''}"
    said.append(f"The account counts {draws} since the release before, this one included.")
    if account["previous"]:
        said.append(f"The release of these people before this one has the manifest {account['previous'][:16]}….")
    return said


def _enveloped(payload: bytes, signature: bytes, key: PublicKey) -> str:
    one = {"keyid": key.fingerprint, "sig": base64.b64encode(signature).decode()}
    return to_json_text({"payload": base64.b64encode(payload).decode(), "payloadType": PAYLOAD, "signatures": [one]})


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
    "array": (list,),
}


def fits_schema(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value fits; only the keywords that `SCHEMA` uses are known."""
    if "anyOf" in schema:
        return any(fits_schema(value, one) for one in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if schema["type"] == "boolean":
        return isinstance(value, bool)
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, bool) or not any(isinstance(value, _TYPES[kind]) for kind in kinds):
        return False
    if isinstance(value, str):
        return re.fullmatch(schema["pattern"].strip("^$"), value, re.ASCII) is not None
    if isinstance(value, (int, float)):
        return math.isfinite(value) and schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf)
    if isinstance(value, list):
        return all(fits_schema(item, schema["items"]) for item in value)
    if isinstance(value, dict):
        names = schema["properties"]
        fields_fit = all(name in names and fits_schema(field, names[name]) for name, field in value.items())
        return fields_fit and all(name in value for name in schema["required"])
    return True


def _signed(payload: bytes) -> bytes:
    """What a DSSE signature covers (its pre-authentication encoding)."""
    kind = PAYLOAD.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
