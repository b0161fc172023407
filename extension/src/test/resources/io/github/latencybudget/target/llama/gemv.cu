// y = W x in half precision, sums in float: LANES_K warps share a row, each warp has ROWS rows at a time, UNROLL loads of 16
// bytes per row are in flight. Rows of W are contiguous; columns is a multiple of 256 * LANES_K * UNROLL or guarded.
typedef unsigned int u32;

__device__ __forceinline__ uint4 stream(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

__device__ __forceinline__ float2 floats(u32 h) {
  float2 f;
  asm("{.reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b;}" : "=f"(f.x), "=f"(f.y) : "r"(h));
  return f;
}

__device__ __forceinline__ float dot(u32 a, u32 b, float sum) {
  float2 x = floats(a), y = floats(b);
  return fmaf(x.x, y.x, fmaf(x.y, y.y, sum));
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
gemv(const uint4* __restrict__ w, const uint4* __restrict__ x, unsigned short* y, int rows, int columns) {
  __shared__ float parts[WARPS][ROWS];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int piece = warp % LANES_K;
  const int first = (blockIdx.x * (WARPS / LANES_K) + warp / LANES_K) * ROWS;
  const int vectors = columns >> 3;
  float sum[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) sum[r] = 0.f;
  if (first < rows) {
    const uint4* base = w + (size_t) first * vectors;
    for (int at = piece * 32 + lane; at < vectors; at += 32 * LANES_K * UNROLL) {
      uint4 a[ROWS][UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) {
        const int v = at + u * 32 * LANES_K;
#pragma unroll
        for (int r = 0; r < ROWS; r++) a[r][u] = v < vectors ? stream(base + (size_t) r * vectors + v) : make_uint4(0, 0, 0, 0);
      }
#pragma unroll
      for (int u = 0; u < UNROLL; u++) {
        const int v = at + u * 32 * LANES_K;
        const uint4 b = v < vectors ? __ldg(x + v) : make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
          sum[r] = dot(a[r][u].x, b.x, dot(a[r][u].y, b.y, dot(a[r][u].z, b.z, dot(a[r][u].w, b.w, sum[r]))));
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], o);
    if (lane == 0) parts[warp][r] = sum[r];
  }
  __syncthreads();
  if (piece == 0 && lane < ROWS && first + lane < rows) {
    float total = 0.f;
#pragma unroll
    for (int p = 0; p < LANES_K; p++) total += parts[warp + p][lane];
    asm("{.reg .b16 h; cvt.rn.f16.f32 h, %1; st.global.b16 [%0], h;}" ::"l"(y + first + lane), "f"(total) : "memory");
  }
}
