// The products of a step for several sequences, or with quantised weights, after decode.cu: on tensor cores, by
// mma.sync.m16n8k16, sums in float. A column is a slot; what a matrix is multiplied with is [column][K] in the type of weights.
//
// An instruction multiplies 16 rows, thirty-two bits of two rows in each lane, with 8 columns. Which numbers of a row it takes as
// its 16 is free as long as both sides agree. So a lane takes what one load of 16 bytes gives it: lane 4 * g + t has the rows of
// pair g and the column g.

constexpr int COLUMN_TILES = SLOTS / 8;

// How a block works on a product: its warps share rows and split the columns of the matrix.
template <int WARPS_, int ROW_TILES_, int DEPTH_>
struct Tile {
  static constexpr int WARPS = WARPS_;          // of a block
  static constexpr int ROW_TILES = ROW_TILES_;  // tiles of 16 rows, that is 8 pairs, at a time
  static constexpr int DEPTH = DEPTH_;          // steps whose weights are in shared memory, all but one on their way
  static constexpr int THREADS = WARPS_ * 32;
};

// In how many steps a block makes the loads of its rows, and how many loads of x meet them in a column.
template <class TILE, int BITS, int K>
struct Steps {
  static constexpr int PACK = 128 / BITS;       // weights of a load
  static constexpr int CHUNKS = PACK / 8;       // loads of x that meet it
  static constexpr int STEPS = (K / PACK + 4 * TILE::WARPS - 1) / (4 * TILE::WARPS);
  static constexpr int LOADS = STEPS * CHUNKS;  // of a lane of x, in a column
  // whether x stays in registers
  static constexpr bool HELD = COLUMN_TILES * LOADS * 4 <= X_REGISTERS;
  // whether there is room for it in float too, so that a product makes the norm before it, while weights are on their way
  static constexpr bool NORMALIZES = COLUMN_TILES == 1 && LOADS * 8 <= X_REGISTERS;
};

// This lane's part of x of column lane / 4: the residual over its root mean square, times the scale of the norm.
template <class TILE, int BITS, int K>
__device__ __forceinline__ void normalized(
    const float* residual, const Number* norm, int columns, uint4 (&x)[Steps<TILE, BITS, K>::LOADS]) {
  typedef Steps<TILE, BITS, K> S;
  __shared__ float squares_of_warps[TILE::WARPS][8];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, column = lane / 4;
  auto place = [&](int i) { return ((i / S::CHUNKS * TILE::WARPS + warp) * 4 + lane % 4) * S::PACK + i % S::CHUNKS * 8; };
  float4 fours[2 * S::LOADS];
  float squares = 0.f;
#pragma unroll
  for (int i = 0; i < S::LOADS; i++) {
    const bool there = column < columns && place(i) < K;
    const float4* from = (const float4*)(residual + (size_t)column * K + place(i));
    fours[2 * i] = there ? load_fresh(from) : make_float4(0.f, 0.f, 0.f, 0.f);
    fours[2 * i + 1] = there ? load_fresh(from + 1) : make_float4(0.f, 0.f, 0.f, 0.f);
  }
#pragma unroll
  for (int i = 0; i < 2 * S::LOADS; i++) {
    squares += fours[i].x * fours[i].x + fours[i].y * fours[i].y + fours[i].z * fours[i].z + fours[i].w * fours[i].w;
  }
  squares += __shfl_xor_sync(ALL, squares, 1);
  squares += __shfl_xor_sync(ALL, squares, 2);
  if (lane % 4 == 0) squares_of_warps[warp][column] = squares;
  __syncthreads();
  squares = 0.f;
#pragma unroll
  for (int w = 0; w < TILE::WARPS; w++) squares += squares_of_warps[w][column];
  const float factor = rsqrtf(squares / K + (float)EPSILON);
#pragma unroll
  for (int i = 0; i < S::LOADS; i++) {
    float scale[8];
    unpack(*(const uint4*)(norm + (place(i) < K ? place(i) : 0)), scale);
    const float four[8] = {fours[2 * i].x,     fours[2 * i].y,     fours[2 * i].z,     fours[2 * i].w,
                           fours[2 * i + 1].x, fours[2 * i + 1].y, fours[2 * i + 1].z, fours[2 * i + 1].w};
    auto two = [&](int j) { return two_numbers(four[j] * factor * scale[j], four[j + 1] * factor * scale[j + 1]); };
    x[i] = make_uint4(two(0), two(2), two(4), two(6));
  }
}

