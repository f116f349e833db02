import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { production } from '#testing/config-problems.ts';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { announce, warnAtStart } from './announce.ts';

/** Returns what a start with this environment writes to the log (standard output) and to a terminal. */
function start(environment: NodeJS.ProcessEnv, { deployed = 1, isTerminal = false } = {}) {
  const [lines, terminal]: [string[], string[]] = [[], []];
  const config = readConfig(environment);
  const destination = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  const log = createLog(config.logLevel, destination);
  announce(config, log, isTerminal ? { write: (text) => terminal.push(text) } : undefined);
  warnAtStart(config, log, deployed);
  return { lines: lines.map((line) => JSON.parse(line)), text: terminal.join('') };
}

test('standard output that is not a terminal gets a line of JSON, at any level; a terminal gets text', () => {
  const facts = {
    level: 30,
    address: 'http://localhost:3000',
    link: 'http://localhost:3000/mcp',
    signIn:
      'with the stand-in for Google (demo sign-in): pick an account, or type any e-mail. Administrator: admin@souk.test',
    open: 'everyone (SIGN_IN_ALLOW can restrict it)',
    msg: 'Souk is ready',
  };
  expect(start({ LOG_LEVEL: 'fatal' })).toMatchObject({ lines: [facts], text: '' });
  const { lines, text } = start({}, { isTerminal: true });
  expect(lines).toEqual([]);
  expect(text).toMatch(/^\nSouk is ready\.\n\n {2}Address {3}http:\/\/localhost:3000\n/);
  // its log level is info, so the terminal gets JSON too
  const inProduction = start(production, { isTerminal: true });
  expect(inProduction).toMatchObject({ lines: [{ signIn: 'with Google', msg: 'Souk is ready' }], text: '' });
});

test('a start warns of a misspelled variable and of an empty shop, and says what to do', () => {
  const warned = (environment: NodeJS.ProcessEnv, deployed = 1) =>
    start(environment, { deployed }).lines.flatMap(({ level, msg }) => (level === 40 ? [msg] : []));
  expect(warned({})).toEqual([]);
  expect(warned({ ADMIN_EMIALS: 'ada@souk.test' })).toEqual([
    'ADMIN_EMIALS is not a variable of Souk: did you mean ADMIN_EMAILS?',
  ]);
  const upload =
    'and upload a manifest at https://souk.example/admin, or run `npm run souk -- manifest deploy FILE` (docs/manifests.md says what a manifest is)';
  const empty = 'no server is deployed, so the shop is empty';
  expect(warned(production, 0)).toEqual([`${empty}: set ADMIN_EMAILS, sign in ${upload}`]);
  expect(warned({ ...production, ADMIN_EMAILS: 'ada@souk.test' }, 0)).toEqual([
    `${empty}: sign in as ada@souk.test ${upload}`,
  ]);
});
