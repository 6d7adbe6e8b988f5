# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests against the reference implementations share: tiny models made by transformers, and our trainer."""
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
import yaml
from safetensors.numpy import load_file, save_file

VOCABULARY = 320

SHAPE = dict(hidden_size=64, intermediate_size=160, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
             vocab_size=VOCABULARY, max_position_embeddings=256, initializer_range=0.2, eos_token_id=1, pad_token_id=0,
             bos_token_id=None)

CONFIGS = {"llama": transformers.LlamaConfig, "qwen2": transformers.Qwen2Config, "qwen3": transformers.Qwen3Config}


def tiny_model(kind, tied=False):
    torch.manual_seed(3)
    extra = {"head_dim": 24} if kind == "qwen3" else {}
    config = CONFIGS[kind](**SHAPE, **extra, tie_word_embeddings=tied)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    return model.eval()


def random_rows(count, length, seed=9):
    return np.random.default_rng(seed).integers(2, VOCABULARY, (count, length))


@dataclass
class Trainer:
    """The built rentune-trainer."""
    program: str

    def run(self, *arguments, code=0, text=None):
        result = subprocess.run([self.program, *map(str, arguments)], input=text, capture_output=True, text=True,
                                timeout=300, check=False)
        assert result.returncode == code, result.stderr
        return result

    def train(self, folder: Path, model: Path, rows, **sections):
        """Trains on `rows` in their order; gives the step events."""
        data = folder / "rows.jsonl"
        data.write_text("".join(json.dumps({"input_ids": row.tolist()}) + "\n" for row in rows))
        job = {"version": 1, "name": "peers", "model": {"path": str(model)},
               "data": {"train": [str(data)], "format": "tokens", "shuffle": False}, "hardware": {"device": "cpu"}}
        job |= sections
        (folder / "job.yaml").write_text(yaml.safe_dump(job))
        self.run("train", folder / "job.yaml", "--run-dir", folder / "run")
        events = [json.loads(line) for line in (folder / "run" / "events.jsonl").read_text().splitlines()]
        return [event for event in events if event["type"] == "step"]

    def logits(self, folder: Path, model: Path, ids, adapter=None):
        save_file({"input_ids": np.asarray(ids, dtype=np.int64)}, folder / "in.safetensors")
        more = ["--adapter", adapter] if adapter else []
        self.run("forward", "--model", model, "--input", folder / "in.safetensors", "--output",
                 folder / "out.safetensors", *more)
        return load_file(folder / "out.safetensors")["logits"]


@pytest.fixture(scope="session")
def trainer():
    return Trainer(os.path.join(os.environ["RENTUNE_BIN"], "rentune-trainer"))


@torch.no_grad()
def peer_logits(model, ids):
    """At the places of `ids`: PEFT gives those of virtual tokens before them too."""
    ids = torch.as_tensor(np.asarray(ids))
    return model(input_ids=ids).logits.float().numpy()[:, -ids.shape[1]:]


def difference(ours, theirs):
    """Largest difference over the largest logit."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())
