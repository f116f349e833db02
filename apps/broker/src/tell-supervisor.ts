import { execFile } from 'node:child_process';
import type { Log } from '#platform/log.ts';

/** systemd hears from us three times in the time after which it takes us for hung: one message may come late. */
const messagesPerTimeout = 3;
const sendTimeoutMs = 10_000;

export type Supervisor = {
  /** Requests are served: `systemctl start` returns, and systemd begins to expect signs of life. */
  ready(): void;
  stopping(): void;
  /** Ends the signs of life, which else end with the process: systemd may expect them during a stop too. */
  stop(): void;
};

/**
 * Tells systemd how the broker is (sd_notify(3)), where a unit of `Type=notify` asks for it. The signs of life come from the
 * event loop: a broker that no longer turns it sends none, and systemd restarts it. Node opens no datagram socket of the file
 * system, so that systemd's own program sends the messages; the unit needs `NotifyAccess=all`.
 */
export function tellSupervisor(
  { NOTIFY_SOCKET, WATCHDOG_USEC, PATH }: NodeJS.ProcessEnv,
  log: Pick<Log, 'warn'>,
): Supervisor {
  if (!NOTIFY_SOCKET) return { ready() {}, stopping() {}, stop() {} };
  let hasFailed = false;
  let signsOfLife: NodeJS.Timeout | undefined;
  const send = (...messages: string[]) => {
    const env = { NOTIFY_SOCKET, PATH };
    execFile('systemd-notify', messages, { env, timeout: sendTimeoutMs }, (error) => {
      if (error && !hasFailed) log.warn({ err: error }, 'systemd could not be told how the broker is');
      hasFailed = error !== null;
    });
  };
  const timeoutMs = Number(WATCHDOG_USEC) / 1000;
  return {
    ready() {
      send('READY=1');
      if (timeoutMs > 0) signsOfLife = setInterval(send, timeoutMs / messagesPerTimeout, 'WATCHDOG=1').unref();
    },
    stopping: () => send('STOPPING=1'),
    stop: () => clearInterval(signsOfLife),
  };
}
