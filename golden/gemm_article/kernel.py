import tl2hip as tl


def matmul_kernel(M, N, K, block_m, block_n, block_k):
    A = tl.InputTensor("A", [M, K], "float16")
    B = tl.InputTensor("B", [K, N], "float16")
    C = tl.OutputTensor("C", [M, N], "float32")
    i, j, k = tl.TileLoop([M, N, K], [block_m, block_n, block_k])
    a_tile = A[i, k].load_shared()
    b_tile = B[k, j].load_shared()
    with tl.PipelineStage(stage=2):
        c_tile = tl.dot(a_tile, b_tile)
    C[i, j].store(c_tile)
    return tl.CompileKernel(matmul_kernel)

kernel = matmul_kernel(M=1024, N=1024, K=1024, block_m=64, block_n=64, block_k=32)
print(kernel.emit_hip())
