# SPDX-License-Identifier: GPL-3.0-or-later
"""Every fine-tuning method against PEFT: both go on from the same adapter and train the same rows; then PEFT reads ours."""
import json

import numpy as np
import peft
import pytest
import torch
import transformers
from conftest import difference, peer_logits, random_rows, tiny_model
from safetensors.numpy import load_file
from safetensors.numpy import save_file as save_numpy
from safetensors.torch import save_file
from peft.optimizers import create_loraplus_optimizer

STEPS, ROWS, RATE, DECAY = 12, 3, 5e-3, 0.02

CASES = {
    "dora": ("llama", peft.LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=12, use_dora=True,
                                      target_modules=["q_proj", "v_proj", "down_proj"]), {"type": "dora"}, {}),
    "dora-rslora-bias": ("qwen2", peft.LoraConfig(task_type="CAUSAL_LM", r=6, lora_alpha=6, use_dora=True, use_rslora=True,
                                                  target_modules=["k_proj", "o_proj", "gate_proj"]), {"type": "dora"}, {}),
    "lora-plus": ("qwen3", peft.LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=8, target_modules=["q_proj", "up_proj"]),
                  {"type": "lora"}, {"lora_plus_ratio": 8}),
    "ia3": ("llama", peft.IA3Config(task_type="CAUSAL_LM", target_modules=["k_proj", "v_proj", "down_proj"],
                                    feedforward_modules=["down_proj"]), {"type": "ia3"}, {}),
    "ia3-bias": ("qwen2", peft.IA3Config(task_type="CAUSAL_LM", target_modules=["q_proj", "v_proj", "up_proj", "o_proj"],
                                         feedforward_modules=["up_proj"]), {"type": "ia3"}, {}),
    "prompt": ("llama", peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=5), {"type": "prompt"}, {}),
    "prompt-checkpointed": ("qwen3", peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=9), {"type": "prompt"},
                           {"gradient_checkpointing": True}),
    "prefix": ("qwen2", peft.PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=7), {"type": "prefix"}, {}),
    "ptuning": ("qwen2", peft.PromptEncoderConfig(task_type="CAUSAL_LM", num_virtual_tokens=6, encoder_hidden_size=24),
                {"type": "ptuning", "ptuning": {"hidden": 24}}, {}),
}


def shake(model):
    """Moves a fresh adapter off its start, where many methods do nothing."""
    torch.manual_seed(11)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter) * 0.05)


def optimizer_of(model, training):
    ratio = training.get("lora_plus_ratio", 0)
    options = dict(betas=(0.9, 0.98), eps=1e-8)
    if ratio:
        return create_loraplus_optimizer(model, torch.optim.AdamW, lr=RATE, loraplus_lr_ratio=ratio,
                                         loraplus_weight_decay=DECAY, **options)
    return torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=RATE, weight_decay=DECAY, **options)


def peer_curve(model, rows, training):
    optimizer = optimizer_of(model, training)
    trained = [p for p in model.parameters() if p.requires_grad]
    curve = []
    for step in range(STEPS):
        ids = torch.as_tensor(rows[step * ROWS:(step + 1) * ROWS])
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(trained, 0.7)
        optimizer.step()
        optimizer.zero_grad()
        curve.append((loss.item(), norm.item()))
    return np.array(curve)


@pytest.mark.parametrize("name", CASES)
def test_trains_as_peft(tmp_path, trainer, name):
    kind, config, method, training = CASES[name]
    base = tmp_path / "base"
    tiny_model(kind).save_pretrained(base)

    def load():
        return transformers.AutoModelForCausalLM.from_pretrained(base, dtype="float32", attn_implementation="eager")

    model = peft.get_peft_model(load(), config)
    shake(model)
    model.save_pretrained(tmp_path / "start")
    if method["type"] == "ptuning":  # PEFT does not save what a training goes on from
        encoder = {name: value.detach().clone() for name, value in model.prompt_encoder.default.state_dict().items()}
        save_file({f"prompt_encoder.{name}": value for name, value in encoder.items()},
                  tmp_path / "start" / "prompt_encoder.safetensors")
    rows = random_rows(STEPS * ROWS, 21, seed=31)
    theirs = peer_curve(model.eval(), rows, training)

    ours = trainer.train(tmp_path, base, rows, method=method | {"init_from": str(tmp_path / "start")},
                         training={"max_steps": STEPS, "micro_batch": ROWS, "learning_rate": RATE, "scheduler": "constant",
                                   "weight_decay": DECAY, "betas": [0.9, 0.98], "max_grad_norm": 0.7} | training)
    curve = np.array([(step["loss"], step["grad_norm"]) for step in ours])
    assert np.abs(curve[:, 0] / theirs[:, 0] - 1).max() < 2e-5
    assert np.abs(curve[:, 1] / theirs[:, 1] - 1).max() < 2e-4

    hello = json.loads((tmp_path / "run" / "events.jsonl").read_text().splitlines()[0])
    assert hello["trainable"] == sum(p.numel() for p in model.parameters() if p.requires_grad)

    ids = random_rows(2, 33, seed=2)
    adapter = tmp_path / "run" / "adapter"
    plain, trained = peer_logits(load(), ids), peer_logits(model, ids)
    loaded = peer_logits(peft.PeftModel.from_pretrained(load(), adapter).eval(), ids)
    assert difference(plain, trained) > 1e-2, "the adapter must do something for this to show anything"
    assert difference(loaded, trained) < 1e-4
    assert difference(trainer.logits(tmp_path, base, ids, adapter), loaded) < 1e-4


def test_prefix_and_prompt_see_masks_as_peft(tmp_path, trainer):
    """A batch padded at the front: virtual tokens come before it, visible to every token."""
    base = tmp_path / "base"
    tiny_model("llama").save_pretrained(base)
    ids = random_rows(2, 15, seed=8)
    mask = np.ones_like(ids)
    mask[1, :4] = 0
    for config in (peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4),
                   peft.PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=6)):
        loaded = transformers.AutoModelForCausalLM.from_pretrained(base, dtype="float32", attn_implementation="eager")
        model = peft.get_peft_model(loaded, config)
        adapter = tmp_path / config.peft_type.value
        model.eval().save_pretrained(adapter)
        with torch.no_grad():
            theirs = model(input_ids=torch.as_tensor(ids), attention_mask=torch.as_tensor(mask)).logits.numpy()[:, -ids.shape[1]:]
        save_numpy({"input_ids": ids, "attention_mask": mask}, tmp_path / "in.safetensors")
        trainer.run("forward", "--model", base, "--adapter", adapter, "--input", tmp_path / "in.safetensors",
                    "--output", tmp_path / "out.safetensors")
        ours = load_file(tmp_path / "out.safetensors")["logits"]
        seen = mask == 1
        assert difference(ours[seen], theirs[seen]) < 1e-4


@pytest.mark.parametrize("method", ["dora", "ia3"])
def test_fresh_adapter_starts_at_the_base(tmp_path, trainer, method):
    """The first loss of a fresh adapter is the base model's: magnitudes and scales start neutral."""
    base = tmp_path / "base"
    model = tiny_model("qwen2")
    model.save_pretrained(base)
    rows = random_rows(2, 19, seed=5)
    first = trainer.train(tmp_path, base, rows, method={"type": method}, training={"max_steps": 1, "micro_batch": 2})[0]
    ids = torch.as_tensor(rows)
    with torch.no_grad():
        assert abs(first["loss"] / model(input_ids=ids, labels=ids).loss.item() - 1) < 2e-5
