import { z } from 'zod';
import { flag, id, parameters } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { closeDispute } from '../money/dispute.ts';
import { enterTimeOf } from '../time/time-of-customer.ts';
import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';
import { findObject, listRoute, readRoute } from './object-routes.ts';

/** Stripe's evidence texts that decide a test dispute. */
const decisive = new Map<string, 'won' | 'lost'>([
  ['winning_evidence', 'won'],
  ['losing_evidence', 'lost'],
]);

export const disputeRoutes = [
  listRoute('dispute', 'disputes', { charge: id.optional(), payment_intent: id.optional() }),
  readRoute('dispute', 'disputes'),
  route(
    'POST',
    'disputes/:id',
    parameters({
      evidence: z.strictObject({ uncategorized_text: z.string().max(20_000) }).optional(),
      submit: flag.default(true),
    }),
    async ({ work, given, id }) => {
      const dispute = await findOpen(work, id);
      const evidence = given.evidence?.uncategorized_text;
      if (evidence === undefined) return dispute.body;
      dispute.body.evidence.uncategorized_text = evidence;
      dispute.body.evidence_details.has_evidence = true;
      work.save(dispute);
      if (given.submit) submit(work, dispute, evidence);
      return dispute.body;
    },
  ),
  route('POST', 'disputes/:id/close', parameters({}), async ({ work, id }) => {
    const dispute = await findOpen(work, id);
    closeDispute(work, dispute, 'lost');
    return dispute.body;
  }),
];

async function findOpen(work: Work, id: string): Promise<Row<'dispute'>> {
  const dispute = await findObject(work, 'dispute', id);
  if (dispute.body.status !== 'needs_response') throw badRequest('This dispute is already closed');
  const charge = await work.need('charge', dispute.body.charge);
  await enterTimeOf(work, charge.body.customer);
  return dispute;
}

function submit(work: Work, dispute: Row<'dispute'>, evidence: string): void {
  dispute.body.evidence_details.submission_count += 1;
  dispute.body.evidence_details.submission_method = 'manual';
  const decision = decisive.get(evidence);
  if (decision) return closeDispute(work, dispute, decision);
  dispute.body.status = 'under_review';
  return emit(work, 'charge.dispute.updated', dispute.body, { status: 'needs_response' });
}
