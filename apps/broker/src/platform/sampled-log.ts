import type { Log } from './log.ts';

/** Logs the first events of each second, and the number of the others in one line at its end. */
export type SampledLog = {
  info(details: object, message: string): void;
  /** Logs the number of events that were left out so far. */
  stop(): void;
};

const windowMs = 1_000;

/**
 * Limits log lines about events that strangers or broken servers can cause thousands of times a second.
 * @param leftOutMessage the message of the line with the number `leftOut`
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
