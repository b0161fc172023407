"""What Hugging Face transformers gives on this CPU for a Llama shape: fp32, batch 1, one thread, random weights.

Seen with transformers 5.17 and PyTorch 2.15.
    python3 peer.py hidden intermediate layers heads kvHeads vocab context prompt output runs
"""
import math
import statistics
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

hidden, intermediate, layers, heads, kv_heads, vocab, context, prompt, output, runs = map(int, sys.argv[1:])
torch.set_num_threads(1)
torch.manual_seed(42)
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=vocab, hidden_size=hidden, intermediate_size=intermediate, num_hidden_layers=layers,
    num_attention_heads=heads, num_key_value_heads=kv_heads, max_position_embeddings=context)).eval()


class Times:
    def __init__(self):
        self.times = []

    def put(self, value):
        self.times.append(time.perf_counter())

    def end(self):
        pass


def nearest_rank(values, p):
    return sorted(values)[max(0, math.ceil(p * len(values)) - 1)]


ttft, gaps = [], []
with torch.inference_mode():
    for run in range(runs + 5):
        ids = torch.randint(3, vocab, (1, prompt))
        times = Times()
        start = time.perf_counter()
        model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=output, min_new_tokens=output,
                       do_sample=False, streamer=times, pad_token_id=0)
        arrivals = times.times[1:]
        if run >= 5:
            ttft.append(1e3 * (arrivals[0] - start))
            gaps += [1e3 * (b - a) for a, b in zip(arrivals, arrivals[1:])]
print("transformers, prompt %d: TTFT P50 %.2f ms; ITL P50 %.3f P95 %.3f ms (%d gaps)" % (
    prompt, statistics.median(ttft), nearest_rank(gaps, .5), nearest_rank(gaps, .95), len(gaps)))
