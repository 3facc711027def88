// Writes src/modules/memory/store/vectors/kernel/hamming-wasm.ts: what hamming.wat is compiled to. A test holds the two together.
import { writeFileSync } from "node:fs";
import { compileHamming } from "../test/support/wasm.ts";

const base64 = Buffer.from(await compileHamming()).toString("base64");
const lines = base64.match(/.{1,100}/g) ?? [];
const text = `// Made of hamming.wat by scripts/build-wasm.ts. Do not edit.
export const hammingWasm: string =
${lines.map((line) => `  "${line}"`).join(" +\n")};
`;
writeFileSync("src/modules/memory/store/vectors/kernel/hamming-wasm.ts", text);
