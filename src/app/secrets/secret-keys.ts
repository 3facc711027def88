import { SecretError, type SecretKeyKind, type SecretKeys } from "../../modules/secrets/index.ts";
import { type Home, passphraseVariable } from "../home.ts";
import { SecretKeyFile } from "./secret-key-file.ts";

export interface SecretKeyOptions {
  /** What a new key will be. @default "passphrase" where the variable is set, otherwise "file" */
  readonly kind: SecretKeyKind | undefined;
  readonly variable: (name: string) => string | undefined;
  /** @default the package `@napi-rs/keyring`, if it is installed */
  readonly loadKeyring?: () => Promise<unknown>;
}

/** The keys of an installation: in a file of its home, in the system's keyring, or made of a passphrase. */
export function createSecretKeys(home: Home, options: SecretKeyOptions): SecretKeys {
  const { variable, loadKeyring = () => import(keyringPackage) } = options;
  const passphrase = () => variable(passphraseVariable);
  const file = new SecretKeyFile(home.secretKeys);
  return {
    kind: options.kind ?? (passphrase() ? "passphrase" : "file"),
    passphrase,
    howToGivePassphrase: `set ${passphraseVariable}`,
    async read(kind, id) {
      if (kind === "file") return file.read(id);
      const kept = await inKeyring(loadKeyring, id, (entry) => entry.getPassword());
      return typeof kept === "string" ? Buffer.from(kept, "base64url") : undefined;
    },
    async write(kind, id, key) {
      if (kind === "file") file.add(id, key);
      else
        await inKeyring(loadKeyring, id, (entry) =>
          entry.setPassword(Buffer.from(key).toString("base64url")),
        );
    },
  };
}

/** An optional peer: who wants the keyring installs it. Not a literal, so that no build looks for it. */
const keyringPackage: string = "@napi-rs/keyring";

/** The part of the package that is used; it may answer at once or later. */
interface KeyringEntry {
  getPassword(): unknown;
  setPassword(password: string): unknown;
}

async function inKeyring(
  load: () => Promise<unknown>,
  id: string,
  act: (entry: KeyringEntry) => unknown,
): Promise<unknown> {
  let module: { readonly AsyncEntry: new (service: string, account: string) => KeyringEntry };
  try {
    module = (await load()) as typeof module;
  } catch (cause) {
    throw new SecretError(
      "SECRET_KEYRING",
      `Cannot use the system keyring: the package "${keyringPackage}" is not installed; install it beside haft, or set secrets.key to "file"`,
      { cause },
    );
  }
  try {
    return await act(new module.AsyncEntry("haft", `secret key ${id}`));
  } catch (cause) {
    throw new SecretError(
      "SECRET_KEYRING",
      'Cannot use the system keyring: it did not answer; unlock it, or set secrets.key to "file" and store the secrets again',
      { cause },
    );
  }
}
