import type { Redactor } from "../../kernel/index.ts";
import type { SecretInfo, SecretKeyInfo, Secrets } from "../../modules/secrets/index.ts";
import { valuesInSecret } from "./values-in-secret.ts";

export interface KeptSecretsOptions {
  readonly open: () => Promise<Secrets>;
  /** Learns each value before anybody else has it. */
  readonly redact: Redactor;
  /** False: no key was ever made here, so that nothing can be read and the store need not be opened. */
  readonly mayHold: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** The secrets of an installation, of a store that is opened when they are first used. */
export class KeptSecrets implements Omit<Secrets, "reveal"> {
  readonly #options: KeptSecretsOptions;
  #learning: Promise<void> | undefined;
  #isLearned = false;

  constructor(options: KeptSecretsOptions) {
    this.#options = options;
  }

  /** Lets the redactor learn what is stored, once; undefined where there is nothing to wait for. What can't be read is reported, and can't get out either. */
  learn(): Promise<void> | undefined {
    if (this.#isLearned || (this.#learning === undefined && !this.#options.mayHold())) return undefined;
    this.#learning ??= this.#learnAll();
    return this.#learning;
  }

  async set(scope: string, name: string, value: string): Promise<SecretInfo> {
    this.#learn(name, value);
    return (await this.#options.open()).set(scope, name, value);
  }

  async get(scope: string, name: string): Promise<string | undefined> {
    const value = await (await this.#options.open()).get(scope, name);
    if (value !== undefined) this.#learn(name, value);
    return value;
  }

  async list(scope: string): Promise<readonly SecretInfo[]> {
    return (await this.#options.open()).list(scope);
  }

  async delete(scope: string, name: string): Promise<boolean> {
    return (await this.#options.open()).delete(scope, name);
  }

  async key(): Promise<SecretKeyInfo | undefined> {
    return (await this.#options.open()).key();
  }

  async rotate(): Promise<SecretKeyInfo> {
    return (await this.#options.open()).rotate();
  }

  #learn(name: string, secret: string): void {
    for (const value of valuesInSecret(secret)) this.#options.redact.learn(name, value);
  }

  async #learnAll(): Promise<void> {
    const { open, onError } = this.#options;
    try {
      for (const fault of await (await open()).reveal((name, value) => this.#learn(name, value)))
        onError(fault);
      this.#isLearned = true;
    } catch (error) {
      this.#learning = undefined;
      onError(error);
    }
  }
}
