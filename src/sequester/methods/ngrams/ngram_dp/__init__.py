"""Variable-length n-grams under differential privacy (Chen, Acs, Castelluccia 2012)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from sequester.dp.ledger import Ledger
from sequester.dp.noise import Noise
from sequester.dp.randomness import Randomness
from sequester.dp.sites import Ask, Item, OverSites, Sites
from sequester.engines import Engine
from sequester.errors import InputError, counted, verb_for
from sequester.guarantees.differential_privacy import differential_privacy
from sequester.layouts.grams import END, write_words
from sequester.method import Method
from sequester.methods.ngrams.ngram_dp.thresholded import INVENTED, followers_of, grow_thresholded, shares_of, unseen
from sequester.methods.ngrams.ngram_dp.time_share import MILLION, measured_order, published
from sequester.methods.ngrams.shared.counting import require_no_boundary, require_people_known, symbols_in, vanished
from sequester.model import Data, SymbolSeries
from sequester.options import option
from sequester.papers import CHEN
from sequester.primitives.ngram_tree import Gram, Tree, generate, grow_counted
from sequester.release import Guarantee, Note, Release

REFUSE_BELOW, PAIRS_FROM, GOOD_FROM = 2.0, 8.0, 20.0
"""Where the index people * epsilon / (n_max * symbols) stops being hopeless, where pairs become usable, and triples."""


@dataclass(frozen=True, kw_only=True)
class NgramDP(Method):
    """Publish noisy counts of the n-grams worth knowing, differentially private for each person."""

    epsilon: float = option(low=1e-3)
    """Privacy budget per person."""
    n_max: int = option(5, low=1, level="everyday")
    """Longest gram."""
    average: Literal["person", "symbol"] = option("person", level="everyday")
    """person: shares of everybody's time, one person one unit, however long the recording; needs people_at_least.
    symbol: counts over the first l_max symbols of everybody."""
    l_max: int = option(20, low=1, needs={"average": ("symbol",)})
    """With average=symbol: symbols used per person, their series in order, cut when this many are used. The noise
    grows with it."""
    delta: float | None = option(None, needs={"average": ("symbol",)}, level="everyday")
    """With average=symbol: a probability of failure, such as 1e-6, allowed for less noise. Grams below a threshold are
    left out, so that next to none is published that nobody has; l_max then bounds what a person adds instead of how
    many symbols are used."""
    sequences: int = option(0, low=0)
    """Also publish this many synthetic series drawn from the noisy grams; costs no budget."""
    people_at_least: int | None = option(None, low=1, level="everyday")
    """A number of people known in public to be in the data. It decides which order is measured, and refuses before any
    budget is spent if the result would be noise."""
    force: bool = option(False, level="everyday")
    """Go on although people_at_least is too few for the budget."""
    estimate: Literal["shrink", "rescale"] = option("shrink", needs={"average": ("symbol",)}, level="paper")
    """shrink: weigh noisy counts against the Markov model of shorter grams. rescale: the published procedure."""

    id: ClassVar[str] = "ngram-dp"
    accepts: ClassVar[type] = SymbolSeries
    paper: ClassVar[str] = CHEN
    layout = "grams"
    needs_everybody = False
    read_alike = ("symbolize", "symbols")
    example: ClassVar[Mapping[str, Any]] = {"epsilon": 4.0, "n_max": 3, "people_at_least": 50}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.people_at_least is None and self.average == "person":
            raise self.refuse(
                "average=person needs people_at_least, a number of people known in public, to choose what it measures. "
                "Pass people_at_least, or ‹average='symbol'›."
            )
        if self.delta is not None and (not isinstance(self.delta, float) or not 0 < self.delta < 0.1):
            raise self.refuse(f"delta must be a number above 0 and below 0.1, got delta={self.delta!r}.")
        if self.average == "person" and self.sequences:
            raise self.refuse("sequences needs ‹average=symbol›: shares of time do not tell how long a series is.")

    def outlook(self, people: int, n_symbols: int) -> str:
        """What to expect of the counts with so many people and symbols."""
        index = self._index(people, n_symbols)
        expect = (
            f"below {REFUSE_BELOW:g}: the counts are noise" if index < REFUSE_BELOW
            else f"below {PAIRS_FROM:g}: only single symbols can be trusted" if index < PAIRS_FROM
            else f"below {GOOD_FROM:g}: single symbols and pairs can be trusted" if index < GOOD_FROM
            else f"at least {GOOD_FROM:g}: grams of three symbols can be trusted too"
        )  # fmt: skip
        return (
            f"with {counted(people, 'person', 'people')} and {counted(n_symbols, 'symbol')} the index people * "
            "epsilon / (n_max * symbols) is "
            f"{index:.1f}, {expect}."
        )

    def _index(self, people: int, n_symbols: int) -> float:
        """Mean count of a symbol over the noise scale of single symbols."""
        return people * self.epsilon / (self.n_max * n_symbols)

    def _expect(self, n_symbols: int) -> None:
        """Refuse before spending; depends on public numbers only."""
        known = self.people_at_least
        if known is not None and self._index(known, n_symbols) < REFUSE_BELOW and not self.force:
            needed = math.ceil(REFUSE_BELOW * self.n_max * n_symbols / self.epsilon)
            raise InputError(
                f"ngram-dp: {self.outlook(known, n_symbols)} No budget was spent. Raise epsilon, lower n_max, gather "
                f"{counted(needed, 'person', 'people')}, or pass ‹force=True›."
            )

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """What is counted above a threshold is not estimated."""
        more = {} if self.delta is None else {"estimate": "‹average='symbol'› without delta"}
        return {**super().idle(data), **more}

    @property
    def guarantee(self) -> Guarantee:
        """Differential privacy per person: pure, unless a delta is allowed."""
        invented = "Grams that nobody has: noise invents some, and the release does not tell which."
        if self.average == "person":
            used = "How many people there are: people_at_least is published as given, and decides what is measured."
        elif self.delta is None:
            used = f"Symbols of a person beyond the first {self.l_max}: they are not used at all."
        else:
            used = f"The full counts of a person with more than {self.l_max} symbols: they are scaled down."
            invented = f"Grams that nobody has: {INVENTED:g} of them are expected in the whole table, at most."
        return differential_privacy(
            self.epsilon,
            self.delta or 0.0,
            "person",
            (
                "The alphabet: it is published as given; one that was found in the data is refused.",
                used,
                invented,
                "Facts about the whole population, which the counts are meant to tell.",
                "Relatives or others whose series resemble a person's own.",
            ),
        )

    def measured_order(self, n_symbols: int) -> int:
        """The order that is measured for shares of time, from public numbers alone."""
        return measured_order(self.people_at_least or 0, self.epsilon, n_symbols, self.n_max)

    def apply(self, data: SymbolSeries, *, rng: Randomness, engine: Engine) -> Release:
        """Shares of everybody's time, or a noisy tree over the first symbols of everybody."""
        if not data.names_public:
            raise InputError(
                "anonymize: differential privacy needs an alphabet that does not depend on the people in the data, and "
                "this one was found in it. Pass ‹symbols=› with all symbols there can be."
            )
        require_people_known(data)
        return self._time_share(data, rng, engine) if self.average == "person" else self._tree(data, rng, engine)

    def require_over_sites(self, reading: Mapping[str, Any]) -> None:
        """One table of shares of time: one round. A tree would need noise that cannot be drawn in shares."""
        if self.average != "person":
            raise InputError("federation: only shares of time can be asked over sites. Leave ‹average='symbol'› out.")
        symbols = reading.get("symbols") or ()
        if reading.get("symbolize") != "none" or len(symbols) < 2 or len(set(symbols)) < len(symbols):
            raise InputError(
                "federation: ngram-dp takes symbols as they are, and all there can be, each once. Pass "
                "‹symbolize='none'› and ‹symbols=A,B,…›."
            )
        self._order_asked(len(symbols))

    def over_sites(self, sites: Sites, reading: Mapping[str, Any], ask: Ask, noise: Noise) -> OverSites:
        """One question to all sites, and the tables that follow from the sum."""
        alphabet = tuple(reading["symbols"])
        order = self._order_asked(len(alphabet))
        about = {"name": "ngram-dp shares", "order": order, "symbols": len(alphabet), "epsilon": self.epsilon}
        item = Item(about, len(alphabet) ** order, "laplace", float(MILLION), self.epsilon, order)
        noisy, ledger = self._noisy_shares(ask([item])[0], order, noise)
        wide = sites.factor("laplace")

        def release(rng: Randomness, engine: Engine) -> Release:
            return self._published_shares(noisy, order, alphabet, ledger, rng, wide)[0]

        return OverSites(_measurements(noisy, order, alphabet), ledger, release)

    def site_answers(
        self, data: SymbolSeries, sites: Sites, reading: Mapping[str, Any]
    ) -> Callable[[Sequence[Item]], list[np.ndarray]]:
        """The shares of the people of one site."""
        if not data.names_public or data.alphabet != tuple(reading["symbols"]):
            raise InputError("federation: the symbols of the source are not those of the study. Correct the source.")
        require_people_known(data)
        return lambda items: [shares_of(data, item.local, Engine(threads=1)) for item in items]

    def _order_asked(self, p: int) -> int:
        """The order that is measured; refused before spending if the table would be noise."""
        order = self.measured_order(p)
        if order < min(2, self.n_max) and not self.force:
            needed = math.ceil(2 * p ** min(2, self.n_max) / self.epsilon)
            raise InputError(
                f"ngram-dp: {counted(self.people_at_least, 'person', 'people')} at epsilon {self.epsilon:g} are too "
                f"few for pairs of {p} "
                "symbols: the table would be about as good as guessing. No budget was spent. Gather "
                f"{counted(needed, 'person', 'people')}, "
                "raise epsilon, use fewer symbols, or pass ‹force=True›."
            )
        return max(1, order)

    def _noisy_shares(self, counts: np.ndarray, order: int, noise: Noise) -> tuple[np.ndarray, Ledger]:
        ledger = Ledger.pure(epsilon=self.epsilon)
        scale = MILLION / self.epsilon
        ledger.spend(f"shares of order {order}", self.epsilon, kind="laplace", sensitivity=float(MILLION), scale=scale)
        return noise.laplace(f"shares of order {order}", counts, scale), ledger

    def _time_share(self, data: SymbolSeries, rng: Randomness, engine: Engine) -> Release:
        order = self._order_asked(len(data.alphabet))
        noisy, ledger = self._noisy_shares(shares_of(data, order, engine), order, rng.noise)
        release, tables = self._published_shares(noisy, order, data.alphabet, ledger, rng)
        seen = (
            *_invented(data, _share_grams(tables, len(data.alphabet)), engine),
            *vanished(data, symbols_in(data, engine), np.flatnonzero(tables[0])),
        )
        return replace(release, notes=(*release.notes, *seen))

    def _published_shares(
        self,
        noisy: np.ndarray,
        order: int,
        alphabet: tuple[str, ...],
        ledger: Ledger,
        rng: Randomness,
        wide: float = 1.0,
    ) -> tuple[Release, list[np.ndarray]]:
        """The release that follows from the noisy cells; `wide` is by how much their noise exceeds the ledger's."""
        known, scale = self.people_at_least or 0, wide * MILLION / self.epsilon
        done = published(noisy, order, self.n_max, len(alphabet), people_at_least=known, scale=scale)
        notes = (
            Note(
                "measured",
                f"Grams of order {order} were measured; longer ones follow from them as in a Markov chain, so that "
                f"only orders 1 to {order} tell more than that.",
            ),
        )
        release = Release(
            tables={
                "ngrams": _share_rows(done.tables, alphabet),
                "measurements": _measurements(noisy, order, alphabet),
            },
            guarantee=self.guarantee,
            method=self,
            ledger=ledger,
            notes=notes if order < self.n_max else (),
            teaching_only=rng.seeded,
        )
        return release, done.tables

    def _tree(self, data: SymbolSeries, rng: Randomness, engine: Engine) -> Release:
        alphabet = data.alphabet
        require_no_boundary(alphabet)
        self._expect(len(alphabet))
        if self.delta is None:
            tree = grow_counted(
                followers_of(data, self.l_max, engine),
                n_symbols=len(alphabet),
                budget=self.epsilon,
                n_max=self.n_max,
                positions=self.l_max,
                noise=rng.noise.laplace,
                shrink=self.estimate == "shrink",
            )
            ledger, beside = self._ledger(tree), {"budget": _budget(tree, alphabet)}
        else:
            ledger = Ledger.zcdp(epsilon=self.epsilon, delta=self.delta)
            tree, orders = grow_thresholded(
                data, ledger=ledger, n_max=self.n_max, l_max=self.l_max, noise=rng.noise, engine=engine
            )
            beside = {"orders": pa.Table.from_pylist([order._asdict() for order in orders])}
        tables = {"ngrams": _rows(tree, alphabet), **beside}
        if self.sequences:
            tables["synthetic"] = self._synthetic(tree, alphabet, rng)
        return Release(
            tables=tables,
            guarantee=self.guarantee,
            method=self,
            ledger=ledger,
            notes=(
                self._outlook_note(data),
                *_invented(data, tree.counts, engine),
                *vanished(data, symbols_in(data, engine), np.array([g[0] for g in tree.counts if len(g) == 1])),
            ),
            teaching_only=rng.seeded,
        )

    def _ledger(self, tree: Tree) -> Ledger:
        """The levels of the costliest path from the root: every other path, hence every position, costs no more.

        A person has at most l_max positions, each walks one path, and noise of scale l_max / share makes a position
        cost share / l_max at every gram on its path: l_max positions cost at most the costliest path.
        """
        ledger = Ledger.pure(epsilon=self.epsilon)
        for order, share in enumerate(costliest_path(tree), start=1):
            ledger.spend(
                f"order {order} of the costliest path",
                share,
                kind="laplace",
                sensitivity=float(self.l_max),
                scale=self.l_max / share,
            )
        left = ledger.remaining
        if left > 1e-9 * self.epsilon:  # no gram was worth going on: said, so that no order can be left out unseen
            ledger.spend("kept back", left, kind="laplace", sensitivity=float(self.l_max), scale=self.l_max / left)
        return ledger

    def _outlook_note(self, data: SymbolSeries) -> Note:
        """For the custodian, who knows how many people there are: what to expect."""
        found = self.outlook(data.n_people, max(1, len(data.alphabet)))
        return Note("outlook", found[0].upper() + found[1:])

    def _synthetic(self, tree: Tree, alphabet: tuple[str, ...], rng: Randomness) -> pa.Table:
        drawn = generate(tree, self.sequences, longest=self.l_max, order=self.n_max, rng=rng.secret)
        words = [" ".join(alphabet[x] for x in s) for s in drawn]
        return pa.table({"record": np.arange(1, len(words) + 1), "symbols": pa.array(words, pa.string())})


