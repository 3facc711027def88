// Bundled when haft is built: as installed, the package brings ten others.
export { parseHTML } from "linkedom";
