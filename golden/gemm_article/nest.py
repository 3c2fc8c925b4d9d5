import numpy as np


def matmul_kernel(A, B, C):
    # i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
    for i in range(1024):  # tile: 64
        # i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
        for j in range(1024):  # tile: 64
            # c_tile = tl.dot(a_tile, b_tile)
            c_tile = np.float32(0.0)
            # i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
            for k in range(1024):  # tile: 32, stages(2)
                # c_tile = tl.dot(a_tile, b_tile)
                c_tile = c_tile + np.float32(A[i, k]) * np.float32(B[k, j])
            # C[i, j].store(c_tile)
            C[i, j] = c_tile
