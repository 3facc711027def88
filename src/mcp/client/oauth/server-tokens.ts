import type { AuthProvider } from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/index.ts";
import type { McpServerConfig } from "../config.ts";
import { loginRequired, readRefusal } from "./faults.ts";
import { type Login, type LoginStore, listSecrets, type Tokens } from "./login.ts";
import { pause } from "./pause.ts";

export interface ServerTokensOptions {
  readonly server: McpServerConfig & { readonly url: string };
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly learn: (value: string) => void;
  /** Asks for new tokens in place of those of a login. */
  readonly refresh: (login: Login, refreshToken: string) => Promise<Tokens>;
  /** Logs in with nobody there; absent where a person has to. */
  readonly logIn?: (() => Promise<Login>) | undefined;
  readonly onError: (error: unknown) => void;
}

/** What another haft has changed is seen after so long. */
const rereadMs = 5000;
/** Tokens are not made anew more often, whatever a server says of them. */
const soonestMs = 5000;
const earlyMs = 60_000;
/** How long another haft may take to write down what it was given. */
const writingMs = 250;
const writingTries = 8;

/**
 * The token for each request to one server, made anew shortly before it ends, or once after the server refused it. From
 * a call nothing else happens: no browser, no registering, and no address that came with the refusal.
 */
export class ServerTokens implements AuthProvider {
  readonly #options: ServerTokensOptions;
  #login: Login | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #madeAt = Number.NEGATIVE_INFINITY;
  #making: Promise<Login> | undefined;
  /** What could not be written down: the store knows less. */
  #unwritten: Login | undefined;
  #given: string | undefined;
  /** A refresh token that was refused. */
  #dead: string | undefined;
  /** What the server asked for when it refused. */
  #scope: string | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ServerTokensOptions) {
    this.#options = options;
  }

  /** Undefined before the server has asked who is there. */
  async token(): Promise<string | undefined> {
    const { clock, server, logIn } = this.#options;
    let login = await this.#current();
    if (login === undefined) {
      if (clock.now() - this.#refusedAt >= earlyMs) return undefined;
      if (logIn === undefined) throw loginRequired(server.name, { scope: this.#scope });
      login = await this.#make(undefined);
    } else if (this.#endsSoon(login) && this.#mayMake(login)) {
      login = await this.#make(login).catch((error: unknown) => {
        if (this.#hasEnded(login as Login)) throw error;
        return login as Login;
      });
    }
    this.#given = login.accessToken;
    return login.accessToken;
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const { clock, server } = this.#options;
    const { extractWWWAuthenticateParams } = await import("../sdk.ts");
    const refused = this.#given;
    this.#scope = extractWWWAuthenticateParams(response).scope;
    this.#refusedAt = clock.now();
    const login = await this.#read();
    if (login !== undefined && login.accessToken !== refused) return;
    if (!this.#canMake(login)) throw loginRequired(server.name, { scope: this.#scope });
    if (clock.now() - this.#madeAt >= soonestMs) await this.#make(login);
  }

  /** What is kept has changed. */
  reread(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#unwritten = undefined;
  }

  async #current(): Promise<Login | undefined> {
    const isFresh = this.#options.clock.now() - this.#readAt < rereadMs;
    return isFresh ? this.#login : this.#read();
  }

  async #read(): Promise<Login | undefined> {
    const { store, server, clock, learn } = this.#options;
    const login = this.#unwritten ?? (await store.read(server));
    for (const value of login === undefined ? [] : listSecrets(login)) learn(value);
    this.#readAt = clock.now();
    this.#login = login?.server === server.url ? login : undefined;
    return this.#login;
  }

  #endsSoon({ expiresAt }: Login): boolean {
    return expiresAt !== undefined && expiresAt - this.#options.clock.now() < earlyMs;
  }

  #hasEnded({ expiresAt }: Login): boolean {
    return expiresAt !== undefined && expiresAt <= this.#options.clock.now();
  }

  #canMake(login: Login | undefined): boolean {
    const refreshToken = login?.refreshToken;
    return this.#options.logIn !== undefined || (refreshToken !== undefined && refreshToken !== this.#dead);
  }

  #mayMake(login: Login): boolean {
    return this.#hasEnded(login) || this.#options.clock.now() - this.#madeAt >= soonestMs;
  }

  /** Whoever asks meanwhile gets the same. */
  #make(login: Login | undefined): Promise<Login> {
    this.#making ??= this.#makeOnce(login).finally(() => {
      this.#making = undefined;
      this.#madeAt = this.#options.clock.now();
    });
    return this.#making;
  }

  async #makeOnce(old: Login | undefined): Promise<Login> {
    const { server, logIn } = this.#options;
    const kept = await this.#read();
    if (kept !== undefined && kept.accessToken !== old?.accessToken && !this.#endsSoon(kept)) return kept;
    if (logIn !== undefined) return this.#keep(await logIn());
    if (kept?.refreshToken === undefined || kept.refreshToken === this.#dead)
      throw loginRequired(server.name, { scope: this.#scope });
    return this.#refresh(kept, kept.refreshToken);
  }

  async #refresh(login: Login, refreshToken: string): Promise<Login> {
    const { server, refresh } = this.#options;
    try {
      const tokens = await refresh(login, refreshToken);
      return await this.#keep(renewed(login, tokens));
    } catch (error) {
      const word = readRefusal(error);
      if (word === undefined || !["invalid_grant", "invalid_client", "unauthorized_client"].includes(word))
        throw error;
      const other = await this.#writtenByAnother(refreshToken);
      if (other !== undefined) return other;
      this.#dead = refreshToken;
      throw loginRequired(server.name, { scope: this.#scope });
    }
  }

  /** A refresh token that is used up may have been used by another haft, which has the next one. */
  async #writtenByAnother(refreshToken: string): Promise<Login | undefined> {
    const { clock } = this.#options;
    for (let tries = 0; tries < writingTries; tries++) {
      const login = await this.#read();
      if (login !== undefined && login.refreshToken !== refreshToken && !this.#endsSoon(login)) return login;
      await pause(clock, writingMs, new AbortController().signal);
    }
    return undefined;
  }

  async #keep(login: Login): Promise<Login> {
    const { store, server, clock, onError } = this.#options;
    this.#login = login;
    this.#readAt = clock.now();
    try {
      await store.write(server, login);
      this.#unwritten = undefined;
    } catch (error) {
      this.#unwritten = login;
      onError(error);
    }
    return login;
  }
}

/** A refresh token and a scope that are not told anew stay as they were; an end does not. */
function renewed({ expiresAt: _ended, ...login }: Login, tokens: Tokens): Login {
  return { ...login, ...tokens };
}
