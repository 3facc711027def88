import { createServer } from "node:net";

/** The system gives ports from here on to whoever asks for any. */
const firstOfSystem = 32_768;
const first = 20_000;

/** A free port that the system gives to nobody: it stays free between two programs that listen there one after the other. */
export async function freeSteadyPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (firstOfSystem - first));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
