"""Section 3: failures that users of such tools have met in public, each as what must not happen here."""

from __future__ import annotations

from tests.acceptance.row import Row

VALUES = "acceptance/test_peers_values.py"
TEXTS = "acceptance/test_peers_texts.py"
KERNELS = "acceptance/peers.py"
ROWS = "acceptance/test_rows.py"


def _rows(area: str, *rows: tuple[str, ...]) -> tuple[Row, ...]:
    """Rows of where it was met, what must not happen, what shows it (nothing where it cannot arise), a note, and
    what is not reached."""
    found = []
    for met, what, shown, *more in rows:
        places = tuple(f"tests/{s}" for s in shown.split())
        note, missing = (*more, "", "")[:2]
        found.append(Row(3, area, f"{what} ({met})", "held", places, note=note, open=missing))
    return tuple(found)


TILELANG = _rows(
    "TileLang",
    ("tilelang#2946", "a statement is dropped",
     "source/test_node_types.py::test_a_node_type_is_lowered_or_refused_at_its_line "
     "source/test_conservation.py::test_wild_programs_are_read_or_refused_whole"),
    ("tilelang#2381", "the rest of a tile of k is lost", f"{VALUES}::test_every_rest_of_the_inner_extent"),
    ("tilelang#2433", "tiles are lost or met twice", f"{VALUES}::test_each_element_is_met_once"),
    ("tilelang#2955", "nested remainders are simplified wrongly",
     f"{KERNELS}::nested_remainders nest/analysis/test_prover.py::test_what_is_derived_follows"),
    ("tilelang#995, #2973, #2943", "integer division differs for negatives",
     f"{KERNELS}::division_pairs hip/math/test_integers.py::test_as_numpy"),
    ("tilelang#3008", "`//` and `%` of floats fail", "cases/floats.py::fmods"),
    ("tilelang#3024, #2697, #3270, #2882", "NaN is lost or kept against the rule",
     "plan/rows/test_rows.py::test_rows_of_infinities_and_nans_are_as_python_has_them "
     "plan/test_reduce.py::test_nothing_but_nans_stays_a_nan cases/floats.py::clamp"),
    ("tilelang#2638", "`x * 0` and `x - x` become 0", "cases/floats.py::idem"),
    ("tilelang#2998", "a start of a reduction does not compile",
     f"{VALUES}::test_every_reduction_of_every_dtype_compiles"),
    ("tilelang#2383", "a math function compiles and does not run",
     "hip/math/test_accuracy.py::test_one_argument hip/math/test_special_values.py::test_one_argument"),
    ("tilelang#2556, #2612", "a barrier is missing, or stands under a condition",
     f"{KERNELS}::blocks_of_odd_sizes prove/emulate/test_faults.py::test_a_removed_barrier_is_a_race "
     "prove/emulate/test_faults.py::test_a_divergent_barrier_is_found"),
    ("tilelang#2668", "a pipelined loop differs from a plain one",
     "plan/matmul/test_proofs.py::test_tiles_waves_and_stages"),
    ("tilelang#2912", "tiles over the budget fail at launch",
     "plan/test_budget.py::test_too_much_lds_is_refused_at_the_stages plan/test_marks.py::test_a_mark_is_honoured"),
    ("tilelang#2025", "what is printed is no HIP", "test_golden.py::test_golden_compiles_for_gfx942"),
    ("tilelang#1743", "the wrong kind of 8-bit float",
     "hip/math/test_small_floats.py::test_every_byte_to_float",
     "gfx942 alone is printed for; its 8-bit floats are FNUZ"),
    ("tilelang#968, #3010", "a size known at run time fails in some place",
     "acceptance/products.py::four_axes plan/matmul/test_proofs.py::test_extents_that_are_known"),
    ("tilelang#3017", "an output before the input that gives its size",
     f"{TEXTS}::test_parameters_in_any_order "
     "notation/test_kernel.py::test_an_output_may_define_a_dim_by_an_expression"),
    ("tilelang#1832, #1165", "a wrong rank is told in the compiler's words",
     "errors/TL330_wrong_number_of_indices.py source/test_catalogue.py::test_a_class_has_its_words"),
    ("tilelang#3019", "`assert` has no meaning",
     "hip/test_launcher.py::test_an_assert_of_the_user_and_the_workspace_are_checked "
     "errors/TL348_assertion_over_data.py"),
    ("tilelang#2633", "a negative size of a tile is taken",
     "cases/test_cases.py::test_sizes_and_tiles_that_are_set_have_their_range "
     "errors/TL202_mark_out_of_its_range.py"),
    ("tilelang#2560, #3027, #1115", "an index past 31 bits wraps, an i64 index is refused",
     f"{TEXTS}::test_offsets_are_of_64_bits prove/test_planted.py::test_an_offset_past_31_bits_and_one_that_wraps "
     "acceptance/llm.py::cross_entropy"),
    ("tilelang#1213", "nobody says what becomes of odd sizes",
     "test_golden.py::test_golden plan/test_elementwise.py::test_every_size_is_right",
     "a comment stands at each edge, and every size is right"),
    ("tilelang#2599", "a reduction over part of a wave", f"{VALUES}::test_rows_of_1_to_65"),
)  # fmt: skip

