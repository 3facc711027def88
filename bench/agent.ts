import type { Durability } from "../src/db/index.ts";
import {
  createDurableFloor,
  createDurableRun,
  Installed,
  timeBareResume,
  timeResume,
} from "./agent/durable.ts";
import { createHaftLoop } from "./agent/haft-loop.ts";
import { measureParked } from "./agent/parked.ts";
import { createAiLoop, createFloorLoop, createOpenAiLoop, createPiLoop } from "./agent/peer-loops.ts";
import { timeSteps } from "./agent/steps.ts";
import { measurePrefixShare, timeFirstRequest } from "./agent/whole-program.ts";
import { type Comparison, type Figures, runBench } from "./harness.ts";

// The agent: its loop, a durable step, going on with a long session, the start: node bench/agent.ts --rounds 3

const early = "at step 10";
const late = "at step 1,000";
const haftLoop = "haft createAgent";
const floorLoop = "floor: a list of messages and a function";
const pi = "peer: pi Agent";
const haft = "haft";
const bareRows = "floor: bare node:sqlite, a commit for the answer and one for the result";
const bareEntries = "floor: bare node:sqlite, 5,000 rows read and parsed";
const long = 5000;

const micro = { scale: 1000 } as const;
const inMicro = (figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${name}, µs`, value]));
const inMilli = (figures: Figures): Figures => ({
  ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${name}, ms`, value])),
  "the 1,000th ÷ the 10th": (figures[late] as number) / (figures[early] as number),
});

const ofLoop = { isKernelOnly: true, paths: ["src/agent", "src/kernel", "src/schema"] } as const;
const ofStore = {
  paths: [
    "src/agent",
    "src/app/agent",
    "src/modules/sessions",
    "src/modules/usage",
    "src/modules/ledger",
    "src/db",
    "src/kernel",
  ],
} as const;

function durable(title: string, durability: Durability, rows: Comparison["rows"]): Comparison {
  return {
    title,
    ...(rows !== undefined && { rows }),
    subjects: [
      {
        name: bareRows,
        measure: async () => {
          using run = createDurableFloor(durability);
          return inMilli(await timeSteps(run));
        },
      },
      {
        name: haft,
        measure: async () => {
          using place = new Installed(durability);
          await using app = await place.open();
          await app.sources.listed();
          return inMilli(await timeSteps(createDurableRun(app)));
        },
      },
    ],
  };
}

const ofParked = {
  ours: haft,
  paths: ["src", "scripts/build.ts"],
  reach: "≤ 150",
} as const;
const survivesKill = "a step with one call, survives a kill (normal)";
const survivesPower = "a step with one call, survives loss of power (full)";
const ofHaft = { ours: haft, floor: bareRows, ...ofStore } as const;

await runBench(import.meta.url, [
  {
    title: "a step of the loop in memory, the model in the same process",
    rows: [
      {
        ...ofLoop,
        what: "a step of the loop, no store",
        figure: `${early}, µs`,
        ours: haftLoop,
        floor: floorLoop,
        peer: pi,
        reach: "≤ the peer",
      },
      {
        ...ofLoop,
        what: "a step of the loop, no store",
        figure: `${late}, µs`,
        ours: haftLoop,
        floor: floorLoop,
        peer: pi,
        reach: "≤ the peer",
      },
    ],
    subjects: [
      { name: floorLoop, measure: async () => inMicro(await timeSteps(createFloorLoop(), micro)) },
      { name: haftLoop, measure: async () => inMicro(await timeSteps(createHaftLoop(), micro)) },
      {
        name: pi,
        peer: "@mariozechner/pi-agent-core",
        measure: async () => inMicro(await timeSteps(await createPiLoop(), micro)),
      },
      {
        name: "peer: AI SDK generateText",
        peer: "ai",
        measure: async () => inMicro(await timeSteps(await createAiLoop(), micro)),
      },
      {
        name: "peer: OpenAI Agents Runner",
        peer: "@openai/agents",
        measure: async () => inMicro(await timeSteps(await createOpenAiLoop(), micro)),
      },
    ],
  },
  durable(survivesKill, "normal", [
    { ...ofHaft, what: survivesKill, figure: `${early}, ms`, reach: "≤ 4" },
    { ...ofHaft, what: survivesKill, figure: "the 1,000th ÷ the 10th", reach: "≤ 1.1" },
  ]),
  durable(survivesPower, "full", [{ ...ofHaft, what: survivesPower, figure: `${early}, ms` }]),
  {
    title: "going on with a session of 5,000 entries",
    rows: [
      {
        ...ofStore,
        what: "from the opening to the request that goes on with a session of 5,000 entries",
        figure: "later, ms",
        ours: haft,
        floor: bareEntries,
        reach: "≤ 60",
      },
    ],
    subjects: [
      { name: bareEntries, measure: () => timeBareResume(long) },
      { name: haft, measure: () => timeResume(long) },
    ],
  },
  {
    title: "haft run to its first request",
    isInstalled: true,
    rows: [
      {
        what: "`haft run` to its first request",
        figure: "ms over --version",
        ours: haft,
        paths: ["src", "scripts/build.ts", "bin"],
        reach: "≤ 250",
      },
    ],
    subjects: [{ name: haft, measure: timeFirstRequest }],
  },
  {
    title: "what of a request the one before had, 100 steps, memory, tools loaded",
    isInstalled: true,
    rows: [
      {
        what: "what of a request the one before had, 100 steps, memory, tools loaded",
        figure: "smallest share, %",
        ours: haft,
        paths: ["src/agent", "src/app/agent", "src/app/selection", "src/modules/finding", "src/providers"],
        reach: "≥ 95",
      },
    ],
    subjects: [{ name: haft, measure: () => measurePrefixShare(100) }],
  },
  {
    title: "`haft serve` with 200 runs that wait for an answer",
    isInstalled: true,
    rows: [
      {
        ...ofParked,
        what: "`haft serve` with 200 runs that wait for an answer",
        figure: "MB once it has driven them",
      },
      {
        ...ofParked,
        what: "`haft serve` with 200 runs that wait for an answer",
        figure: "MB when it starts with them",
      },
    ],
    subjects: [{ name: haft, measure: () => measureParked(200) }],
  },
]);
