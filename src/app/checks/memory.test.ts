import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { checkMemory } from "./memory.ts";

test("memory is counted, and what failed for good in it is a warning with what to do", async () => {
  const installation = await new Installation().open("tools: { search: { embedder: none } }");
  const { app } = installation;
  await installation.call("memory_store", { content: "Ada lives in Rome" });
  const detail = "1 entry, no embedder, no memory.model";
  expect(await checkMemory(app)).toEqual({ name: "memory", status: "ok", detail });
  const { jobs } = await app.store();
  await jobs.enqueue({ kind: "memory.reflect", scope: "local", key: "daily" });
  const job = await jobs.claim({ kinds: ["memory.reflect"], leaseMs: 1_000 });
  if (job === undefined) throw new Error("no job");
  await jobs.fail(job, { message: "the model is gone", retry: false });
  expect(await checkMemory(app)).toMatchObject({
    status: "warning",
    detail: `${detail}; 1 failed for good`,
    remedy: expect.stringContaining("haft memory retry"),
  });
});