SERVING = _rows(
    "Triton on AMD, serving",
    ("ROCm/triton#944", "an array of 2**32 elements through 32-bit offsets",
     f"{TEXTS}::test_offsets_are_of_64_bits prove/emulate/test_faults.py::test_an_offset_that_wraps_at_32_bits"),
    ("triton#6748, flash-linear-attention#1080, sglang#20389", "a product of two run-time sizes wraps",
     f"{TEXTS}::test_offsets_are_of_64_bits"),
    ("triton#10635", "a tile of one row or column", f"{KERNELS}::tiles_of_one"),
    ("Liger-Kernel#231", "a block of more than 1024 threads",
     "plan/test_budget.py::test_too_many_threads_are_refused plan/test_marks.py::test_a_mark_is_honoured"),
    ("vllm#18093", "heads per key that are no power of two", f"{VALUES}::test_any_number_of_heads_shares_a_key"),
    ("vllm#302, aiter#759, vllm#53177", "only some sizes of heads work", f"{VALUES}::test_heads_of_any_size"),
    ("flash-attention#1579", "only pages of 128 work", f"{VALUES}::test_pages_of_any_size"),
    ("tritonBLAS#87", "stages do not count into LDS",
     "plan/test_budget.py::test_fewer_stages_are_the_way_out_where_no_tile_is "
     "errors/TL203_tiles_that_need_more_lds_than_there_is.py"),
    ("sglang#23609", "an empty input is a failed launch",
     "hip/test_launcher.py::test_negative_sizes_are_refused_and_empty_ones_accepted "
     "prove/emulate/test_faults.py::test_an_empty_call_runs_nothing"),
    ("aiter#4289, kernels-community#681", "a row of zeros has scale 0 and gives NaN",
     f"{VALUES}::test_a_group_of_zeros_has_a_scale_and_gives_zeros"),
    ("vllm#45681, uccl#804, DeepEP#17", "8-bit floats by the version of HIP",
     "hip/math/test_small_floats.py::test_every_half_from_float", "the conversion is printed, no macro decides"),
    ("LlamaFactory#8793", "speed is claimed that nobody measured", "cli/test_commands.py::test_inspect",
     "instructions are counted; no time is claimed"),
    ("aiter#2780, pytorch#91249", "a schema names the wrong arguments as changed", "",
     "there are no bindings; `const` in the launcher says what is only read"),
)  # fmt: skip

HIP = _rows(
    "HIP, hiprtc, HIPIFY",
    ("HIPIFY#78, #129", "a user's name is renamed by its text",
     f"{KERNELS}::clashes hip/test_names.py::test_a_file_of_clashing_names_compiles_and_says_so"),
    ("HIPIFY#274", "some forms of paths hang or fail", f"{TEXTS}::test_paths_of_any_form"),
    ("HIPIFY#1650", "a folder's files cannot be chosen",
     "cli/test_emit.py::test_files_of_a_folder_are_chosen_by_patterns "
     "cli/test_ignore.py::test_random_patterns_leave_out_what_git_leaves_out"),
    ("HeCBench#180, kokkos#9511", "lanes are counted to 32",
     f"{TEXTS}::test_no_lane_counts_to_32 "
     "prove/emulate/test_faults.py::test_lanes_of_one_wave_racing_is_a_warning"),
    ("ROCm/hip#2182, futhark#2480", "hipRTC finds no headers",
     "hip/test_print.py::test_what_only_the_launcher_calls_is_hidden_from_hiprtc "
     "hip/math/test_texts.py::test_gfx942_needs_no_call_no_scratch_and_no_outside_symbol"),
    ("iree#19206", "a wrong name of an architecture", "", "there is none to choose: gfx942 alone"),
    ("pytorch#45451", "an output becomes an input",
     "cli/test_emit.py::test_outputs_in_a_folder_are_no_inputs cli/test_emit.py::test_a_file_is_written"),
)  # fmt: skip

