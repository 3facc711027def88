import { isRecord, parseJson } from "../../base/index.ts";

/** The values in a stored secret that must not be seen: all of it, and each token where it is a login. */
export function valuesInSecret(secret: string): readonly string[] {
  const kept = secret.startsWith('{"haftLogin":') ? parseJson(secret) : undefined;
  const login = isRecord(kept) ? kept["login"] : undefined;
  if (!isRecord(login)) return [secret];
  const client = isRecord(login["client"]) ? login["client"]["clientSecret"] : undefined;
  const inside = [login["accessToken"], login["refreshToken"], client];
  return [secret, ...inside.filter((one) => typeof one === "string")];
}
