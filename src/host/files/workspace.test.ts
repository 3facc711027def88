import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileBench } from "../../../test/support/files.ts";
import type { Effect } from "../../kernel/index.ts";
import { UndoFolder } from "./undo-folder.ts";
import { Workspace } from "./workspace.ts";

async function catchCode(action: () => unknown): Promise<unknown> {
  try {
    await action();
    return "done";
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}

function effect(kind: Effect["kind"], target: string): Effect {
  return { kind, target, within: false };
}

function readText(bench: FileBench, path: string, access = bench.access()): string {
  using file = bench.workspace.open(path, access);
  const buffer = Buffer.alloc(100);
  return buffer.toString("utf8", 0, file.read(buffer, 0));
}

async function write(bench: FileBench, path: string, text: string, access = bench.access()): Promise<void> {
  using staged = bench.workspace.stage(path, access);
  await staged.write(Buffer.from(text));
  staged.commit();
}

test("Workspace.locate() says where a path leads and whether that is inside", () => {
  using bench = new FileBench();
  symlinkSync(bench.outside, bench.path("out"));
  mkdirSync(`${bench.root}-evil`);
  const bounds = { allowedPaths: [bench.root] };
  const { workspace } = bench;
  expect([
    workspace.locate("a/b.txt", bounds),
    workspace.locate("out/b.txt", bounds),
    workspace.locate("out", bounds, { follow: false }),
    workspace.locate(`${bench.root}-evil/a`, bounds),
    workspace.locate(bench.root, bounds),
    workspace.locate(bench.path("a"), {}),
    workspace.locate(bench.path("a"), { allowedPaths: [] }),
    workspace.locate("a", { allowedPaths: [join(bench.folder, "not-yet"), bench.root] }),
  ]).toEqual([
    { path: bench.path("a/b.txt"), within: true },
    { path: join(bench.outside, "b.txt"), within: false },
    { path: bench.path("out"), within: true },
    { path: `${bench.root}-evil/a`, within: false },
    { path: bench.root, within: true },
    { path: bench.path("a"), within: false },
    { path: bench.path("a"), within: false },
    { path: join(bench.folder, "not-yet", "a"), within: true },
  ]);
});

test("Workspace.locate() takes an allowed folder that is a link for where it leads", () => {
  using bench = new FileBench();
  symlinkSync(bench.root, join(bench.folder, "alias"));
  const bounds = { allowedPaths: [join(bench.folder, "alias")] };
  expect(bench.workspace.locate("a", bounds)).toEqual({ path: bench.path("a"), within: true });
});

test("Workspace refuses what lies outside, unless a decided effect of the right kind covers it", async () => {
  using bench = new FileBench();
  const secret = join(bench.outside, "secret");
  writeFileSync(secret, "canary");
  symlinkSync(secret, bench.path("link"));
  const read = bench.access({ effects: [effect("read", secret)] });
  const writing = bench.access({ effects: [effect("write", secret)] });
  const none = bench.access({ allowedPaths: [] });
  expect(readText(bench, "link", read)).toBe("canary");
  expect(readText(bench, secret, writing)).toBe("canary");
  expect({
    read: await catchCode(() => readText(bench, secret)),
    link: await catchCode(() => readText(bench, "link")),
    write: await catchCode(() => write(bench, secret, "x")),
    writeWithRead: await catchCode(() => write(bench, secret, "x", read)),
    deleteWithWrite: await catchCode(() => bench.workspace.remove(secret, writing)),
    list: await catchCode(() =>
      bench.workspace.list(bench.outside, bench.access(), { recursive: false, limit: 1 }),
    ),
    status: await catchCode(() => bench.workspace.status(secret, bench.access())),
    move: await catchCode(() => bench.workspace.move(secret, bench.path("taken"), bench.access())),
    moveOut: await catchCode(() =>
      bench.workspace.move(bench.root, join(bench.outside, "gone"), bench.access()),
    ),
    insideWithNothing: await catchCode(() => readText(bench, bench.path("a"), none)),
  }).toEqual({
    read: "PATH_OUTSIDE",
    link: "PATH_OUTSIDE",
    write: "PATH_OUTSIDE",
    writeWithRead: "PATH_OUTSIDE",
    deleteWithWrite: "PATH_OUTSIDE",
    list: "PATH_OUTSIDE",
    status: "PATH_OUTSIDE",
    move: "PATH_OUTSIDE",
    moveOut: "PATH_OUTSIDE",
    insideWithNothing: "PATH_OUTSIDE",
  });
  expect(readFileSync(secret, "utf8")).toBe("canary");
});

test("Workspace honours what was decided, not where the path leads by then", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("plain"), "plain");
  writeFileSync(bench.path(".env"), "SECRET=1");
  symlinkSync("plain", bench.path("link"));
  const access = bench.access({ effects: [effect("read", bench.path("plain"))] });
  expect(readText(bench, "link", access)).toBe("plain");
  symlinkSync(".env", bench.path("new"));
  renameSync(bench.path("new"), bench.path("link"));
  expect(await catchCode(() => readText(bench, "link", access))).toBe("PATH_OUTSIDE");
});

