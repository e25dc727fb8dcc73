"""What only the custodian can say of a release, signed: an in-toto statement in a DSSE envelope.

A bundle shows by itself that its files fit its promise. It cannot show that its promise was compared with the original,
what else was published about the same people, or which program made it. The custodian states that here. Nobody can
check it from the bundle: a reader has to trust the signer.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from sequester.release import to_json_text
from sequester.signing.sshsig import PublicKey, Refused, SigningKey

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:sequester:attestation:1"
PAYLOAD = "application/vnd.in-toto+json"

_NUMBER = {"type": "number"}
_COUNT = {"type": "integer", "minimum": 0}
_SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What a custodian attests of a sequester bundle",
    "type": "object",
    "additionalProperties": False,
    "required": ["program", "program_sha256", "signed", "beside_original", "account"],
    "properties": {
        "program": {"type": "string", "pattern": r"^sequester [0-9][0-9A-Za-z.+-]{0,30}$"},
        "program_sha256": _SHA256,
        "signed": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "beside_original": {"enum": ["confirmed", "undecided", "not looked at"]},
        "account": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "required": ["releases", "unbounded", "epsilon_before", "epsilon_after", "delta", "previous"],
            "properties": {
                "releases": _COUNT,
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


def envelope(facts: Mapping[str, Any], manifest_sha256: str, key: SigningKey) -> str:
    """The facts about the bundle with this manifest, signed, as the text of a file."""
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": "manifest.json", "digest": {"sha256": manifest_sha256}}],
        "predicateType": PREDICATE,
        "predicate": dict(facts),
    }
    payload = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()
    return _enveloped(payload, key.private.sign(_signed(payload)), key.public)


def attested(text: bytes, manifest_sha256: str, key: PublicKey) -> dict[str, Any]:
    """The facts that this key attests of the bundle with this manifest, or why there are none."""
    try:
        stored = json.loads(text)
        payload = base64.b64decode(stored["payload"], validate=True)
        (signed,) = stored["signatures"]
        signature = base64.b64decode(signed["sig"], validate=True)
        statement = json.loads(payload)
        facts = statement["predicate"]
        again = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()
    except (ValueError, TypeError, LookupError, RecursionError):
        raise Refused("the attestation is damaged") from None
    if text != _enveloped(payload, signature, key).encode() or payload != again:
        raise Refused("the attestation is not in the form that signing writes")
    if not key.fits(signature, _signed(payload)):
        raise Refused("the attestation was not signed by the key that signed the manifest")
    subject = [{"name": "manifest.json", "digest": {"sha256": manifest_sha256}}]
    if statement != {"_type": STATEMENT, "subject": subject, "predicateType": PREDICATE, "predicate": facts}:
        raise Refused("the attestation is about another bundle")
    if not fits_schema(facts, SCHEMA):
        raise Refused("the attestation states something that is not in its schema")
    found: dict[str, Any] = facts
    return found


def in_words(facts: Mapping[str, Any]) -> list[str]:
    """The facts as sentences for a board."""
    said = [f"Signed on {facts['signed'][:10]} with {facts['program']}."]
    said.append(
        {
            "confirmed": "The custodian states that a check beside the original held.",
            "undecided": "The custodian states that the check beside the original came to no decision.",
            "not looked at": "The custodian makes no statement about a check beside the original.",
        }[facts["beside_original"]]
    )
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
}


def fits_schema(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value fits; only the keywords that `SCHEMA` uses are known."""
    if "anyOf" in schema:
        return any(fits_schema(value, one) for one in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, bool) or not any(isinstance(value, _TYPES[kind]) for kind in kinds):
        return False
    if isinstance(value, str):
        return re.fullmatch(schema["pattern"].strip("^$"), value) is not None
    if isinstance(value, (int, float)):
        return math.isfinite(value) and value >= schema.get("minimum", -math.inf)
    if isinstance(value, dict):
        names = schema["properties"]
        fields_fit = all(name in names and fits_schema(field, names[name]) for name, field in value.items())
        return fields_fit and all(name in value for name in schema["required"])
    return True


def _signed(payload: bytes) -> bytes:
    """What a DSSE signature covers (its pre-authentication encoding)."""
    kind = PAYLOAD.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
