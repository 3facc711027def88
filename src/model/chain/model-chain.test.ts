import { describe, expect, test } from "vitest";
import { collect, collectFault, hello } from "../../../test/support/model-server.ts";
import { CodedError } from "../../base/index.ts";
import {
  createFakeClock,
  createScriptedChat,
  type FakeClock,
  type ScriptedChat,
  type ScriptedTurn,
} from "../../testing/index.ts";
import type { ChatEvent, ChatRequest } from "../chat-model.ts";
import { ModelError, type ModelErrorCode } from "../errors.ts";
import { chainModels, type ModelChainOptions } from "./model-chain.ts";

const fail = (code: ModelErrorCode, details: object = {}) =>
  new ModelError(code, `no: ${code}`, { details: { ...details } });

interface World {
  readonly clock: FakeClock;
  readonly models: readonly ScriptedChat[];
  /** What a request brings, once time has gone on for as long as it took. */
  ask(part?: Partial<ChatRequest>): Promise<{ readonly said: readonly ChatEvent[]; readonly fault: unknown }>;
}

/** Models `a`, `b`, … of quotas that are named, in a chain on a clock. */
function openChain(
  scripts: readonly (readonly [quota: string, script: Parameters<typeof createScriptedChat>[0]])[],
  options: ModelChainOptions = {},
): World {
  const clock = createFakeClock();
  const models = scripts.map(([quota, script], at) =>
    createScriptedChat(script, { id: "abc"[at] ?? "z", facts: { quota }, clock }),
  );
  const chain = chainModels(models, { clock, random: () => 0.5, ...options });
  return {
    clock,
    models,
    async ask(part = {}) {
      let outcome: Awaited<ReturnType<typeof collectFault>> | undefined;
      void collectFault(chain.stream(hello(part))).then((came) => (outcome = came));
      for (let passed = 0; outcome === undefined && passed < 2_000_000; passed += 500)
        await clock.advance(500);
      if (outcome === undefined) throw new Error("it never ends");
      return outcome;
    },
  };
}

const findEnd = ({ said }: { readonly said: readonly ChatEvent[] }) =>
  said.find(({ type }) => type === "end");
const listWithdrawn = ({ said }: { readonly said: readonly ChatEvent[] }) =>
  said.flatMap((event) => (event.type === "withdrawn" ? [[event.code, event.next, event.waitMs]] : []));
const countAsked = ({ models }: World) => models.map(({ asked }) => asked.length);

