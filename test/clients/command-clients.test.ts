import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import catalogue from "../../src/app/catalogue.json" with { type: "json" };
import { OwnerPin } from "../../src/app/owner-pin.ts";
import { untilSays } from "../e2e/cli-process.ts";
import { needs } from "../support/needs.ts";
import { type CommandClient, commandClients } from "./command-clients.ts";
import { type ModelAnswer, type ScriptedModel, startScriptedModel } from "./scripted-model.ts";
import { ClientWorld, clientsAreHere, closedNetwork, killGroup, untilEnd, whyNotHere } from "./world.ts";

const answerAsOwner = join(import.meta.dirname, "drivers/answer-as-owner.mjs");

const options = needs("clients", clientsAreHere);

/** The steps that a script makes, in order; the answer to each is the result of its call. The tools are haft's, or the client's own. */
type Steps = readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>, whose?: "own"])[];

/** A refusal names the question that a person can answer. */
const waitingQuestion = /the question (a_\w+)/;

const haftTools: ReadonlySet<string> = new Set(
  Object.values(catalogue)
    .flat()
    .map(({ name }) => name),
);

/** Waits for the client to have connected its servers, where it asks the model before it has. */
function followScript(
  client: CommandClient,
  steps: (results: readonly string[]) => Steps,
): Parameters<typeof startScriptedModel>[0] {
  let waited = 0;
  return ({ tools, results }): ModelAnswer => {
    const step = steps(results.slice(waited))[results.length - waited];
    if (step === undefined) return { text: "done" };
    if (tools.includes("WaitForMcpServers") && !tools.some((name) => name.includes("haft"))) {
      waited++;
      return { call: "WaitForMcpServers", args: {} };
    }
    return { call: step[2] === "own" ? step[0] : client.toolName(step[0]), args: step[1] };
  };
}

function startClient(client: CommandClient, world: ClientWorld, model: ScriptedModel): ChildProcess {
  const { program, args, environment } = client.command(model.url, [process.execPath, world.haft, "mcp"]);
  return world.start(program, args, { ...(client.proxiesAll !== true && closedNetwork), ...environment });
}

async function connectClient(
  client: CommandClient,
  model: ScriptedModel,
  world: ClientWorld = new ClientWorld(),
): Promise<ClientWorld> {
  client.prepare(world, model.url);
  if (client.connects) await world.runHaft("connect", client.id, "--yes");
  return world;
}

describe.each(commandClients)("$id", options, (client) => {
  const why = whyNotHere(client.installed);

  test("connects, is offered none of its own shell and file tools, reads, writes, and waits for a long call", async (context) => {
    if (why !== undefined) return context.skip(why);
    const steps: Steps = [
      ["read", { path: "note.txt" }],
      ["write", { path: "made.txt", content: "made\n" }],
      ["sleep", { duration: 3 }],
    ];
    await using model = await startScriptedModel(followScript(client, () => steps));
    const world = await connectClient(client, model);
    const run = await untilEnd(startClient(client, world, model));
    const last = model.turns.at(-1);
    const results = last?.results.slice(-steps.length) ?? [];
    expect({ run, results }).toMatchObject({ run: { exitCode: 0 } });
    expect(results[0]).toContain("a note for haft");
    expect(world.readProject("made.txt")).toBe("made\n");
    expect(results).toHaveLength(3);
    const own = model.turns.flatMap(({ tools }) => tools).filter((name) => !isHaftTool(client, name));
    expect([...new Set(own)].filter((name) => !client.harmless.includes(name))).toEqual([]);
  });

  test("a call that asks does not run unanswered, and the model is told so", async (context) => {
    if (why !== undefined) return context.skip(why);
    let outside = "";
    await using model = await startScriptedModel(followScript(client, () => [["read", { path: outside }]]));
    const world = await connectClient(client, model);
    outside = world.outside;
    await untilEnd(startClient(client, world, model));
    const told = model.turns.at(-1)?.results.at(-1) ?? "";
    const id = waitingQuestion.exec(told)?.[1];
    expect(told).toContain("there is nobody to ask here");
    expect(told).toContain(`a person answers the question ${id}`);
    expect(told).not.toMatch(/approvals approve|--yes|from outside/);
    expect(await world.openQuestions()).toEqual([id]);
    expect(await world.callStates("read")).toEqual(["denied"]);
  });

  test("a client that is stopped in a long call ends, and haft with it", async (context) => {
    if (why !== undefined) return context.skip(why);
    await using model = await startScriptedModel(followScript(client, () => [["sleep", { duration: 120 }]]));
    const world = await connectClient(client, model);
    const child = startClient(client, world, model);
    const ended = untilEnd(child);
    await expect.poll(() => world.callStates("sleep").catch(() => [])).toEqual(["started"]);
    killGroup(child, "SIGINT");
    await ended;
    await expect.poll(() => world.callStates("sleep")).toEqual(["cancelled"]);
  });
});

