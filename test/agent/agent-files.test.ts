import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { Interrupts } from "../../src/agent/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import { Place } from "../e2e/cli-process.ts";
import { Installation } from "../support/installation.ts";
import { refuseWith, serveModel, streamEvents } from "../support/model-server.ts";
import { toEvents, useScriptedProvider } from "../support/scripted-provider.ts";

/** A place whose owner has written this agent down. */
function makePlace(fields: string, instructions = "You plan."): Place {
  const place = new Place();
  mkdirSync(join(place.home, "agent"), { recursive: true });
  writeFileSync(join(place.home, "agent/config.md"), `---\nid: architect\n${fields}\n---\n${instructions}\n`);
  writeFileSync(join(place.folder, "notes.txt"), "Buy milk.\n");
  return place;
}

const read = { name: "read", input: { path: "notes.txt" } };

test("haft run --agent gives the model the instructions of the agent's file, and no agent none", async () => {
  const place = makePlace("name: Architect", "Plan before you build.");
  const provider = await useScriptedProvider(place, () => ({ text: "Fine." }));
  await place.run(["run", "Go", "--agent", "architect"]);
  expect(provider.asked[0]?.raw).toContain("Plan before you build.");
  await place.run(["run", "Go"]);
  expect(provider.asked[1]?.raw).not.toContain("Plan before you build.");
});

test("haft run --agent pauses after maxIterations of the agent's file, and --steps stands over it", async () => {
  const place = makePlace("maxIterations: 1");
  const provider = await useScriptedProvider(place, (_, before) =>
    before % 2 === 0 ? { calls: [read] } : { text: "One is read." },
  );
  const paused = await place.run(["run", "Read all", "--agent", "architect"]);
  expect(paused).toMatchObject({ exitCode: 8, stdout: "One is read.\n" });
  expect(provider.asked[1]?.body["tool_choice"]).toBe("none");
  const ran = await place.run(["run", "Read all", "--agent", "architect", "--steps", "5"]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: "One is read.\n" });
});

test("haft run --agent asks the model that the agent's file names, by its own name or by the provider's", async () => {
  for (const named of ["other", "big-1"]) {
    const place = makePlace(`model: ${named}`);
    const other = await serveModel(streamEvents(toEvents({ text: "I am the other." })));
    writeFileSync(
      join(place.home, "config.yml"),
      `models:\n  main: { provider: openai-compatible, url: "${other.url}", model: small }\n  other: { provider: openai-compatible, url: "${other.url}", model: big-1 }\nagent: { model: main }\n`,
    );
    const ran = await place.run(["run", "Go", "--agent", "architect"]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: "I am the other.\n" });
    expect(other.asked[0]?.body["model"]).toBe("big-1");
  }
});

test("haft run --agent asks a model of the provider that the agent's file names, or says which there are", async () => {
  const { url, asked } = await serveModel(refuseWith(400, { error: { message: "no" } }));
  const config = (provider: string) =>
    `models:\n  main: { provider: openai-compatible, url: "${url}", model: small }\n  second: { provider: ${provider}, url: "${url}", model: big-1, apiKey: k }\nagent: { model: main }\n`;
  const place = makePlace("provider: anthropic");
  writeFileSync(join(place.home, "config.yml"), config("anthropic"));
  await place.run(["run", "Go", "--agent", "architect"]);
  expect(asked.map(({ path, body }) => [path, body["model"]])).toEqual([["/v1/messages", "big-1"]]);
  writeFileSync(join(place.home, "config.yml"), config("openai-compatible"));
  const refused = await place.run(["run", "Go", "--agent", "architect"]);
  expect(refused.exitCode).toBe(78);
  expect(refused.stderr).toContain(
    "its file says provider: anthropic, and the configuration has main (openai-compatible, small), second (openai-compatible, big-1)",
  );
  expect(asked).toHaveLength(1);
});

test("haft run --agent names the agents there are, where there is none of the name", async () => {
  const place = makePlace("name: Architect");
  await useScriptedProvider(place, []);
  const { exitCode, stderr } = await place.run(["run", "Go", "--agent", "zzz"]);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('Cannot find an agent "zzz"; there are architect');
});

