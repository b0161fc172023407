// Attention of the new token of every slot over its cache, after decode.cu. There are SHARES blocks for all
// sequences together; each has its places split over as many as that leaves it, up to SPLITS, and fewer where there are few places;
// the last of them to finish puts the parts together. QUERIES heads that share their keys and values are one block's.
constexpr int LANES = HEAD_DIM / PER_LOAD;      // lanes that share a place, each with PER_LOAD numbers of it
constexpr int SEATS = 32 / LANES;               // places that a warp looks at together
constexpr int ROUND = ATTENTION_WARPS * SEATS * PLACES;
constexpr int PARTIAL = HEAD_DIM + 2;           // a part of the result: the sum of values, the largest score, the sum of weights
constexpr float LOWEST = -1e30f;                // a score that any other exceeds, finite so that differences are

__device__ __forceinline__ float dot(uint4 load, const float (&q)[PER_LOAD]) {
  float k[PER_LOAD], sum = 0.f;
  unpack(load, k);
#pragma unroll
  for (int i = 0; i < PER_LOAD; i++) sum = fmaf(k[i], q[i], sum);
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL, sum, distance);
  return sum;
}

// What one lane knows of one query: its numbers of the sum, and the largest score and sum of weights so far.
struct Softmax {
  float sum[PER_LOAD];
  float top;
  float weight;

  // makes room for scores up to the given one
  __device__ __forceinline__ void rise(float score) {
    const float higher = fmaxf(top, score);
    const float factor = exp2f(top - higher);
    top = higher;
    weight *= factor;
#pragma unroll
    for (int i = 0; i < PER_LOAD; i++) sum[i] *= factor;
  }

  // adds what lanes of other seats know
  __device__ __forceinline__ void join(int distance) {
    rise(__shfl_xor_sync(ALL, top, distance));
    weight += __shfl_xor_sync(ALL, weight, distance);
#pragma unroll
    for (int i = 0; i < PER_LOAD; i++) sum[i] += __shfl_xor_sync(ALL, sum[i], distance);
  }
};

// One number of the result from several parts, each PARTIAL numbers that read(part, i) gives; of several at once, for they are far.
template <class Read>
__device__ __forceinline__ float3 put_together(int parts, int i, Read read) {
  constexpr int AT_ONCE = 8;
  float top = LOWEST, weight = 0.f, sum = 0.f;
  for (int first = 0; first < parts; first += AT_ONCE) {
    float tops[AT_ONCE], weights[AT_ONCE], sums[AT_ONCE], higher = top;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      const int p = min(first + u, parts - 1);
      tops[u] = read(p, HEAD_DIM);
      weights[u] = read(p, HEAD_DIM + 1);
      sums[u] = read(p, i);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) higher = fmaxf(higher, tops[u]);
    const float lowered = exp2f(top - higher);
    top = higher;
    weight *= lowered;
    sum *= lowered;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      const float factor = first + u < parts ? exp2f(tops[u] - top) : 0.f;
      weight += factor * weights[u];
      sum += factor * sums[u];
    }
  }
  return make_float3(sum, top, weight);
}

