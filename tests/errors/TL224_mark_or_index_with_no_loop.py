# expect: TL224 at 8:10-8:21
import tl2hip as tl

def f(M, N):
    x = tl.InputTensor("x", [M, N], "f32")
    y = tl.OutputTensor("y", [M], "f32")
    i, j = tl.TileLoop([M, N], [64, 64])
    with tl.Unroll(4):
        t = x[i, j].load()
    y[i].store(t)
    return tl.CompileKernel(f)
