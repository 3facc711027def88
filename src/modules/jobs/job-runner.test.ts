import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../app/store/index.ts";
import { CodedError } from "../../base/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { JobRunner, type JobRunnerOptions } from "./job-runner.ts";
import type { Job, JobFailure, JobHandler } from "./store/jobs.ts";

async function openRunner(mail: JobHandler, options: Partial<JobRunnerOptions> = {}) {
  const clock = createFakeClock();
  const store = await openStore({ path: ":memory:", clock });
  const failures: (JobFailure & { readonly state: string | undefined })[] = [];
  const runner = new JobRunner({
    jobs: store.jobs,
    handlers: { mail },
    clock,
    onFailure: (failure, job) => failures.push({ ...failure, state: job?.state }),
    ...options,
  });
  onTestFinished(async () => {
    await runner.close(0);
    await store.close();
  });
  /** Lets what can go on go on. */
  const until = async (isDone: () => boolean | Promise<boolean>) => {
    for (let turn = 0; turn < 1000; turn++) {
      if (await isDone()) return;
      await clock.advance(0);
    }
    throw new Error("it never came to that");
  };
  const readState = async (job: Job) => (await store.jobs.get(job.id))?.state;
  return { clock, jobs: store.jobs, runner, failures, until, getState: readState };
}

const job = (key: string, runAt?: number) => ({
  kind: "mail",
  scope: "s",
  key,
  ...(runAt !== undefined && { runAt }),
});

test("JobRunner does what was enqueued before it started, and what is enqueued later, a few at once", async () => {
  let most = 0;
  const under = new Set<string>();
  const done: string[] = [];
  const { jobs, runner, until } = await openRunner(async ({ key }) => {
    under.add(key);
    most = Math.max(most, under.size);
    await new Promise((resolve) => void setImmediate(resolve));
    under.delete(key);
    done.push(key);
  });
  for (const key of ["a", "b", "c", "d"]) await jobs.enqueue(job(key));
  runner.start();
  await until(() => done.length === 4);
  await runner.enqueue(job("e"));
  await until(async () => (await jobs.list({ states: ["completed"] })).length === 5);
  expect(done.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  expect(most).toBe(2);
});

test("JobRunner waits for the time of a job, and hears of another process's job at its next look", async () => {
  const done: string[] = [];
  const { clock, jobs, runner, until } = await openRunner(({ key }) => void done.push(key));
  await jobs.enqueue(job("later", clock.now() + 10_000));
  runner.start();
  await until(() => clock.pending === 1);
  await clock.advance(9_999);
  expect(done).toEqual([]);
  await clock.advance(1);
  await until(() => done.length === 1 && clock.pending === 1);
  await jobs.enqueue(job("of another process"));
  await clock.advance(29_000);
  expect(done).toEqual(["later"]);
  await clock.advance(1_000);
  await until(() => done.length === 2);
});

test("JobRunner tries again after a failure, as late as the error says, and gives up where that would be in vain", async () => {
  let attempts = 0;
  const { clock, runner, failures, until, getState } = await openRunner(({ key }) => {
    attempts++;
    if (key === "vain") throw new CodedError("NO_KEY", "no key", { details: { retry: false } });
    if (attempts === 1) throw new CodedError("BUSY", "busy", { details: { retryAfterMs: 20_000 } });
  });
  runner.start();
  const busy = await runner.enqueue(job("busy"));
  await until(() => failures.length === 1);
  await clock.advance(19_000);
  expect(attempts).toBe(1);
  await clock.advance(1_000);
  await until(async () => (await getState(busy)) === "completed");
  const vain = await runner.enqueue(job("vain"));
  await until(async () => (await getState(vain)) === "dead_letter");
  expect(failures).toEqual([
    { message: "busy", retryAfterMs: 20_000, state: "failed" },
    { message: "no key", retry: false, state: "dead_letter" },
  ]);
});

test("JobRunner keeps the lease of a job that takes long, and aborts one that it has lost", async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const { clock, jobs, runner, until } = await openRunner(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve(signal);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
    { leaseMs: 6_000 },
  );
  await jobs.enqueue(job("long"));
  runner.start();
  // The next look, the next renewal, the end of the lease.
  await until(() => clock.pending === 3);
  const signal = await begun.promise;
  for (let at = 0; at < 10; at++) {
    await clock.advance(2_000);
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
  }
  expect(await jobs.claim({ kinds: ["mail"], leaseMs: 1000 })).toBeUndefined();
  expect(signal.aborted).toBe(false);
  // The process slept for longer than its lease, and another took the job.
  const [running] = await jobs.list({ states: ["running"] });
  const late = (running?.leaseUntil ?? 0) - clock.now();
  const others = await openOther(jobs, clock, late);
  expect(others?.key).toBe("long");
  await clock.advance(2_000);
  await until(() => signal.aborted);
  expect(String(signal.reason)).toContain("another process has it");
});

/** Takes a job as a process would whose clock is ahead. */
async function openOther(
  jobs: { claim: JobRunnerOptions["jobs"]["claim"] },
  clock: { now(): number },
  aheadMs: number,
) {
  const now = clock.now.bind(clock);
  clock.now = () => now() + aheadMs;
  try {
    return await jobs.claim({ kinds: ["mail"], leaseMs: 60_000 });
  } finally {
    clock.now = now;
  }
}

