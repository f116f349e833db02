import * as oidc from 'openid-client';
import { expect, test } from 'vitest';
import { readRefusal } from './read-refusal.ts';

/** Builds the error that openid-client throws when a token endpoint refuses. */
const refused = (status: number, cause: { error: string; error_description?: string }) =>
  new oidc.ResponseBodyError('refused', { cause, response: new Response(undefined, { status }) });

test.each([
  'invalid_grant',
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'access_denied',
  'interaction_required',
])('%s is permanent, unless its status is temporary', (error) => {
  const cause = { error, error_description: 'in words' };
  expect(readRefusal(refused(400, cause))).toEqual({ isOfClient: error === 'invalid_client', said: 'in words' });
  for (const status of [408, 429]) expect(readRefusal(refused(status, cause))).toBeUndefined();
});

test('another error of a token endpoint is temporary, and so is one that did not come from it', () => {
  expect(readRefusal(refused(400, { error: 'temporarily_unavailable' }))).toBeUndefined();
  expect(readRefusal(new Error('ECONNREFUSED'))).toBeUndefined();
});
