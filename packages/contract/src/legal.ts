import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** Pages with text from the operator, in the order of their links. */
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
  summary: 'Returns the terms, privacy policy or refund policy in Markdown, if the operator supplies one',
  access: 'public',
  params: z.object({ page: z.enum(legalPages) }),
  answer: z.object({
    success: z.literal(true),
    page: z.enum(legalPages),
    markdown: z.string(),
    /** Example text that comes with the demo. */
    isDemo: z.boolean(),
  }),
  errors: ['not_found', 'invalid_request'],
});
