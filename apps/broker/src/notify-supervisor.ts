import { execFile } from 'node:child_process';
import type { Log } from '#platform/log.ts';

/** Heartbeats within the time after which systemd considers the broker hung, so that one may arrive late. */
const messagesPerTimeout = 3;
const sendTimeoutMs = 10_000;

export type Supervisor = {
  /** Reports that requests are served: `systemctl start` returns, and systemd begins to expect heartbeats. */
  ready(): void;
  stopping(): void;
  /** Ends the heartbeats. The broker sends them until its process ends, since systemd may expect them during a stop. */
  stop(): void;
};

/**
 * Reports the broker's state to systemd (sd_notify(3)) if a unit of `Type=notify` asks for it. Heartbeats come from the event
 * loop, so that systemd restarts a broker whose loop is stuck. Node cannot open Unix datagram sockets, so systemd's own
 * program sends the messages; the unit needs `NotifyAccess=all`.
 */
export function notifySupervisor(
  { NOTIFY_SOCKET, WATCHDOG_USEC, PATH }: NodeJS.ProcessEnv,
  log: Pick<Log, 'warn'>,
): Supervisor {
  if (!NOTIFY_SOCKET) return { ready() {}, stopping() {}, stop() {} };
  let hasFailed = false;
  let heartbeat: NodeJS.Timeout | undefined;
  const send = (...messages: string[]) => {
    const env = { NOTIFY_SOCKET, PATH };
    execFile('systemd-notify', messages, { env, timeout: sendTimeoutMs }, (error) => {
      if (error && !hasFailed) log.warn({ err: error }, 'the state of the broker could not be reported to systemd');
      hasFailed = error !== null;
    });
  };
  const timeoutMs = Number(WATCHDOG_USEC) / 1000;
  return {
    ready() {
      send('READY=1');
      if (timeoutMs > 0) heartbeat = setInterval(send, timeoutMs / messagesPerTimeout, 'WATCHDOG=1').unref();
    },
    stopping: () => send('STOPPING=1'),
    stop: () => clearInterval(heartbeat),
  };
}
