# SPDX-License-Identifier: GPL-3.0-or-later
"""A model folder that transformers saved trains here unchanged, and what comes out is one that transformers loads."""
import pytest
import torch
import transformers
from conftest import difference, peer_logits, random_rows, tiny_model


def peer_loss(model, rows):
    ids = torch.as_tensor(rows)
    with torch.no_grad():
        return float(model(input_ids=ids, labels=ids).loss)


@pytest.mark.parametrize("kind, tied, shard_size", [
    ("llama", False, "5GB"), ("llama", True, "100KB"), ("qwen2", True, "5GB"), ("qwen2", False, "100KB"),
    ("qwen3", False, "5GB"), ("qwen3", True, "100KB")])
def test_saved_folder_trains_unchanged(tmp_path, trainer, kind, tied, shard_size):
    base = tmp_path / "base"
    model = tiny_model(kind, tied)
    model.save_pretrained(base, max_shard_size=shard_size)
    assert (len(list(base.glob("*.safetensors"))) > 1) == (shard_size == "100KB")

    ids = random_rows(3, 40, seed=1)
    assert difference(trainer.logits(tmp_path, base, ids), peer_logits(model, ids)) < 1e-4

    rows = random_rows(8, 24)
    steps = trainer.train(tmp_path, base, rows, method={"type": "full"},
                          training={"max_steps": 4, "micro_batch": 2, "learning_rate": 1e-3})
    assert steps[0]["loss"] == pytest.approx(peer_loss(model, rows[:2]), rel=2e-5)

    result = tmp_path / "run" / "model"
    loaded, report = transformers.AutoModelForCausalLM.from_pretrained(
        result, dtype="float32", attn_implementation="eager", output_loading_info=True)
    assert not report["missing_keys"] and not report["unexpected_keys"] and not report["mismatched_keys"]
    theirs = peer_logits(loaded, ids)
    assert difference(trainer.logits(tmp_path, result, ids), theirs) < 1e-4
    assert difference(peer_logits(model, ids), theirs) > 1e-3, "training must have changed the model"
