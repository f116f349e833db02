import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { addressCheck, metadataCheck, publicUrlCheck, wellKnownCheck } from './address-checks.ts';
import { failed, present, skipped, type Check, type Finding, type Patient } from './check.ts';
import { browserClockCheck, databaseClockCheck, providerClockCheck, serverClockCheck } from './clock-checks.ts';
import { documentCheck } from './document-check.ts';
import { authorizationCheck, challengeCheck } from './header-checks.ts';
import { createDoctorHttp, NoAnswerError, type DoctorHttp } from './http.ts';
import { proxyCheck } from './proxy-check.ts';
import { readyCheck } from './ready-check.ts';
import { legacyCheck, modernCheck, streamCheck } from './protocol-checks.ts';
import { authorizeCheck, keysCheck, registrationCheck, tokenEndpointCheck } from './sign-in-checks.ts';

/** The steps of common clients, in order, for the self-test and the operator's command. */
export const checks: readonly Check[] = [
  addressCheck,
  publicUrlCheck,
  proxyCheck,
  readyCheck,
  wellKnownCheck,
  metadataCheck,
  challengeCheck,
  registrationCheck,
  authorizeCheck,
  tokenEndpointCheck,
  keysCheck,
  authorizationCheck,
  legacyCheck,
  modernCheck,
  streamCheck,
  serverClockCheck,
  browserClockCheck,
  databaseClockCheck,
  providerClockCheck,
  documentCheck,
];

export type Diagnosis = { ok: boolean; checks: ConnectionCheck[] };

/**
 * Runs all checks. Never throws for what it finds; `ok` if nothing failed. A check is skipped if one that it needs has not
 * passed, so that each fault is reported once.
 */
export async function runDoctor(patient: Patient): Promise<Diagnosis> {
  const http = createDoctorHttp(patient.baseUrl, patient.dispatcher);
  const results: ConnectionCheck[] = [];
  for (const check of checks) {
    const missing = check.needs?.find((id) => results.some((result) => result.id === id && result.status !== 'passed'));
    const finding =
      missing === undefined ? await examine(check, patient, http) : skipped(`Not before "${nameOf(missing)}" passes.`);
    results.push(present(check, finding));
  }
  return { ok: results.every(({ status }) => status !== 'failed'), checks: results };
}

async function examine(check: Check, patient: Patient, http: DoctorHttp): Promise<Finding> {
  try {
    return await check.run(patient, http);
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return failed(`There was no answer in time (${error.code}).`, 'Check the log of the proxy and of the broker.');
  }
}

const nameOf = (id: string) => checks.find((check) => check.id === id)?.name ?? id;
