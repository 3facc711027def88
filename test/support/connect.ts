import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { onTestFinished } from "vitest";
import {
  type ConnectContext,
  type Connector,
  type ConnectorOptions,
  createConnector,
} from "../../src/host/index.ts";
import type { Effect } from "../../src/kernel/index.ts";

/** A connector that is closed when the test is over. */
export function openTestConnector(options: ConnectorOptions = {}): Connector {
  const connector = createConnector({ connectTimeoutMs: 20_000, ...options });
  onTestFinished(() => connector.close());
  return connector;
}

export function connectContext(part: Partial<ConnectContext> = {}): ConnectContext {
  return { allowedHosts: [], effects: [], signal: new AbortController().signal, ...part };
}

/** The effects of a call that was decided to connect to each of these origins. */
export function decidedFor(...origins: string[]): readonly Effect[] {
  return origins.map((target) => ({ kind: "connect", target, within: false }));
}

/** How many sockets were opened while `action` ran. */
export async function countSockets(action: () => Promise<unknown>): Promise<number> {
  let opened = 0;
  const count = () => {
    opened++;
  };
  subscribe("net.client.socket", count);
  try {
    await action();
  } finally {
    unsubscribe("net.client.socket", count);
  }
  return opened;
}