function isHaftTool(client: CommandClient, name: string): boolean {
  const prefix = client.toolName("");
  return prefix === "" ? haftTools.has(name) : name.startsWith(prefix);
}

const shells = [
  {
    id: "opencode",
    bash: "bash",
    settings: ".config/opencode/opencode.json",
    leaveOn: (settings: string) => settings.replace('"bash": "deny"', '"bash": "allow"'),
  },
  {
    id: "claude-code",
    bash: "Bash",
    settings: ".claude/settings.json",
    leaveOn: (settings: string) =>
      settings.replace(/"Bash",/, "").replace('"mcp__haft"', '"mcp__haft", "Bash"'),
  },
] as const;

/**
 * Has the model of a client whose own shell was left on ask for a file, answer the question in that shell, and ask for the
 * file again. Returns the three results; the question must be open still.
 */
async function approveOwnCall(
  { id, bash, settings, leaveOn }: (typeof shells)[number],
  commandIn: (world: ClientWorld) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const client = commandClients.find((one) => one.id === id) as CommandClient;
  const world = new ClientWorld();
  const read = ["read", { path: world.outside }] as const;
  let command: readonly string[] = [];
  await using model = await startScriptedModel(
    followScript(client, ([asked = ""]) => {
      const question = waitingQuestion.exec(asked)?.[1] ?? "none";
      const line = [process.execPath, ...command, question].join(" ");
      return [read, [bash, { command: line, description: "Approve it" }, "own"], read];
    }),
  );
  await connectClient(client, model, world);
  world.put(settings, leaveOn(world.read(settings)));
  command = await commandIn(world);
  await untilEnd(startClient(client, world, model));
  const results = model.turns.at(-1)?.results.slice(-3) ?? [];
  expect(await world.openQuestions()).toEqual([waitingQuestion.exec(results[0] ?? "")?.[1]]);
  return results;
}

describe.each(shells)(
  "an agent of $id whose own shell was left on",
  needs("clients", clientsAreHere),
  (shell) => {
    const why = whyNotHere(commandClients.find(({ id }) => id === shell.id)?.installed ?? "");

    test("can't approve its own call by a command of haft's", async (context) => {
      if (why !== undefined) return context.skip(why);
      const [, approved, again] = await approveOwnCall(shell, async ({ haft }) => [
        haft,
        "approvals approve --remember exact --for always",
      ]);
      expect(approved).toContain("no agent answers for a person");
      expect(again).not.toContain("from outside");
    });

    test("can't approve its own call with the owner's token where there is a PIN", async (context) => {
      if (why !== undefined) return context.skip(why);
      const [, approved, again] = await approveOwnCall(shell, async (world) => {
        await new OwnerPin(world.haftHome).set("2468");
        const served = world.start(process.execPath, [world.haft, "serve", "--port", "0", "--json"]);
        const said = await untilSays(served.stdout as NodeJS.ReadableStream, "\n");
        const { url } = JSON.parse(said) as { url: string };
        return [answerAsOwner, url, join(world.haftHome.folder, "owner-token")];
      });
      // The token itself was taken.
      expect(approved).toMatch(/401 .*PIN_REQUIRED/s);
      expect(again).not.toContain("from outside");
    });
  },
);
