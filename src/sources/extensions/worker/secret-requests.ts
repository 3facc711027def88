import type { FromWorker, ToWorker } from "../messages.ts";

/** Secrets that were asked for and did not come yet. */
export class SecretRequests {
  readonly #send: (message: FromWorker) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<string>>();
  #count = 0;

  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
  }

  /** @param id the call that needs it; absent: a factory does. */
  ask(name: string, id?: number): Promise<string> {
    const request = ++this.#count;
    const waiter = Promise.withResolvers<string>();
    this.#waiting.set(request, waiter);
    this.#send({ type: "secret", request, name: String(name), ...(id !== undefined && { id }) });
    return waiter.promise;
  }

  settle({ request, value, fault }: Extract<ToWorker, { type: "secret" }>): void {
    const waiter = this.#waiting.get(request);
    this.#waiting.delete(request);
    if (value !== undefined) waiter?.resolve(value);
    else waiter?.reject(Object.assign(new Error(fault?.message), { code: fault?.code }));
  }
}
