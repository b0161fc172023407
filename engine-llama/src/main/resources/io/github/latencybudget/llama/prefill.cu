// What a prompt needs between the products of its rows, after primitives.cu: each of these passes over memory once. Rows lie one
// behind the other, in the type of the weights.
constexpr unsigned int ALL = 0xffffffffu;

#define KERNEL(name, threads) extern "C" __global__ void __launch_bounds__(threads) name

__device__ __forceinline__ uint4 pack(const float (&numbers)[PER_LOAD]) {
  uint4 load;
  Number* parts = (Number*)&load;
#pragma unroll
  for (int i = 0; i < PER_LOAD; i++) parts[i] = to_number(numbers[i]);
  return load;
}

// The RMS norm of a row for each block: [rows][HIDDEN].
KERNEL(norm_rows, NORM_THREADS)(const uint4* stream, const uint4* scale, uint4* normed) {
  constexpr int LOADS = HIDDEN / PER_LOAD;
  constexpr int EACH = (LOADS + NORM_THREADS - 1) / NORM_THREADS;
  __shared__ float squares_of_warps[NORM_THREADS / 32];
  const size_t row = (size_t)blockIdx.x * LOADS;
  uint4 loads[EACH];
  float squares = 0.f;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int i = threadIdx.x + e * NORM_THREADS;
    if (i < LOADS) {
      float x[PER_LOAD];
      loads[e] = stream[row + i];
      unpack(loads[e], x);
#pragma unroll
      for (int j = 0; j < PER_LOAD; j++) squares = fmaf(x[j], x[j], squares);
    }
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) squares += __shfl_xor_sync(ALL, squares, distance);
  if (threadIdx.x % 32 == 0) squares_of_warps[threadIdx.x / 32] = squares;
  __syncthreads();
  float all = 0.f;
#pragma unroll
  for (int w = 0; w < NORM_THREADS / 32; w++) all += squares_of_warps[w];
  const float factor = rsqrtf(all / HIDDEN + (float)EPSILON);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int i = threadIdx.x + e * NORM_THREADS;
    if (i < LOADS) {
      float x[PER_LOAD], by[PER_LOAD];
      unpack(loads[e], x);
      unpack(scale[i], by);
#pragma unroll
      for (int j = 0; j < PER_LOAD; j++) x[j] *= factor * by[j];
      normed[row + i] = pack(x);
    }
  }
}

// Turns the queries of a row for each block where they are, [rows][HEADS + 2 * KV_HEADS][HEAD_DIM], and brings its keys, turned, and
// its values to the cache, [place][2 * KV_HEADS][HEAD_DIM]; the first row is at the place start.
KERNEL(turn, TURN_THREADS)(uint4* qkv, const float* frequencies, uint4* cache, int start) {
  constexpr int HALF = HEAD_DIM / 2 / PER_LOAD;        // loads of half a head
  constexpr int TURNED = (HEADS + KV_HEADS) * HALF;
  constexpr int COPIED = KV_HEADS * 2 * HALF;
  __shared__ float cosines[HEAD_DIM / 2], sines[HEAD_DIM / 2];
  const int place = start + (int)blockIdx.x;
  uint4* row = qkv + (size_t)blockIdx.x * (HEADS + 2 * KV_HEADS) * 2 * HALF;
  uint4* entry = cache + (size_t)place * 2 * KV_HEADS * 2 * HALF;
  for (int i = threadIdx.x; i < HEAD_DIM / 2; i += TURN_THREADS) {
    const float angle = (float)place * frequencies[i];
    cosines[i] = cosf(angle);
    sines[i] = sinf(angle);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < TURNED + COPIED; i += TURN_THREADS) {
    if (i >= TURNED) {
      const int v = i - TURNED;
      entry[KV_HEADS * 2 * HALF + v] = row[(HEADS + KV_HEADS) * 2 * HALF + v];
      continue;
    }
    const int head = i / HALF, part = i % HALF;
    float a[PER_LOAD], b[PER_LOAD];
    uint4* from = row + head * 2 * HALF + part;
    unpack(from[0], a);
    unpack(from[HALF], b);
#pragma unroll
    for (int j = 0; j < PER_LOAD; j++) {
      const float cosine = cosines[part * PER_LOAD + j], sine = sines[part * PER_LOAD + j];
      const float turned = a[j] * cosine - b[j] * sine;
      b[j] = b[j] * cosine + a[j] * sine;
      a[j] = turned;
    }
    uint4* to = head < HEADS ? from : entry + (head - HEADS) * 2 * HALF + part;
    to[0] = pack(a);
    to[HALF] = pack(b);
  }
}

// The gate of every row, [rows][2][INTERMEDIATE], applied: [rows][INTERMEDIATE]. A block takes a part of a row.
KERNEL(gate, GATE_THREADS)(const uint4* gate_up, uint4* inner) {
  constexpr int LOADS = INTERMEDIATE / PER_LOAD;
  const int i = blockIdx.x * GATE_THREADS + threadIdx.x;
  if (i >= LOADS) return;
  float g[PER_LOAD], up[PER_LOAD];
  unpack(gate_up[(size_t)blockIdx.y * 2 * LOADS + i], g);
  unpack(gate_up[(size_t)blockIdx.y * 2 * LOADS + LOADS + i], up);
#pragma unroll
  for (int j = 0; j < PER_LOAD; j++) g[j] = g[j] / (1.f + expf(-g[j])) * up[j];
  inner[(size_t)blockIdx.y * LOADS + i] = pack(g);
}

#if WEIGHT == FP16
// Quantised weights as products take them, for each thread eight that lie together; eights: how many, group: how many eights share
// a scale.
template <class Weight>
__device__ __forceinline__ void dequantize(const unsigned short* scales, uint4* weights, int eights, int group, Weight weight) {
  const int i = blockIdx.x * DEQUANTIZE_THREADS + threadIdx.x;
  if (i >= eights) return;
  const float scale = halves(scales[i / group]).x;
  float numbers[PER_LOAD];
#pragma unroll
  for (int j = 0; j < PER_LOAD; j++) numbers[j] = weight(i, j) * scale;
  weights[i] = pack(numbers);
}

KERNEL(dequantize8, DEQUANTIZE_THREADS)(const uint2* packed, const unsigned short* scales, uint4* weights, int eights, int group) {
  dequantize(scales, weights, eights, group, [&](int i, int j) {
    return (int)((j < 4 ? packed[i].x : packed[i].y) >> 8 * (j % 4) & 255u) - 128;
  });
}

// the first of each pair of weights is in the lower half of the word
KERNEL(dequantize4, DEQUANTIZE_THREADS)(const unsigned int* packed, const unsigned short* scales, uint4* weights, int eights, int group) {
  dequantize(scales, weights, eights, group, [&](int i, int j) {
    return (int)(packed[i] >> 4 * (j / 2 + 4 * (j % 2)) & 15u) - 8;
  });
}
#endif
