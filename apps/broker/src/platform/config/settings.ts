import type { Setting } from '@souk/contract/admin/system.ts';
import { disclosure } from './disclosure.ts';
import { lowerCaseToo, type Environment } from './environment.ts';
import { upstreamPrefixes } from './upstream-secrets.ts';

/** The paths of --env-file, by the variables that come from them. */
export type FilesOfVariables = ReadonlyMap<string, string>;

/**
 * Lists the configuration in force for administrators: each variable, where it comes from, and its value unless that is
 * secret. Secrets are left out here, so that nothing made from this list can contain one.
 * @param inForce values that follow from others if a variable is not set
 */
export function describeSettings(
  env: Environment,
  variables: NodeJS.ProcessEnv,
  {
    files,
    inForce,
    masterKeyFile,
  }: {
    files: FilesOfVariables;
    inForce: { readonly [Name in keyof Environment]?: Environment[keyof Environment] };
    masterKeyFile: string;
  },
): Setting[] {
  const isSet = (name: string) => (variables[name] ?? '').trim() !== '';
  const place = (name: string): Pick<Setting, 'origin' | 'file'> => {
    const lower = lowerCaseToo.some((one) => one === name) ? name.toLowerCase() : name;
    const given = [lower, name].find(isSet);
    if (given !== undefined) {
      const file = files.get(given);
      return file === undefined ? { origin: 'environment', file: null } : { origin: 'env-file', file };
    }
    const path = variables[`${name}_FILE`]?.trim();
    return path ? { origin: 'secret-file', file: path } : { origin: 'default', file: null };
  };

  const own = Object.entries(disclosure).map(([name, rule]): Setting => {
    // Object.entries loses the type of the keys
    const key = name as keyof Environment;
    const value = textOf(env[key]) ?? textOf(inForce[key]);
    const from = place(name);
    if (rule === 'secret') return { name, value: null, isSecret: true, ...from };
    return { name, value: rule === 'address' ? addressOf(value) : value, isSecret: false, ...from };
  });
  const upstream = Object.keys(variables)
    .filter((name) => isSet(name) && upstreamPrefixes.some((prefix) => name.startsWith(prefix)))
    .toSorted()
    .map((variable): Setting => {
      const name = variable.endsWith('_FILE') ? variable.slice(0, -'_FILE'.length) : variable;
      return { name, value: null, isSecret: true, ...place(name) };
    });
  return [...own, ...upstream].map((setting) =>
    setting.name === 'MASTER_KEY' && setting.origin === 'default'
      ? { ...setting, origin: 'secret-file' as const, file: masterKeyFile }
      : setting,
  );
}

function textOf(value: Environment[keyof Environment]): string | null {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'object') return value.length === 0 ? null : value.join(', ');
  return String(value);
}

/** Removes user, password, query and fragment. */
function addressOf(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  if (!url) return null;
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns all secret values; for an address, its password and its query parameters. */
export function secretValuesOf(env: Environment, upstreamSecrets: ReadonlyMap<string, string>): string[] {
  const own = Object.entries(disclosure).flatMap(([name, rule]) => {
    const value = textOf(env[name as keyof Environment]);
    if (value === null || rule === 'shown') return [];
    if (rule === 'secret') return [value];
    const url = URL.parse(value);
    return url ? [url.password, decoded(url.password), ...url.searchParams.values()] : [value];
  });
  return [...own, ...upstreamSecrets.values()].filter((value) => value !== '');
}
