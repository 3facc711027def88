import { expect, test } from "vitest";
import { lazy, lazyPort } from "./lazy.ts";

interface Shelf {
  put(name: string, count: number): Promise<string>;
  readonly count?: () => Promise<number>;
}

class OpenShelf implements Shelf {
  #names: string[] = [];

  async put(name: string, count: number): Promise<string> {
    this.#names.push(name);
    return `${count} ${name}, ${this.#names.length} in all`;
  }
}

test("lazy() makes its value once, when it is first asked for", async () => {
  let made = 0;
  const value = lazy(async () => ++made);
  expect(made).toBe(0);
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  expect(await value()).toBe(1);
});

test("lazy() tries again what failed", async () => {
  let tries = 0;
  const value = lazy(async () => {
    if (++tries === 1) throw new Error("not yet");
    return tries;
  });
  await expect(Promise.all([value(), value()])).rejects.toThrow("not yet");
  expect(await value()).toBe(2);
});

test("lazyPort() opens at the first call, and passes on parameters, results, errors and `this`", async () => {
  let opened = 0;
  const open = lazy(async (): Promise<Shelf> => {
    opened++;
    return new OpenShelf();
  });
  const shelf = lazyPort<Shelf>(open);
  expect(opened).toBe(0);
  expect(await shelf.put("cups", 2)).toBe("2 cups, 1 in all");
  expect(await shelf.put("plates", 4)).toBe("4 plates, 2 in all");
  expect(opened).toBe(1);
  await expect(shelf.count?.()).rejects.toThrow('Cannot call "count": the port has no such method');
  const failing = lazyPort<Shelf>(() => Promise.reject(new Error("no shelf")));
  await expect(failing.put("cups", 1)).rejects.toThrow("no shelf");
});

test("lazyPort() can be returned by an asynchronous function without being opened", async () => {
  const shelf = lazyPort<Shelf>(() => Promise.reject(new Error("opened")));
  expect(await Promise.resolve(shelf)).toBe(shelf);
});

test("lazyPort() hands a call to a port that is open before anything else can happen", async () => {
  const taken: string[] = [];
  const shelf = {
    take: async (title: string) => void taken.push(title),
    lose: () => Promise.reject(new Error("lost")),
  };
  let opened: typeof shelf | undefined;
  const port = lazyPort<typeof shelf>(() => opened ?? Promise.resolve(shelf));
  const first = port.take("first");
  expect(taken).toEqual([]);
  await first;
  opened = shelf;
  const second = port.take("second");
  expect(taken).toEqual(["first", "second"]);
  await second;
  await expect(port.lose()).rejects.toThrow("lost");
  await expect((port as unknown as { burn(): Promise<void> }).burn()).rejects.toThrow("no such method");
});
