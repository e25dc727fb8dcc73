"""What the text methods share: owners, and a release made of documents with some characters suppressed."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from sequester.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sequester.dp.randomness import Randomness
    from sequester.method import Method
    from sequester.model import Corpus
    from sequester.release import Release

SHAPES = {"file": "txt", "folder": "folder", "jsonl": "jsonl", "csv": "csv", "parquet": "parquet"}
"""How a corpus came → how its documents leave."""


def check_mask(method: Method, name: str) -> None:
    """A mask is one visible character that joins onto nothing."""
    mask = getattr(method, name)
    fits = isinstance(mask, str) and len(mask) == 1 and mask.isprintable() and not mask.isspace()
    if not fits or unicodedata.category(mask)[0] == "M":
        raise method.refuse(f"{name} must be one visible character, got {name}={mask!r}.")


def owners_of(data: Corpus, unit: str, k: int) -> np.ndarray | None:
    """Who owns each document, numbered from 0, or None when occurrences are counted; too few owners are refused."""
    import numpy as np

    if unit == "occurrence":
        return None
    if unit == "document":
        if data.n_records < k:
            whole = " A text file is one document: pass a folder or a table." if data.shape == "file" else ""
            raise InputError(
                f"anonymize: k={k} needs {k} documents, the data has {data.n_records}. Lower k or add data.{whole}"
            )
        return np.arange(data.n_records)
    if not data.people_known:
        raise InputError(
            "anonymize: unit=person needs to know whose document each is, and the source does not say. Pass --person "
            "(a column, or 'folder' when each subfolder is one person), or --unit document."
        )
    if data.n_people < k:
        raise InputError(f"anonymize: k={k} needs {k} people, the data has {data.n_people}. Lower k or add data.")
    number: dict[str, int] = {}
    return np.array([number.setdefault(p, len(number)) for p in data.persons])


def check_utf8(data: Corpus) -> None:
    """Refuse bytes that are not UTF-8 (a corpus made by a reader never has any)."""
    import pyarrow as pa

    try:
        _strings(data.utf8, data.offsets).validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError("anonymize: the corpus holds bytes that are not UTF-8. Read it with its encoding.") from error


def masked_release(
    method: Method,
    data: Corpus,
    keep: np.ndarray,
    *,
    rng: Randomness,
    owners: np.ndarray | None,
    mark: str,
    per_character: bool = True,
    private: dict[str, pa.Table] | None = None,
) -> Release:
    """Suppress what is not kept, number the documents anew in random order, and keep the map for the custodian."""
    import numpy as np
    import pyarrow as pa

    from sequester.methods.text.shared.kernels.masking import mask_documents
    from sequester.release import Release

    n = data.n_records
    order = rng.secret.permutation(n)
    done = mask_documents(data.utf8, data.offsets, keep, order, mark, per_character=per_character)
    width = len(str(n))
    number = [str(j + 1).zfill(width) for j in range(n)]
    tables = {
        "documents": pa.table({"document": pa.array(number, pa.string()), "text": _strings(done.utf8, done.offsets)}),
        "spans": _span_table(number, done.spans),
    }
    if method.guarantee.unit == "person" and owners is not None and not method.guarantee.needs_original:
        # only published counts of people can be re-counted from the release; otherwise the grouping stays private
        fresh = rng.secret.permutation(int(owners.max()) + 1) + 1
        tables["owners"] = pa.table(
            {"document": pa.array(number, pa.string()), "owner": pa.array(fresh[owners[order]].astype(np.int64))}
        )
    kept_back = {
        "documents": pa.table(
            {
                "document": pa.array(number, pa.string()),
                "original": pa.array([str(data.documents[d]) for d in order], pa.string()),
                "person": pa.array([str(data.persons[d]) for d in order], pa.string()),
            }
        ),
        **(private or {}),
    }
    if not per_character:
        kept_back["spans"] = _span_table(number, done.hidden)
    return Release(
        tables=tables,
        guarantee=method.guarantee,
        method=method,
        private=kept_back,
        formats={"documents": SHAPES[data.shape]},
    )


def _span_table(number: list[str], spans: np.ndarray) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    names = pa.array(number, pa.string()).take(pa.array(spans[:, 0]))
    start, end = (pa.array(np.ascontiguousarray(spans[:, i])) for i in (1, 2))
    return pa.table({"document": names, "start": start, "end": end})


def _strings(utf8: np.ndarray, offsets: np.ndarray) -> Any:
    """An Arrow array of strings over the bytes, without copying them."""
    import numpy as np
    import pyarrow as pa

    wide = len(utf8) > np.iinfo(np.int32).max
    places = offsets.astype(np.int64 if wide else np.int32)
    kind = pa.LargeStringArray if wide else pa.StringArray
    return kind.from_buffers(len(offsets) - 1, pa.py_buffer(places), pa.py_buffer(np.ascontiguousarray(utf8)))
