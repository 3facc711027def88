import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { finish, Place } from "../e2e/cli-process.ts";
import { seedRandom } from "../support/agent-proof.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

/** A whole proof has 100. */
const kills = Number(process.env["HAFT_PROGRAM_KILLS"] ?? 3);
/** A failure names its seed, which repeats its moments. */
const seed = Number(process.env["HAFT_SEED"] ?? Date.now() % 1_000_000);
const steps = 6;

type Call = NonNullable<ProviderTurn["calls"]>[number];

const bash = (command: string): Call => ({ name: "bash", input: { command } });

/** The calls of one answer: commands that must not be repeated, quick and slow, and a file that is written whole. */
function listCalls(n: number): readonly Call[] {
  const quick = bash(`echo ${n} >> once.txt`);
  const slow = bash(`sleep 0.2; echo ${n} >> slow.txt; sleep 0.2`);
  const put = { name: "write", input: { path: `put-${n}.txt`, content: `${n}\n` } };
  return [[quick, put], [slow], [put, slow, quick]][n % 3] ?? [];
}

function readLines(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
}

interface Listed {
  readonly id: string;
  readonly run: { readonly state: string } | null;
}

interface ShownEntry {
  readonly kind: string;
  readonly name?: string;
  readonly callId?: string;
  readonly code?: string;
  readonly failed?: boolean;
}

test("haft run that is killed again and again goes on with --resume, and repeats no command", {
  timeout: 1_800_000,
}, async () => {
  const random = seedRandom(seed);
  let left = kills;
  for (let round = 1; left > 0; round++) {
    const place = new Place();
    const answers: readonly ProviderTurn[] = Array.from({ length: steps }, (_, n) => ({
      calls: listCalls(n),
    }));
    const provider = await useScriptedProvider(place, ({ body }) => {
      const messages = body["messages"] as readonly { readonly role: string }[];
      return answers[messages.filter(({ role }) => role === "assistant").length] ?? { text: "Done." };
    });
    let session: string | undefined;
    let exitCode: number | null | undefined;
    while (exitCode === undefined) {
      const what = session === undefined ? ["Do it"] : ["--resume", session];
      const child = place.start(["run", "--yes", ...what]);
      child.stdin?.end();
      const ended = finish(child);
      if (left === 0) {
        ({ exitCode } = await ended);
        continue;
      }
      // Some requests later, and then at any moment of the calls or of the next request.
      const until = provider.asked.length + Math.floor(random() * 3);
      while (provider.asked.length < until + 1 && child.exitCode === null) await sleep(5);
      await sleep(random() * 500);
      if (child.exitCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
        left--;
      } else exitCode = child.exitCode;
      const [newest] = JSON.parse((await place.run(["sessions", "--json"])).stdout) as readonly Listed[];
      session = newest?.id;
      // It had ended, and its process had not.
      if (newest?.run?.state === "completed") exitCode = 0;
    }
    const context = `HAFT_SEED=${seed}, round ${round}`;
    expect(exitCode, context).toBe(0);
    for (const file of ["once.txt", "slow.txt"]) {
      const lines = readLines(join(place.folder, file));
      expect(lines, context).toEqual(Array.from(new Set(lines)));
    }
    const exported = (await place.run(["sessions", "export", session ?? ""])).stdout.trimEnd().split("\n");
    const entries = exported.map((line) => JSON.parse(line) as ShownEntry);
    const results = entries.filter(({ kind }) => kind === "result");
    const asked = answers.flatMap(({ calls = [] }) => calls);
    expect(
      results.map(({ name }) => name),
      context,
    ).toEqual(asked.map(({ name }) => name));
    // What the model is told to have been done was done; of what nobody knows it is told so.
    const done = { "once.txt": 0, "slow.txt": 0 };
    for (const [at, { failed, code }] of results.entries()) {
      const [, file] = /(once\.txt|slow\.txt)/.exec(JSON.stringify(asked[at]?.input)) ?? [];
      if (failed === true) expect(code, context).toBe("TOOL_UNKNOWN");
      else if (file === "once.txt" || file === "slow.txt") done[file]++;
    }
    for (const [file, times] of Object.entries(done))
      expect(readLines(join(place.folder, file)).length, context).toBeGreaterThanOrEqual(times);
    expect((await place.run(["audit", "--verify"])).exitCode, context).toBe(0);
  }
});
