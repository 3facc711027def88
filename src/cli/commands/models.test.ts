import { expect, test } from "vitest";
import { runCommand } from "../../../test/support/command-line.ts";
import { Installation } from "../../../test/support/installation.ts";
import { refuseWith, serveModel, streamEvents } from "../../../test/support/model-server.ts";
import { wire } from "../../../test/support/model-wires.ts";

const haft = (place: Installation, ...args: readonly string[]) => runCommand(args, { place });

test("haft models says in one sentence how to configure one, where there is none", async () => {
  const place = new Installation();
  const { exitCode, stdout, stderr } = await haft(place, "models");
  expect([exitCode, stdout]).toEqual([0, ""]);
  expect(stderr).toContain(`write one under \`models\` in ${place.home.config}`);
  const [, example = ""] = /:\n\n([\s\S]*)$/.exec(stderr) ?? [];
  place.home.write("config.yml", example);
  const written = await haft(place, "models", "--json");
  expect(JSON.parse(written.stdout)).toMatchObject([{ name: "main", uses: ["agent"] }, { name: "local" }]);
  expect(written.stderr).toBe("");
});

test("haft models lists what is configured and what each lacks", async () => {
  const installation = new Installation();
  installation.home.write(
    "config.yml",
    'models: { main: { provider: anthropic, model: claude-x, apiKey: "${secret:NONE}" } }\nagent: { model: main }\n',
  );
  const listed = await haft(installation, "models");
  expect(listed.exitCode).toBe(1);
  expect(listed.stdout).toMatch(/main +anthropic\/claude-x +agent +200,000/);
  expect(listed.stdout).toContain(
    'missing for main: the secret "NONE" is not stored: run `haft secret set NONE`',
  );
  const asJson = await haft(installation, "models", "--json");
  expect(JSON.parse(asJson.stdout)).toMatchObject([
    { name: "main", uses: ["agent"], missing: [expect.any(String)] },
  ]);
});

test("a setting that names no model is told with the nearest one, wherever it is met", async () => {
  const installation = new Installation();
  installation.home.write(
    "config.yml",
    `models:
  main: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: m, fallback: [bakup] }
  backup: { provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: m }
agent: { model: mian, memoryModel: xyz }
`,
  );
  const listed = await haft(installation, "models");
  expect(listed.exitCode).toBe(1);
  expect(listed.stdout).toContain(
    'missing for main: there is no model "bakup" to fall back to; did you mean "backup"\n',
  );
  expect(listed.stdout).toContain('missing for agent.model: there is no model "mian"; did you mean "main"\n');
  expect(listed.stdout).toContain(
    'missing for agent.memoryModel: there is no model "xyz"; there are main, backup\n',
  );
  const asJson = await haft(installation, "models", "--json");
  expect(JSON.parse(asJson.stdout)).toHaveLength(2);
  expect(asJson.stderr).toContain('agent.model: there is no model "mian"; did you mean "main"');
  const { app } = await installation.open();
  const turn = { channel: "test", parts: [{ type: "text" as const, text: "Hello" }] };
  await expect((await app.agent()).begin(turn)).rejects.toMatchObject({
    code: "AGENT_MODEL",
    message: expect.stringContaining('did you mean "main"'),
  });
});

test("haft models test asks the named model, or that of agents, once", async () => {
  const server = await serveModel(streamEvents(wire("openai-compatible", "text", "end")));
  const broken = await serveModel(refuseWith(500, { error: { message: "down" } }));
  const installation = new Installation();
  installation.home.write(
    "config.yml",
    `models:
  main: { provider: openai-compatible, url: "${server.url}", model: m }
  broken: { provider: openai-compatible, url: "${broken.url}", model: m, fallback: [main] }
agent: { model: main }
`,
  );
  const named = await haft(installation, "models", "test", "main");
  expect(named).toMatchObject({ exitCode: 0, stderr: "" });
  expect(named.stdout).toMatch(/^answers main\n[\s\S]*Said +Hello\n[\s\S]*Tools +called none/);
  const asJson = await haft(installation, "models", "test", "--json");
  expect(JSON.parse(asJson.stdout)).toMatchObject({ name: "main", text: "Hello", tools: "not called" });
  const failed = await haft(installation, "models", "test", "broken");
  expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
  expect(failed.stderr).toContain("[MODEL_STATUS]");
  expect([server.asked.length, broken.asked.length]).toEqual([2, 1]);
  expect(await haft(installation, "models", "test", "brocken")).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('did you mean "broken"'),
  });
  expect(await haft(installation, "models", "list", "main")).toMatchObject({ exitCode: 2 });
});
