import { z } from 'zod';
import { adminErrors } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { lineOrNone } from '../manifest/manifest-basics.ts';

// Addresses and packages that administrators allow in addition to the operator's lists, if ADMIN_MAY_ALLOW permits it.

const isoTime = z.iso.datetime();
const entryText = z.string().trim().min(1, 'must not be empty').max(300, 'must be at most 300 characters');
const note = lineOrNone(200).default('');

const added = z.object({
  at: isoTime,
  /** null: the operator, through a command, or a deleted account. */
  by: z.string().nullable(),
});

export const allowedAddressSchema = z.object({
  /** Normalized host and port, or network and port. */
  entry: z.string(),
  /** Addresses that the host name resolved to when it was added; no others are allowed. Empty for an address or a network. */
  addresses: z.array(z.string()).max(16),
  note: z.string(),
  added,
  /** Deployed servers that use it. */
  servers: z.array(z.string()).max(100),
});
export type AllowedAddress = z.infer<typeof allowedAddressSchema>;

/** One line, passed to the program unchanged and without a shell. */
const value = z
  .string()
  .max(512, 'must be at most 512 characters')
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*$/u, 'must be one line without control characters');
const variableName = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9]{0,31}(?:_[A-Z0-9]{1,32}){0,8}$/,
    'must be uppercase letters, digits and single underscores, such as API_TOKEN',
  );

/** A program from the npm registry, described by separate values instead of a command line. */
export const allowedPackageFormSchema = z.strictObject({
  alias: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'must be 1 to 63 lowercase letters, digits and hyphens: manifests use it as their command',
    ),
  package: z
    .string()
    .regex(
      /^(?:@[a-z0-9][a-z0-9._-]{0,99}\/)?[a-z0-9][a-z0-9._-]{0,99}@\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,99})?$/,
      'must be a package at an exact version, such as @scope/name@1.2.3: no range, no tag and no address',
    ),
  /** Command of the package, if it has several. */
  bin: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the name of a command of the package')
    .optional(),
  args: z.array(value.min(1, 'must not be empty')).max(32).default([]),
  env: z.record(variableName, value).default({}),
  secrets: z.array(variableName).max(16).default([]),
  /** public: public addresses only. */
  network: z.enum(['none', 'public']),
});
export type AllowedPackageForm = z.infer<typeof allowedPackageFormSchema>;

export const allowedPackageSchema = z.object({
  form: allowedPackageFormSchema,
  /** Hash in the registry when the package was allowed. */
  integrity: z.string(),
  added,
  /** Deployed servers that start it. */
  servers: z.array(z.string()).max(100),
  /** The operator's list has a program with the same alias, which is started instead. */
  isShadowed: z.boolean(),
});
export type AllowedPackage = z.infer<typeof allowedPackageSchema>;

const allowances = z.object({
  success: z.literal(true),
  addresses: z.object({
    /** ADMIN_MAY_ALLOW contains "addresses". Otherwise the addresses added earlier have no effect. */
    mayAdd: z.boolean(),
    /** UPSTREAM_ALLOW_ADDRESSES. */
    ofOperator: z.array(z.string()),
    added: z.array(allowedAddressSchema).max(100),
  }),
  packages: z.object({
    /** ADMIN_MAY_ALLOW contains "packages", and STDIO=allowlist. Otherwise the packages added earlier have no effect. */
    mayAdd: z.boolean(),
    /** STDIO=allowlist: this installation can start programs. */
    startsPrograms: z.boolean(),
    added: z.array(allowedPackageSchema).max(64),
  }),
});
export type AllowanceList = z.infer<typeof allowances>;

export const listAllowances = endpoint({
  id: 'listAllowances',
  method: 'GET',
  path: '/admin/allowances',
  summary:
    'Lists the private addresses and the npm packages that servers may use, as allowed by the operator and by administrators',
  access: 'admin',
  answer: allowances,
  errors: adminErrors,
});

export const addAllowedAddress = endpoint({
  id: 'addAllowedAddress',
  method: 'POST',
  path: '/admin/allowances/addresses',
  summary:
    'Allows servers to use an address in a private network (a host and port, or a small network and port); effective on all brokers immediately',
  access: 'admin',
  body: z.strictObject({ entry: entryText, note }),
  answer: allowances,
  errors: ['invalid_request', 'operator_decides', 'sign_in_again', ...adminErrors],
});

export const removeAllowedAddress = endpoint({
  id: 'removeAllowedAddress',
  method: 'DELETE',
  path: '/admin/allowances/addresses',
  summary: 'Removes an allowed address; connections to it end immediately',
  access: 'admin',
  body: z.strictObject({ entry: entryText }),
  answer: allowances,
  errors: ['invalid_request', 'not_found', 'sign_in_again', ...adminErrors],
});

export const previewAllowedPackage = endpoint({
  id: 'previewAllowedPackage',
  method: 'POST',
  path: '/admin/allowances/packages/preview',
  summary: 'Looks up a package in the npm registry and returns what would be allowed; stores nothing',
  access: 'admin',
  weight: 20,
  body: allowedPackageFormSchema,
  answer: z.object({
    success: z.literal(true),
    integrity: z.string(),
    /** Packages that are installed along with it, each with its version. */
    comesWith: z.array(z.string()).max(200),
    count: z.int(),
    /** Checksum of the preview, to be sent with the confirmation. */
    code: z.string(),
  }),
  errors: ['invalid_request', 'operator_decides', ...adminErrors],
});
export type PackagePreview = z.infer<typeof previewAllowedPackage.answer>;

export const addAllowedPackage = endpoint({
  id: 'addAllowedPackage',
  method: 'POST',
  path: '/admin/allowances/packages',
  summary: 'Allows manifests to start a previewed npm package in the sandbox; effective on all brokers immediately',
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
  summary: 'Removes an allowed package; its processes end immediately',
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
