import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startExchanging } from "../../../../../test/support/exchange.ts";
import { type MemoryFileWorld, openMemoryFileWorld } from "../../../../../test/support/memory-file-world.ts";
import { memoryFolderName } from "./memory-path.ts";

const canary = "canary of somebody else\n";

/** What the four tools that take a path do with one. */
async function tryAll(world: MemoryFileWorld, path: string) {
  return {
    read: await world.call("memory_read", { path }),
    write: await world.call("memory_write", { path, content: "written" }),
    patch: await world.call("memory_patch", { path, old_str: "canary", new_str: "written" }),
    append: await world.call("memory_append", { path, entry: "written", summary: "written" }),
  };
}

const nastyPaths: readonly string[] = [
  "..",
  "../outside/canary.md",
  "facts/../../outside/canary.md",
  "facts/../user.md",
  "facts/./user.md",
  "..\\outside\\canary.md",
  "facts\\..\\..\\outside\\canary.md",
  "/etc/passwd",
  "/etc/passwd.md",
  "//outside/canary.md",
  "~/canary.md",
  "~root/canary.md",
  "C:\\canary.md",
  "C:canary.md",
  "\\\\?\\C:\\canary.md",
  "file:///etc/passwd.md",
  "facts/user.md:stream.md",
  "facts/user.md\0.md",
  "facts\0/user.md",
  "facts/user\n.md",
  "facts/user\u202e.md",
  "facts/\u200buser.md",
  "facts/user\u0301.md",
  "facts/con.md",
  "facts/LPT1.md",
  "nul/user.md",
  "facts/user.md ",
  "facts/user.md.",
  "facts. /user.md",
  " facts/user.md",
  "facts//user.md",
  "facts/",
  "facts",
  "",
  ".md",
  "facts/.md",
  ".hidden.md",
  ".git/user.md",
  "facts/user.txt",
  "facts/user.MD",
  "facts/user.md/",
  "facts/user\ud800.md",
  "a/b/c/d/e/f.md",
  `facts/${"x".repeat(200)}.md`,
  "facts/%2e%2e/user.md/../../x",
  "*.md",
  "facts/<user>.md",
];

test("no path but one of a plain Markdown file in the memory folder is taken, and nothing outside is touched", async () => {
  await using world = await openMemoryFileWorld();
  writeFileSync(join(world.outside, "canary.md"), canary);
  world.byHand("facts/user.md", "canary\n");
  const sibling = `${dirname(world.path("x"))}-sibling`;
  mkdirSync(sibling);
  writeFileSync(join(sibling, "canary.md"), canary);
  const codes = new Map<string, Set<string>>();
  for (const path of [...nastyPaths, "../local-sibling/canary.md", sibling]) {
    const results = Object.values(await tryAll(world, path));
    codes.set(path, new Set(results.map((result) => (result.success ? "success" : result.code))));
  }
  const accepted = [...codes].filter(([, found]) => [...found].some((code) => !refusals.has(code)));
  expect(accepted).toEqual([]);
  expect(readFileSync(join(world.outside, "canary.md"), "utf8")).toBe(canary);
  expect(readFileSync(join(sibling, "canary.md"), "utf8")).toBe(canary);
  expect(readFileSync(world.path("facts/user.md"), "utf8")).toBe("canary\n");
  const left = readdirSync(dirname(world.path("x")), { recursive: true, encoding: "utf8" });
  expect(left.sort()).toEqual(["facts", "facts/user.md"]);
});
/** The empty path breaks the schema. */
const refusals: ReadonlySet<string> = new Set(["MEMORY_PATH", "TOOL_VALIDATION"]);

const links: Readonly<Record<string, (world: MemoryFileWorld) => string>> = {
  "a link to a file outside": (world) => {
    symlinkSync(join(world.outside, "canary.md"), world.path("facts/link.md"));
    return "facts/link.md";
  },
  "a link to a folder outside": (world) => {
    symlinkSync(world.outside, world.path("facts/folder"));
    return "facts/folder/canary.md";
  },
  "a link to nothing outside": (world) => {
    symlinkSync(join(world.outside, "new.md"), world.path("facts/link.md"));
    return "facts/link.md";
  },
  "a link to a file inside": (world) => {
    symlinkSync("user.md", world.path("facts/link.md"));
    return "facts/link.md";
  },
  "a hard link to a file outside": (world) => {
    linkSync(join(world.outside, "canary.md"), world.path("facts/link.md"));
    return "facts/link.md";
  },
};

