import { z } from 'zod';
import { adminErrors } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { headerValueSchema } from '../upstreams.ts';

// The secrets that administrators enter for servers of their own. No answer has a value.

const isoTime = z.iso.datetime();
const ofServer = z.object({ id: z.string().max(63) });

/** header: sent with each request. variable: in the environment of a program. */
export const secretKindSchema = z.enum(['header', 'variable']);
export type SecretKind = z.infer<typeof secretKindSchema>;

const name = z.string().min(1).max(128);
/** What alone gets the secret: the address that the manifest names, or a program. */
const place = z.string().min(1).max(2200);

/** A variable of a program: any text, also of several lines (a key in PEM, JSON). */
const variableValueSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(6000, 'must be at most 6000 characters')
  .refine(
    (text) => !text.includes('\0') && text.isWellFormed(),
    'must not contain the character NUL, or half characters',
  );

/** What a value may be. */
export const secretValueSchemas = { header: headerValueSchema, variable: variableValueSchema } as const;

/** Who entered a secret, and when. */
const entered = z.object({
  at: isoTime,
  /** null: the operator, by a command, or somebody whose account is deleted. */
  by: z.string().nullable(),
});

export const neededSecretSchema = z.object({
  kind: secretKindSchema,
  name: z.string(),
  place: z.string(),
  /** The versions of the manifest that need it so. */
  versions: z.array(z.string()),
  /**
   * environment: the operator's variable counts, and nothing that was entered here. set: what was entered is used.
   * unreadable: it was sealed under another master key. missing: there is none for this place
   */
  state: z.enum(['environment', 'set', 'unreadable', 'missing']),
  /** The operator's variable of the same meaning; null where none can give it (a package that was allowed in the browser). */
  variable: z.string().nullable(),
  /** The address that gets the operator's variable, where it is another one: the variable is not sent to `place`. */
  boundTo: z.string().nullable(),
  entered: entered.nullable(),
});
export type NeededSecret = z.infer<typeof neededSecretSchema>;

export const unusedSecretSchema = z.object({ kind: secretKindSchema, name: z.string(), place: z.string(), entered });
export type UnusedSecret = z.infer<typeof unusedSecretSchema>;

const serverSecrets = z.object({
  success: z.literal(true),
  needed: z.array(neededSecretSchema).max(256),
  /** What was entered for another address or program than the manifests name now. It is sent nowhere. */
  unused: z.array(unusedSecretSchema).max(256),
});
export type ServerSecretList = z.infer<typeof serverSecrets>;

export const listServerSecrets = endpoint({
  id: 'listServerSecrets',
  method: 'GET',
  path: '/admin/servers/:id/secrets',
  summary: 'Which secrets of the operator the deployed and the staged manifest need, and which are set; never a value',
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
    'Stores a secret for one server at one place, encrypted, in the place of the one before. All brokers use it at once. It is never answered',
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
  summary: 'Deletes a secret that was entered for a server; its connections and programs end',
  access: 'admin',
  params: ofServer,
  body: z.strictObject({ kind: secretKindSchema, name, place }),
  answer: serverSecrets,
  errors: ['invalid_request', 'not_found', 'sign_in_again', ...adminErrors],
});

export const adminSecretEndpoints = [listServerSecrets, setServerSecret, removeServerSecret] as const;