// Rows of K weights of BITS times all columns of x, in pairs as in decode.cu. finish(pair, column, a, b) gets both products. With
// a norm, x is what the norm makes of the residual, if there is room, and has to be that already if not.
template <class TILE, int BITS, int K, int PAIRS, bool NORM, class Row, class Finish>
__device__ __forceinline__ void product(
    const Work& work, const Number* matrix, const Number* norm, const Number* scales, const Activation* x, Row row, Finish finish) {
  typedef Steps<TILE, BITS, K> S;
  constexpr int WARPS = TILE::WARPS, THREADS = TILE::THREADS, DEPTH = TILE::DEPTH, ROW_TILES = TILE::ROW_TILES;
  constexpr int PACK = S::PACK, CHUNKS = S::CHUNKS, STEPS = S::STEPS;
  constexpr int VECTORS = K / PACK;                                        // loads of a row
  constexpr bool HELD = S::HELD;
  constexpr int LOADS = 2 * ROW_TILES + (HELD ? 0 : COLUMN_TILES * CHUNKS);
  constexpr int QUEUES = ROW_TILES * COLUMN_TILES * 2;
  uint4* ring = (uint4*)shared_memory;                                     // [DEPTH][LOADS][THREADS]
  unsigned int* ring_of_scales = (unsigned int*)(ring + DEPTH * LOADS * THREADS);                      // [DEPTH][row][THREADS]
  float2* sums = (float2*)(ring_of_scales + (BITS == 4 ? DEPTH * 2 * ROW_TILES * THREADS : 0));  // [2][WARPS][QUEUES][32]
  const int columns = (int)load_fresh(&work.state->active);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  // A block has neighbouring pairs, as many as any other give or take one; of its last tile it loads what it has.
  const int first = (long long)PAIRS * blockIdx.x / gridDim.x, end = (long long)PAIRS * (blockIdx.x + 1) / gridDim.x;
  auto slot = [&](int number, int load) { return ring + (number * LOADS + load) * THREADS + threadIdx.x; };
  auto scale_slot = [&](int number, int load) { return ring_of_scales + (number * 2 * ROW_TILES + load) * THREADS + threadIdx.x; };

  int asked_tile = first, asked_step = 0, asked_slot = 0;
  auto ask = [&]() {
    if (asked_tile < end) {
      const int v = (asked_step * WARPS + warp) * 4 + t;
      const bool there = v < VECTORS;
      const int inside = there ? v : 0;
#pragma unroll
      for (int i = 0; i < 2 * ROW_TILES; i++) {
        const int pair = asked_tile + i / 2 * 8 + g;
        const size_t from = row(min(pair, end - 1), i % 2);
        copy_weights(slot(asked_slot, i), (const uint4*)matrix + from * VECTORS + inside, there && pair < end);
        // of the two scales in a word, see scale_of
        if (BITS == 4) copy_word(scale_slot(asked_slot, i), scales + from * (K / GROUP) + inside * 32 / GROUP / 2 * 2);
      }
      if (!HELD) {
#pragma unroll
        for (int i = 0; i < COLUMN_TILES * CHUNKS; i++) {
          const int column = i / CHUNKS * 8 + g;
          const uint4* from = (const uint4*)(x + (size_t)column * K) + inside * CHUNKS + i % CHUNKS;
          copy_weights(slot(asked_slot, 2 * ROW_TILES + i), from, there && column < columns);
        }
      }
      if (++asked_step == STEPS) {
        asked_step = 0;
        asked_tile += 8 * ROW_TILES;
      }
    }
    end_group();
    if (++asked_slot == DEPTH) asked_slot = 0;
  };

#pragma unroll
  for (int i = 0; i < DEPTH - 1; i++) ask();
  uint4 held[HELD ? COLUMN_TILES : 1][HELD ? S::LOADS : 1];
  if constexpr (NORM && S::NORMALIZES) {
    normalized<TILE, BITS, K>(work.residual, norm, columns, held[0]);
  } else if (HELD) {
#pragma unroll
    for (int n = 0; n < COLUMN_TILES; n++) {
#pragma unroll
      for (int i = 0; i < S::LOADS; i++) {
        const int v = (i / CHUNKS * WARPS + warp) * 4 + t;
        const uint4* from = (const uint4*)(x + (size_t)(n * 8 + g) * K) + v * CHUNKS + i % CHUNKS;
        held[n][i] = v < VECTORS && n * 8 + g < columns ? load_fresh(from) : make_uint4(0, 0, 0, 0);
      }
    }
  }

  int taken_slot = 0, buffer = 0;
  for (int tile = first; tile < end; tile += 8 * ROW_TILES) {
    float sum[ROW_TILES][COLUMN_TILES][4] = {};
#pragma unroll(HELD ? STEPS : 1)
    for (int step = 0; step < STEPS; step++) {
      wait_for_groups<DEPTH - 2>();
      // to the slot that was taken last
      ask();
      const int v = (step * WARPS + warp) * 4 + t;
#pragma unroll
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        uint4 a[ROW_TILES][2];
#pragma unroll
        for (int i = 0; i < 2 * ROW_TILES; i++) {
          unsigned int scale = 0;
          if (BITS == 4) scale = scale_of(*scale_slot(taken_slot, i), v * 32 / GROUP % 2);
          a[i / 2][i % 2] = weights_of<BITS>(*slot(taken_slot, i), chunk, scale);
        }
#pragma unroll
        for (int n = 0; n < COLUMN_TILES; n++) {
          const uint4 b = HELD ? held[HELD ? n : 0][HELD ? step * CHUNKS + chunk : 0]
                               : *slot(taken_slot, 2 * ROW_TILES + n * CHUNKS + chunk);
#pragma unroll
          for (int m = 0; m < ROW_TILES; m++) {
            multiply(sum[m][n], a[m][0].x, a[m][1].x, a[m][0].y, a[m][1].y, b.x, b.y);
            multiply(sum[m][n], a[m][0].z, a[m][1].z, a[m][0].w, a[m][1].w, b.z, b.w);
          }
        }
      }
      if (++taken_slot == DEPTH) taken_slot = 0;
    }

    // two buffers, so that the sums of the next tile do not wait until these are read
    float2* own = sums + (buffer * WARPS + warp) * QUEUES * 32 + lane;
#pragma unroll
    for (int m = 0; m < ROW_TILES; m++) {
#pragma unroll
      for (int n = 0; n < COLUMN_TILES; n++) {
        float2* two = own + (m * COLUMN_TILES + n) * 2 * 32;
        two[0] = make_float2(sum[m][n][0], sum[m][n][2]);
        two[32] = make_float2(sum[m][n][1], sum[m][n][3]);
      }
    }
    __syncthreads();
    for (int queue = warp; queue < QUEUES; queue += WARPS) {
      const int pair = tile + queue / (2 * COLUMN_TILES) * 8 + g;
      const int column = queue / 2 % COLUMN_TILES * 8 + 2 * t + queue % 2;
      if (pair >= end || column >= columns) continue;
      float a = 0.f, b = 0.f;
#pragma unroll
      for (int w = 0; w < WARPS; w++) {
        const float2 two = sums[((buffer * WARPS + w) * QUEUES + queue) * 32 + lane];
        a += two.x;
        b += two.y;
      }
      if (BITS == 8) {
        a *= to_float(scales[row(pair, 0)]);
        b *= to_float(scales[row(pair, 1)]);
      }
      finish(pair, column, a, b);
    }
    buffer ^= 1;
  }
}