test.for(Object.entries(links))("%s is no memory file", async ([, make]) => {
  await using world = await openMemoryFileWorld();
  writeFileSync(join(world.outside, "canary.md"), canary);
  world.byHand("facts/user.md", "canary\n");
  const path = make(world);
  for (const result of Object.values(await tryAll(world, path)))
    expect(result).toMatchObject({ code: "MEMORY_FILE_LINKED" });
  expect(await world.passages()).toEqual(["canary"]);
  const listed = await world.call("memory_list", {});
  expect(JSON.stringify(listed)).not.toContain("somebody");
  expect(readFileSync(join(world.outside, "canary.md"), "utf8")).toBe(canary);
  expect(readdirSync(world.outside)).toEqual(["canary.md"]);
  expect(readFileSync(world.path("facts/user.md"), "utf8")).toBe("canary\n");
});

test("the memory folder itself may be a link: its owner put it there", async () => {
  await using world = await openMemoryFileWorld();
  const folder = dirname(world.path("x"));
  mkdirSync(dirname(folder), { recursive: true });
  symlinkSync(world.outside, folder);
  expect(await world.call("memory_write", { path: "facts/user.md", content: "Ada" })).toMatchObject({
    success: true,
  });
  expect(readFileSync(join(world.outside, "facts/user.md"), "utf8")).toBe("Ada");
  expect(await world.passages()).toEqual(["Ada"]);
});

test("nothing leads out while a folder is exchanged for a link in the middle of calls", async ({ skip }) => {
  await using world = await openMemoryFileWorld();
  const root = dirname(world.path("x"));
  for (const name of ["user.md", "other.md"]) writeFileSync(join(world.outside, name), canary);
  world.byHand("facts/user.md", "inside\n");
  symlinkSync(world.outside, join(root, "link"));
  await using race = await startExchanging(root, "facts", "link");
  if (race === undefined)
    return skip("no renameat2 with Perl here to exchange a folder and a link in one step");
  const shown: string[] = [];
  const outcomes = new Set<string>();
  const wasExchanged = () => [...outcomes].some((code) => exchanged.has(code));
  const start = performance.now();
  const lasts = () => performance.now() - start < (outcomes.has("success") && wasExchanged() ? 800 : 30_000);
  while (lasts()) {
    const path = "facts/user.md";
    for (const result of [
      await world.call("memory_read", { path }),
      await world.call("memory_append", { path, entry: "added" }),
      await world.call("memory_list", {}),
    ]) {
      shown.push(JSON.stringify(result));
      outcomes.add(result.success ? "success" : result.code);
    }
  }
  expect(shown.filter((one) => one.includes("somebody"))).toEqual([]);
  expect(outcomes).toContain("success");
  expect(wasExchanged()).toBe(true);
  expect(readdirSync(world.outside).sort()).toEqual(["other.md", "user.md"]);
  expect(readFileSync(join(world.outside, "user.md"), "utf8")).toBe(canary);
  expect((await world.passages()).join()).not.toContain("somebody");
});

const exchanged: ReadonlySet<string> = new Set(["MEMORY_FILE_LINKED", "PATH_CHANGED", "PATH_OUTSIDE"]);

test("files whose names differ in case alone are refused", async () => {
  await using world = await openMemoryFileWorld();
  await world.call("memory_write", { path: "facts/User.md", content: "one" });
  const result = await world.call("memory_write", { path: "facts/user.md", content: "two" });
  if (existsSync(world.path("FACTS"))) return;
  expect(result).toMatchObject({ code: "MEMORY_PATH", error: expect.stringContaining("facts/User.md") });
});

test("two scopes have nothing of each other's files, whatever they are called", async () => {
  await using world = await openMemoryFileWorld();
  const one = { scope: "a", agentId: "b" };
  const others = [{ scope: "a" }, { scope: "a/b", agentId: "c" }, { scope: "A", agentId: "b" }, {}];
  await world.call("memory_write", { path: "facts/user.md", content: "only for one" }, one);
  for (const other of others) {
    expect(await world.call("memory_list", {}, other)).toMatchObject({ result: [] });
    expect(await world.call("memory_read", { path: "facts/user.md" }, other)).toMatchObject({
      code: "MEMORY_FILE_NOT_FOUND",
    });
    expect(await world.passages(other)).toEqual([]);
  }
  expect(await world.passages(one)).toEqual(["only for one"]);
});

test("memoryFolderName() gives each scope a name of its own that every file system takes", () => {
  const scopes = [
    "local",
    "Local",
    "local/writer",
    "local+2f+writer",
    "..",
    ".",
    "",
    "con",
    "nul",
    "a b",
    "ä",
    "a\0",
    "x".repeat(300),
    "x".repeat(301),
  ];
  const names = scopes.map(memoryFolderName);
  expect(names.slice(0, 3)).toEqual(["local", "+4c+ocal", "local+2f+writer"]);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(scopes.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_+=-]{1,120}$/);
});
