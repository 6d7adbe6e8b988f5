# SPDX-License-Identifier: GPL-3.0-or-later
"""Every part of a tokenizer.json that we read, against Hugging Face tokenizers on random strings: ids and decoding."""
import json
import os
import random
from pathlib import Path

import pytest
import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, trainers

STRINGS = int(os.environ.get("RENTUNE_STRINGS", "400"))  # per kind; 10,000 by hand
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
SIGN = "▁"


def corpus():
    rows = json.loads((Path(os.environ["RENTUNE_SOURCE"]) / "resources/demo/english_train.json").read_text())
    rows += json.loads((Path(os.environ["RENTUNE_SOURCE"]) / "resources/demo/chinese.json").read_text())
    return [line for row in rows[::4] for text in row.values() for line in text.split("\n") if line]


def trained(normalizer, pre_tokenizer, decoder, alphabet=(), special=(), added=(), **model):
    tokenizer = tokenizers.Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre_tokenizer or pre_tokenizers.Metaspace()
    if normalizer:
        tokenizer.normalizer = normalizer
    trainer = trainers.BpeTrainer(vocab_size=1500, show_progress=False, special_tokens=list(special), limit_alphabet=900,
                                  initial_alphabet=list(alphabet))
    tokenizer.train_from_iterator(corpus(), trainer)
    if not pre_tokenizer:  # trained on words, used on whole texts
        content = json.loads(tokenizer.to_str()) | {"pre_tokenizer": None}
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    if decoder:
        tokenizer.decoder = decoder
    tokenizer.add_tokens(list(added))
    return tokenizer


def spm(**changes):
    """As transformers writes Llama 2's: the sign through the normalizer, bytes for unknown characters."""
    parts = dict(
        normalizer=normalizers.Sequence([normalizers.Prepend(SIGN), normalizers.Replace(" ", SIGN)]), pre_tokenizer=None,
        decoder=decoders.Sequence([decoders.Replace(SIGN, " "), decoders.ByteFallback(), decoders.Fuse(),
                                   decoders.Strip(" ", 1, 0)]),
        special=["<unk>", "<s>", "</s>", *BYTES], byte_fallback=True, fuse_unk=True, unk_token="<unk>")
    return trained(**(parts | changes))


def byte_level(pre_tokenizer=None, **changes):
    parts = dict(normalizer=None, pre_tokenizer=pre_tokenizer or pre_tokenizers.ByteLevel(add_prefix_space=True),
                 decoder=decoders.ByteLevel(), alphabet=pre_tokenizers.ByteLevel.alphabet(), special=["<|end|>"])
    return trained(**(parts | changes))


def metaspace(scheme, split):
    return spm(normalizer=normalizers.NFKC(), pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split),
               decoder=decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme=scheme, split=split)]))


KINDS = {
    "spm": spm,
    "spm-added": lambda: spm(added=[AddedToken("<tool>", lstrip=True), AddedToken("[x]", normalized=True),
                                    AddedToken("wörd", single_word=True, rstrip=True)]),
    "spm-unknown": lambda: spm(special=["<unk>", "<s>"], byte_fallback=False),
    "spm-unknowns": lambda: spm(special=["<unk>"], byte_fallback=True, fuse_unk=False),
    "gemma": lambda: spm(normalizer=normalizers.Replace(" ", SIGN), pre_tokenizer=pre_tokenizers.Split(" ", "merged_with_previous"),
                         decoder=decoders.Sequence([decoders.Replace(SIGN, " "), decoders.ByteFallback(), decoders.Fuse()])),
    "metaspace-always": lambda: metaspace("always", True),
    "metaspace-first": lambda: metaspace("first", True),
    "metaspace-never": lambda: metaspace("never", False),
    "lower": lambda: spm(normalizer=normalizers.Sequence([normalizers.NFKD(), normalizers.Lowercase(), normalizers.Strip(),
                                                          normalizers.Replace(Regex(r"\s+"), " ")]),
                         pre_tokenizer=pre_tokenizers.WhitespaceSplit(), decoder=None),
    "byte-level": byte_level,
    "byte-level-split": lambda: byte_level(pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\p{N}{1,3}|[^\s\p{L}\p{N}]+|\s+"), "isolated"), pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]),
        normalizer=normalizers.NFC()),
    "delimiter": lambda: byte_level(pre_tokenizers.Sequence([
        pre_tokenizers.CharDelimiterSplit("e"), pre_tokenizers.Split("a", "merged_with_next", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=True)]), decoder=decoders.Sequence([decoders.ByteLevel(), decoders.Fuse()])),
}


def random_text(source, lines):
    ranges = [(0, 0x7F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x5FF), (0x900, 0x97F), (0x1100, 0x11FF), (0x2000, 0x206F),
              (0x2580, 0x2590), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFE00, 0xFFFD), (0x1F300, 0x1FAFF),
              (0x20000, 0x2A6DF), (0xE0000, 0xE007F), (0x10FF00, 0x10FFFD)]
    extras = ["<s>", "<tool>", "[x]", "wörd", "<|end|>", "<0x41>", SIGN, "  ", "\n\n", " \t", "12345", "don't", "İ", "ﬁ"]
    parts = []
    for _ in range(source.randint(0, 14)):
        choice = source.random()
        if choice < 0.3:
            words = source.choice(lines).split(" ")
            begin = source.randrange(len(words))
            parts.append(" ".join(words[begin:begin + source.randint(1, 5)]))
        elif choice < 0.5:
            parts.append(source.choice(extras))
        else:
            low, high = source.choice(ranges)
            parts.append("".join(chr(source.randint(low, high)) for _ in range(source.randint(1, 6))))
        parts.append(source.choice(["", "", " "]))
    return "".join(parts)


@pytest.mark.parametrize("name", KINDS)
def test_ids_and_text(tmp_path, trainer, name):
    theirs = KINDS[name]()
    theirs.save(str(tmp_path / "tokenizer.json"))
    source, lines = random.Random(name), corpus()
    texts = ["", " ", "  a", "a\u0301 e\u0301"] + [random_text(source, lines) for _ in range(STRINGS)]
    expected = [theirs.encode(text, add_special_tokens=False).ids for text in texts]
    ids = json.loads(trainer.run("tokenize", "--model", tmp_path, text=json.dumps(texts)).stdout)
    assert [text for text, a, b in zip(texts, ids, expected) if a != b][:3] == []
    shuffled = [source.sample(row, len(row)) for row in expected]  # byte tokens that are no text any more
    for rows in (expected, shuffled):
        decoded = json.loads(trainer.run("detokenize", "--model", tmp_path, text=json.dumps(rows)).stdout)
        assert decoded == [theirs.decode(row, skip_special_tokens=False) for row in rows]
