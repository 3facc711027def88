import type { App } from "../app/index.ts";

const defaultPort = 4280;

/** The port of `haft serve`, where none was typed; `app` is undefined where the configuration can't be used. */
export function servePort(app: App | undefined): number {
  return app?.loaded.config.serve?.port ?? defaultPort;
}
