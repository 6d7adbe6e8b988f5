# SPDX-License-Identifier: GPL-3.0-or-later
"""Packed bytes are bitsandbytes', and QLoRA trains as transformers, PEFT and bitsandbytes do together."""
import bitsandbytes.functional
import numpy as np
import peft
import pytest
import torch
import transformers
from conftest import SHAPE, random_rows
from safetensors.numpy import load_file, save_file

STEPS, ROWS, RATE = 6, 2, 5e-3
# Rows of whole blocks: where they are not, bitsandbytes' result depends on the processor (kernels/cpu/four_bit.cpp).
BASE = transformers.Qwen2Config(**(SHAPE | {"hidden_size": 128, "intermediate_size": 192}))


def weights():
    torch.manual_seed(8)
    shapes = {"odd": (7, 33), "one": (1, 1), "zeros": (300, 64), "long": (3, 2048), "many": (1000, 70)}
    found = {name: torch.randn(shape) * 10 ** float(torch.rand(1) * 4 - 3) for name, shape in shapes.items()}
    found["zeros"][:40] = 0
    return found


@pytest.mark.parametrize("kind", ["nf4", "fp4"])
@pytest.mark.parametrize("block", [32, 64, 4096])
@pytest.mark.parametrize("double", [False, True])
def test_bytes(tmp_path, trainer, kind, block, double):
    save_file({name: weight.numpy() for name, weight in weights().items()}, tmp_path / "in.safetensors")
    trainer.run("quantize", "--input", tmp_path / "in.safetensors", "--output", tmp_path / "out.safetensors", "--type", kind,
                "--block", block, *(["--double"] if double else []))
    ours = load_file(tmp_path / "out.safetensors")
    for name, weight in weights().items():
        packed, state = bitsandbytes.functional.quantize_4bit(weight, blocksize=block, quant_type=kind,
                                                              compress_statistics=double)
        expected = {"packed": packed, "absmax": state.absmax}
        if double:
            expected |= {"nested_absmax": state.state2.absmax, "nested_code": state.state2.code, "offset": state.offset}
        for part, value in expected.items():
            np.testing.assert_array_equal(ours[f"{name}.{part}"].reshape(-1), value.numpy().reshape(-1), f"{name}.{part}")
        assert ours[f"{name}.dequant"].shape == tuple(weight.shape)


ADAPTERS = {"lora": peft.LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=8, target_modules=["q_proj", "v_proj", "down_proj"]),
            "ia3": peft.IA3Config(task_type="CAUSAL_LM", target_modules=["k_proj", "v_proj", "down_proj"],
                                  feedforward_modules=["down_proj"])}


@pytest.mark.parametrize("method, kind, double", [("lora", "nf4", True), ("lora", "nf4", False), ("lora", "fp4", False),
                                                  ("ia3", "nf4", True)])
def test_trains_as_the_reference(tmp_path, trainer, method, kind, double):
    torch.manual_seed(4)
    base = tmp_path / "base"
    transformers.AutoModelForCausalLM.from_config(BASE).save_pretrained(base)
    packing = transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=kind, bnb_4bit_use_double_quant=double,
                                              bnb_4bit_compute_dtype=torch.float32)
    model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype="float32", attn_implementation="eager",
                                                              quantization_config=packing)
    model = peft.get_peft_model(model, ADAPTERS[method]).train()  # for inference, bitsandbytes rounds to bf16
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter) * 0.05)
    model.save_pretrained(tmp_path / "start")

    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.0)
    rows, expected = random_rows(STEPS * ROWS, 24), []
    for begin in range(0, len(rows), ROWS):
        ids = torch.as_tensor(rows[begin:begin + ROWS])
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        expected.append((loss.item(), torch.nn.utils.clip_grad_norm_(trained, 1.0).item()))
        optimizer.step()
        optimizer.zero_grad()

    steps = trainer.train(tmp_path, base, rows,
                          method={"type": method, "init_from": str(tmp_path / "start"),
                                  "quantization": {"type": kind, "double": double}},
                          training={"max_steps": STEPS, "micro_batch": ROWS, "learning_rate": RATE, "scheduler": "constant"})
    ours = np.array([(step["loss"], step["grad_norm"]) for step in steps])
    np.testing.assert_allclose(ours[:, 0], np.array(expected)[:, 0], rtol=2e-5)
    np.testing.assert_allclose(ours[:, 1], np.array(expected)[:, 1], rtol=2e-4)
