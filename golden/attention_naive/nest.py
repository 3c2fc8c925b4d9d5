import numpy as np


def attention_naive(Q, K, V, out, scale):
    """out = softmax(scale * Q @ K.T) @ V for each head."""
    H = Q.shape[0]
    S = Q.shape[1]
    T = K.shape[1]
    # P = np.empty((H, S, T), dtype=np.float32)
    P = np.empty((H, S, T), np.float32)
    for h in range(H):
        for i in range(S):
            for j in range(T):
                # s = f32(0)
                s = np.float32(0.0)
                for d in range(128):
                    # s += f32(Q[h, i, d]) * f32(K[h, j, d])
                    s = s + np.float32(Q[h, i, d]) * np.float32(K[h, j, d])
                P[h, i, j] = s * scale
            # m = f32(-math.inf)
            m = np.float32(-np.inf)
            for j in range(T):
                # if P[h, i, j] > m:
                m = max(m, P[h, i, j])
            # total = f32(0)
            total = np.float32(0.0)
            for j in range(T):
                # total += np.exp(P[h, i, j] - m)
                total = total + np.exp(P[h, i, j] - m)
            for d in range(128):
                # o = f32(0)
                o = np.float32(0.0)
                for j in range(T):
                    # o += f32(f16(np.exp(P[h, i, j] - m))) * f32(V[h, j, d])
                    o = o + np.float32(np.float16(np.exp(P[h, i, j] - m))) * np.float32(V[h, j, d])
                # out[h, i, d] = f16(o / total)
                out[h, i, d] = np.float16(o / total)
