import { type Figures, median } from "../harness.ts";

/** Drives an agent through so many steps with one call each, and one more that ends it. `asked` is called by its model at each request. */
export type StepRun = (steps: number, asked: () => void) => Promise<void>;

/** What every scripted model answers to the request after so many others: a call, or the text that ends the run. */
export function findAnswer(
  before: number,
  steps: number,
): { readonly text: string; readonly input?: string } {
  if (before >= steps) return { text: "Done." };
  return {
    text: "",
    input: JSON.stringify({ text: `a text of step ${before}, as long as arguments commonly are` }),
  };
}

/** The times between requests of one run: that at 0 is the first step's. */
async function timeRun(run: StepRun, steps: number): Promise<readonly number[]> {
  const at: number[] = [];
  await run(steps, () => at.push(performance.now()));
  if (at.length !== steps + 1)
    throw new Error(`Cannot measure: ${at.length} requests came of ${steps} steps`);
  return at.slice(1).map((time, index) => time - (at[index] as number));
}

/** V8 has compiled all of the largest loop only after 1.8 s: before that its compiler is measured, too. */
const warmMs = 2_500;

/** Milliseconds a step, about the 10th and about the 1,000th. */
export async function timeSteps(
  run: StepRun,
  { scale = 1 }: { readonly scale?: number } = {},
): Promise<Figures> {
  for (const end = performance.now() + warmMs; performance.now() < end; ) await timeRun(run, 30);
  const early: number[] = [];
  for (const end = performance.now() + 700; performance.now() < end; )
    early.push(...(await timeRun(run, 30)).slice(5));
  const late = (await timeRun(run, 1050)).slice(950);
  return { "at step 10": median(early) * scale, "at step 1,000": median(late) * scale };
}
