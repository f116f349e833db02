import type { Dispatcher } from 'undici';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import type { KnownDocument } from '#features/identity/index.ts';
import { asRecord } from '#platform/json.ts';
import type { DoctorAnswer, DoctorHttp } from './http.ts';

/** The installation to examine, and the means to examine it. */
export type Patient = {
  /** The origin that users are given, where everything must work. */
  baseUrl: string;
  /** The clock of the machine that runs the checks. Other clocks are compared with it. */
  nowMs(): number;
  clientName: string;
  /** A token for the MCP endpoint. Without it, the checks that need one are skipped. */
  token?: string;
  browser?: { timeMs?: number; origin?: string; forwardedProto?: string };
  databaseNowMs?(): Promise<number>;
  /** The URLs of the sign-in providers, whose clocks must agree with ours. */
  signInProviders?: readonly string[];
  /** Fetches the documents of well-known clients; undefined if documents are not offered, or cannot be fetched from here. */
  knownDocuments?: (() => Promise<readonly KnownDocument[]>) | undefined;
  /** Sends the requests (createOutgoingDispatcher). Tests pass one with their own certificate. */
  dispatcher?: Dispatcher;
};

export type Finding = { status: 'passed' | 'warned' | 'failed' | 'skipped'; detail: string; advice?: string };

export type Check = {
  id: string;
  name: string;
  /** Checks that must have passed: otherwise this one would say nothing new. */
  needs?: readonly string[];
  run(patient: Patient, http: DoctorHttp): Promise<Finding>;
};

export const passed = (detail: string): Finding => ({ status: 'passed', detail });
export const failed = (detail: string, advice: string): Finding => ({ status: 'failed', detail, advice });
/** The check works now, but not forever. */
export const warned = (detail: string, advice: string): Finding => ({ status: 'warned', detail, advice });
export const skipped = (detail: string): Finding => ({ status: 'skipped', detail });

export function present(check: Check, { advice, ...finding }: Finding): ConnectionCheck {
  return { id: check.id, name: check.name, ...finding, advice: advice ?? null };
}

export function textField(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
}

export function fieldOf(value: unknown, name: string): unknown {
  return asRecord(value)?.[name];
}

export function describeAnswer(answer: DoctorAnswer): string {
  const location = answer.header('location');
  if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
    return `a redirect (${answer.status}) to ${URL.parse(location)?.origin ?? 'another page'}`;
  }
  if (/^\s*<(!doctype|html)/i.test(answer.text)) return `a web page (${answer.status})`;
  if (answer.json !== undefined) return `status ${answer.status}`;
  return `status ${answer.status} and a body that is not JSON`;
}
