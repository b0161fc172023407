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
