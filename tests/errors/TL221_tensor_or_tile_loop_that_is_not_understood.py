# expect: TL221 at 5:29-5:29
import tl2hip as tl

def f(M, N):
    x = tl.InputTensor("x", M, "f32")
    y = tl.OutputTensor("y", [M], "f32")
    i, j = tl.TileLoop([M, N], [64, 64])
    y[i].store(x[i, j].load())
    return tl.CompileKernel(f)
