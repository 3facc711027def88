import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Processes, Sandbox } from "../src/host/index.ts";
import { sandboxHere } from "./support/sandbox-levels.ts";
import { makePlace, runAs, startAs, toRequest } from "./support/sandbox-place.ts";
import { until } from "./support/until.ts";

const { inSandbox } = await sandboxHere();

/** A workspace whose configuration does not exist and is protected, and what runs a line in it. */
function openHeld() {
  const place = makePlace("this user");
  const config = join(place.work, "haft.config.yml");
  const processes = new Processes({ sandbox: new Sandbox({ protected: [config] }) });
  const run = (line: string) =>
    processes.runShell(line, {
      cwd: place.work,
      environment: { PATH: "/usr/bin:/bin" },
      signal: AbortSignal.timeout(50_000),
      bounds: { writable: [place.work] },
    });
  return { place, config, processes, run };
}

describe("The place of a protected file that does not exist", inSandbox, () => {
  test("is held while any command runs, and given back with the last", async () => {
    const { place, config, run, processes } = openHeld();
    await using _closing = processes;
    const slow = run(
      "until [ -e go ]; do sleep 0.01; done; echo evil > haft.config.yml; mv go haft.config.yml; cat haft.config.yml",
    );
    await until(() => existsSync(config));
    const quick = await run("echo evil > haft.config.yml");
    expect([quick.exitCode === 0, existsSync(config), statSync(config).size]).toEqual([false, true, 0]);
    writeFileSync(join(place.work, "go"), "");
    expect((await slow).stdout.text).toBe("");
    expect(existsSync(config)).toBe(false);
  });

  test("is held for the last command too, where the first one ends before it", async () => {
    const { place, config, run, processes } = openHeld();
    await using _closing = processes;
    const first = run("until [ -e second ]; do sleep 0.01; done");
    await until(() => existsSync(config));
    const last = run("touch second; until [ -e go ]; do sleep 0.01; done; echo evil > haft.config.yml");
    await first;
    writeFileSync(join(place.work, "go"), "");
    expect((await last).exitCode).not.toBe(0);
    expect(existsSync(config)).toBe(false);
  });

  test("keeps what somebody else writes there meanwhile", async () => {
    const place = makePlace("this user");
    const config = join(place.work, "haft.config.yml");
    const { holdPlace } = await import("../src/host/sandbox/mounts/placeholder-mounts.ts");
    const release = holdPlace(config, { kind: "file" });
    writeFileSync(config, "mine");
    release?.();
    expect(readFileSync(config, "utf8")).toBe("mine");
  });

  test("is held by two haft programs as long as one of them needs it", async () => {
    const place = makePlace("this user");
    const config = join(place.work, "haft.config.yml");
    const first = runAs("this user", toRequest(place, "until [ -e go ]; do sleep 0.01; done"));
    await until(() => existsSync(config));
    const line =
      "touch begun; until [ -e last ]; do sleep 0.01; done; echo evil > haft.config.yml; cat haft.config.yml";
    const second = runAs("this user", toRequest(place, line));
    await until(() => existsSync(join(place.work, "begun")));
    writeFileSync(join(place.work, "go"), "");
    expect(await first).toMatchObject({ exitCode: 0 });
    expect(existsSync(config)).toBe(true);
    writeFileSync(join(place.work, "last"), "");
    expect(await second).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("Read-only file system"),
    });
    expect(existsSync(config)).toBe(false);
  });

  test("is given back by the next haft, where one was killed", async () => {
    const place = makePlace("this user");
    const config = join(place.work, "haft.config.yml");
    const killed = startAs("this user", toRequest(place, "touch begun; sleep 60"));
    await until(() => existsSync(join(place.work, "begun")));
    killed.kill("SIGKILL");
    await new Promise((resolve) => killed.once("close", resolve));
    expect(existsSync(config)).toBe(true);
    expect(await runAs("this user", toRequest(place, "echo evil > haft.config.yml"))).toMatchObject({
      exitCode: 1,
    });
    expect(existsSync(config)).toBe(false);
  });
});

describe("A guarded file", inSandbox, () => {
  function open() {
    const { work } = makePlace("this user");
    const config = join(work, "haft.config.yml");
    const processes = new Processes({
      sandbox: new Sandbox({ guarded: [config, join(work, "agent/tools")] }),
    });
    const run = async (line: string) => {
      const bounds = { writable: [work] };
      const environment = { PATH: "/usr/bin:/bin" };
      const signal = AbortSignal.timeout(50_000);
      const { stdout, confinement } = await processes.runShell(line, {
        cwd: work,
        environment,
        signal,
        bounds,
      });
      return { said: stdout.text, findings: confinement?.findings };
    };
    return { work, config, processes, run };
  }

  test("that is not there shows in no listing", async () => {
    const { processes, run } = open();
    await using _closing = processes;
    expect(await run("ls -A; cat haft.config.yml")).toEqual({ said: ".git\n", findings: [] });
  });

  test("can be made where it is not there, by whatever way, which is told; from then on it stays as it is", async () => {
    const { work, config, processes, run } = open();
    await using _closing = processes;
    const told = (path: string) => `"${path}" is new: it counts for nothing until its owner accepts it`;
    expect(
      await run("echo a > b; mv b haft.config.yml; mkdir -p agent/tools; echo x > agent/tools/x.md"),
    ).toEqual({
      said: "",
      findings: [told(config), told(join(work, "agent/tools"))],
    });
    const again =
      "echo evil > haft.config.yml; rm -f haft.config.yml; mv agent old; echo evil > agent/tools/y.md; ls agent/tools; cat haft.config.yml";
    expect(await run(again)).toEqual({ said: "x.md\na\n", findings: [] });
  });

  test("that is a link is refused, since a command could exchange it", async () => {
    const { work, config, processes, run } = open();
    await using _closing = processes;
    expect((await run("ln -s b haft.config.yml")).findings).toHaveLength(1);
    await expect(run("true")).rejects.toMatchObject({ code: "SANDBOX_REFUSED" });
    expect(existsSync(join(work, "b"))).toBe(false);
    expect(config).toBeDefined();
  });
});

test("What a command left for git is told by the next haft, where one was killed", inSandbox, async () => {
  const place = makePlace("this user");
  const line = "mkdir sub; git init -q sub; git -C sub config core.fsmonitor evil; touch done; sleep 60";
  const killed = startAs("this user", toRequest(place, line));
  await until(() => existsSync(join(place.work, "done")));
  killed.kill("SIGKILL");
  await new Promise((resolve) => killed.once("close", resolve));
  const { findings } = await runAs("this user", toRequest(place, "true"));
  expect(findings).toEqual([
    expect.stringMatching(
      /^haft was killed while a command ran, .*sub\/\.git" has changed since \(core\.fsmonitor\)/,
    ),
  ]);
  expect((await runAs("this user", toRequest(place, "true"))).findings).toEqual([]);
});
