/** Packages that are built into the program: nobody has to install these. */
export const bundledPackages: readonly string[] = [
  "@agentclientprotocol/sdk",
  "@ai-sdk/anthropic",
  "@ai-sdk/openai-compatible",
  "@ai-sdk/provider",
  "@clack/prompts",
  "@modelcontextprotocol/client",
  "@mozilla/readability",
  "commander",
  "gpt-tokenizer",
  "ipaddr.js",
  "jsonc-parser",
  "linkedom",
  "marked",
  "smol-toml",
  "turndown",
  "turndown-plugin-gfm",
  "unbash",
  "undici",
  "ws",
  "yaml",
];

/** Packages that are built in and installed, too: extensions and the published types name them. */
export const sharedPackages: readonly string[] = ["kysely", "zod"];

/** Entry points: files that haft starts as a program or thread of their own, and files that extensions import. */
export const ownPrograms: readonly string[] = [
  "src/app/records/records-worker.ts",
  "src/host/process/helper.ts",
  "src/host/sandbox/egress/bridge.ts",
  "src/kernel/index.ts",
  "src/modules/embeddings/embed-worker.ts",
  "src/modules/files/pdf-worker.ts",
  "src/modules/script/script-worker.ts",
  "src/modules/web/page/page-worker.ts",
  "src/sources/extensions/worker.ts",
];
