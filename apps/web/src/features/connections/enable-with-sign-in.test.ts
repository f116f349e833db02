import type { ToggleAnswer } from '@souk/contract/connections.ts';
import { expect, test } from 'vitest';
import { enableWithSignIn } from './enable-with-sign-in.ts';
import { disableFailure, profileMigrationText } from './toggle-texts.ts';

const wantsSignIn: ToggleAnswer = {
  success: false,
  message: 'Sign in to Notes to enable it',
  requiresOAuth: true,
  authUrl: 'https://auth.example/authorize',
  sessionId: 'session-1',
};
const enabled: ToggleAnswer = { success: true, message: 'Notes is enabled' };

/** Runs the flow against scripted replies; says what was opened, asked and logged. */
async function run(replies: (ToggleAnswer | Error)[], signIn: () => Promise<boolean> = async () => true) {
  const opened: string[] = [];
  const logged: string[] = [];
  let asked = 0;
  const shown = await enableWithSignIn({
    enable: async () => {
      const reply = replies[asked++];
      if (reply instanceof Error) throw reply;
      if (!reply) throw new Error('asked once too often');
      return reply;
    },
    signIn: (authUrl) => {
      opened.push(authUrl);
      return signIn();
    },
    log: (message) => logged.push(message),
  });
  return { shown, opened, logged, asked };
}

test('[TOG-6] a server that needs nothing is enabled by one call', async () => {
  expect(await run([enabled])).toEqual({ shown: undefined, opened: [], logged: [], asked: 1 });
});

test('[TOG-15] [TOG-16] a reply with an authorization address and a session opens the sign-in, and the enable is asked once more', async () => {
  expect(await run([wantsSignIn, enabled])).toEqual({
    shown: undefined,
    opened: ['https://auth.example/authorize'],
    logged: [],
    asked: 2,
  });
});

test('[TOG-17] a failure after the sign-in shows the message of the broker, or its own text', async () => {
  expect((await run([wantsSignIn, new Error('It is closed today')])).shown).toBe('It is closed today');
  expect((await run([wantsSignIn, new Error('')])).shown).toBe('Failed to enable server after OAuth');
  expect((await run([wantsSignIn, { success: false, message: '' }])).shown).toBe('Failed to enable server after OAuth');
  const again = await run([wantsSignIn, wantsSignIn]);
  expect(again).toMatchObject({ shown: 'Sign in to Notes to enable it', asked: 2 });
});

test('[TOG-18] a sign-in that failed says why', async () => {
  const refused = await run([wantsSignIn], () => Promise.reject(new Error('You did not allow access to Notes.')));
  expect(refused).toMatchObject({
    shown: 'OAuth authorization failed: You did not allow access to Notes.',
    asked: 1,
  });
});

test('[TOG-19] a sign-in that nobody finished is only logged', async () => {
  const message = 'OAuth authorization timed out after 5 minutes';
  const late = await run([wantsSignIn], () => Promise.reject(new Error(message)));
  expect(late).toEqual({ shown: undefined, opened: [wantsSignIn.authUrl], logged: [message], asked: 1 });
});

test('a sign-in that the person gave up changes nothing and says nothing', async () => {
  expect(await run([wantsSignIn], async () => false)).toMatchObject({ shown: undefined, asked: 1 });
});

test('[TOG-20] a failed enable shows the message of the broker, or its own text', async () => {
  expect((await run([new Error('There is no server x')])).shown).toBe('There is no server x');
  expect((await run([new Error('')])).shown).toBe('Failed to enable server');
  expect((await run([{ success: false, message: 'Not today' }])).shown).toBe('Not today');
});

test('[TOG-21] a failed disable shows the message of the broker, or its own text', () => {
  expect(disableFailure(new Error('There is no server x'))).toBe('There is no server x');
  expect(disableFailure(new Error(''))).toBe('Failed to disable server');
  expect(disableFailure('odd')).toBe('Failed to disable server');
});

test('[TOG-25] [TOG-26] a profile that must be migrated is told in the words of the specification', async () => {
  const text = 'User profile needs to be migrated to support MCP server preferences. Please contact support.';
  expect(profileMigrationText('Profile migration required')).toBe(text);
  expect((await run([new Error('Profile migration required')])).shown).toBe(text);
  expect(disableFailure(new Error('Profile migration required'))).toBe(text);
});
