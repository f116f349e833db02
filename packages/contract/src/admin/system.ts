import { z } from 'zod';
import { adminErrors } from './users.ts';
import { connectionCheckSchema } from '../diagnostics.ts';
import { endpoint } from '../endpoint.ts';

const isoTime = z.iso.datetime();

/** A configuration variable with its effective value. Never contains a secret or a part of one. */
export const settingSchema = z.object({
  name: z.string(),
  /** null: not set, or a secret. */
  value: z.string().nullable(),
  isSecret: z.boolean(),
  /** environment: the process environment. env-file: --env-file. secret-file: {name}_FILE, or the master key file. */
  origin: z.enum(['environment', 'env-file', 'secret-file', 'default']),
  /** Path of the source file. */
  file: z.string().nullable(),
});
export type Setting = z.infer<typeof settingSchema>;

const brokerSchema = z.object({
  id: z.string(),
  /** Whether this broker responds to the request. */
  isThis: z.boolean(),
  /** gone: considered dead, because its heartbeat stopped; other brokers took over its work. */
  state: z.enum(['alive', 'gone']),
  seenAt: isoTime,
  /** null: a broker of an earlier version, which does not report it. */
  version: z.string().nullable(),
  since: isoTime.nullable(),
  /** MCP calls per second over the last 10 seconds. */
  callsPerSecond: z.number().nullable(),
  /** Time since it last heard from the database; null: not yet. */
  lagMs: z.number().nullable(),
});

const jobSchema = z.object({
  name: z.string(),
  everySeconds: z.int(),
  lastRunAt: isoTime.nullable(),
  nextRunAt: isoTime.nullable(),
  isRunning: z.boolean(),
  lastFailure: z.object({ at: isoTime, message: z.string() }).nullable(),
});

export const systemSchema = z.object({
  version: z.string(),
  node: z.string(),
  startedAt: isoTime,
  publicUrl: z.string(),
  database: z.object({
    kind: z.enum(['embedded', 'postgresql']),
    version: z.string(),
    sizeBytes: z.number(),
    migrations: z.object({ applied: z.int(), waiting: z.array(z.string()) }),
  }),
  /** Problems that require action, most urgent first. */
  warnings: z.array(z.object({ id: z.string(), text: z.string() })),
  /** Responding broker first. */
  brokers: z.array(brokerSchema),
  jobs: z.array(jobSchema),
  payments: z.object({
    kind: z.enum(['stripe', 'sandbox', 'off']),
    /** null: nothing is sold. The checks verify that the provider has this address. */
    webhook: z
      .object({
        address: z.string(),
        lastEventAt: isoTime.nullable(),
        /** Time from receiving the last processed event to completing it. */
        lastDelayMs: z.number().nullable(),
        waiting: z.int(),
        /** Waiting events whose last attempt failed. */
        failing: z.int(),
      })
      .nullable(),
  }),
  /** Accounts whose figures do not add up; null: not checked yet. */
  ledger: z.object({ checkedAt: isoTime.nullable(), differences: z.int().nullable() }),
  disk: z.object({ folder: z.string(), freeBytes: z.number().nullable() }),
  /** Scheduled backups; null: BACKUP_DIR is not set. */
  backup: z
    .object({
      folder: z.string(),
      everySeconds: z.int(),
      keep: z.int(),
      last: z.object({ file: z.string(), bytes: z.number(), at: isoTime }).nullable(),
      nextAt: isoTime.nullable(),
      /** Last failed attempt, even if a later one succeeded. */
      failure: z.object({ at: isoTime, message: z.string() }).nullable(),
    })
    .nullable(),
  /** E-mails to users, and alerts to the operator. */
  notices: z.object({
    delivery: z.enum(['mail', 'demo', 'off']),
    hasAlertWebhook: z.boolean(),
    waiting: z.int(),
    /** Waiting notices whose last attempt failed. */
    failing: z.int(),
    /** In the last seven days. */
    givenUp: z.int(),
    /** Last error of the mail server or the alert receiver. */
    lastError: z.string().nullable(),
  }),
  settings: z.array(settingSchema),
});
export type System = z.infer<typeof systemSchema>;

export const getSystem = endpoint({
  id: 'getSystem',
  method: 'GET',
  path: '/admin/system',
  summary:
    'Returns the state of this installation: version, database, brokers, jobs, payments, ledger, and the effective configuration without secrets',
  access: 'admin',
  weight: 10,
  answer: z.object({ success: z.literal(true), system: systemSchema }),
  errors: adminErrors,
});

/** Time after which unfinished checks are reported as skipped. */
export const longestSystemChecksMs = 45_000;

export const runSystemChecks = endpoint({
  id: 'runSystemChecks',
  method: 'POST',
  path: '/admin/system/checks',
  summary:
    'Checks the configuration and all outgoing connections, like souk check-config and souk doctor; takes at most 45 s',
  access: 'admin',
  weight: 50,
  answer: z.object({ success: z.literal(true), ranAt: isoTime, checks: z.array(connectionCheckSchema) }),
  errors: ['unavailable', ...adminErrors],
});

export const adminSystemEndpoints = [getSystem, runSystemChecks] as const;
