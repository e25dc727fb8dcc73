"""Masked documents equal those of plain strings."""

import numpy as np
import pytest

from sequester.methods.text.shared.kernels.masking import mask_documents
from tests.naive import masking


@pytest.mark.parametrize("per_character", [True, False])
@pytest.mark.parametrize("mark", ["*", "█", "[…]"])
@pytest.mark.parametrize("seed", range(6))
def test_documents_are_masked_as_strings_are(seed, mark, per_character):
    rng = np.random.default_rng(seed)
    documents = ["".join(rng.choice(list("ab é€😀"), rng.integers(0, 12))) for _ in range(rng.integers(1, 8))]
    keep = [rng.random(len(text)) < 0.6 for text in documents]
    order = rng.permutation(len(documents))
    encoded = [text.encode() for text in documents]
    bytes_kept = [k for text, own in zip(documents, keep) for c, k in zip(text, own) for _ in c.encode()]
    got = mask_documents(
        np.frombuffer(b"".join(encoded), np.uint8), np.r_[0, np.cumsum([len(e) for e in encoded])],
        np.array(bytes_kept, np.uint8), order, mark, per_character=per_character,
    )  # fmt: skip
    texts, spans, hidden = masking.mask(documents, keep, order, mark, per_character)
    written = got.utf8.tobytes()
    assert [written[a:b].decode() for a, b in zip(got.offsets, got.offsets[1:])] == texts
    assert got.spans.tolist() == spans and got.hidden.tolist() == hidden
