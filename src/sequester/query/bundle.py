"""An opened bundle: its promise, its tables, and plain SQL over them. It never needs the original."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from html import escape
from pathlib import Path
from types import FunctionType
from typing import Any

import pyarrow as pa

from sequester.bundle.contents import as_copied, changed_files
from sequester.bundle.formats import read_table
from sequester.dp.ledger import Ledger
from sequester.errors import MALFORMED, BundleError, InputError
from sequester.layouts import dictionary, layout_of
from sequester.layouts.shapes import require_shape
from sequester.query.limits import GIGABYTES, SECONDS
from sequester.release import Guarantee, Verdict, verdict_on
from sequester.stored_tables import StoredTable, is_large, scanned


def _answered(question: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(question)
    def ask(bundle: Bundle, *given: Any, **named: Any) -> Any:
        try:
            return question(bundle, *given, **named)
        except MALFORMED as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is None:
                raise  # it was called with other arguments than it takes
            raise BundleError(
                f"query: the tables of '{bundle.path.name}' do not have the shape of their layout, so this cannot be "
                "answered. Verify the bundle."
            ) from error

    return ask


class Bundle:
    """A published release on disk. Kinds of data add their own queries in subclasses."""

    def __init__(self, path: Path, manifest: dict[str, Any], private: Mapping[str, pa.Table] | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self.private: Mapping[str, pa.Table] = private or {}
        self.on_disk: frozenset[str] = frozenset()
        """Tables that stay in their files whatever their size; others do where they are large."""
        self.signed: tuple[str, ...] = ()
        """What a report outside of the bundle says of its signature; the report inside was written before it."""

    def __init_subclass__(cls) -> None:
        """Every question of a kind ends in a sentence where the tables do not have the shape of their layout."""
        for name, value in list(vars(cls).items()):
            if isinstance(value, cached_property):
                value.func = _answered(value.func)
            elif isinstance(value, property) and value.fget is not None:
                setattr(cls, name, property(_answered(value.fget), doc=value.__doc__))
            elif isinstance(value, FunctionType) and not name.startswith("_"):
                setattr(cls, name, _answered(value))

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
        manifest = self.manifest.get("ledger")
        return Ledger.from_json(manifest) if manifest else None

    @property
    def federation(self) -> Mapping[str, Any] | None:
        """Where data stayed at several sites: what the manifest says of them."""
        return self.manifest.get("federation")

    @property
    def verdict(self) -> Verdict:
        """What was found before publication, as the manifest states it; `verify` looks again."""
        manifest = self.manifest["verification"]
        result = "confirmed" if manifest["result"] == "confirmed" else "broken"
        return verdict_on(self.guarantee, result, saw_original=manifest["basis"] != "release alone")

    @cached_property
    def tables(self) -> Mapping[str, pa.Table]:
        """The released tables, read when first asked for."""
        return Tables(self)

    def to_arrow(self, table: str | None = None) -> pa.Table:
        """One released table; the main one if none is named.

        The main one of activity comes with a row per interval and states by name, unless that is too long; `sequences`
        has the codes.
        """
        names = list(self.tables)
        name = table or self.manifest["files"][0]["table"]
        if name not in names:
            raise InputError(f"open: there is no table '{name}'. Tables: {', '.join(names)}.")
        return self.tables[name] if table else as_copied(self.tables, name, "long")

    def to_pandas(self, table: str | None = None) -> Any:
        """One released table as a pandas data frame; whole numbers stay whole where some are missing."""
        pandas = _partner("pandas", "to_pandas")
        whole = {pa.type_for_alias(t): pandas.api.types.pandas_dtype(t.capitalize().replace("Ui", "UI")) for t in WHOLE}
        return self.to_arrow(table).to_pandas(types_mapper=whole.get)

    def to_polars(self, table: str | None = None) -> Any:
        """One released table as a polars data frame."""
        return _partner("polars", "to_polars").from_arrow(self.to_arrow(table))

    def to_pm4py(self) -> Any:
        """An event log as pm4py reads it."""
        if self.layout != "log":
            raise InputError(f"to_pm4py: it is for event logs; '{self.path.name}' holds {self.kind}. Use to_pandas().")
        events = self.to_pandas()
        events["time"] = _partner("pandas", "to_pm4py").to_datetime(events["time"], utc=True)
        return _partner("pm4py", "to_pm4py").format_dataframe(
            events, case_id="object", activity_key="state", timestamp_key="time"
        )

    def _repr_html_(self) -> str:
        """In a notebook: the promise, what it does not cover, and the tables."""
        cell = '<td style="text-align: left">'
        rows = "".join(
            f"<tr>{cell}{escape(f['table'])}</td><td>{f['rows']:,}</td>"
            f"{cell}{escape(LONG if f.get('copy') else dictionary.says(self.layout, f['table']) or '')}</td></tr>"
            for f in self.manifest["files"]
            if not f.get("copy") or f["format"] == "long"
        )
        left_out = "".join(f"<li>{escape(line)}</li>" for line in self.guarantee.not_covered)
        return (
            f"<p><b>{escape(self.path.name)}</b>: {escape(str(self.guarantee))}<br>"
            f"{escape(self.guarantee.statement)}</p><details><summary>What it does not cover</summary><ul>{left_out}"
            f"</ul></details><table><tr><th>table</th><th>rows</th><th>holds</th></tr>{rows}</table>"
        )

    def changed_files(self) -> list[str]:
        """Files that are missing or differ from their checksum."""
        return changed_files(self.path, self.manifest)

    def sql(self, query: str) -> pa.Table:
        """Read-only SQL over the released tables; nothing else can be reached from it."""
        import duckdb

        connection = duckdb.connect()
        try:
            for name, table in self.tables.items():
                connection.register(name, scanned(table))
            connection.execute(
                f"set memory_limit='{GIGABYTES}GB'; set enable_external_access=false; set lock_configuration=true"
            )
            if not query.isascii() and any("\ud800" <= c <= "\udfff" for c in query):
                raise InputError("query: the question holds bytes that are no UTF-8 text. Type it as UTF-8.")
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise InputError("query: exactly one SELECT is answered; nothing in a bundle can be changed.")
            late = threading.Timer(SECONDS, connection.interrupt)
            late.start()
            try:
                return connection.sql(query).to_arrow_table()
            finally:
                late.cancel()
        except duckdb.InterruptException as error:
            raise InputError(
                f"query: the answer took more than {SECONDS} seconds and was given up. Ask for less."
            ) from error
        except duckdb.OutOfMemoryException as error:
            raise InputError(f"query: the answer needs more than {GIGABYTES} GB of memory. Ask for less.") from error
        except duckdb.Error as error:
            known = ", ".join(f"{t} ({', '.join(c.column_names[:6])})" for t, c in self.tables.items())
            first = str(error).splitlines()[0].rstrip("!.")
            raise InputError(f"query: {first}. The tables are {known}.") from error
        finally:
            connection.close()


LONG = "The same with a row per interval and states by name, as to_pandas() gives it."
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def _partner(package: str, verb: str) -> Any:
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise InputError(
            f"{verb}: the package '{package}' is not installed. Install it: pip install {package}."
        ) from error


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
            files, on_disk = self._files[name], self._bundle.on_disk
            complaint = f"open: table '{name}' of '{self._bundle.path.name}' cannot be read. Get an intact copy."
            try:
                paths = [self._bundle.path / f["path"] for f in files]
                if files[0]["format"] == "parquet" and (name in on_disk or is_large(paths[0], files[0]["rows"])):
                    found: Any = StoredTable.at(paths[0], complaint)
                else:
                    found = read_table(paths, files[0]["format"], files[0]["schema"])
            except (OSError, ValueError, TypeError, LookupError) as error:
                raise BundleError(complaint) from error
            require_shape(self._bundle.layout, name, found, self._bundle.path.name)
            self._read[name] = found
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
