import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import { ModelError } from "../../model/index.ts";

/**
 * Loads the package of a provider, which may not be installed.
 *
 * @throws {ModelError} MODEL_PACKAGE
 */
export async function loadPackage<Module>(
  name: string,
  provider: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const message = getErrorMessage(error);
    const isMissing =
      message.includes(name) &&
      (getErrorCode(error)?.endsWith("MODULE_NOT_FOUND") === true ||
        /cannot find|could not resolve/i.test(message));
    throw new ModelError(
      "MODEL_PACKAGE",
      isMissing
        ? `Cannot use the provider "${provider}": its package "${name}" is not installed; run \`npm install ${name}\` beside haft`
        : `Cannot use the provider "${provider}": its package "${name}" can't be loaded: ${message}; install another version of it`,
      { cause: error, details: { package: name, retry: false } },
    );
  }
}
