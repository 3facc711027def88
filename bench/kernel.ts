import { z } from "zod";
import { ToolRegistry } from "../src/index.ts";
import { defineTool, ToolExecutor, type ToolResult } from "../src/kernel/index.ts";
import { type Figures, runBench, timeCalls } from "./harness.ts";
import {
  createFloorExecutor,
  type EchoParams,
  echo,
  echoArgs,
  echoJsonSchema,
  isEchoParams,
} from "./kernel-floor.ts";
import { createAiStep, createMastraTool, createPiStep } from "./kernel-peers.ts";

const perCall = "µs per call";

const echoSchema = z.strictObject({
  path: z.string().min(1),
  limit: z.int().min(1).max(1000),
  recursive: z.boolean(),
});

const pure = { readOnly: true, openWorld: false } as const;

/** The whole gate: default policy, limits, deadline, events with one listener, statistics; no store. */
function createGate(kind: "zod" | "json-schema" | "file"): () => Promise<ToolResult> {
  const registry = new ToolRegistry();
  const base = { name: "echo", description: "Echo.", annotations: pure, execute: echo };
  if (kind === "zod") registry.register(defineTool({ ...base, parameters: echoSchema }));
  if (kind === "json-schema") registry.register(defineTool({ ...base, parameters: echoJsonSchema }));
  if (kind === "file") {
    const effects = ({ path }: EchoParams) => [{ kind: "read", target: path, within: true }] as const;
    registry.register(defineTool({ ...base, parameters: echoSchema, effects }));
  }
  const executor = new ToolExecutor(registry);
  let heard = 0;
  executor.events.on(() => heard++);
  return async () => {
    const result = await executor.execute("echo", echoArgs);
    executor.emitCompletion("echo", result);
    if (!result.success || heard === 0) throw new Error(`Cannot measure the gate: ${result.text}`);
    return result;
  };
}

/** The cost of one more call in a step: of 20 calls at once against one. */
async function timeStep(step: (calls: number) => Promise<unknown>): Promise<Figures> {
  const one = await timeCalls(() => step(1));
  const twenty = await timeCalls(() => step(20));
  return { "µs per step of 20": twenty, "µs per further call": (twenty - one) / 19 };
}

function together(call: () => Promise<unknown>): (calls: number) => Promise<unknown> {
  return (calls) => Promise.all(Array.from({ length: calls }, call));
}

const toolCount = 10_000;

interface Library {
  readonly register: () => void;
  readonly definitions: () => unknown;
  readonly callLast: () => Promise<unknown>;
}

async function measureLibrary({ register, definitions, callLast }: Library): Promise<Figures> {
  const heapBefore = collectedHeap();
  const registerMs = timeOnce(register);
  const heap = (collectedHeap() - heapBefore) / toolCount;
  const firstMs = timeOnce(definitions);
  const againMs = timeOnce(definitions);
  return {
    "register, ms": registerMs,
    "heap, bytes per tool": heap,
    "definitions, ms": firstMs,
    "again, ms": againMs,
    "call of the last, µs": await timeCalls(callLast),
  };
}

function collectedHeap(): number {
  const { gc } = globalThis as { readonly gc?: () => void };
  if (gc === undefined) throw new Error("Cannot measure the heap: run node with --expose-gc");
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

function timeOnce(act: () => unknown): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}

function numberedTool(index: number) {
  return {
    name: `tool_${index}`,
    description: `Do thing ${index} with a path.`,
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: `The path for thing ${index}` },
        limit: { type: "integer", minimum: 1, maximum: 1000, description: `At most this many of ${index}` },
        recursive: { type: "boolean", description: `Whether to go into folders for ${index}` },
      },
      required: ["path", "limit", "recursive"],
      additionalProperties: false,
    },
  } as const;
}

function floorLibrary(): Library {
  const tools = new Map<string, ReturnType<typeof numberedTool>>();
  const last = `tool_${toolCount - 1}`;
  return {
    register: () => {
      for (let index = 0; index < toolCount; index++) tools.set(`tool_${index}`, numberedTool(index));
    },
    definitions: () => Array.from(tools.values(), (tool) => ({ type: "function", function: tool })),
    callLast: async () => {
      if (!tools.has(last) || !isEchoParams(echoArgs)) throw new Error("Cannot call the last tool");
      return echo(echoArgs);
    },
  };
}

