// Host programs lend tools while they are connected.
export type { BridgeToolSource, CallBridge, ConnectedHost } from "./bridge.ts";
export { bridgePath } from "./bridge-http.ts";
export { type BridgeServices, type BridgeSource, createBridgeSource } from "./bridge-source.ts";
export type { BridgeContext } from "./host-connection.ts";
export type { AnnouncedTool } from "./messages.ts";
export { BridgePasses } from "./passes.ts";
