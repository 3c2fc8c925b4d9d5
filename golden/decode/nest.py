import numpy as np


def decode(q, keys, values, table, lengths, out):
    """A page has 16 tokens, of 2 heads each; 8 query heads share one of these."""
    B = q.shape[0]
    W = table.shape[1]
    for b in range(B):
        n = lengths[b]
        for h in range(16):
            # scores = np.empty(W * 16, dtype=np.float32)
            scores = np.empty((W * 16,), np.float32)
            # for j in range(n):
            for j in range(np.int64(n)):
                page = table[b, j // 16]
                # s = f32(0)
                s = np.float32(0.0)
                for d in range(128):
                    # s += f32(q[b, h, d]) * f32(keys[page, j % 16, h // 8, d])
                    s = s + np.float32(q[b, h, d]) * np.float32(keys[np.int64(page), j % 16, h // 8, d])
                # scores[j] = s * scale
                scores[j] = s * np.float32(0.0883883461356163)
            # most = f32(-math.inf)
            most = np.float32(-np.inf)
            # for j in range(n):
            for j in range(np.int64(n)):
                most = max(most, scores[j])
            # total = f32(0)
            total = np.float32(0.0)
            # for j in range(n):
            for j in range(np.int64(n)):
                # total += np.exp(scores[j] - most)
                total = total + np.exp(scores[j] - most)
            for d in range(128):
                # o = f32(0)
                o = np.float32(0.0)
                # for j in range(n):
                for j in range(np.int64(n)):
                    page = table[b, j // 16]
                    # o += np.exp(scores[j] - most) * f32(values[page, j % 16, h // 8, d])
                    o = o + np.exp(scores[j] - most) * np.float32(values[np.int64(page), j % 16, h // 8, d])
                # out[b, h, d] = f16(o / total)
                out[b, h, d] = np.float16(o / total)
