# expect: TL223 at 8:16-8:20
import tl2hip as tl

def f(M, N, scale):
    x = tl.InputTensor("x", [M, N], "f32")
    y = tl.OutputTensor("y", [M], "f32")
    i, j = tl.TileLoop([M, N], [64, 64])
    y[i].store(scale * x[i, j].load())
    return tl.CompileKernel(f)
