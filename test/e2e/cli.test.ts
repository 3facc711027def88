import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configSchema } from "../../src/app/index.ts";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { finish, Place } from "./cli-process.ts";

const { inSandbox } = await sandboxHere();

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/** What a folder's first command says, where commands can be undone. */
const firstSnapshot: unknown = expect.stringMatching(
  /^(records \S+ for the first time, so that commands can be undone\n)?$/,
);

test("haft --version says the version and nothing else", async () => {
  expect(await new Place().run(["--version"])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
});

/** Another Node on this machine that is too old. */
function findOldNode(): string | undefined {
  return ["/usr/bin/node", "/usr/local/bin/node"].find((file) => {
    if (!existsSync(file) || realpathSync(file) === realpathSync(process.execPath)) return false;
    const [major = 99] = (/^v(\d+)/.exec(spawnSync(file, ["--version"], { encoding: "utf8" }).stdout) ?? [])
      .slice(1)
      .map(Number);
    return major < 22;
  });
}

/** haft's starter in a folder of its own: with the sources of a checkout, and with a Node that came with it. */
function placeStarter({
  isCheckout,
  node,
}: {
  readonly isCheckout: boolean;
  readonly node?: string;
}): string {
  const { folder } = new Place();
  for (const path of ["bin", "src", "node_modules/node/bin"])
    mkdirSync(join(folder, path), { recursive: true });
  cpSync("bin/haft.js", join(folder, "bin/haft.js"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const main =
    "process.stdin.pipe(process.stdout); process.stdin.on('end', () => process.exit(Number(process.argv[2])));";
  if (isCheckout) writeFileSync(join(folder, "src/main.ts"), main);
  if (node !== undefined) symlinkSync(node, join(folder, "node_modules/node/bin/node"));
  return join(folder, "bin/haft.js");
}

test.for([
  {
    isCheckout: false,
    message: /^haft: needs Node 22\.19 or newer, and this is Node [\d.]+; install one from .*\n$/,
  },
  {
    isCheckout: true,
    message: /^haft: needs Node 24\.0 or newer, and this is Node [\d.]+; run `npm ci` in .*\n$/,
  },
])(
  "bin/haft.js says in one sentence what it needs under an old Node (checkout: $isCheckout)",
  ({ isCheckout, message }, context) => {
    const old = findOldNode();
    if (old === undefined) return context.skip("no Node older than 22 on this machine");
    const { status, stdout, stderr } = spawnSync(old, [placeStarter({ isCheckout }), "tools"], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  },
);

test("bin/haft.js of a checkout goes on in the checkout's own Node, with its input and exit code", (context) => {
  const old = findOldNode();
  if (old === undefined) return context.skip("no Node older than 22 on this machine");
  const starter = placeStarter({ isCheckout: true, node: process.execPath });
  const { status, stdout, stderr } = spawnSync(old, [starter, "7"], { encoding: "utf8", input: "heard" });
  expect({ status, stdout, stderr }).toEqual({ status: 7, stdout: "heard", stderr: "" });
});

test("bin/haft.js passes a signal on to the Node it went on in, and leaves by it", async (context) => {
  const old = findOldNode();
  if (old === undefined) return context.skip("no Node older than 22 on this machine");
  const starter = placeStarter({ isCheckout: true, node: process.execPath });
  const child = spawn(old, [starter, "0"], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write("up");
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
});

test("haft.config.schema.json is the schema that configurations are checked with", () => {
  expect(JSON.parse(readFileSync("haft.config.schema.json", "utf8"))).toEqual(configSchema);
});

test("haft call takes arguments as JSON, as --arg and from standard input alike", async () => {
  const place = new Place();
  const expected = { exitCode: 0, stdout: '{"data":{"a":1}}\n', stderr: "" };
  expect(await place.run(["call", "json_parse", '{"text":"{\\"a\\":1}"}'])).toEqual(expected);
  expect(await place.run(["call", "json_parse", "--arg", 'text={"a":1}'])).toEqual(expected);
  expect(await place.run(["call", "json_parse", "-"], '{"text":"{\\"a\\":1}"}')).toEqual(expected);
});

test("haft call --json prints the whole result and nothing else", async () => {
  const { exitCode, stdout, stderr } = await new Place().run([
    "call",
    "json_parse",
    "--arg",
    "text=1",
    "--json",
    "--task",
    "t1",
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    success: true,
    toolName: "json_parse",
    text: '{"data":1}',
    notes: [],
  });
});

test.for([
  [["call", "json_pars", "{}"], 3, "TOOL_NOT_FOUND", 'did you mean "json_parse"'],
  [["call", "json_parse", "{}"], 2, "TOOL_VALIDATION", "text"],
  [["call", "json_parse", "--arg", "text={"], 1, "JSON", ""],
  [["call", "sleep", "--arg", "duration=60", "--timeout", "50"], 5, "TOOL_TIMEOUT", "50 ms"],
  [["call", "bash", "--arg", "command=env PAGER=cat echo hi"], 4, "TOOL_PERMISSION", "nobody to ask"],
  [["call", "json_parse", "{"], 2, "CLI_ARGUMENT", "quote the whole object"],
] as const)("haft %j leaves with %i", async ([args, exitCode, code, message]) => {
  const finished = await new Place().run(args);
  expect(finished).toMatchObject({ exitCode, stdout: "" });
  expect(finished.stderr).toContain(code);
  expect(finished.stderr).toContain(message);
});

test("haft call --yes allows this one call and no other, and a rule that denies still denies", async () => {
  const place = new Place();
  const bash = ["call", "bash", "--arg", "command=env PAGER=cat echo hi; exit 3"];
  expect(await place.run([...bash, "--yes"])).toEqual({
    exitCode: 0,
    stdout: "hi\n[exit code 3]\n",
    stderr: firstSnapshot,
  });
  expect(await place.run(bash)).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining("\nWith --yes this one call is allowed\n"),
  });
  writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: deny, tool: bash }]\n");
  expect(await place.run([...bash, "--yes"])).toMatchObject({ exitCode: 4, stdout: "" });
});

test("an agent that calls in its own shell reads of no --yes, which it could not give", async () => {
  const place = new Place();
  const called = await place.run(["call", "bash", '{"command":"git push"}'], "", { CLAUDECODE: "1" });
  expect(called).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("answers the question a_") });
  expect(called.stderr).not.toContain("--yes");
});

