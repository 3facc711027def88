import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "../../../../test/support/command-line.ts";
import { Installation } from "../../../../test/support/installation.ts";
import { openStore } from "../../../app/store/index.ts";
import { findMemoryScope } from "../../../modules/memory/index.ts";
import { exitCodes } from "../../exit-codes.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let installation: Installation;
let haft: (...args: string[]) => Promise<Ran>;
let haftWith: (given: { input?: string; isTTY?: boolean }, ...args: string[]) => Promise<Ran>;
let json: (...args: string[]) => Promise<unknown>;

beforeEach(() => {
  installation = new Installation();
  installation.home.write("config.yml", "tools: { search: { embedder: none } }\nagents: { writer: {} }\n");
  haftWith = async ({ input = "", isTTY = false }, ...args) => {
    const ran = await runCommand(["memory", ...args], {
      place: installation,
      input,
      interactive: isTTY,
      ...(isTTY && { columns: 100 }),
    });
    return { code: ran.exitCode, out: ran.stdout, err: ran.stderr };
  };
  haft = (...args) => haftWith({}, ...args);
  json = async (...args) => {
    const { code, out } = await haft(...args, "--json");
    expect({ args, code }).toEqual({ args, code: exitCodes.ok });
    return JSON.parse(out);
  };
});

/** What an agent wrote, that may come from outside. */
async function put(agentId: string | undefined, text: string, more: object = {}): Promise<string> {
  await using store = await openStore({ path: join(installation.home.folder, "haft.db") });
  const [entry] = await store.memory.edit(
    findMemoryScope({ agentId }),
    [{ do: "create_block", entry: { kind: "memory", text, ...more } }],
    { by: "agent:writer" },
  );
  return entry?.id as string;
}

/** A fault as it reads: at a terminal its lines break between words. */
function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

test("what is remembered is found, shown, changed, undone, put away and brought back", async () => {
  const added = await haft("add", "Ada lives in Paris", "--label", "ada", "--name", "Ada", "--tag", "people");
  expect(added.out).toMatch(/^ada \(m_\w{16}\) is remembered\n$/);
  expect((await haftWith({ input: "from a file\n" }, "add", "--kind", "note")).code).toBe(0);
  expect(await json("list", "--tag", "people")).toMatchObject({
    total: 1,
    entries: [{ label: "ada", author: { by: expect.stringMatching(/^owner:/), channel: "cli" } }],
  });
  expect(await json("search", "where", "does", "Ada", "live")).toMatchObject({
    hits: [{ entry: { label: "ada" }, match: "name", score: 1 }],
  });
  expect((await haft("search", "Paris")).out).toMatch(
    /^1\. ada {2}block, [-\d: ]+; full-text, score [\d.]+\n {3}Ada lives in Paris\n$/,
  );
  await haftWith({ input: "Ada lives in Rome\n" }, "edit", "ada");
  expect(await json("show", "ada")).toMatchObject({ text: "Ada lives in Rome", shares: [] });
  expect((await haft("history", "ada", "--diff")).out).toContain(
    "- Ada lives in Paris\n+ Ada lives in Rome\n",
  );
  await json("undo", "ada");
  expect((await haft("show", "ada")).out).toMatch(/can be {3,}redone \(1\)\n\nAda lives in Paris\n$/);
  await json("redo", "ada");
  expect((await haft("show", "ada", "--version", "1")).out).toBe("Ada lives in Paris\n");
  await json("delete", "ada");
  expect(await json("list", "--deleted")).toMatchObject({ entries: [{ label: "ada" }] });
  expect(await json("list")).toMatchObject({ total: 1, entries: [{ text: "from a file" }] });
  await json("restore", "ada");
  expect(await json("show", "ada")).toMatchObject({ text: "Ada lives in Rome" });
});

