// The products of a step for several sequences, or with quantised weights, after decode.cu: on tensor cores, by
// mma.sync.m16n8k16, sums in float. A column is a slot; what a matrix is multiplied with is [column][K] in the type of weights.
//
// An instruction multiplies 16 rows, thirty-two bits of two rows in each lane, with 8 columns. Which numbers of a row it takes as
// its 16 is free as long as both sides agree. So a lane takes what one load of 16 bytes gives it: lane 4 * g + t has the rows of
// pair g and the column g.

constexpr int COLUMN_TILES = SLOTS / 8;

// How a block works on a product: its warps share rows and split the columns of the matrix.
template <int WARPS_, int ROW_TILES_, int DEPTH_, int BLOCKS_>
struct Tile {
  static constexpr int WARPS = WARPS_;          // of a block
  static constexpr int ROW_TILES = ROW_TILES_;  // tiles of 16 rows, that is 8 pairs, at a time
  static constexpr int DEPTH = DEPTH_;          // steps whose weights are in shared memory, all but one on their way
  static constexpr int BLOCKS = BLOCKS_;        // on a multiprocessor
  static constexpr int THREADS = WARPS_ * 32;
  // of a thread for its part of x
  static constexpr int X_REGISTERS = (65536 / (BLOCKS * THREADS) < 255 ? 65536 / (BLOCKS * THREADS) : 255) - OTHER_REGISTERS;
};