describe("chainModels()", () => {
  test("asks the first alone where that answers", async () => {
    const world = openChain([
      ["x", ["yes"]],
      ["y", []],
    ]);
    const came = await world.ask();
    expect(findEnd(came)).toMatchObject({ model: "a", stop: "end" });
    expect(countAsked(world)).toEqual([1, 0]);
    expect(world.clock.pending).toBe(0);
  });

  test("waits as long as it is told, three times at most, then asks another quota, never one of the same", async () => {
    const busy = fail("MODEL_RATE_LIMIT", { retryAfterMs: 4000 });
    const world = openChain([
      ["x", () => busy],
      ["x", ["same quota"]],
      ["y", ["yes", "again"]],
    ]);
    const begun = world.clock.now();
    const came = await world.ask();
    expect(listWithdrawn(came)).toEqual([
      ["MODEL_RATE_LIMIT", "a", 4500],
      ["MODEL_RATE_LIMIT", "a", 4500],
      ["MODEL_RATE_LIMIT", "c", 0],
    ]);
    expect(world.clock.now() - begun).toBeGreaterThanOrEqual(9000);
    expect(countAsked(world)).toEqual([3, 0, 1]);
    // The quota rests: neither of its models is asked meanwhile.
    await world.ask();
    expect(countAsked(world)).toEqual([3, 0, 2]);
  });

  test("falls back at once where the provider wants to be left alone for long; none left: says when to come", async () => {
    const world = openChain([
      ["x", () => fail("MODEL_RATE_LIMIT", { retryAfterMs: 600_000 })],
      ["x", ["same quota"]],
    ]);
    const { fault, said } = await world.ask();
    expect(said).toEqual([]);
    expect(fault).toMatchObject({ code: "MODEL_RATE_LIMIT", details: { retryAfterMs: 600_000 } });
    await world.clock.advance(100_000);
    const again = await world.ask();
    expect(again.fault).toMatchObject({ code: "MODEL_RATE_LIMIT", retryAfterMs: expect.any(Number) });
    expect((again.fault as ModelError).retryAfterMs).toBeLessThanOrEqual(500_000);
    expect(countAsked(world)).toEqual([1, 0]);
  });

  test("asks again after 1, 2 and 4 s where an answer is cut, withdraws what came, then falls back", async () => {
    const world = openChain([
      ["x", () => ({ text: "half of it", cutAfter: 1 })],
      ["x", ["whole"]],
    ]);
    const came = await world.ask();
    expect(listWithdrawn(came)).toEqual([
      ["MODEL_CUT", "a", 1000],
      ["MODEL_CUT", "a", 2000],
      ["MODEL_CUT", "a", 4000],
      ["MODEL_CUT", "b", 0],
    ]);
    expect(came.said.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 4 }, () => ["text", "withdrawn"]).flat(),
      "text",
      "end",
    ]);
    expect(findEnd(came)).toMatchObject({ model: "b", message: { parts: [{ text: "whole" }] } });
  });

  test("says which retry it makes, of how many, and whose address did not answer", async () => {
    const down = new CodedError("CONNECT_FAILED", "no", { details: { origin: "http://127.0.0.1:9" } });
    const world = openChain([
      ["x", () => down],
      ["y", ["yes"]],
    ]);
    const { said } = await world.ask();
    const told = said.flatMap((event) => (event.type === "withdrawn" ? [[event.retry, event.origin]] : []));
    expect(told).toEqual([
      [{ number: 1, of: 3 }, "http://127.0.0.1:9"],
      [{ number: 2, of: 3 }, "http://127.0.0.1:9"],
      [{ number: 3, of: 3 }, "http://127.0.0.1:9"],
      [undefined, "http://127.0.0.1:9"],
    ]);
  });

  test("never sends again what was refused for what it is", async () => {
    for (const code of ["MODEL_BAD_REQUEST", "MODEL_CONTEXT", "MODEL_REFUSED"] as const) {
      const world = openChain([
        ["x", [fail(code, { retry: false })]],
        ["y", ["yes"]],
      ]);
      expect(await world.ask()).toMatchObject({ said: [], fault: { code } });
      expect(countAsked(world)).toEqual([1, 0]);
    }
  });

  test("asks another what one refuses, where it is so configured", async () => {
    const refuses: readonly ScriptedTurn[] = [{ text: "No.", stop: "refused" }];
    const stays = openChain([
      ["x", refuses],
      ["y", ["yes"]],
    ]);
    expect(findEnd(await stays.ask())).toMatchObject({ stop: "refused", model: "a" });
    const options = { onRefusal: "fallback" } as const;
    const goes = openChain(
      [
        ["x", refuses],
        ["y", ["yes"]],
      ],
      options,
    );
    expect(findEnd(await goes.ask())).toMatchObject({ stop: "end", model: "b" });
    const alone = openChain([["x", refuses]], options);
    expect(findEnd(await alone.ask())).toMatchObject({ stop: "refused" });
  });

  test("asks a wrong key or an unknown model once, then another", async () => {
    const world = openChain([
      ["x", [fail("MODEL_UNKNOWN", { retry: false }), "later"]],
      ["y", ["yes"]],
    ]);
    expect(listWithdrawn(await world.ask())).toEqual([["MODEL_UNKNOWN", "b", 0]]);
    expect(countAsked(world)).toEqual([1, 1]);
  });

  test("goes on past a fallback that is too small, and says then what was wrong with the first", async () => {
    const world = openChain([
      ["x", [fail("MODEL_QUOTA")]],
      ["y", [fail("MODEL_CONTEXT")]],
    ]);
    expect((await world.ask()).fault).toMatchObject({ code: "MODEL_QUOTA", retryAfterMs: 900_000 });
  });

  test("gives up a model that is silent, before it begins and in the middle, and one that goes on without end", async () => {
    const silent = { text: "abcdef", pieceChars: 1 };
    const world = openChain([
      [
        "x",
        [
          { ...silent, delayMs: 120_001 },
          { ...silent, eachMs: 60_001 },
          { text: "x".repeat(100), pieceChars: 1, eachMs: 50_000 },
        ],
      ],
      ["y", ["yes"]],
    ]);
    const came = await world.ask();
    expect(listWithdrawn(came).map(([code]) => code)).toEqual([
      "MODEL_SILENT",
      "MODEL_SILENT",
      "MODEL_TIMEOUT",
    ]);
    expect(world.models[0]?.broken).toBe(3);
  });

  test("waits for a model that is to think for longer", async () => {
    const world = openChain([["x", [{ text: "deep", delayMs: 299_000 }]]]);
    expect(findEnd(await world.ask({ effort: "high" }))).toMatchObject({ stop: "end" });
  });

  test("lets a model rest that failed three times running: for a minute, then for two; a success ends it", async () => {
    let broken = true;
    const world = openChain([
      ["x", () => (broken ? { text: "a", cutAfter: 0 } : "back")],
      ["y", () => "yes"],
    ]);
    await world.ask();
    expect(countAsked(world)).toEqual([4, 1]);
    await world.ask();
    expect(countAsked(world)).toEqual([4, 2]);
    await world.clock.advance(125_000);
    await world.ask();
    expect(countAsked(world)[0]).toBeGreaterThan(4);
    broken = false;
    await world.clock.advance(1_000_000);
    expect(findEnd(await world.ask())).toMatchObject({ model: "a" });
  });

  test("stays with the model that answered until the user speaks again", async () => {
    const world = openChain([
      ["x", [fail("MODEL_UNKNOWN"), "back", "back"]],
      ["y", () => "yes"],
    ]);
    const cacheKey = "session-1";
    const user = hello().messages;
    const tool = { role: "tool", results: [] } as const;
    expect(findEnd(await world.ask({ cacheKey }))).toMatchObject({ model: "b" });
    await world.clock.advance(100_000);
    expect(findEnd(await world.ask({ cacheKey, messages: [...user, tool] }))).toMatchObject({ model: "b" });
    expect(findEnd(await world.ask({ cacheKey: "another", messages: [...user, tool] }))).toMatchObject({
      model: "a",
    });
    expect(findEnd(await world.ask({ cacheKey, messages: [...user, tool, ...user] }))).toMatchObject({
      model: "a",
    });
  });

  test("is aborted at once, while it asks and while it waits", async () => {
    const clock = createFakeClock();
    const slow = createScriptedChat([{ text: "a", delayMs: 50_000 }, fail("MODEL_CUT")], { clock });
    const chain = chainModels([slow], { clock, random: () => 0 });
    for (const _ of [1, 2]) {
      const controller = new AbortController();
      const asking = collectFault(chain.stream(hello({ signal: controller.signal })));
      await clock.advance(100);
      controller.abort(new Error("stop"));
      expect(await asking).toMatchObject({ fault: { message: "stop" } });
      expect(clock.pending).toBe(0);
    }
  });

  test("is the first model to whoever asks what it is, and no chain is empty", async () => {
    const [a, b] = [createScriptedChat(["x"], { id: "a" }), createScriptedChat([], { id: "b" })];
    const chain = chainModels([a, b]);
    expect([chain.id, chain.facts]).toEqual(["a", a.facts]);
    expect(await collect(chain.stream(hello()))).toHaveLength(2);
    expect(() => chainModels([])).toThrow(TypeError);
  });
});

