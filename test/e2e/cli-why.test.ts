import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "./cli-process.ts";

function placeWith(config: string, agent?: string): Place {
  const place = new Place();
  writeFileSync(join(place.folder, "haft.config.yml"), config);
  if (agent === undefined) return place;
  mkdirSync(join(place.folder, "agent"));
  writeFileSync(join(place.folder, "agent/config.md"), agent);
  return place;
}

const architect = "agents: { architect: { blockedTools: ['bash*'] } }\n";

test("haft tools --why says for each of shown, callable and allowed why, and what to change", async () => {
  const place = placeWith(architect, "---\nid: architect\nallowedTools: [read, bash]\n---\nYou plan.\n");
  const { exitCode, stdout } = await place.run(["tools", "--why", "bash", "--agent", "architect"]);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`bash  from haft, for the agent architect
  shown     no   it is not allowed
  callable  yes  a call by its name reaches it
  allowed   no   blockedTools of the agent "architect" has "bash*"
To change that:
  take "bash*" out of blockedTools of agents.architect in "${join(place.folder, "haft.config.yml")}"
`);
  const glob = await place.run(["tools", "--why", "glob", "--agent", "architect"]);
  expect(glob.stdout).toContain(`add "glob" to allowedTools of "${join(place.folder, "agent/config.md")}"`);
  const read = await place.run(["tools", "--why", "read", "--agent", "architect", "--json"]);
  expect(JSON.parse(read.stdout)).toMatchObject({
    exists: true,
    agent: "architect",
    shown: { is: true },
    callable: { is: true },
    allowed: { is: true, reasons: [{ code: "ALLOW_LISTED" }] },
  });
});

test("haft tools --why names the rule that denies a tool, by its number and file", async () => {
  const place = placeWith("permissions: [{ decision: deny, tool: web_search, reason: not here }]\n");
  const { stdout } = await place.run(["tools", "--why", "web_search"]);
  expect(stdout).toMatch(
    /allowed {3}no {3}a rule denies every call of it \(not here\): rule \d+, deny tool web_search\n/,
  );
  expect(stdout).toContain(`(permissions of "${join(place.folder, "haft.config.yml")}")`);
});

test("haft tools --why of a name that is none has the nearest ones and where it would come from", async () => {
  const place = placeWith("{}");
  mkdirSync(join(place.folder, "agent/tools"), { recursive: true });
  const text = "---\nid: deploy\nname: D\ndescription: Deploys.\ncommand: echo hi\n---\n";
  writeFileSync(join(place.folder, "agent/tools/deploy.md"), text);
  const raed = await place.run(["tools", "--why", "raed"]);
  expect(raed).toMatchObject({ exitCode: 3, stdout: expect.stringContaining("Nearest: read") });
  const other = await place.run(["tools", "--why", "read_file"]);
  expect(other.stdout).toContain("it is a tool of the profile task");
  const deploy = await place.run(["tools", "--why", "deploy", "--json"]);
  expect(JSON.parse(deploy.stdout)).toMatchObject({
    exists: false,
    callable: { is: false, reasons: [{ code: "UNKNOWN" }] },
    whereabouts: [{ kind: "SOURCE_NOT_TRUSTED", message: expect.stringContaining("haft trust") }],
  });
});

test("haft tools --agent marks what that agent has not, warns of entries that name nothing, and knows the agents", async () => {
  const place = placeWith("agents: { architect: { blockedTools: [bash, wriet] } }\n");
  const { stdout, stderr } = await place.run(["tools", "--agent", "architect"]);
  expect(stdout).toMatch(/^bash +system +not allowed/m);
  expect(stdout).toMatch(/^read +file +read /m);
  expect(stderr).toContain('"wriet", which names no tool; did you mean write');
  const listed = JSON.parse(
    (await place.run(["tools", "--agent", "architect", "--json"])).stdout,
  ) as object[];
  expect(listed).toContainEqual(
    expect.objectContaining({ name: "bash", shown: false, callable: true, allowed: false }),
  );
  expect(await place.run(["tools", "--agent", "architekt"])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("did you mean architect"),
  });
});

test("haft mcp --agent shows and calls only what that agent has", async () => {
  const place = placeWith("agents: { architect: { allowedTools: [read, 'json_*'] } }\n");
  const request = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const initialize = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const { stdout } = await place.run(
    ["mcp", "--agent", "architect"],
    request(1, "initialize", initialize) +
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n` +
      request(2, "tools/list", {}) +
      request(3, "tools/call", { name: "bash", arguments: { command: "true" } }),
  );
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id?: number; result: { tools: { name: string }[] } });
  const of = (id: number) => answers.find((one) => one.id === id)?.result;
  expect(of(2)?.tools.map(({ name }) => name)).toEqual(["read", "json_parse", "json_stringify"]);
  expect(JSON.stringify(of(3))).toContain("it is not among the allowedTools");
});
