import { expect, test } from 'vitest';
import { failureText } from './call-failure.ts';

const url = 'https://souk.test/connect/weir';
const facts = { kind: 'tool', server: 'Weir', whyHidden: '', url, name: 'weir__look' } as const;

test('a failure for missing credentials says who has to provide them', () => {
  const text = (credentialsOf: 'user' | 'operator' | 'none') =>
    failureText('sign_in_required', { ...facts, credentialsOf });
  expect(text('user')).toBe(
    'Weir needs your Weir account. Open https://souk.test/connect/weir in your browser, sign in, and try again. Nothing was charged.',
  );
  expect(text('operator')).toBe(
    'Weir refuses the key that this marketplace sends. Its administrator has to enter a valid one on the page of this server. Nothing was charged.',
  );
  expect(text('none')).toBe(
    'Weir asks for credentials, and its manifest here names none. Its administrator has to add "auth" to the manifest: "oauth" if users sign in there, "headers" if it takes a key. Nothing was charged.',
  );
});
