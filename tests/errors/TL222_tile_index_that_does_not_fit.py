# expect: TL222 at 8:16-8:19
import tl2hip as tl

def f(M, N):
    x = tl.InputTensor("x", [M, N], "f32")
    y = tl.OutputTensor("y", [M], "f32")
    i, j = tl.TileLoop([M, N], [64, 64])
    y[i].store(x[i].load())
    return tl.CompileKernel(f)
