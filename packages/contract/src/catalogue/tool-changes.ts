import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { line } from '../manifest/manifest-basics.ts';

/**
 * How a tool differs from what was trusted at deployment: `text` in title or description only; `argument` has an optional
 * argument more and nothing else; `definition` in schemas, annotations, execution, icons or the page of an MCP App; `new`
 * did not exist.
 */
export const toolChangeKindSchema = z.enum(['text', 'argument', 'definition', 'new']);
export type ToolChangeKind = z.infer<typeof toolChangeKindSchema>;

/**
 * pending: the tool is hidden until an administrator decides. accepted: accepted by the policy, with an audit row.
 * withdrawn: the server returned to what is trusted, or a new version was deployed.
 */
export const toolChangeStatusSchema = z.enum(['pending', 'accepted', 'approved', 'rejected', 'withdrawn']);
export type ToolChangeStatus = z.infer<typeof toolChangeStatusSchema>;

const definition = z.record(z.string(), z.unknown());

export const toolChangeSchema = z.object({
  id: z.int(),
  serverId: z.string(),
  tool: z.string(),
  kind: toolChangeKindSchema,
  status: toolChangeStatusSchema,
  /** The trusted definition; null for a new tool. */
  before: definition.nullable(),
  after: definition,
  foundAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().nullable(),
  /** User id of the administrator; null when a rule decided. */
  decidedBy: z.string().nullable(),
  reason: z.string().nullable(),
});
export type ToolChange = z.infer<typeof toolChangeSchema>;

const maxChanges = 500;

export const listToolChanges = endpoint({
  id: 'listToolChanges',
  method: 'GET',
  path: '/admin/tool-changes',
  summary: `How tools changed since they were trusted, newest first, at most ${maxChanges}`,
  access: 'admin',
  query: z.object({ status: toolChangeStatusSchema.optional(), serverId: z.string().max(63).optional() }),
  answer: z.object({ success: z.literal(true), changes: z.array(toolChangeSchema).max(maxChanges) }),
  errors: ['admin_required', 'unauthenticated', 'authentication_required'],
});

const decision = {
  method: 'POST',
  access: 'admin',
  params: z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
  body: z.object({ reason: line(500) }),
  answer: z.object({ success: z.literal(true), change: toolChangeSchema }),
  errors: ['not_found', 'change_decided', 'admin_required', 'unauthenticated', 'authentication_required'],
} as const;

export const approveToolChange = endpoint({
  ...decision,
  id: 'approveToolChange',
  path: '/admin/tool-changes/:id/approve',
  summary:
    'Trusts the changed tool from now on: it is shown and can be called again. Also of a tool that was kept hidden, while its server offers it as it was then',
});

export const rejectToolChange = endpoint({
  ...decision,
  id: 'rejectToolChange',
  path: '/admin/tool-changes/:id/reject',
  summary: 'Keeps the tool hidden until its server offers it as trusted again, or it is approved after all',
});

export const toolChangeEndpoints = [listToolChanges, approveToolChange, rejectToolChange] as const;