// In how many steps a block makes the loads of its rows, and how many loads of x meet them in a column.
template <class TILE, int BITS, int K>
struct Steps {
  static constexpr int PACK = 128 / BITS;       // weights of a load
  static constexpr int CHUNKS = PACK / 8;       // loads of x that meet it
  static constexpr int STEPS = (K / PACK + 4 * TILE::WARPS - 1) / (4 * TILE::WARPS);
  static constexpr int LOADS = STEPS * CHUNKS;  // of a lane of x, in a column
  // whether x stays in registers
  static constexpr bool HELD = COLUMN_TILES * LOADS * 4 <= TILE::X_REGISTERS;
  // whether there is room for it in float too, so that a product makes the norm before it, while weights are on their way
  static constexpr bool NORMALIZES = COLUMN_TILES == 1 && LOADS * 8 <= TILE::X_REGISTERS;
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
//
// Quantised weights come with their zero point. Where x is held, its product with zero points alone is taken off once for all rows,
// by starting from it; where not, zero points are taken off the weights. Their scale comes last: sums of a group begin anew.
template <class TILE, int BITS, int K, int PAIRS, bool NORM, class Row, class Finish>
__device__ __forceinline__ void product(
    const Work& work, const Number* matrix, const Number* norm, const Number* scales, const Activation* x, Row row, Finish finish) {
  typedef Steps<TILE, BITS, K> S;
  constexpr int WARPS = TILE::WARPS, THREADS = TILE::THREADS, DEPTH = TILE::DEPTH, ROW_TILES = TILE::ROW_TILES;
  constexpr int CHUNKS = S::CHUNKS, STEPS = S::STEPS;
  constexpr int VECTORS = K / S::PACK;                                     // loads of a row
  constexpr bool HELD = S::HELD, GROUPED = BITS == 4;
  // a step of a warp is a group of each row
  static_assert(!GROUPED || GROUP == 4 * S::PACK, "");
  constexpr int GROUPS = GROUPED ? K / GROUP : 1;
  constexpr int STARTS = HELD && BITS < 16 ? (GROUPED ? STEPS : 1) : 0;
  constexpr int ROWS = 2 * ROW_TILES;
  constexpr int LOADS = ROWS + (HELD ? 0 : COLUMN_TILES * CHUNKS);
  constexpr int QUEUES = ROW_TILES * COLUMN_TILES * 2;
  uint4* ring = (uint4*)shared_memory;                                     // [DEPTH][LOADS][THREADS]
  unsigned int* ring_of_scales = (unsigned int*)(ring + DEPTH * LOADS * THREADS);                // [DEPTH][WARPS][8][ROWS]
  float2* sums = (float2*)(ring_of_scales + (GROUPED ? DEPTH * WARPS * 8 * ROWS : 0));           // [2][WARPS][QUEUES][32]
  float2* starts = sums + 2 * WARPS * QUEUES * 32;                         // [STARTS][COLUMN_TILES][WARPS][4]
  const int columns = (int)load_fresh(&work.state->active);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  // A block has neighbouring pairs, as many as any other give or take one; of its last tile it loads what it has.
  const int first = (long long)PAIRS * blockIdx.x / gridDim.x, end = (long long)PAIRS * (blockIdx.x + 1) / gridDim.x;
  auto slot = [&](int number, int load) { return ring + (number * LOADS + load) * THREADS + threadIdx.x; };
  auto scale_slot = [&](int number, int load) { return ring_of_scales + ((number * WARPS + warp) * 8 + g) * ROWS + load; };
  auto vector = [&](int step) { return (step * WARPS + warp) * 4 + t; };
  // whether all lanes have something in a step is known to the compiler, save for the last
  auto is_there = [&](int step) { return (step + 1) * WARPS * 4 <= VECTORS || vector(step) < VECTORS; };
  auto group = [&](int step) { return (step + 1) * WARPS <= GROUPS ? step * WARPS + warp : min(step * WARPS + warp, GROUPS - 1); };
  auto start = [&](int i, int n) { return starts + ((i * COLUMN_TILES + n) * WARPS + warp) * 4 + t; };

  // where this lane's loads begin of the tile that is asked for; of scales it brings those of every fourth row
  const uint4* rows[ROWS];
  const Number* rows_of_scales[(ROWS + 3) / 4];
  bool is_row[ROW_TILES];
  int asked_slot = 0;
  auto ask = [&](int tile, int step) {
    if (step % STEPS == 0) {
      tile += step / STEPS * 8 * ROW_TILES;
#pragma unroll
      for (int i = 0; i < ROWS; i++) {
        const int pair = tile + i / 2 * 8 + g;
        is_row[i / 2] = pair < end;
        rows[i] = (const uint4*)matrix + (size_t)row(min(pair, end - 1), i % 2) * VECTORS + vector(0);
      }
      if (GROUPED) {
#pragma unroll
        for (int i = 0; i < ROWS; i += 4) {
          const int pair = tile + (i + t) / 2 * 8 + g;
          rows_of_scales[i / 4] = scales + (size_t)row(min(pair, end - 1), t % 2) * GROUPS;
        }
      }
    }
    step %= STEPS;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      copy_weights(slot(asked_slot, i), rows[i] + step * WARPS * 4, is_row[i / 2] && is_there(step));
    }
    if (GROUPED) {
#pragma unroll
      for (int i = 0; i < ROWS; i += 4) {
        // a copy brings two scales
        if (i + t < ROWS) copy_word(scale_slot(asked_slot, i + t), rows_of_scales[i / 4] + group(step) / 2 * 2);
      }
    }
    if (!HELD) {
#pragma unroll
      for (int i = 0; i < COLUMN_TILES * CHUNKS; i++) {
        const int column = i / CHUNKS * 8 + g;
        const uint4* from = (const uint4*)(x + (size_t)column * K) + vector(step) * CHUNKS + i % CHUNKS;
        copy_weights(slot(asked_slot, ROWS + i), from, column < columns && is_there(step));
      }
    }
    end_group();
    if (++asked_slot == DEPTH) asked_slot = 0;
  };

#pragma unroll
  for (int i = 0; i < DEPTH - 1; i++) ask(first, i);
  uint4 held[HELD ? COLUMN_TILES : 1][HELD ? S::LOADS : 1];
  if constexpr (NORM && S::NORMALIZES) {
    normalized<TILE, BITS, K>(work.residual, norm, columns, held[0]);
  } else if (HELD) {
#pragma unroll
    for (int n = 0; n < COLUMN_TILES; n++) {
#pragma unroll
      for (int i = 0; i < S::LOADS; i++) {
        const uint4* from = (const uint4*)(x + (size_t)(n * 8 + g) * K) + vector(i / CHUNKS) * CHUNKS + i % CHUNKS;
        held[n][i] = n * 8 + g < columns && is_there(i / CHUNKS) ? load_fresh(from) : make_uint4(0, 0, 0, 0);
      }
    }
  }
  if constexpr (STARTS > 0) {
    const uint4 zeros = zeros_of<BITS>();
    constexpr unsigned int NEGATIVE = 0x80008000u;
#pragma unroll
    for (int n = 0; n < COLUMN_TILES; n++) {
#pragma unroll
      for (int i = 0; i < STARTS; i++) {
        float sum[4] = {};
#pragma unroll
        for (int j = i * (S::LOADS / STARTS); j < (i + 1) * (S::LOADS / STARTS); j++) {
          const uint4 b = held[n][j];
          multiply(sum, zeros.x ^ NEGATIVE, zeros.x ^ NEGATIVE, zeros.y ^ NEGATIVE, zeros.y ^ NEGATIVE, b.x, b.y);
          multiply(sum, zeros.z ^ NEGATIVE, zeros.z ^ NEGATIVE, zeros.w ^ NEGATIVE, zeros.w ^ NEGATIVE, b.z, b.w);
        }
        // the same in all rows
        if (g == 0) *start(i, n) = make_float2(sum[0], sum[1]);
      }
    }
    __syncwarp();
  }

