import { z } from 'zod';
import { adminErrors } from './users.ts';
import { connectionCheckSchema } from '../diagnostics.ts';
import { endpoint } from '../endpoint.ts';

const isoTime = z.iso.datetime();

/** A variable of the configuration, and what is in force. Never a secret, nor a part of one. */
export const settingSchema = z.object({
  name: z.string(),
  /** null: not set. Of a secret: null, too. */
  value: z.string().nullable(),
  isSecret: z.boolean(),
  /** environment: of the process. env-file: --env-file. secret-file: {name}_FILE, or the file of the master key. */
  origin: z.enum(['environment', 'env-file', 'secret-file', 'default']),
  /** The path of the file that it comes from. */
  file: z.string().nullable(),
});
export type Setting = z.infer<typeof settingSchema>;

const brokerSchema = z.object({
  id: z.string(),
  /** The broker that answers. */
  isThis: z.boolean(),
  /** gone: it gave no sign for so long that its share of the work went to others. */
  state: z.enum(['alive', 'gone']),
  seenAt: isoTime,
  /** null of a broker of an earlier version, which does not say. */
  version: z.string().nullable(),
  since: isoTime.nullable(),
  /** MCP calls a second, of the last 10 seconds. */
  callsPerSecond: z.number().nullable(),
  /** How long ago it heard the database last; null: it has not yet. */
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
  /** What someone should do something about, the most urgent first. */
  warnings: z.array(z.object({ id: z.string(), text: z.string() })),
  /** The one that answers, then the others. */
  brokers: z.array(brokerSchema),
  jobs: z.array(jobSchema),
  payments: z.object({
    kind: z.enum(['stripe', 'sandbox', 'off']),
    /** null: nothing is sold. Whether the provider has the address, the checks find out. */
    webhook: z
      .object({
        address: z.string(),
        lastEventAt: isoTime.nullable(),
        /** From the arrival of the last handled event to the end of its work. */
        lastDelayMs: z.number().nullable(),
        waiting: z.int(),
        /** Of those that wait: their last attempt failed. */
        failing: z.int(),
      })
      .nullable(),
  }),
  /** Accounts whose figures do not fit together; null: not checked yet. */
  ledger: z.object({ checkedAt: isoTime.nullable(), differences: z.int().nullable() }),
  disk: z.object({ folder: z.string(), freeBytes: z.number().nullable() }),
  /** The backups that the shop writes by itself; null: BACKUP_DIR is not set. */
  backup: z
    .object({
      folder: z.string(),
      everySeconds: z.int(),
      keep: z.int(),
      last: z.object({ file: z.string(), bytes: z.number(), at: isoTime }).nullable(),
      nextAt: isoTime.nullable(),
      /** The last try that failed, whether or not one has succeeded since. */
      failure: z.object({ at: isoTime, message: z.string() }).nullable(),
    })
    .nullable(),
  /** E-mails to people, and alerts to the operator. */
  notices: z.object({
    delivery: z.enum(['mail', 'demo', 'off']),
    hasAlertWebhook: z.boolean(),
    waiting: z.int(),
    /** Of those that wait: their last attempt failed. */
    failing: z.int(),
    /** In the last seven days. */
    givenUp: z.int(),
    /** What the mail server, or the receiver of alerts, said last. */
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
    'How this installation is: version, database, brokers, jobs, payments, ledger, and the configuration in force without its secrets',
  access: 'admin',
  weight: 10,
  answer: z.object({ success: z.literal(true), system: systemSchema }),
  errors: adminErrors,
});

/** What is not done by then is told as skipped. */
export const longestSystemChecksMs = 45_000;

export const runSystemChecks = endpoint({
  id: 'runSystemChecks',
  method: 'POST',
  path: '/admin/system/checks',
  summary:
    'Checks the configuration, and what connects here, as souk check-config and souk doctor do; takes 45 s at most',
  access: 'admin',
  weight: 50,
  answer: z.object({ success: z.literal(true), ranAt: isoTime, checks: z.array(connectionCheckSchema) }),
  errors: ['unavailable', ...adminErrors],
});

export const adminSystemEndpoints = [getSystem, runSystemChecks] as const;
