// Plain JavaScript for Node 18, because an old Node runs this file.
import { readFileSync } from 'node:fs';

const intervalMs = 250;

/**
 * Calls `act` once the npm that started this process has ended. npm passes SIGINT and SIGTERM on, but SIGHUP and SIGKILL end it,
 * like the shell that npm may have started in between.
 */
export function onceOrphaned(act) {
  const starters = [process.ppid, ...aboveShell(process.ppid)];
  const timer = setInterval(() => {
    if (process.ppid === starters[0] && starters.every(isAlive)) return;
    clearInterval(timer);
    act();
  }, intervalMs);
  timer.unref();
}

/** Returns the parent shells that run our command line, and the npm above them; none if npm is the parent, or without /proc. */
function aboveShell(pid) {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('run.mjs')) return [];
    const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
    return [parent, ...aboveShell(parent)];
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
