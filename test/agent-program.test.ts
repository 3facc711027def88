import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createApp, Home } from "../src/app/index.ts";
import { startScriptedModel } from "./clients/scripted-model.ts";
import { Installation } from "./support/installation.ts";

const run = promisify(execFile);
const model = "http://127.0.0.1:11434/v1";

/** Runs a block of a page, in a project with one file and with a scripted model. */
async function runBlock(page: string, block: RegExp) {
  const place = new Installation();
  place.write("project/notes.txt", "");
  const answers = [{ call: "glob", args: { pattern: "*" } }, { text: "There is notes.txt." }] as const;
  let turn = 0;
  await using server = await startScriptedModel(() => answers[turn++] ?? { text: "nothing" });
  place.home.write(
    "config.yml",
    `models:\n  main: { provider: openai-compatible, url: "${server.url}/v1", model: scripted }\nagent: { model: main }\n`,
  );
  const [, program = ""] = block.exec(readFileSync(page, "utf8")) ?? [];
  const placed = program
    .replace(model, `${server.url}/v1`)
    .replace('folder: "."', `folder: ${JSON.stringify(place.folder)}`)
    .replace("new Home()", `new Home(${JSON.stringify(place.home.folder)})`);
  const source = ["--conditions=haft-source", "--input-type=module-typescript", "-e", placed];
  const { stdout } = await run(process.execPath, source);
  return { place, stdout, turns: server.turns };
}

test.for(["README.md", "docs/guide/agent-in-a-program.md"])(
  "the ten lines of %s ask a model, make its call and print its answer",
  async (page) => {
    const { stdout, turns } = await runBlock(
      page,
      /```ts\n(import \{ createAgent \} from "haft\/agent";\nimport \{ createApp[\s\S]*?)```/,
    );
    expect(stdout).toBe("There is notes.txt.\ncompleted\n");
    expect(turns[1]?.results).toEqual([expect.stringContaining("notes.txt")]);
  },
);

test("the durable agent of docs/guide/agent-in-a-program.md leaves a session and its cost behind", async () => {
  const page = "docs/guide/agent-in-a-program.md";
  const { place, stdout } = await runBlock(page, /```ts\n(import \{ Interrupts[\s\S]*?)```/);
  expect(stdout).toBe("completed\n");
  await using app = await createApp({ folder: place.folder, home: new Home(place.home.folder) });
  const { sessions, usage } = await app.store();
  const [session] = await sessions.list({ scope: "local" });
  expect(session).toMatchObject({ channel: "program", title: "Which files are here?" });
  expect(await usage.totals({ scope: "local", by: ["purpose", "source"] })).toMatchObject([
    { keys: { purpose: "step", source: "program" }, calls: 2, inputTokens: 2, outputTokens: 2 },
  ]);
});
