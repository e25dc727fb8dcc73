"""An opened bundle: its promise, its tables, and plain SQL over them. It never needs the original."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sequester.dp.ledger import Ledger
from sequester.errors import BundleError, InputError
from sequester.layouts import layout_of
from sequester.release import Guarantee

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "sequester/1"


class Bundle:
    """A published release on disk. Kinds of data add their own queries in subclasses."""

    def __init__(self, path: Path, manifest: dict[str, Any], private: Mapping[str, pa.Table] | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self.private: Mapping[str, pa.Table] = private or {}

    def __repr__(self) -> str:
        return f"<bundle {self.path.name}: {self.guarantee}>"

    @property
    def kind(self) -> str:
        """Kind of data inside."""
        return self.manifest["kind"]

    @cached_property
    def layout(self) -> str:
        """Name of the layout of its tables."""
        return layout_of(self.manifest).name

    @property
    def method_id(self) -> str:
        """Method that made it."""
        return self.manifest["method"]["id"]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters of the method."""
        return self.manifest["method"]["parameters"]

    @cached_property
    def guarantee(self) -> Guarantee:
        """The promise."""
        return Guarantee.from_json(self.manifest["guarantee"])

    @cached_property
    def ledger(self) -> Ledger | None:
        """The budget, where there is one."""
        told = self.manifest.get("ledger")
        return Ledger.from_json(told) if told else None

    @cached_property
    def tables(self) -> Mapping[str, pa.Table]:
        """The released tables, read when first asked for."""
        return Tables(self)

    def changed_files(self) -> list[str]:
        """Files that are missing or differ from their checksum."""
        from sequester.bundle.formats import sha256

        out = []
        for file in self.listed():
            path = self.path / file["path"]
            if not path.is_file() or sha256(path) != file["sha256"]:
                out.append(file["path"])
        return out

    def listed(self) -> list[dict[str, Any]]:
        """Every file the manifest vouches for: the data, and the pages beside it."""
        return [*self.manifest["files"], *self.manifest.get("pages", [])]

    def unlisted_files(self) -> list[str]:
        """Files in the folder that the manifest does not know."""
        known = {file["path"] for file in self.listed()} | {"manifest.json"}
        found = (p.relative_to(self.path).as_posix() for p in self.path.rglob("*") if p.is_file())
        return sorted(set(found) - known)

    def sql(self, query: str) -> pa.Table:
        """Read-only SQL over the released tables; nothing else can be reached from it."""
        import duckdb

        connection = duckdb.connect()
        try:
            for name, table in self.tables.items():
                connection.register(name, table)
            connection.execute("set enable_external_access=false; set lock_configuration=true")
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise InputError("query: exactly one SELECT is answered; nothing in a bundle can be changed.")
            return connection.sql(query).to_arrow_table()
        except duckdb.Error as error:
            known = ", ".join(f"{t} ({', '.join(c.column_names[:6])})" for t, c in self.tables.items())
            first = str(error).splitlines()[0]
            raise InputError(f"query: {first}. The tables are {known}.") from error
        finally:
            connection.close()


class Tables(Mapping[str, Any]):
    """The tables of a bundle by name, each read once."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._read: dict[str, Any] = {}
        self._files: dict[str, list[dict[str, Any]]] = {}
        for file in bundle.manifest["files"]:
            if not file.get("copy"):
                self._files.setdefault(file["table"], []).append(file)

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            from sequester.bundle.formats import read_table

            files = self._files[name]
            try:
                paths = [self._bundle.path / f["path"] for f in files]
                self._read[name] = read_table(paths, files[0]["format"], files[0]["schema"])
            except (OSError, ValueError, KeyError) as error:
                raise BundleError(
                    f"open: table '{name}' of '{self._bundle.path.name}' cannot be read. Get an intact copy."
                ) from error
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a bundle, or one sentence on why it is not one."""
    if not path.exists():
        raise BundleError(f"open: '{path.name}' does not exist. Check the path.")
    try:
        told = json.loads((path / "manifest.json").read_text("utf-8"))
    except FileNotFoundError:
        if (path / "custodian.json").exists():
            beside = path.name.removesuffix(".private") + ".bundle"
            raise BundleError(f"open: '{path.name}' is the custodian's folder. The bundle is '{beside}'.") from None
        raise BundleError(f"open: '{path.name}' is not a bundle; it has no manifest.json.") from None
    except NotADirectoryError:
        raise BundleError(f"open: '{path.name}' is a file; a bundle is a folder.") from None
    except (ValueError, OSError) as error:
        raise BundleError(f"open: the manifest of '{path.name}' cannot be read. Get an intact copy.") from error
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise BundleError(f"open: '{path.name}' is not in the format {FORMAT}; this version cannot read it.")
    missing = {"kind", "method", "guarantee", "files", "verification"} - set(told)
    if missing:
        raise BundleError(f"open: the manifest of '{path.name}' lacks {', '.join(sorted(missing))}.")
    odd = sorted(name for name, wrong in _misshapen(told).items() if wrong)
    if odd:
        raise BundleError(
            f"open: the manifest of '{path.name}' is not well-formed in {', '.join(odd)}. Get an intact copy."
        )
    for file in told["files"]:
        if Path(file["path"]).is_absolute() or ".." in Path(file["path"]).parts:
            raise BundleError(f"open: the manifest of '{path.name}' points outside the bundle.")
    return told


def _misshapen(told: dict[str, Any]) -> dict[str, bool]:
    """Which parts of a manifest do not have the form that the rest of the house relies on."""
    files, method, promise = told["files"], told["method"], told["guarantee"]
    return {
        "kind": not isinstance(told["kind"], str),
        "files": not isinstance(files, list)
        or any(not isinstance(f, dict) or not isinstance(f.get("path"), str) for f in files),
        "method": not isinstance(method, dict)
        or not isinstance(method.get("id"), str)
        or not isinstance(method.get("parameters"), dict),
        "guarantee": not isinstance(promise, dict) or not isinstance(promise.get("parameters"), dict),
    }