test("Workspace covers what lies below a folder that an effect names, and nothing beside it", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("folder"));
  writeFileSync(bench.path("folder", "a"), "a");
  writeFileSync(bench.path("folder-b"), "b");
  const access = bench.access({ effects: [effect("read", bench.path("folder"))] });
  expect(readText(bench, "folder/a", access)).toBe("a");
  expect(await catchCode(() => readText(bench, "folder-b", access))).toBe("PATH_OUTSIDE");
});

test("Workspace protects haft's own files from every change, also before they exist and by other names", async () => {
  using place = new FileBench();
  const own = {
    config: place.path("haft.config.yml"),
    later: place.path(".haft", "policy.yml"),
    token: place.path("keys", "token"),
  };
  writeFileSync(own.config, "mine");
  mkdirSync(place.path("keys"));
  writeFileSync(own.token, "token");
  const workspace = new Workspace({
    undo: new UndoFolder(join(place.folder, "undo")),
    protectedPaths: [own.config, own.later],
    hiddenPaths: [place.path("keys")],
  });
  symlinkSync(own.config, place.path("alias"));
  symlinkSync(place.root, place.path("loop"));
  linkSync(own.config, place.path("second"));
  mkdirSync(place.path(".haft"));
  const every = place.access({ effects: [effect("read", "/"), effect("write", "/"), effect("delete", "/")] });
  const stage = (path: string) => catchCode(() => workspace.stage(place.path(path), every)[Symbol.dispose]());
  expect({
    write: await stage("haft.config.yml"),
    absent: await stage(".haft/policy.yml"),
    alias: await stage("alias"),
    loop: await stage("loop/haft.config.yml"),
    hardLink: await stage("second"),
    hidden: await stage("keys/other"),
    remove: await catchCode(() => workspace.remove(own.config, every)),
    removeParent: await catchCode(() => workspace.removeFolder(place.path(".haft"), "x", every)),
    moveParent: await catchCode(() => workspace.move(place.path(".haft"), place.path("elsewhere"), every)),
    moveOver: await catchCode(() => workspace.move(place.path("alias"), own.later, every)),
    readHidden: await catchCode(() => workspace.open(own.token, every)),
    enterHidden: (await workspace.list(".", every, { recursive: true, limit: 99 })).entries
      .filter(({ path }) => path.startsWith("keys"))
      .map(({ path, notEntered }) => ({ path, notEntered })),
    findHidden: (
      await workspace.find(".", every, { pattern: "**/token", limit: 9, gitignore: false, maxMs: 9000 })
    ).files,
    listHidden: await catchCode(() =>
      workspace.list(place.path("keys"), every, { recursive: false, limit: 9 }),
    ),
    readUndo: await catchCode(() => workspace.status(join(place.folder, "undo", "x"), every)),
    elsewhere: await stage("ordinary"),
  }).toEqual({
    write: "PATH_PROTECTED",
    absent: "PATH_PROTECTED",
    alias: "PATH_PROTECTED",
    loop: "PATH_PROTECTED",
    hardLink: "PATH_PROTECTED",
    hidden: "PATH_PROTECTED",
    remove: "PATH_PROTECTED",
    removeParent: "PATH_PROTECTED",
    moveParent: "PATH_PROTECTED",
    moveOver: "PATH_PROTECTED",
    readHidden: "PATH_PROTECTED",
    enterHidden: [{ path: "keys", notEntered: true }],
    findHidden: [],
    listHidden: "PATH_PROTECTED",
    readUndo: "PATH_PROTECTED",
    elsewhere: "done",
  });
  using config = workspace.open(own.config, every);
  expect(config.status.size).toBe(4);
  expect(readdirSync(place.path(".haft"))).toEqual([]);
});

