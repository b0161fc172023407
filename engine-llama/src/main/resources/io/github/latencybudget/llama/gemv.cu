// The products of a step for one sequence, after decode.cu: a matrix times a vector, x in float.

// How a block works on a product: in teams of warps, each on two rows at a time.
template <int WARPS_, int TEAM_, int LOADS_, int DEPTH_, int BLOCKS_>
struct Tile {
  static constexpr int WARPS = WARPS_;          // of a block
  static constexpr int TEAM = TEAM_;            // warps that share their rows
  static constexpr int LOADS = LOADS_;          // loads of a lane and a row that are asked for at once
  static constexpr int DEPTH = DEPTH_;          // times that they are asked for ahead, into shared memory
  static constexpr int BLOCKS = BLOCKS_;        // of a processor
  static constexpr int TEAMS = WARPS_ / TEAM_;
  static constexpr int THREADS = WARPS_ * 32;
  // for which the compiler leaves registers: twice as many, as it was measured, unless that leaves a thread too few
  static constexpr int RESIDENT = 2 * BLOCKS < 1024 / THREADS ? 2 * BLOCKS : 1024 / THREADS;
};

// Brings x to shared memory, times the scale of a norm if there is one. There it lies in planes: a load of weights meets PER_LOAD
// numbers of x, four in each plane, so that neighbouring lanes read neighbouring words. Returns this thread's part of the sum of
// squares of x.
template <int K, int THREADS>
__device__ __forceinline__ float stage(const float* x, const Number* scale) {
  constexpr int PLANES = PER_LOAD / 4;
  float squares = 0.f;
  for (int i = threadIdx.x; i < K / 4; i += THREADS) {
    float4 four = load_fresh((const float4*)x + i);
    squares += four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
    if (scale != nullptr) {
      four.x *= to_float(scale[4 * i]);
      four.y *= to_float(scale[4 * i + 1]);
      four.z *= to_float(scale[4 * i + 2]);
      four.w *= to_float(scale[4 * i + 3]);
    }
    shared_memory[i % PLANES * (K / PER_LOAD) + i / PLANES] = four;
  }
  return squares;
}

// Rows of K numbers times x, two rows ("a pair") at a time. Pair p goes to block p % gridDim.x. row(p, 0 or 1) says which rows
// of the matrix they are, and finish(p, a, b) gets both products; with a norm, x is divided by its root mean square.
template <class TILE, int K, int PAIRS, class Row, class Finish>
__device__ __forceinline__ void product(const Number* matrix, const float* x, const Number* scale, Row row, Finish finish) {
  constexpr int VECTORS = K / PER_LOAD;                                    // loads of a row
  constexpr int STRIDE = 32 * TILE::TEAM;                                  // of which a team makes so many together
  constexpr int BATCH = STRIDE * TILE::LOADS;
  constexpr int BATCHES = (VECTORS + BATCH - 1) / BATCH;
  constexpr int LOADS = TILE::LOADS, THREADS = TILE::THREADS, DEPTH = TILE::DEPTH;
  __shared__ float squares_of_warps[TILE::WARPS];
  uint4* ring = (uint4*)(shared_memory + K / 4);                           // [DEPTH][2][LOADS][THREADS]
  float* sums = (float*)(ring + DEPTH * 2 * LOADS * THREADS);              // [pair][2][warp of the team]
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int team = warp / TILE::TEAM, piece = warp % TILE::TEAM;
  const int first = piece * 32 + lane;
  const int pairs = (PAIRS - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;

  int asked_pair = team, asked_batch = 0, asked_slot = 0;
  auto slot = [&](int number, int r, int u) { return ring + ((number * 2 + r) * LOADS + u) * THREADS + threadIdx.x; };
  auto ask = [&]() {
    if (asked_pair < pairs) {
#pragma unroll
      for (int r = 0; r < 2; r++) {
        const uint4* from = (const uint4*)(matrix + (size_t)row(blockIdx.x + asked_pair * gridDim.x, r) * K);
#pragma unroll
        for (int u = 0; u < LOADS; u++) {
          const int v = first + asked_batch * BATCH + u * STRIDE;
          copy_weights(slot(asked_slot, r, u), from + (v < VECTORS ? v : 0), v < VECTORS);
        }
      }
      if (++asked_batch == BATCHES) {
        asked_batch = 0;
        asked_pair += TILE::TEAMS;
      }
    }
    end_group();
    if (++asked_slot == DEPTH) asked_slot = 0;
  };

#pragma unroll
  for (int i = 0; i < DEPTH; i++) ask();
  const float squares = sum_of_warp(stage<K, THREADS>(x, scale));
  if (lane == 0) squares_of_warps[warp] = squares;
  __syncthreads();

  for (int pair = team; pair < pairs; pair += TILE::TEAMS) {
    float sum[2] = {0.f, 0.f};
#pragma unroll 2
    for (int batch = 0; batch < BATCHES; batch++) {
      // what is asked for next goes to the slot that is taken now
      wait_for_groups<DEPTH - 1>();
      uint4 now[2][LOADS];
#pragma unroll
      for (int u = 0; u < LOADS; u++) {
        now[0][u] = *slot(asked_slot, 0, u);
        now[1][u] = *slot(asked_slot, 1, u);
      }
      ask();
#pragma unroll
      for (int u = 0; u < LOADS; u++) {
        const int v = first + batch * BATCH + u * STRIDE;
        float a[PER_LOAD], b[PER_LOAD];
        unpack(now[0][u], a);
        unpack(now[1][u], b);
#pragma unroll
        for (int plane = 0; plane < PER_LOAD / 4; plane++) {
          // beyond the row the weights are zero, so that any x does
          const float4 four = shared_memory[plane * VECTORS + (v < VECTORS ? v : 0)];
          const float values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int i = 0; i < 4; i++) {
            sum[0] = fmaf(a[4 * plane + i], values[i], sum[0]);
            sum[1] = fmaf(b[4 * plane + i], values[i], sum[1]);
          }
        }
      }
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const float total = sum_of_warp(sum[r]);
      if (lane == 0) sums[(2 * pair + r) * TILE::TEAM + piece] = total;
    }
  }
  __syncthreads();

  float factor = 1.f;
  if (scale != nullptr) {
    float all = 0.f;
#pragma unroll
    for (int w = 0; w < TILE::WARPS; w++) all += squares_of_warps[w];
    factor = rsqrtf(all / K + (float)EPSILON);
  }
  for (int pair = threadIdx.x; pair < pairs; pair += THREADS) {
    float a = 0.f, b = 0.f;
#pragma unroll
    for (int p = 0; p < TILE::TEAM; p++) {
      a += sums[2 * pair * TILE::TEAM + p];
      b += sums[(2 * pair + 1) * TILE::TEAM + p];
    }
    finish(blockIdx.x + pair * gridDim.x, a * factor, b * factor);
  }
}

