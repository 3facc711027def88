export { findReflection, type Reflection } from "./find-reflection.ts";
export { type ReflectServices, reflectJobs } from "./reflect-jobs.ts";
