# the two limits of a card, synchronised: copy bandwidth (bytes read and written) and the fp16 matrix rate
import statistics, time, torch
def timed(work, n=20):
    for _ in range(3): work()
    torch.cuda.synchronize(); times = []
    for _ in range(n):
        torch.cuda.synchronize(); t = time.perf_counter(); work(); torch.cuda.synchronize(); times.append(time.perf_counter() - t)
    return statistics.median(times)
a = torch.empty(2 << 30, dtype=torch.uint8, device='cuda'); b = torch.empty_like(a)
print('copy %.2f TB/s' % (2 * a.numel() / timed(lambda: b.copy_(a)) / 1e12)); del a, b
for n, k, m in [(8192, 8192, 8192), (4096, 4096, 4096), (512, 4096, 12288), (512, 4096, 22016), (2048, 4096, 12288), (2048, 4096, 22016), (2048, 11008, 4096)]:
    x = torch.randn(n, k, dtype=torch.float16, device='cuda'); w = torch.randn(m, k, dtype=torch.float16, device='cuda') * 0.02
    def work(r=10):
        for _ in range(r): torch.nn.functional.linear(x, w)
    print('linear %d x %d x %d: %.0f TFLOP/s' % (n, k, m, 10 * 2 * n * k * m / timed(work) / 1e12))
