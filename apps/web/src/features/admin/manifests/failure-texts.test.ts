import { ApiError } from '@souk/contract/client.ts';
import { expect, test } from 'vitest';
import { actionFailure, listFailure, type ManifestAction } from './failure-texts.ts';

const failure = (message: string) => new ApiError({ message, code: 'any' });
const ofAccess = [
  'Authentication failed. Please log in again.',
  'Authentication required. Please log in.',
  'Access denied. Admin privileges required.',
  // as servers other than the broker say it: the word may be anywhere in the text
  "HTTP 403: Access denied by the company's proxy",
  'The Authentication service is away',
];

test("[MAN-41] [ERR-11] a list that cannot be loaded gives 'Failed to load manifests', with the reason next to it", () => {
  expect(listFailure(failure('HTTP 502: Bad Gateway'))).toEqual({
    title: 'Failed to load manifests',
    reason: 'HTTP 502: Bad Gateway',
  });
});

test.each(ofAccess)('[MAN-42] [ERR-11] a refused list asks for an administrator: %s', (message) => {
  expect(listFailure(failure(message))).toEqual({
    title: 'Authentication required. Please ensure you are logged in as an administrator.',
    reason: undefined,
  });
});

const actions: readonly ManifestAction[] = ['delete', 'deploy', 'reload', 'upload'];

test.each(actions)('[MAN-43] [MAN-44] [ERR-11] the texts if it fails to %s', (action) => {
  for (const message of ofAccess) {
    expect(actionFailure(action, failure(message))).toBe(
      `Authentication required. Please log in as an administrator to ${action} manifests.`,
    );
  }
  expect(actionFailure(action, failure('No manifest called atlas'))).toBe(
    `Failed to ${action} manifest: No manifest called atlas`,
  );
  expect(actionFailure(action, 'no error at all')).toBe(`Failed to ${action} manifest: An unexpected error occurred`);
});
