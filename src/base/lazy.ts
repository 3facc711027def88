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
 * port lacks rejects with a TypeError.
 *
 * @param open is asked at each call; wrap it in {@link lazy} to be opened once
 */
export function lazyPort<Port extends AsyncPort<Port>>(open: () => Promise<Port>): Port {
  const get = (_: object, name: string | symbol) => {
    // Whatever has a `then` is a promise to `await`, which a port is not.
    if (typeof name === "symbol" || name === "then") return undefined;
    return async (...parameters: unknown[]) => {
      const port = await open();
      const method: unknown = Reflect.get(port, name);
      if (typeof method !== "function")
        throw new TypeError(`Cannot call "${name}": the port has no such method`);
      return method.apply(port, parameters) as unknown;
    };
  };
  return new Proxy({}, { get }) as Port;
}
