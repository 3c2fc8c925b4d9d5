import numpy as np


def attention_running(Q, K, V, out, scale):
    """out = softmax(scale * Q @ K.T) @ V for each head; what is summed so far follows the largest score."""
    H = Q.shape[0]
    S = Q.shape[1]
    T = K.shape[1]
    for h in range(H):
        for i in range(S):
            # acc = np.zeros(128, dtype=np.float32)
            acc = np.empty((128,), np.float32)
            for e in range(128):
                acc[e] = np.float32(0.0)
            # total = f32(0)
            total = np.float32(0.0)
            # m = f32(-math.inf)
            m = np.float32(-np.inf)
            for j in range(T):
                # s = f32(0)
                s = np.float32(0.0)
                for d in range(128):
                    # s += f32(Q[h, i, d]) * f32(K[h, j, d])
                    s = s + np.float32(Q[h, i, d]) * np.float32(K[h, j, d])
                new = max(m, s * scale)
                p = np.exp(s * scale - new)
                before = np.exp(m - new)
                total = total * before + p
                for d in range(128):
                    # acc[d] = acc[d] * before + f32(f16(p)) * f32(V[h, j, d])
                    acc[d] = acc[d] * before + np.float32(np.float16(p)) * np.float32(V[h, j, d])
                m = new
            for d in range(128):
                # out[h, i, d] = f16(acc[d] / total)
                out[h, i, d] = np.float16(acc[d] / total)
