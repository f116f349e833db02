import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** Pages whose text the operator gives, in the order of their links. */
export const legalPages = ['terms', 'privacy', 'refunds'] as const;
export type LegalPage = (typeof legalPages)[number];

export const legalTitles: Readonly<Record<LegalPage, string>> = {
  terms: 'Terms',
  privacy: 'Privacy',
  refunds: 'Refunds',
};

export const getLegalText = endpoint({
  id: 'getLegalText',
  method: 'GET',
  path: '/api/legal/:page',
  summary: 'The terms, the privacy policy or the refund policy, in Markdown, where the operator gives one',
  access: 'public',
  params: z.object({ page: z.enum(legalPages) }),
  answer: z.object({
    success: z.literal(true),
    page: z.enum(legalPages),
    markdown: z.string(),
    /** It came with the demo, and is an example. */
    isDemo: z.boolean(),
  }),
  errors: ['not_found', 'invalid_request'],
});
