import { resolve } from 'node:path';
import * as z from 'zod';

const environmentSchema = z.object({
  DATA_DIR: z.string({ error: 'must name the folder that this service keeps its data in' }).min(1),
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  SOUK_SERVICE_SECRET: z
    .string()
    .trim()
    .transform((value) => (value === '' ? undefined : value))
    .optional(),
});

export type ServiceEnvironment = {
  /** Absolute path. */
  dataDir: string;
  /** 0: any free port. */
  port: number;
  /** Secret that the gateway must send; undefined if the service was started by hand. */
  secret: string | undefined;
};

/** Invalid environment, with all problems in one message. */
export class EnvironmentError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'EnvironmentError';
  }
}

/**
 * Reads DATA_DIR (required), PORT and SOUK_SERVICE_SECRET.
 * @throws EnvironmentError with all problems at once.
 */
export function readServiceEnvironment(environment: NodeJS.ProcessEnv): ServiceEnvironment {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) {
    throw new EnvironmentError(parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`));
  }
  return {
    dataDir: resolve(parsed.data.DATA_DIR),
    port: parsed.data.PORT,
    secret: parsed.data.SOUK_SERVICE_SECRET,
  };
}
