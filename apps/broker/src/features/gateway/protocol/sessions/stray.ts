import type { RequestId } from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';

const kinds = ['answer', 'cancellation', 'notice'] as const;

/**
 * The process that a message of a session is meant for: the one that asked the client this question, that runs this call, or
 * that has the session's own stream open.
 */
export type Addressee = { kind: (typeof kinds)[number]; target: RequestId | undefined };
export type Stray = Addressee & { message: unknown };
export type Waiting = Addressee & { id: string; session: string };

/** The addressee of a client's message that ends something open: an answer or a cancellation. */
export function addresseeOf(message: unknown): Addressee | undefined {
  const cancelled = cancelledId(message);
  if (cancelled !== undefined) return { kind: 'cancellation', target: cancelled };
  const { method, id, result, error } = asRecord(message) ?? {};
  if (method !== undefined || (result === undefined && error === undefined)) return undefined;
  return typeof id === 'string' || typeof id === 'number' ? { kind: 'answer', target: id } : undefined;
}

export function cancelledId(message: unknown): RequestId | undefined {
  const { method, params } = asRecord(message) ?? {};
  if (method !== 'notifications/cancelled') return undefined;
  const id = asRecord(params)?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

export function readWaiting(session: string, message: unknown): Waiting | undefined {
  const { id, kind, target } = asRecord(message) ?? {};
  const addressee = readAddressee(kind, target);
  return typeof id === 'string' && addressee ? { ...addressee, id, session } : undefined;
}

export function readAddressee(kind: unknown, target: unknown): Addressee | undefined {
  const known = kinds.find((one) => one === kind);
  if (!known) return undefined;
  return { kind: known, target: typeof target === 'string' || typeof target === 'number' ? target : undefined };
}
