import { FairSemaphore } from "../src/base/index.ts";

/** The tool of every comparison: three validated fields, and a body that does nothing else. */
export interface EchoParams {
  readonly path: string;
  readonly limit: number;
  readonly recursive: boolean;
}

export const echoArgs: EchoParams = { path: "/tmp/a", limit: 10, recursive: true };

export async function echo({ path, limit, recursive }: EchoParams): Promise<string> {
  return `${path}:${limit}:${recursive}`;
}

export const echoJsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 1000 },
    recursive: { type: "boolean" },
  },
  required: ["path", "limit", "recursive"],
  additionalProperties: false,
} as const;

export function isEchoParams(value: unknown): value is EchoParams {
  if (typeof value !== "object" || value === null) return false;
  const { path, limit, recursive } = value as Record<string, unknown>;
  return (
    typeof path === "string" &&
    path.length > 0 &&
    typeof limit === "number" &&
    Number.isInteger(limit) &&
    limit >= 1 &&
    limit <= 1000 &&
    typeof recursive === "boolean" &&
    Object.keys(value).length === 3
  );
}

/** What any executor has to do, written for this one tool. */
export function createFloorExecutor(): () => Promise<unknown> {
  const places = new FairSemaphore(3);
  let heard = 0;
  const emit = (_event: object) => heard++;
  return async () => {
    const startedAt = Date.now();
    emit({ type: "tool.requested", at: startedAt });
    if (!isEchoParams(echoArgs)) throw new TypeError("Cannot echo");
    if (!places.tryAcquire()) await places.acquire("bench");
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      const deadline = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          controller.abort();
          reject(new Error("Cannot finish"));
        }, 30_000);
      });
      const result = await Promise.race([echo(echoArgs), deadline]);
      emit({ type: "tool.completed", at: Date.now(), result });
      return { success: true, result, startedAt, heard };
    } finally {
      clearTimeout(timer);
      places.release();
    }
  };
}
