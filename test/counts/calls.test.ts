import { expect, test } from "vitest";
import { countFileCalls } from "../support/count-files.ts";
import { countStatements } from "../support/count-statements.ts";
import { Installation, type OpenInstallation } from "../support/installation.ts";
import { chaosOverStdio } from "../support/mcp-servers.ts";

// What one call costs, in numbers that are the same on every machine. One that has grown makes every call slower.

const { command, args } = chaosOverStdio();
const config = {
  permissions: [
    { decision: "deny", effect: "write", target: "**/*.lock" },
    { decision: "allow", tool: "*" },
  ],
  mcpServers: { chaos: { command, args } },
};

const calls: Readonly<Record<string, readonly [tool: string, params: object]>> = {
  "that only reads": ["read", { path: "small.txt" }],
  "that writes": ["edit", { path: "edited.txt", old_string: "1", new_string: "11", replace_all: true }],
  "of another server's tool": ["chaos__echo", { text: "hello" }],
  "that is denied": ["write", { path: "denied.lock", content: "text" }],
  "with wrong arguments": ["read", {}],
};

/** An installation in which each of {@link calls} was made before. */
async function openWarm(place: Installation): Promise<OpenInstallation> {
  place.write("project/small.txt", "A small file.\n");
  place.write("project/edited.txt", "1\n");
  const opened = await place.open(JSON.stringify(config));
  await opened.app.sources.settled();
  for (const [tool, params] of Object.values(calls)) await opened.call(tool, params);
  return opened;
}

test("a call has the database do so much: what reads and ends at once is one commit, what has an effect is two and its journal's", async () => {
  const opened = await openWarm(new Installation());
  const counted: Record<string, unknown> = {};
  for (const [kind, [tool, params]] of Object.entries(calls))
    counted[kind] = await countStatements(() => opened.call(tool, params));
  expect(counted).toEqual({
    "that only reads": { statements: 5, commits: 1 },
    "that writes": { statements: 17, commits: 4 },
    "of another server's tool": { statements: 10, commits: 2 },
    "that is denied": { statements: 5, commits: 1 },
    "with wrong arguments": { statements: 5, commits: 1 },
  });
});

test.runIf(process.platform === "linux")(
  "a `read` looks at the disk 28 times, however deep the project and the file lie",
  async () => {
    const place = new Installation();
    const opened = await openWarm(place);
    const deep = "a/b/c/d/e/f/file.txt";
    place.write(`project/${deep}`, "A deep file.\n");
    await opened.call("read", { path: deep });
    const looks = {
      realpathSync: 4,
      lstatSync: 9,
      openSync: 2,
      readlinkSync: 1,
      fstatSync: 3,
      readSync: 7,
      closeSync: 2,
    };
    const countLooks = async (path: string) => {
      // Whether another process has made a key for secrets is looked at once in 20 ms, and not for each call.
      const { existsSync: _key, ...counted } = await countFileCalls(() => opened.call("read", { path }));
      return counted;
    };
    expect(await countLooks("small.txt")).toEqual(looks);
    // The folder of the file is another than the project's: one look more for each of the two operations.
    expect(await countLooks(deep)).toEqual({ ...looks, realpathSync: 6 });
  },
);
