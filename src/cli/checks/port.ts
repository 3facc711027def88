import { type Finding, failed, ok, warning } from "../../app/checks/index.ts";
import type { Home } from "../../app/index.ts";
import { CodedError, getErrorMessage } from "../../base/index.ts";
import { openListener } from "../../host/index.ts";
import { describeHaftAt } from "../../server/running/index.ts";

/** Whether `haft serve` could listen now, and if not, who has the port. */
export async function checkPort(home: Home, port: number): Promise<Finding> {
  try {
    const listener = await openListener({ port, handler: (_request, response) => void response.end() });
    await listener.close(0);
    return ok("port", `127.0.0.1:${port} is free`);
  } catch (error) {
    const busy = error instanceof CodedError && error.code === "LISTEN_BUSY";
    if (!busy) return failed("port", getErrorMessage(error), "set another serve.port in the configuration");
    const other = await describeHaftAt(home, `http://127.0.0.1:${port}`);
    const elsewhere = "use `haft serve --port`, or set serve.port";
    return other === undefined
      ? warning("port", `127.0.0.1:${port} is taken by another program`, elsewhere)
      : warning(
          "port",
          `127.0.0.1:${port} is taken by another haft: ${other}`,
          `connect to it, stop it with \`haft serve stop\`, or ${elsewhere}`,
        );
  }
}
