"""Sums over sites are those of pooled data, bit by bit; shares of noise reach what the ledger states."""

import math
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.dp.noise import SecureNoise, TeachingNoise
from sequester.dp.randomness import Randomness
from sequester.dp.sites import Item, Noised, Sites, correction, cost_of_shares, share_scale, with_share
from sequester.engines import Engine
from sequester.errors import MALFORMED
from sequester.federation.masks import mask_of
from sequester.guarantees.differential_privacy import group_epsilon
from tests.federated import NAMED, READING, events, method_for, symbols


class ByName:
    """Test noise that depends on the name of a step, its scale and the site alone: the same in every split."""

    secure = False

    def __init__(self, site):
        self.site = site

    def _draw(self, name, values, scale):
        seed = [self.site, *name.encode(), len(values)]
        return np.asarray(values, np.int64) + np.rint(np.random.default_rng(seed).normal(0, scale, len(values))).astype(
            np.int64
        )

    def gaussian(self, name, values, scale):
        return self._draw(name, values, scale)

    laplace = gaussian


def masks(n, size, question):
    keys = {f"s{i}": X25519PrivateKey.from_private_bytes(bytes([i + 1]) * 32) for i in range(n)}
    public = {k: v.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) for k, v in keys.items()}
    return [mask_of(k, v, public, "study", question, size) for k, v in keys.items()]


def over(method, parts, sites, noise=None):
    """A run over sites: every answer is noised, masked, and added up modulo 2^64."""
    reading = {k: list(v) if isinstance(v, tuple) else v for k, v in READING[method.id].items()}
    answers = [method.site_answers(part, sites, reading) for part in parts]
    n = sites.n

    def ask(items):
        said = [answer(items) for answer in answers]
        total = np.zeros(sum(item.size for item in items), np.uint64)
        hidden = masks(len(said), len(total), str(items[0].about))
        for i, own in enumerate(said):
            assert all(a.dtype == np.int64 and a.shape == (item.size,) for a, item in zip(own, items, strict=True))
            # Where all people are at one place, that place draws the noise of all sites.
            for site in range(n) if len(said) == 1 else [i]:
                own = [with_share(item, a, sites, ByName(site)) for item, a in zip(items, own, strict=True)]
            total = total + np.concatenate(own).view(np.uint64) + hidden[i]
        return np.split(total.view(np.int64), np.cumsum([item.size for item in items])[:-1])

    return method.over_sites(sites, reading, ask, noise or Noised())


@st.composite
def splits(draw):
    n = draw(st.integers(2, 10))
    sizes = draw(st.lists(st.integers(0, 20), min_size=n, max_size=n))  # some sites may be empty
    return n, sizes, draw(st.integers(0, 9))


@pytest.mark.parametrize("name", sorted(NAMED))
@pytest.mark.parametrize("trusted", [False, True])
def test_a_release_over_sites_is_that_of_pooled_data(name, trusted):
    data = NAMED[name]()

    @settings(max_examples=3 if name == "activity-dp" else 6, deadline=None)
    @given(splits())
    def check(split):
        n, sizes, seed = split
        random = np.random.default_rng(seed)
        weights = np.array(sizes, float) + 1e-9
        of = random.choice(n, data.n_records, p=weights / weights.sum())
        parts = [data.take(np.flatnonzero(of == i)) for i in range(n)]
        with tempfile.TemporaryDirectory() as folder:
            method = method_for(name, folder)
            # Of more than eight honest sites the shares of this epsilon would be too small for the proof.
            sites = Sites(n=n, collude=0 if trusted else max(seed % n, n - 8), trusted=trusted)
            noises = [TeachingNoise(np.random.default_rng(5)) for _ in range(2)] if trusted else [None, None]
            pooled, joint = over(method, [data], sites, noises[0]), over(method, parts, sites, noises[1])
        assert pooled.measurements.equals(joint.measurements)
        assert pooled.ledger.to_json() == joint.ledger.to_json()

    check()


