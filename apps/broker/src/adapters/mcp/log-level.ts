import type { Client, LoggingLevel } from '@modelcontextprotocol/client';
import type { Log } from '#platform/log.ts';

const requestTimeoutMs = 5000;

/** From the chattiest on (RFC 5424, section 6.2.1). */
export const logLevels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/**
 * What a server up to 2025-11-25 sends over one connection: it knows one level for all calls. The chattiest that anybody
 * has wanted stands; whoever wanted less leaves out the rest. Modern servers are told with each request.
 */
export function createLogLevel(client: Client, log: Log): { want(level: LoggingLevel): Promise<void> } {
  const isSettable = client.getProtocolEra() !== 'modern' && client.getServerCapabilities()?.logging !== undefined;
  let set: LoggingLevel | undefined;
  let setting = Promise.resolve();

  return {
    async want(level) {
      if (!isSettable) return;
      if (set === undefined || logLevels.indexOf(level) < logLevels.indexOf(set)) {
        set = level;
        setting = setting
          .then(() => client.setLoggingLevel(level, { timeout: requestTimeoutMs }))
          // a call is not lost because its server does not keep its word about logging
          .then(
            () => {},
            (error: unknown) => log.debug({ err: error }, 'an upstream did not take its log level'),
          );
      }
      await setting;
    },
  };
}
