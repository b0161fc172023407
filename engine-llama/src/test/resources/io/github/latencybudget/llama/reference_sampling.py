"""Computes the distributions that the tests compare with: by the logits processors that transformers' own generate makes.

Made with Python 3.11, torch 2.15.0 and transformers 5.17.0:
    python reference_sampling.py
It writes reference_sampling.json beside this file.
"""
import json, pathlib

import torch
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM

VOCABULARY = 300
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1))
random = torch.Generator().manual_seed(7)
# as wide as a model's, so that top-p cuts somewhere in the middle; rounded, so that there are ties
logits = (torch.randn([VOCABULARY], generator=random) * 2.5).mul(64).round().div(64)
ids = torch.randint(0, VOCABULARY, [40], generator=random)

# temperature, top-k, top-p, repetition penalty
cases = [
    (1.0, 0, 1.0, 1.0), (0.8, 0, 0.9, 1.0), (0.95, 0, 0.95, 1.0), (0.7, 40, 1.0, 1.0), (1.3, 50, 0.8, 1.0),
    (1.0, 0, 1.0, 1.3), (0.6, 20, 0.9, 1.1), (1.0, 1, 1.0, 1.0), (1.0, 0, 0.001, 1.0), (2.0, 1000, 0.99, 0.7),
    (0.05, 0, 1.0, 1.0),
]
results = []
for temperature, top_k, top_p, penalty in cases:
    config = GenerationConfig(
        do_sample=True, temperature=temperature, top_k=top_k, top_p=top_p, repetition_penalty=penalty)
    processors = model._get_logits_processor(generation_config=config, input_ids_seq_length=len(ids))
    scores = processors(ids[None], logits[None].clone())
    probabilities = scores.softmax(-1)[0].tolist()
    results.append({
        "temperature": temperature, "topK": top_k, "topP": top_p, "repetitionPenalty": penalty,
        "processors": [type(p).__name__ for p in processors],
        "probabilities": {str(i): float(f"{p:.8g}") for i, p in enumerate(probabilities) if p > 0},
    })
    print(temperature, top_k, top_p, penalty, results[-1]["processors"], len(results[-1]["probabilities"]))
reference = {"logits": logits.tolist(), "ids": ids.tolist(), "cases": results}
(pathlib.Path(__file__).parent / "reference_sampling.json").write_text(json.dumps(reference, separators=(",", ":")) + "\n")
