import { request } from 'undici';
import { failed, passed, skipped, type Check, type Finding, type Patient } from './check.ts';

/** A larger skew breaks sign-in: codes live 60 s, and tokens are compared by their times. */
const maxSkewMs = 60_000;
const timeoutMs = 5_000;

const setClock = 'Let the machine set its clock from the network (NTP).';

function compare(otherMs: number, oursMs: number, other: string, advice = setClock): Finding {
  const skewMs = otherMs - oursMs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= maxSkewMs) return passed(`The two clocks agree${seconds < 2 ? '' : ` within ${seconds} s`}.`);
  return failed(
    `Clock skew: ${other} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock here; at most 60 s are allowed.`,
    advice,
  );
}

/** Compares the installation's Date header with this machine's clock, which may be a client's. */
export const serverClockCheck: Check = {
  id: 'clock-server',
  name: 'The clock of the installation is right',
  needs: ['address'],
  async run({ nowMs }, http) {
    const date = Date.parse((await http.send('/healthz')).header('date') ?? '');
    if (Number.isNaN(date)) return skipped('Its answers have no Date header.');
    const advice = `${setClock} One of the two is wrong: this machine, or the server.`;
    return compare(date, nowMs(), 'the installation', advice);
  },
};

export const browserClockCheck: Check = {
  id: 'clock-browser',
  name: 'The clock of your browser is right',
  async run({ browser, nowMs }) {
    if (browser?.timeMs === undefined) return skipped('Only the page "Connections" knows it.');
    return compare(browser.timeMs, nowMs(), 'your browser', 'Set the clock of your machine, or let it set itself.');
  },
};

export const databaseClockCheck: Check = {
  id: 'clock-database',
  name: 'The clock of the database is right',
  async run({ databaseNowMs, nowMs }) {
    if (!databaseNowMs) return skipped('Only the broker itself can ask it.');
    const advice = `${setClock} This applies to the database's machine too.`;
    return compare(await databaseNowMs(), nowMs(), 'the database', advice);
  },
};

/** A provider dates its identity tokens by its own clock, and we refuse tokens from the future. */
export const providerClockCheck: Check = {
  id: 'clock-provider',
  name: 'The clock agrees with the sign-in provider',
  async run({ signInProviders = [], nowMs, dispatcher }) {
    const findings = await Promise.all(signInProviders.map((issuer) => examineProvider(issuer, nowMs, dispatcher)));
    const worst =
      findings.find(({ status }) => status === 'failed') ?? findings.find(({ status }) => status === 'skipped');
    return worst ?? findings[0] ?? skipped('Only the broker itself knows its sign-in provider.');
  },
};

async function examineProvider(
  issuer: string,
  nowMs: Patient['nowMs'],
  dispatcher: Patient['dispatcher'],
): Promise<Finding> {
  let date: number;
  try {
    const base = issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
    const answer = await request(`${base}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(timeoutMs),
      ...(dispatcher && { dispatcher }),
    });
    date = Date.parse(String(answer.headers.date));
    await answer.body.dump();
  } catch {
    return failed(
      `The sign-in provider ${new URL(issuer).host} cannot be reached from here.`,
      'Let the broker reach it (firewall, proxy, DNS): sign-in does not work without it.',
    );
  }
  if (Number.isNaN(date)) return skipped('Its answers have no Date header.');
  return compare(date, nowMs(), 'the sign-in provider');
}
