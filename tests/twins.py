"""Which test compares each kernel with a plain loop.

Every kernel that something other than a kernel calls is here; a new one without a twin fails `test_twins.py`. A test
answers for the kernels it calls itself, on the arrays they take: a comparison of a whole algorithm cannot say which of
its kernels is wrong. `python -m tests.twins` runs all these tests and says which of them do not call, from a file of
tests, the kernel they answer for.
"""

import ast
import functools
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

TWINS = {
    "test_activity_twins.py::test_rows_of_days_are_counted_interval_by_interval": """
        methods.activity.shared.kernels.day_types.count_rows
    """,
    "test_activity_day_types.py::test_counts_of_clusters_are_those_of_plain_loops": """
        methods.activity.shared.kernels.day_types.count_clusters
    """,
    "test_activity_day_types.py::test_looks_are_those_of_whole_arrays": """
        methods.activity.shared.kernels.day_looks.add_cells
        methods.activity.shared.kernels.day_looks.add_jumps
        methods.activity.shared.kernels.day_looks.deviations
    """,
    "test_activity_kernels.py::test_counts_equal_plain_loops": """
        methods.activity.activity_dp.kernels.features.bout_counts
        methods.activity.activity_dp.kernels.features.cell_counts
        methods.activity.activity_dp.kernels.features.step_counts
    """,
    "test_activity_kernels.py::test_simulated_people_equal_the_plain_walk": """
        methods.activity.activity_dp.kernels.simulator.simulate
    """,
    "test_activity_like.py::test_a_walk_is_that_of_plain_loops": """
        samples.like.walk
    """,
    "test_activity_primitives.py::test_hourly_chains_equal_their_twin": """
        samples.hourly_chains.simulate_hours
    """,
    "test_activity_primitives.py::test_one_refinement_pass_equals_its_twin": """
        methods.activity.shared.kernels.refine._one_pass
    """,
    "test_activity_twins.py::test_pairs_are_counted_one_by_one": """
        utility.bouts._pairs
    """,
    "test_activity_twins.py::test_candidates_are_chosen_one_after_the_other": """
        methods.activity.shared.kernels.refine._herd
    """,
    "test_activity_twins.py::test_clusters_of_fixed_size_are_those_of_a_textbook": """
        methods.activity.shared.kernels.mdav.mdav_into
    """,
    "test_activity_twins.py::test_intervals_of_windows_are_counted_one_by_one": """
        methods.activity.shared.kernels.multilevel._count_few
        methods.activity.shared.kernels.multilevel._count_many
    """,
    "test_activity_twins.py::test_parts_are_split_one_by_one": """
        methods.activity.shared.kernels.multilevel._split_some
    """,
    "test_activity_twins.py::test_rows_of_a_mixture_are_those_of_plain_streams": """
        methods.activity.shared.kernels.mixture._sample
    """,
    "test_activity_twins.py::test_rows_of_a_table_are_those_of_plain_streams": """
        methods.activity.shared.kernels.mixture._sample_table
    """,
    "test_activity_twins.py::test_rows_of_day_types_are_those_of_plain_loops": """
        methods.activity.shared.kernels.day_types.simulate
    """,
    "test_activity_twins.py::test_shares_of_clusters": """
        methods.activity.shared.kernels.mixture._shares
    """,
    "test_activity_twins.py::test_the_nearest_of_the_clusters_around": """
        methods.activity.shared.kernels.multilevel._nearest_among
    """,
    "test_assess.py::test_members_equal_plain_loops": """
        risk.known_points.agree_on_members
    """,
    "test_event_times.py::test_moves_equal_their_twin": """
        methods.events.markov_dp.kernels.moves.moves
    """,
    "test_event_times.py::test_sums_of_gated_counts_equal_the_gate": """
        methods.events.markov_dp.kernels.moves.clipped_totals
        methods.events.markov_dp.kernels.moves.gated_totals
        methods.events.markov_dp.kernels.moves.object_norms
    """,
    "test_event_spans.py::test_fitted_times_equal_their_twin": """
        methods.events.shared.kernels.span_fit.fitted
    """,
    "test_event_twins.py::test_a_timed_log_is_drawn_as_its_twin_draws_it": """
        methods.events.markov_dp.kernels.engine.draw
    """,
    "test_event_twins.py::test_walks_of_measured_lengths_equal_their_twin": """
        methods.events.markov_ratio.kernels.measured.synthesize
    """,
    "test_kp_twins.py::test_refining_groups": """
        methods.series.shared.kernels.refine._refine
    """,
    "test_markov_primitives.py::test_tallies_equal_the_plain_loop": """
        methods.events.markov_dp.kernels.moves.tally_within
    """,
    "test_markov_primitives.py::test_transitions_equal_the_plain_loop": """
        methods.events.markov_dp.kernels.moves.transitions
    """,
    "test_ngram_twins.py::test_components_are_nodes_that_reach_each_other": """
        methods.ngrams.shared.kernels.ngram_flow._tarjan
    """,
    "test_ngram_twins.py::test_grams_are_parted_counted_and_gathered": """
        primitives.ngrams._count_parts
        primitives.ngrams._gather
        primitives.ngrams._scatter
    """,
    "test_ngram_twins.py::test_grams_are_written_and_counted_one_by_one": """
        primitives.ngrams._add_to_table
        primitives.ngrams._write_codes
    """,
    "test_ngram_twins.py::test_lifting_that_reaches_further_goes_on_share_by_share": """
        methods.ngrams.shared.kernels.ngram_lift._lift_reaching
    """,
    "test_ngram_twins.py::test_owners_of_grams_are_counted_once": """
        primitives.ngrams._owned
    """,
    "test_ngram_twins.py::test_rare_grams_are_lifted_one_after_the_other": """
        methods.ngrams.shared.kernels.ngram_lift._lift_fractions
        methods.ngrams.shared.kernels.ngram_lift._lift_units
    """,
    "test_ngram_twins.py::test_sequences_are_signed_and_coded_by_their_shingles": """
        methods.events.shared.minhash._set_codes
        methods.events.shared.minhash._sign
    """,
    "test_ngram_twins.py::test_the_most_equal_positions_with_any_of_some_rows": """
        methods.events.shared.minhash._nearest
    """,
    "test_ngram_twins.py::test_the_most_similar_row_is_found_among_all_and_by_bands": """
        methods.events.shared.minhash._nearest_among
        methods.events.shared.minhash._nearest_by_bands
    """,
    "test_ngram_twins.py::test_what_is_rare_below_the_longest_order_is_swept_up": """
        methods.ngrams.shared.kernels.ngram_lift._sweep
        methods.ngrams.shared.kernels.ngram_lift._sweep_fractions
    """,
    "test_placement_twins.py::test_classes_are_placed_by_length": """
        methods.text.shared.kernels.placement._place
    """,
    "test_placement_twins.py::test_classes_of_tokens_are_placed_by_their_characters": """
        methods.text.shared.kernels.placement_by_weight.place_by_weight
        methods.text.shared.kernels.placement_by_weight.weigh
    """,
    "test_placement_twins.py::test_ranks_wait_by_stage": """
        methods.text.shared.kernels.placement_queue._in_stages
        methods.text.shared.kernels.placement_queue._stages
    """,
    "test_series_array_twins.py::test_a_greedy_partition_is_that_of_plain_loops": """
        methods.series.shared.kernels.greedy_partition._partition
    """,
    "test_series_array_twins.py::test_boxes_are_the_ends_of_what_is_inside": """
        methods.series.shared.kernels.groups._boxes
    """,
    "test_series_array_twins.py::test_classes_are_microaggregated_one_by_one": """
        methods.series.shared.kernels.mdav_values._mdav_classes
    """,
    "test_series_array_twins.py::test_cut_sequences_go_to_the_path_they_share_most_with": """
        methods.series.bfp2ka.kernels.prefix_prune._closest_paths
    """,
    "test_series_array_twins.py::test_groups_are_formed_in_the_given_order": """
        methods.series.shared.kernels.groups._form
        methods.series.shared.kernels.groups._form_by_tree
        methods.series.shared.kernels.groups._place_leftovers
    """,
    "test_series_array_twins.py::test_a_search_begins_with_the_true_figures": """
        methods.series.shared.kernels.joint._begin
    """,
    "test_series_array_twins.py::test_groups_are_improved_step_by_step": """
        methods.series.shared.kernels.joint._improve
    """,
    "test_series_array_twins.py::test_letters_of_all_levels_are_found_among_the_break_points": """
        primitives.sax._all_words
    """,
    "test_series_array_twins.py::test_records_are_split_by_their_words": """
        methods.series.shared.kernels.tree._split
    """,
    "test_series_array_twins.py::test_the_nearest_points_are_those_of_a_full_search": """
        primitives.neighbours._search
    """,
    "test_series_array_twins.py::test_the_programme_of_letters_is_solved_at_its_corners": """
        layouts.customised._programme
    """,
    "test_series_array_twins.py::test_trajectories_are_grouped_by_their_log_cost": """
        methods.series.tga.kernels.trajectory_cost._group
    """,
    "test_series_array_twins.py::test_windows_of_sorted_values_are_as_full_as_a_plain_count_finds": """
        methods.series.shared.diversity._windows
    """,
    "test_series_array_twins.py::test_words_are_packed_as_digits": """
        primitives.sax._pack
    """,
    "test_series_twins.py::test_a_tree_knows_the_bounds_of_what_is_below_each_node": """
        primitives.kdtree.build
    """,
    "test_series_twins.py::test_records_are_tied_as_the_twin_ties_them": """
        methods.series.shared.diversity._tie
    """,
    "test_shared_twins.py::test_keys_of_laws_stand_in_an_open_table": """
        methods.events.markov_ratio.kernels.law_index._index
    """,
    "test_shared_twins.py::test_owners_that_agree_on_an_order": """
        risk.known_points._agree_on_order
    """,
    "test_shared_twins.py::test_owners_that_agree_on_columns": """
        risk.known_points._agree_on_columns
    """,
    "test_shared_twins.py::test_rotations_make_a_matrix_diagonal": """
        methods.activity.shared.kernels.day_looks._rotate
    """,
    "test_shared_twins.py::test_what_is_sent_is_feasible_and_costs_the_least": """
        methods.ngrams.shared.kernels.least_cost_flow._send
    """,
    "test_small_twins.py::test_characters_of_a_text_are_met": """
        methods.text.shared.kernels.tokens._met
    """,
    "test_small_twins.py::test_hidden_bytes_are_spread_between_separators_and_shut": """
        methods.text.shared.kernels.text_index._shut
        methods.text.shared.kernels.text_index._spread_hidden
    """,
    "test_small_twins.py::test_signs_are_found_where_strings_have_them": """
        methods.text.shared.first_pass.patterns._characters
        methods.text.shared.first_pass.patterns._count_signs
        methods.text.shared.first_pass.patterns._find_signs
    """,
    "test_small_twins.py::test_suffixes_are_counted_by_their_third_byte": """
        methods.text.shared.kernels.suffix_buckets._count_three
    """,
    "test_small_twins.py::test_the_longest_run_shared_with_any_of_some_rows": """
        utility.bouts.longest_shared_runs
    """,
    "test_suffix_twins.py::test_a_bucket_is_sorted_as_byte_strings_are": """
        methods.text.shared.kernels.suffix_buckets._sort_bucket
    """,
    "test_suffix_twins.py::test_deep_neighbours_share_what_is_compared_byte_by_byte": """
        methods.text.shared.kernels.suffix_ties._share_in_text_order
    """,
    "test_suffix_twins.py::test_numbers_are_written_as_codes_of_one_to_four_bytes": """
        methods.text.shared.kernels.token_codes._count_blocks
        methods.text.shared.kernels.token_codes._encode
        methods.text.shared.kernels.token_codes._size
        methods.text.shared.kernels.token_codes._to_tokens
    """,
    "test_suffix_twins.py::test_rounds_of_doubling_tell_ties_apart": """
        methods.text.shared.kernels.suffix_ties._double
        methods.text.shared.kernels.suffix_ties._first_ranks
        methods.text.shared.kernels.suffix_ties._first_tied
    """,
    "test_suffix_twins.py::test_suffixes_are_counted_and_scattered_by_their_first_bytes": """
        methods.text.shared.kernels.suffix_buckets._count_two
        methods.text.shared.kernels.suffix_buckets._scatter
    """,
    "test_suffix_twins.py::test_suffixes_of_tokens_stay_in_order_and_share_what_is_compared": """
        methods.text.shared.kernels.vocabulary._shared
        methods.text.shared.kernels.vocabulary._tokens_first
    """,
    "test_suffix_twins.py::test_tokens_are_counted_renumbered_and_coded": """
        methods.text.shared.kernels.vocabulary._count
        methods.text.shared.kernels.vocabulary._encode
        methods.text.shared.kernels.vocabulary._renumber
    """,
    "test_suffix_twins.py::test_tokens_are_numbered_until_the_room_is_full": """
        methods.text.shared.kernels.vocabulary._fill_table
        methods.text.shared.kernels.vocabulary._intern
    """,
    "test_suffix_twins.py::test_two_places_share_what_is_compared_byte_by_byte": """
        methods.text.shared.kernels.suffix_buckets._shared_at
    """,
    "test_text_array_twins.py::test_documents_are_joined_and_their_characters_begin_where_strings_have_them": """
        methods.text.shared.kernels.repeats._mark_starts
        methods.text.shared.kernels.repeats._spread
    """,
    "test_text_array_twins.py::test_documents_are_measured_and_written_as_strings_are": """
        methods.text.shared.kernels.masking._measure
        methods.text.shared.kernels.masking._write
    """,
    "test_text_array_twins.py::test_maximal_repeats_and_their_acceptance": """
        methods.text.shared.kernels.cover._accept
        methods.text.shared.kernels.cover.maximal_repeats
    """,
    "test_text_array_twins.py::test_neighbours_in_the_order_share_what_is_compared_byte_by_byte": """
        methods.text.shared.kernels.repeats._common_prefixes
        methods.text.shared.kernels.repeats._keep_unit_starts
    """,
    "test_text_array_twins.py::test_ranks_of_the_background_are_left_out": """
        methods.text.shared.kernels.text_index._corpus_ranks_first
    """,
    "test_text_array_twins.py::test_the_best_cover_is_the_best_of_all_that_are_allowed": """
        methods.text.shared.kernels.cover.optimal_cover
    """,
    "test_text_array_twins.py::test_tokens_are_weighed_by_their_characters": """
        methods.text.shared.kernels.cut_text._weigh
    """,
    "test_text_array_twins.py::test_values_and_owners_go_from_ranks_to_positions_and_back": """
        methods.text.shared.kernels.repeats._owners
        methods.text.shared.kernels.repeats._to_positions
    """,
    "test_text_array_twins.py::test_what_is_kept_is_told_of_the_documents_own_bytes": """
        methods.text.shared.kernels.text_index._drop_separators
        methods.text.shared.kernels.text_index._per_byte
    """,
    "test_text_array_twins.py::test_windows_of_k_owners_share_the_least_between_them": """
        methods.text.shared.kernels.repeats._windows_of_owners
    """,
    "test_text_array_twins.py::test_windows_of_k_ranks_share_the_least_between_them": """
        methods.text.shared.kernels.repeats._propagate
        methods.text.shared.kernels.repeats._windows_of_k
    """,
    "test_token_twins.py::test_characters_become_runs_and_runs_become_tokens": """
        methods.text.shared.kernels.tokens._join_codes
        methods.text.shared.kernels.tokens._join_names
        methods.text.shared.kernels.tokens._runs
        methods.text.shared.kernels.tokens._solid
    """,
}
"""Tests below `tests/unit`, each with the kernels it answers for, below `sequester`."""