PYTHON = _rows(
    "Numba, Taichi, Pythran, Pyccel, Exo, CK",
    ("numba#8828, #2906", "a slow path is taken in words nobody knows",
     "cli/test_commands.py::test_every_page_is_printed cli/test_commands.py::test_explain_a_file",
     "there is no slow path: converted or refused"),
    ("numba#3681", "iterations store to one element",
     f"{KERNELS}::one_element_for_all errors/TL404_conflicting_stores.py"),
    ("numba#4922, #7344", "a reduction under a condition counts twice",
     "cases/reductions.py::many cases/reductions.py::condseed"),
    ("numba#9829, #8515", "a carried scalar in a parallel loop, loops merged across a dependence",
     "errors/TL401_carried_scalar.py "
     "nest/test_fuse.py::test_readers_of_other_turns_or_of_what_changes_do_not"),
    ("numba#5668", "the first page of the manual fails",
     "test_readme.py::test_each_kernel_converts_or_is_refused_as_shown "
     "rules/test_readme.py::test_every_block_runs"),
    ("numba#7888", "signed and unsigned become a float",
     f"{KERNELS}::mixed_signs nest/build/test_types.py::test_every_pair_of_dtypes_promotes_as_numpy_does"),
    ("numba#1394", "a loop variable that is bound anew", "cases/spellings.py::reassign"),
    ("taichi#2953, #524", "a loop is run in order and nobody says so",
     "cli/test_commands.py::test_explain_a_file test_golden.py::test_golden",
     "the head of each text lists where each loop went"),
    ("taichi#4494, #4479", "`continue` and `if` in some kinds of loops",
     "fuzz/test_fuzz.py::test_programs cases/jumps.py::two"),
    ("pythran#1102", "an error at another line",
     "errors/test_errors.py::test_a_file_is_refused_as_it_says source/test_places.py::test_on_random_programs"),
    ("pythran#1569", "a traceback in place of a message",
     "source/test_mutations.py::test_mutated_goldens dialects/tiles/test_mutated.py::test_mutated_kernels"),
    ("pythran#833", "the C++ compiler has to find the errors",
     "cases/test_cases.py::test_an_area_compiles_as_one_file fuzz/test_fuzz.py::test_programs"),
    ("pyccel#402, #403, #2003", "reserved words, temporaries that clash",
     "hip/test_names.py::test_names_that_can_stay_do_and_others_step_aside cases/spellings.py::names "
     "hip/test_print.py::test_the_same_bytes_under_every_hash_seed"),
    ("pyccel#2436, #2297", "negative bounds of slices",
     "cases/slices.py::sl_negb cases/slices.py::sl_trim "
     "nest/build/test_arrays.py::test_slices_clamp_as_pythons_do"),
    ("pyccel#1379", "an array made in a loop keeps what it had",
     "cases/programs.py::local_in_hostloop cases/programs.py::local_private_dyn"),
    ("lpython#1153, mypyc#1191", "negative steps run too far, a variable after its loop",
     "acceptance/constructs.py::steps cases/order.py::after"),
    ("exo#779", "`//` and `%` do not fit each other", f"{KERNELS}::division_pairs"),
    ("exo#758", "an instruction where it may not stand",
     "plan/matmul/test_found.py::test_what_matrix_cores_do_not_do_is_told_and_right"),
    ("composable_kernel#512, #527", "sizes that do not divide give wrong numbers",
     f"{VALUES}::test_every_rest_of_the_inner_extent "
     "plan/matmul/test_proofs.py::test_short_extents_take_the_general_kernel_and_are_proven"),
)  # fmt: skip

TOOLS = _rows(
    "LibCST, templates, golden files, pre-commit",
    ("LibCST#888, #399", "a rule sees what another one has changed",
     "rules/test_goldens.py::test_two_products_of_two_mm rule/test_check.py::test_tl2hips_own_rules_are_sound",
     "rules work on the nest, none on syntax"),
    ("LibCST#336", "what a rule keeps changes whether it fits",
     "rule/test_load.py::test_the_same_function_twice_must_be_the_same"),
    ("LibCST#740", "syntax of another Python is a crash",
     "source/test_read.py::test_syntax_errors_are_cpythons "
     "source/test_node_types.py::test_the_table_names_every_node_type_of_this_python"),
    ("LibCST#1293", "a syntax error a line off", "source/test_read.py::test_syntax_errors_are_cpythons"),
    ("Fixit#166", "files without a kernel cost as much",
     "source/test_read.py::test_a_file_without_kernels_never_reaches_libcst"),
    ("jinja#712, #74", "white space by templates", f"{TEXTS}::test_white_space_is_the_printers_own"),
    ("syrupy#19, #752, #963", "an update of some deletes others",
     f"{ROWS}::test_an_update_writes_what_differs_and_nothing_else test_golden.py::test_golden",
     "an update writes, and never deletes"),
    ("pytest-regressions#102", "an update leaves what passed",
     f"{ROWS}::test_an_update_writes_what_differs_and_nothing_else test_golden.py::test_golden",
     "what is written is told"),
    ("insta#492", "two runs write one file", "cli/test_emit.py::test_a_failed_write_leaves_nothing",
     "files are written whole, by a rename"),
    ("pytest-snapshot#31", "line ends differ",
     "source/test_read.py::test_line_ends_and_tabs_do_not_move_lines test_golden.py::test_golden"),
    ("userver#1024", "goldens change with a formatter", "", "no formatter is called"),
    ("pytato#286, coco-tools#43", "the order of a set shows",
     "hip/test_print.py::test_the_same_bytes_under_every_hash_seed "
     "cli/test_program.py::test_the_same_bytes_under_any_hash_seed"),
    ("pre-commit#3303, pre-commit-terraform#33", "runs side by side cut files short",
     "cli/test_emit.py::test_the_same_bytes_and_order_for_any_number_of_jobs "
     "cli/test_emit.py::test_a_failed_write_leaves_nothing", "there is no hook yet; `emit --check` can be one"),
)  # fmt: skip

PEERS: tuple[Row, ...] = (*TILELANG, *SERVING, *HIP, *PYTHON, *TOOLS)
