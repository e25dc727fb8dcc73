"""Recorded signals: PhysioNet (WFDB) records and EDF files, through packages that are imported only here."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sequester.errors import InputError, counted, left_out, nearest, verb_for

WHO = "read_symbols"


class Signal(NamedTuple):
    """One lead of one recording."""

    name: str
    """Name of the recording, without its ending."""
    values: np.ndarray
    rate_hz: float


def is_recording(path: Path) -> bool:
    """Whether a path names a WFDB record, an EDF file, or a folder of them."""
    if path.is_dir():
        return bool(members_of(path))
    return path.suffix.lower() in (".hea", ".edf", ".bdf") or _header(path).is_file()


class NoLead(InputError):
    """A recording does not have the lead that was asked for."""


class TooShort(InputError):
    """A recording ends before the stretch begins; of a folder that says nothing about the others."""


def read_recordings(
    path: Path, *, lead: str, start: float | None, end: float | None, notes: list[str] | None = None
) -> list[Signal]:
    """The chosen lead of a record, or of every record in a folder, between two seconds.

    A lead is found by its name wherever it stands; records of a folder that lack it are left out, and `notes` says how
    many. A folder in which none has it is refused.
    """
    if path.is_dir():
        found: list[Signal] = []
        lacking: list[InputError] = []
        members = members_of(path)
        for member in members:
            try:
                found += read_recordings(member, lead=lead, start=start, end=end)
            except (NoLead, TooShort) as error:
                lacking.append(error)
        if lacking and not found:
            raise lacking[0]
        without = sum(isinstance(e, NoLead) for e in lacking)
        short = len(lacking) - without
        if without and notes is not None:
            notes.append(
                f"{without} of {counted(len(members), 'recording')} {verb_for(without, 'lacks', 'lack')} that lead and "
                f"{verb_for(without, 'was', 'were')} left out"
            )
        if short and notes is not None:
            notes.append(left_out(short, "recording", "that ends before the stretch begins"))
        return found
    if path.suffix.lower() in (".edf", ".bdf"):
        return [_edf(path, lead, start, end)]
    return [_wfdb(_header(path), lead, start, end)]


def leads_of(path: Path) -> list[str]:
    """Names of the leads of a record, or of the first record of a folder."""
    first = members_of(path)[0] if path.is_dir() else path
    try:
        if first.suffix.lower() in (".edf", ".bdf"):
            _require_whole_edf(first)
            reader = _package("pyedflib", "EDF files").EdfReader(str(first))
            try:
                return [x.strip() for x in reader.getSignalLabels()]
            finally:
                reader.close()
        found = _package("wfdb", "PhysioNet records").rdheader(str(_header(first).with_suffix("")))
        return _leads(found)
    except InputError:
        raise
    except Exception as error:  # the packages raise whatever their parsers meet
        raise InputError(f"{WHO}: '{first.name}' cannot be read as a recording.") from error


def _leads(declared: Any) -> list[str]:
    """Names of leads; what follows a # is a comment about the person, whose line end is missing."""
    names = (str(name or "").partition("#")[0].strip() for name in declared.sig_name or [])
    return [name or str(i + 1) for i, name in enumerate(names)]


def span(n: int, rate_hz: float, start: float | None, end: float | None, name: str) -> tuple[int, int]:
    """Samples between two seconds; refuses a stretch outside the recording."""
    seconds = n / rate_hz
    low, high = start or 0.0, seconds if end is None else end
    if not 0 <= low < high or low >= seconds:
        said = f"{WHO}: ‹from_={low:g}› ‹to={high:g}› does not lie inside '{name}', which lasts {seconds:g} seconds."
        raise TooShort(said) if low >= 0 and (end is None or low < end) else InputError(said)
    return round(low * rate_hz), min(n, round(high * rate_hz))


def _header(path: Path) -> Path:
    return path if path.suffix == ".hea" else path.with_suffix(".hea")


def members_of(folder: Path) -> list[Path]:
    found = (p for p in folder.iterdir() if p.suffix.lower() in (".hea", ".edf", ".bdf"))
    return sorted(p for p in found if p.is_file() and not p.is_symlink() and not p.name.startswith("."))


def _package(name: str, what: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"{WHO}: {what} need the package '{name}', which is not installed. Install sequester[signals]."
        ) from None


def _choose(lead: str, names: list[str], name: str) -> int:
    """A lead by its name or its number from 1."""
    if lead in names:
        return names.index(lead)
    if lead.isdecimal() and 1 <= int(lead) <= len(names):
        return int(lead) - 1
    close = nearest(lead, names)
    hint = f" Pass ‹lead='{close}'›?" if close else f" Pass a name or a number in 1..{len(names)}."
    raise NoLead(f"{WHO}: '{name}' has no lead '{lead}'; it has {', '.join(names)}.{hint}")


def _wfdb(header: Path, lead: str, start: float | None, end: float | None) -> Signal:
    wfdb = _package("wfdb", "PhysioNet records")
    if not header.is_file():
        raise InputError(f"{WHO}: '{header.name}' does not exist. Check the path.")
    stem = str(header.with_suffix(""))
    try:
        found = wfdb.rdheader(stem)
        which = _choose(lead, _leads(found), header.stem)
        low, high = span(int(found.sig_len), float(found.fs), start, end, header.stem)
        record = wfdb.rdrecord(stem, sampfrom=low, sampto=high, channels=[which])
    except InputError:
        raise
    except Exception as error:  # the package raises whatever its parser meets
        raise InputError(
            f"{WHO}: '{header.name}' cannot be read as a WFDB record. Is its signal file there?"
        ) from error
    return Signal(header.stem, np.asarray(record.p_signal[:, 0], dtype=np.float64), float(found.fs))


def _require_whole_edf(path: Path) -> None:
    """Refuse a file of another size than its header says: the library under the package would print that."""
    wide = 3 if path.suffix.lower() == ".bdf" else 2
    try:
        with path.open("rb") as file:
            head = file.read(256)
            n_leads = int(head[252:256])
            file.seek(256 + 216 * max(0, n_leads))
            per_record = sum(int(file.read(8)) for _ in range(n_leads))
        whole = int(head[184:192]) + int(head[236:244]) * per_record * wide
    except (OSError, ValueError) as error:
        raise InputError(f"{WHO}: '{path.name}' cannot be read as an EDF file.") from error
    if path.stat().st_size != whole:
        raise InputError(
            f"{WHO}: '{path.name}' is not a whole EDF file: by its header it has {whole} bytes, and there are "
            f"{path.stat().st_size}. Get a whole copy."
        )


def _edf(path: Path, lead: str, start: float | None, end: float | None) -> Signal:
    pyedflib = _package("pyedflib", "EDF files")
    _require_whole_edf(path)
    try:
        reader = pyedflib.EdfReader(str(path))
    except Exception as error:  # the package wraps a C library and raises its own kinds
        raise InputError(f"{WHO}: '{path.name}' cannot be read as an EDF file.") from error
    try:
        which = _choose(lead, [x.strip() for x in reader.getSignalLabels()], path.stem)
        rate = float(reader.getSampleFrequency(which))
        low, high = span(int(reader.getNSamples()[which]), rate, start, end, path.stem)
        return Signal(path.stem, reader.readSignal(which, low, high - low), rate)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{WHO}: '{path.name}' cannot be read as an EDF file.") from error
    finally:
        reader.close()