test("chainModels() asks its one model though the rest of that ends while it is looked at", async () => {
  for (let readsBefore = 0; readsBefore < 12; readsBefore++) {
    const inner = createFakeClock();
    let reads = Number.NEGATIVE_INFINITY;
    const clock = {
      now: () => inner.now() + (reads++ > readsBefore ? 61_000 : 0),
      after: (ms: number, act: () => void) => inner.after(ms, act),
    };
    const model = createScriptedChat([fail("MODEL_UNKNOWN"), "yes"], { id: "a", facts: { quota: "x" } });
    const chain = chainModels([model], { clock });
    expect((await collectFault(chain.stream(hello()))).fault).toMatchObject({ code: "MODEL_UNKNOWN" });
    reads = 0;
    expect(await collectFault(chain.stream(hello()))).toMatchObject({ fault: undefined });
  }
});

test("chainModels() does not count a closed quota as a failure of a model that was not asked", async () => {
  const world = openChain([
    ["x", [fail("MODEL_RATE_LIMIT", { retryAfterMs: 60_000 }), fail("MODEL_CUT"), "yes"]],
    ["x", ["of the same quota"]],
  ]);
  for (let times = 0; times < 4; times++)
    expect((await world.ask()).fault).toMatchObject({ code: "MODEL_RATE_LIMIT" });
  expect(countAsked(world)).toEqual([1, 0]);
  await world.clock.advance(61_000);
  const cancel = new AbortController();
  world.clock.after(500, () => cancel.abort());
  await world.ask({ signal: cancel.signal });
  expect(countAsked(world)).toEqual([2, 0]);
  // It has failed twice. After three times it would rest, and the other would be asked first.
  expect(findEnd(await world.ask())).toMatchObject({ model: "a" });
});

