import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agreeing, Installation } from "../../test/support/installation.ts";
import { needs } from "../../test/support/needs.ts";
import { levelsHere } from "../../test/support/sandbox-levels.ts";

/** A configuration that people copy: some folders of the project, and not the project itself. */
const someFolders = "tools: { allowedPaths: [./data, ./docs, ./src] }";

function project(): Installation {
  const place = new Installation();
  for (const name of ["data", "docs", "src"]) mkdirSync(join(place.folder, name));
  place.write("project/notes.txt", "of the project itself\n");
  place.write("project/data/one.txt", "one\n");
  return place;
}

test("relative paths start in the project folder, whatever folders are listed", async () => {
  const place = project();
  const installed = await place.open(someFolders, { profile: "coding" });
  expect(await installed.call("read", { path: "data/one.txt" })).toMatchObject({ success: true });
  expect(await installed.call("write", { path: "docs/new.md", content: "new" })).toMatchObject({
    success: true,
  });
  expect(readFileSync(join(place.folder, "docs/new.md"), "utf8")).toBe("new");
  expect(await installed.call("read", { path: "one.txt" })).toMatchObject({ code: "TOOL_PERMISSION" });
  expect(await installed.call("glob", { pattern: "*.txt", path: "data" })).toMatchObject({ success: true });
});

test("what lies in the project folder beside the listed ones is asked about, and the question names the folder", async () => {
  const place = project();
  const approver = agreeing();
  const installed = await place.open(someFolders, { profile: "coding", approver });
  expect(await installed.call("read", { path: "notes.txt" })).toMatchObject({ success: true });
  expect(approver.asked).toMatchObject([
    {
      folder: place.folder,
      effects: [{ kind: "read", target: join(place.folder, "notes.txt"), within: false }],
    },
  ]);
});

const levels = await levelsHere();
const isConfined = levels.includes("bubblewrap") || levels.includes("unshare");

test(
  "a command starts in the project folder, and sees of it the listed folders alone",
  needs("sandbox", isConfined),
  async () => {
    const place = project();
    const installed = await place.open(someFolders, { profile: "coding" });
    const bash = (command: string, more: object = {}) => installed.call("bash", { command, ...more });
    expect(await bash("pwd; cat data/one.txt")).toMatchObject({
      success: true,
      result: { stdout: `${place.folder}\none\n` },
    });
    const script = "import os; open('src/made', 'w').write(' '.join(sorted(os.listdir('.'))))";
    place.write("project/src/look.py", script);
    const approver = agreeing();
    const asked = await place.open(someFolders, { profile: "coding", approver });
    expect(await asked.call("bash", { command: "python3 src/look.py" })).toMatchObject({ success: true });
    expect(readFileSync(join(place.folder, "src/made"), "utf8")).toBe("data docs src");
    expect(existsSync(join(place.folder, "made"))).toBe(false);
  },
);

test("a question about a command shows the folder in which it runs", async () => {
  const place = project();
  mkdirSync(join(place.folder, "src/deep"));
  const approver = agreeing();
  const config = `${someFolders}\nsandbox: { atLeast: none }\npermissions: [{ decision: ask, tool: bash }]`;
  const installed = await place.open(config, { profile: "coding", approver });
  await installed.call("bash", { command: "true" });
  await installed.call("bash", { command: "true", cwd: "src/deep" });
  expect(approver.asked.map(({ folder }) => folder)).toEqual([place.folder, join(place.folder, "src/deep")]);
});
