import { createServer } from "node:net";

/** The first of the ports that systems give to programs which ask for any. */
const firstGiven = 32_768;
const first = 20_000;

/**
 * Finds a port that is free on all addresses, below those that systems give out: it stays free until the program that it is
 * for listens there, and between two programs that do so one after the other.
 */
export async function freeSteadyPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (firstGiven - first));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
