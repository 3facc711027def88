import { isPromise, type MaybePromise } from "./promise.ts";

/** A value that is made when it is first asked for, and then kept. A making that failed is tried again at the next. */
export function lazy<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    if (made !== undefined) return made;
    const making = make();
    made = making;
    making.catch(() => {
      if (made === making) made = undefined;
    });
    return making;
  };
}

/** An interface all of whose methods answer with a promise. */
type AsyncPort<Port> = {
  readonly [Name in keyof Port]: ((...parameters: never[]) => unknown) | undefined;
};

/**
 * A port that is opened at the first call of one of its methods. It has each method that is asked for: one that the opened
 * port lacks rejects with a TypeError. A port that is open takes a call at once, without a turn in between.
 *
 * @param open is asked at each call; wrap it in {@link lazy} to be opened once
 */
export function lazyPort<Port extends AsyncPort<Port>>(open: () => MaybePromise<Port>): Port {
  const methods = new Map<string, (...parameters: unknown[]) => Promise<unknown>>();
  const get = (_: object, name: string | symbol) => {
    // Whatever has a `then` is a promise to `await`, which a port is not.
    if (typeof name === "symbol" || name === "then") return undefined;
    let method = methods.get(name);
    if (method === undefined) {
      method = (...parameters) => {
        try {
          const port = open();
          if (isPromise(port)) return Promise.resolve(port).then((opened) => call(opened, name, parameters));
          return Promise.resolve(call(port, name, parameters));
        } catch (error) {
          return Promise.reject(error);
        }
      };
      methods.set(name, method);
    }
    return method;
  };
  return new Proxy({}, { get }) as Port;
}

function call(port: object, name: string, parameters: unknown[]): unknown {
  const method: unknown = Reflect.get(port, name);
  if (typeof method !== "function") throw new TypeError(`Cannot call "${name}": the port has no such method`);
  return method.apply(port, parameters) as unknown;
}
