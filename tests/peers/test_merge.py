# SPDX-License-Identifier: GPL-3.0-or-later
"""`merge` against PEFT's merge_and_unload, and the folder it leaves against what transformers reads."""
import json

import numpy as np
import peft
import pytest
import torch
import transformers
from conftest import difference, peer_logits, random_rows, tiny_model
from safetensors.torch import load_file

CASES = {
    "lora": ("llama", peft.LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "down_proj"], rank_pattern={"q_proj": 2}),
             False, "patterns"),
    "rslora": ("qwen2", peft.LoraConfig(r=4, lora_alpha=6, use_rslora=True, target_modules="all-linear"), True, None),
    "dora": ("qwen3", peft.LoraConfig(r=3, lora_alpha=6, use_dora=True, target_modules=["k_proj", "up_proj"]), True, "DoRA"),
    "ia3": ("qwen2", peft.IA3Config(target_modules=["k_proj", "v_proj", "down_proj"], feedforward_modules=["down_proj"]), False,
            "LoRA"),
}


def adapted(base, folder, config, dtype):
    model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype=dtype, attn_implementation="eager")
    model = peft.get_peft_model(model, config)
    torch.manual_seed(12)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    model.save_pretrained(folder)
    return model


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_merge(tmp_path, trainer, name, dtype):
    kind, config, tied, refusal = CASES[name]
    base, merged = tmp_path / "base", tmp_path / "merged"
    tiny_model(kind, tied).to(getattr(torch, dtype)).save_pretrained(base, max_shard_size="100KB" if tied else "5GB")
    model = adapted(base, tmp_path / "adapter", config, dtype)
    trainer.run("merge", "--model", base, "--adapter", tmp_path / "adapter", "--output", merged)

    names = {path.name for path in base.glob("*.safetensors*")}
    assert names == {path.name for path in merged.glob("*.safetensors*")}
    theirs = model.merge_and_unload().state_dict()
    ours = {}
    for path in merged.glob("*.safetensors"):
        ours |= load_file(path)
    assert set(ours) == {key for path in base.glob("*.safetensors") for key in load_file(path)}
    for key, value in ours.items():
        assert value.dtype == theirs[key].dtype
        unit = torch.finfo(value.dtype).eps * theirs[key].float().abs().clamp(min=1e-3)
        assert ((value.float() - theirs[key].float()).abs() <= unit).all(), key

    report = json.loads((merged / "merge_report.json").read_text())
    assert report["prompts"] == 8 and 0 <= report["mean_abs"] <= report["max_abs"] < (0.5 if dtype == "bfloat16" else 1e-3)
    assert report["servable"]["lora"] == (refusal is None)
    assert refusal is None or refusal in report["servable"]["reason"]
    loaded = transformers.AutoModelForCausalLM.from_pretrained(merged, dtype="float32", attn_implementation="eager")
    ids = random_rows(2, 20)
    assert difference(trainer.logits(tmp_path, merged, ids), peer_logits(loaded, ids)) < 1e-4


def test_refuses_what_has_no_weights_to_merge(tmp_path, trainer):
    base = tmp_path / "base"
    tiny_model("llama").save_pretrained(base)
    adapted(base, tmp_path / "prompt", peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4), "float32")
    result = trainer.run("merge", "--model", base, "--adapter", tmp_path / "prompt", "--output", tmp_path / "merged", code=2)
    assert "virtual tokens" in result.stderr
    assert not (tmp_path / "merged").exists()
    trainer.run("merge", "--model", base, "--adapter", tmp_path / "prompt", "--output", base, code=2)
    assert np.isfinite(trainer.logits(tmp_path, base, random_rows(1, 8))).all()
