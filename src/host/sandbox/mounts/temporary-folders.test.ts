import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { levelsHere, openSandbox } from "../../../../test/support/sandbox-levels.ts";
import { Processes } from "../../process/processes.ts";
import { keepsPromises } from "../report.ts";
import { sharedFolder } from "./shared-folder.ts";
import { TemporaryFolders } from "./temporary-folders.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-temporary-")));
afterAll(() => rmSync(base, { recursive: true }));
const work = join(base, "work");
mkdirSync(work);
const levels = (await levelsHere()).filter((level) => keepsPromises(level, ["private temporary folders"]));
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", TMPDIR: "/some/where" };

/** This user's home, one below /tmp, and for root one in /home too, where the homes of ordinary users are. */
function homesHere(): string[] {
  const below = process.getuid?.() === 0 && existsSync("/home") ? ["/tmp", "/home"] : ["/tmp"];
  const others = below.map((folder) => join(mkdtempSync(join(folder, "haft-test-")), "me"));
  for (const other of others) mkdirSync(other);
  afterAll(() => {
    for (const other of others) rmSync(dirname(other), { recursive: true });
  });
  return [homedir(), ...others];
}

const homes = homesHere();

describe.for(levels)("Temporary files of a session at level %s", (level) => {
  test("last from one command to the next, are no other session's, and go with the program", async () => {
    const processes = new Processes({ sandbox: openSandbox(level) });
    const run = async (line: string, temporary?: string) => {
      const { stdout, stderr } = await processes.runShell(line, {
        cwd: work,
        environment,
        signal: AbortSignal.timeout(20_000),
        bounds: { writable: [work], ...(temporary !== undefined && { temporary }) },
      });
      return stdout.text + stderr.text;
    };
    const [one, two] = [`/tmp/haft-one-${process.pid}`, `/var/tmp/haft-two-${process.pid}`];
    expect(await run(`echo one > ${one}; echo two > ${two}; echo "$TMPDIR"`, "mine")).toBe("/tmp\n");
    expect(await run(`cat ${one} ${two}`, "mine")).toBe("one\ntwo\n");
    expect(await run("ls /tmp /var/tmp", "other")).not.toMatch(/haft-(one|two)-/);
    expect(await run("ls /tmp /var/tmp")).not.toMatch(/haft-(one|two)-/);
    expect(await run("touch there; ls", "mine")).toContain("there");
    expect([one, two].filter((path) => existsSync(path))).toEqual([]);
    await processes.close();
    expect(ownFolders()).toEqual([]);
  });

  test.for(homes)(
    "are told from what is written to %s, a home that is gone with the command",
    async (home) => {
      await using processes = new Processes({ sandbox: openSandbox(level) });
      const { confinement, stderr } = await processes.runShell(
        "echo a > ~/haft-notes.txt; mkdir ~/.cache; echo b > /tmp/c",
        {
          cwd: work,
          environment: { ...environment, HOME: home },
          signal: AbortSignal.timeout(20_000),
          bounds: { writable: [work], temporary: "mine" },
        },
      );
      expect(stderr.text).toBe("");
      expect(confinement?.findings).toEqual([
        expect.stringContaining(`written to ${home}/haft-notes.txt, which is gone after this command`),
      ]);
    },
  );

  test("go by a link that a command left, which is known", async () => {
    await using processes = new Processes({ sandbox: openSandbox(level) });
    await processes.runShell("mkdir /tmp/d; ln -s / /tmp/d/l", {
      cwd: work,
      environment,
      signal: AbortSignal.timeout(20_000),
      bounds: { writable: [work], temporary: "mine" },
    });
    const known = ["/tmp/d/l", "/tmp/d/l/etc", "/tmp/d", "/tmp/none"].map((path) =>
      processes.isOwnTemporary("mine", path),
    );
    expect(known).toEqual([false, false, true, true]);
    expect(processes.isOwnTemporary("other", "/tmp/d/l")).toBe(true);
  });

  test("are no session's own where the machine alone has something there", async () => {
    await using processes = new Processes({ sandbox: openSandbox(level) });
    const theirs = mkdtempSync("/tmp/haft-theirs-");
    onTestFinished(() => rmSync(theirs, { recursive: true, force: true }));
    const isOwn = () => processes.isOwnTemporary("mine", `${theirs}/notes`);
    const run = (line: string) =>
      processes.runShell(line, {
        cwd: work,
        environment,
        signal: AbortSignal.timeout(20_000),
        bounds: { writable: [work], temporary: "mine" },
      });
    await run("true");
    expect(isOwn()).toBe(false);
    writeFileSync(`${theirs}/notes`, "of the machine");
    await run(`mkdir ${theirs}`);
    expect(isOwn()).toBe(false);
    await run(`touch ${theirs}/notes`);
    expect(isOwn()).toBe(true);
  });

  test("can't make a later command's folders lead elsewhere", async () => {
    await using processes = new Processes({ sandbox: openSandbox(level) });
    const top = work.startsWith("/tmp/") ? (work.split("/")[2] ?? "") : "";
    const run = async (line: string) => {
      const { stdout, exitCode } = await processes.runShell(line, {
        cwd: work,
        environment,
        signal: AbortSignal.timeout(20_000),
        bounds: { writable: [work], temporary: "mine" },
      });
      return [exitCode, stdout.text];
    };
    if (top === "") return;
    expect(await run(`mv /tmp/${top} /tmp/gone 2>&1 | grep -c busy; ls -d /tmp/gone || true`)).toEqual([
      0,
      "1\n",
    ]);
    expect(await run("touch again; ls again")).toEqual([0, "again\n"]);
    expect(readdirSync(work)).toContain("again");
  });
});

test("Temporary files that outgrow their limit are removed after the command, which is told so", () => {
  const folders = new TemporaryFolders(10_000);
  const first = folders.enter("mine", []);
  const source = first?.findSource("/tmp") ?? "";
  writeFileSync(join(source, "small"), "x");
  expect([first?.leave(), existsSync(source)]).toEqual([undefined, true]);
  const again = folders.enter("mine", []);
  expect(again?.findSource("/tmp")).toBe(source);
  writeFileSync(join(source, "large"), "x".repeat(50_000));
  expect(again?.leave()).toContain("were removed");
  expect(existsSync(source)).toBe(false);
  folders.remove();
  expect(ownFolders()).toEqual([]);
});

test("Temporary files of a program that was killed are removed by the next one", () => {
  const base = sharedFolder("temporary folders of commands");
  const dead = join(base, "1-4194304-1-00000000");
  mkdirSync(join(dead, "session"), { recursive: true });
  const folders = new TemporaryFolders(10_000);
  folders.enter("mine", [])?.leave();
  folders.remove();
  expect(existsSync(dead)).toBe(false);
});

function ownFolders(): string[] {
  const base = sharedFolder("temporary folders of commands");
  return existsSync(base) ? readdirSync(base).filter((name) => name.includes(`-${process.pid}-`)) : [];
}
