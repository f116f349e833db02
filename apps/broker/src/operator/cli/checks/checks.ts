import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { sayMisspelled } from '#platform/config/misspelled.ts';
import { flag, ReportedError, text, UsageError, type CliOptions, type Command, type Values } from '../command.ts';

export const checkCliCommands: readonly Command[] = [
  {
    name: 'check-config',
    summary: 'checks whether Souk can start with this configuration, and lists every problem',
    usage: 'check-config [--manifests DIR]',
    options: { manifests: text },
    help: [['--manifests DIR', 'check the manifests of this folder instead of the bundled ones']],
    run: checkConfig,
    standsAlone: true,
  },
  {
    name: 'doctor',
    summary: 'connects to an installation as an MCP client does, and names what keeps clients from connecting',
    usage: 'doctor [URL] [--json]',
    options: { json: flag },
    argument: 'URL',
    help: [
      [
        'URL',
        'the public address of the installation; by default PUBLIC_URL or PORT, else what the broker of DATA_DIR says',
      ],
      ['--json', 'print the checks as JSON'],
      ['', 'exits with 0 without faults, 1 with faults, 78 if the configuration is invalid'],
    ],
    run: examineInstallation,
    standsAlone: true,
  },
];

async function checkConfig(values: Values, { environment, stdout, stderr, checks: given }: CliOptions): Promise<void> {
  const { checkWithoutConfig, checkNotices, configChecks, configWarnings } = await import('./config-checks.ts');
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...error.problems, ...(await checkWithoutConfig(environment))]);
  }
  const { checkMail } = await import('./mail-checks.ts');
  const { checkDeployed } = await import('./deployed-checks.ts');
  const { checkPrograms } = await import('./program-checks.ts');
  const checks = given ?? [...configChecks(), checkNotices, checkMail, checkPrograms(), checkDeployed];
  const warn = (line: string) => stderr(`Warning: ${line}`);
  const manifestsDir = typeof values.manifests === 'string' ? values.manifests : undefined;
  const problems = (await Promise.all(checks.map((check) => check(config, { manifestsDir, warn })))).flat();
  const misspelled = config.misspelled.map(sayMisspelled);
  if (problems.length > 0) throw new ConfigError([...problems, ...misspelled]);
  // only a warning: the variable may belong to another program
  for (const each of [...configWarnings(config), ...misspelled]) warn(each);
  stdout('Configuration is valid');
}

async function examineInstallation(values: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { examine, printDiagnosis } = await import('./doctor.ts');
  const address = typeof values.URL === 'string' ? values.URL : undefined;
  const examined = await examine(address, environment);
  if (!examined) throw new UsageError(`${address} is not an http or https address. See: npm run souk -- doctor --help`);
  const { baseUrl, diagnosis } = examined;
  if (values.json === true) stdout(JSON.stringify({ url: baseUrl, ...diagnosis }));
  else printDiagnosis(baseUrl, diagnosis, stdout);
  if (!diagnosis.ok) throw new ReportedError();
}
