import { readFileSync } from "node:fs";
import { endianness } from "node:os";

/** The two ends of a connection, as a socket has them. */
export interface ConnectionEnds {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/** The files in which Linux lists the connections of this machine, with the user of each. */
const tables = ["/proc/net/tcp", "/proc/net/tcp6"];

/**
 * The id of the user whose program made a connection from this machine. Undefined where that can't be told: only Linux
 * says so, of connections over IPv4.
 */
export function findPeerUser(ends: ConnectionEnds): number | undefined {
  if (process.platform !== "linux") return undefined;
  for (const table of tables) {
    const user = findUserIn(readTable(table), ends);
    if (user !== undefined) return user;
  }
  return undefined;
}

function readTable(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // A system may hide it.
  }
}

/** Finds the user of the other end in a table of connections. */
export function findUserIn(table: string, ends: ConnectionEnds): number | undefined {
  const other = formatEnd(ends.remoteAddress, ends.remotePort);
  const own = formatEnd(ends.localAddress, ends.localPort);
  if (other === undefined || own === undefined) return undefined;
  for (const line of table.split("\n")) {
    // Number, own address, other address, state, queues, timer, retransmits, user.
    const [, from = "", to = "", , , , , user] = line.trim().split(/\s+/);
    if (from.endsWith(other) && to.endsWith(own)) return Number(user);
  }
  return undefined;
}

/** `127.0.0.1` and 4280 as `0100007F:10B8`. */
function formatEnd(address: string | undefined, port: number | undefined): string | undefined {
  const bytes = address?.replace(/^::ffff:/, "").split(".") ?? [];
  if (bytes.length !== 4 || port === undefined) return undefined;
  const ordered = endianness() === "LE" ? bytes.toReversed() : bytes;
  return `${ordered.map((byte) => toHex(Number(byte), 2)).join("")}:${toHex(port, 4)}`;
}

function toHex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}