// --- the kernels, in the order of a layer

typedef Tile<QKV> QkvTile;
KERNEL(qkv, QkvTile::THREADS, QkvTile::RESIDENT) {
  const Slot* slot = work.state->slots;
  Number* place = cache_of(slot, layer) + (size_t)load_fresh(&slot->position) * 2 * KV_HEADS * HEAD_DIM;
  auto finish = [&](int pair, float a, float b) { keep(work, place, 0, pair, a, b); };
  product<QkvTile, HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD_DIM / 2>(matrix, work.residual, norm, turned_row, finish);
}

typedef Tile<OUT> OutTile;
KERNEL(attention_out, OutTile::THREADS, OutTile::RESIDENT) {
  auto finish = [&](int pair, float a, float b) { add_to_residual(work, 0, pair, a, b); };
  product<OutTile, HEADS * HEAD_DIM, HIDDEN / 2>(matrix, work.mixed, nullptr, neighbour<HIDDEN>, finish);
}

typedef Tile<GATE_UP> GateUpTile;
KERNEL(gate_up, GateUpTile::THREADS, GateUpTile::RESIDENT) {
  auto finish = [&](int pair, float gate, float up) { work.inner[pair] = gated(gate, up); };
  product<GateUpTile, HIDDEN, INTERMEDIATE>(matrix, work.residual, norm, gate_or_up_row, finish);
}

typedef Tile<DOWN> DownTile;
KERNEL(down, DownTile::THREADS, DownTile::RESIDENT) {
  auto finish = [&](int pair, float a, float b) { add_to_residual(work, 0, pair, a, b); };
  product<DownTile, INTERMEDIATE, HIDDEN / 2>(matrix, work.inner, nullptr, neighbour<HIDDEN>, finish);
}

// The logits and the largest of them.
typedef Tile<HEAD> HeadTile;
KERNEL(choose, HeadTile::THREADS, HeadTile::RESIDENT) {
  unsigned long long best = 0;
  auto finish = [&](int pair, float a, float b) { best = max(best, better(work, 0, pair, a, b)); };
  product<HeadTile, HIDDEN, (VOCABULARY + 1) / 2>(matrix, work.residual, norm, neighbour<VOCABULARY>, finish);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) best = max(best, __shfl_xor_sync(ALL, best, distance));
  if (threadIdx.x % 32 == 0) atomicMax(&work.state->best[0], best);
  tell(work);
}
