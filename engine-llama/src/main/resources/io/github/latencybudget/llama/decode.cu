// One step of a Llama decoder for the sequences of a table: takes the latest token of each, adds its key and value to the
// sequence's cache, chooses the next token. What all ways to compute it share; gemv.cu has the products for one sequence, batch.cu
// those for several. All shapes are macros, in capitals, given by KernelShape and BatchShape: SLOTS is how many sequences the
// kernels compute for, 1 in gemv.cu. Weights are read once, in their type; sums are float.

// A sequence and where it is. Tokens and positions move on by themselves from step to step.
struct Slot {
  int token;
  int position;                // the place of the token in the sequence, from 0
  long long cache;             // address of its keys and values, [layer][place][2 * KV_HEADS][HEAD_DIM]
  long long layer_bytes;       // from the keys and values of one layer to those of the next
};

struct State {
  long long active;            // so many of the first slots have a sequence, the others are left alone
  Slot slots[MOST_SLOTS];
  unsigned long long best[MOST_SLOTS];  // the best of the logits so far, see rank
  unsigned int finished;       // blocks of the last kernel
};

// What a product takes: float for one sequence, the type of the weights where tensor cores compute.
#if SLOTS == 1
typedef float Activation;
__device__ __forceinline__ Activation to_activation(float value) { return value; }
#else
typedef Number Activation;
__device__ __forceinline__ Activation to_activation(float value) { return to_number(value); }
#endif

// Where intermediate results are, for each slot one after the other.
struct Work {
  State* state;
  long long* answers;          // on the host: the chosen tokens
  const float* frequencies;    // [HEAD_DIM / 2] of RoPE
  float* turn;                 // [HEAD_DIM / 2][2], cosine and sine at this position
  float* residual;             // [HIDDEN]
  Activation* normed;          // [HIDDEN], for several sequences only
  float* query;                // [HEADS, HEAD_DIM]
  Activation* mixed;           // [HEADS, HEAD_DIM], what attention gives
  Activation* inner;           // [INTERMEDIATE]
  float* logits;               // [VOCABULARY]
  float* partial;              // [HEADS, SHARES, HEAD_DIM + 2] of all slots, attention of a part of the places: sum, largest score, weight
  unsigned int* arrived;       // [HEADS / QUERIES], blocks of attention
};

constexpr unsigned int ALL = 0xffffffffu;

extern __shared__ float4 shared_memory[];

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(ALL, value, distance);
  return value;
}

// All kernels have the same arguments and use of them what they need: a matrix, the scale of the norm before it, the scales of its
// weights where they are quantised, and the number of the layer.
#define KERNEL(name, threads, blocks) \
  extern "C" __global__ void __launch_bounds__(threads, blocks) \
  name(const Work work, const Number* matrix, const Number* norm, const Number* scales, int layer)

// The embedding of the latest token of a slot, and the turn of its position.
KERNEL(enter, 512, 1) {
  const int column = blockIdx.x;
  if (column >= (int)load_fresh(&work.state->active)) return;
  const Slot* slot = work.state->slots + column;
  const Number* row = matrix + (size_t)load_fresh(&slot->token) * HIDDEN;
  float* residual = work.residual + (size_t)column * HIDDEN;
  float* turn = work.turn + column * HEAD_DIM;
  for (int i = threadIdx.x; i < HIDDEN; i += blockDim.x) residual[i] = to_float(row[i]);
  for (int i = threadIdx.x; i < HEAD_DIM / 2; i += blockDim.x) {
    const float angle = (float)load_fresh(&slot->position) * work.frequencies[i];
    turn[2 * i] = cosf(angle);
    turn[2 * i + 1] = sinf(angle);
  }
}

// The keys and values of a slot in a layer, [place][2 * KV_HEADS][HEAD_DIM].
__device__ __forceinline__ Number* cache_of(const Slot* slot, int layer) {
  return (Number*)(load_fresh(&slot->cache) + layer * load_fresh(&slot->layer_bytes));
}

// --- pairs of rows that are computed together: row(pair, 0 or 1) says which they are, and what follows takes both products

// A pair is what RoPE turns together.
__device__ __forceinline__ int turned_row(int pair, int r) {
  constexpr int HALF = HEAD_DIM / 2;
  return pair / HALF * HEAD_DIM + pair % HALF + r * HALF;
}

// A pair of rows of queries, keys or values: queries and keys are turned, keys and values go to their place in the cache.
__device__ __forceinline__ void keep(const Work& work, Number* place, int column, int pair, float a, float b) {
  constexpr int HALF = HEAD_DIM / 2;
  const int head = pair / HALF, i = pair % HALF;
  if (head < HEADS + KV_HEADS) {
    const float* turn = work.turn + column * HEAD_DIM + 2 * i;
    const float cosine = load_fresh(turn), sine = load_fresh(turn + 1);
    const float turned = a * cosine - b * sine;
    b = b * cosine + a * sine;
    a = turned;
  }
  if (head < HEADS) {
    float* query = work.query + (column * HEADS + head) * HEAD_DIM + i;
    query[0] = a;
    query[HALF] = b;
  } else {
    Number* entry = place + (head - HEADS) * HEAD_DIM + i;
    entry[0] = to_number(a);
    entry[HALF] = to_number(b);
  }
}

// A matrix whose rows are taken as they come, the last one twice if their number is odd.
template <int ROWS>
__device__ __forceinline__ int neighbour(int pair, int r) {
  return min(2 * pair + r, ROWS - 1);
}

__device__ __forceinline__ void add_to_residual(const Work& work, int column, int pair, float a, float b) {
  float* two = work.residual + (size_t)column * HIDDEN + 2 * pair;
  two[0] = load_fresh(two) + a;
  two[1] = load_fresh(two + 1) + b;
}

// A pair is a row of the gate and the same row of up.
__device__ __forceinline__ int gate_or_up_row(int pair, int r) { return pair + r * INTERMEDIATE; }

__device__ __forceinline__ float gated(float gate, float up) { return gate / (1.f + expf(-gate)) * up; }

// Larger for a larger logit, and of equal ones for the one with the lower index.
__device__ __forceinline__ unsigned long long rank(float logit, int index) {
  const unsigned int bits = __float_as_uint(logit + 0.f);
  const unsigned int ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
  return (unsigned long long)ordered << 32 | (0xffffffffu - index);
}

// Writes a pair of logits, and gives the rank of the better one.
__device__ __forceinline__ unsigned long long better(const Work& work, int column, int pair, float a, float b) {
  float* logits = work.logits + (size_t)column * VOCABULARY;
  const int index = 2 * pair;
  logits[index] = a;
  unsigned long long best = rank(a, index);
  if (index + 1 < VOCABULARY) {
    logits[index + 1] = b;
    best = max(best, rank(b, index + 1));
  }
  return best;
}

// Ends the last kernel of a step, after every block has told what it found to State::best: the block that finishes last tells the
// tokens and moves the positions on.
__device__ __forceinline__ void tell(const Work& work) {
  __shared__ bool last;
  State* state = work.state;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&state->finished, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int column = threadIdx.x; column < (int)load_fresh(&state->active); column += blockDim.x) {
    const int token = (int)(0xffffffffu - (unsigned int)atomicExch(&state->best[column], 0ull));
    Slot* slot = state->slots + column;
    slot->token = token;
    slot->position = load_fresh(&slot->position) + 1;
    *(volatile long long*)(work.answers + column) = token;
  }
  if (threadIdx.x == 0) state->finished = 0;
  __threadfence_system();
}
