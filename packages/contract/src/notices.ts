import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** E-mails to users. Mandatory ones (`isDuty`) concern money or who may act for the user, and cannot be disabled. */
export const personNotices = {
  payment_failed: { name: 'A payment failed', isDuty: true },
  payment_refunded: { name: 'A payment was refunded', isDuty: true },
  price_changes: { name: 'The price of your plan changes', isDuty: true },
  service_undeployed: { name: 'A service that you rent is no longer offered', isDuty: true },
  app_connected: { name: 'A new app is connected to your account', isDuty: true },
  account_deleted: { name: 'Your account is deleted', isDuty: true },
  access_ends: { name: 'A plan, rental or trial ends soon', isDuty: false },
  credits_low: { name: 'Your purchased credits, or those of your plan, run low', isDuty: false },
  token_expires: { name: 'An access token expires soon', isDuty: false },
} as const satisfies Record<string, { name: string; isDuty: boolean }>;
export type PersonNotice = keyof typeof personNotices;

/** Kinds of notices in the outbox. */
export type NoticeKind = PersonNotice;

export const isPersonNotice = (kind: string): kind is PersonNotice => Object.hasOwn(personNotices, kind);

export const noticeKinds = Object.keys(personNotices).filter(isPersonNotice);
const kindSchema = z.enum(noticeKinds);

const ofUser = z.object({ userId: z.string() });
const noticesAnswer = z.object({
  success: z.literal(true),
  /** mail: sent. demo: shown on a page. off: the shop sends no e-mails. */
  delivery: z.enum(['mail', 'demo', 'off']),
  notices: z.array(z.object({ kind: kindSchema, name: z.string(), isOn: z.boolean(), isDuty: z.boolean() })),
});
export type NoticesAnswer = z.infer<typeof noticesAnswer>;

export const getNotices = endpoint({
  id: 'getNotices',
  method: 'GET',
  path: '/api/users/:userId/notices',
  summary: 'Lists the kinds of e-mails to the caller, and which are enabled',
  access: 'user',
  params: ofUser,
  answer: noticesAnswer,
  errors: ['authentication_required', 'unauthenticated', 'not_found'],
});

export const setNotice = endpoint({
  id: 'setNotice',
  method: 'PUT',
  path: '/api/users/:userId/notices/:kind',
  summary:
    'Enables or disables one kind of e-mail to the caller; those about money or account safety cannot be disabled',
  access: 'account',
  params: ofUser.extend({ kind: kindSchema }),
  body: z.object({ isOn: z.boolean() }),
  answer: noticesAnswer,
  errors: ['authentication_required', 'unauthenticated', 'not_found', 'invalid_request'],
});

export const noticeEndpoints = [getNotices, setNotice] as const;