test("JobRunner.close() waits for what runs, and begins nothing more", async () => {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { jobs, runner, until, getState } = await openRunner(
    async ({ key }) => {
      begun.push(key);
      await gate.promise;
    },
    { atOnce: 1 },
  );
  runner.start();
  const first = await runner.enqueue(job("first"));
  const second = await runner.enqueue(job("second"));
  await until(() => begun.length === 1);
  const closed = runner.close();
  gate.resolve();
  await closed;
  expect([await getState(first), await getState(second), begun]).toEqual(["completed", "pending", ["first"]]);
  runner.start();
  await jobs.enqueue(job("third"));
  expect(begun).toEqual(["first"]);
});

test("JobRunner.close() aborts what does not end in time, and gives it back as if it had not been begun", async () => {
  const { clock, jobs, runner, failures, until } = await openRunner(
    (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  );
  runner.start();
  const { id } = await runner.enqueue(job("long"));
  await until(async () => (await jobs.get(id))?.state === "running");
  const closed = runner.close(5_000);
  await clock.advance(0);
  await clock.advance(5_000);
  await closed;
  expect(await jobs.get(id)).toMatchObject({ state: "pending", attempts: 0 });
  expect(failures).toEqual([]);
});

test("JobRunner tells of a store that fails, and looks again later", async () => {
  const { clock, jobs, runner, failures, until } = await openRunner(() => undefined);
  let broken = true;
  const claim = jobs.claim.bind(jobs);
  jobs.claim = (options) => (broken ? Promise.reject(new Error("disk full")) : claim(options));
  runner.start();
  const { id } = await runner.enqueue(job("a"));
  await until(() => failures.length > 0 && clock.pending === 1);
  expect(failures[0]).toEqual({ message: "disk full", state: undefined });
  broken = false;
  await clock.advance(30_000);
  await until(async () => (await jobs.get(id))?.state === "completed");
});

test("JobRunner deletes completed jobs after a week and dead letters after a month", async () => {
  const { clock, jobs, runner, until } = await openRunner(({ key }) => {
    if (key === "bad") throw new CodedError("BAD", "bad", { details: { retry: false } });
  });
  runner.start();
  await runner.enqueue(job("good"));
  await runner.enqueue(job("bad"));
  await until(async () => (await jobs.list({ states: ["completed", "dead_letter"] })).length === 2);
  const left = async (days: number) => {
    await clock.advance(0);
    clock.now = (
      (now) => () =>
        now + days * 86_400_000
    )(clock.now());
    runner.wake();
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    return (await jobs.list()).map(({ key }) => key);
  };
  expect(await left(6)).toEqual(["bad", "good"]);
  expect(await left(2)).toEqual(["bad"]);
  expect(await left(23)).toEqual([]);
});

test("JobRunner hears at once of a job of another process, where it watches the store", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "haft-runner-")), "haft.db");
  const clock = createFakeClock();
  await using store = await openStore({ path, clock });
  await using other = await openStore({ path, clock });
  const done = Promise.withResolvers<string>();
  const handlers = { mail: ({ key }: Job) => done.resolve(key) };
  await using runner = new JobRunner({ jobs: store.jobs, handlers, clock, watchMs: 250 });
  runner.start();
  await clock.advance(250);
  await other.jobs.enqueue(job("foreign"));
  await clock.advance(250);
  expect(await done.promise).toBe("foreign");
  rmSync(dirname(path), { recursive: true });
});

test("JobRunner tells of no failure where its job was cancelled", async () => {
  const begun = Promise.withResolvers<Job>();
  const ended = Promise.withResolvers<unknown>();
  const { clock, jobs, runner, failures, until, getState } = await openRunner((one, signal) => {
    begun.resolve(one);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        ended.resolve(signal.reason);
        reject(signal.reason);
      });
    });
  });
  await jobs.enqueue(job("a"));
  runner.start();
  const one = await begun.promise;
  await jobs.cancel(one.id);
  await clock.advance(20_000);
  expect(await ended.promise).toMatchObject({ message: expect.stringContaining("was cancelled") });
  await until(async () => (await getState(one)) === "cancelled");
  await runner.close(0);
  expect(failures).toEqual([]);
});

test("JobRunner counts the attempts of a job anew once it gets on, however often its process died before", async () => {
  const begun: number[] = [];
  const { clock, jobs, runner, until } = await openRunner(async ({ attempts }, _signal, progressed) => {
    begun.push(attempts);
    if (begun.length === 1) progressed?.();
    await new Promise((resolve) => void setImmediate(resolve));
    throw new Error("no");
  });
  const { id } = await jobs.enqueue({ ...job("a"), maxAttempts: 3 });
  // Twice a process died over it.
  for (let died = 0; died < 2; died++) {
    await jobs.claim({ kinds: ["mail"], leaseMs: 1_000 });
    await clock.advance(1_000);
  }
  runner.start();
  await until(() => begun.length === 1);
  await clock.advance(5_000);
  await until(async () => (await jobs.get(id))?.attempts === 2);
  expect((await jobs.get(id))?.state).not.toBe("dead_letter");
  expect(begun).toEqual([3, 2]);
});
