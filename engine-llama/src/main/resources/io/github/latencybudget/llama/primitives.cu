// What decode.cu needs of the processor, and the types of weights. WEIGHT is FP32, FP16 or BF16.
#define FP32 0
#define FP16 1
#define BF16 2

#if WEIGHT == FP32
typedef float Number;
#else
typedef unsigned short Number;
#endif

// how many numbers one load of 16 bytes gives
constexpr int PER_LOAD = 16 / sizeof(Number);

// Weights go to shared memory without waiting, and past the L1 cache, for they pass by once; zeros if there is nothing to load.
// Never for what another kernel of the step writes.
__device__ __forceinline__ void copy_weights(uint4* to, const uint4* from, bool there) {
  const unsigned int address = (unsigned int)__cvta_generic_to_shared(to);
  const int bytes = there ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

// Ends a group of copies of this thread.
__device__ __forceinline__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until no more than the given number of this thread's groups are on their way.
template <int GROUPS>
__device__ __forceinline__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

// What other kernels write is read past the L1 cache, which knows nothing of them.
__device__ __forceinline__ uint4 load_fresh(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ float4 load_fresh(const float4* p) {
  float4 v;
  asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ float load_fresh(const float* p) {
  float v;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ int load_fresh(const int* p) {
  int v;
  asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ long long load_fresh(const long long* p) {
  long long v;
  asm volatile("ld.global.cg.s64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

// Two numbers of 16 bits, the lower one first.
__device__ __forceinline__ float2 halves(unsigned int bits) {
  float2 f;
#if WEIGHT == FP16
  asm("{.reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b;}" : "=f"(f.x), "=f"(f.y) : "r"(bits));
#else
  f.x = __uint_as_float(bits << 16);
  f.y = __uint_as_float(bits & 0xffff0000u);
#endif
  return f;
}

// The numbers of one load.
__device__ __forceinline__ void unpack(uint4 load, float (&numbers)[PER_LOAD]) {
#if WEIGHT == FP32
  numbers[0] = __uint_as_float(load.x);
  numbers[1] = __uint_as_float(load.y);
  numbers[2] = __uint_as_float(load.z);
  numbers[3] = __uint_as_float(load.w);
#else
  const unsigned int words[4] = {load.x, load.y, load.z, load.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const float2 two = halves(words[i]);
    numbers[2 * i] = two.x;
    numbers[2 * i + 1] = two.y;
  }
#endif
}

__device__ __forceinline__ float to_float(Number number) {
#if WEIGHT == FP32
  return number;
#else
  return halves(number).x;
#endif
}

// Rounds to the nearest, ties to even.
__device__ __forceinline__ Number to_number(float value) {
#if WEIGHT == FP32
  return value;
#elif WEIGHT == FP16
  Number number;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(number) : "f"(value));
  return number;
#else
  Number number;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(number) : "f"(value));
  return number;
#endif
}

#if SLOTS > 1
// --- tensor cores, and weights of 8 and 4 bits; these are FP16 until their scales come in, in float

// As copy_weights, of the word that holds a scale. It stays in the L1 cache, for neighbouring warps and steps take from it too.
__device__ __forceinline__ void copy_word(unsigned int* to, const Number* from) {
  const unsigned int address = (unsigned int)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
}

// Adds the product of 16 rows with 8 columns. A lane has of rows lane / 4 and lane / 4 + 8 the numbers upper and lower, of column
// lane / 4 the numbers b, and of both rows the sums for columns 2 * (lane % 4) and the next.
__device__ __forceinline__ void multiply(
    float (&sum)[4], unsigned int upper0, unsigned int lower0, unsigned int upper1, unsigned int lower1,
    unsigned int b0, unsigned int b1) {
#if WEIGHT == FP16
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#endif
  asm(MMA " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(upper0), "r"(lower0), "r"(upper1), "r"(lower1), "r"(b0), "r"(b1));
}

__device__ __forceinline__ unsigned int subtract(unsigned int a, unsigned int b) {
  unsigned int c;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  return c;
}

// a & b | c, which the compiler would make two instructions of.
__device__ __forceinline__ unsigned int and_or(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

__device__ __forceinline__ uint4 without(uint4 weights, uint4 zeros) {
  return make_uint4(
      subtract(weights.x, zeros.x), subtract(weights.y, zeros.y), subtract(weights.z, zeros.z), subtract(weights.w, zeros.w));
}

__device__ __forceinline__ unsigned int two_numbers(float lower, float upper) {
  return to_number(lower) | (unsigned int)to_number(upper) << 16;
}

// Eight weights of a load, the ones of the given chunk of it; quantised ones without their scale and each with the zero point of
// its place, which costs nothing: in FP16 and exactly, 0x64.. is 1024 plus the lower bits, 0x5c.. is 256 plus those from bit
// 2 on and 0x4c.. is 16 plus those from bit 6 on. Smaller zero points cost fewer digits of the sums, so bits are moved there.
template <int BITS>
__device__ __forceinline__ uint4 weights_of(uint4 load, int chunk) {
  const unsigned int words[4] = {load.x, load.y, load.z, load.w};
  if (BITS == 8) {
    auto two = [&](int word, unsigned int which) { return __byte_perm(words[word % 4], 0x64646464u, which); };
    return make_uint4(two(2 * chunk, 0x4140), two(2 * chunk, 0x4342), two(2 * chunk + 1, 0x4140), two(2 * chunk + 1, 0x4342));
  }
  if (BITS == 4) {
    // nibbles in the order 0, 2, 4, 6, 1, 3, 5, 7
    const unsigned int lower = words[chunk % 4] << 2, upper = words[chunk % 4] >> 6;
    return make_uint4(
        and_or(lower, 0x003c003cu, 0x5c005c00u), and_or(lower, 0x03c003c0u, 0x4c004c00u),
        and_or(upper, 0x003c003cu, 0x5c005c00u), and_or(upper, 0x03c003c0u, 0x4c004c00u));
  }
  return load;
}

// What weights_of makes of zeros: of bytes of 128, or of nibbles of 8.
template <int BITS>
__device__ __forceinline__ uint4 zeros_of() {
  if (BITS == 8) return make_uint4(0x64806480u, 0x64806480u, 0x64806480u, 0x64806480u);
  return make_uint4(0x5c205c20u, 0x4e004e00u, 0x5c205c20u, 0x4e004e00u);
}
#endif