test("haft call without a name lists the names", async () => {
  const { exitCode, stderr } = await new Place().run(["call"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringMatching(/name one of .*json_parse/),
  });
});

test("haft is quiet where its reader has gone", async () => {
  const place = new Place();
  const child = place.start(["tools", "--json"]);
  child.stdout?.destroy();
  let stderr = "";
  child.stderr?.on("data", (text) => void (stderr += String(text)));
  const exitCode = await new Promise((done) => child.once("close", done));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
});

test("haft call is cancelled by a first Ctrl-C, and says so", async () => {
  const place = new Place();
  const child = place.start(["call", "bash", "--yes", "--arg", "command=echo started > marker; sleep 60"]);
  const ended = new Promise((done) => child.once("close", done));
  await expect.poll(() => existsSync(join(place.folder, "marker"))).toBe(true);
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  const { stdout } = await place.run(["audit", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ toolName: "bash", state: "cancelled" }]);
});

test("a Ctrl-C that the program above turns into one more signal is one, and the call's end is recorded", async () => {
  const place = new Place();
  const state = async () => {
    const { stdout } = await place.run(["audit", "--json"]);
    return (JSON.parse(stdout) as { state: string }[])[0]?.state;
  };
  const child = place.start(["call", "sleep", '{"duration":60}']);
  const ended = finish(child);
  await expect.poll(state).toBe("started");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) child.kill(signal);
  expect((await ended).exitCode).toBe(130);
  expect(await state()).toBe("cancelled");
});

test("haft tools lists, shows, searches and counts", async () => {
  const place = new Place();
  const list = JSON.parse((await place.run(["tools", "--json"])).stdout) as {
    name: string;
    parameters: object;
  }[];
  expect(list.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["read", "grep", "bash", "current_time"]),
  );
  const task = JSON.parse((await place.run(["tools", "--profile", "task", "--json"])).stdout) as {
    name: string;
  }[];
  expect(task.map(({ name }) => name)).toContain("read_file");
  const { stdout: shown } = await place.run(["tools", "show", "grep"]);
  expect(shown).toMatch(/^grep .*\n[\s\S]*\nParameters\n {2}pattern +required +string/);
  const { stdout: found } = await place.run(["tools", "search", "replace", "text", "in", "a", "file"]);
  expect(found.split("\n")[1]).toMatch(/^edit /);
  const cost = JSON.parse((await place.run(["tools", "--cost", "--json"])).stdout) as {
    whole: { tools: number; tokens: number };
    fixed: number;
    tools: { name: string; tokens: number; tier: string }[];
  };
  expect(cost).toMatchObject({
    tokenizer: "o200k_base",
    exact: true,
    target: "openai",
    choice: { exposure: "inline" },
  });
  expect(cost.tools.length).toBe(list.length);
  const offered = cost.tools.filter(({ tier }) => tier !== "finder");
  const tokens = offered.reduce((sum, one) => sum + one.tokens, cost.fixed);
  expect(cost.whole).toEqual({ tools: offered.length, tokens });
  const packs = JSON.parse((await place.run(["tools", "packs", "--json"])).stdout) as { name: string }[];
  expect(packs.map(({ name }) => name)).toEqual(expect.arrayContaining(["files", "shell", "network"]));
  const definitions = JSON.parse(
    (await place.run(["tools", "--json", "--target", "anthropic"])).stdout,
  ) as object[];
  expect(definitions.length).toBe(list.length);
  expect(definitions[0]).toHaveProperty("input_schema");
});