test("Workspace refuses pipes, sockets, devices and folders in place of a file, without waiting", async () => {
  using bench = new FileBench();
  execFileSync("mkfifo", [bench.path("pipe")]);
  mkdirSync(bench.path("folder"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(bench.path("socket"), resolve));
  const everything = bench.access({ effects: [effect("read", "/"), effect("write", "/")] });
  const open = (path: string) => catchCode(() => bench.workspace.open(path, everything));
  const stage = (path: string) => catchCode(() => bench.workspace.stage(path, everything));
  expect({
    pipe: await open("pipe"),
    writePipe: await stage("pipe"),
    socket: await open("socket"),
    device: await open("/dev/zero"),
    folder: await open("folder"),
    writeFolder: await stage("folder"),
    root: await stage("/"),
    missing: await open("folder/none"),
    underFile: await catchCode(async () => {
      writeFileSync(bench.path("file"), "");
      await write(bench, "file/inner", "x");
    }),
  }).toEqual({
    pipe: "PATH_SPECIAL",
    writePipe: "PATH_SPECIAL",
    socket: "PATH_SPECIAL",
    device: "PATH_SPECIAL",
    folder: "FILE_IS_FOLDER",
    writeFolder: "FILE_IS_FOLDER",
    root: "FILE_IS_FOLDER",
    missing: "FILE_NOT_FOUND",
    underFile: "FILE_NOT_FOLDER",
  });
  await new Promise((resolve) => server.close(resolve));
  expect(readdirSync(bench.root).sort()).toEqual(["file", "folder", "pipe"]);
});

test("Workspace.open() names the files that come close to one that is missing", () => {
  using bench = new FileBench();
  writeFileSync(bench.path("settings.json"), "");
  expect(() => bench.workspace.open("setings.json", bench.access())).toThrow(
    `Cannot read "${bench.path("setings.json")}": file not found; did you mean "settings.json"`,
  );
});

test("Workspace.open() says of a missing temporary file that commands have others", () => {
  using bench = new FileBench();
  const path = "/var/tmp/haft-nothing-here.txt";
  const access = { ...bench.access(), effects: [{ kind: "read" as const, target: path, within: false }] };
  expect(() => bench.workspace.open(path, access)).toThrow(
    `Cannot read "${path}": file not found; commands in a sandbox have a /var/tmp of their own`,
  );
});

test("Workspace.stage() replaces a file in one step and keeps its permissions", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("script.sh"), "old");
  chmodSync(bench.path("script.sh"), 0o751);
  await write(bench, "script.sh", "new");
  expect(readFileSync(bench.path("script.sh"), "utf8")).toBe("new");
  expect(statSync(bench.path("script.sh")).mode & 0o7777).toBe(0o751);
  expect(readdirSync(bench.root)).toEqual(["script.sh"]);
});

test("Workspace.stage() leaves nothing behind when it is given up, cancelled or refused", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("kept"), "kept");
  const controller = new AbortController();
  const access = bench.access({ signal: controller.signal });
  {
    using staged = bench.workspace.stage("new/folders/file", bench.access());
    await staged.write(Buffer.from("never"));
  }
  {
    using staged = bench.workspace.stage("kept", access);
    await staged.write(Buffer.from("half"));
    controller.abort(new Error("cancelled"));
    await expect(staged.write(Buffer.from("more"))).rejects.toThrow("cancelled");
    expect(() => staged.commit()).toThrow("cancelled");
  }
  expect(readFileSync(bench.path("kept"), "utf8")).toBe("kept");
  expect(readdirSync(bench.root)).toEqual(["kept"]);
});

test("StagedWrite.commit() refuses to replace what somebody else changed or made meanwhile", async () => {
  using bench = new FileBench();
  writeFileSync(bench.path("file"), "one");
  using changed = bench.workspace.stage("file", bench.access());
  await changed.write(Buffer.from("mine"));
  writeFileSync(bench.path("file"), "theirs");
  expect(await catchCode(() => changed.commit())).toBe("FILE_CHANGED");
  using made = bench.workspace.stage("fresh", bench.access());
  writeFileSync(bench.path("fresh"), "theirs");
  expect(await catchCode(() => made.commit())).toBe("FILE_EXISTS");
  expect([readFileSync(bench.path("file"), "utf8"), readFileSync(bench.path("fresh"), "utf8")]).toEqual([
    "theirs",
    "theirs",
  ]);
  expect(readdirSync(bench.root).sort()).toEqual(["file", "fresh"]);
});

test("Workspace.stage() refuses to write through a link that leads to nothing", async () => {
  using bench = new FileBench();
  symlinkSync(join(bench.outside, "later"), bench.path("dangling"));
  symlinkSync("nowhere", bench.path("inner"));
  const all = bench.access({ effects: [effect("write", "/")] });
  expect(await catchCode(() => bench.workspace.stage("dangling", all))).toBe("PATH_DANGLING");
  expect(await catchCode(() => bench.workspace.stage("inner", bench.access()))).toBe("PATH_DANGLING");
  expect(readdirSync(bench.outside)).toEqual([]);
});

test("Workspace.move() never overwrites, moves folders whole, and refuses a folder into itself", async () => {
  using bench = new FileBench();
  mkdirSync(bench.path("folder", "inner"), { recursive: true });
  writeFileSync(bench.path("folder", "inner", "binary"), Buffer.from([0, 255, 10, 128]));
  writeFileSync(bench.path("taken"), "taken");
  const { workspace } = bench;
  const access = bench.access();
  expect(await catchCode(() => workspace.move("folder/inner/binary", "taken", access))).toBe("FILE_EXISTS");
  expect(await catchCode(() => workspace.move("folder", "folder/inner/deeper", access))).toBe("PATH_INVALID");
  expect(await catchCode(() => workspace.move("none", "some", access))).toBe("FILE_NOT_FOUND");
  await workspace.move("folder", "new/place", access);
  expect(readFileSync(bench.path("new/place/inner/binary"))).toEqual(Buffer.from([0, 255, 10, 128]));
  expect(readdirSync(bench.root).sort()).toEqual(["new", "taken"]);
});
