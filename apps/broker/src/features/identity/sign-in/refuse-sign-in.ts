import { errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { sendPage } from '#platform/http/page.ts';
import { renderMessagePage } from '../pages/message-page.ts';

export type SignInRefusal = { code: ErrorCode; text?: string; retryAfterSeconds?: number };

/**
 * Ends a sign-in that cannot go on: with a page for a person, who came here by a link or a form, and with the error of
 * every other call for a program.
 * @throws SoukError where no page is wanted
 */
export function refuseSignIn(brandName: string, request: FastifyRequest, reply: FastifyReply, refusal: SignInRefusal) {
  const { status, message } = errorCatalogue[refusal.code];
  const text = refusal.text ?? message ?? 'The request could not be completed.';
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds));
  if (!request.headers.accept?.includes('text/html')) {
    throw new SoukError(refusal.code, refusal.text === undefined ? {} : { message: refusal.text });
  }
  const missing = refusal.code === 'not_implemented';
  const title = missing ? 'Not available yet' : 'Sign-in did not work';
  const again = missing ? 'Other ways to sign in' : 'Sign in again';
  return sendPage(reply, status, renderMessagePage({ brandName, title, text, again }));
}
