import type { ToggleAnswer } from '@souk/contract/upstreams.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { PopupBlockedError } from '#web/navigation/popup-window.ts';
import { profileMigrationText, toggleFailure } from './toggle-texts.ts';

export type EnableOptions = {
  enable: () => Promise<ToggleAnswer>;
  /**
   * Sends the open window to the sign-in and waits for its end: true if it worked, false if the user closed it. Rejects
   * with the reason, with PopupBlockedError if there is no window, or with the popup's timeout text.
   */
  signIn: (authUrl: string) => Promise<boolean>;
  log: (message: string) => void;
};

/** The outcome of switching on. Without a failure the server is on, or the user closed the sign-in window. */
export type EnableOutcome = {
  failure?: string;
  /** The popup was blocked: the address where the sign-in continues in this tab. */
  continueAt?: string;
};

/** The popup's text after a timeout (spec part 1, section 9). */
const timedOut = /timed out/i;

/**
 * Switches a server on (spec part 2, section 4). If the reply has an authorization address and a session, signs in
 * there and retries once.
 */
export async function enableWithSignIn({ enable, signIn, log }: EnableOptions): Promise<EnableOutcome> {
  const first = await ask(enable, 'Failed to enable server');
  const { authUrl, sessionId } = first.answer ?? {};
  if (first.answer?.success || authUrl === undefined || sessionId === undefined) return first.end;
  try {
    if (!(await signIn(authUrl))) return {};
  } catch (error) {
    if (error instanceof PopupBlockedError) return { failure: error.message, continueAt: authUrl };
    const message = failureText(error);
    if (!timedOut.test(message)) return { failure: signInFailure(message) };
    log(message);
    return {};
  }
  return enableAfterSignIn(enable);
}

/** The text of a failed sign-in at the server (spec part 2, section 4). */
export const signInFailure = (message: string) => `OAuth authorization failed: ${message}`;

/** Retries once, after the sign-in at the server. */
export async function enableAfterSignIn(enable: () => Promise<ToggleAnswer>): Promise<EnableOutcome> {
  return (await ask(enable, 'Failed to enable server after OAuth')).end;
}

async function ask(
  enable: () => Promise<ToggleAnswer>,
  otherwise: string,
): Promise<{ answer?: ToggleAnswer; end: EnableOutcome }> {
  try {
    const answer = await enable();
    return { answer, end: answer.success ? {} : { failure: profileMigrationText(answer.message || otherwise) } };
  } catch (error) {
    return { end: { failure: toggleFailure(error, otherwise) } };
  }
}
