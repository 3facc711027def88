import { type Address, addressesIn, hostAndParents } from "./address.ts";
import {
  addressPieces,
  type PieceKey,
  piecesOfCommand,
  piecesToFind,
  piecesToLearn,
  tokensIn,
  toPiece,
} from "./pieces.ts";
import { listReadings } from "./readings.ts";
import type { Disclosure, Finding, Source } from "./sources.ts";

/** Pieces of one text that are remembered. */
const maxPiecesOfText = 50_000;
/** Sources named of one call. */
const maxNamed = 3;
const maxHosts = 1000;

/** The pieces that a conversation has seen, each with the text that had it first. */
export class KnownPieces {
  readonly #seed: number;
  readonly #sources = new Map<PieceKey, Source>();
  /** Hosts that data came from, whoever named them first. */
  readonly #answering = new Set<string>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#sources.size;
  }

  /** What was seen before keeps its first source. */
  learn(text: string, source: Source): void {
    let left = maxPiecesOfText;
    for (const reading of listReadings(text)) {
      for (const { key } of piecesToLearn(reading, this.#seed)) {
        if (this.#sources.has(key)) continue;
        this.#sources.set(key, source);
        if (--left === 0) return;
      }
    }
  }

  answered(host: string): void {
    if (this.#answering.size < maxHosts) this.#answering.add(host);
  }

  forgetOldest(count: number): void {
    let left = count;
    for (const key of this.#sources.keys()) {
      if (left-- <= 0) return;
      this.#sources.delete(key);
    }
  }

  /** @param commands the texts that are command lines */
  find(texts: readonly string[], commands: readonly string[] = []): Finding {
    const untrusted = new Set<Source>();
    const addresses: Address[] = [];
    const readings = texts.flatMap(listReadings);
    for (const reading of readings) {
      addresses.push(...addressesIn(reading));
      for (const { key } of piecesToFind(reading, this.#seed)) {
        const source = this.#sources.get(key);
        if (source?.trust === "untrusted" && untrusted.size < maxNamed) untrusted.add(source);
      }
    }
    for (const reading of commands.flatMap(listReadings)) {
      for (const { key } of piecesOfCommand(reading, this.#seed)) {
        const source = this.#sources.get(key);
        if (source?.trust === "untrusted" && untrusted.size < maxNamed) untrusted.add(source);
      }
    }
    return { untrusted: Array.from(untrusted), disclosed: this.#findDisclosure(addresses, readings) };
  }

  /** A host of an address that neither a caller named nor anything that was read here. */
  unknownHostIn(texts: readonly string[]): string | undefined {
    const isTrusted = (host: string) =>
      this.#sources.get(toPiece("host", host, this.#seed).key)?.trust === "trusted";
    return texts
      .flatMap(listReadings)
      .flatMap((reading) => Array.from(addressesIn(reading)))
      .find(({ host }) => !hostAndParents(host).some(isTrusted))?.host;
  }

  /** Whether what was read here is in the texts. */
  holdsPrivate(texts: readonly string[]): boolean {
    return this.#privateIn(texts.flatMap(listReadings)) !== undefined;
  }

  #findDisclosure(addresses: readonly Address[], readings: readonly string[]): Disclosure | undefined {
    const foreign = addresses.find((address) => this.#isForeign(address));
    if (foreign === undefined) return undefined;
    const source = this.#privateIn(readings) ?? this.#privateIn(readings.flatMap(listDisguises));
    if (source !== undefined) return { host: foreign.host, source };
    const extended = addresses.find((address) => this.#isExtended(address));
    return extended && { host: extended.host, source: undefined };
  }

  #privateIn(readings: readonly string[]): Source | undefined {
    for (const reading of readings) {
      for (const { kind, key } of piecesToFind(reading, this.#seed)) {
        if (kind !== "token" && kind !== "phrase" && kind !== "mail") continue;
        const source = this.#sources.get(key);
        if (source?.isPrivate === true) return source;
      }
    }
    return undefined;
  }

  /** Data from outside named it, or came from its host. */
  #isForeign(address: Address): boolean {
    return (
      hostAndParents(address.host).some((host) => this.#answering.has(host)) || this.#isNamedOutside(address)
    );
  }

  #isNamedOutside(address: Address): boolean {
    for (const { key } of addressPieces(address, this.#seed))
      if (this.#sources.get(key)?.trust === "untrusted") return true;
    return false;
  }

  /** It begins as data from outside has it, and goes on with something that neither that nor a person said. */
  #isExtended(address: Address): boolean {
    if (this.#isExplained(toPiece("address", address.whole, this.#seed).key)) return false;
    if (!this.#isNamedOutside(address)) return false;
    const labels = address.host.replaceAll(".", " ");
    for (const token of tokensIn(`${labels} ${address.rest}`))
      if (!this.#isExplained(toPiece("token", token, this.#seed).key)) return true;
    return false;
  }

  /** What a caller says by itself explains nothing: it may be what a page made it say. */
  #isExplained(key: PieceKey): boolean {
    const source = this.#sources.get(key);
    return source !== undefined && (source.trust === "untrusted" || source.isGiven === true);
  }
}

/** A text as it reads where letters were moved by 13, and from its end. */
function listDisguises(reading: string): string[] {
  const moved = reading.replace(/[a-z]/g, (letter) =>
    String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97),
  );
  return [moved, Array.from(reading).reverse().join("")];
}
