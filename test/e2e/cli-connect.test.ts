import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { clientEntries } from "../../src/cli/connect/index.ts";
import { type Finished, finish, Place, program, startHaft } from "./cli-process.ts";
import { answerAt, hasTerminal, noTerminal } from "./pseudo-terminal.ts";

/** A user with files of clients; haft's own folder is beside them. */
class User {
  readonly place = new Place();
  readonly home = join(dirname(this.place.folder), "user");

  put(file: string, text: string): void {
    mkdirSync(dirname(join(this.home, file)), { recursive: true });
    writeFileSync(join(this.home, file), text);
  }

  read(file: string): string | undefined {
    const path = join(this.home, file);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  run(...args: string[]): Promise<Finished> {
    return this.place.run(args, "", { HOME: this.home, XDG_CONFIG_HOME: "" });
  }

  answer(question: string, keys: string, ...args: string[]) {
    const environment = { HOME: this.home, XDG_CONFIG_HOME: "" };
    return answerAt(this.place, args, question, keys, environment);
  }

  async findings(client: string, ...args: string[]) {
    const { stdout, exitCode } = await this.run("doctor", "--client", client, "--json", ...args);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; detail: string }[] };
    return { exitCode, checks: Object.fromEntries(checks.map(({ name, status }) => [name, status])) };
  }
}

const settings = `{
  // mine
  "permissions": { "deny": ["Read(./secrets/**)"] },
  "model": "opus"
}
`;

test("haft connect shows both files' changes, writes them on a yes, and --undo puts each back to the letter", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const user = new User();
  user.put(".claude/settings.json", settings);
  const connected = await user.answer("Write it?", "y", "connect", "claude-code");
  expect(connected.exitCode).toBe(0);
  expect(connected.screen).toContain('+     "haft": {');
  expect(connected.screen).toContain('+       "Bash"');
  expect(user.read(".claude/settings.json")).toContain("// mine");
  expect(await user.findings("claude-code")).toEqual({
    exitCode: 0,
    checks: { server: "ok", "own tools": "ok", "own question": "ok" },
  });
  const undone = await user.answer("Put it back?", "y", "connect", "claude-code", "--undo");
  expect(undone.exitCode).toBe(0);
  expect(user.read(".claude/settings.json")).toBe(settings);
  expect(user.read(".claude.json")).toBeUndefined();
  expect((await user.run("connect", "claude-code", "--undo")).exitCode).toBe(3);
});

test("haft connect changes nothing on a no, and says that it has to be asked where nobody is", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const user = new User();
  user.put(".codex/config.toml", 'model = "o9"\n');
  expect((await user.answer("Write it?", "n", "connect", "codex")).exitCode).toBe(4);
  expect((await user.run("connect", "codex")).exitCode).toBe(4);
  expect(user.read(".codex/config.toml")).toBe('model = "o9"\n');
  const asJson = await user.answer("Write it?", "n", "connect", "codex", "--json");
  expect(asJson.screen).toContain("+ shell_tool = false");
});

test("haft connect names the checkout's program, not npx's link to it, which npm may throw away", async () => {
  const user = new User();
  const cache = join(user.home, ".npm", "_npx", "0a1b", "node_modules", ".bin");
  mkdirSync(cache, { recursive: true });
  const link = join(cache, "haft");
  symlinkSync(program, link);
  const args = [...startHaft.slice(0, -1), link, "connect", "claude-code", "--yes"];
  const env = user.place.environment({ HOME: user.home });
  const connected = await finish(spawn(process.execPath, args, { cwd: user.place.folder, env }));
  expect(connected.exitCode).toBe(0);
  expect(user.read(".claude.json")).not.toContain("_npx");
});

test("haft connect --undo takes only its own part out of a file that was changed since, and names what stays", async (context) => {
  if (!hasTerminal) return context.skip(noTerminal);
  const user = new User();
  user.put(".config/opencode/opencode.json", '{ "theme": "x", "permission": { "bash": "ask" } }\n');
  expect((await user.run("connect", "opencode", "--yes")).exitCode).toBe(0);
  const written = user.read(".config/opencode/opencode.json") ?? "";
  user.put(
    ".config/opencode/opencode.json",
    written.replace('"edit": "deny"', '"edit": "ask"').replace('"theme": "x"', '"theme": "y"'),
  );
  const undone = await user.answer("Put it back?", "y", "connect", "opencode", "--undo");
  expect(undone.screen).toContain("permission.edit of");
  expect(JSON.parse(user.read(".config/opencode/opencode.json") ?? "")).toEqual({
    theme: "y",
    permission: { bash: "ask", edit: "ask" },
    mcp: {},
  });
});

test("haft connect --undo takes no --yes: it gives a client its own shell back", async () => {
  const user = new User();
  await user.run("connect", "codex", "--yes");
  const before = user.read(".codex/config.toml");
  expect((await user.run("connect", "codex", "--undo", "--yes")).exitCode).toBe(2);
  expect((await user.run("connect", "codex", "--undo")).exitCode).toBe(4);
  expect(user.read(".codex/config.toml")).toBe(before);
});

test("haft connect without a client lists them, and of an unknown one names the nearest", async () => {
  const user = new User();
  const listed = await user.run("connect");
  expect(listed.stdout.trimEnd().split("\n")).toHaveLength(clientEntries.length);
  const unknown = await user.run("connect", "codexx");
  expect(unknown.exitCode).toBe(3);
  expect(unknown.stderr).toContain("did you mean codex");
});

test("haft doctor --client says that a client's own shell is still there, and what the project says against it", async () => {
  const user = new User();
  await user.run("connect", "opencode", "--yes");
  expect((await user.findings("opencode")).checks["own tools"]).toBe("ok");
  writeFileSync(join(user.place.folder, "opencode.json"), '{ "permission": { "bash": "allow" } }');
  expect(await user.findings("opencode")).toMatchObject({ exitCode: 1, checks: { project: "failed" } });
  user.put(".config/opencode/opencode.json", "{}");
  const { stdout } = await user.run("doctor", "--client", "opencode");
  expect(stdout).toContain("own shell and file tools are still there");
});
