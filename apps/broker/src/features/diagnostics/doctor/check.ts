import type { Dispatcher } from 'undici';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import type { KnownDocument } from '#features/identity/index.ts';
import { asRecord } from '#platform/json.ts';
import type { DoctorAnswer, DoctorHttp } from './http.ts';

/** The installation to examine, and what to examine it with. */
export type Patient = {
  /** The origin that people are given: the one that everything must work at. */
  baseUrl: string;
  /** Where clocks, browsers and the database are compared; the machine that runs the checks. */
  nowMs(): number;
  /** How the throw-away client registers itself. */
  clientName: string;
  /** A token for the MCP endpoint; the checks that need one are skipped without. */
  token?: string;
  /** What the person's own browser says of itself. */
  browser?: { timeMs?: number; origin?: string; forwardedProto?: string };
  databaseNowMs?(): Promise<number>;
  /** The sign-in providers' addresses, whose clocks ours must agree with. */
  signInProviders?: readonly string[];
  /** Fetches the documents of well-known clients; undefined where clients are not told of documents, or not from here. */
  knownDocuments?: (() => Promise<readonly KnownDocument[]>) | undefined;
  /** How its requests leave (createOutgoingDispatcher); tests bring one with a certificate of their own. */
  dispatcher?: Dispatcher;
};

export type Finding = { status: 'passed' | 'warned' | 'failed' | 'skipped'; detail: string; advice?: string };

export type Check = {
  id: string;
  name: string;
  /** Checks that must have passed, else this one says nothing new. */
  needs?: readonly string[];
  run(patient: Patient, http: DoctorHttp): Promise<Finding>;
};

export const passed = (detail: string): Finding => ({ status: 'passed', detail });
export const failed = (detail: string, advice: string): Finding => ({ status: 'failed', detail, advice });
/** Works, and will not for ever. */
export const warned = (detail: string, advice: string): Finding => ({ status: 'warned', detail, advice });
export const skipped = (detail: string): Finding => ({ status: 'skipped', detail });

export function present(check: Check, { advice, ...finding }: Finding): ConnectionCheck {
  return { id: check.id, name: check.name, ...finding, advice: advice ?? null };
}

/** A field of an answer's JSON object as text, undefined where it is not there. */
export function textField(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
}

export function fieldOf(value: unknown, name: string): unknown {
  return asRecord(value)?.[name];
}

/** What an answer is, in a few words: for a sentence that says what came instead of what should have. */
export function describeAnswer(answer: DoctorAnswer): string {
  const location = answer.header('location');
  if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
    return `a redirect (${answer.status}) to ${URL.parse(location)?.origin ?? 'another page'}`;
  }
  if (/^\s*<(!doctype|html)/i.test(answer.text)) return `a web page (${answer.status})`;
  if (answer.json !== undefined) return `status ${answer.status}`;
  return `status ${answer.status} that is no JSON`;
}
