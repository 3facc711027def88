// Sixteen MCP servers from npm: what a lean list of their tools saves, and whether the search finds the right one.
import { parseArgs } from "node:util";
import { readFigures } from "./figures.ts";
import { installServers } from "./install.ts";
import { type DemoInstallation, openInstallation } from "./installation.ts";
import { readGoals } from "./measure.ts";
import { rankAsConfigured, rankByWords } from "./rank-goals.ts";
import { record } from "./recording.ts";
import { type DemoResult, renderResult } from "./report.ts";

const { values } = parseArgs({
  options: {
    recorded: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    words: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

try {
  if (!values.recorded) installServers(say);
  say(values.recorded ? "Replaying recorded servers …" : "Connecting to the servers …");
  const installation = await openInstallation(values.recorded);
  try {
    const result = await measure(installation);
    console.log(values.json ? JSON.stringify(result, undefined, 2) : renderResult(result));
    if (result.servers.some(({ tools }) => tools === 0)) process.exitCode = 1;
  } finally {
    await installation.close();
  }
} catch (error) {
  say(`Cannot show the lean list: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function measure({ app, connected }: DemoInstallation): Promise<DemoResult> {
  if (values.record) record(app);
  const goals = readGoals();
  const byWords = await rankByWords(app, goals);
  if (!values.words) say("Making the vectors of all tools: a minute or two …");
  const asConfigured = values.words ? [] : await rankAsConfigured(app, goals, say);
  return { ...(await readFigures(app, connected)), rankings: [...byWords, ...asConfigured] };
}

/** Beside the result, which a program may read. */
function say(line: string): void {
  console.error(line);
}