// --- the kernels, in the order of a layer

// What the norm makes of the residual of a column, for products that have no room to do it.
KERNEL(normalize, NORM_WARPS * 32, 1) {
  constexpr int THREADS = NORM_WARPS * 32, FOURS = (HIDDEN / 4 + THREADS - 1) / THREADS;
  __shared__ float squares_of_warps[NORM_WARPS];
  const int column = blockIdx.x;
  const float4* residual = (const float4*)(work.residual + (size_t)column * HIDDEN);
  const bool used = column < (int)load_fresh(&work.state->active);
  float4 fours[FOURS];
  float squares = 0.f;
#pragma unroll
  for (int u = 0; u < FOURS; u++) {
    const int i = u * THREADS + threadIdx.x;
    fours[u] = load_fresh(residual + min(i, HIDDEN / 4 - 1));
    const float4 four = fours[u];
    if (i < HIDDEN / 4) squares += four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
  }
  if (!used) return;
  squares = sum_of_warp(squares);
  if (threadIdx.x % 32 == 0) squares_of_warps[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = 0.f;
#pragma unroll
  for (int w = 0; w < NORM_WARPS; w++) squares += squares_of_warps[w];
  const float factor = rsqrtf(squares / HIDDEN + (float)EPSILON);
#pragma unroll
  for (int u = 0; u < FOURS; u++) {
    const int i = u * THREADS + threadIdx.x;
    if (i < HIDDEN / 4) {
      const float four[4] = {fours[u].x, fours[u].y, fours[u].z, fours[u].w};
#pragma unroll
      for (int j = 0; j < 4; j++) {
        work.normed[(size_t)column * HIDDEN + 4 * i + j] = to_number(four[j] * factor * to_float(norm[4 * i + j]));
      }
    }
  }
}

typedef Tile<QKV> QkvTile;
KERNEL(qkv, QkvTile::THREADS, 1) {
  auto finish = [&](int pair, int column, float a, float b) {
    const Slot* slot = work.state->slots + column;
    Number* place = cache_of(slot, layer) + (size_t)load_fresh(&slot->position) * 2 * KV_HEADS * HEAD_DIM;
    keep(work, place, column, pair, a, b);
  };
  product<QkvTile, LAYER_BITS, HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD_DIM / 2, true>(
      work, matrix, norm, scales, work.normed, turned_row, finish);
}

typedef Tile<OUT> OutTile;
KERNEL(attention_out, OutTile::THREADS, 1) {
  auto finish = [&](int pair, int column, float a, float b) { add_to_residual(work, column, pair, a, b); };
  product<OutTile, LAYER_BITS, HEADS * HEAD_DIM, HIDDEN / 2, false>(
      work, matrix, nullptr, scales, work.mixed, neighbour<HIDDEN>, finish);
}

typedef Tile<GATE_UP> GateUpTile;
KERNEL(gate_up, GateUpTile::THREADS, 1) {
  auto finish = [&](int pair, int column, float gate, float up) {
    work.inner[(size_t)column * INTERMEDIATE + pair] = to_number(gated(gate, up));
  };
  product<GateUpTile, LAYER_BITS, HIDDEN, INTERMEDIATE, true>(work, matrix, norm, scales, work.normed, gate_or_up_row, finish);
}

typedef Tile<DOWN> DownTile;
KERNEL(down, DownTile::THREADS, 1) {
  auto finish = [&](int pair, int column, float a, float b) { add_to_residual(work, column, pair, a, b); };
  product<DownTile, LAYER_BITS, INTERMEDIATE, HIDDEN / 2, false>(
      work, matrix, nullptr, scales, work.inner, neighbour<HIDDEN>, finish);
}

// The logits and the largest of them. The head is not quantised.
typedef Tile<HEAD> HeadTile;
KERNEL(choose, HeadTile::THREADS, 1) {
  // volatile, because it only says whether the exact comparison can be spared
  __shared__ volatile unsigned long long best[SLOTS];
  // nothing finishes before the barrier in the product
  for (int column = threadIdx.x; column < SLOTS; column += HeadTile::THREADS) best[column] = 0;
  auto finish = [&](int pair, int column, float a, float b) {
    const unsigned long long found = better(work, column, pair, a, b);
    if (found > best[column]) atomicMax((unsigned long long*)&best[column], found);
  };
  product<HeadTile, 16, HIDDEN, (VOCABULARY + 1) / 2, true>(
      work, matrix, norm, nullptr, work.normed, neighbour<VOCABULARY>, finish);
  __syncthreads();
  for (int column = threadIdx.x; column < SLOTS; column += HeadTile::THREADS) {
    atomicMax(&work.state->best[column], best[column]);
  }
  tell(work);
}
