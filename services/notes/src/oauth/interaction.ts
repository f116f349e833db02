import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Provider } from 'oidc-provider';
import { accountNameSchema } from './accounts.ts';
import { contentPolicy } from './page-style.ts';
import { consentPage, problemPage } from './pages.ts';
import { notesScope, type OauthSetup } from './provider.ts';

const maxFormBytes = 4_096;

/**
 * Serves the only page of a sign-in, which asks for the account and for consent. GET shows it, POST takes the answer and
 * redirects. The interaction cookie binds both to the browser in which the sign-in began.
 */
export async function serveInteraction(
  provider: Provider,
  { issuer, resource, accounts }: OauthSetup,
  newId: () => string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // another site's form must not answer for the user
  if (request.headers.origin !== undefined && request.headers.origin !== issuer) {
    return sendPage(response, 403, problemPage('This form belongs to another page.'));
  }
  const details = await provider.interactionDetails(request, response).catch(() => undefined);
  if (!details) return sendPage(response, 400, problemPage('This sign-in has expired.'));
  const clientId = String(details.params['client_id']);
  const redirect = new URL(String(details.params['redirect_uri']));
  const client = (await provider.Client.find(clientId))?.clientName ?? 'An application';
  const page = { uid: details.uid, client, redirectHost: redirect.host };
  if (request.method !== 'POST') return sendPage(response, 200, consentPage(page), redirect.origin);

  const form = await readForm(request);
  if (!form) return sendPage(response, 413, problemPage('The form is too large.'));
  const merge = { mergeWithLastSubmission: false };
  if (form.get('decision') !== 'allow') {
    return provider.interactionFinished(request, response, { error: 'access_denied' }, merge);
  }
  const name = accountNameSchema.safeParse(form.get('name') ?? '');
  if (!name.success) {
    const problem = 'Type a name of 1 to 60 characters.';
    return sendPage(response, 422, consentPage({ ...page, problem }), redirect.origin);
  }
  const accountId = accounts.findOrCreate(name.data, newId);
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(notesScope);
  grant.addResourceScope(resource, notesScope);
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId, remember: false }, consent }, merge);
}

function sendPage(response: ServerResponse, status: number, html: string, redirectOrigin = ''): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // browsers also apply form-action to the redirect after the form
      'content-security-policy': `${contentPolicy}; form-action 'self' ${redirectOrigin}`,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    .end(html);
}

/** Reads the form; undefined if it is larger than our form can be. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const length = Number(request.headers['content-length']);
  // without a length a form could have any size; browsers always send one
  if (!Number.isInteger(length) || length > maxFormBytes) return undefined;
  return new URLSearchParams(await text(request));
}