@pytest.mark.parametrize("name", sorted(NAMED))
def test_with_a_trusted_coordinator_it_is_the_release_of_one_hospital_that_has_everybody(name, tmp_path):
    data, method = NAMED[name](), method_for(name, tmp_path)
    if name == "markov-dp":
        data = replace(data, names_public=True)
    rng = Randomness(seed=7, noise=TeachingNoise(np.random.default_rng(5)))
    alone = method.apply(data, rng=rng, engine=Engine(threads=1))
    parts = [data.take(rows) for rows in np.array_split(np.arange(data.n_records), 3)]
    noise = TeachingNoise(np.random.default_rng(5))
    done = over(method, parts, Sites(n=3, collude=0, trusted=True), noise)
    joint = done.release(Randomness(seed=7), Engine(threads=1))
    assert all(alone.tables[t].equals(joint.tables[t]) for t in alone.tables)
    assert alone.ledger.to_json() == joint.ledger.to_json()


def test_a_site_without_a_state_answers_in_the_codes_of_the_study(tmp_path):
    log, method = events(), method_for("markov-dp", tmp_path)
    lacking = [i for i in range(log.n_records) if not (log.states[log.offsets[i] : log.offsets[i + 1]] == 2).any()]
    rest = np.setdiff1d(np.arange(log.n_records), lacking)
    assert len(lacking) > 5
    parts = [log.take(np.array(lacking)), log.take(rest[::2]), log.take(rest[1::2])]
    sites = Sites(n=3, collude=1)
    assert over(method, parts, sites).measurements.equals(over(method, [log], sites).measurements)


def test_masks_hide_and_cancel():
    hidden = masks(5, 20_000, "q")
    assert not sum(hidden[1:], hidden[0]).any()
    bits = np.unpackbits(hidden[0].view(np.uint8))
    assert abs(bits.mean() - 0.5) < 0.005
    assert not np.array_equal(hidden[0], masks(5, 20_000, "another question")[0])


@pytest.mark.parametrize(("n", "t"), [(3, 1), (3, 2), (5, 2), (10, 0), (10, 9)])
def test_the_shares_of_honest_sites_reach_the_ledger(n, t):
    item = Item({"name": "x"}, 6000, "gaussian", 200.0, 0.5)
    sites, zeros = Sites(n=n, collude=t), np.zeros(6000, np.int64)
    stated = 200.0 / math.sqrt(2 * 0.5)
    shares = [with_share(item, zeros, sites, SecureNoise()) for _ in range(n)]
    whole, honest = np.sum(shares, axis=0), np.sum(shares[t:], axis=0)  # the others told theirs to the coordinator
    assert whole.std() == pytest.approx(stated * sites.factor(), rel=0.05)
    assert honest.std() == pytest.approx(stated, rel=0.05)


def test_what_the_coordinator_and_those_who_collude_see_keeps_epsilon():
    """They subtract their own shares: what is left must not tell a neighbour apart better than the ledger says."""
    sites, item = Sites(n=3, collude=1), Item({"name": "x"}, 4000, "gaussian", 20.0, 0.5)
    seen = [
        sum(with_share(item, np.full(4000, value), sites, SecureNoise()) for value in (start, 0))  # without the third
        for start in (0, 20)
    ]
    rho = item.amount
    for cut in (0, 10, 20, 30):
        rate = [(s > cut).mean() for s in seen]
        spread = 4 * math.sqrt(0.25 / 4000)
        # (mu, 1)-Gaussian trade-off with mu = sqrt(2 rho): no threshold separates better
        mu = math.sqrt(2 * rho)
        best = _normal(_inverse(max(rate[0], 1e-4)) + mu)
        assert rate[1] <= best + spread


