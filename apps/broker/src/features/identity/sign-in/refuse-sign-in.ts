import { errorCatalogue, type ErrorCode } from '@souk/contract/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { renderError, retryAfterSeconds } from '#platform/http/answers/error-body.ts';
import { sendPage } from '#platform/http/answers/page.ts';
import { renderMessagePage, signInAgain, tryAgain, unavailableWords } from '../pages/message-page.ts';

export function unreachableText(name: string): string {
  return `${name} cannot be reached right now. Please try again in a moment.`;
}

export type SignInRefusal = { code: ErrorCode; text?: string; retryAfterSeconds?: number };

/** Ends a sign-in with a page for a browser, and with the usual error for a program. @throws SoukError for a program */
export function refuseSignIn(brandName: string, request: FastifyRequest, reply: FastifyReply, refusal: SignInRefusal) {
  const { status, message } = errorCatalogue[refusal.code];
  const text = refusal.text ?? message ?? 'The request could not be completed.';
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds));
  if (!wantsPage(request)) {
    throw new SoukError(refusal.code, refusal.text === undefined ? {} : { message: refusal.text });
  }
  const title = refusal.code === 'not_implemented' ? 'Not available yet' : 'Sign-in did not work';
  const isMissing = refusal.code === 'not_implemented' || refusal.code === 'not_found';
  const next = isMissing ? { ...signInAgain, label: 'Other ways to sign in' } : signInAgain;
  return sendPage(reply, status, renderMessagePage({ brandName, title, text, next }));
}

/**
 * Creates the error handler of addresses that users open by a link or a form: a page for a browser, the usual error for
 * a program.
 * @param mayRepeat the address can be opened again: the page of a temporary failure then offers a retry
 */
export function pageOnFailure(brandName: string, { mayRepeat = true } = {}) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // rethrown, it reaches the handler of all routes
    if (!wantsPage(request)) throw error;
    const { status, body, unexpected } = renderError(error, request.id);
    if (unexpected) request.log.error({ err: error, requestId: request.id }, 'a request failed');
    const detail = unexpected ? `Request ${request.id}` : undefined;
    if (body.code !== 'unavailable') {
      const message = { brandName, title: 'Sign-in did not work', text: body.message, detail, next: signInAgain };
      return sendPage(reply, status, renderMessagePage(message));
    }
    reply.header('retry-after', String(retryAfterSeconds));
    const next = mayRepeat ? tryAgain(request.originalUrl) : signInAgain;
    return sendPage(reply, status, renderMessagePage({ brandName, ...unavailableWords, detail, next }));
  };
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}
