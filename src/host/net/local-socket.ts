import type { Server, Socket } from "node:net";
import { dirname } from "node:path";
import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import { LineReader } from "../process/line-reader.ts";

/** Who talks at the other end of one connection. */
export interface LocalSocketPeer {
  /** One line. Dropped after the end; a peer that does not read what it was sent is cut off. */
  send(line: string): void;
  /** Lets go of the connection once everything is sent. */
  close(): void;
}

export interface LocalSocketOptions {
  /**
   * The path of the socket, in a folder that nobody but its user can enter; that folder is made where there
   * is none.
   */
  readonly path: string;
  readonly onConnection: (peer: LocalSocketPeer) => {
    /** A peer that has said all is let go once all of these are settled. Must not reject. */
    readonly onLine: (line: string) => Promise<void>;
    /** A line was longer than `maxLineBytes`; nothing of it is kept. */
    readonly onTooLong: () => void;
    readonly onClose: () => void;
  };
  /** @default 1,048,576 */
  readonly maxLineBytes?: number;
  /** What may wait to be read by the peer. @default 16,777,216 */
  readonly maxWaitingBytes?: number;
  /** Further ones are dropped. @default 32 */
  readonly maxConnections?: number;
}

export interface LocalSocket {
  readonly path: string;
  /** Takes no more, and ends what is open. */
  close(): Promise<void>;
}

/** The shortest of what systems take. */
const longestPath = 103;

/**
 * Listens on a socket of this machine, for lines of text. Who can enter its folder can speak: no other user can.
 *
 * @throws {HostError} LISTEN_BUSY, LISTEN_FAILED
 */
export async function openLocalSocket(options: LocalSocketOptions): Promise<LocalSocket> {
  const { path, maxConnections = 32 } = options;
  await checkPlace(path);
  const { createServer } = await import("node:net");
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    converse(socket, options);
  });
  server.maxConnections = maxConnections;
  await bind(server, path);
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function checkPlace(path: string): Promise<void> {
  const { mkdir, stat } = await import("node:fs/promises");
  if (process.platform === "win32")
    throw cannotListen(path, "this system has no such sockets; use HTTP instead");
  if (Buffer.byteLength(path) > longestPath)
    throw cannotListen(path, `its path is longer than ${longestPath} bytes; name a shorter one`);
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { mode, uid } = await stat(folder);
    if ((mode & 0o077) === 0 && (uid === process.getuid?.() || uid === 0)) return;
  } catch (cause) {
    throw cannotListen(path, getErrorMessage(cause), cause);
  }
  throw cannotListen(
    path,
    `others can enter "${folder}"; make the folder yours alone (chmod 700), or name another`,
  );
}

async function bind(server: Server, path: string): Promise<void> {
  try {
    await listen(server, path);
  } catch (cause) {
    if (getErrorCode(cause) !== "EADDRINUSE") throw cannotListen(path, getErrorMessage(cause), cause);
    if (await isAnswered(path)) {
      const message = `Cannot listen on "${path}": another haft listens there; end it, or name another path`;
      throw new HostError("LISTEN_BUSY", message, { cause });
    }
    await removeLeftover(path);
    await listen(server, path).catch((error: unknown) => {
      throw cannotListen(path, getErrorMessage(error), error);
    });
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Removes what a haft left behind that was killed. Anything but a socket stays. */
async function removeLeftover(path: string): Promise<void> {
  const { lstat, rm } = await import("node:fs/promises");
  if (!(await lstat(path)).isSocket())
    throw cannotListen(path, "something is there that is no socket; name another path");
  await rm(path);
}

async function isAnswered(path: string): Promise<boolean> {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", (error) => resolve(getErrorCode(error) !== "ECONNREFUSED"));
  });
}

function converse(
  socket: Socket,
  { onConnection, maxLineBytes = 1_048_576, maxWaitingBytes = 16_777_216 }: LocalSocketOptions,
): void {
  const events = onConnection({
    send(line) {
      if (!socket.writable) return;
      if (socket.writableLength > maxWaitingBytes) socket.destroy();
      else socket.write(`${line}\n`);
    },
    close: () => socket.end(),
  });
  let isSaid = false;
  let pending = 0;
  const endIfDone = () => {
    if (isSaid && pending === 0) socket.end();
  };
  const reader = new LineReader(maxLineBytes, {
    line(bytes) {
      pending++;
      void events.onLine(bytes.toString()).then(() => {
        pending--;
        endIfDone();
      });
    },
    tooLong: events.onTooLong,
  });
  socket.on("data", (chunk) => reader.push(chunk));
  socket.once("end", () => {
    reader.end();
    isSaid = true;
    endIfDone();
    if (pending > 0) watchSilent(socket);
  });
  // Told of by its close, which always follows.
  socket.on("error", () => socket.destroy());
  socket.once("close", events.onClose);
}

/** How often. */
const silenceMs = 1_000;

/** A peer that said all may be gone: that is found out by writing. To one that still listens an empty line is nothing. */
function watchSilent(socket: Socket): void {
  const look = () => void socket.write("\n");
  const timer = setInterval(look, silenceMs).unref();
  socket.once("close", () => clearInterval(timer)).once("finish", () => clearInterval(timer));
  look();
}

function cannotListen(path: string, state: string, cause?: unknown): HostError {
  return new HostError("LISTEN_FAILED", `Cannot listen on "${path}": ${state}`, { cause });
}
