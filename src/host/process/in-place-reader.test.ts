import { closeSync, writeSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { readInPlace } from "./in-place-reader.ts";
import { PipePool } from "./pipes.ts";

test.skipIf(process.platform === "win32")(
  "readInPlace() gives all bytes in one buffer, none while it is paused, and then the end",
  async () => {
    const pipes = new PipePool();
    const { readEnd, writeEnd } = (await pipes.take()) ?? expect.fail("there are no pipes");
    pipes.close();
    const stream = readInPlace(readEnd);
    const buffers = new Set<unknown>();
    let text = "";
    stream.on("data", (chunk: Buffer) => {
      buffers.add(chunk.buffer);
      text += chunk.toString();
    });
    const closed = new Promise((resolve) => stream.once("close", resolve));

    writeSync(writeEnd, "one,");
    await expect.poll(() => text).toBe("one,");
    stream.pause();
    writeSync(writeEnd, "two,");
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(text).toBe("one,");
    stream.resume();
    await expect.poll(() => text).toBe("one,two,");
    writeSync(writeEnd, "three");
    closeSync(writeEnd);
    await closed;
    expect(text).toBe("one,two,three");
    expect(buffers.size).toBe(1);
  },
);
