import type { ConnectionAttempt, ConnectionStep } from '@souk/contract/diagnostics.ts';

type Step = ConnectionAttempt['steps'][number];

export const stepTexts: Readonly<Record<ConnectionStep, { name: string; text: string }>> = {
  registration: { name: 'Registration', text: 'The client registered here.' },
  'metadata-document': {
    name: 'Metadata document',
    text: 'The client identified itself by a document on its own site.',
  },
  authorize: { name: 'Authorization', text: 'The client opened the sign-in page in your browser.' },
  consent: { name: 'Consent', text: 'You allowed access.' },
  token: { name: 'Token', text: 'The client received its access token.' },
  'first-request': { name: 'First request', text: 'The client called your link with the token.' },
  era: { name: 'Protocol', text: 'Client and server agreed on an MCP version.' },
  'tools-listed': { name: 'Tools listed', text: 'The client listed your tools.' },
  'first-call': { name: 'First call', text: 'The client called a tool.' },
};

export const stepStatusTexts: Readonly<Record<Step['status'], string>> = {
  passed: 'Passed',
  warned: 'Warning',
  failed: 'Failed',
  'not-reached': 'Not reached',
  skipped: 'Not needed',
};

export const attemptStatusTexts = {
  working: { word: 'Working', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  unfinished: { word: 'Unfinished', tone: 'idle' },
} as const satisfies Record<ConnectionAttempt['status'], { word: string; tone: 'good' | 'bad' | 'idle' }>;

/** Returns the steps to show. A client identifies itself in one of two ways; the other way is left out. */
export function visibleSteps({ steps }: ConnectionAttempt): Step[] {
  const isOtherWay = ({ step, status }: Step) =>
    (step === 'metadata-document' || step === 'registration') && (status === 'skipped' || status === 'not-reached');
  const ways = steps.filter(({ step }) => step === 'metadata-document' || step === 'registration');
  const hidden = ways.filter(isOtherWay);
  // if it has used neither yet, shows registration
  const kept = hidden.length === ways.length ? hidden.find(({ step }) => step === 'registration') : undefined;
  return steps.filter((step) => !hidden.includes(step) || step === kept);
}

export function summarize(attempt: ConnectionAttempt): string {
  const failed = attempt.steps.findLast(({ status }) => status === 'failed');
  if (attempt.status === 'failed' && failed) {
    return failed.detail ?? `${stepTexts[failed.step].name} failed.`;
  }
  const last = attempt.steps.findLast(({ status }) => status === 'passed' || status === 'warned');
  if (attempt.status === 'working')
    return last?.step === 'first-call' ? 'Has called your tools.' : 'Has listed your tools.';
  return last ? `Last completed step: ${stepTexts[last.step].name}.` : 'Just started.';
}

/** "MCP 2025-11-25"; undefined until client and server have agreed. */
export function protocolText({ era, protocolVersion }: ConnectionAttempt): string | undefined {
  if (protocolVersion !== null) return `MCP ${protocolVersion}`;
  if (era === null) return undefined;
  return era === 'modern' ? 'MCP 2026-07-28' : 'MCP up to 2025-11-25';
}