def costliest_path(tree: Tree) -> list[float]:
    """Budget shares along the path from the root that spends most."""
    paths = ([tree.shares[gram[:i]] for i in range(len(gram) + 1)] for gram in tree.shares)
    return max(paths, key=sum)


def _invented(data: SymbolSeries, grams: Collection[Gram], engine: Engine) -> tuple[Note, ...]:
    """Tell the custodian how many released grams nobody has; the release itself cannot tell them."""
    n = unseen(data, grams, engine)
    says = f"{n} of {counted(len(grams), 'released gram')} {verb_for(n, 'occurs', 'occur')} nowhere in the data."
    return (Note("invented", says),)


def _share_grams(tables: list[np.ndarray], p: int) -> list[Gram]:
    """Grams with a share, of all orders."""
    return [
        tuple(map(int, np.unravel_index(i, (p,) * order)))
        for order, cells in enumerate(tables, start=1)
        for i in np.flatnonzero(cells).tolist()
    ]


def _words(order: int, alphabet: tuple[str, ...]) -> list[str]:
    """All grams of an order, first symbol first."""
    return [" ".join(word) for word in itertools.product(alphabet, repeat=order)]


def _share_rows(tables: list[np.ndarray], alphabet: tuple[str, ...]) -> pa.Table:
    """Shares of time in millionths; grams without a share are left out."""
    grams: list[str] = []
    counts: list[int] = []
    for order, cells in enumerate(tables, start=1):
        words = _words(order, alphabet)
        at = np.flatnonzero(cells)
        grams += [words[i] for i in at]
        counts += cells[at].tolist()
    return write_words(grams, counts)


def _measurements(noisy: np.ndarray, order: int, alphabet: tuple[str, ...]) -> pa.Table:
    """The noisy cells themselves, in millionths of a person."""
    return pa.table(
        {"gram": pa.array(_words(order, alphabet), pa.string()), "value": pa.array(noisy.tolist(), pa.int64())}
    )


def _rows(tree: Tree, alphabet: tuple[str, ...]) -> pa.Table:
    letters = (*alphabet, END)
    grams = sorted(tree.counts, key=lambda g: (len(g), g))
    return write_words([" ".join(letters[x] for x in g) for g in grams], [tree.counts[g] for g in grams])


def _budget(tree: Tree, alphabet: tuple[str, ...]) -> pa.Table:
    """What was spent on the continuations of every extended gram; the root has the empty context."""
    grams = sorted(tree.shares, key=lambda g: (len(g), g))
    return pa.table(
        {
            "context": pa.array([" ".join(alphabet[x] for x in g) for g in grams], pa.string()),
            "epsilon": pa.array([tree.shares[g] for g in grams], pa.float64()),
        }
    )
