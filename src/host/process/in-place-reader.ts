import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";

/** Bytes read at once: what the kernel keeps of a pipe. */
const bufferBytes = 65_536;

/**
 * Reads a pipe or a socket into one buffer, so that no memory is allocated for what comes, however much it is. The bytes
 * of a "data" event are valid only during the event: listeners copy what they keep. Only "data" gives them, and the
 * listener must be there before the event loop goes on.
 */
export function readInPlace(fd: number): Readable {
  const socket: Socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafeSlow(bufferBytes),
      callback(length, buffer) {
        socket.emit("data", buffer.subarray(0, length));
        return true;
      },
    },
  });
  return socket;
}

/** The standard input of this program, as {@link readInPlace} reads it where it is a pipe or a socket. */
export function openStandardInput(): Readable {
  const input = fstatSync(0);
  return input.isFIFO() || input.isSocket() ? readInPlace(0) : process.stdin;
}
