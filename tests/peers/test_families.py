# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotary kinds and attention windows: logits and training losses of transformers on tiny models of each."""
import numpy as np
import pytest
import torch
import transformers
from conftest import CONFIGS, SHAPE, difference, peer_logits, random_rows

TOKENS = 48

ROPES = {
    "linear": {"rope_type": "linear", "factor": 3.0},
    "dynamic": {"rope_type": "dynamic", "factor": 2.5},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 16},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16},
    "yarn-scaled": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "mscale": 0.8,
                    "mscale_all_dim": 1.2, "beta_fast": 16.0, "truncate": False},
    "longrope": {"rope_type": "longrope", "factor": 2.0, "original_max_position_embeddings": 16,
                 "short_factor": [1.0 + 0.1 * i for i in range(8)], "long_factor": [1.0 + 0.5 * i for i in range(8)]},
}

WINDOWED = {
    "mistral": (transformers.MistralConfig, {"sliding_window": 7}),
    "qwen2": (transformers.Qwen2Config, {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 1}),
    "qwen3": (transformers.Qwen3Config, {"use_sliding_window": True, "sliding_window": 33, "head_dim": 24,
                                         "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
}


def build(config, seed):
    torch.manual_seed(seed)
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()


def losses(model, rows, micro_batch, learning_rate):
    """A plain loop: AdamW without decay, constant rate, clipping at 1."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=0.0)
    result = []
    for begin in range(0, len(rows), micro_batch):
        ids = torch.as_tensor(rows[begin:begin + micro_batch])
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        result.append(loss.item())
    return result


def compare(tmp_path, trainer, model):
    base = tmp_path / "base"
    model.save_pretrained(base)
    for tokens in (12, TOKENS):  # within the first positions, beyond them
        ids = random_rows(2, tokens, seed=tokens)
        assert difference(trainer.logits(tmp_path, base, ids), peer_logits(model, ids)) < 1e-4
    rows = random_rows(6, TOKENS)
    steps = trainer.train(tmp_path, base, rows, method={"type": "full"},
                          training={"max_steps": 3, "micro_batch": 2, "learning_rate": 1e-3, "scheduler": "constant"})
    np.testing.assert_allclose([step["loss"] for step in steps], losses(model.train(), rows, 2, 1e-3), rtol=2e-5)


@pytest.mark.parametrize("name", ROPES)
def test_rotary_kind(tmp_path, trainer, name):
    shape = SHAPE | {"max_position_embeddings": 32}
    model = build(CONFIGS["llama"](**shape, rope_scaling=dict(ROPES[name])), seed=5)
    plain = build(CONFIGS["llama"](**shape), seed=5)
    ids = random_rows(1, TOKENS)
    assert difference(peer_logits(model, ids), peer_logits(plain, ids)) > 1e-3, "the kind must matter here"
    compare(tmp_path, trainer, model)


@pytest.mark.parametrize("name", WINDOWED)
def test_window(tmp_path, trainer, name):
    config, extra = WINDOWED[name]
    model = build(config(**SHAPE, **extra), seed=6)
    full = build(config(**SHAPE, **(extra | {"sliding_window": 1000})), seed=6)
    ids = random_rows(1, TOKENS)
    assert difference(peer_logits(model, ids), peer_logits(full, ids)) > 1e-3, "the window must matter here"
    compare(tmp_path, trainer, model)
