import type { ToggleAnswer } from '@souk/contract/upstreams.ts';
import { ApiError } from '@souk/contract/client.ts';
import { expect, test } from 'vitest';
import { PopupBlockedError } from '#web/navigation/popup-window.ts';
import { enableAfterSignIn, enableWithSignIn } from './enable-with-sign-in.ts';
import { profileMigrationText, toggleFailure } from './toggle-texts.ts';

const wantsSignIn: ToggleAnswer = {
  success: false,
  message: 'Sign in to Notes to enable it',
  requiresOAuth: true,
  authUrl: 'https://auth.example/authorize',
  sessionId: 'session-1',
};
const enabled: ToggleAnswer = { success: true, message: 'Notes is enabled' };

/** A failed call whose response gave a reason. */
const refused = (message: string) => new ApiError({ message, serverMessage: message, code: 'any', status: 400 });
/** A failed call whose response had no message: the client's own text does not count as a message of the server. */
const silent = new ApiError({ message: 'HTTP 502: Bad Gateway', code: 'unexpected_answer', status: 502 });

/** Runs the flow against scripted replies; returns what was opened, asked and logged. */
async function run(replies: (ToggleAnswer | Error)[], signIn: () => Promise<boolean> = async () => true) {
  const opened: string[] = [];
  const logged: string[] = [];
  let asked = 0;
  const end = await enableWithSignIn({
    enable: async () => {
      const reply = replies[asked++];
      if (reply instanceof Error) throw reply;
      if (!reply) throw new Error('one request too many');
      return reply;
    },
    signIn: (authUrl) => {
      opened.push(authUrl);
      return signIn();
    },
    log: (message) => logged.push(message),
  });
  return { end, opened, logged, asked };
}

test('[TOG-6] a server that needs nothing is enabled by one call', async () => {
  expect(await run([enabled])).toEqual({ end: {}, opened: [], logged: [], asked: 1 });
});

test('[TOG-15] a reply with an authorization address and a session opens the sign-in there', async () => {
  expect((await run([wantsSignIn, enabled])).opened).toEqual(['https://auth.example/authorize']);
  const { sessionId: _sessionId, ...withoutSession } = wantsSignIn;
  expect(await run([withoutSession])).toMatchObject({ opened: [], end: { failure: wantsSignIn.message } });
});

test('[TOG-16] once the sign-in is complete the enable is requested once more, and only once', async () => {
  expect(await run([wantsSignIn, enabled])).toMatchObject({ end: {}, asked: 2 });
  expect(await run([wantsSignIn, silent, enabled])).toMatchObject({ asked: 2 });
  expect(await run([wantsSignIn, wantsSignIn, enabled])).toMatchObject({ asked: 2 });
  expect(await run([enabled, enabled])).toMatchObject({ asked: 1 });
});

test('[TOG-17] a failure after the sign-in shows the message of the server, or its own text', async () => {
  const after = 'Failed to enable server after OAuth';
  expect((await run([wantsSignIn, refused('It is closed today')])).end).toEqual({ failure: 'It is closed today' });
  expect((await run([wantsSignIn, silent])).end).toEqual({ failure: after });
  expect((await run([wantsSignIn, { success: false, message: '' }])).end).toEqual({ failure: after });
  expect((await run([wantsSignIn, wantsSignIn])).end).toEqual({ failure: 'Sign in to Notes to enable it' });
  expect(await enableAfterSignIn(() => Promise.reject(silent))).toEqual({ failure: after });
});

test('[TOG-18] a sign-in that failed says why', async () => {
  const denied = await run([wantsSignIn], () => Promise.reject(new Error('You did not allow access to Notes.')));
  expect(denied).toMatchObject({
    end: { failure: 'OAuth authorization failed: You did not allow access to Notes.' },
    asked: 1,
  });
});

test('[TOG-19] a sign-in that took too long is only logged', async () => {
  const message = 'OAuth authorization timed out after 5 minutes';
  const late = await run([wantsSignIn], () => Promise.reject(new Error(message)));
  expect(late).toEqual({ end: {}, opened: [wantsSignIn.authUrl], logged: [message], asked: 1 });
});

test('[SIGN-51] a blocked window says so in the words of the specification, and where the sign-in continues', async () => {
  const blocked = await run([wantsSignIn], () => Promise.reject(new PopupBlockedError()));
  expect(blocked.end).toEqual({
    failure: 'Failed to open OAuth popup window. Please allow popups for this site.',
    continueAt: wantsSignIn.authUrl,
  });
});

test('a sign-in whose window the user closed changes nothing and shows nothing', async () => {
  expect(await run([wantsSignIn], async () => false)).toMatchObject({ end: {}, asked: 1 });
});

test('[TOG-20] a failed enable shows the message of the server, or its own text', async () => {
  expect((await run([refused('There is no server x')])).end).toEqual({ failure: 'There is no server x' });
  expect((await run([silent])).end).toEqual({ failure: 'Failed to enable server' });
  expect((await run([{ success: false, message: 'Not today' }])).end).toEqual({ failure: 'Not today' });
  expect((await run([{ success: false, message: '' }])).end).toEqual({ failure: 'Failed to enable server' });
});

test('[TOG-21] a failed disable shows the message of the server, or its own text', () => {
  const text = 'Failed to disable server';
  expect(toggleFailure(refused('There is no server x'), text)).toBe('There is no server x');
  expect(toggleFailure(silent, text)).toBe(text);
  expect(toggleFailure('odd', text)).toBe(text);
});

test('[TOG-25] a profile that must be migrated is reported in the words of the specification', async () => {
  const text = 'User profile needs to be migrated to support MCP server preferences. Please contact support.';
  const migrate = 'Profile migration required';
  expect(profileMigrationText(migrate)).toBe(text);
  expect((await run([refused(migrate)])).end).toEqual({ failure: text });
  expect((await run([{ success: false, message: migrate }])).end).toEqual({ failure: text });
  expect((await run([wantsSignIn, refused(migrate)])).end).toEqual({ failure: text });
  expect(toggleFailure(refused(migrate), 'Failed to disable server')).toBe(text);
});
