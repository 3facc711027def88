import { generateKeyPairSync, sign } from "node:crypto";

/** A fresh key and a certificate signed by it, for one DNS name, until 2099: TLS is tried without secrets on disk. */
export function createCertificate(name: string): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = der(0x30, oid(1, 2, 840, 10045, 4, 3, 2));
  const commonName = der(0x30, der(0x31, der(0x30, oid(2, 5, 4, 3), der(0x0c, Buffer.from(name)))));
  const validity = der(
    0x30,
    der(0x17, Buffer.from("200101000000Z")),
    der(0x18, Buffer.from("20991231235959Z")),
  );
  const alternativeNames = der(0x30, der(0x82, Buffer.from(name)));
  const extensions = der(
    0xa3,
    der(
      0x30,
      der(0x30, oid(2, 5, 29, 17), der(0x04, alternativeNames)),
      der(
        0x30,
        oid(2, 5, 29, 19),
        der(0x01, Buffer.from([0xff])),
        der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))),
      ),
    ),
  );
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    commonName,
    validity,
    commonName,
    publicKey.export({ type: "spki", format: "der" }),
    extensions,
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]);
  const certificate = der(0x30, body, ecdsaWithSha256, der(0x03, signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: toPem(certificate),
  };
}

function toPem(certificate: Buffer): string {
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const bytes = [first * 40 + second];
  for (const number of rest) {
    const groups = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}
