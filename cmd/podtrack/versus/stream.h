/* The random numbers of podtrack (pod/random.go): PCG-DXSM of Go's math/rand/v2,
 * seeded with the first 16 bytes, big-endian, of
 * SHA-256("podtrack/stream/1" ‖ CBOR[seed, iteration, "walk"]). */
#pragma once
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 Word;
typedef struct { Word state; } Stream;

#define WORD(hi, lo) ((Word)(hi) << 64 | (lo))

/* The fractional parts of the roots of primes, as FIPS 180-4 has them. */
static const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotate_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* SHA-256 of a message that fits into one block: at most 55 bytes. */
static inline void sha256_short(const uint8_t *message, int n, uint32_t h[8]) {
    uint32_t w[64], x[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t block[64] = {0};
    memcpy(block, message, n);
    block[n] = 0x80;
    block[62] = n * 8 >> 8, block[63] = n * 8 & 255;
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(h, x, sizeof x);
    for (int i = 0; i < 64; i++) {
        uint32_t a = x[0], e = x[4];
        uint32_t t = x[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) + ((e & x[5]) ^ (~e & x[6])) + sha256_k[i] + w[i];
        uint32_t u = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) + ((a & x[1]) ^ (a & x[2]) ^ (x[1] & x[2]));
        memmove(x + 1, x, 7 * sizeof *x);
        x[4] += t;
        x[0] = t + u;
    }
    for (int i = 0; i < 8; i++) h[i] += x[i];
}

/* CBOR's shortest form of a whole number. */
static inline uint8_t *cbor_number(uint8_t *p, uint32_t n) {
    uint32_t size = n < 24 ? 0 : n < 1 << 8 ? 1 : n < 1 << 16 ? 2 : 4;
    *p++ = size == 0 ? n : 24 + size / 2;
    while (size > 0) *p++ = n >> 8 * --size;
    return p;
}

static inline Stream new_stream(uint32_t seed, uint32_t iteration) {
    uint8_t message[55] = "podtrack/stream/1\x83", *p = message + 18;
    uint32_t h[8];
    p = cbor_number(cbor_number(p, seed), iteration);
    memcpy(p, "\x64walk", 5);
    sha256_short(message, p + 5 - message, h);
    return (Stream){WORD((uint64_t)h[0] << 32 | h[1], (uint64_t)h[2] << 32 | h[3])};
}

static inline uint64_t draw(Stream *s) {
    s->state = s->state * WORD(2549297995355413924u, 4865540595714422341u) + WORD(6364136223846793005u, 1442695040888963407u);
    uint64_t hi = s->state >> 64, lo = s->state;
    hi = (hi ^ hi >> 32) * 0xda942042e4dd58b5u;
    return (hi ^ hi >> 48) * (lo | 1);
}

/* Uniform in 0…n − 1, by Lemire's multiplication with rejection. */
static inline int below(Stream *s, uint64_t n) {
    Word x = (Word)draw(s) * n;
    while ((uint64_t)x < n && (uint64_t)x < -n % n) x = (Word)draw(s) * n;
    return x >> 64;
}
