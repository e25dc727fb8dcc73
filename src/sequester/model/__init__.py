"""What a custodian holds: five kinds of sequential data, validated when they are made.

Every model keeps person identifiers apart from the data, keeps missing values as values, and owns
read-only arrays, so that nothing later can change an original.
"""

from sequester.model.activities import MISSING, Activities
from sequester.model.corpus import Corpus
from sequester.model.events import EventLog
from sequester.model.kind import INVENTED, Data, Fact, Invented
from sequester.model.parts import Parts
from sequester.model.series import Series
from sequester.model.symbols import SymbolSeries

__all__ = [
    "INVENTED", "MISSING", "Activities", "Corpus", "Data", "EventLog", "Fact", "Invented", "Parts", "Series",
    "SymbolSeries",
]  # fmt: skip
