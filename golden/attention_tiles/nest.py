import numpy as np


def attention_tiles(Q, K, V, out, scale):
    """out = softmax(scale * Q @ K.T) @ V for each head; maximum, total and output go from tile to tile."""
    H = Q.shape[0]
    S = Q.shape[1]
    T = K.shape[1]
    for h in range(H):
        # for i in tile.range(S, 64):
        for i in range(S):  # tile: 64
            # acc = tile.zeros(i, d, dtype=f32)
            acc_tile = np.empty((128,), np.float32)
            # d = tile.all(128)
            for d in range(128):
                # acc = tile.zeros(i, d, dtype=f32)
                acc_tile[d] = np.float32(0.0)
            # total = tile.zeros(i, dtype=f32)
            total = np.float32(0.0)
            # m = tile.full(i, value=-math.inf, dtype=f32)
            m = np.float32(-np.inf)
            # for j in tile.range(T, 32):
            for j_tile in range(0, T, 32):
                # s = tile.dot(Q[h, i, d], K[h, j, d]) * scale
                s_tile = np.empty((32,), np.float32)
                # for j in tile.range(T, 32):
                for j in range(j_tile, min(j_tile + 32, T)):
                    # s = tile.dot(Q[h, i, d], K[h, j, d]) * scale
                    total_2 = np.float32(0.0)
                    # d = tile.all(128)
                    for d in range(128):
                        # s = tile.dot(Q[h, i, d], K[h, j, d]) * scale
                        total_2 = total_2 + np.float32(Q[h, i, d]) * np.float32(K[h, j, d])
                    # s = tile.dot(Q[h, i, d], K[h, j, d]) * scale
                    s_tile[j - j_tile] = total_2 * scale
                # new = np.maximum(m, s.max(axis=1))
                largest = np.float32(-np.inf)
                # for j in tile.range(T, 32):
                for j in range(j_tile, min(j_tile + 32, T)):
                    # new = np.maximum(m, s.max(axis=1))
                    largest = np.maximum(largest, s_tile[j - j_tile])
                # new = np.maximum(m, s.max(axis=1))
                new = np.maximum(m, largest)
                before = np.exp(m - new)
                # total = total * before + p.sum(axis=1)
                total_3 = np.float32(0.0)
                # for j in tile.range(T, 32):
                for j in range(j_tile, min(j_tile + 32, T)):
                    # total = total * before + p.sum(axis=1)
                    total_3 = total_3 + np.exp(s_tile[j - j_tile] - new)
                # total = total * before + p.sum(axis=1)
                total = total * before + total_3
                # d = tile.all(128)
                for d in range(128):
                    # acc = acc * before + tile.dot(f16(p), V[h, j, d])
                    total_4 = np.float32(0.0)
                    # for j in tile.range(T, 32):
                    for j in range(j_tile, min(j_tile + 32, T)):
                        # acc = acc * before + tile.dot(f16(p), V[h, j, d])
                        total_4 = total_4 + np.float32(np.float16(np.exp(s_tile[j - j_tile] - new))) * np.float32(V[h, j, d])
                    # acc = acc * before + tile.dot(f16(p), V[h, j, d])
                    acc_tile[d] = acc_tile[d] * before + total_4
                m = new
            # d = tile.all(128)
            for d in range(128):
                # out[h, i, d] = f16(acc / total)
                out[h, i, d] = np.float16(acc_tile[d] / total)
