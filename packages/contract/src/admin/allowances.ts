import { z } from 'zod';
import { adminErrors } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { lineOrNone } from '../manifest/manifest-basics.ts';

// What administrators let in beside the operator's lists, where ADMIN_MAY_ALLOW says that they may.

const isoTime = z.iso.datetime();
const entryText = z.string().trim().min(1, 'must not be empty').max(300, 'must be at most 300 characters');
const note = lineOrNone(200).default('');

const added = z.object({
  at: isoTime,
  /** null: the operator, by a command, or somebody whose account is deleted. */
  by: z.string().nullable(),
});

export const allowedAddressSchema = z.object({
  /** host:port or a network with a port, in one spelling. */
  entry: z.string(),
  /** The addresses that a name had when it was added: it opens no others. Empty for an address or a network. */
  addresses: z.array(z.string()).max(16),
  note: z.string(),
  added,
  /** Deployed servers that it is for. */
  servers: z.array(z.string()).max(100),
});
export type AllowedAddress = z.infer<typeof allowedAddressSchema>;

/** A value of one line: it is handed over as it is, and meets no shell. */
const value = z
  .string()
  .max(512, 'must be at most 512 characters')
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*$/u, 'must be one line without control characters');
const variableName = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9]{0,31}(?:_[A-Z0-9]{1,32}){0,8}$/,
    'must be a name of capitals, digits and single _, such as API_TOKEN',
  );

/** A program of the npm registry, in parts that are each a value: there is no command line. */
export const allowedPackageFormSchema = z.strictObject({
  alias: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'must be small letters, digits and -, at most 63: manifests name it as their command',
    ),
  package: z
    .string()
    .regex(
      /^(?:@[a-z0-9][a-z0-9._-]{0,99}\/)?[a-z0-9][a-z0-9._-]{0,99}@\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,99})?$/,
      'must be a package at an exact version, such as @scope/name@1.2.3: no range, no tag and no address',
    ),
  /** Which command of the package, when it has several. */
  bin: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the name of a command of the package')
    .optional(),
  args: z.array(value.min(1, 'must not be empty')).max(32).default([]),
  env: z.record(variableName, value).default({}),
  secrets: z.array(variableName).max(16).default([]),
  /** none, or public addresses alone. */
  network: z.enum(['none', 'public']),
});
export type AllowedPackageForm = z.infer<typeof allowedPackageFormSchema>;

export const allowedPackageSchema = z.object({
  form: allowedPackageFormSchema,
  /** Its hash at the registry when it was allowed. */
  integrity: z.string(),
  added,
  /** Deployed servers that start it. */
  servers: z.array(z.string()).max(100),
  /** The operator's list has a program of this alias: that one is started. */
  isShadowed: z.boolean(),
});
export type AllowedPackage = z.infer<typeof allowedPackageSchema>;

const allowances = z.object({
  success: z.literal(true),
  addresses: z.object({
    /** The operator lets administrators add some: ADMIN_MAY_ALLOW has "addresses". What was added before counts only then. */
    mayAdd: z.boolean(),
    /** UPSTREAM_ALLOW_ADDRESSES. */
    ofOperator: z.array(z.string()),
    added: z.array(allowedAddressSchema).max(100),
  }),
  packages: z.object({
    /** ADMIN_MAY_ALLOW has "packages", and STDIO is allowlist. What was added before counts only then. */
    mayAdd: z.boolean(),
    /** STDIO=allowlist: this installation starts programs at all. */
    startsPrograms: z.boolean(),
    added: z.array(allowedPackageSchema).max(64),
  }),
});
export type AllowanceList = z.infer<typeof allowances>;

export const listAllowances = endpoint({
  id: 'listAllowances',
  method: 'GET',
  path: '/admin/allowances',
  summary: 'The private addresses that servers may use: those of the operator, and those that administrators added',
  access: 'admin',
  answer: allowances,
  errors: adminErrors,
});

export const addAllowedAddress = endpoint({
  id: 'addAllowedAddress',
  method: 'POST',
  path: '/admin/allowances/addresses',
  summary:
    'Lets servers use an address of a private network: a host and port, or a small network and port; seen by all brokers at once',
  access: 'admin',
  body: z.strictObject({ entry: entryText, note }),
  answer: allowances,
  errors: ['invalid_request', 'operator_decides', 'sign_in_again', ...adminErrors],
});

export const removeAllowedAddress = endpoint({
  id: 'removeAllowedAddress',
  method: 'DELETE',
  path: '/admin/allowances/addresses',
  summary: 'Takes an address off again; connections to it end at once',
  access: 'admin',
  body: z.strictObject({ entry: entryText }),
  answer: allowances,
  errors: ['invalid_request', 'not_found', 'sign_in_again', ...adminErrors],
});

export const previewAllowedPackage = endpoint({
  id: 'previewAllowedPackage',
  method: 'POST',
  path: '/admin/allowances/packages/preview',
  summary: 'Looks a package up in the registry, and says what would be allowed; stores nothing',
  access: 'admin',
  weight: 20,
  body: allowedPackageFormSchema,
  answer: z.object({
    success: z.literal(true),
    integrity: z.string(),
    /** Other packages that are installed with it, each at its version. */
    comesWith: z.array(z.string()).max(200),
    count: z.int(),
    /** Of all of this: the confirmation names it. */
    code: z.string(),
  }),
  errors: ['invalid_request', 'operator_decides', ...adminErrors],
});
export type PackagePreview = z.infer<typeof previewAllowedPackage.answer>;

export const addAllowedPackage = endpoint({
  id: 'addAllowedPackage',
  method: 'POST',
  path: '/admin/allowances/packages',
  summary:
    'Lets manifests start a package of the npm registry, as it was shown, in the sandbox; seen by all brokers at once',
  access: 'admin',
  weight: 20,
  body: z.strictObject({ form: allowedPackageFormSchema, code: z.string().max(64) }),
  answer: allowances,
  errors: ['invalid_request', 'operator_decides', 'changed_since_shown', 'sign_in_again', ...adminErrors],
});

export const removeAllowedPackage = endpoint({
  id: 'removeAllowedPackage',
  method: 'DELETE',
  path: '/admin/allowances/packages',
  summary: 'Takes a package off again; its processes end at once',
  access: 'admin',
  body: z.strictObject({ alias: z.string().max(63) }),
  answer: allowances,
  errors: ['invalid_request', 'not_found', 'sign_in_again', ...adminErrors],
});

export const adminAllowanceEndpoints = [
  listAllowances,
  addAllowedAddress,
  removeAllowedAddress,
  previewAllowedPackage,
  addAllowedPackage,
  removeAllowedPackage,
] as const;