def _normal(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def _inverse(p):
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


@given(st.floats(1e-6, 5.0), st.integers(0, 20), st.integers(3, 10), st.integers(0, 9), st.integers(1, 4_000_000))
def test_a_share_costs_what_the_ledger_says_by_the_printed_bound_or_is_refused(rho, power, n, t, cells):
    sites = Sites(n=n, collude=min(t, n - 1))
    item = Item({"name": "x"}, cells, "gaussian", float(2**power), rho)
    try:
        share = share_scale(item, sites)
    except sq.InputError:
        assert 2**power / math.sqrt(2 * rho * (n - sites.collude)) < 3.0
        return
    assert share >= 3.0
    assert cost_of_shares(item.sensitivity, share, n - sites.collude, cells) <= rho


def test_the_correction_is_that_of_the_paper():
    # Kairouz, Liu, Steinke (2021): 10 * (exp(-pi^2 s^2) + exp(-4/3 pi^2 s^2)) for three summands
    by_hand = 10 * (math.exp(-(math.pi**2)) + math.exp(-4 / 3 * math.pi**2))
    assert correction(1.0, 3) == pytest.approx(by_hand)
    assert correction(3.0, 10) < 1e-36
    assert correction(1.0, 1) == 0.0


def test_somebody_at_two_sites_moves_the_sum_twice_and_is_charged_so(tmp_path):
    data, method = symbols(), method_for("ngram-dp", tmp_path)
    twice, sites = data.take(np.array([0])), Sites(n=3, collude=0, trusted=True)
    seen = []

    class Spy(TeachingNoise):
        def laplace(self, name, values, scale):
            seen.append(values)
            return values

    rest = data.take(np.arange(1, data.n_records))
    thirds = [rest.take(rows) for rows in np.array_split(np.arange(rest.n_records), 3)]
    over(method, thirds, sites, Spy(np.random.default_rng(0)))
    joined = _both(thirds[0], twice), _both(thirds[1], twice), thirds[2]
    over(method, joined, sites, Spy(np.random.default_rng(0)))
    moved = np.abs(seen[1] - seen[0]).sum()
    assert 1_000_000 < moved <= 2_000_000
    ledger = sq.MarkovDP(epsilon=4.0, delta=1e-6, people_at_least=3000, dates="2024-01-01..2025-12-31").ledger()
    assert group_epsilon(ledger.to_json(), 2) > 8.0
    assert group_epsilon(method.budget().to_json(), 2) == 8.0


def _both(a, b):
    names = np.concatenate([a.persons, b.persons])
    return replace(
        a, symbols=np.concatenate([a.symbols, b.symbols]), persons=names,
        offsets=np.r_[a.offsets, a.offsets[-1] + b.offsets[1:]],
    )  # fmt: skip


def test_what_cannot_be_asked_over_sites_is_refused(tmp_path):
    asked = {"epsilon": 4.0, "delta": 1e-6, "people_at_least": 3000, "dates": "2024-01-01..2025-12-31"}
    with pytest.raises(sq.InputError, match="markov-dp needs a code book"):
        sq.MarkovDP(**asked).require_over_sites({"time_unit": "second"})
    with pytest.raises(sq.InputError, match="the same unit"):
        method_for("markov-dp", tmp_path).require_over_sites({"time_unit": "auto"})
    with pytest.raises(sq.InputError, match="only shares of time"):
        sq.NgramDP(epsilon=4.0, average="symbol").require_over_sites(READING["ngram-dp"])
    with pytest.raises(sq.InputError, match="cannot be asked over several sites"):
        sq.Kapra(k=4, p=2).require_over_sites({})
    assert Path(tmp_path / "states.txt").exists()


ODD = st.sampled_from([0, 1, -1, 7, 10**6, -(10**6), 2**40, -(2**40), 2**62, 2**63 - 1, -(2**63)])


@pytest.mark.parametrize("name", sorted(NAMED))
def test_whatever_a_coordinator_says_was_released_no_question_costs_more(name, tmp_path):
    """It may lie where a site cannot add the answers up: then the noise must be as the ledger says all the same."""
    data, method, sites = NAMED[name]().take(np.arange(6)), method_for(name, tmp_path), Sites(n=3, collude=1)
    reading = {k: list(v) if isinstance(v, tuple) else v for k, v in READING[name].items()}
    answer, total = method.site_answers(data, sites, reading), method.budget().total

    @settings(max_examples=4 if name == "activity-dp" else 12, deadline=None)
    @given(st.lists(ODD, min_size=1, max_size=7), st.integers(0, 5))
    def check(lies, seed):
        asked, random = [], np.random.default_rng(seed)

        def ask(items):
            asked.extend(items)
            for item, true in zip(items, answer(items), strict=True):
                assert true.shape == (item.size,) and share_scale(item, sites) > 0
                norm = np.abs(true).sum() if item.kind == "laplace" else math.hypot(*map(float, true))
                assert math.isfinite(item.sensitivity) and norm <= item.sensitivity * data.n_people
            return [random.choice(np.array(lies, np.int64), item.size) for item in items]

        with suppress(*MALFORMED), np.errstate(all="ignore"):
            method.over_sites(sites, reading, ask, Noised())
        assert asked and sum(item.amount for item in asked) <= total * (1 + 1e-9)

    check()
