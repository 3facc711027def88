import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Installation } from "../../test/support/installation.ts";
import { openListener } from "../host/index.ts";
import { createAppServer } from "./mcp/index.ts";
import { listServing } from "./running/index.ts";
import { mcpPath, startServing } from "./start-serving.ts";

async function openInstallation() {
  const place = new Installation();
  const { app } = await place.open();
  const view = await app.viewForGoal(undefined);
  const start = (port: number) =>
    startServing(app, {
      host: "127.0.0.1",
      port,
      createServers: (chooseServer) =>
        new Map([[mcpPath, createAppServer(app, view, { version: "1", chooseServer })]]),
      openProject: () => Promise.reject(new Error("There is no other project")),
      folder: app.folder,
      bridge: false,
      operator: true,
      version: "1",
      onError: () => undefined,
    });
  return { app, start, socket: join(app.home.folder, "operator.sock") };
}

test("startServing() is found by others of its home folder, until it is closed", async () => {
  const { app, start, socket } = await openInstallation();
  const serving = await start(0);
  onTestFinished(() => serving.close());
  expect(await listServing(app.home)).toMatchObject([{ url: serving.url, folder: app.folder }]);
  expect([serving.socket, existsSync(socket)]).toEqual([socket, true]);
  await serving.close();
  expect(await listServing(app.home)).toEqual([]);
  expect(existsSync(socket)).toBe(false);
});

test("startServing() leaves nothing open where its port is taken", async () => {
  const { app, start, socket } = await openInstallation();
  const other = await openListener({
    port: 0,
    handler: (_request, response) => void response.end("no haft"),
  });
  onTestFinished(() => other.close(0));
  await expect(start(other.port)).rejects.toMatchObject({ code: "LISTEN_BUSY" });
  expect(await listServing(app.home)).toEqual([]);
  expect(existsSync(socket)).toBe(false);
});
