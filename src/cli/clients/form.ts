import { shellWord } from "../../base/index.ts";

/** What a client must know to reach this haft. */
export interface Endpoint {
  readonly url: string;
  readonly tokenFile: string;
  /** Token for forms that cannot read it from a file. @default they refer to the variable HAFT_TOKEN instead */
  readonly token?: string | undefined;
  /** Program and arguments of `haft mcp`; absolute, so that a client without the user's PATH finds them. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Project folder, for a client that does not start its servers in one. */
  readonly folder: string;
}

/** One way to register haft with a client. */
export interface ClientForm {
  readonly transport: "http" | "stdio";
  /** The place that `text` goes to: a shell, or a file. */
  readonly where: string;
  /** Text to paste. */
  readonly text: string;
  /** Parsed content of `text`, if it goes into a JSON file. */
  readonly content?: unknown;
}

export function shellForm(transport: ClientForm["transport"], text: string): ClientForm {
  return { transport, where: "in a shell", text };
}

export function fileForm(transport: ClientForm["transport"], where: string, content: unknown): ClientForm {
  return { transport, where, text: JSON.stringify(content, null, 2), content };
}

/** Authorization header whose token the shell reads from the token file. */
export function headerInShell({ tokenFile }: Endpoint): string {
  return `Authorization: Bearer $(cat ${shellWord(tokenFile)})`;
}

export function commandInShell({ command }: Endpoint): string {
  return command.map(shellWord).join(" ");
}

export function tokenHeaders({ token }: Endpoint): { headers: { Authorization: string } } {
  return { headers: { Authorization: `Bearer ${token ?? "${env:HAFT_TOKEN}"}` } };
}

export function variableNote({ token }: Endpoint): string {
  return token === undefined ? ", with HAFT_TOKEN set where it starts" : "";
}
