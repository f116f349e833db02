import type { ToggleAnswer } from '@souk/contract/connections.ts';
import { profileMigrationText } from './toggle-texts.ts';

export type EnableOptions = {
  /** Asks the broker to enable the server. */
  enable: () => Promise<ToggleAnswer>;
  /**
   * Opens the sign-in and waits for its end: true when it worked, false when the person gave up.
   * Rejects with the reason, or with the popup's own timeout text.
   */
  signIn: (authUrl: string) => Promise<boolean>;
  log: (message: string) => void;
};

/** The popup's text for a sign-in that nobody finished (spec part 1, section 9). */
const timedOut = /timed out/i;

/**
 * Switches a server on (spec part 2, section 4): ask; where the reply gives an authorization address and a session,
 * sign in there and ask once more.
 * @returns undefined when it is on, or when the person gave up; else the text to show
 */
export async function enableWithSignIn({ enable, signIn, log }: EnableOptions): Promise<string | undefined> {
  const first = await asked(enable, 'Failed to enable server');
  if (first.failure === undefined && first.answer.success) return undefined;
  const { authUrl, sessionId } = first.answer ?? {};
  if (authUrl === undefined || sessionId === undefined) return first.failure ?? first.answer.message;
  try {
    if (!(await signIn(authUrl))) return undefined;
  } catch (error) {
    const message = textOf(error, 'An unexpected error occurred');
    if (timedOut.test(message)) {
      log(message);
      return undefined;
    }
    return `OAuth authorization failed: ${message}`;
  }
  const second = await asked(enable, 'Failed to enable server after OAuth');
  if (second.failure !== undefined) return second.failure;
  return second.answer.success ? undefined : second.answer.message || 'Failed to enable server after OAuth';
}

type Asked = { answer: ToggleAnswer; failure?: undefined } | { answer?: undefined; failure: string };

async function asked(enable: () => Promise<ToggleAnswer>, otherwise: string): Promise<Asked> {
  try {
    return { answer: await enable() };
  } catch (error) {
    return { failure: profileMigrationText(textOf(error, otherwise)) };
  }
}

function textOf(error: unknown, otherwise: string): string {
  return error instanceof Error && error.message !== '' ? error.message : otherwise;
}
