import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { notPublic4, notPublic6 } from '#platform/http/outgoing/address-guard.ts';

/** The programs that give a sandbox its network, by absolute path. */
export type NetworkTools = Readonly<Record<(typeof networkTools)[number], string>>;
/** pasta is in Debian's package passt, ip in iproute2, the others in util-linux. */
export const networkTools = ['pasta', 'ip', 'setpriv', 'unshare'] as const;

/** Where pasta answers DNS if the machine's own resolver is on its loopback. Nothing else has this address. */
const forwardedResolver = '169.254.1.1';
/** The second file has the resolvers behind systemd's own, which listens on 127.0.0.53. */
const resolverFiles = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
const pastaOptions = '--foreground --quiet --config-net --no-map-gw -t none -u none -T none -U none'.split(' ');
/** User without rights: pasta fails if root starts it, so a broker that runs as root starts it as this user. */
const unprivileged = '65534';

/**
 * Prepares the network inside, then runs the sandbox. Routing rules come before every route, and the program cannot change
 * them. The two files of the resolver reach bubblewrap as open files.
 */
const prepare = `
printf %s "$1" | "$0" -4 -batch - || exit 97
[ -z "$2" ] || printf %s "$2" | "$0" -6 -batch - || exit 97
resolvers=$3; shift 3
exec "$@" 3<<END 4<<END
$resolvers
END
127.0.0.1 localhost
::1 localhost
END
`;

/** Options of bubblewrap for a sandbox that `inPublicNetwork` runs. */
export const publicNetworkOptions = '--share-net --ro-bind-data 3 /etc/resolv.conf --ro-bind-data 4 /etc/hosts'.split(
  ' ',
);

/**
 * The command that runs `argv` (bubblewrap) in its own network, from which only public unicast addresses can be reached: not
 * this machine at any of its addresses, no private networks, and no metadata address of clouds. Only DNS goes to the
 * machine's resolvers, wherever they are. Nothing can connect from outside.
 */
export function inPublicNetwork(argv: readonly string[], tools: NetworkTools): [string, ...string[]] {
  const found = findResolvers();
  const resolvers = found.length > 0 ? found : [forwardedResolver];
  const forwarding = found.length > 0 ? [] : ['--dns-forward', forwardedResolver];
  const asUnprivileged = [tools.unshare, '--user', `--map-user=${unprivileged}`, `--map-group=${unprivileged}`];
  const rules6 = existsSync('/proc/net/if_inet6') ? rules(6, resolvers) : '';
  const nameservers = resolvers.map((address) => `nameserver ${address}\n`).join('');
  // pasta ends with the broker, and bubblewrap with pasta
  const command: [string, ...string[]] = [tools.setpriv, '--pdeathsig', 'KILL'];
  if (process.getuid?.() === 0) command.push(...asUnprivileged);
  command.push(tools.pasta, ...pastaOptions, ...forwarding, '--');
  command.push('/bin/sh', '-c', prepare, tools.ip, rules(4, resolvers), rules6, nameservers, ...argv);
  return command;
}

/** Returns lines for `ip -batch`. The first matching rule decides; before them comes the table of the program's own addresses. */
function rules(version: 4 | 6, resolvers: readonly string[]): string {
  const ofVersion = (address: string) => isIP(address) === version;
  const whole = version === 4 ? 32 : 128;
  const dns = resolvers
    .filter(ofVersion)
    .flatMap((address) =>
      ['udp', 'tcp'].map((protocol) => `to ${address}/${whole} ipproto ${protocol} dport 53 lookup main priority 10`),
    );
  const own = ownAddresses()
    .filter(ofVersion)
    .map((address) => `to ${address}/${whole} prohibit priority 20`);
  const special = (version === 4 ? notPublic4 : notPublic6).map(
    ([network, prefix]) => `to ${network}/${prefix} prohibit priority 30`,
  );
  const others = version === 4 ? [] : ['not to 2000::/3 prohibit priority 40'];
  return [...dns, ...own, ...special, ...others].map((rule) => `rule add ${rule}\n`).join('');
}

/** This machine's addresses. A connection to them would come from the machine itself and bypass its firewall. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return [...new Set(all.map(({ address }) => address).filter((address) => isIP(address) !== 0))];
}

/** The machine's resolvers that pasta can reach by address; none if they are on the machine itself. */
function findResolvers(): string[] {
  const own = new Set(ownAddresses());
  for (const file of resolverFiles) {
    const found = nameserversIn(file).filter((address) => isIP(address) !== 0 && !isLoopback(address));
    const elsewhere = found.filter((address) => !own.has(address) && !address.includes('%'));
    if (elsewhere.length > 0) return elsewhere.slice(0, 3);
  }
  return [];
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** Reads resolv.conf(5) at each start of a program: a machine that changes networks gets other resolvers. */
function nameserversIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [name, address] = line.trim().split(/\s+/, 2);
    return name === 'nameserver' && address !== undefined ? [address] : [];
  });
}
