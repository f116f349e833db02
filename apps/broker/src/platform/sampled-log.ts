import type { Log } from './log.ts';

/** A line for each of the first events of a second; of the others their number, in one line at its end. */
export type SampledLog = {
  info(details: object, message: string): void;
  /** Writes what has not been told yet. */
  stop(): void;
};

const windowMs = 1_000;

/**
 * For what strangers or broken servers can make happen thousands of times a second.
 * @param leftOutMessage says what was left out, beside `leftOut`
 */
export function createSampledLog(log: Log, leftOutMessage: string, perSecond = 10): SampledLog {
  let written = 0;
  let leftOut = 0;
  let timer: NodeJS.Timeout | undefined;

  function endWindow(): void {
    clearTimeout(timer);
    timer = undefined;
    if (leftOut > 0) log.info({ leftOut }, leftOutMessage);
    written = 0;
    leftOut = 0;
  }

  return {
    info(details, message) {
      timer ??= setTimeout(endWindow, windowMs).unref();
      if (written < perSecond) {
        written++;
        log.info(details, message);
      } else leftOut++;
    },
    stop: endWindow,
  };
}
