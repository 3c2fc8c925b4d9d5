"""Section 1: kernels that people write, by the public name they are known under."""

from __future__ import annotations

from tests.acceptance.row import Row, Wanted


def _row(
    area: str,
    name: str,
    wanted: Wanted,
    shown: str,
    code: str = "",
    instead: str = "",
    note: str = "",
    open: str = "",
) -> Row:
    """A row of this section; a kernel without a file stands in the file of its area."""
    file = {
        "Dense linear algebra": "dense",
        "Products of matrices": "products",
        "Language models": "llm",
        "Serving language models": "serving",
        "Stencils, convolution, pooling": "stencils",
        "Reductions, scans, histograms": "reductions",
        "Sparse, particles, graphs, sorting": "irregular",
        "Iterating, bits, elementwise": "elementwise",
    }[area]

    def whole(one: str) -> str:
        return one if not one or "/" in one else f"tests/acceptance/{file}.py::{one}"

    return Row(1, area, name, wanted, tuple(map(whole, shown.split())), code, whole(instead), note, open)


def _dense() -> list[Row]:
    area = "Dense linear algebra"
    return [
        _row(area, "polybench gemm", "core", "gemm"),
        _row(area, "polybench gemm, sizes on `self`", "refuse", "Blas.scale", "TL110", "scale",
             note="a method is no kernel; the size is that of an array"),
        _row(area, "polybench 2mm, 3mm", "core", "golden/two_mm/kernel.py::two_mm three_mm"),
        _row(area, "polybench syrk", "core", "golden/syrk/kernel.py::syrk"),
        _row(area, "polybench syr2k", "core", "syr2k"),
        _row(area, "polybench trmm", "second", "trmm", note="in order along i inside a thread"),
        _row(area, "polybench symm", "refuse", "symm symm_gathered", note="in order along i inside a thread"),
        _row(area, "polybench gemver", "core", "gemver"),
        _row(area, "polybench gesummv", "core", "gesummv"),
        _row(area, "polybench atax", "second", "atax"),
        _row(area, "polybench bicg", "second", "bicg"),
        _row(area, "polybench mvt", "core", "mvt"),
        _row(area, "polybench doitgen", "second", "doitgen tests/cases/programs.py::doitgen"),
        _row(area, "polybench covariance", "second", "covariance"),
        _row(area, "polybench correlation", "second", "correlation"),
        _row(area, "polybench gramschmidt", "second", "gramschmidt"),
        _row(area, "polybench cholesky", "refuse", "cholesky", "TL402", "cholesky_by_columns"),
        _row(area, "polybench lu", "refuse", "lu", "TL402", "lu_outwards"),
        _row(area, "polybench ludcmp", "refuse", "ludcmp"),
        _row(area, "polybench trisolv", "refuse", "trisolv", "TL402", "trisolv_by_columns"),
        _row(area, "polybench durbin", "refuse", "durbin", note="the recurrence runs in the launcher"),
    ]  # fmt: skip


def _products() -> list[Row]:
    area = "Products of matrices"
    return [
        _row(area, "pythran matrix_multiply, lists", "refuse", "matrix_multiply", "TL341", "matrix_multiply_array",
             note="lists are not built; as arrays it converts"),
        _row(area, "llama2.py matmul, flat", "core", "flat_matvec tests/kernels/flat_gemv.py::flat_gemv"),
        _row(area, "pythran, dpbench pairwise", "core", "tests/kernels/pairwise.py::pairwise"),
        _row(area, "KernelBench: square", "core", "square"),
        _row(area, "KernelBench: batched", "core", "batched"),
        _row(area, "KernelBench: tall and skinny", "core", "tall_skinny"),
        _row(area, "KernelBench: diagonal", "core", "diagonal"),
        _row(area, "KernelBench: triangular", "core", "upper_triangular lower_triangular"),
        _row(area, "KernelBench: transposed", "core", "transposed_both"),
        _row(area, "KernelBench: four axes", "core", "four_axes"),
        _row(area, "helion bmm", "core", "bmm_tiles"),
        _row(area, "helion broadcast matmul", "core", "broadcast_matmul"),
        _row(area, "helion split-K", "core", "split_k"),
        _row(area, "exo sgemm", "core", "sgemm"),
    ]  # fmt: skip


