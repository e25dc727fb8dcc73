"""A study: what is asked of whom, fixed before anybody answers. One signed file, the same for everybody."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sequester.accounts.budget import Cost
from sequester.dp.sites import LEAST_SITES, Sites
from sequester.errors import MALFORMED, InputError, counted
from sequester.federation.identity import COORDINATOR, Home, is_member, new_home, new_name, read_card, words_of
from sequester.federation.signed_files import FORMAT, body_of, digest, opened, read_file, send, signed
from sequester.guarantees.differential_privacy import promise_over_sites, times_in
from sequester.method import Method
from sequester.methods import METHODS, method_class
from sequester.model import Fact
from sequester.options import options_of
from sequester.release import Guarantee
from sequester.signing.sshsig import PublicKey
from sequester.version import VERSION

MOST_SITES = 100
MOST_FILE = 1 << 20
STUDY = "study.json"
KEYS = {"format", "version", "method", "parameters", "files", "reading", "sites", "coordinator", "collude", "trusted",
        "people"}  # fmt: skip
AT_MOST = re.compile(r"at most ([2-9]|[1-9][0-9])")


@dataclass(frozen=True)
class Study:
    """A study as it was signed."""

    raw: bytes
    """The whole file."""
    body: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """Names the study: everything that is signed for it is bound to this."""
        return digest(body_of(self.raw))

    @property
    def words(self) -> str:
        """Twelve words that custodians compare."""
        return words_of(body_of(self.raw))

    @property
    def names(self) -> tuple[str, ...]:
        """All sites, in alphabetical order."""
        return tuple(sorted(self.body["sites"]))

    @property
    def sites(self) -> Sites:
        """How noise is shared."""
        return Sites(n=len(self.names), collude=self.body["collude"], trusted=self.body["trusted"])

    @property
    def times(self) -> int:
        """At how many sites one person may be, as stated."""
        return times_in(self.body["people"])

    def signer(self, name: str) -> PublicKey:
        """Whose signature counts below the files of a site, or of the coordinator."""
        keys = self.body["coordinator"] if name == COORDINATOR else self.body["sites"][name]
        return PublicKey(bytes.fromhex(keys["sign"]))

    @property
    def members(self) -> dict[str, bytes]:
        """Everybody who shares a mask: the sites, and a coordinator who alone may see the exact sum."""
        out = {name: bytes.fromhex(self.body["sites"][name]["mask"]) for name in self.names}
        return out | ({COORDINATOR: bytes.fromhex(self.body["coordinator"]["mask"])} if self.sites.trusted else {})

    @property
    def about(self) -> dict[str, Any]:
        """What the bundle says of it."""
        return {
            "sites": self.sites.n, "collude": self.sites.collude, "trusted_combiner": self.sites.trusted,
            "people": self.body["people"], "study": self.digest,
        }  # fmt: skip

    @property
    def reading(self) -> tuple[Fact, ...]:
        """How all sites read their data, as the bundle says it."""
        return tuple(
            Fact(name=name.replace("_", " "), value=_spelled(value), how="declared")
            for name, value in sorted(self.body["reading"].items())
        )

    def method(self, folder: Path) -> Method:
        """The method, its public files written below a folder, apart from everything else that lies there."""
        cls, parameters, files = method_class(self.body["method"]), dict(self.body["parameters"]), self.body["files"]
        paths = {name for name, declared in options_of(cls).items() if declared.path}
        # No name of a file here may come from a study: it could be any file of the site.
        if not files.keys() <= paths or any(parameters.get(name) for name in paths - files.keys()):
            raise InputError("federation: the study names a file that it does not hold. Ask the coordinator.")
        # Nor may a study say what a person is, or open files by a reader's options.
        if not self.body["reading"].keys() <= set(cls.read_alike):
            raise InputError(
                "federation: the study says more about reading than its method needs. Ask the coordinator."
            )
        for option, file in files.items():
            path = folder / "files" / option / file["name"]
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            send(path, file["text"].encode(), private=True)
            parameters[option] = str(path)
        try:
            method = cls.from_parameters(parameters)
            method.require_over_sites(self.body["reading"])
        except MALFORMED as error:
            raise InputError("federation: the study has parameters that the method does not know.") from error
        return method

    def promise(self, method: Method) -> Guarantee:
        """What the release promises, with who is trusted with what."""
        ledger = method.budget()
        assert ledger is not None
        return promise_over_sites(method.guarantee, ledger.to_json(), self.about)

    def cost(self, method: Method) -> Cost:
        """What it costs a person of a site: of somebody at m sites the release tells m times as much."""
        ledger = method.budget()
        assert ledger is not None
        one = Cost.of(ledger.to_json())
        assert one is not None
        return replace(one, rho=one.rho * self.times**2, pure=one.pure * self.times)


def new_study(
    method: Method,
    cards: Sequence[str | Path],
    folder: str | Path,
    *,
    reading: Mapping[str, Any],
    people: str,
    collude: int | None = None,
    trusted_combiner: bool = False,
    private: str | Path = ".",
) -> Study:
    """Write a study into a new folder, and make the coordinator's keys for it: `NAME.coordinator`.

    Parameters
    ----------
    method
        With public parameters alone.
    cards
        One file per site, at least three.
    folder
        The folder that all share.
    reading
        What all sites declare alike when they read their data.
    people
        `disjoint`, or `at most M` sites for one person.
    collude
        How many other sites may work together with the coordinator without learning more; 1 if nothing is said.
    trusted_combiner
        The coordinator draws the noise and sees exact sums over all sites.
    private
        Where the coordinator's keys are made: a folder that nobody shares, here if nothing is said.
    """
    folder = new_name(folder)
    sites: dict[str, Any] = {}
    for card in map(read_card, cards):
        if card["name"] in sites:
            raise InputError(f"federation: two cards are of '{card['name']}'. Every site has a name of its own.")
        sites[card["name"]] = {"sign": card["sign"], "mask": card["mask"]}
    parameters, files = _public_parameters(method)
    alike = {k: list(v) if isinstance(v, tuple) else v for k, v in reading.items()}
    body = {
        "format": FORMAT, "version": VERSION, "method": method.id, "parameters": parameters, "files": files,
        "reading": alike, "sites": sites,
        "collude": int(not trusted_combiner) if collude is None else collude, "trusted": trusted_combiner,
        "people": people,
    }  # fmt: skip
    _check({**body, "coordinator": next(iter(sites.values()), {})})
    method.require_used()
    method.require_over_sites(alike)
    try:
        folder.mkdir()
    except OSError as error:
        raise InputError(f"federation: '{folder.name}' cannot be made ({error.strerror}).") from error
    try:
        home = new_home(private_home(folder, private), COORDINATOR)
    except InputError:
        folder.rmdir()
        raise
    body["coordinator"] = {k: home.card[k] for k in ("sign", "mask")}
    send(folder / STUDY, signed(body, home.key))
    return read_study(folder)


def private_home(folder: str | Path, private: str | Path = ".") -> Path:
    """Where the coordinator's keys of a study lie: not beside its folder, which others may see."""
    return Path(private) / f"{Path(folder).name}.coordinator"


