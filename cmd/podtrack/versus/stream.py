"""The random numbers of podtrack (pod/random.go) in bulk: PCG-DXSM of Go's
math/rand/v2, seeded with the first 16 bytes, big-endian, of
SHA-256("podtrack/stream/1" ‖ CBOR[seed, iteration, use])."""
import hashlib

import numpy as np

MULTIPLIER, INCREMENT = 0x2360ED051FC65DA44385DF649FCCF645, 0x5851F42D4C957F2D14057B7EF767814F
CHEAP = np.uint64(0xDA942042E4DD58B5)
BULK = 1024  # draws at a time
WORD, HALF, LOW = 1 << 64, np.uint64(32), np.uint64(0xFFFFFFFF)


def halves(numbers):
    """The high and the low 64 bits."""
    return (np.array([n >> 64 for n in numbers], dtype=np.uint64), np.array([n % WORD for n in numbers], dtype=np.uint64))


def powers():
    """State i + 1 is A[i] × state 0 + C[i], modulo 2^128, for i in 0…BULK − 1."""
    a, c, pairs = 1, 0, []
    for _ in range(BULK):
        a, c = a * MULTIPLIER % WORD**2, (c * MULTIPLIER + INCREMENT) % WORD**2
        pairs.append((a, c))
    return [halves(numbers) for numbers in zip(*pairs)]


(A_HIGH, A_LOW), (C_HIGH, C_LOW) = powers()
A_LOW_HALVES = A_LOW >> HALF, A_LOW & LOW


def bulk(state):
    """The next BULK draws and the state behind them."""
    high, low = np.uint64(state >> 64), np.uint64(state % WORD)
    a1, a0 = A_LOW_HALVES
    b1, b0 = low >> HALF, low & LOW
    middle = a1 * b0 + (a0 * b0 >> HALF)
    carried = (middle & LOW) + a0 * b1
    h = a1 * b1 + (middle >> HALF) + (carried >> HALF) + A_HIGH * low + A_LOW * high
    l = A_LOW * low + C_LOW
    h += C_HIGH + (l < C_LOW)
    end = int(h[-1]) << 64 | int(l[-1])
    h = (h ^ h >> HALF) * CHEAP
    return ((h ^ h >> np.uint64(48)) * (l | np.uint64(1))).tolist(), end


def cbor(n):
    """CBOR's shortest form of a whole number."""
    size = 0 if n < 24 else 1 if n < 1 << 8 else 2 if n < 1 << 16 else 4 if n < 1 << 32 else 8
    return bytes([n]) if size == 0 else bytes([23 + size.bit_length()]) + n.to_bytes(size, "big")


def podtrack(seed, iteration, use=b"walk"):
    """A function that draws from 0…n − 1 by Lemire's multiplication with rejection; use has up to 23 letters."""
    name = bytes([0x60 + len(use)]) + use
    digest = hashlib.sha256(b"podtrack/stream/1\x83" + cbor(seed) + cbor(iteration) + name).digest()
    draws, state = bulk(int.from_bytes(digest[:16], "big"))
    left = iter(draws)

    def below(n):
        nonlocal left, state
        while True:
            for x in left:
                if (x * n) % WORD >= n or (x * n) % WORD >= WORD % n:
                    return x * n >> 64
            draws, state = bulk(state)
            left = iter(draws)

    return below


def numpy(seed, iteration):
    """The same from numpy's own generator: uniform floats in bulk."""
    generator = np.random.default_rng([seed, iteration])
    left = iter(())

    def below(n):
        nonlocal left
        for x in left:
            return int(x * n)
        left = iter(generator.random(BULK).tolist())
        return below(n)

    return below
