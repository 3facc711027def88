/** The Content-Security-Policy of all answers, without exceptions. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Browser features that are switched off for the console's page. */
const permissionsPolicy = [
  "camera",
  "display-capture",
  "geolocation",
  "hid",
  "microphone",
  "midi",
  "payment",
  "publickey-credentials-get",
  "serial",
  "usb",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

/** Headers of every answer of the console. An answer is cached only if it replaces `cache-control`. */
export const consoleHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": contentPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": permissionsPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
