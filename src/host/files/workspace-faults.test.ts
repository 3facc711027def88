import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";
import { needs } from "../../../test/support/needs.ts";
import { isTemporaryFolderOpen } from "../../../test/support/open-to-all.ts";

const isRoot = process.getuid?.() === 0;

/** Runs steps over a workspace in another process, and returns what they came to. */
function inChild(
  script: string,
  env: Readonly<Record<string, string>>,
  options: { readonly uid?: number; readonly gid?: number; readonly limit?: string } = {},
): unknown {
  const { limit, ...ids } = options;
  const host = new URL("../index.ts", import.meta.url).href;
  const source = `
    import { UndoFolder, Workspace } from ${JSON.stringify(host)};
    const workspace = new Workspace({ undo: new UndoFolder(process.env.ROOT + "-undo") });
    const access = { allowedPaths: [process.env.ROOT], effects: [], signal: new AbortController().signal };
    const catchCode = async (action) => { try { await action(); return "done"; } catch (error) { return error.code ?? String(error); } };
    const put = async (path, bytes) => { using staged = workspace.stage(path, access); await staged.write(Buffer.alloc(bytes)); staged.commit(); };
    console.log(JSON.stringify(${script}));`;
  const node = [process.execPath, "--input-type=module", "--eval", source];
  const [command = "", ...args] =
    limit === undefined ? node : ["sh", "-c", `${limit}; exec "$@"`, "sh", ...node];
  const { stdout, stderr } = spawnSync(command, args, { env, encoding: "utf8", ...ids });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

test("Workspace.stage() says that the disk is full, changes nothing and leaves nothing", async ({ skip }) => {
  const disk = mkdtempSync(join(tmpdir(), "haft-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stdio: "ignore" });
  } catch {
    rmSync(disk, { recursive: true });
    return skip("no right to mount a small file system; the next test limits the size of files instead");
  }
  try {
    using bench = new FileBench({ in: disk });
    writeFileSync(bench.path("kept"), "kept");
    const write = async (path: string, bytes: number) => {
      using staged = bench.workspace.stage(path, bench.access());
      await staged.write(Buffer.alloc(bytes));
      staged.commit();
    };
    await expect(write("kept", 2_000_000)).rejects.toMatchObject({
      code: "DISK_FULL",
      message: `Cannot write "${bench.path("kept")}": the disk is full and nothing was changed; free some space`,
    });
    await expect(write("new/folder/file", 2_000_000)).rejects.toMatchObject({ code: "DISK_FULL" });
    expect(readFileSync(bench.path("kept"), "utf8")).toBe("kept");
    expect(readdirSync(bench.root)).toEqual(["kept"]);
    await write("kept", 100_000);
    expect(statSync(bench.path("kept")).size).toBe(100_000);
  } finally {
    execFileSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true });
  }
});

test("Workspace.stage() says that files may not grow that large, changes nothing and leaves nothing", () => {
  using bench = new FileBench();
  writeFileSync(bench.path("kept"), "kept");
  const outcome = inChild(
    `await catchCode(() => put("kept", 2_000_000))`,
    { ROOT: bench.root },
    { limit: "ulimit -f 500" },
  );
  expect(outcome).toBe("DISK_FULL");
  expect(readFileSync(bench.path("kept"), "utf8")).toBe("kept");
  expect(readdirSync(bench.root)).toEqual(["kept"]);
});

test("Workspace reports what the file system forbids, and takes nothing over that it may not write", ({
  skip,
}) => {
  if (isRoot && !isTemporaryFolderOpen())
    return skip("other users may not enter the folder for temporary files");
  using bench = new FileBench();
  chmodSync(bench.folder, 0o755);
  chmodSync(bench.root, 0o777);
  writeFileSync(bench.path("unreadable"), "secret", { mode: 0o600 });
  writeFileSync(bench.path("readonly"), "fixed", { mode: 0o444 });
  mkdirSync(bench.path("closed"), { mode: 0o700 });
  mkdirSync(bench.path("fixed"), { mode: 0o755 });
  if (!isRoot) {
    chmodSync(bench.path("unreadable"), 0);
    chmodSync(bench.path("closed"), 0);
    chmodSync(bench.path("fixed"), 0o555);
  }
  const script = `{
    read: await catchCode(() => workspace.open("unreadable", access)),
    replace: await catchCode(() => put("readonly", 1)),
    create: await catchCode(() => put("fixed/new", 1)),
    list: await catchCode(() => workspace.list("closed", access, { recursive: false, limit: 10 })),
    inside: await catchCode(() => workspace.open("closed/any", access)),
    make: await catchCode(() => put("fixed/new/deep/file", 1)),
    allowed: await catchCode(() => put("mine", 1)),
  }`;
  const ids = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  expect(inChild(script, { ROOT: bench.root }, ids)).toEqual({
    read: "FILE_PERMISSION",
    replace: "FILE_PERMISSION",
    create: "FILE_PERMISSION",
    list: "FILE_PERMISSION",
    inside: "FILE_PERMISSION",
    make: "FILE_PERMISSION",
    allowed: "done",
  });
  for (const name of ["closed", "fixed"]) chmodSync(bench.path(name), 0o755);
  expect(readFileSync(bench.path("readonly"), "utf8")).toBe("fixed");
});

test("StagedWrite keeps the owner of a file where the system lets it", needs("root", isRoot), async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("theirs"), "old");
  chownSync(bench.path("theirs"), 12_345, 12_346);
  chmodSync(bench.path("theirs"), 0o640);
  using staged = bench.workspace.stage("theirs", bench.access());
  await staged.write(Buffer.from("new"));
  staged.commit();
  const { uid, gid, mode } = statSync(bench.path("theirs"));
  expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: 12_345, gid: 12_346, mode: 0o640 });
});

test("Workspace.move() goes to another file system whole: files, folders and links", async ({ skip }) => {
  const shared = "/dev/shm";
  if (
    !statSync(shared, { throwIfNoEntry: false })?.isDirectory() ||
    statSync(shared).dev === statSync(tmpdir()).dev
  ) {
    return skip("there is no second file system here");
  }
  using here = new FileBench();
  using there = new FileBench({ in: shared });
  const access = here.access({ allowedPaths: [here.root, there.root] });
  mkdirSync(here.path("folder", "inner"), { recursive: true });
  writeFileSync(here.path("folder", "inner", "bytes"), Buffer.from([0, 1, 255]), { mode: 0o754 });
  symlinkSync("inner/bytes", here.path("folder", "link"));
  writeFileSync(here.path("file"), "text", { mode: 0o640 });
  await here.workspace.move("folder", there.path("folder"), access);
  await here.workspace.move("file", there.path("deep/file"), access);
  expect(readdirSync(here.root)).toEqual([]);
  expect(readFileSync(there.path("folder/inner/bytes"))).toEqual(Buffer.from([0, 1, 255]));
  expect(lstatSync(there.path("folder/inner/bytes")).mode & 0o777).toBe(0o754);
  expect(readlinkSync(there.path("folder/link"))).toBe("inner/bytes");
  expect(statSync(there.path("deep/file")).mode & 0o777).toBe(0o640);
  expect(readdirSync(there.path("deep"))).toEqual(["file"]);
});
