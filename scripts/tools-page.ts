// Writes the tables of docs/reference/tools.md from src/app/catalogue.json; what stands above them is written by hand.
import { readFileSync, writeFileSync } from "node:fs";
import { renderToolsPage } from "../test/support/tools-page.ts";

const file = "docs/reference/tools.md";
writeFileSync(file, renderToolsPage(readFileSync(file, "utf8")));