KERNEL(attention, ATTENTION_WARPS * 32, 1) {
  __shared__ float parts[ATTENTION_WARPS][QUERIES][PARTIAL];
  __shared__ bool last;
  constexpr int EACH = (SLOTS + 31) / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // all that is to be waited for at once: where every sequence is, for which is this block's depends on their number
  const int sequences = (int)load_fresh(&work.state->active);
  int lengths[EACH];
  const Number* caches[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const Slot* slot = work.state->slots + min(lane + 32 * e, SLOTS - 1);
    lengths[e] = load_fresh(&slot->position) + 1;
    caches[e] = cache_of(slot, layer);
  }
  const int splits = max(1, min(SPLITS, SHARES / sequences));
  const int column = blockIdx.y % sequences, split = blockIdx.y / sequences;
  int length = __shfl_sync(ALL, lengths[0], column % 32);
  const Number* cache = (const Number*)__shfl_sync(ALL, (unsigned long long)caches[0], column % 32);
  if (EACH > 1) {
    const int upper = __shfl_sync(ALL, lengths[EACH - 1], column % 32);
    const Number* upper_cache = (const Number*)__shfl_sync(ALL, (unsigned long long)caches[EACH - 1], column % 32);
    if (column >= 32) {
      length = upper;
      cache = upper_cache;
    }
  }
  const int share = max(LEAST_ROUNDS, ((length + splits - 1) / splits + ROUND - 1) / ROUND) * ROUND;
  const int active = (length + share - 1) / share;
  const int head = blockIdx.x * QUERIES;
  const int end = min(length, (split + 1) * share);
  const int seat = warp * SEATS + lane / LANES;
  if (split >= active) return;

  const float* query = work.query + column * HEADS * HEAD_DIM;
  Activation* mixed = work.mixed + column * HEADS * HEAD_DIM;
  unsigned int* arrived = work.arrived + column * (HEADS / QUERIES) + blockIdx.x;
  auto partial_of = [&](int g) { return work.partial + (size_t)((head + g) * SHARES + column * splits) * PARTIAL; };
  const Number* keys = cache + head / (HEADS / KV_HEADS) * HEAD_DIM + lane % LANES * PER_LOAD;
  auto key = [&](int place) { return (const uint4*)(keys + (size_t)place * 2 * KV_HEADS * HEAD_DIM); };
  constexpr int TO_VALUES = KV_HEADS * HEAD_DIM / PER_LOAD;
  float q[QUERIES][PER_LOAD];
  Softmax softmax[QUERIES];
#pragma unroll
  for (int g = 0; g < QUERIES; g++) {
    softmax[g].top = LOWEST;
    softmax[g].weight = 0.f;
#pragma unroll
    for (int i = 0; i < PER_LOAD; i += 4) {
      const float4 four = load_fresh((const float4*)(query + (head + g) * HEAD_DIM + lane % LANES * PER_LOAD + i));
      q[g][i] = four.x;
      q[g][i + 1] = four.y;
      q[g][i + 2] = four.z;
      q[g][i + 3] = four.w;
    }
#pragma unroll
    for (int i = 0; i < PER_LOAD; i++) softmax[g].sum[i] = 0.f;
  }
  auto place_of = [&](int base, int u) { return base + u * ATTENTION_WARPS * SEATS + seat; };
  auto load = [&](int base, uint4 (&k)[PLACES], uint4 (&v)[PLACES]) {
#pragma unroll
    for (int u = 0; u < PLACES; u++) {
      const int place = place_of(base, u);
      k[u] = place < end ? load_fresh(key(place)) : make_uint4(0, 0, 0, 0);
      v[u] = place < end ? load_fresh(key(place) + TO_VALUES) : make_uint4(0, 0, 0, 0);
    }
  };
  uint4 next_k[PLACES], next_v[PLACES];
  load(split * share, next_k, next_v);
  for (int base = split * share; base < end; base += ROUND) {
    uint4 k[PLACES], v[PLACES];
    bool inside[PLACES];
#pragma unroll
    for (int u = 0; u < PLACES; u++) {
      inside[u] = place_of(base, u) < end;
      k[u] = next_k[u];
      v[u] = next_v[u];
    }
    // on their way while these are computed
    load(base + ROUND, next_k, next_v);
#pragma unroll
    for (int g = 0; g < QUERIES; g++) {
      float score[PLACES], highest = LOWEST;
#pragma unroll
      for (int u = 0; u < PLACES; u++) {
        // powers of two are quicker than those of e
        score[u] = dot(k[u], q[g]) * (float)SCORE_SCALE;
        if (inside[u]) highest = fmaxf(highest, score[u]);
      }
      softmax[g].rise(highest);
#pragma unroll
      for (int u = 0; u < PLACES; u++) {
        const float weight = inside[u] ? exp2f(score[u] - softmax[g].top) : 0.f;
        float value[PER_LOAD];
        unpack(v[u], value);
        softmax[g].weight += weight;
#pragma unroll
        for (int i = 0; i < PER_LOAD; i++) softmax[g].sum[i] = fmaf(weight, value[i], softmax[g].sum[i]);
      }
    }
  }

#pragma unroll
  for (int g = 0; g < QUERIES; g++) {
#pragma unroll
    for (int distance = LANES; distance < 32; distance *= 2) softmax[g].join(distance);
    if (lane < LANES) {
#pragma unroll
      for (int i = 0; i < PER_LOAD; i++) parts[warp][g][lane * PER_LOAD + i] = softmax[g].sum[i];
      parts[warp][g][HEAD_DIM] = softmax[g].top;
      parts[warp][g][HEAD_DIM + 1] = softmax[g].weight;
    }
  }
  __syncthreads();
  for (int n = threadIdx.x; n < QUERIES * HEAD_DIM; n += ATTENTION_WARPS * 32) {
    const int g = n / HEAD_DIM, i = n % HEAD_DIM;
    const float3 all = put_together(ATTENTION_WARPS, i, [&](int p, int j) { return parts[p][g][j]; });
    if (active == 1) {
      mixed[(head + g) * HEAD_DIM + i] = to_activation(all.x / all.z);
    } else {
      float* partial = partial_of(g) + split * PARTIAL;
      partial[i] = all.x;
      if (i == 0) {
        partial[HEAD_DIM] = all.y;
        partial[HEAD_DIM + 1] = all.z;
      }
    }
  }
  if (active == 1) return;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1u) == active - 1;
    if (last) *arrived = 0;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int n = threadIdx.x; n < QUERIES * HEAD_DIM; n += ATTENTION_WARPS * 32) {
    const int g = n / HEAD_DIM, i = n % HEAD_DIM;
    const float* partial = partial_of(g);
    const float3 all = put_together(active, i, [&](int p, int j) { return load_fresh(partial + p * PARTIAL + j); });
    mixed[(head + g) * HEAD_DIM + i] = to_activation(all.x / all.z);
  }
}
