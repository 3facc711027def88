// Keeps a package from being packed without its weights, or with others than model.json says.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

const at = (name) => new URL(name, import.meta.url);
const { files } = JSON.parse(readFileSync(at("model.json"), "utf8"));
for (const [name, digest] of Object.entries(files)) {
  const found = hash("sha256", readFileSync(at(`weights/${name}`)));
  if (found !== digest)
    throw new Error(
      `Cannot pack haft-encoder: weights/${name} has the SHA-256 ${found}, and model.json says ${digest}; make it by scripts/encoder/encoder.py`,
    );
}
