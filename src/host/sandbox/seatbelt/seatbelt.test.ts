import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { Processes } from "../../process/processes.ts";
import { withDefaults } from "../linux/limits.ts";
import { Sandbox } from "../sandbox.ts";
import { SessionFolders, sandboxExec, wrapInSeatbelt } from "./seatbelt.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-seatbelt-test-")));
afterAll(() => rmSync(folder, { recursive: true }));

const request = {
  file: "/bin/echo",
  args: ["a b", "$(c)"],
  hasScript: false,
  cwd: folder,
  environment: { PATH: "/usr/bin:/bin", BASH_ENV: "/evil", HOME: folder },
  bounds: { writable: [folder] },
};
const options = { limits: withDefaults({}), hidden: [], protected: [], temporary: folder, proxy: undefined };

describe("wrapInSeatbelt()", () => {
  test("starts the command by the system's own program, with paths as parameters and its words as they are", () => {
    const { file, args, environment } = wrapInSeatbelt(request, options);
    const [flag, script, name, program, ...rest] = args;
    expect([file, flag, name, program]).toEqual(["/bin/sh", "-c", "sh", sandboxExec]);
    expect(script).toContain('exec "$@"');
    const end = rest.indexOf("--");
    const before = rest.slice(0, end);
    expect(before[0]).toBe("-p");
    expect(before.slice(2).filter((_, at) => at % 2 === 0)).toEqual(
      before.slice(2).filter((one) => one === "-D"),
    );
    expect(before).toContain(
      `WRITABLE_${before.findIndex((one) => one.startsWith("WRITABLE_")) < 0 ? "" : /WRITABLE_(\d+)/.exec(before.join("\n"))?.[1]}=${folder}`,
    );
    // What makes a shell run something else is for the command alone.
    expect(rest.slice(end + 1)).toEqual(["/usr/bin/env", "BASH_ENV=/evil", "/bin/echo", "a b", "$(c)"]);
    expect(environment).toEqual({ PATH: "/usr/bin:/bin", HOME: folder, TMPDIR: folder });
  });

  test("tells the command where the proxy is, and lets it connect to that port alone", () => {
    const proxy = { port: 4567, variables: { HTTPS_PROXY: "http://haft:secret@127.0.0.1:4567" } };
    const { args, environment } = wrapInSeatbelt(request, { ...options, proxy });
    expect(environment["HTTPS_PROXY"]).toBe("http://haft:secret@127.0.0.1:4567");
    expect(args.join("\n")).toContain('(remote ip "localhost:4567")');
    expect(args.join("\n")).not.toContain("secret");
  });
});

test("SessionFolders gives a session one folder, a command without one its own, and removes all", () => {
  const folders = new SessionFolders();
  const first = folders.enter("a");
  writeFileSync(join(first.folder, "kept"), "");
  first.leave();
  expect(folders.enter("a").folder).toBe(first.folder);
  expect(folders.enter("b").folder).not.toBe(first.folder);
  const single = folders.enter(undefined);
  expect(existsSync(single.folder)).toBe(true);
  single.leave();
  expect(existsSync(single.folder)).toBe(false);
  folders.remove();
  expect(existsSync(first.folder)).toBe(false);
});

test.skipIf(process.platform === "darwin")("says that it is for macOS elsewhere", async () => {
  await using sandbox = closing(new Sandbox({ levels: ["seatbelt"], atLeast: "none" }));
  expect(await sandbox.it.report()).toMatchObject({
    level: "none",
    detail: `seatbelt is for macOS, this is ${process.platform}`,
  });
});

function closing(it: Sandbox) {
  return { it, [Symbol.asyncDispose]: () => it.close() };
}

// Run by the macOS workflow: no other machine has the program.
describe("a command in seatbelt", needs("macOS", process.platform === "darwin"), () => {
  const open = () =>
    new Sandbox({
      levels: ["seatbelt"],
      hidden: [join(folder, "hidden")],
      protected: [join(folder, ".git/hooks")],
    });

  async function run(line: string, hosts: readonly string[] = []) {
    mkdirSync(join(folder, ".git"), { recursive: true });
    mkdirSync(join(folder, "hidden"), { recursive: true });
    writeFileSync(join(folder, "hidden/word"), "hidden word");
    const sandbox = open();
    await using processes = new Processes({ sandbox });
    return processes.runShell(line, {
      cwd: folder,
      environment: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
      signal: AbortSignal.timeout(30_000),
      bounds: { writable: [folder], hosts, allowedHosts: hosts },
    });
  }

  test("is kept at that level, and its canary holds", async () => {
    await using sandbox = closing(open());
    expect(await sandbox.it.report()).toMatchObject({ level: "seatbelt", sufficient: true });
  });

  test("writes in its folder and in TMPDIR, and nowhere else", async () => {
    const outside = join(process.env["HOME"] ?? "/", `haft-canary-${process.pid}`);
    const { exitCode } = await run(
      `echo in > inside && echo t > "$TMPDIR/t" && ! (echo out > "${outside}") 2>/dev/null`,
    );
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, "inside"), "utf8")).toBe("in\n");
    expect(existsSync(outside)).toBe(false);
  });

  test("makes no hook, in whatever case, and moves no folder away that would hold one", async () => {
    await run(
      "mkdir -p .GIT/HOOKS; echo x > .git/hooks/pre-commit; mv .git git-away; mkdir -p git-new/hooks && mv git-new .git",
    );
    expect(existsSync(join(folder, ".git/hooks"))).toBe(false);
  });

  test("reads neither what is hidden nor the home", async () => {
    const { stdout } = await run('cat hidden/word; ls "$HOME"; echo done');
    expect(stdout.text).toBe("done\n");
  });

  test("reaches a named host by the proxy, and no other port of the machine", async () => {
    const server = createServer((_request, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const url = `http://127.0.0.1:${port}/`;
      expect((await run(`curl -s -m 5 ${url}`)).stdout.text).toBe("");
      expect((await run(`curl -s -m 5 --noproxy '*' ${url}`, [`127.0.0.1:${port}`])).stdout.text).toBe("");
      expect((await run(`curl -s -m 5 ${url}`, [`127.0.0.1:${port}`])).stdout.text).toBe("reached");
    } finally {
      server.close();
    }
  });
});