def _language_models() -> list[Row]:
    area = "Language models"
    return [
        _row(area, "llama2.py rmsnorm", "core", "rmsnorm tests/kernels/rmsnorm.py::rmsnorm"),
        _row(area, "llama2.py softmax", "core", "softmax golden/softmax/kernel.py::softmax"),
        _row(area, "llama2.py accum", "core", "accum"),
        _row(area, "llama2.py RoPE", "core", "rope tests/kernels/rope.py::rope"),
        _row(area, "llama2.py transformer", "refuse", "transformer_step", "TL127", "transformer_parts"),
        _row(area, "llama2.py argmax", "second", "argmax tests/kernels/argmax.py::argmax"),
        _row(area, "tilelang rms_norm, split-K too", "core", "rms_norm_tiles rms_norm_split"),
        _row(area, "tilelang gemv", "core", "gemv gemv_split golden/gemv/kernel.py::gemv"),
        _row(area, "tilelang quickstart", "core", "matmul_relu"),
        _row(area, "tilelang flash attention", "core", "flash_causal"),
        _row(area, "tilelang online softmax", "core", "online_softmax"),
        _row(area, "tilelang dynamic shapes", "core", "golden/gemm/kernel.py::gemm"),
        _row(area, "helion, Liger cross-entropy", "core", "cross_entropy"),
        _row(area, "helion embedding", "core", "tests/kernels/embedding_gather.py::embedding_gather"),
        _row(area, "helion layer_norm", "core", "layer_norm golden/layernorm/kernel.py::layernorm"),
        _row(area, "Welford's variance", "second", "welford"),
        _row(area, "helion swiglu, geglu", "core", "geglu tests/kernels/swiglu.py::swiglu"),
        _row(area, "Liger fused linear cross-entropy", "refuse", "fused_linear_cross_entropy",
             note="the chunks run in the launcher"),
    ]  # fmt: skip


def _serving() -> list[Row]:
    area = "Serving language models"
    return [
        _row(area, "llama2.py decode attention", "core", "decode_attention"),
        _row(area, "llama2.py sample", "refuse", "sample", "TL407", "sample_rows"),
        _row(area, "vllm paged decode", "core", "paged_decode tests/kernels/paged_gather.py::paged_gather"),
        _row(area, "aiter MoE align, lists", "refuse", "moe_align_lists", "TL131", "moe_place",
             note="count, running starts and scatter are three kernels"),
        _row(area, "aiter MoE align, arrays", "second", "moe_count moe_start moe_place"),
        _row(area, "helion MoE, tilelang grouped gemm", "second", "moe_grouped_gemm"),
        _row(area, "tilelang cast to fp8", "core", "cast_fp8"),
        _row(area, "tilelang topk selector", "refuse", "topk_radix", "TL407", "topk_mask"),
        _row(area, "tilelang GQA decode, split too", "core", "gqa_decode gqa_decode_merge"),
        _row(area, "tilelang gemm_fp8", "second", "gemm_fp8 golden/gemm_fp8/kernel.py::gemm_fp8"),
        _row(area, "tilelang, helion int4 gemm", "second", "gemm_int4"),
        _row(area, "tilelang fp4 dequantisation", "second", "dequant_fp4_computed"),
        _row(area, "the same by a table of numbers", "second", "dequant_fp4"),
    ]  # fmt: skip


def _stencils() -> list[Row]:
    area = "Stencils, convolution, pooling"
    return [
        _row(area, "polybench jacobi_1d", "core", "jacobi_1d"),
        _row(area, "polybench jacobi_2d", "core", "jacobi_2d_slices golden/jacobi_time/kernel.py::jacobi_time"),
        _row(area, "polybench heat_3d", "core", "heat_3d"),
        _row(area, "polybench fdtd_2d", "core", "fdtd_2d"),
        _row(area, "polybench seidel_2d", "refuse", "seidel_2d", "TL404", "red_black"),
        _row(area, "polybench adi", "second", "adi"),
        _row(area, "pythran diffusion", "core", "diffusion"),
        _row(area, "pythran deuxd_convolution", "core", "deuxd_convolution deuxd_convolution_two"),
        _row(area, "pythran sobelfilter", "second", "sobel"),
        _row(area, "pyccel laplace", "second", "laplace_slices golden/laplace/kernel.py::laplace"),
        _row(area, "pyccel convection", "second", "convection"),
        _row(area, "npbench cavity_flow, pressure", "second", "pressure_poisson"),
        _row(area, "exo blur, unsharp", "second", "blur unsharp"),
        _row(area, "game of life, gathered", "second", "life"),
        _row(area, "game of life, scattered", "refuse", "life_scatter", note="counts are atomic"),
        _row(area, "npbench lenet: convolution", "core", "conv2d_lenet"),
        _row(area, "npbench lenet: max-pool", "core", "maxpool_lenet tests/kernels/max_pool.py::max_pool"),
        _row(area, "KernelBench: pools", "core", "maxpool_padded avgpool_1d"),
        _row(area, "KernelBench: convolutions", "core",
             "conv2d_strided conv2d_depthwise tests/kernels/conv2d.py::conv2d"),
        _row(area, "KernelBench: grouped, transposed", "second", "conv2d_grouped conv_transposed"),
    ]  # fmt: skip


