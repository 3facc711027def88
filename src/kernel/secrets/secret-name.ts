const form = /^\$\{secret:([A-Za-z_][A-Za-z0-9_.-]{0,127})\}$/;

/** The name in a setting that is written `${secret:NAME}`; undefined for any other. */
export function readSecretName(setting: string | undefined): string | undefined {
  return form.exec(setting ?? "")?.[1];
}
