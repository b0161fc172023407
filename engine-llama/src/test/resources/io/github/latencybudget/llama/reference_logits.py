"""Computes the logits that the tests compare with, by Hugging Face transformers in float32.

Made with Python 3.11, torch 2.15.0 and transformers 5.17.0:
    java -cp <test class path> io.github.latencybudget.llama.WriteReferenceModels <folder>
    python reference_logits.py <folder>
It writes reference_<model>.json beside this file for every model in the folder.
"""
import json, pathlib, sys

import torch
from transformers import AutoModelForCausalLM

for folder in sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if p.is_dir()):
    ids = json.loads((folder / "ids.json").read_text())
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0]
        greedy = model.generate(torch.tensor([ids]), max_new_tokens=20, do_sample=False, eos_token_id=-1)[0, len(ids):]
    result = {
        "ids": ids,
        "greedy": greedy.tolist(),
        "logits": [[float(f"{x:.7g}") for x in row] for row in logits.tolist()],
    }
    (pathlib.Path(__file__).parent / f"reference_{folder.name}.json").write_text(json.dumps(result, separators=(",", ":")) + "\n")
    print(folder.name, tuple(logits.shape), "largest", float(logits.abs().max()), "greedy", result["greedy"])
