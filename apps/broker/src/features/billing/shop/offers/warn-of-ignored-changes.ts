import type { Log } from '#platform/log.ts';
import type { IgnoredChange } from './load-offers.ts';

/** Logs the changes of offers.json that do not apply, because an administrator has edited the offer. */
export function warnOfIgnoredChanges(ignored: readonly IgnoredChange[], log: Log): void {
  for (const { offerId, name, editedAt, changes } of ignored)
    log.warn(
      { offerId, changes },
      `offers.json changed ${name} (${changes.join('; ')}), and ${name} was edited in the administration on ` +
        `${editedAt.toISOString().slice(0, 10)}: the file no longer changes it. "souk offers take-file ${offerId}" takes the file's version`,
    );
}
