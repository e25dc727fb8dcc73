"""Which test compares each kernel with a plain loop.

Every kernel that something other than a kernel calls is here; a new one without a twin fails `test_twins.py`. A test
may compare a whole algorithm, and then answers for all the kernels it is made of. `python -m tests.twins` runs all
these tests and says which of them do not reach the kernel they answer for.
"""

import os
import sys

import pytest

TWINS = {
    "test_activity_day_types.py::test_counts_are_those_of_plain_loops": """
        methods.activity.shared.kernels.day_types.count_rows
    """,
    "test_activity_day_types.py::test_counts_of_clusters_are_those_of_plain_loops": """
        methods.activity.shared.kernels.day_types.count_clusters
    """,
    "test_activity_day_types.py::test_herding_is_that_of_plain_loops_and_comes_nearer": """
        methods.activity.shared.kernels.herd._herd
    """,
    "test_activity_day_types.py::test_looks_are_those_of_whole_arrays": """
        methods.activity.shared.kernels.day_looks.add_cells
        methods.activity.shared.kernels.day_looks.add_jumps
        methods.activity.shared.kernels.day_looks.deviations
    """,
    "test_activity_day_types.py::test_simulated_rows_and_their_counts_are_those_of_plain_loops": """
        methods.activity.shared.kernels.day_types.simulate
    """,
    "test_activity_kernels.py::test_counts_equal_plain_loops": """
        methods.activity.activity_dp.kernels.counts.bout_counts
        methods.activity.activity_dp.kernels.counts.cell_counts
        methods.activity.activity_dp.kernels.counts.step_counts
    """,
    "test_activity_kernels.py::test_simulated_people_equal_the_plain_walk": """
        methods.activity.activity_dp.kernels.simulator.simulate
    """,
    "test_activity_like.py::test_a_walk_is_that_of_plain_loops": """
        samples.like.walk
    """,
    "test_activity_primitives.py::test_bouts_changes_and_shared_runs": """
        primitives.bouts._lengths
        primitives.bouts._pairs
    """,
    "test_activity_primitives.py::test_cluster_shares_and_most_frequent": """
        methods.activity.shared.kernels.mixture._modes
        methods.activity.shared.kernels.mixture._shares
    """,
    "test_activity_primitives.py::test_full_resolution_equals_mdav_on_indicators": """
        methods.activity.shared.kernels.bitplanes._add_rows
        methods.activity.shared.kernels.bitplanes._pack
        methods.activity.shared.kernels.bitplanes._scan
        methods.activity.shared.kernels.bitplanes._to_mean
    """,
    "test_activity_primitives.py::test_clusters_around_equal_their_twin": """
        methods.activity.shared.kernels.near_clusters._nearest_among
    """,
    "test_activity_primitives.py::test_hourly_chains_equal_their_twin": """
        samples.hourly_chains.simulate_hours
    """,
    "test_activity_primitives.py::test_mixture_sampler_equals_its_twin": """
        methods.activity.shared.kernels.mixture._sample
    """,
    "test_activity_primitives.py::test_multilevel_equals_naive_and_keeps_sizes": """
        methods.activity.shared.kernels.multilevel._split_some
    """,
    "test_activity_primitives.py::test_one_refinement_pass_equals_its_twin": """
        methods.activity.shared.kernels.refine._one_pass
    """,
    "test_activity_primitives.py::test_pruned_equals_full_equals_naive_with_ties": """
        methods.activity.shared.kernels.mdav.mdav_into
    """,
    "test_activity_primitives.py::test_semimarkov_sampler_equals_its_twin": """
        methods.activity.shared.kernels.semimarkov._clusters
        primitives.bout_ages._count_all
    """,
    "test_activity_primitives.py::test_table_sampler_equals_its_twin": """
        methods.activity.shared.kernels.mixture._sample_table
    """,
    "test_activity_primitives.py::test_window_counts": """
        primitives.aggregate._count_few
        primitives.aggregate._count_many
    """,
    "test_assess.py::test_columns_equal_plain_loops": """
        primitives.known_points._agree_on_columns
    """,
    "test_assess.py::test_members_equal_plain_loops": """
        primitives.known_points.agree_on_members
    """,
    "test_assess.py::test_order_equals_plain_loops": """
        primitives.known_points._agree_on_order
    """,
    "test_eigen.py::test_rotations_agree_with_lapack": """
        primitives.eigen._rotate
    """,
    "test_event_times.py::test_moves_equal_their_twin": """
        methods.events.markov_dp.kernels.moves.moves
    """,
    "test_event_times.py::test_sums_of_gated_counts_equal_the_gate": """
        methods.events.markov_dp.kernels.gated.clipped_totals
        methods.events.markov_dp.kernels.gated.gated_totals
        methods.events.markov_dp.kernels.gated.object_norms
    """,
    "test_event_twins.py::test_a_timed_log_is_drawn_as_its_twin_draws_it": """
        methods.events.markov_dp.kernels.engine.draw
    """,
    "test_event_twins.py::test_the_index_of_laws_finds_what_a_dictionary_finds": """
        methods.events.markov_ratio.kernels.law_index._index
    """,
    "test_event_twins.py::test_the_published_walks_equal_their_twin": """
        methods.events.markov_ratio.kernels.ensemble.synthesize
    """,
    "test_event_twins.py::test_walks_of_measured_lengths_equal_their_twin": """
        methods.events.markov_ratio.kernels.measured.synthesize
    """,
    "test_k_repeats.py::test_background_equals_brute_force": """
        primitives.placement_queue._in_stages
        primitives.placement._place
        primitives.placement_queue._stages
        primitives.text_index._corpus_ranks_first
    """,
    "test_kp_primitives.py::test_formation_by_tree_equals_scan_and_twin": """
        methods.series.shared.kernels.groups._boxes
        methods.series.shared.kernels.groups._form
        methods.series.shared.kernels.groups._form_by_tree
        methods.series.shared.kernels.groups._place_leftovers
    """,
    "test_kp_primitives.py::test_greedy_partition_equals_its_twin": """
        methods.series.shared.kernels.greedy_partition._partition
    """,
    "test_kp_primitives.py::test_keys_are_equal_and_ordered_exactly_as_words": """
        primitives.sax._pack
    """,
    "test_kp_primitives.py::test_mdav_equals_its_twin": """
        methods.series.shared.kernels.mdav_values._mdav_classes
    """,
    "test_kp_primitives.py::test_nearest_points_are_exact": """
        primitives.neighbours._search
    """,
    "test_kp_primitives.py::test_pattern_loss_is_one_minus_pearson_and_equals_pairwise_cosine": """
        primitives.sax._pattern_losses
    """,
    "test_kp_primitives.py::test_prefix_pruning_equals_its_twin_and_keeps_support": """
        methods.series.bfp2ka.kernels.prefix_prune._closest_paths
    """,
    "test_kp_primitives.py::test_splitting_and_recycling_equal_their_twins": """
        methods.series.shared.kernels.tree._split
    """,
    "test_kp_primitives.py::test_words_of_all_levels_equal_a_search_among_break_points": """
        primitives.sax._all_words
    """,
    "test_kp_twins.py::test_accepting_candidates": """
        methods.series.shared.kernels.words._accept
    """,
    "test_kp_twins.py::test_best_forms": """
        methods.series.shared.kernels.words._best_forms
    """,
    "test_kp_twins.py::test_exchanging_records": """
        methods.series.shared.kernels.exchange._exchange
    """,
    "test_kp_twins.py::test_joining_subgroups_of_the_own_word": """
        methods.series.shared.kernels.words._join_own_word
    """,
    "test_kp_twins.py::test_nearest_subgroups_of_the_same_word": """
        methods.series.shared.kernels.exchange._nearest_of_class
    """,
    "test_kp_twins.py::test_refining_groups": """
        methods.series.shared.kernels.refine._refine
    """,
    "test_kp_twins.py::test_widths_of_candidates": """
        methods.series.shared.kernels.words._widths
    """,
    "test_least_cost_flow.py::test_the_flow_is_feasible_and_costs_the_least": """
        primitives.least_cost_flow._send
    """,
    "test_markov_primitives.py::test_clocked_equals_the_plain_loop": """
        methods.events.markov_dp.kernels.markov.clocked
    """,
    "test_markov_primitives.py::test_pairs_are_counted_once_per_sequence": """
        methods.events.markov_ratio.kernels.pairs._dense
        methods.events.markov_ratio.kernels.pairs._listed
    """,
    "test_markov_primitives.py::test_tallies_equal_the_plain_loop": """
        methods.events.markov_dp.kernels.markov.tally_within
    """,
    "test_markov_primitives.py::test_transitions_equal_the_plain_loop": """
        methods.events.markov_dp.kernels.markov.transitions
    """,
    "test_markov_primitives.py::test_walks_equal_the_plain_loop": """
        methods.events.markov_dp.kernels.markov.walks
    """,
    "test_masking.py::test_documents_are_masked_as_strings_are": """
        methods.text.shared.kernels.masking._measure
        methods.text.shared.kernels.masking._write
    """,
    "test_minhash.py::test_centre_clusters_equal_the_plain_loop": """
        primitives.minhash._nearest_among
        primitives.minhash._nearest_by_bands
    """,
    "test_minhash.py::test_nearest_similarity_equals_the_plain_loop": """
        primitives.minhash._nearest
    """,
    "test_minhash.py::test_sequences_are_gathered_by_their_shingles": """
        primitives.minhash._set_codes
    """,
    "test_minhash.py::test_signatures_equal_the_plain_loop": """
        primitives.minhash._sign
    """,
    "test_ngram_flow.py::test_strong_components_are_mutual_reach": """
        primitives.components._tarjan
    """,
    "test_ngrams_primitives.py::test_lifting_equals_its_exact_twin": """
        primitives.ngram_lift._lift_fractions
        primitives.ngram_lift._lift_units
        primitives.ngram_lift._sweep
        primitives.ngram_lift._sweep_fractions
    """,
    "test_ngrams_primitives.py::test_lifting_that_reaches_further_equals_its_twin": """
        primitives.ngram_lift._lift_reaching
    """,
    "test_ngrams_primitives.py::test_owners_are_counted_once_and_capped": """
        primitives.ngrams._owned
        primitives.ngrams._write_codes
    """,
    "test_ngrams_primitives.py::test_parts_are_chosen_when_the_data_fill_the_codes": """
        primitives.ngrams._count_parts
        primitives.ngrams._gather
        primitives.ngrams._scatter
    """,
    "test_ngrams_primitives.py::test_tables_of_all_orders_equal_plain_counting": """
        primitives.ngrams._add_to_table
    """,
    "test_series_baselines.py::test_groups_by_log_cost_equal_a_plain_search": """
        methods.series.tga.kernels.trajectory_cost._group
    """,
    "test_series_customised.py::test_vertices_give_the_optimum_of_a_general_solver": """
        primitives.customised._programme
    """,
    "test_series_twins.py::test_a_tree_knows_the_bounds_of_what_is_below_each_node": """
        primitives.kdtree.build
    """,
    "test_series_twins.py::test_records_are_tied_as_the_twin_ties_them": """
        methods.series.shared.diversity._tie
    """,
    "test_series_twins.py::test_the_fullest_window_of_every_subgroup": """
        methods.series.shared.diversity._windows
    """,
    "test_series_twins.py::test_the_search_does_what_its_twin_does": """
        methods.series.shared.kernels.joint._improve
    """,
    "test_small_twins.py::test_characters_of_a_text_are_met": """
        primitives.tokens._met
    """,
    "test_small_twins.py::test_every_word_has_one_number_also_when_the_table_grows": """
        primitives.vocabulary._fill_table
        primitives.vocabulary._intern
    """,
    "test_small_twins.py::test_hidden_bytes_are_spread_between_separators_and_shut": """
        primitives.text_index._shut
        primitives.text_index._spread_hidden
    """,
    "test_small_twins.py::test_signs_are_found_where_strings_have_them": """
        methods.text.shared.first_pass.patterns._characters
        methods.text.shared.first_pass.patterns._count_signs
        methods.text.shared.first_pass.patterns._find_signs
    """,
    "test_small_twins.py::test_suffixes_are_counted_by_their_third_byte": """
        primitives.suffix_buckets._count_three
    """,
    "test_small_twins.py::test_the_longest_run_shared_with_any_of_some_rows": """
        primitives.bouts.longest_shared_runs
    """,
    "test_suffix_buckets.py::test_copies_and_periods_need_several_rounds": """
        primitives.suffix_buckets._shared_at
    """,
    "test_suffix_buckets.py::test_order_of_tokens_equals_plain_sorting": """
        primitives.suffix_buckets._count_two
        primitives.suffix_buckets._scatter
        primitives.suffix_buckets._sort_bucket
        primitives.suffix_ties._first_tied
        primitives.suffix_ties._double
        primitives.suffix_ties._first_ranks
        primitives.suffix_ties._share_in_text_order
        primitives.token_codes._count_blocks
        primitives.token_codes._encode
        primitives.token_codes._size
        primitives.token_codes._to_tokens
    """,
    "test_text_repeats.py::test_lengths_equal_brute_force": """
        primitives.repeats._common_prefixes
        primitives.repeats._keep_unit_starts
        primitives.repeats._mark_starts
        primitives.repeats._owners
        primitives.repeats._propagate
        primitives.repeats._spread
        primitives.repeats._to_positions
        primitives.repeats._windows_of_k
        primitives.repeats._windows_of_owners
        primitives.text_index._drop_separators
    """,
    "test_text_repeats.py::test_optimal_equals_exponential_search": """
        primitives.cover._accept
        primitives.cover.maximal_repeats
        primitives.cover.optimal_cover
    """,
    "test_text_tokens.py::test_placement_equals_its_twin": """
        primitives.cut_text._weigh
        primitives.placement_by_weight.place_by_weight
        primitives.placement_by_weight.weigh
        primitives.text_index._per_byte
        primitives.tokens._join_codes
        primitives.tokens._join_names
        primitives.tokens._runs
        primitives.tokens._solid
        primitives.vocabulary._count
        primitives.vocabulary._encode
        primitives.vocabulary._renumber
        primitives.vocabulary._shared
        primitives.vocabulary._tokens_first
    """,
}
"""Tests below `tests/unit`, each with the kernels it answers for, below `sequester`."""


def answered() -> dict[str, str]:
    """The test of every kernel."""
    return {f"sequester.{kernel}": f"tests/unit/{test}" for test, told in TWINS.items() for kernel in told.split()}


class Reached:
    """A plugin of pytest that notes which kernels a test calls from Python."""

    def __init__(self) -> None:
        self.by_test: dict[str, set[str]] = {}

    def pytest_configure(self) -> None:
        """Listen to every call."""
        from sequester.primitives import compiled

        straight = compiled.Kernel.__call__

        def call(kernel, *told):
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
