import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { createAdmissions, type AdmissionLimits } from '../admission/admissions.ts';
import { createManualTime } from './manual-time.ts';
import { testServer } from './test-server.ts';

export const web = testServer({ id: 'web', maxInFlight: 2 });

/** Builds admissions whose clock the test controls. */
export function build(limits: Partial<AdmissionLimits> = {}) {
  const time = createManualTime();
  const admissions = createAdmissions({
    limits: { callsInFlightPerServer: undefined, callsInFlightPerUser: 16, ...limits },
    clock: time.clock,
    timers: time.timers,
  });
  return { time, admissions };
}

/** Returns how an admission ended. */
export const kindOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'admitted',
    (error: unknown) => (error instanceof UpstreamError ? error.kind : String(error)),
  );
