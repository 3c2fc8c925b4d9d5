"""A user's name was also the name of an index of the hardware in the printed text."""

PROGRAM = """
@kernel
def names_of_hardware_indices(thread_x: Tensor[i32, M], B: Tensor[f32, M, N], C: Tensor[f32, M]) -> None:
    for block_x in range(M):
        blocks_x = f32(0)
        for thread_y in range(N):
            blocks_x += B[thread_x[block_x] % max(M, 1), thread_y]
        C[block_x] = blocks_x
"""
CASES = (({"M": 5, "N": 65}, "integers"), ({"M": 64, "N": 3}, "normal"))