def answered() -> dict[str, str]:
    """The test of every kernel."""
    return {f"sequester.{kernel}": f"tests/unit/{test}" for test, told in TWINS.items() for kernel in told.split()}


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text("utf-8"))


def _imported(tree: ast.AST) -> dict[str, str]:
    """What the imported names of a file stand for."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return found


def written(test: str) -> ast.FunctionDef | None:
    """A test as it is written."""
    file, _, name = test.partition("::")
    return next((n for n in _tree(file).body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def named_by(test: str) -> set[str]:
    """The things of the house that a test names itself, by module and name."""
    known, found = _imported(_tree(test.partition("::")[0])), set()
    for node in ast.walk(written(test) or ast.Module([], [])):
        if isinstance(node, ast.Name):
            found.add(known.get(node.id, ""))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{known.get(node.value.id, '')}.{node.attr}")
    return found


class Reached:
    """A plugin of pytest that notes which kernels a test calls itself."""

    def __init__(self) -> None:
        self.by_test: dict[str, set[str]] = {}

    def pytest_configure(self) -> None:
        """Listen to every call."""
        from sequester.primitives import compiled

        straight = compiled.Kernel.__call__

        def call(kernel, *told):
            if Path(sys._getframe(1).f_code.co_filename).is_relative_to(ROOT / "tests"):
                test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0].partition("[")[0]
                self.by_test.setdefault(test, set()).add(kernel.name)
            return straight(kernel, *told)

        compiled.Kernel.__call__ = call


def main() -> int:
    """Run every test of the list, and print the kernels that theirs does not call."""
    wanted, reached = answered(), Reached()
    code = pytest.main([*sorted(set(wanted.values())), "-q", "-p", "no:cacheprovider", "-p", "no:xdist"], [reached])
    lost = [f"{test} does not call {kernel}" for kernel, test in sorted(wanted.items())
            if kernel not in reached.by_test.get(test, set())]  # fmt: skip
    called = f"{len(wanted) - len(lost)} of {len(wanted)} kernels are called by the test that answers for them"
    print(*lost, called, sep="\n")
    return int(code) or bool(lost)


if __name__ == "__main__":
    sys.exit(main())
