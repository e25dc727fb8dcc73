"""The audit runs every differentially private method once as custodians do: from files, with noise of the library."""

from dataclasses import dataclass, replace
from functools import wraps

import pytest

import sequester as sq
from sequester.audits import real_path as room
from sequester.audits.neighbours import neighbours
from sequester.audits.run import for_audit

PROVED = [m for m in sq.METHODS if sq.method_class(m)(**sq.method_class(m).example).guarantee.status == "proved"]


def pair(method):
    found = method.worst_case_neighbours(None)
    kind = sq.KINDS[method.accepts.kind]
    return found or neighbours(kind.name, people=kind.audit_people, method=method)


@pytest.mark.parametrize("method_id", PROVED)
def test_every_proved_method_is_run_from_files_with_real_noise(method_id, monkeypatch):
    drawn = []
    for name in ("gaussian", "laplace", "noisy_max", "threshold"):
        real = getattr(room.SecureNoise, name)
        monkeypatch.setattr(
            room.SecureNoise, name, lambda self, *a, _real=real, **k: drawn.append(1) or _real(self, *a, **k)
        )
    found = sq.audit(method_id, runs=20)
    reading, release = found.checks[1:]
    assert (reading.name, release.name) == ("reading", "one whole release with real noise")
    assert found.holds and "0 facts depend on the data" in reading.detail
    assert release.detail.startswith(f"{len(drawn)} draws of the vetted library") and drawn


def test_a_reader_that_listens_to_the_odd_person_is_caught(monkeypatch):
    method = sq.NgramDP(**for_audit(sq.NgramDP))
    real = sq.read_symbols

    @wraps(real)  # the reader asks its own signature what is usual
    def sniffing(path, **options):
        data = real(path, **options)
        odd = "off" in path.read_text("utf-8")
        return replace(data, symbols=data.symbols[::-1].copy()) if odd else data

    monkeypatch.setattr("sequester.read.symbols.read_symbols", sniffing)
    reading, _ = room.real_path(method, *pair(method))
    assert not reading.passed and "CHANGED" in reading.detail


def test_a_method_whose_draws_hang_on_the_data_is_caught():
    @dataclass(frozen=True, kw_only=True)
    class Leaky(sq.NgramDP):
        def apply(self, data, *, rng, engine):
            rng.noise.laplace("extra", data.symbols[: data.n_records] * 0, 1.0)
            return super().apply(data, rng=rng, engine=engine)

    method = Leaky(**for_audit(sq.NgramDP))
    reading, release = room.real_path(method, *pair(method))
    assert reading.passed and not release.passed
    assert release.detail.endswith("could come from one of the two files only")
