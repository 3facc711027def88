import "./support/no-parents.mjs";
import { pathToFileURL } from "node:url";
import { inject } from "vitest";

// Whoever starts haft's own programs inside a test finds them here; see `support/started-built.ts`.
Object.assign(globalThis, { haftBuilt: pathToFileURL(`${inject("built")}/`).href });

// Every test runs on the Node that the repository brings, whatever the machine has.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24)
  throw new Error(
    `Cannot test on Node ${process.versions.node}: run \`npm test\`, which uses the repository's Node 24`,
  );

// Whoever runs the tests may be an agent in its shell, and haft asks people all the same.
for (const name of Object.keys(process.env))
  if (
    /^(?:AGENT|AI_AGENT|AMP_|ANTIGRAVITY_|AUGMENT_|CLAUDE|CLINE_|CODEX_|COPILOT_|CRUSH|CURSOR_|GEMINI_CLI|GOOSE_|OPENCODE|PI_|QWEN_|ROO_)/.test(
      name,
    )
  )
    delete process.env[name];
