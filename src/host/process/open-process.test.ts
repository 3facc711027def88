import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test, vi } from "vitest";
import { levelsHere, openSandbox } from "../../../test/support/sandbox-levels.ts";
import type { OpenProcess } from "./open-process.ts";
import { type OpenOptions, Processes } from "./processes.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-open-process-")));
afterAll(() => rmSync(folder, { recursive: true }));
// Another user has to write there too.
chmodSync(folder, 0o777);

const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const options: OpenOptions = { cwd: folder, environment, bounds: { writable: [folder] } };

async function nextLine({ stdout }: OpenProcess): Promise<string> {
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) return String(chunk);
  return "";
}

describe.for([undefined, ...(await levelsHere())])("Processes.open() at level %s", (level) => {
  const processes = new Processes(level === undefined ? {} : { sandbox: openSandbox(level) });
  afterAll(() => processes.close());

  test("talks with a program for as long as it goes on", async () => {
    const program = await processes.open(["cat"], options);
    for (const line of ["one\n", "two\n"]) {
      program.stdin.write(line);
      expect(await nextLine(program)).toBe(line);
    }
    await program.close();
    expect(await program.ended).toEqual({ exitCode: 0, signal: undefined, remaining: 0 });
  });

  test("says how a program ended, and what it said last", async () => {
    const program = await processes.open(["sh", "-c", "echo no such thing >&2; exit 3"], options);
    expect(await program.ended).toMatchObject({ exitCode: 3 });
    expect(program.stderrTail()).toBe("no such thing\n");
    program.stdin.write("nobody reads this\n");
  });

  test("keeps the end alone of what is said on stderr", async () => {
    const program = await processes.open(["sh", "-c", "seq 1 100000 >&2"], options);
    await program.ended;
    expect(program.stderrTail()).toHaveLength(65_536);
    expect(program.stderrTail()).toMatch(/\n100000\n$/);
  });

  test("lets a program wait that says more than is read", async () => {
    const program = await processes.open(["sh", "-c", "yes | head -c 3000000"], options);
    const readable = once(program.stdout, "readable");
    expect(await Promise.race([readable.then(() => "waits"), program.ended])).toBe("waits");
    expect(await text(program.stdout)).toHaveLength(3_000_000);
    expect(await program.ended).toMatchObject({ exitCode: 0 });
  });

  test("ends a program that does not go by itself, and all it started", async () => {
    const file = join(folder, `pid-${level}`);
    const script = `trap '' TERM; (trap '' TERM; setsid sleep 1000) & echo $! > ${file}; sleep 1000`;
    const program = await processes.open(["sh", "-c", script], options);
    await vi.waitFor(() => expect(readFileSync(file, "utf8")).not.toBe(""), 30_000);
    await program.close(50);
    expect((await program.ended).remaining).toBe(0);
    expect(() => process.kill(program.pid, 0)).toThrow();
  });

  test("ends a program whose signal is aborted, and starts none for one that is", async () => {
    const controller = new AbortController();
    const program = await processes.open(["sleep", "1000"], { ...options, signal: controller.signal });
    controller.abort(new Error("enough"));
    expect(await program.ended).toMatchObject({ remaining: 0 });
    await expect(
      processes.open(["sleep", "1000"], { ...options, signal: controller.signal }),
    ).rejects.toThrow("enough");
  });

  test("refuses a program that is not there", async () => {
    await expect(processes.open(["no-such-program-here"], options)).rejects.toMatchObject({
      code: "PROCESS_NOT_FOUND",
    });
    await expect(processes.open(["cat"], { ...options, cwd: join(folder, "none") })).rejects.toMatchObject({
      code: "PROCESS_FOLDER",
    });
  });
});

test("Processes.close() ends what was opened", async () => {
  const processes = new Processes();
  const program = await processes.open(["sleep", "1000"], options);
  const said = text(program.stdout);
  await processes.close();
  expect(await program.ended).toMatchObject({ remaining: 0 });
  expect(await said).toBe("");
  await expect(processes.open(["cat"], options)).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
});
