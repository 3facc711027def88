"""The weights of the package haft-encoder: all-MiniLM-L6-v2 with 8 bits a number, and its tokenizer."""

import hashlib
import json
import shutil
import sys
from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

from teacher import MINILM_FOLDER, minilm_graph

package = Path(sys.argv[1])
weights = package / "weights"
weights.mkdir(exist_ok=True)
whole = weights / "whole.onnx"
onnx.save(minilm_graph(), whole)
# A scale a column, and 7 bits for what processors without VNNI add up in 16: more would overflow there.
quantize_dynamic(whole, weights / "model.onnx", weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
whole.unlink()
for name in ("tokenizer.json", "tokenizer_config.json"):
    shutil.copyfile(MINILM_FOLDER / name, weights / name)
file = package / "model.json"
described = json.loads(file.read_text())
described["files"] = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in sorted(weights.iterdir())}
file.write_text(json.dumps(described, indent=2) + "\n")
