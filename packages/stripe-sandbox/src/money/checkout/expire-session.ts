import { emit } from '../../webhooks/emit-event.ts';
import type { Row, Work } from '../../work.ts';

/** Expires a session, which can then no longer be paid. */
export function expireSession(work: Work, session: Row<'checkout.session'>): void {
  session.body.status = 'expired';
  session.body.url = null;
  session.memory.waiting = null;
  session.dueMs = null;
  work.save(session);
  emit(work, 'checkout.session.expired', session.body);
}
