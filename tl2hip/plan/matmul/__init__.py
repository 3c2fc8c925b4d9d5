"""Matrix products on matrix cores: global memory → registers → LDS → fragments → MFMA → epilogue.

`matmul` is the plan of a product. The steps, in the order of the files: `find` what the nest says, its `sums` and
the `blocks` that are scaled, cut it into a `tile` by its `cost`, `fill` LDS, the statements of one `side` and of
`scaling`, the `loop` over the sum, the `epilogue`, the whole `kernel`, which `anywhere` turns into one for factors
at any address. Its sum may be `split` over blocks; where sizes are not known, the launcher chooses among
`variants`, which suit different `sizes`.
"""

from tl2hip.plan.matmul.launch import matmul

__all__ = ["matmul"]
