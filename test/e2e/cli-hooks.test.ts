import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { Place } from "./cli-process.ts";

const { inSandbox } = await sandboxHere();

const guide = readFileSync(new URL("../../docs/guide/hooks.md", import.meta.url), "utf8");
const example = /```text\n([\s\S]+?)```/.exec(guide)?.[1] ?? "";

function write(place: Place, name: string, text: string): void {
  const file = join(place.folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}

test("the hook of docs/guide/hooks.md says no once it is trusted, and is counted", async () => {
  const place = new Place();
  write(place, "agent/hooks/no-production.md", example);
  const call = (command: string) => place.run(["call", "bash", "-a", `command=${command}`, "--yes"]);
  expect(await call("echo production")).toMatchObject({ exitCode: 0, stdout: "production\n" });
  const doctor = await place.run(["doctor"]);
  expect(doctor.stdout).toContain("no-production.md");
  expect(doctor.stdout).toContain("is not trusted as it is now");

  const trusted = await place.run(["trust", "--yes"]);
  expect(trusted).toMatchObject({ exitCode: 0 });
  expect(trusted.stdout).toContain("run before calls of deploy, bash, as the hook no-production: if echo");
  expect(await call("echo production")).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining('Blocked by hook "no-production": production is deployed by hand'),
  });
  expect(await call("echo staging")).toMatchObject({ exitCode: 0, stdout: "staging\n" });
  expect(JSON.parse((await place.run(["hooks", "--json"])).stdout)).toMatchObject([
    { id: "no-production", timeoutMs: 5000, runs: 2, blocks: 1, errors: 0 },
  ]);
  expect((await place.run(["hooks"])).stdout).toMatch(
    /no-production +pre_tool +deploy bash +and it counts +2 +1 +0/,
  );
  expect((await place.run(["hooks", "show", "no-production"])).stdout).toContain(
    "Keeps agents from production",
  );
  expect(await place.run(["hooks", "show", "no-prod"])).toMatchObject({
    stderr: expect.stringContaining('did you mean "no-production"'),
  });

  write(place, "agent/hooks/no-production.md", example.replace("production is deployed by hand", "no"));
  const changed = await call("echo staging");
  expect(changed.stderr).toContain("is not trusted as it is now");
  expect(changed.stderr).toContain("[TOOL_BLOCKED]");
  expect((await place.run(["doctor"])).stdout).toContain("is not trusted as it is now");
});

test(
  "hooks of a configuration are trusted with it, and a project that is not trusted runs none",
  inSandbox,
  async () => {
    const place = new Place();
    const config = `hooks: [{ id: log, type: post_tool, command: "cat >> log.json", timeout: 5000 }]\n`;
    write(place, "haft.config.yml", config);
    const call = () => place.run(["call", "current_time"]);
    expect(await call()).toMatchObject({ exitCode: 0 });
    expect(() => readFileSync(join(place.folder, "log.json"))).toThrow();
    const trusted = await place.run(["trust", "--yes"]);
    expect(trusted.stdout).toContain("run after calls of every tool, as the hook log: cat >> log.json");
    expect(await call()).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(join(place.folder, "log.json"), "utf8"))).toMatchObject({
      hook: "log",
      tool: { name: "current_time" },
      success: true,
    });
  },
);