test("haft tools names what is near where there is no such tool or category", async () => {
  const place = new Place();
  expect(await place.run(["tools", "show", "grepp"])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("grep"),
  });
  expect(await place.run(["tools", "--category", "nope"])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("network"),
  });
});

test("haft tools show finds a tool by an alias", async () => {
  const place = new Place();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, "config.yml"), "memory: { vocabularies: [blocks] }\n");
  const shown = await place.run(["tools", "show", "context"]);
  expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^block /) });
  expect(shown.stdout).toBe((await place.run(["tools", "show", "block"])).stdout);
});

test("haft undo puts back what a call changed, once, and audit shows both calls", async () => {
  const place = new Place();
  const file = join(place.folder, "note.txt");
  writeFileSync(file, "before\n");
  await place.run(["call", "read", "--arg", "path=note.txt"]);
  const written = await place.run([
    "call",
    "write",
    "--json",
    "--arg",
    "path=note.txt",
    "--arg",
    "content=after",
  ]);
  const { callId } = JSON.parse(written.stdout) as { callId: string };
  expect(readFileSync(file, "utf8")).toBe("after");
  expect(await place.run(["undo", callId])).toEqual({
    exitCode: 0,
    stdout: `put back ${file}\n`,
    stderr: "",
  });
  expect(readFileSync(file, "utf8")).toBe("before\n");
  expect(await place.run(["undo", callId])).toEqual({
    exitCode: 3,
    stdout: "",
    stderr: expect.stringContaining("or it was undone already"),
  });
  const { stdout } = await place.run(["audit", "--json", "--tool", "write"]);
  expect(JSON.parse(stdout)).toMatchObject([{ callId, state: "completed", channel: "cli" }]);
});

test("haft undo puts nothing back over a later change", async () => {
  const place = new Place();
  const file = join(place.folder, "new.txt");
  const written = await place.run([
    "call",
    "write",
    "--json",
    "--arg",
    "path=new.txt",
    "--arg",
    "content=first",
  ]);
  const { callId } = JSON.parse(written.stdout) as { callId: string };
  writeFileSync(file, "second");
  expect(await place.run(["undo", callId])).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining(file),
  });
  expect(readFileSync(file, "utf8")).toBe("second");
});

test("haft audit lists, shows one call, filters, and verifies", async () => {
  const place = new Place();
  await place.run(["call", "json_parse", "--arg", "text=1"]);
  await place.run(["call", "bash", "--arg", "command=npm test"]);
  const { stdout: table } = await place.run(["audit"]);
  expect(
    table
      .split("\n")
      .slice(1)
      .map((line) => line.split(/ {2,}/)[2]),
  ).toEqual(["bash", "json_parse", undefined]);
  const denied = JSON.parse(
    (await place.run(["audit", "--outcome", "denied", "--since", "1h", "--json"])).stdout,
  ) as { callId: string }[];
  expect(denied).toMatchObject([{ toolName: "bash" }]);
  const { stdout: shown } = await place.run(["audit", denied[0]?.callId ?? ""]);
  expect(shown).toMatch(/^call +c_.*\ntool +bash.*\noutcome +denied \[TOOL_PERMISSION\]/);
  expect(await place.run(["audit", "c_none"])).toMatchObject({ exitCode: 3 });
  const { stdout: verified } = await place.run(["audit", "--verify"]);
  const anchor = /--anchor: (\S+)/.exec(verified)?.[1] ?? "";
  expect(await place.run(["audit", "--verify", "--anchor", anchor])).toMatchObject({ exitCode: 0 });
  expect(
    await place.run(["audit", "--verify", "--anchor", `${anchor.split(":")[0]}:${"0".repeat(64)}`]),
  ).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("The ledger is broken at row"),
  });
});

