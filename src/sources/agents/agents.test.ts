import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readAgentFile } from "./agent-file.ts";
import { createAgentSource } from "./agent-source.ts";

const path = "/space/agent/config.md";
const read = (text: string, accepted = true) => readAgentFile({ path, text }, accepted);
const file = (fields: string, body = "You plan.") => `---\n${fields}\n---\n${body}\n`;

test("an agent's file gives its lists and its settings, each with what is used where nothing is said", () => {
  const text = file(
    'id: architect\nname: Architect\nblockedTools: ["bash*", write]\nmodel: opus\ncanInvokeAgents: [coder]',
  );
  expect(read(text)).toEqual({
    agent: {
      file: path,
      id: "architect",
      limits: { by: 'the agent "architect"', place: `"${path}"`, blockedTools: ["bash*", "write"] },
      settings: {
        name: "Architect",
        model: "opus",
        canInvokeAgents: ["coder"],
        canSpawn: false,
        instructions: "You plan.",
      },
    },
    problems: [],
  });
  expect(read(file("id: a\nallowedTools: []")).agent.limits.allowedTools).toEqual([]);
  expect(read(file("id: a")).agent.limits).not.toHaveProperty("allowedTools");
});

test("of a file that is not accepted only what takes tools away is taken, and its owner is told", () => {
  const { agent, problems } = read(file("id: a\nblockedTools: bash\ncanSpawn: true"), false);
  expect(agent).toEqual({
    file: path,
    id: "a",
    limits: { by: 'the agent "a"', place: `"${path}"`, blockedTools: ["bash"] },
  });
  expect(problems).toMatchObject([{ code: "SOURCE_NOT_TRUSTED", level: "warning" }]);
});

test.for([
  ["no fields at all", "just text", undefined, "FRONT_MATTER_MISSING"],
  ["YAML that is none", file("id: [a"), undefined, "FRONT_MATTER_SYNTAX"],
  ["no id", file("name: A\nblockedTools: [bash]"), undefined, "FIELD_MISSING"],
  ["a list that is none", file("id: a\nblockedTools: { bash: true }"), "a", "FIELD_INVALID"],
  ["a list with another thing in it", file("id: a\nallowedTools: [read, 3]"), "a", "FIELD_INVALID"],
  ["a ban that is misspelt", file("id: a\nblockedTool: [bash]"), "a", "FIELD_UNKNOWN"],
] as const)("a file with %s leaves its agent no tools", ([, text, id, code]) => {
  const { agent, problems } = read(text);
  expect(agent).toMatchObject({ id, limits: { allowedTools: [] } });
  expect(agent.settings).toBeUndefined();
  expect(problems).toMatchObject([{ code, level: "error", line: expect.any(Number) }]);
});

test("a field that nothing here goes by is told of, and the rest holds", () => {
  const { agent, problems } = read(file("id: a\nblockedTools: [bash]\navatar: fox.png"));
  expect(agent.limits.blockedTools).toEqual(["bash"]);
  expect(problems).toMatchObject([{ code: "FIELD_UNKNOWN", level: "warning", line: 4 }]);
});

function createFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-agents-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, "agent/config.md");
  mkdirSync(dirname(place));
  // In one step: a source that follows the file may be reading it.
  const write = (text: string) => {
    writeFileSync(`${place}.new`, text);
    renameSync(`${place}.new`, place);
  };
  return { place, write };
}

test("a source follows its file, and what was right goes on to hold while it is wrong", async () => {
  const { place, write } = createFolder();
  const source = createAgentSource({ files: [place], accepts: () => true, watch: true });
  onTestFinished(() => source.close());
  await source.start();
  expect(source.agents()).toEqual([]);
  write(file("id: a\nblockedTools: [bash]"));
  await vi.waitFor(
    () => expect(source.agents()).toMatchObject([{ limits: { blockedTools: ["bash"] } }]),
    30_000,
  );
  write(file("id: a\nblockedTools: [bash"));
  await vi.waitFor(() => expect(source.problems().length).toBe(1), 30_000);
  expect(source.agents()).toMatchObject([{ id: "a", limits: { blockedTools: ["bash"] } }]);
});

test("an empty file, as a command finds one that may not write it, is none", async () => {
  const { place, write } = createFolder();
  write("\n");
  const source = createAgentSource({ files: [place], accepts: () => true, watch: false });
  await source.start();
  expect([source.agents(), source.problems()]).toEqual([[], []]);
});

test("the agent of the guide is in order", () => {
  const guide = readFileSync(new URL("../../../docs/guide/availability.md", import.meta.url), "utf8");
  const text = /```markdown\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  expect(read(text)).toMatchObject({
    agent: { id: "architect", settings: { canInvokeAgents: ["coder"] } },
    problems: [],
  });
});
