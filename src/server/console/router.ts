import type { Endpoint } from "./api/index.ts";
import { ConsoleFault } from "./errors.ts";
import type { Handler } from "./route.ts";

/** The handler of a request, and the values of the `:name` segments of its path. */
export interface FoundRoute {
  readonly handler: Handler<Endpoint>;
  readonly segments: ReadonlyMap<string, string>;
  readonly method: string;
  /** The endpoint as the API names it: `GET /calls/:id`. */
  readonly endpoint: string;
}

interface Route {
  readonly endpoint: string;
  readonly method: string;
  readonly parts: readonly string[];
  readonly handler: Handler<Endpoint>;
}

/** Finds handlers by method and path. */
export type Router = (method: string, segments: readonly string[]) => FoundRoute;

/**
 * Makes a router from handlers by "METHOD /path/:name". The path with the fewest names wins.
 *
 * @returns a function that throws {@link ConsoleFault} CONSOLE_NOT_FOUND, CONSOLE_METHOD
 */
export function createRouter(handlers: Readonly<Record<string, Handler<Endpoint>>>): Router {
  const routes = Object.entries(handlers).map(([key, handler]): Route => {
    const [method = "", path = ""] = key.split(" ");
    return { endpoint: key, method, parts: path.split("/").slice(1), handler };
  });
  routes.sort((a, b) => countNames(a) - countNames(b));
  return (method, segments) => {
    const fitting = routes.filter(({ parts }) => fits(parts, segments));
    // Routes with as few names as the first have the same path, with other methods.
    const best = fitting.filter((route) => countNames(route) === countNames(fitting[0] as Route));
    const route = best.find((one) => one.method === method);
    if (route !== undefined) {
      const named = route.parts.flatMap((part, at): [string, string][] =>
        part.startsWith(":") ? [[part.slice(1), segments[at] as string]] : [],
      );
      return { handler: route.handler, method, endpoint: route.endpoint, segments: new Map(named) };
    }
    if (best.length === 0)
      throw new ConsoleFault("CONSOLE_NOT_FOUND", "Cannot find this: the console's API has nothing there");
    const allowed = best.map((one) => one.method);
    throw new ConsoleFault(
      "CONSOLE_METHOD",
      `Cannot do this here: the methods are ${allowed.join(" and ")}`,
      {
        details: { allow: allowed.join(", ") },
      },
    );
  };
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  if (parts.length !== segments.length) return false;
  return parts.every((part, at) => (part.startsWith(":") ? segments[at] !== "" : part === segments[at]));
}

function countNames({ parts }: Route): number {
  return parts.filter((part) => part.startsWith(":")).length;
}
