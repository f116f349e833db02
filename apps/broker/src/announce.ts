import { sayMisspelled } from '#platform/config/misspelled.ts';
import type { Config } from '#platform/config.ts';
import { describeSignInAllow } from '#platform/config/sign-in-allow.ts';
import type { Log } from '#platform/log.ts';
import { version } from './version.ts';

/**
 * Says that the broker is ready and at which address: as text on a terminal, otherwise as a line of the log at any level.
 * @param terminal standard output if it is a terminal
 */
export function announce(config: Config, log: Log, terminal: { write(text: string): void } | undefined): void {
  const { brandName, publicUrl, signInAllow } = config;
  const facts = {
    address: publicUrl,
    link: `${publicUrl}/mcp`,
    signIn: describeSignIn(config),
    open: describeSignInAllow(signInAllow),
  };
  if (config.production || !terminal) {
    log.child({}, { level: 'info' }).info({ ...facts, version }, `${brandName} is ready`);
    return;
  }
  terminal.write(`
${brandName} is ready.

  Address   ${facts.address}
  Link      ${facts.link}      paste it into Claude, ChatGPT, VS Code or any MCP client
  Sign in   ${facts.signIn}
  Open to   ${facts.open}

`);
}

function describeSignIn({ google, oidc, standIn, adminEmails }: Config): string {
  if (standIn) {
    return `with the stand-in for Google (demo sign-in): pick an account, or type any e-mail. Administrator: ${adminEmails.join(', ')}`;
  }
  return `with ${[...(google ? ['Google'] : []), ...(oidc ? [oidc.name] : [])].join(' or ')}`;
}

/** Warns of configuration that the operator should change although the broker starts. */
export function warnAtStart(
  config: Pick<Config, 'ignoredHost' | 'misspelled' | 'adminEmails' | 'publicUrl'>,
  log: Log,
  deployedServers: number,
): void {
  for (const each of config.misspelled) log.warn(each, sayMisspelled(each));
  if (config.ignoredHost !== undefined) {
    log.warn(
      { host: config.ignoredHost },
      'HOST is ignored: with demo sign-in or demo payments only this machine can connect',
    );
  }
  if (deployedServers > 0) return;
  const { adminEmails, publicUrl } = config;
  const who = adminEmails.length > 0 ? `sign in as ${adminEmails.join(' or ')}` : 'set ADMIN_EMAILS, sign in';
  log.warn(
    `no server is deployed, so the shop is empty: ${who} and upload a manifest at ${publicUrl}/admin, or run ` +
      '`npm run souk -- manifest deploy FILE` (docs/manifests.md says what a manifest is)',
  );
}
