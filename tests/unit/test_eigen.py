"""Eigenvalues by rotations are those of LAPACK."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sequester.methods.activity.shared.kernels.day_looks import SMALL, eigen
from sequester.primitives.xoshiro import bell


@given(st.integers(1, 24), st.integers(0, 24), st.integers(0, 2**32 - 1))
def test_rotations_agree_with_lapack(n, rank, seed):
    parts = np.random.default_rng(seed).standard_normal((n, rank))
    matrix = parts @ parts.T - 0.1 * np.eye(n)
    values, vectors = eigen(matrix)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh(matrix), atol=1e-9)
    np.testing.assert_allclose((vectors * values) @ vectors.T, matrix, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-10)


@pytest.mark.parametrize("n", [3, SMALL, SMALL + 1])
def test_of_a_matrix_only_the_symmetric_part_counts(n):
    matrix = np.random.default_rng(1).standard_normal((n, n))
    values, _ = eigen(matrix)
    np.testing.assert_allclose(np.sort(values), np.linalg.eigvalsh((matrix + matrix.T) / 2), atol=1e-9)


def test_nothing_has_no_eigenvalue_but_nought():
    values, vectors = eigen(np.zeros((3, 3)))
    assert (values == 0).all() and (vectors == np.eye(3)).all()


def test_eight_bytes_make_a_bell():
    state = np.array([1, 2, 3, 4], np.uint64)
    drawn = np.array([bell(state) for _ in range(40_000)])
    assert abs(drawn.mean()) < 0.03 and abs(drawn.std() - 1) < 0.02
    assert abs((drawn**3).mean()) < 0.06 and abs((drawn**4).mean() - 2.85) < 0.15  # 3 - 1.2 / 8
