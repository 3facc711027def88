export { type App, type AppOptions, createApp } from "./create-app.ts";
export {
  type HaftConfig,
  parseConfig,
  type Profile,
  type WebReadConfig,
  type WebSearchConfig,
} from "./config.ts";
export { configSchema } from "./config-schema.ts";
export { ConfigError, type ConfigErrorCode, configErrorCodes } from "./errors.ts";
export { Home } from "./home.ts";
export { configFileName, type LoadedConfig } from "./load-config.ts";
