// Writes src/app/catalogue.json: what of each tool we ship is known without its code. A test holds the two together.
import { writeFileSync } from "node:fs";
import { readCatalogue } from "../test/support/catalogue.ts";

writeFileSync("src/app/catalogue.json", `${JSON.stringify(await readCatalogue(), undefined, 2)}\n`);
