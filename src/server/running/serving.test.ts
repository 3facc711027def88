import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";
import { listenOnLoopback } from "../../../test/support/loopback.ts";
import { listServing, recordServing } from "./serving.ts";

test("a server that does not answer keeps no other from being asked", async () => {
  const { app } = await new Installation().open();
  const open = new Set<ServerResponse>();
  let mostOpen = 0;
  // Each answers once both are asked.
  const answer = (response: ServerResponse) => {
    open.add(response);
    response.on("close", () => open.delete(response));
    mostOpen = Math.max(mostOpen, open.size);
    if (open.size === 2) for (const one of open) one.end("no haft");
  };
  for (const pid of [process.pid, 5_000_000]) {
    const { url } = await listenOnLoopback((_request, response) => answer(response));
    recordServing(app.home, { pid, url, folder: app.folder, startedAt: 0 });
  }
  expect(await listServing(app.home)).toEqual([]);
  expect(mostOpen).toBe(2);
});
