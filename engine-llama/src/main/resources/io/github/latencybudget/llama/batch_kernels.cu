// The kernels of a step for several sequences, or with quantised weights, in the order of a layer: what batch.cu multiplies, and the
// norm for products that have no room for it.

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
KERNEL(qkv, QkvTile::THREADS, QkvTile::BLOCKS) {
  auto finish = [&](int pair, int column, float a, float b) {
    const Slot* slot = work.state->slots + column;
    Number* place = cache_of(slot, layer) + (size_t)load_fresh(&slot->position) * 2 * KV_HEADS * HEAD_DIM;
    keep(work, place, column, pair, a, b);
  };
  product<QkvTile, LAYER_BITS, HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD_DIM / 2, true>(
      work, matrix, norm, scales, work.normed, turned_row, finish);
}

typedef Tile<OUT> OutTile;
KERNEL(attention_out, OutTile::THREADS, OutTile::BLOCKS) {
  auto finish = [&](int pair, int column, float a, float b) { add_to_residual(work, column, pair, a, b); };
  product<OutTile, LAYER_BITS, HEADS * HEAD_DIM, HIDDEN / 2, false>(
      work, matrix, nullptr, scales, work.mixed, neighbour<HIDDEN>, finish);
}

typedef Tile<GATE_UP> GateUpTile;
KERNEL(gate_up, GateUpTile::THREADS, GateUpTile::BLOCKS) {
  auto finish = [&](int pair, int column, float gate, float up) {
    work.inner[(size_t)column * INTERMEDIATE + pair] = to_number(gated(gate, up));
  };
  product<GateUpTile, LAYER_BITS, HIDDEN, INTERMEDIATE, true>(work, matrix, norm, scales, work.normed, gate_or_up_row, finish);
}

typedef Tile<DOWN> DownTile;
KERNEL(down, DownTile::THREADS, DownTile::BLOCKS) {
  auto finish = [&](int pair, int column, float a, float b) { add_to_residual(work, column, pair, a, b); };
  product<DownTile, LAYER_BITS, INTERMEDIATE, HIDDEN / 2, false>(
      work, matrix, nullptr, scales, work.inner, neighbour<HIDDEN>, finish);
}

// The logits and the largest of them. The head is not quantised.
typedef Tile<HEAD> HeadTile;
KERNEL(choose, HeadTile::THREADS, HeadTile::BLOCKS) {
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
