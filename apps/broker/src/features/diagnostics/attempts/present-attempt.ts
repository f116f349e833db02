import { connectionSteps, type ConnectionAttempt, type ConnectionStep } from '@souk/contract/diagnostics.ts';
import { clientName, nameUserAgent } from '#platform/text/client-name.ts';
import type { AttemptRow } from './attempt-store.ts';
import { describeFailure } from './describe-failure.ts';

/** Silence after which a client counts as stopped: it takes a step within seconds. */
const stoppedAfterMs = 2 * 60_000;

type Step = ConnectionAttempt['steps'][number];

const passedTexts: Record<ConnectionStep, string> = {
  registration: 'It registered here.',
  'metadata-document': 'Its published description was read.',
  authorize: 'It sent you here to sign in.',
  consent: 'You allowed it.',
  token: 'It got its token.',
  'first-request': 'It reached your link with its token.',
  era: 'It agreed on a version of MCP.',
  'tools-listed': 'It got the list of your tools.',
  'first-call': 'It called a tool.',
};

/** Texts for steps that a client does not take although nothing failed. */
const stoppedTexts: Partial<Record<ConnectionStep, { detail: string; advice: string }>> = {
  consent: {
    detail: 'You were asked for permission, and the page was not answered.',
    advice: 'Reconnect in the client and choose Allow. The page is valid for 15 minutes.',
  },
  token: {
    detail: 'You allowed it, but the client never asked for its token.',
    advice:
      'Keep the client open while you sign in, and let the browser open it when it asks. A firewall or browser extension may block the way back to the client.',
  },
  'first-request': {
    detail: 'The client got its token, but never reached your link with it.',
    advice:
      'Run the self-test: a proxy that removes the Authorization header causes this. Then remove the connector and add it again with exactly your link.',
  },
  era: {
    detail: 'The client reached your link, but never opened a session.',
    advice: 'Restart the client. Update it if it is old.',
  },
  'tools-listed': {
    detail: 'The client connected, but never got the list of your tools.',
    advice: 'Start a new conversation and turn the connector on in it: some clients only ask then.',
  },
};

const beforeText = 'It got this far before, but not since the step above failed.';

/** Failures at another of our links than the one that the user allowed. */
const elsewhere: ReadonlySet<string> = new Set(['wrong-token', 'other-link']);

/** Steps that a client must have taken when it takes, or fails at, a later one. */
const impliedByLater: ReadonlySet<ConnectionStep> = new Set([
  'registration',
  'metadata-document',
  'authorize',
  'consent',
  'token',
  'first-request',
]);

/** Steps that count as failed if nothing follows the previous step, although nothing was refused. */
const mustFollow: ReadonlySet<ConnectionStep> = new Set(['token', 'first-request', 'era', 'tools-listed']);

/**
 * Presents an attempt to its owner: what happened at every step and, if it failed, what to do.
 * @param appName the name of its connected app on the other screens, while it is connected
 */
export function presentAttempt(row: AttemptRow, nowMs: number, appName: string | undefined): ConnectionAttempt {
  const steps = connectionSteps.map((step) => presentStep(row, step));
  resetAfterFailure(steps);
  markWhereStopped(steps, nowMs - row.last_at.getTime() >= stoppedAfterMs);
  return {
    id: row.id,
    client: {
      name: row.client_id === null ? nameOfProgram(row) : (appName ?? clientName(row.client_name, row.client_version)),
      clientId: row.client_id,
      userAgent: row.user_agent ?? '',
    },
    startedAt: row.started_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    era: row.era,
    protocolVersion: row.protocol_version,
    status: statusOf(steps),
    steps,
  };
}

/** Names a program with a token. It may call itself anything, so its claim was only recorded if its user agent names none. */
function nameOfProgram(row: AttemptRow): string {
  if (row.client_name !== null) return clientName(row.client_name, row.client_version);
  return nameUserAgent(row.user_agent) || 'A program without a name';
}