def read_study(folder: str | Path) -> Study:
    """The study in a folder; refused unless it is whole, signed and of this version."""
    if Path(folder).is_file():
        raise InputError(f"federation: '{Path(folder).name}' is a file. Name the folder of the study.")
    raw = read_file(Path(folder) / STUDY, 8 * MOST_FILE)
    if raw is None:
        raise InputError(f"federation: there is no study in '{Path(folder).name}'. Get it from the coordinator.")
    return opened_study(raw)


def opened_study(raw: bytes, *, any_version: bool = False) -> Study:
    """A study from its file; only one that has ended may be of another version."""
    body, key = opened(raw, STUDY)
    _check(body | {"version": VERSION} if any_version else body)
    study = Study(raw, body)
    if key != study.signer(COORDINATOR):
        raise InputError("federation: the study is signed by another key than its coordinator's. Get the file again.")
    return study


def home_of(study: Study, home: Home) -> str:
    """The name under which a site takes part; refused if the study has other keys for it."""
    mine = {k: home.card[k] for k in ("sign", "mask")}
    if study.body["sites"].get(home.name) != mine:
        raise InputError(
            f"federation: the roll of this study does not hold the keys of '{home.name}'. Send your card to the "
            "coordinator, who writes a new study."
        )
    return home.name


