import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { CallRecord } from "../src/modules/ledger/index.ts";
import { type ModelAnswer, type ScriptedModel, startScriptedModel } from "./clients/scripted-model.ts";
import { Installation } from "./support/installation.ts";
import { forThisMachine } from "./support/machine-settings.ts";

const folder = "examples/agents";
const { dependencies } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as {
  dependencies: Record<string, string>;
};
const missing = Object.keys(dependencies).filter((name) => !existsSync(join(folder, "node_modules", name)));
const whySkipped = `${missing.join(", ")} not installed; \`npm ci --prefix ${folder}\` installs them`;
const isHere = missing.length === 0;

const run = promisify(execFile);

/** A program of the examples in a project of its own, with the API of a scripted model. */
class ExampleRun {
  readonly place: Installation = new Installation();
  readonly outside: string = join(this.place.root, "report.txt");
  readonly child: ChildProcess;
  readonly model: ScriptedModel;
  readonly output: Promise<string>;
  readonly #errors: string[] = [];

  private constructor(file: string, model: ScriptedModel, place: Installation, config: string) {
    this.place = place;
    this.model = model;
    place.write("project/notes.txt", "Ada likes red.\n");
    if (config !== "") place.home.write("config.yml", forThisMachine(config));
    this.outside = join(place.root, "report.txt");
    const { PATH, HOME } = process.env;
    this.child = spawn(
      process.execPath,
      ["--conditions=haft-source", resolve(file), "Report on notes.txt."],
      {
        cwd: place.folder,
        env: {
          PATH,
          HOME,
          HAFT_HOME: place.home.folder,
          MODEL_URL: `${model.url}/v1`,
          MODEL: "scripted",
          MODEL_KEY: "none",
        },
      },
    );
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.output = this.child.stdout === null ? Promise.resolve("") : text(this.child.stdout);
    this.child.stderr?.on("data", (part: Buffer) => void this.#errors.push(part.toString()));
  }

  /** Starts the program: the model answers in the order of the answers, each made for the place. */
  static async start(
    file: string,
    answers: (place: { readonly outside: string }) => readonly ModelAnswer[],
    config = "",
  ): Promise<ExampleRun> {
    const place = new Installation();
    const said = answers({ outside: join(place.root, "report.txt") });
    let turn = 0;
    const model = await startScriptedModel(() => said[turn++] ?? { text: "Nothing is left to say." });
    onTestFinished(() => model[Symbol.asyncDispose]());
    return new ExampleRun(file, model, place, config);
  }

  get errors(): string {
    return this.#errors.join("");
  }

  /** Waits for the question, and answers it. */
  async answer(line: string): Promise<void> {
    await expect.poll(() => this.errors, { timeout: 50_000 }).toContain("[y/N]");
    this.child.stdin?.write(`${line}\n`);
  }

  /** Resolves with the exit code. */
  ended(): Promise<number | null> {
    return new Promise((done) => {
      if (this.child.exitCode !== null) done(this.child.exitCode);
      this.child.once("exit", done);
    });
  }

  /** The calls of a tool in the ledger. */
  async calls(tool: string): Promise<readonly CallRecord[]> {
    const { app } = await this.place.open();
    const calls = await (await app.store()).ledger.list({ tool });
    await app.close();
    return calls;
  }
}

const examples = [
  { framework: "AI SDK", file: "examples/ai-sdk/agent.ts", installed: true },
  { framework: "OpenAI Agents SDK", file: `${folder}/openai-agents.ts`, installed: isHere },
  { framework: "LangChain", file: `${folder}/langchain.ts`, installed: isHere },
];

const report = ({ outside }: { readonly outside: string }): readonly ModelAnswer[] => [
  { call: "read", args: { path: "notes.txt" } },
  { call: "write", args: { path: outside, content: "Red.\n" } },
  { text: "I have written the report." },
];

describe.for(examples)("an agent of the $framework with haft's tools", ({ file, installed }) => {
  beforeEach((context) => context.skip(!installed, whySkipped));

  test("reads in the project, asks in the terminal about a file outside, and writes it after a yes", async () => {
    const agent = await ExampleRun.start(file, report);
    await agent.answer("y");
    expect(await agent.ended(), agent.errors).toBe(0);
    expect(await agent.output).toBe("I have written the report.\n");
    expect(readFileSync(agent.outside, "utf8")).toBe("Red.\n");
    expect(agent.model.turns[1]?.results).toEqual([expect.stringContaining("Ada likes red.")]);
    const [written] = await agent.calls("write");
    expect(written).toMatchObject({ state: "completed", decision: { by: "person:terminal:me" } });
    const [id] = /call_[0-9a-f]{32}$/.exec(written?.callId ?? "") ?? [];
    const isAnswered = JSON.stringify(agent.model.turns[2]?.body).includes(`"tool_call_id":"${id}"`);
    expect(isAnswered, `${id} is the id that the model's API gave the call`).toBe(true);
  });

  test("tells the model of a no, and nothing happens", async () => {
    const agent = await ExampleRun.start(file, report);
    await agent.answer("n");
    expect(await agent.ended(), agent.errors).toBe(0);
    expect(existsSync(agent.outside)).toBe(false);
    expect(agent.model.turns[2]?.results.at(-1)).not.toContain("Red.");
    expect(agent.model.turns[2]?.results).toHaveLength(2);
  });

  test("gives the model the text of a refusal by a rule, and asks nobody", async () => {
    const rule =
      'permissions:\n  - { decision: deny, effect: write, target: "**/report.txt", reason: nobody writes here }\n';
    const agent = await ExampleRun.start(file, report, rule);
    expect(await agent.ended(), agent.errors).toBe(0);
    expect(agent.errors).not.toContain("[y/N]");
    expect(existsSync(agent.outside)).toBe(false);
    expect(agent.model.turns[2]?.results.at(-1)).toContain("nobody writes here");
    const refused = (await agent.calls("write")).map(({ state, code }) => ({ state, code }));
    expect(refused).toEqual([{ state: "denied", code: "TOOL_PERMISSION" }]);
  });

  test("ends a call that is under way with Ctrl-C", async () => {
    const agent = await ExampleRun.start(file, () => [{ call: "sleep", args: { duration: 120 } }]);
    const states = async () => (await agent.calls("sleep").catch(() => [])).map(({ state }) => state);
    await expect.poll(states, { timeout: 50_000 }).toEqual(["started"]);
    agent.child.kill("SIGINT");
    expect(await agent.ended(), agent.errors).toBe(130);
    expect(await states()).toEqual(["cancelled"]);
    expect(agent.model.turns).toHaveLength(1);
  });
});

describe("examples/agents", () => {
  beforeEach((context) => context.skip(!isHere, whySkipped));

  test("mastra reads a picture, asks its person in its own way, and writes what was approved", async () => {
    const { stdout } = await run(process.execPath, ["--conditions=haft-source", `${folder}/mastra.ts`]);
    expect(stdout).toBe("I have written the report.\n");
  });

  // The declarations of the frameworks are read: minutes on a busy machine.
  test("fit the types of the frameworks", { timeout: 300_000 }, async () => {
    const tsc = "node_modules/typescript/bin/tsc";
    await expect(run(process.execPath, [tsc, "-p", folder])).resolves.toMatchObject({ stdout: "" });
  });
});

test("the packages of the examples are in exact versions, from no particular registry", () => {
  expect(Object.values(dependencies).filter((version) => !/^\d|^file:/.test(version))).toEqual([]);
  expect(readFileSync(`${folder}/package-lock.json`, "utf8")).not.toMatch(/"resolved": "https?:/);
});
