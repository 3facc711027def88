import { readFileSync } from "node:fs";
import wabt from "wabt";

const source = "src/modules/memory/store/vectors/kernel/hamming.wat";

/** What hamming.wat is as WebAssembly. */
export async function compileHamming(): Promise<Uint8Array> {
  const module = (await wabt()).parseWat(source, readFileSync(source, "utf8"), { simd: true });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}
