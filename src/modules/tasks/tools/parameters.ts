import { z } from "zod";
import { taskStates } from "../store/states.ts";
import { taskTypes, verifications } from "../store/tasks.ts";

export const taskId: z.ZodString = z.string().min(1).max(100).describe("The task's id, such as brave-fox");

export const projectId: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("The project. By default the active one.");

export const title: z.ZodString = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe("What is to be done, in one line");

export const longText: z.ZodString = z.string().min(1).max(50_000);

export const priority: z.ZodInt = z.int().min(0).max(1_000_000);

export const taskType: z.ZodEnum<{ [Type in (typeof taskTypes)[number]]: Type }> = z.enum(taskTypes);

export const verification: z.ZodEnum<{ [Way in (typeof verifications)[number]]: Way }> =
  z.enum(verifications);

export const taskState: z.ZodEnum<{ [State in (typeof taskStates)[number]]: State }> = z.enum(taskStates);

export const maxRetries: z.ZodInt = z.int().min(0).max(100).describe("How often a failure is tried again");

export const named: z.ZodString = z.string().min(1).max(200);

export const cursor: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(1000)
  .optional()
  .describe("next_cursor of the page before");

/** Annotations of tools that only read tasks. */
export const reading = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

/** Annotations of tools that change tasks. */
export const changing = { destructive: false, openWorld: false } as const;