def _reductions() -> list[Row]:
    area = "Reductions, scans, histograms"
    return [
        _row(area, "npbench go_fast", "core", "go_fast"),
        _row(area, "pythran sumarray3d, nested function", "refuse", "sumarray3d_nested", "TL114", "sumarray3d",
             note="beside the kernel the function is inlined"),
        _row(area, "npbench azimint_hist", "second", "azimint_hist", note="sums and counts are atomic"),
        _row(area, "npbench azimint_naive", "core", "azimint_mean"),
        _row(area, "pythran histogram, array", "second", "histogram golden/histogram/kernel.py::histogram"),
        _row(area, "pythran histogram, list", "refuse", "histogram_list", "TL340", "histogram"),
        _row(area, "cumulative sums of rows", "second",
             "cumsum cumsum_exclusive cumsum_reverse cumsum_masked cumprod"),
        _row(area, "cumulative sum of one array", "second", "cumsum_line"),
        _row(area, "np.cumsum", "second", "reverse_cumsum_numpy"),
    ]  # fmt: skip


def _irregular() -> list[Row]:
    area = "Sparse, particles, graphs, sorting"
    return [
        _row(area, "npbench spmv", "core", "spmv golden/spmv/kernel.py::spmv"),
        _row(area, "numba n-body", "core", "nbody"),
        _row(area, "polybench floyd_warshall, in place", "refuse", "floyd_warshall", "TL402", "floyd_warshall_two",
             note="row and column k are read while they are written"),
        _row(area, "polybench floyd_warshall, two arrays", "second", "floyd_warshall_two"),
        _row(area, "polybench nussinov", "refuse", "nussinov", "TL402", "nussinov_diagonals"),
        _row(area, "pyccel bellman_ford", "refuse", "bellman_ford", "TL402", "bellman_ford_two"),
        _row(area, "pyccel dijkstra", "refuse", "dijkstra", note="the launcher asks for the nearest point"),
        _row(area, "pythran bubble sort", "refuse", "bubble_sort", "TL404", "odd_even_sort"),
        _row(area, "pythran insertion sort", "refuse", "insertion_sort", "TL404", "insertion_sort_rows"),
        _row(area, "pythran quick sort", "refuse", "quick_sort", "TL115", "rank_sort"),
        _row(area, "dpbench dbscan", "refuse", "dbscan", "TL340", "clusters"),
        _row(area, "dpbench knn", "refuse", "knn", note="the insertion runs inside each thread"),
        _row(area, "pythran queens", "refuse", "queens", "TL115", note="a count by recursion"),
        _row(area, "pythran permutations", "refuse", "permutations", "TL123", note="a generator has no results"),
    ]  # fmt: skip


def _elementwise() -> list[Row]:
    area = "Iterating, bits, elementwise"
    return [
        _row(area, "pythran mandelbrot", "second", "mandelbrot golden/mandelbrot/kernel.py::mandelbrot"),
        _row(area, "pythran julia", "second", "julia"),
        _row(area, "npbench mandelbrot2", "refuse", "mandelbrot_shrinking", "TL331", "mandelbrot_masked"),
        _row(area, "npbench crc16", "refuse", "crc16", "TL401", "crc16_rows"),
        _row(area, "pythran rc4", "refuse", "rc4", "TL401", "rc4_streams"),
        _row(area, "dpbench Black-Scholes", "core", "black_scholes tests/kernels/black_scholes.py::black_scholes"),
        _row(area, "pyccel arrays: negative constants", "core", "negative_constants"),
        _row(area, "pyccel arrays: unknown sign", "second", "negative_unknown", note="wrapped as Python does"),
    ]  # fmt: skip


KERNELS: tuple[Row, ...] = (
    *_dense(),
    *_products(),
    *_language_models(),
    *_serving(),
    *_stencils(),
    *_reductions(),
    *_irregular(),
    *_elementwise(),
)
