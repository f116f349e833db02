import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { line } from '../manifest/manifest-basics.ts';

/**
 * Difference from the definition that was trusted at deployment. text: title or description only. argument: one more optional
 * argument and nothing else. definition: schemas, annotations, execution, icons or the page of an MCP App. new: the tool did
 * not exist.
 */
export const toolChangeKindSchema = z.enum(['text', 'argument', 'definition', 'new']);
export type ToolChangeKind = z.infer<typeof toolChangeKindSchema>;

/**
 * pending: hidden until an administrator decides. accepted: by the policy, with an audit row. withdrawn: the server returned
 * to the trusted definition, or a new version was deployed.
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
  /** Trusted definition; null for a new tool. */
  before: definition.nullable(),
  after: definition,
  foundAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().nullable(),
  /** User id of the administrator; null if a rule decided. */
  decidedBy: z.string().nullable(),
  reason: z.string().nullable(),
});
export type ToolChange = z.infer<typeof toolChangeSchema>;

const maxChanges = 500;

export const listToolChanges = endpoint({
  id: 'listToolChanges',
  method: 'GET',
  path: '/admin/tool-changes',
  summary: `Lists how tools changed since they were trusted, newest first, at most ${maxChanges}`,
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
    'Trusts the changed tool: it is shown and can be called again. Also works for a tool kept hidden, as long as its server still offers it in that form',
});

export const rejectToolChange = endpoint({
  ...decision,
  id: 'rejectToolChange',
  path: '/admin/tool-changes/:id/reject',
  summary: 'Keeps the tool hidden until its server offers the trusted definition again or the change is approved',
});

export const toolChangeEndpoints = [listToolChanges, approveToolChange, rejectToolChange] as const;
