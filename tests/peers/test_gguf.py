# SPDX-License-Identifier: GPL-3.0-or-later
"""What import-gguf makes of the demo's model: the tokenizer is the GGUF's, and transformers computes the same with it."""
import json
import os
from pathlib import Path

import gguf
import pytest
import tokenizers
import torch
import transformers
from conftest import difference, peer_logits
from tokenizers import models, pre_tokenizers

CONTROL = 3  # tokenizer.ggml.token_type of a control token


@pytest.fixture(scope="module")
def source():
    return next((Path(os.environ["RENTUNE_DEPS"]) / "smollm2").glob("*.gguf"))


@pytest.fixture(scope="module")
def imported(trainer, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("smollm2")
    trainer.run("import-gguf", source, "--output", folder)
    return folder


@pytest.fixture(scope="module")
def lines():
    """Every line of the bundled instruction data."""
    found = []
    for path in sorted((Path(os.environ["RENTUNE_SOURCE"]) / "resources" / "demo").glob("*.json")):
        for row in json.loads(path.read_text()):
            found += [line for text in row.values() for line in text.split("\n") if line]
    assert len(found) >= 2000
    return found


def built_tokenizer(meta):
    """SmolLM2's: each digit alone, then GPT-2's pattern, then byte-level BPE with the file's merges."""
    assert meta["tokenizer.ggml.model"] == "gpt2" and meta["tokenizer.ggml.pre"] == "smollm"
    tokens = meta["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in meta["tokenizer.ggml.merges"]]
    tokenizer = tokenizers.Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.add_special_tokens([token for token, kind in zip(tokens, meta["tokenizer.ggml.token_type"])
                                  if kind == CONTROL])
    return tokenizer


def test_tokenizer_is_the_gguf_s(trainer, source, imported, lines):
    lines = lines + ["<|im_start|>user\nHow much is 12345 + 6?<|im_end|>\n", "  spaces   and\ttabs\r\n", "naïve café 🙂", ""]
    built = built_tokenizer(gguf.metadata(source))
    expected = [built.encode(line, add_special_tokens=False).ids for line in lines]

    written = tokenizers.Tokenizer.from_file(str(imported / "tokenizer.json"))
    assert [written.encode(line, add_special_tokens=False).ids for line in lines] == expected

    ours = json.loads(trainer.run("tokenize", "--model", imported, text=json.dumps(lines)).stdout)
    wrong = [line for line, a, b in zip(lines, ours, expected) if a != b]
    assert not wrong, f"{len(wrong)} of {len(lines)}, first {wrong[0]!r}"
    decoded = json.loads(trainer.run("detokenize", "--model", imported, text=json.dumps(expected)).stdout)
    assert decoded == lines


def test_transformers_computes_the_same(tmp_path, trainer, imported):
    tokenizer = transformers.AutoTokenizer.from_pretrained(imported)
    model = transformers.AutoModelForCausalLM.from_pretrained(imported, dtype=torch.float32).eval()
    prompt = tokenizer.apply_chat_template([{"role": "user", "content": "What is the capital of France?"}],
                                           add_generation_prompt=True, tokenize=False)
    ids = [tokenizer(prompt, add_special_tokens=False).input_ids]
    assert difference(trainer.logits(tmp_path, imported, ids), peer_logits(model, ids)) < 1e-4