function haftLibrary(): Library {
  const registry = new ToolRegistry();
  const executor = new ToolExecutor(registry);
  executor.events.on(() => {});
  return {
    register: () => {
      for (let index = 0; index < toolCount; index++) {
        registry.register(defineTool({ ...numberedTool(index), annotations: pure, execute: echo }));
      }
    },
    definitions: () => registry.toLLMTools("openai"),
    callLast: async () => {
      const result = await executor.run(`tool_${toolCount - 1}`, echoArgs);
      if (!result.success) throw new Error(result.text);
    },
  };
}

const piLast = "peer: pi, calls of the last of the list";
const mastra = "peer: Mastra createTool().execute: validation only";
const byHand = "floor: check, semaphore, timer, AbortController, two events, by hand";
const kernel = { isKernelOnly: true, paths: ["src/kernel", "src/schema"] } as const;

await runBench(import.meta.url, [
  {
    title: "One validated call, awaited",
    rows: [
      {
        ...kernel,
        what: "a validated call",
        figure: perCall,
        ours: "haft, Zod",
        floor: byHand,
        peer: mastra,
        reach: "≤ 1.9 × the floor",
      },
      {
        ...kernel,
        what: "a call with an effect and a lock",
        figure: perCall,
        ours: "haft, Zod, with an effect to decide and a lock to hold",
        floor: byHand,
        peer: mastra,
      },
    ],
    subjects: [
      {
        name: "floor: the function alone",
        measure: async () => ({ [perCall]: await timeCalls(() => echo(echoArgs)) }),
      },
      {
        name: byHand,
        measure: async () => ({ [perCall]: await timeCalls(createFloorExecutor()) }),
      },
      {
        name: mastra,
        peer: "@mastra/core/tools",
        measure: async () => ({ [perCall]: await timeCalls(await createMastraTool(echoSchema)) }),
      },
      {
        name: "haft, Zod",
        measure: async () => ({ [perCall]: await timeCalls(createGate("zod")) }),
      },
      {
        name: "haft, JSON Schema",
        measure: async () => ({ [perCall]: await timeCalls(createGate("json-schema")) }),
      },
      {
        name: "haft, Zod, with an effect to decide and a lock to hold",
        measure: async () => ({ [perCall]: await timeCalls(createGate("file")) }),
      },
    ],
  },
  {
    title: "One more call in a step of 20",
    rows: [
      {
        ...kernel,
        what: "a step of 20 calls",
        figure: "µs per further call",
        ours: "haft, three at once",
        floor: "floor by hand, all at once",
        peer: "peer: pi runAgentLoop",
        reach: "≤ 2 × the floor; ≤ 0.5 × the peer",
      },
    ],
    subjects: [
      { name: "floor by hand, all at once", measure: () => timeStep(together(createFloorExecutor())) },
      {
        name: "peer: pi runAgentLoop",
        peer: "@mariozechner/pi-agent-core",
        measure: async () => timeStep(await createPiStep(1)),
      },
      {
        name: "peer: AI SDK generateText",
        peer: "ai",
        measure: async () => timeStep(await createAiStep(echoSchema)),
      },
      { name: "haft, three at once", measure: () => timeStep(together(createGate("zod"))) },
    ],
  },
  {
    title: "10,000 tools",
    nodeFlags: ["--expose-gc"],
    rows: ["register, ms", "heap, bytes per tool", "definitions, ms", "call of the last, µs"].map(
      (figure) => ({
        ...kernel,
        what: "10,000 tools",
        figure,
        ours: "haft",
        floor: "floor: a Map of plain objects",
        ...(figure === "call of the last, µs" && { peer: piLast }),
      }),
    ),
    subjects: [
      { name: "floor: a Map of plain objects", measure: () => measureLibrary(floorLibrary()) },
      {
        name: piLast,
        peer: "@mariozechner/pi-agent-core",
        measure: async () => {
          const step = await createPiStep(toolCount);
          const [none, one] = [await timeCalls(() => step(0)), await timeCalls(() => step(1))];
          return { "call of the last, µs": one - none };
        },
      },
      { name: "haft", measure: () => measureLibrary(haftLibrary()) },
    ],
  },
]);