test("facts are set, and taken away; the owner is bound by no permission", async () => {
  await haft("add", "be kind", "--label", "rules", "--tag", "a", "--permission", "read_only");
  expect(
    await json("set", "rules", "--pin", "--tier", "core", "--tag", "b", "--untag", "a", "--title", "Rules"),
  ).toMatchObject({
    pinned: true,
    tier: "core",
    tags: ["b"],
    title: "Rules",
  });
  expect(await json("set", "rules", "--unpin", "--title", "", "--permission", "human")).toMatchObject({
    pinned: false,
    permission: "human",
  });
  expect((await haft("context")).out).toContain('{"label":"rules","text":"be kind"}');
  expect((await haft("set", "rules")).err).toContain("Cannot set nothing");
});

test("what came from outside is marked, steers no terminal, and can be vouched for", async () => {
  const id = await put(undefined, "\u001b]0;owned\u0007 obey\u202e", {
    trust: "untrusted",
  });
  const shown = async (...args: string[]) => (await haftWith({ isTTY: true }, ...args)).out;
  for (const out of [
    await shown("list"),
    await shown("show", id),
    await shown("search", "obey"),
    await shown("history", id),
  ]) {
    expect(out).toContain("[untrusted]");
    // oxlint-disable-next-line no-control-regex -- colours of haft's own are let by
    expect(out.replaceAll(/\u001b\[\d+m/g, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
  }
  expect(await json("set", id, "--trusted")).toMatchObject({ trust: "trusted" });
});

test("the memory of each agent is apart, and entries are shared with one of them", async () => {
  await haft("add", "mine", "--label", "rules");
  expect(await json("list", "--agent", "writer")).toMatchObject({ total: 0 });
  expect(await haft("list", "--agent", "writr")).toMatchObject({
    code: exitCodes.notFound,
    err: expect.stringContaining("did you mean writer"),
  });
  expect((await haft("share", "rules", "writer", "--permission", "read_only")).out).toContain(
    "is shared with writer, as read_only",
  );
  expect((await haft("list", "--agent", "writer")).out).toContain("[shared by local] mine");
  expect(await haftWith({ input: "theirs" }, "set", "rules", "--pin", "--agent", "writer")).toMatchObject({
    code: exitCodes.refused,
    err: expect.stringContaining("[MEMORY_NOT_OWNER]"),
  });
  await json("unshare", "rules", "writer");
  expect(await json("list", "--agent", "writer")).toMatchObject({ total: 0 });
});

/** A program that takes the file to edit as its last argument. */
function useEditor(script: string): void {
  const file = installation.write("editor.sh", `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o700);
  vi.stubEnv("VISUAL", file);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test("the editor changes a text; where somebody was faster, what was written is kept", async () => {
  await haft("add", "one", "--label", "plan");
  useEditor("printf 'two\\n' > \"$1\"");
  expect((await haftWith({ isTTY: true }, "edit", "plan")).code).toBe(0);
  expect(await json("show", "plan")).toMatchObject({ text: "two" });

  const database = JSON.stringify(join(installation.home.folder, "haft.db"));
  const update = `import { DatabaseSync } from "node:sqlite"; new DatabaseSync(${database}).exec("update memory_entry set text = 'theirs', revision = revision + 1")`;
  const other = installation.write("other.mjs", update);
  useEditor(`"${process.execPath}" --no-warnings "${other}" && printf 'mine' > "$1"`);
  const { code, err } = await haftWith({ isTTY: true }, "edit", "plan");
  expect({ code, err }).toEqual({ code: exitCodes.busy, err: expect.stringContaining("[MEMORY_CHANGED]") });
  const kept = /what you wrote is in (\S+)\)/.exec(onOneLine(err))?.[1] ?? "";
  expect(readFileSync(kept, "utf8")).toBe("mine");
  rmSync(dirname(kept), { recursive: true });
  expect(await json("show", "plan")).toMatchObject({ text: "theirs" });
});

test("no text is made empty by a slip, in a pipe or in the editor", async () => {
  await haft("add", "one", "--label", "plan");
  const refused = { code: exitCodes.usage, err: expect.stringContaining('Cannot make "plan" empty') };
  expect(await haftWith({ input: "" }, "edit", "plan")).toMatchObject(refused);
  expect(await haftWith({ input: " \n" }, "edit", "plan")).toMatchObject(refused);
  useEditor(': > "$1"');
  expect(await haftWith({ isTTY: true }, "edit", "plan")).toMatchObject(refused);
  useEditor("exit 3");
  const { err } = await haftWith({ isTTY: true }, "edit", "plan");
  expect(onOneLine(err)).toMatch(/Nothing was changed: the editor "\S+" ended with 3 /);
  useEditor('printf two > "$1"; exit 3');
  const left = await haftWith({ isTTY: true }, "edit", "plan");
  const kept = /what you wrote is in (\S+)/.exec(onOneLine(left.err))?.[1];
  expect(readFileSync(kept ?? "", "utf8")).toBe("two");
  rmSync(dirname(kept ?? ""), { recursive: true });
  expect(await json("show", "plan")).toMatchObject({ text: "one", revision: 1 });
});

test("what says nothing is told so", async () => {
  await haft("add", "one", "--label", "plan");
  expect(await haft("search", " ")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("Cannot search for nothing"),
  });
  expect((await haft("search", "Zebra")).err).toContain("None of 1 entry has a word of the query");
  await haft("delete", "plan");
  expect((await haft("delete", "plan")).out).toContain(" is deleted already; ");
  expect(await haft("list", "--agent", "local")).toMatchObject({
    code: exitCodes.notFound,
    err: expect.stringContaining("without --agent"),
  });
  expect(await json("list", "--deleted", "--agent", "-")).toMatchObject({ entries: [{ label: "plan" }] });
});

test("only what is erased is gone for good, and not without a yes", async () => {
  await haft("add", "secret", "--label", "x");
  expect(await haft("erase", "x")).toMatchObject({
    code: exitCodes.refused,
    err: expect.stringContaining("add --yes"),
  });
  await json("erase", "x", "--yes");
  expect(await haft("show", "x")).toMatchObject({ code: exitCodes.notFound });
});

test("an export is imported: what would change is asked about, and --dry-run changes nothing", async () => {
  await haft("add", "one", "--label", "plan");
  await haft("add", "two");
  const file = join(installation.root, "all.md");
  expect((await haft("export", file)).out).toBe(`2 entries are in ${file}\n`);
  expect(await haft("export", file)).toMatchObject({ code: exitCodes.usage });
  writeFileSync(file, readFileSync(file, "utf8").replace("\none\n", "\nthree\n"));
  expect(await json("import", file, "--dry-run", "--trusted")).toMatchObject([
    { new: 0, changed: 1, same: 1, dryRun: true },
  ]);
  expect(await haft("import", file, "--trusted")).toMatchObject({ code: exitCodes.refused });
  expect(await haft("import", file, "--yes")).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining('"plan" is there already and is one\'s own'),
  });
  expect(await json("show", "plan")).toMatchObject({ text: "one" });
  expect((await haft("import", file, "--yes", "--trusted")).out).toBe(
    "all.md: 0 new, 1 changed, 1 the same\n",
  );
  expect(await json("show", "plan")).toMatchObject({ text: "three", trust: "trusted" });
  const lines = (await haft("export")).out.trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { text: string }).text).sort()).toEqual(["three", "two"]);
});

test("of several files nothing is imported where one of them can't be", async () => {
  const good = installation.write("good.jsonl", '{"text":"a"}\n');
  const bad = installation.write("bad.jsonl", '{"text":"a"}\n{"text":1}\n');
  expect(await haft("import", good, bad)).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringMatching(
      /^haft: Cannot import line 2: text: .* \(in bad\.jsonl\) \[MEMORY_IMPORT\]\n$/,
    ),
  });
  expect(await haft("import", join(installation.root, "none.md"))).toMatchObject({
    code: exitCodes.notFound,
  });
  installation.write("latin.md", "");
  writeFileSync(join(installation.root, "latin.md"), Buffer.from([0x23, 0x20, 0xe4]));
  expect(await haft("import", join(installation.root, "latin.md"))).toMatchObject({
    err: expect.stringContaining("it is not UTF-8"),
  });
  expect(await json("list")).toMatchObject({ total: 0 });
  expect((await haftWith({ input: "# Title\ntext" }, "import", "-")).out).toBe(
    "standard input: 1 new, 0 changed, 0 the same\n",
  );
});

test("a list of JSON is no note, and what is neither Markdown nor JSON lines is asked about", async () => {
  const list = '[\n{"text":"a"}\n]\n';
  const names = ["a.json", "a.jsonl", "a.txt", "a"];
  for (const name of names)
    expect({ name, ...(await haft("import", installation.write(name, list))) }).toMatchObject({
      name,
      code: exitCodes.usage,
      err: expect.stringContaining("one JSON object a line"),
    });
  const table = installation.write("a.csv", "text\na\n");
  expect(await haft("import", table)).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("--format"),
  });
  expect(await json("list")).toMatchObject({ total: 0 });
  const notes = installation.write("links.txt", "[a link](https://example.com)\n");
  expect(await json("import", notes)).toMatchObject([{ new: 1 }]);
  expect(await json("import", table, "--format", "md")).toMatchObject([{ new: 1 }]);
});

test("a conversation that is imported is looked at by a program that stays", async () => {
  const model = '{ provider: openai-compatible, url: "http://127.0.0.1:9/v1", model: tiny }';
  installation.home.write(
    "config.yml",
    `tools: { search: { embedder: none } }\nmemory: { model: ${model} }\n`,
  );
  const turn = (session: string, text: string) => `${JSON.stringify({ session, speaker: "Ada", text })}\n`;
  const file = installation.write("talk.jsonl", turn("long", "hill ".repeat(3_000)) + turn("short", "hi"));
  await json("import", file);
  await using store = await openStore({ path: join(installation.home.folder, "haft.db") });
  const jobs = await store.jobs.list({ kinds: ["memory.observe"] });
  expect(jobs).toMatchObject([{ scope: "local", key: "long", state: "pending" }]);
  expect(await json()).toMatchObject({ waiting: expect.stringMatching(/^3,\d+ tokens .*`haft serve`/) });
});

test("haft memory says what there is, and what could not be done; that is tried again", async () => {
  await haft("add", "one", "--label", "plan");
  const database = join(installation.home.folder, "haft.db");
  {
    await using store = await openStore({ path: database });
    await store.jobs.enqueue({ kind: "memory.reflect", scope: "local", key: "daily" });
    const job = await store.jobs.claim({ kinds: ["memory.reflect"], leaseMs: 1000 });
    await store.jobs.fail(job as never, { message: "the model is gone", retry: false });
  }
  expect(await json()).toMatchObject({
    scope: "local",
    total: 1,
    kinds: { block: 1 },
    tiers: { archival: 1 },
    database,
    folder: join(installation.home.folder, "memory", "local"),
    failed: [{ kind: "memory.reflect", lastError: "the model is gone" }],
    waiting: "1 job for `haft memory retry`",
  });
  const { out } = await haft();
  expect(out).toContain("the model is gone");
  expect(out).toContain("by names and words; tools.search.embedder adds meaning");
  expect(await json("retry")).toEqual({ retried: [expect.any(String)] });
  expect(await json()).toMatchObject({ failed: [] });
  expect((await haft("retry")).err).toBe("Nothing failed for good\n");
});

test("no tool has what the owner has", async () => {
  vi.stubEnv("HAFT_PROCESS", "c_1");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await haft("list")).toMatchObject({
    code: exitCodes.refused,
    err: expect.stringContaining("Cannot work with memory here: a tool of haft started this process"),
  });
});
