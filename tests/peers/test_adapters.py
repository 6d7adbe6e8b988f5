# SPDX-License-Identifier: GPL-3.0-or-later
"""An adapter that our trainer trains is read by the real PEFT, which computes the same."""
import peft
import pytest
import transformers
from conftest import difference, peer_logits, random_rows, tiny_model

METHODS = {
    "all-linear": {"targets": "all-linear", "rank": 8, "alpha": 32},
    "attention-rslora": {"targets": ["q_proj", "v_proj"], "rank": 4, "alpha": 32, "rslora": True},
    "patterns": {"targets": ["q_proj", "up_proj", "down_proj"], "rank": 4, "alpha": 32, "dropout": 0.1,
                 "rank_pattern": {"up_proj": 6}, "alpha_pattern": {"layers.1.mlp.up_proj": 8}},
}


@pytest.mark.parametrize("kind, method", [("llama", "all-linear"), ("qwen2", "attention-rslora"), ("qwen3", "patterns")])
def test_peft_loads_our_adapter(tmp_path, trainer, kind, method):
    base = tmp_path / "base"
    tiny_model(kind).save_pretrained(base)
    steps = trainer.train(tmp_path, base, random_rows(40, 24), method={"type": "lora"} | METHODS[method],
                          training={"max_steps": 20, "micro_batch": 2, "learning_rate": 2e-2, "scheduler": "constant"})
    assert len(steps) == 20

    model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype="float32", attn_implementation="eager")
    ids = random_rows(3, 40, seed=1)
    plain = peer_logits(model, ids)
    adapter = tmp_path / "run" / "adapter"
    adapted = peer_logits(peft.PeftModel.from_pretrained(model, adapter).eval(), ids)
    ours = trainer.logits(tmp_path, base, ids, adapter)

    change = difference(plain, adapted)
    error = difference(ours, adapted)
    assert change > 1e-2, "the adapter must do something for this to show anything"
    assert error < 1e-4 and error * 100 < change, f"error {error:.1e}, change {change:.1e}"
