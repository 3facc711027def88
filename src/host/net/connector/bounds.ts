import type { Effect } from "../../../kernel/index.ts";
import { HostError } from "../../errors.ts";
import { type CheckedAddress, checkAddress } from "./address.ts";
import { AllowedHosts, isOfOwnNet, type Peer, reservedNameRule } from "./allowed-hosts.ts";
import { showUrl, type WebAddress } from "./web-address.ts";

export interface BoundsOptions {
  readonly allowedHosts: readonly string[];
  readonly effects: readonly Effect[];
  /** A peer that the owner's configuration names. */
  readonly configured?: Peer | undefined;
}

/** The addresses that one call may connect to. */
export class ConnectBounds {
  readonly #hosts: AllowedHosts;
  readonly #effects: readonly Effect[];
  readonly #configured: Peer | undefined;

  constructor({ allowedHosts, effects, configured }: BoundsOptions) {
    this.#hosts = new AllowedHosts(allowedHosts);
    this.#effects = effects;
    this.#configured = configured;
  }

  within(target: Peer): boolean {
    return this.#hosts.covers(target);
  }

  /** Within `allowedHosts`, or decided for this call. A decision for http holds for https on the same host too. */
  covers({ url, origin, ...peer }: WebAddress): boolean {
    const upgradedFrom = url.protocol === "https:" && peer.port === 443 ? `http://${url.hostname}` : origin;
    return (
      this.within(peer) ||
      this.#effects.some(
        ({ kind, target }) => kind === "connect" && (target === origin || target === upgradedFrom),
      )
    );
  }

  /**
   * What of these bounds decides whether an address of this peer may be dialled. Calls whose parts have the same key
   * may share connections; the empty key stands for public addresses only.
   */
  dialPart(target: Peer): { readonly key: string; readonly bounds: () => ConnectBounds } {
    const allowedHosts = this.#hosts.mayOpen(target) ? this.#hosts.entries : [];
    const configured = this.#isConfigured(target) ? this.#configured : undefined;
    const isPublic = allowedHosts.length === 0 && configured === undefined;
    return {
      key: isPublic ? "" : JSON.stringify([allowedHosts, configured?.host, configured?.port]),
      bounds: () => new ConnectBounds({ allowedHosts, effects: [], configured }),
    };
  }

  /** @throws {HostError} CONNECT_DENIED */
  checkCovered(target: WebAddress): void {
    if (this.covers(target)) return;
    throw new HostError(
      "CONNECT_DENIED",
      `Cannot connect to "${showUrl(target.url.href)}": this call was not allowed to; allow "${target.url.host}" in allowedHosts, or approve a call for ${target.origin}`,
      { details: { origin: target.origin } },
    );
  }

  /**
   * What can be known without looking the name up.
   *
   * @throws {HostError} CONNECT_BLOCKED
   */
  checkHost(target: Peer): void {
    const { host, isLiteral } = target;
    if (isLiteral) return this.checkAddresses(target, [host]);
    const rule = reservedNameRule(host);
    if (rule === undefined || this.#hosts.names(target)) return;
    if (
      rule === "loopback" &&
      (this.#isConfigured(target) || this.#hosts.opens(target, { address: host, rule }))
    )
      return;
    throw blocked(host, `it is a ${rule} name`, { host, rule });
  }

  /**
   * All of a name's addresses have to pass: which of them answers is not ours to choose.
   *
   * @throws {HostError} CONNECT_BLOCKED
   */
  checkAddresses(target: Peer, addresses: readonly string[]): void {
    for (const text of addresses) {
      const checked = checkAddress(text);
      if (checked.rule === undefined || this.#hosts.opens(target, checked)) continue;
      if (this.#isConfigured(target) && isOfOwnNet(checked)) continue;
      throw blocked(checked.address, describe(target, checked), {
        host: target.host,
        address: checked.address,
        rule: checked.rule,
      });
    }
  }

  #isConfigured({ host, port }: Peer): boolean {
    return this.#configured?.host === host && this.#configured.port === port;
  }
}

function describe({ host, isLiteral }: Peer, { address, inside, rule }: CheckedAddress): string {
  const found = isLiteral ? address : `it resolves to ${address}`;
  const article = rule === "unspecified" ? "an" : "a";
  if (inside !== undefined) return `${found}, which leads to ${inside}, ${article} ${rule} address`;
  return isLiteral ? `${host} is ${article} ${rule} address` : `${found}, ${article} ${rule} address`;
}

function blocked(
  opener: string,
  why: string,
  details: Record<string, unknown> & { host: string },
): HostError {
  return new HostError(
    "CONNECT_BLOCKED",
    `Cannot connect to "${details.host}": ${why}; if you mean it, add "${opener}" to allowedHosts`,
    { details },
  );
}