/** An installation whose agent may start what its file says, with a tool that starts agents. */
async function openStarting(fields: string) {
  const place = new Installation();
  place.write("home/agent/config.md", `---\nid: architect\n${fields}\n---\nYou plan.\n`);
  const started: string[] = [];
  const { app, call } = await place.open().then((open) => ({ app: open.app, call: open.call.bind(open) }));
  app.registry.register(
    defineTool({
      name: "spawn_task",
      description: "Start a task.",
      parameters: z.strictObject({ description: z.string(), agent: z.string().optional() }),
      annotations: { readOnly: true, openWorld: false },
      execute: ({ agent = "itself" }) => {
        started.push(agent);
        return "started";
      },
    }),
  );
  await app.sources.ready();
  const spawn = (agent: string | undefined, agentId: string | undefined) =>
    call(
      "spawn_task",
      { description: "x", ...(agent !== undefined && { agent }) },
      agentId === undefined ? {} : { agentId },
    );
  return { app, started, spawn };
}

test("an agent starts others only if its file says canSpawn, and only those in canInvokeAgents", async () => {
  const closed = await openStarting("name: A");
  expect(await closed.spawn(undefined, "architect")).toMatchObject({
    success: false,
    code: "TOOL_NOT_CALLABLE",
    error: expect.stringMatching(/the agent "architect" may not start other agents.*set "canSpawn: true" in/),
  });
  expect(closed.app.executor.toolset({ agentId: "architect" }).of("spawn_task").shown.is).toBe(false);
  expect(await closed.spawn("coder", undefined)).toMatchObject({ success: true });
  expect(closed.started).toEqual(["coder"]);

  const open = await openStarting("canSpawn: true\ncanInvokeAgents: [coder, tester]");
  expect(await open.spawn("coder", "architect")).toMatchObject({ success: true });
  expect(await open.spawn(undefined, "architect")).toMatchObject({ success: true });
  expect(await open.spawn("boss", "architect")).toMatchObject({
    success: false,
    error: expect.stringMatching(
      /the agent "architect" may start only coder, tester, and not "boss"; add it to canInvokeAgents in/,
    ),
  });
  expect(await open.spawn("boss", undefined)).toMatchObject({ success: true });
  expect(open.started).toEqual(["coder", "itself", "boss"]);

  const nobody = await openStarting("canSpawn: true");
  expect(await nobody.spawn("coder", "architect")).toMatchObject({
    success: false,
    error: expect.stringContaining('may start no agent, and not "coder"'),
  });
});

test("AgentHost.begin() refuses an agent that nothing is written down of, and gives a background run 50 steps", async () => {
  const place = new Installation();
  place.write("home/agent/config.md", "---\nid: architect\n---\nYou plan.\n");
  const { url } = await serveModel(streamEvents(toEvents({ text: "Done." })));
  const { app } = await place.open(
    `models:\n  main: { provider: openai-compatible, url: "${url}", model: m }\nagent: { model: main }\n`,
  );
  const host = await app.agent();
  const parts = [{ type: "text" as const, text: "Go" }];
  await expect(host.begin({ parts, channel: "test", agentId: "nobody" })).rejects.toMatchObject({
    code: "AGENT_UNKNOWN",
    message: expect.stringContaining("there are architect"),
  });
  const steps = async (kind: "turn" | "task" | "schedule") =>
    (await host.begin({ parts, channel: "test", kind })).settings;
  expect(await steps("turn")).toMatchObject({ maxSteps: 100 });
  expect(await steps("task")).toMatchObject({ maxSteps: 50 });
  const run = await host.begin({ parts, channel: "test", kind: "schedule", agentId: "architect" });
  expect(run).toMatchObject({ kind: "schedule", agentId: "architect", settings: { maxSteps: 50 } });
  expect(await host.drive(run, { emit: () => {}, interrupts: new Interrupts() })).toMatchObject({
    state: "completed",
  });
});

test("haft run --agent says that an agent's file of the project counts only in part until it is trusted", async () => {
  const place = new Place();
  mkdirSync(join(place.folder, "agent"), { recursive: true });
  writeFileSync(join(place.folder, "agent/config.md"), "---\nid: architect\n---\nPlan before you build.\n");
  const provider = await useScriptedProvider(place, () => ({ text: "Fine." }));
  const ran = await place.run(["run", "Go", "--agent", "architect"]);
  expect(provider.asked[0]?.raw).not.toContain("Plan before you build.");
  expect(ran.stderr).toMatch(/agent\/config\.md is not trusted as it is, .*`haft trust`/);
  await place.run(["trust", "--yes"]);
  const again = await place.run(["run", "Go", "--agent", "architect"]);
  expect(provider.asked[1]?.raw).toContain("Plan before you build.");
  expect(again.stderr).not.toContain("trusted");
});
