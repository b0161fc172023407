"""Computes the RoPE frequencies that LlamaConfigTest compares with, by Hugging Face transformers in float32.

Made with Python 3.11, torch 2.15.0 and transformers 5.17.0:
    python reference_rope.py
It writes reference_rope.json beside this file.
"""
import json, pathlib

from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

cases = []
for head_dim, theta, factor in [(128, 10000.0, 1), (128, 10000.0, 4), (128, 10000.0, 8), (128, 10000.0, 2.5), (16, 500000.0, 1), (48, 1000000.0, 3)]:
    rope = {"rope_type": "default" if factor == 1 else "linear", "rope_theta": theta}
    if factor != 1:
        rope["factor"] = float(factor)
    config = LlamaConfig(hidden_size=4 * head_dim, num_attention_heads=4, head_dim=head_dim, rope_parameters=rope)
    frequencies = LlamaRotaryEmbedding(config).inv_freq.tolist()
    cases.append({"headDim": head_dim, "theta": theta, "factor": float(factor), "frequencies": frequencies})
(pathlib.Path(__file__).parent / "reference_rope.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")
print(len(cases), "cases")
