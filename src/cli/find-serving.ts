import type { Session } from "./session.ts";

/** The `haft serve` of a project folder; undefined if none runs. */
export async function findServing(
  session: Session,
  folder: string | undefined,
): Promise<{ readonly pid: number } | undefined> {
  const { listServing } = await import("../server/running/index.ts");
  return (await listServing(await session.home())).find((one) => one.folder === folder);
}
