import numpy as np


def gemm_bias_gelu(X, W, bias, Y):
    """Y = gelu(X @ W.T + bias), GELU by its tanh form."""
    T = X.shape[0]
    D = X.shape[1]
    H = W.shape[0]
    for t in range(T):  # tile: 128, waves(2)
        for h in range(H):  # tile: 128, waves(2)
            # s = f32(0)
            s = np.float32(0.0)
            for d in range(D):  # tile: 64
                # s += f32(X[t, d]) * f32(W[h, d])
                s = s + np.float32(X[t, d]) * np.float32(W[h, d])
            x = s + bias[h]
            # inner = f32(0.7978846) * (x + f32(0.044715) * x * x * x)
            inner = np.float32(0.7978845834732056) * (x + np.float32(0.044714998453855515) * x * x * x)
            # Y[t, h] = f16(f32(0.5) * x * (1 + math.tanh(inner)))
            Y[t, h] = np.float16(np.float32(0.5) * x * (np.float32(1.0) + np.tanh(inner)))