  int taken_slot = 0, buffer = 0;
  for (int tile = first; tile < end; tile += 8 * ROW_TILES) {
    float sum[ROW_TILES][COLUMN_TILES][4] = {}, sum_of_group[ROW_TILES][COLUMN_TILES][4];
    auto& target = GROUPED ? sum_of_group : sum;
    auto begin = [&](int i) {
#pragma unroll
      for (int n = 0; n < COLUMN_TILES; n++) {
        const float2 two = STARTS > 0 ? *start(i, n) : make_float2(0.f, 0.f);
#pragma unroll
        for (int m = 0; m < ROW_TILES; m++) {
#pragma unroll
          for (int j = 0; j < 4; j++) target[m][n][j] = j % 2 ? two.y : two.x;
        }
      }
    };
    if (!GROUPED) begin(0);
#pragma unroll(HELD ? STEPS : 1)
    for (int step = 0; step < STEPS; step++) {
      wait_for_groups<DEPTH - 2>();
      // for the scales, which other lanes brought
      if (GROUPED) __syncwarp();
      // to the slot that was taken last
      ask(tile, step + DEPTH - 1);
      if (GROUPED) begin(step);
#pragma unroll
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        uint4 a[ROW_TILES][2];
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
          uint4 weights = weights_of<BITS>(*slot(taken_slot, i), chunk);
          if (BITS < 16 && !HELD) weights = without(weights, zeros_of<BITS>());
          a[i / 2][i % 2] = weights;
        }
#pragma unroll
        for (int n = 0; n < COLUMN_TILES; n++) {
          const uint4 b = HELD ? held[HELD ? n : 0][HELD ? step * CHUNKS + chunk : 0]
                               : *slot(taken_slot, ROWS + n * CHUNKS + chunk);
#pragma unroll
          for (int m = 0; m < ROW_TILES; m++) {
            multiply(target[m][n], a[m][0].x, a[m][1].x, a[m][0].y, a[m][1].y, b.x, b.y);
            multiply(target[m][n], a[m][0].z, a[m][1].z, a[m][0].w, a[m][1].w, b.z, b.w);
          }
        }
      }
      if (GROUPED) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
          const float scale = to_float(((const Number*)scale_slot(taken_slot, i))[group(step) % 2]);
#pragma unroll
          for (int n = 0; n < COLUMN_TILES; n++) {
#pragma unroll
            for (int j = i % 2 * 2; j < i % 2 * 2 + 2; j++) {
              sum[i / 2][n][j] = fmaf(sum_of_group[i / 2][n][j], scale, sum[i / 2][n][j]);
            }
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