def _check(body: Mapping[str, Any]) -> None:
    """Refuse a study that says anything else than a study says."""
    sites = body.get("sites")
    shapes = {"method": str, "parameters": dict, "files": dict, "reading": dict, "sites": dict, "collude": int,
              "trusted": bool, "people": str}  # fmt: skip
    whole = body.keys() == KEYS and all(isinstance(body[k], kind) for k, kind in shapes.items())
    if not whole or isinstance(body["collude"], bool) or not isinstance(sites, dict):
        raise InputError("federation: the study does not hold what a study holds. Get it again from the coordinator.")
    if body["format"] != FORMAT or body["version"] != VERSION:
        raise InputError(
            f"federation: the study is of sequester {str(body['version'])[:20]!r} in the format "
            f"{str(body['format'])[:30]!r}, this is {VERSION} with {FORMAT!r}. All sites and the coordinator use one "
            "version."
        )
    if not all(is_member(name, keys) for name, keys in sites.items()) or not is_member("c", body["coordinator"]):
        raise InputError("federation: the roll of the study is not well-formed. Get it again from the coordinator.")
    if not LEAST_SITES <= len(sites) <= MOST_SITES or COORDINATOR in sites:
        raise InputError(
            f"federation: the roll names {counted(len(sites), 'site')}; it takes {LEAST_SITES} to {MOST_SITES}: "
            "of two each would know the other's sums."
        )
    if any(len({keys[kind] for keys in sites.values()}) < len(sites) for kind in ("mask", "sign")):
        raise InputError("federation: two sites of the roll have one key. Every site runs `federation join` itself.")
    if body["trusted"] and body["collude"]:
        raise InputError("federation: ‹collude=› is about noise at the sites; a trusted coordinator draws it alone.")
    if not body["trusted"] and not 1 <= body["collude"] < len(sites):
        raise InputError(
            f"federation: collude must lie in 1..{len(sites) - 1} with {len(sites)} sites, got "
            f"collude={body['collude']}. Every site knows its own noise, and at least one must keep its word."
        )
    if body["people"] != "disjoint" and not AT_MOST.fullmatch(body["people"]):
        raise InputError(
            "federation: say whether a person can be at two sites: ‹people='disjoint'›, or ‹people='at most 2'›. A "
            "private count of them is not offered."
        )
    if times_in(body["people"]) > len(sites):
        raise InputError(
            f"federation: ‹people={body['people']!r}› is more sites than the {len(sites)} of the roll. Name how many "
            "of them one person can be at."
        )
    if body["method"] not in METHODS:
        raise InputError("federation: the study asks for a method that is not known here. Use one version everywhere.")
    for file in body["files"].values():
        fine = isinstance(file, dict) and file.keys() == {"name", "text"} and isinstance(file["text"], str)
        if not fine or not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,60}", str(file["name"])) or len(file["text"]) > MOST_FILE:
            raise InputError("federation: a file inside the study is not well-formed. Get it from the coordinator.")


def _spelled(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _public_parameters(method: Method) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters for everybody; files among them are taken in whole."""
    parameters, files = method.parameters, {}
    for name, declared in options_of(type(method)).items():
        value = getattr(method, name)
        if isinstance(value, tuple):
            parameters[name] = list(value)
        if not declared.path or value is None:
            continue
        try:
            text = Path(value).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"federation: '{Path(value).name}' cannot be read as UTF-8 text.") from error
        if len(text) > MOST_FILE:
            raise InputError(f"federation: '{Path(value).name}' is too large for a study; at most {MOST_FILE} letters.")
        files[name] = {"name": re.sub(r"[^\w.-]", "-", Path(value).name).lstrip("._-")[:60] or "file", "text": text}
    return parameters, files