test("haft init writes once, trusts, and needs a yes", async () => {
  const place = new Place();
  const file = join(place.folder, "haft.config.yml");
  expect(await place.run(["init"])).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining("add --yes"),
  });
  expect(existsSync(file)).toBe(false);
  expect(await place.run(["init", "--yes", "--profile", "task"])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(readFileSync(file, "utf8")).toMatch(
    /^# yaml-language-server: \$schema=.*haft\.config\.schema\.json\n[\s\S]*profile: task/,
  );
  const { stdout } = await place.run(["tools", "--json"]);
  expect(stdout).toContain('"read_file"');
  writeFileSync(file, "");
  expect(await place.run(["init", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(readFileSync(file, "utf8")).toContain("profile: coding");
  writeFileSync(file, "# mine\n");
  expect(await place.run(["init", "--yes"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("there is one already"),
  });
  expect(readFileSync(file, "utf8")).toBe("# mine\n");
});

test("haft trust shows what a file opens, and nothing is open before the yes", inSandbox, async () => {
  const place = new Place();
  writeFileSync(
    join(place.folder, "haft.config.yml"),
    'permissions: [{ decision: allow, tool: bash, reason: "a\\e[2Jb" }]\n',
  );
  const bash = ["call", "bash", "--arg", "command=env PAGER=cat echo hi"];
  expect(await place.run(bash)).toMatchObject({
    exitCode: 4,
    stderr: expect.stringMatching(/^warning: .* is not trusted/),
  });
  const asked = await place.run(["trust"]);
  expect(asked).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("add --yes") });
  expect(asked.stdout).toContain("  allow tool bash (a\\u{1b}[2Jb)\n");
  expect(await place.run(bash)).toMatchObject({ exitCode: 4 });
  expect(await place.run(["trust", "--yes"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("is trusted now"),
  });
  expect(await place.run(bash)).toEqual({ exitCode: 0, stdout: "hi\n", stderr: firstSnapshot });
});

test("haft doctor finds what is wrong and says what to do", async () => {
  const place = new Place();
  const well = await place.run(["doctor", "--json"]);
  expect(well.exitCode).toBe(0);
  const { checks } = JSON.parse(well.stdout) as { checks: { name: string; status: string }[] };
  expect(checks.map(({ name }) => name)).toEqual([
    "node",
    "home",
    "token",
    "config",
    "policy",
    "tools",
    "sources",
    "store",
    "ledger",
    "memory",
    "agent",
    "cache",
    "isolation",
    "ripgrep",
    "port",
  ]);
  expect(checks.filter(({ status }) => status === "failed")).toEqual([]);

  writeFileSync(join(place.home, "token"), `${"x".repeat(43)}\n`);
  chmodSync(join(place.home, "token"), 0o644);
  writeFileSync(join(place.folder, "haft.config.yml"), "tools: { tmeout: 3 }\n");
  const { exitCode, stdout } = await place.run(["doctor"]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^FAILED +token +.* can be read by others\n +→ rm /m);
  expect(stdout).toMatch(/^FAILED +config +.*did you mean "timeout"/m);
});

test("haft's own folder is nobody else's", async () => {
  const place = new Place();
  await place.run(["call", "json_parse", "--arg", "text=1"]);
  expect(statSync(place.home).mode & 0o077).toBe(0);
});

test("haft completion offers names that the hidden command prints", async () => {
  const place = new Place();
  const { stdout } = await place.run(["completion", "bash"]);
  expect(stdout).toContain("complete -o default -F _haft haft");
  expect(stdout).not.toContain("__names)");
  const names = await place.run(["__names", "tools"]);
  expect(names.stdout.split("\n")).toEqual(expect.arrayContaining(["grep", "read"]));
});

test("haft colours nothing where NO_COLOR is set or the output is no terminal", async () => {
  const place = new Place();
  for (const environment of [{}, { NO_COLOR: "1" }] as Record<string, string>[]) {
    const { stdout, stderr } = await place.run(["doctor"], "", environment);
    expect(stdout + stderr).not.toContain("\u001b");
  }
});

test(
  "haft call --exit-code leaves with the command's own exit code, and with haft's own where it did not run",
  inSandbox,
  async () => {
    const place = new Place();
    const bash = (command: string, ...more: string[]) =>
      place.run(["call", "bash", "--exit-code", "-a", `command=${command}`, ...more]);
    expect((await bash("exit 7", "--yes")).exitCode).toBe(7);
    expect((await bash("exit 7", "--yes", "--json")).exitCode).toBe(7);
    expect((await bash("true")).exitCode).toBe(0);
    expect((await bash("git push")).exitCode).toBe(4);
    const without = await place.run(["call", "bash", "--yes", "-a", "command=exit 7"]);
    expect(without.exitCode).toBe(0);
  },
);
