import type { ChildProcess } from "node:child_process";
import { describe, expect, test } from "vitest";
import catalogue from "../../src/app/catalogue.json" with { type: "json" };
import { type CommandClient, commandClients } from "./command-clients.ts";
import { type ModelAnswer, type ScriptedModel, startScriptedModel } from "./scripted-model.ts";
import { ClientWorld, closedNetwork, killGroup, untilEnd, whyNotHere } from "./world.ts";

/** The steps that a script makes, in order; the answer to each is the result of its call. */
type Steps = readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[];

/** A refusal names the question that a person can answer. */
const waitingQuestion = /the question (a_\w+)/;

const haftTools: ReadonlySet<string> = new Set(
  Object.values(catalogue)
    .flat()
    .map(({ name }) => name),
);

/** Waits for the client to have connected its servers, where it asks the model before it has. */
function followScript(client: CommandClient, steps: () => Steps): Parameters<typeof startScriptedModel>[0] {
  let waited = 0;
  return ({ tools, results }): ModelAnswer => {
    const step = steps()[results.length - waited];
    if (step === undefined) return { text: "done" };
    if (tools.includes("WaitForMcpServers") && !tools.some((name) => name.includes("haft"))) {
      waited++;
      return { call: "WaitForMcpServers", args: {} };
    }
    return { call: client.toolName(step[0]), args: step[1] };
  };
}

function startClient(client: CommandClient, world: ClientWorld, model: ScriptedModel): ChildProcess {
  const { program, args, environment } = client.command(model.url, [process.execPath, world.haft, "mcp"]);
  return world.start(program, args, { ...(client.proxiesAll !== true && closedNetwork), ...environment });
}

async function connectClient(client: CommandClient, model: ScriptedModel): Promise<ClientWorld> {
  const world = new ClientWorld();
  client.prepare(world, model.url);
  if (client.connects) await world.runHaft("connect", client.id, "--yes");
  return world;
}

describe.each(commandClients)("$id", (client) => {
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
    expect(told).not.toContain("from outside");
    if (client.declines === true) expect(told).toContain("TOOL_PERMISSION");
    else {
      expect(told).toMatch(waitingQuestion);
      expect(await world.openQuestions()).toHaveLength(1);
    }
  });

  test("a client that is stopped in a long call ends, and haft with it", async (context) => {
    if (why !== undefined) return context.skip(why);
    await using model = await startScriptedModel(followScript(client, () => [["sleep", { duration: 120 }]]));
    const world = await connectClient(client, model);
    const child = startClient(client, world, model);
    const ended = untilEnd(child);
    await expect.poll(async () => world.runHaft("audit", "--json").catch(() => "")).toContain('"sleep"');
    killGroup(child, "SIGINT");
    await ended;
    await expect
      .poll(async () => world.runHaft("audit", "--json"))
      .toMatch(/TOOL_CANCELLED|"(cancelled|unknown|failed)"/);
  });
});

function isHaftTool(client: CommandClient, name: string): boolean {
  const prefix = client.toolName("");
  return prefix === "" ? haftTools.has(name) : name.startsWith(prefix);
}

test("an agent whose own shell was left on can't approve its own call with it", async (context) => {
  const client = commandClients.find(({ id }) => id === "opencode") as CommandClient;
  const why = whyNotHere(client.installed);
  if (why !== undefined) return context.skip(why);
  let world: ClientWorld | undefined;
  await using model = await startScriptedModel(({ results: [asked] }): ModelAnswer => {
    if (world === undefined || model.turns.length > 3) return { text: "done" };
    if (model.turns.length !== 2) return { call: "haft_read", args: { path: world.outside } };
    const id = waitingQuestion.exec(asked ?? "")?.[1] ?? "none";
    const approve = [
      process.execPath,
      world.haft,
      "approvals",
      "approve",
      id,
      "--remember",
      "exact",
      "--for",
      "always",
    ];
    return { call: "bash", args: { command: approve.join(" "), description: "Approve it" } };
  });
  world = await connectClient(client, model);
  const settings = ".config/opencode/opencode.json";
  world.put(settings, world.read(settings).replace('"bash": "deny"', '"bash": "allow"'));
  await untilEnd(startClient(client, world, model));
  const [asked = "", approved = "", again = ""] = model.turns.at(-1)?.results ?? [];
  expect(asked).toMatch(waitingQuestion);
  expect(approved).toContain("no agent answers for a person");
  expect(again).not.toContain("from outside");
  expect(await world.openQuestions()).toHaveLength(1);
});
