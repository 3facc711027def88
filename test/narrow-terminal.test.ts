import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { openStore } from "../src/app/store/index.ts";
import { renderOverview } from "../src/cli/help.ts";
import { Terminal } from "../src/cli/terminal.ts";
import { displayWidth } from "../src/cli/text/display-width.ts";
import { sampleCall, sampleOutcome } from "./fixtures/store/sample-call.ts";
import { runCommand } from "./support/command-line.ts";
import { Installation } from "./support/installation.ts";

const long = "a-very-long-name-that-somebody-gave-without-a-thought";

const prices = [
  { costMicros: 1_234_567, priced: "estimated" },
  { costMicros: undefined, priced: "no" },
] as const;

/** An installation whose calls, rules, hooks, servers, tools, memories and secrets all have long names. */
async function fill(place: Installation): Promise<void> {
  await using store = await openStore({ path: place.home.database });
  for (const number of [1, 2]) {
    const call = sampleCall(`c_mfy3k2ab_x7k2p${number}`);
    await store.ledger.end(
      {
        ...call,
        toolName: `${long}_${number}`,
        project: place.folder,
        client: { name: long, version: "1.0.0" },
      },
      sampleOutcome(),
    );
    await store.changes.record({
      scope: "local",
      callId: call.callId,
      path: join(place.folder, long, long),
      before: null,
      afterHash: "0".repeat(64),
    });
  }
  for (const price of prices) {
    const counts = {
      inputTokens: 1_000_000,
      cacheReadTokens: 900_000,
      cacheWriteTokens: 0,
      outputTokens: 90_000,
    };
    await store.usage.begin({
      scope: "local",
      model: `${long}/${price.priced}`,
      agentId: long,
      purpose: "step",
      reserved: { ...counts, reasoningTokens: 0, ...price },
    });
  }
  const task = { scope: "local", projectId: long, title: `${long} `.repeat(3) };
  const { id } = await store.tasks.create(task);
  await store.tasks.create({ ...task, dependsOn: [id], parentId: id });
  for (const channel of ["terminal", "task"])
    await store.sessions.open({ scope: "local", agentId: long, channel, title: task.title });
  place.home.write(
    "config.yml",
    `permissions:
  - { decision: deny, tool: ${long}, target: "${long}/${long}/**", reason: "${`${long} `.repeat(3)}" }
mcpServers:
  ${long}:
    command: /opt/${long}/bin/${long}
    args: ["--${long}", "${long}"]
    paths: ["/srv/${long}"]
hooks:
  - { id: ${long}, type: pre_tool, tools: ["*"], command: "true ${long}" }
`,
  );
  mkdirSync(join(place.home.folder, "agent", "tools"), { recursive: true });
  writeFileSync(
    join(place.home.folder, "agent", "tools", "long.md"),
    `---\nid: ${long}\nname: Long\ndescription: "${`${long} `.repeat(3)}"\ncommand: "true"\n---\n`,
  );
  for (const text of [`${long} `.repeat(4), "short"])
    await run(place, 80, ["call", "memory_store", JSON.stringify({ content: text, names: [long] })]);
}

/** Runs a command line at a terminal of so many columns, in this process. */
async function run(place: Installation, columns: number, args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runCommand(args, { place, columns });
  return {
    exitCode,
    stdout: stripVTControlCharacters(stdout),
    stderr: stripVTControlCharacters(stderr),
  };
}

const listings = [
  ["tools"],
  ["tools", "packs"],
  ["tools", "--cost"],
  ["tools", "search", "read a web page"],
  ["tools", "show", "bash"],
  ["audit"],
  ["audit", "--all"],
  ["audit", "c_mfy3k2ab_x7k2p1"],
  ["usage"],
  ["usage", "--by", "model"],
  ["usage", "--by", "tool"],
  ["undo"],
  ["approvals"],
  ["grants"],
  ["policy"],
  ["hooks"],
  ["memory"],
  ["memory", "list"],
  ["memory", "search", "short"],
  ["tasks"],
  ["tasks", "tree"],
  ["sessions"],
  ["sessions", "--all"],
  ["mcp", "list"],
  ["serve", "status"],
  ["secret", "list"],
  ["help"],
  ["help", "exit-codes"],
] as const;

test.for([80, 60])(
  "every listing fits a terminal of %i columns, whatever the names in it",
  async (columns) => {
    const place = new Installation();
    await fill(place);
    const tooWide: string[] = [];
    for (const args of listings) {
      const { stdout, stderr, exitCode } = await run(place, columns, args);
      expect([args, exitCode === 0 || exitCode === 3 ? "" : stderr]).toEqual([args, ""]);
      const lines = stdout.split("\n").filter((line) => displayWidth(line) > columns);
      tooWide.push(...lines.map((line) => `haft ${args.join(" ")}: ${line}`));
    }
    expect(tooWide).toEqual([]);
  },
);

test.for(["chat", "run", "sessions", "tasks", "models", "usage", "call"])(
  "the help of haft %s fits a terminal of 40 columns, and breaks between words",
  async (name) => {
    const place = new Installation();
    const { stdout } = await run(place, 40, [name, "--help"]);
    expectToFit(stdout);
  },
);

test("the overview of all commands fits a terminal of 40 columns", () => {
  const stream = () => Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
  const terminal = new Terminal({ stdin: stream(), stdout: stream(), stderr: stream() });
  expectToFit(stripVTControlCharacters(renderOverview(terminal)));
});

/** A word that is longer than a line stays whole, so that it can be copied. */
function expectToFit(text: string): void {
  const lines = text.split("\n");
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => displayWidth(line) > 40 && line.trim().includes(" "))).toEqual([]);
}