function presentStep(row: AttemptRow, step: ConnectionStep): Step {
  const failure = row.failed[step];
  if (failure && !hasRecovered(row, step, failure.atMs)) {
    const { detail, advice } = describeFailure(failure.reason, failure.facts);
    const at = iso(failure.atMs);
    return elsewhere.has(failure.reason) && hasWorked(row)
      ? { step, status: 'warned', at, detail: `${passedTexts[step]} ${detail}`, advice }
      : { step, status: 'failed', at, detail, advice };
  }
  const passedMs = row.first_passed[step];
  if (passedMs !== undefined) {
    return { step, status: 'passed', at: iso(passedMs), detail: passedTexts[step], advice: null };
  }
  const skipped = skippedText(row, step);
  if (skipped !== undefined) return { step, status: 'skipped', at: null, detail: skipped, advice: null };
  // a client cannot get further without this step, so it passed before recording began
  if (impliedByLater.has(step) && (lastPassOfLater(row, step) > 0 || laterFailure(row, step))) {
    return { step, status: 'passed', at: null, detail: passedTexts[step], advice: null };
  }
  return { step, status: 'not-reached', at: null, detail: null, advice: null };
}

function hasRecovered(row: AttemptRow, step: ConnectionStep, failedMs: number): boolean {
  return Math.max(row.last_passed[step] ?? 0, lastPassOfLater(row, step)) >= failedMs;
}

/** Whether the sign-in works at its own link. Using it at another link of ours is then only a warning. */
function hasWorked({ last_passed }: AttemptRow): boolean {
  return last_passed['tools-listed'] !== undefined || last_passed['first-call'] !== undefined;
}

function lastPassOfLater(row: AttemptRow, step: ConnectionStep): number {
  return Math.max(0, ...laterSteps(step).map((later) => row.last_passed[later] ?? 0));
}

function laterFailure(row: AttemptRow, step: ConnectionStep): boolean {
  return laterSteps(step).some((later) => row.failed[later] !== undefined);
}

const laterSteps = (step: ConnectionStep) => connectionSteps.slice(connectionSteps.indexOf(step) + 1);

/** Why a step does not concern this client. */
function skippedText(row: AttemptRow, step: ConnectionStep): string | undefined {
  const position = connectionSteps.indexOf(step);
  if (row.client_id === null && position < connectionSteps.indexOf('token'))
    return 'Not needed with a personal access token.';
  if (row.client_id === null && step === 'token') {
    const name = row.personal_token_name;
    return `It uses a personal access token${name === null ? '' : `, "${name}"`}.`;
  }
  const publishes = row.client_id?.startsWith('https://') === true;
  if (step === 'registration' && publishes) return 'Not needed: the client publishes a description of itself.';
  if (step === 'metadata-document' && !publishes) return 'Not needed: the client registered.';
  if (step === 'tools-listed' && row.last_passed['first-call'] !== undefined)
    return 'Not needed: it called a tool without asking for the list.';
  return undefined;
}

/** Resets the steps after a failed one: that they passed before says nothing about how far the client gets now. */
function resetAfterFailure(steps: Step[]): void {
  const failed = steps.findIndex(({ status }) => status === 'failed');
  if (failed < 0) return;
  for (const step of steps.slice(failed + 1).filter(({ status }) => status === 'passed' || status === 'warned')) {
    Object.assign(step, { status: 'not-reached', at: null, detail: beforeText, advice: null });
  }
}

function markWhereStopped(steps: Step[], isOver: boolean): void {
  if (!isOver || steps.some(({ status }) => status === 'failed')) return;
  const next = steps.find(({ status }) => status === 'not-reached');
  const texts = next && stoppedTexts[next.step];
  if (!next || !texts) return;
  if (mustFollow.has(next.step)) next.status = 'failed';
  next.detail = texts.detail;
  next.advice = texts.advice;
}

function statusOf(steps: readonly Step[]): ConnectionAttempt['status'] {
  if (steps.some(({ status }) => status === 'failed')) return 'failed';
  const works = steps.some(
    ({ step, status }) => (step === 'tools-listed' || step === 'first-call') && status === 'passed',
  );
  return works ? 'working' : 'unfinished';
}

const iso = (ms: number) => new Date(ms).toISOString();
