import { createHash } from "node:crypto";
import type { Connector } from "../../host/index.ts";
import {
  formatLogin,
  type Login,
  type LoginStore,
  type McpServerConfig,
  parseLogin,
  ServerLogins,
} from "../../mcp/index.ts";
import type { Secrets } from "../../modules/secrets/index.ts";

export interface McpAuthOptions {
  readonly secrets: Pick<Secrets, "get" | "set" | "delete">;
  /** False: nothing was ever stored here, and the store need not be opened to see. */
  readonly mayHold: () => boolean;
  readonly learnSecret: (name: string, value: string) => void;
  readonly connector: Pick<Connector, "open">;
  readonly onError: (error: unknown) => void;
}

/** The logins to MCP servers of an installation, in its secret store. */
export function createMcpAuth({
  secrets,
  mayHold,
  learnSecret,
  connector,
  onError,
}: McpAuthOptions): ServerLogins {
  return new ServerLogins({
    store: new KeptLogins(secrets, mayHold),
    connector,
    secrets,
    learnSecret,
    onError: (_server, error) => onError(error),
  });
}

/** No call has this scope, so that no tool lists, reads or deletes what is in it. */
const loginScope = "haft:mcp-login";

/** One secret for each server at its address: the same name for another address is another login. */
class KeptLogins implements LoginStore {
  readonly #secrets: McpAuthOptions["secrets"];
  readonly #mayHold: () => boolean;

  constructor(secrets: McpAuthOptions["secrets"], mayHold: () => boolean) {
    this.#secrets = secrets;
    this.#mayHold = mayHold;
  }

  async read(server: McpServerConfig): Promise<Login | undefined> {
    if (!this.#mayHold()) return undefined;
    const kept = await this.#secrets.get(loginScope, formatName(server));
    return kept === undefined ? undefined : parseLogin(kept);
  }

  async write(server: McpServerConfig, login: Login): Promise<void> {
    await this.#secrets.set(loginScope, formatName(server), formatLogin(login));
  }

  async remove(server: McpServerConfig): Promise<boolean> {
    return this.#mayHold() && (await this.#secrets.delete(loginScope, formatName(server)));
  }
}

function formatName({ name, url }: McpServerConfig): string {
  return `login.${createHash("sha256")
    .update(JSON.stringify([name, url]))
    .digest("hex")}`;
}
