import { receive, send } from "./worker/channel.ts";
import { ExtensionHost } from "./worker/extension-host.ts";

/*
 * The program of a worker: one extension, in a process of its own. It has what the sandbox leaves it, and speaks with
 * haft alone. When haft has ended, however it did, so does this.
 */

const host = new ExtensionHost(send);
receive((message) => host.take(message));
