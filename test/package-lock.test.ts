import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface LockEntry {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Readonly<Record<string, LockEntry>>;
};

test("package-lock.json has the packages of every platform, without which `npm ci` refuses it", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined &&
        packages[`${path}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

test("package-lock.json names no address that packages were loaded from", () => {
  expect(readFileSync("package-lock.json", "utf8")).not.toMatch(/"resolved": "http/);
});
