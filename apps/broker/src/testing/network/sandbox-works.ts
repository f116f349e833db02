import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

/**
 * Returns why bubblewrap does not work here at all, in its own words: some kernels and containers refuse it what it
 * needs.
 */
export function sandboxProblem(): string | undefined {
  const { error, status, stderr } = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true'], {
    encoding: 'utf8',
  });
  if (error) return 'bubblewrap (bwrap) is not installed';
  return status === 0 ? undefined : `bubblewrap (bwrap) does not work here (${stderr.trim()})`;
}

/** Returns why pasta cannot give the sandbox a network here, or why the tests cannot build namespaces around it. */
export function networkProblem(): string | undefined {
  if (spawnSync('pasta', ['--version']).error) return 'pasta (package passt) is not installed';
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
  } catch {
    return '/dev/net/tun cannot be opened';
  }
  const build = 'ip link add v0 type veth peer name v1 && mount --bind /etc/hosts /etc/resolv.conf';
  const { error, status, stderr } = spawnSync('unshare', ['-Urnm', 'sh', '-c', build], { encoding: 'utf8' });
  return status === 0 ? undefined : `namespaces do not work here (${error?.message ?? stderr.trim()})`;
}