test("chainModels() tells the owner once an hour of a key that is refused, while another model answers", async () => {
  const told: ModelError[] = [];
  const world = openChain(
    [
      ["x", () => fail("MODEL_AUTH")],
      ["y", () => "yes"],
    ],
    { onSetupFault: (error) => told.push(error) },
  );
  for (let minutes = 0; minutes < 59; minutes++) {
    expect(findEnd(await world.ask())).toMatchObject({ model: "b" });
    await world.clock.advance(60_000);
  }
  expect(told).toMatchObject([{ code: "MODEL_AUTH" }]);
  expect(countAsked(world)[0]).toBeGreaterThan(1);
  await world.clock.advance(3_600_000);
  await world.ask();
  expect(told).toHaveLength(2);
});

test("chainModels() asks again at the next request where a key was refused and nobody else can answer: it may be right now", async () => {
  let isRight = false;
  const world = openChain([
    ["x", () => (isRight ? "yes" : fail("MODEL_AUTH"))],
    ["x", () => "same key"],
  ]);
  expect((await world.ask()).fault).toMatchObject({ code: "MODEL_AUTH", message: "no: MODEL_AUTH" });
  isRight = true;
  expect(findEnd(await world.ask())).toMatchObject({ model: "a" });
  expect(countAsked(world)).toEqual([2, 0]);
});

test("chainModels() asks models of a refused key after all others for a minute", async () => {
  const world = openChain([
    ["x", () => fail("MODEL_AUTH")],
    ["x", () => fail("MODEL_AUTH")],
    ["y", () => "yes"],
  ]);
  for (let times = 0; times < 3; times++) expect(findEnd(await world.ask())).toMatchObject({ model: "c" });
  expect(countAsked(world)).toEqual([1, 0, 3]);
  await world.clock.advance(61_000);
  await world.ask();
  expect(countAsked(world)).toEqual([2, 0, 4]);
});
