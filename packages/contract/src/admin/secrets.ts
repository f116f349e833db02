import { z } from 'zod';
import { adminErrors } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { headerValueSchema } from '../upstreams.ts';

// Secrets that administrators enter for servers. No answer contains a value.

const isoTime = z.iso.datetime();
const ofServer = z.object({ id: z.string().max(63) });

/** header: sent with each request. variable: in the environment of a program. */
export const secretKindSchema = z.enum(['header', 'variable']);
export type SecretKind = z.infer<typeof secretKindSchema>;

const name = z.string().min(1).max(128);
/** Only recipient of the secret: the address in the manifest, or a program. */
const place = z.string().min(1).max(2200);

/** Value of a program's variable: any text, possibly with several lines (a PEM key, JSON). */
const variableValueSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(6000, 'must be at most 6000 characters')
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must not contain NUL or unpaired surrogates');

export const secretValueSchemas = { header: headerValueSchema, variable: variableValueSchema } as const;

const entered = z.object({
  at: isoTime,
  /** null: the operator, through a command, or a deleted account. */
  by: z.string().nullable(),
});

export const neededSecretSchema = z.object({
  kind: secretKindSchema,
  name: z.string(),
  place: z.string(),
  /** Versions of the manifest that need it in this form. */
  versions: z.array(z.string()),
  /**
   * environment: the operator's variable is used, and any entered value is ignored. set: the entered value is used.
   * unreadable: encrypted with another master key. missing: no value for this place.
   */
  state: z.enum(['environment', 'set', 'unreadable', 'missing']),
  /** Operator's variable for the same secret; null if none can supply it (a package allowed in the browser). */
  variable: z.string().nullable(),
  /** Address that the operator's variable is bound to, if it is another one: `place` does not receive the variable. */
  boundTo: z.string().nullable(),
  entered: entered.nullable(),
});
export type NeededSecret = z.infer<typeof neededSecretSchema>;

export const unusedSecretSchema = z.object({ kind: secretKindSchema, name: z.string(), place: z.string(), entered });
export type UnusedSecret = z.infer<typeof unusedSecretSchema>;

const serverSecrets = z.object({
  success: z.literal(true),
  needed: z.array(neededSecretSchema).max(256),
  /** Secrets entered for an address or program that the manifests no longer name. They are sent nowhere. */
  unused: z.array(unusedSecretSchema).max(256),
});
export type ServerSecretList = z.infer<typeof serverSecrets>;

export const listServerSecrets = endpoint({
  id: 'listServerSecrets',
  method: 'GET',
  path: '/admin/servers/:id/secrets',
  summary:
    "Lists the operator's secrets that the deployed and staged manifests need, and which of them are set; never a value",
  access: 'admin',
  params: ofServer,
  answer: serverSecrets,
  errors: ['not_found', ...adminErrors],
});

export const setServerSecret = endpoint({
  id: 'setServerSecret',
  method: 'PUT',
  path: '/admin/servers/:id/secrets',
  summary:
    'Stores a secret, encrypted, for one server at one place, and replaces the previous one. All brokers use it immediately. It is never returned',
  access: 'admin',
  params: ofServer,
  body: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('header'), name, place, value: headerValueSchema }),
    z.strictObject({ kind: z.literal('variable'), name, place, value: variableValueSchema }),
  ]),
  answer: serverSecrets,
  errors: ['invalid_request', 'not_found', 'changed_since_shown', 'sign_in_again', ...adminErrors],
});

export const removeServerSecret = endpoint({
  id: 'removeServerSecret',
  method: 'DELETE',
  path: '/admin/servers/:id/secrets',
  summary: "Deletes a server's secret; its connections and programs end",
  access: 'admin',
  params: ofServer,
  body: z.strictObject({ kind: secretKindSchema, name, place }),
  answer: serverSecrets,
  errors: ['invalid_request', 'not_found', 'sign_in_again', ...adminErrors],
});

export const adminSecretEndpoints = [listServerSecrets, setServerSecret, removeServerSecret] as const;
