import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { ClaimedJob, Jobs, NewJob } from "../modules/jobs/index.ts";
import type { ContractCase } from "./contract-case.ts";

const kinds = ["mail"];
const soon = { kinds, leaseMs: 60_000 };
const job = (part: Partial<NewJob> = {}): NewJob => ({ kind: "mail", scope: "local", ...part });

async function claimOne(jobs: Jobs, leaseMs = 60_000): Promise<ClaimedJob> {
  const claimed = await jobs.claim({ kinds, leaseMs });
  ok(claimed, "there is no job to claim");
  return claimed;
}

/** What every implementation of {@link Jobs} keeps, by the clock of the machine. */
export const jobCases: readonly ContractCase<Jobs>[] = [
  {
    name: "enqueue() keeps a job with its payload until it is claimed and completed",
    async run(jobs) {
      const payload = { to: "ada", lines: [1, "two", null] };
      const kept = await jobs.enqueue(job({ payload }));
      deepStrictEqual([kept.state, kept.attempts, kept.payload], ["pending", 0, payload]);
      const claimed = await claimOne(jobs);
      deepStrictEqual([claimed.id, claimed.payload], [kept.id, payload]);
      const running = await jobs.get(kept.id);
      deepStrictEqual([running?.state, running?.attempts], ["running", 1]);
      strictEqual(await jobs.claim(soon), undefined);
      strictEqual(await jobs.complete(claimed), true);
      const ended = await jobs.get(kept.id);
      strictEqual(ended?.state, "completed");
      ok(ended.endedAt !== undefined && ended.leaseUntil === undefined);
      strictEqual(await jobs.claim(soon), undefined);
    },
  },
  {
    name: "enqueue() of a key that waits is the same job, with the payload of now and the earlier time",
    async run(jobs) {
      const later = Date.now() + 60_000;
      const first = await jobs.enqueue(job({ key: "k", payload: 1, runAt: later }));
      const again = await jobs.enqueue(job({ key: "k", payload: 2, runAt: later - 1000 }));
      const last = await jobs.enqueue(job({ key: "k", payload: 3, runAt: later }));
      deepStrictEqual([last.id, last.payload, last.runAt], [first.id, 3, again.runAt]);
      const others = [
        await jobs.enqueue(job({ key: "other" })),
        await jobs.enqueue(job({ key: "k", scope: "other" })),
        await jobs.enqueue(job({ key: "k", kind: "post" })),
        await jobs.enqueue(job()),
        await jobs.enqueue(job()),
      ];
      strictEqual(new Set([first.id, ...others.map(({ id }) => id)]).size, 6);
    },
  },
  {
    name: "enqueue() of a key many times at once keeps one",
    async run(jobs) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => jobs.enqueue(job({ key: "k", payload: at }))));
      strictEqual((await jobs.list()).length, 1);
    },
  },
  {
    name: "enqueue() of a key that runs waits until that has ended",
    async run(jobs) {
      const first = await jobs.enqueue(job({ key: "k" }));
      const running = await claimOne(jobs);
      const second = await jobs.enqueue(job({ key: "k" }));
      notStrictEqual(second.id, first.id);
      strictEqual(await jobs.claim(soon), undefined);
      await jobs.complete(running);
      strictEqual((await claimOne(jobs)).id, second.id);
    },
  },
  {
    name: "enqueue() refuses a payload of more than 100,000 characters",
    async run(jobs) {
      await rejects(jobs.enqueue(job({ payload: "x".repeat(100_000) })), RangeError);
      deepStrictEqual(await jobs.list(), []);
    },
  },
  {
    name: "claim() gives a job to one of many who ask",
    async run(jobs) {
      for (let at = 0; at < 5; at++) await jobs.enqueue(job());
      const claimed = await Promise.all(Array.from({ length: 20 }, () => jobs.claim(soon)));
      const ids = claimed.flatMap((one) => one?.id ?? []);
      deepStrictEqual([ids.length, new Set(ids).size], [5, 5]);
    },
  },
  {
    name: "claim() gives those that are due, of the kinds that are named, the longest due first",
    async run(jobs) {
      const now = Date.now();
      await jobs.enqueue(job({ key: "future", runAt: now + 60_000 }));
      await jobs.enqueue(job({ key: "foreign", kind: "post" }));
      await jobs.enqueue(job({ key: "second", runAt: now - 1000 }));
      await jobs.enqueue(job({ key: "first", runAt: now - 2000 }));
      deepStrictEqual([(await claimOne(jobs)).key, (await claimOne(jobs)).key], ["first", "second"]);
      strictEqual(await jobs.claim(soon), undefined);
      strictEqual(await jobs.claim({ kinds: [], leaseMs: 1000 }), undefined);
    },
  },
  {
    name: "claim() takes over a job whose lease ran out, and the process that had it changes nothing more",
    async run(jobs) {
      const { id } = await jobs.enqueue(job());
      const lost = await claimOne(jobs, 0);
      const taken = await claimOne(jobs);
      deepStrictEqual([taken.id, taken.attempts], [id, 2]);
      strictEqual(await jobs.renew(lost, 60_000), false);
      strictEqual(await jobs.complete(lost), false);
      strictEqual(await jobs.fail(lost, { message: "late" }), undefined);
      await jobs.release(lost);
      strictEqual((await jobs.get(id))?.state, "running");
      strictEqual(await jobs.complete(taken), true);
    },
  },
  {
    name: "claim() gives up a job that was begun three times and never ended",
    async run(jobs) {
      const { id } = await jobs.enqueue(job());
      for (let attempt = 1; attempt <= 3; attempt++) await claimOne(jobs, 0);
      strictEqual(await jobs.claim(soon), undefined);
      const given = await jobs.get(id);
      strictEqual(given?.state, "dead_letter");
      ok(given.lastError?.includes("3 times"));
    },
  },
  {
    name: "renew() keeps a lease from running out",
    async run(jobs) {
      await jobs.enqueue(job());
      const claimed = await claimOne(jobs, 0);
      strictEqual(await jobs.renew(claimed, 60_000), true);
      strictEqual(await jobs.claim(soon), undefined);
    },
  },
  {
    name: "fail() lets a job wait longer each time, and gives it up at the third",
    async run(jobs) {
      for (;;) {
        const { id } = await jobs.enqueue(job({ key: "k" }));
        const claimed = await claimOne(jobs);
        const begun = Date.now();
        const first = await jobs.fail(claimed, { message: "no answer" });
        const ended = Date.now();
        deepStrictEqual([first?.state, first?.lastError, first?.attempts], ["failed", "no answer", 1]);
        const runAt = first?.runAt ?? 0;
        ok(runAt > begun && runAt <= ended + 1250, `it waits for ${runAt - begun} ms`);
        const early = await jobs.claim(soon);
        // A machine that was held up for so long may have come to its time: then another is looked at.
        if (Date.now() >= runAt) {
          await jobs.cancel(id);
          continue;
        }
        strictEqual(early, undefined);
        strictEqual((await jobs.enqueue(job({ key: "k" }))).runAt, runAt);
        strictEqual(await jobs.nextAt(kinds), runAt);
        ok((await jobs.list({ states: ["failed"] })).some((one) => one.id === id));
        return;
      }
    },
  },
  {
    name: "fail() waits at least as long as it is told, and not at all where another attempt would be in vain",
    async run(jobs) {
      await jobs.enqueue(job({ key: "k" }));
      const told = await jobs.fail(await claimOne(jobs), { message: "busy", retryAfterMs: 40_000 });
      ok((told?.runAt ?? 0) - Date.now() > 30_000);
      await jobs.enqueue(job({ key: "other" }));
      const vain = await jobs.fail(await claimOne(jobs), { message: "no key", retry: false });
      deepStrictEqual([vain?.state, vain?.lastError], ["dead_letter", "no key"]);
      strictEqual((await jobs.enqueue(job({ key: "other" }))).state, "pending");
    },
  },
  {
    name: "fail() postpones a job as often as it is told, as if it had not been begun, and keeps why",
    async run(jobs) {
      const { id } = await jobs.enqueue(job({ key: "k" }));
      for (let times = 1; times <= 4; times++) {
        const postponed = await jobs.fail(await claimOne(jobs), { message: "no money", isPostponed: true });
        deepStrictEqual(
          [postponed?.state, postponed?.attempts, postponed?.lastError],
          ["failed", 0, "no money"],
        );
      }
      const later = await jobs.fail(await claimOne(jobs), {
        message: "no money",
        isPostponed: true,
        retryAfterMs: 40_000,
      });
      ok((later?.runAt ?? 0) - Date.now() > 30_000);
      strictEqual((await jobs.enqueue(job({ key: "k" }))).id, id);
    },
  },
  {
    name: "fail() makes one of a job and of one of its key that was enqueued meanwhile",
    async run(jobs) {
      const { id } = await jobs.enqueue(job({ key: "k", payload: 1 }));
      const claimed = await claimOne(jobs);
      await jobs.enqueue(job({ key: "k", payload: 2 }));
      await jobs.fail(claimed, { message: "no" });
      deepStrictEqual(
        (await jobs.list()).map((one) => [one.id, one.state, one.payload]),
        [[id, "failed", 2]],
      );
    },
  },
  {
    name: "release() gives a job back as if it had not been begun",
    async run(jobs) {
      const { id } = await jobs.enqueue(job());
      await jobs.release(await claimOne(jobs));
      deepStrictEqual(
        (await jobs.list()).map((one) => [one.id, one.state, one.attempts]),
        [[id, "pending", 0]],
      );
      strictEqual((await claimOne(jobs)).id, id);
    },
  },
  {
    name: "list() gives the newest first, of a state, a kind, a scope and a key",
    async run(jobs) {
      await jobs.enqueue(job({ key: "a" }));
      await jobs.enqueue(job({ key: "b", scope: "other" }));
      await jobs.enqueue(job({ key: "c", kind: "post" }));
      const keys = async (query: Parameters<Jobs["list"]>[0]) =>
        (await jobs.list(query)).map(({ key }) => key);
      deepStrictEqual(await keys({}), ["c", "b", "a"]);
      deepStrictEqual(await keys({ limit: 1 }), ["c"]);
      deepStrictEqual(await keys({ scope: "local" }), ["c", "a"]);
      deepStrictEqual(await keys({ kinds: ["post"] }), ["c"]);
      deepStrictEqual(await keys({ key: "b" }), ["b"]);
      await jobs.complete(await claimOne(jobs));
      deepStrictEqual(await keys({ states: ["completed"] }), ["a"]);
      strictEqual(await jobs.get("j_none"), undefined);
    },
  },
  {
    name: "nextAt() is when the next is due or a lease ends",
    async run(jobs) {
      strictEqual(await jobs.nextAt(kinds), undefined);
      const { runAt } = await jobs.enqueue(job({ runAt: Date.now() + 120_000 }));
      strictEqual(await jobs.nextAt(kinds), runAt);
      await jobs.enqueue(job());
      const { leaseUntil } = await claimOne(jobs);
      strictEqual(await jobs.nextAt(kinds), leaseUntil);
      strictEqual(await jobs.nextAt([]), undefined);
    },
  },
  {
    name: "prune() deletes what ended long ago, and nothing that is to be done",
    async run(jobs) {
      await jobs.enqueue(job({ key: "done" }));
      await jobs.complete(await claimOne(jobs));
      await jobs.enqueue(job({ key: "dead" }));
      await jobs.fail(await claimOne(jobs), { message: "no", retry: false });
      await jobs.enqueue(job({ key: "runs" }));
      await claimOne(jobs);
      await jobs.enqueue(job({ key: "waits" }));
      const now = Date.now() + 1000;
      strictEqual(await jobs.prune({ completed: now, deadLetters: 0 }), 1);
      strictEqual(await jobs.prune({ completed: now, deadLetters: now }), 1);
      deepStrictEqual(
        (await jobs.list()).map(({ key }) => key),
        ["waits", "runs"],
      );
    },
  },
  {
    name: "enqueue() says how often a job is begun before it is given up",
    async run(jobs) {
      const { id } = await jobs.enqueue(job({ maxAttempts: 1 }));
      await claimOne(jobs, 0);
      strictEqual(await jobs.claim(soon), undefined);
      strictEqual((await jobs.get(id))?.state, "dead_letter");
      const often = await jobs.enqueue(job({ maxAttempts: 5 }));
      for (let attempt = 1; attempt <= 4; attempt++) await claimOne(jobs, 0);
      deepStrictEqual([(await claimOne(jobs)).attempts, (await jobs.get(often.id))?.state], [5, "running"]);
    },
  },
  {
    name: "renew() of a job that got on counts it as begun for the first time",
    async run(jobs) {
      await jobs.enqueue(job());
      await claimOne(jobs, 0);
      const second = await claimOne(jobs);
      strictEqual(await jobs.renew(second, 0, { progressed: true }), true);
      strictEqual((await claimOne(jobs)).attempts, 2);
    },
  },
  {
    name: "cancel() ends a job that waits or runs, and the process that runs it has it no longer",
    async run(jobs) {
      const waits = await jobs.enqueue(job({ key: "k" }));
      strictEqual((await jobs.cancel(waits.id))?.state, "cancelled");
      strictEqual(await jobs.claim(soon), undefined);
      const runs = await jobs.enqueue(job({ key: "k" }));
      notStrictEqual(runs.id, waits.id);
      const claimed = await claimOne(jobs);
      strictEqual((await jobs.cancel(runs.id))?.state, "cancelled");
      strictEqual(await jobs.renew(claimed, 60_000), false);
      strictEqual(await jobs.complete(claimed), false);
      strictEqual(await jobs.cancel(runs.id), undefined);
      strictEqual(await jobs.cancel("j_none"), undefined);
      strictEqual(await jobs.prune({ completed: Date.now() + 1000, deadLetters: 0 }), 2);
    },
  },
  {
    name: "enqueue() of a key again says anew how often it is begun, also where the first of it runs and fails",
    async run(jobs) {
      await jobs.enqueue(job({ key: "k" }));
      await jobs.enqueue(job({ key: "k", maxAttempts: 1 }));
      const first = await jobs.fail(await claimOne(jobs), { message: "no" });
      strictEqual(first?.state, "dead_letter");
      await jobs.enqueue(job({ key: "k", maxAttempts: 2 }));
      const running = await claimOne(jobs);
      await jobs.enqueue(job({ key: "k", maxAttempts: 5 }));
      await jobs.release(running);
      for (let attempt = 1; attempt <= 4; attempt++) await claimOne(jobs, 0);
      strictEqual((await claimOne(jobs)).attempts, 5);
    },
  },
];
