import type { ConnectionAttempt, ConnectionStep } from '@souk/contract/connection-log.ts';

type Step = ConnectionAttempt['steps'][number];

/** What a client does in each step. */
export const stepTexts: Readonly<Record<ConnectionStep, { name: string; text: string }>> = {
  discovery: { name: 'Discovery', text: 'Found out how to sign in here.' },
  registration: { name: 'Registration', text: 'Made itself known.' },
  'metadata-document': { name: 'Metadata document', text: 'Made itself known by a document on its own site.' },
  authorize: { name: 'Authorization', text: 'Sent your browser here.' },
  consent: { name: 'Consent', text: 'You allowed it.' },
  token: { name: 'Token', text: 'Got its access.' },
  'first-request': { name: 'First request', text: 'Called your link with it.' },
  era: { name: 'Protocol', text: 'Agreed on a version of MCP.' },
  'tools-listed': { name: 'Tools listed', text: 'Asked what there is.' },
  'first-call': { name: 'First call', text: 'Used a tool.' },
};

export const stepStatusTexts: Readonly<Record<Step['status'], string>> = {
  passed: 'Passed',
  failed: 'Failed',
  'not-reached': 'Not reached',
  skipped: 'Not needed',
};

/** State of an attempt as a word and a tone. */
export const attemptStatusTexts = {
  working: { word: 'Working', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  unfinished: { word: 'Unfinished', tone: 'idle' },
} as const satisfies Record<ConnectionAttempt['status'], { word: string; tone: 'good' | 'bad' | 'idle' }>;

/** The steps to show: of the two ways to become known a client takes one, so the other says nothing. */
export function visibleSteps({ steps }: ConnectionAttempt): Step[] {
  const isOtherWay = ({ step, status }: Step) =>
    (step === 'metadata-document' || step === 'registration') && (status === 'skipped' || status === 'not-reached');
  const ways = steps.filter(({ step }) => step === 'metadata-document' || step === 'registration');
  const hidden = ways.filter(isOtherWay);
  // where it took neither way yet, the usual one stands for both
  const kept = hidden.length === ways.length ? hidden.find(({ step }) => step === 'registration') : undefined;
  return steps.filter((step) => !hidden.includes(step) || step === kept);
}

/** One line about how far it came. */
export function summarise(attempt: ConnectionAttempt): string {
  const failed = attempt.steps.findLast(({ status }) => status === 'failed');
  if (attempt.status === 'failed' && failed) {
    return failed.detail ?? `${stepTexts[failed.step].name} failed.`;
  }
  const last = attempt.steps.findLast(({ status }) => status === 'passed');
  if (attempt.status === 'working') return last?.step === 'first-call' ? 'Uses your tools.' : 'Has listed your tools.';
  return last ? `Came as far as: ${stepTexts[last.step].name}.` : 'Has only begun.';
}

/** "MCP 2025-11-25", or nothing where it did not come that far. */
export function protocolText({ era, protocolVersion }: ConnectionAttempt): string | undefined {
  if (protocolVersion !== null) return `MCP ${protocolVersion}`;
  if (era === null) return undefined;
  return era === 'modern' ? 'MCP 2026-07-28' : 'MCP up to 2025-11-25';
}
