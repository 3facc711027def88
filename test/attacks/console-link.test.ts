import { expect, test } from "vitest";
import { ConsoleWorld } from "../support/console-world.ts";

const code = (world: ConsoleWorld) => world.console.sessions.issueCode().code;
const exchange = (world: ConsoleWorld, given: string) =>
  world.ask("POST", "/session", { body: { code: given } });
const own = process.getuid?.() ?? 0;

test("a link that a program of another user read in the list of processes opens nothing for it", async () => {
  let user: number | undefined = own + 1;
  const world = await ConsoleWorld.open("", { findUser: () => user });
  const link = code(world);
  const refused = await exchange(world, link);
  expect(refused).toMatchObject({ status: 403, body: { code: "CONSOLE_ORIGIN" } });
  expect(world.console.sessions.list()).toEqual([]);
  // The link still opens the console for the person whom it was made for.
  user = own;
  expect((await exchange(world, link)).status).toBe(200);
});

test.for([undefined, 0])(
  "a browser whose user is %s is let in: nobody can tell, or it may do all",
  async (user) => {
    const world = await ConsoleWorld.open("", { findUser: () => user });
    expect((await exchange(world, code(world))).status).toBe(200);
  },
);

test("whoever was first with a link loses its session once the link is used again", async () => {
  const world = await ConsoleWorld.open();
  const link = code(world);
  const thief = await exchange(world, link);
  const token = String((thief.body as { readonly token?: unknown }).token);
  const other = await world.openSession();
  expect((await world.ask("GET", "/session", { token })).status).toBe(200);
  // The person's browser comes second.
  const late = await exchange(world, link);
  expect(late).toMatchObject({
    status: 401,
    body: { code: "CONSOLE_LINK", error: expect.stringContaining("the session that it opened has ended") },
  });
  expect((await world.ask("GET", "/session", { token })).status).toBe(401);
  expect((await world.ask("GET", "/session", { token: other })).status).toBe(200);
});

test("a link that is over ends nobody's session", async () => {
  const world = await ConsoleWorld.open();
  const link = code(world);
  const { body } = await exchange(world, link);
  const token = String((body as { readonly token?: unknown }).token);
  await world.clock.advance(60_000);
  expect((await exchange(world, link)).status).toBe(401);
  expect((await world.ask("GET", "/session", { token })).status).toBe(200);
});
