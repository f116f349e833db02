import type { Client, LoggingLevel } from '@modelcontextprotocol/client';
import type { Log } from '#platform/log.ts';
import { logLevels } from '../upstream.ts';

const requestTimeoutMs = 5000;

/**
 * Sets the log level of a server up to 2025-11-25, which has one level for all calls of an upstream connection: the most
 * verbose level that any call asked for. Calls that asked for less filter. Modern servers get a level with each request.
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
          // a call must not fail because its server refuses a log level that it said it supports
          .then(
            () => {},
            (error: unknown) => log.debug({ err: error }, 'an upstream refused its log level'),
          );
      }
      await setting;
    },
  };
}
