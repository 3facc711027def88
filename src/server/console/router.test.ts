import { expect, test } from "vitest";
import { createRouter } from "./router.ts";

const answer = (text: string) => async () => text;
const route = createRouter({
  "GET /calls/:id": answer("one"),
  "GET /calls": answer("all"),
  "GET /calls/count": answer("count"),
  "POST /calls/:id/undo": answer("undo"),
  "DELETE /calls/:id": answer("delete"),
});

async function find(method: string, ...segments: readonly string[]): Promise<unknown> {
  const { handler, segments: named } = route(method, segments);
  return [await handler({} as never, {} as never), ...named.values()];
}

test("createRouter() finds a handler by method and segments, a path that is written out first", async () => {
  expect(await find("GET", "calls")).toEqual(["all"]);
  expect(await find("GET", "calls", "count")).toEqual(["count"]);
  expect(await find("GET", "calls", "c_1")).toEqual(["one", "c_1"]);
  expect(await find("POST", "calls", "count", "undo")).toEqual(["undo", "count"]);
});

test("createRouter() says what there is not, and which methods there are", () => {
  for (const segments of [[], ["calls", ""], ["calls", "c_1", "redo"], ["constructor"], ["__proto__"]])
    expect(() => route("GET", segments)).toThrow(expect.objectContaining({ code: "CONSOLE_NOT_FOUND" }));
  expect(() => route("POST", ["calls", "c_1"])).toThrow(
    expect.objectContaining({ code: "CONSOLE_METHOD", details: { allow: "GET, DELETE" } }),
  );
});
