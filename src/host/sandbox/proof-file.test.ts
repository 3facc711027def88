import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { levelsHere, openSandbox } from "../../../test/support/sandbox-levels.ts";
import { Processes } from "../process/processes.ts";
import { lookForProgram } from "./find-program.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-proof-"));
afterAll(() => rmSync(folder, { recursive: true }));
const bwrap = lookForProgram("bwrap", process.env["PATH"]);
const strong = (await levelsHere()).includes("bubblewrap");
const isRoot = process.getuid?.() === 0;

let count = 0;

/** A bubblewrap that counts its starts, and a proof it has kept. */
async function keep() {
  const here = mkdtempSync(join(folder, `${++count}-`));
  const [log, bubblewrap, proofFile, broken] = ["log", "bwrap", "proof.json", "broken"].map((name) =>
    join(here, name),
  ) as [string, string, string, string];
  writeFileSync(log, "");
  writeFileSync(
    bubblewrap,
    `#!/bin/sh\n[ -e ${broken} ] && { echo "bwrap: No permissions" >&2; exit 1; }\necho run >> ${log}\nexec ${bwrap} "$@"\n`,
  );
  chmodSync(bubblewrap, 0o755);
  const report = async () => {
    const before = statSync(log).size;
    const sandbox = openSandbox("bubblewrap", { bubblewrap, proofFile });
    const said = await sandbox.report();
    await sandbox.close();
    return { said, ran: statSync(log).size > before };
  };
  return { proofFile, bubblewrap, broken, report, first: await report() };
}

describe("A proof that was kept", needs("bubblewrap", strong), () => {
  test("counts at the next start, and is nobody else's to read", async () => {
    const { proofFile, report, first } = await keep();
    expect(first.ran).toBe(true);
    expect(await report()).toEqual({ said: first.said, ran: false });
    expect(statSync(proofFile).mode & 0o777).toBe(0o600);
  });

  test.each<[string, (place: { proofFile: string; bubblewrap: string }) => void]>([
    ["others may write it", ({ proofFile }) => chmodSync(proofFile, 0o620)],
    ["others may read it", ({ proofFile }) => chmodSync(proofFile, 0o604)],
    [
      "it is a link",
      ({ proofFile }) => {
        renameSync(proofFile, `${proofFile}.moved`);
        symlinkSync(`${proofFile}.moved`, proofFile);
      },
    ],
    ["it has another name too", ({ proofFile }) => linkSync(proofFile, `${proofFile}.other`)],
    ["it is no proof", ({ proofFile }) => writeFileSync(proofFile, "{")],
    [
      "a word of it is none of ours",
      ({ proofFile }) =>
        writeFileSync(proofFile, readFileSync(proofFile, "utf8").replace('"rlimit"', '"good"')),
    ],
    [
      "it is of another boot, kernel or user",
      ({ proofFile }) =>
        writeFileSync(proofFile, readFileSync(proofFile, "utf8").replace(/"key":"./, '"key":"_')),
    ],
    ["bubblewrap is another one", ({ bubblewrap }) => utimesSync(bubblewrap, 1, 1)],
  ])("does not count where %s", async (_, change) => {
    const { report, first, ...place } = await keep();
    change(place);
    expect(await report()).toEqual({ said: first.said, ran: true });
  });

  test("does not count where the file is somebody else's", needs("root", isRoot), async () => {
    const { proofFile, report, first } = await keep();
    chownSync(proofFile, 65_534, 65_534);
    expect(await report()).toEqual({ said: first.said, ran: true });
  });

  test("is given up once bubblewrap fails, and what holds now is found out", async () => {
    const { proofFile, bubblewrap, broken } = await keep();
    const sandbox = openSandbox("bubblewrap", { bubblewrap, proofFile });
    await using processes = new Processes({ sandbox });
    const run = () =>
      processes.runShell("echo ran", {
        cwd: "/",
        environment: { PATH: "/usr/bin:/bin" },
        signal: AbortSignal.timeout(20_000),
      });
    expect((await run()).stdout.text).toBe("ran\n");
    writeFileSync(broken, "");
    await expect(run()).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
    expect(existsSync(proofFile)).toBe(false);
    expect(await sandbox.report()).toMatchObject({ level: "none" });
  });
});

test("A lesser level is proven at every start: what hinders a better one may be gone", async () => {
  const proofFile = join(folder, "lesser.json");
  const sandbox = openSandbox("process-group", { proofFile });
  await sandbox.report();
  await sandbox.close();
  expect(existsSync(proofFile)).toBe(false);
});
