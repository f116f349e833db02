const secretWords = /key|token|secret|passw|passphrase|auth|credential|signature|bearer|cookie|jwt/i;
/** Words too short to search for inside other words. */
const shortWords: ReadonlySet<string> = new Set(['pat', 'pass', 'pwd', 'pin', 'otp', 'dsn']);
const wholeNames: ReadonlySet<string> = new Set(['sig', 'code']);

/** Returns whether a variable, option or parameter of this name is likely to hold a secret. */
export function soundsSecret(name: string): boolean {
  const lower = name.toLowerCase();
  return secretWords.test(name) || wholeNames.has(lower) || lower.split(/[_-]/).some((word) => shortWords.has(word));
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns whether a part of an address is as long and mixed as keys are, and is not a UUID. */
export function looksSecret(text: string): boolean {
  return /^[\w~+=-]{24,}$/.test(text) && /\d/.test(text) && /[A-Za-z]{2}/.test(text) && !uuid.test(text);
}

/** Words that are values of settings, not passwords. */
const plainWords: ReadonlySet<string> = new Set(
  (
    'true false on off yes no enabled disabled none null auto default all any ' +
    'silent quiet fatal error warn warning info notice debug trace verbose ' +
    'production development prod dev test testing staging local ' +
    'json text plain pretty xml yaml csv html markdown utf8 utf-8 utc ' +
    'stdio http https sse tcp localhost'
  ).split(' '),
);

/**
 * Returns whether a value is a plain setting: a switch, a number or a common word. Every other value that a configuration
 * gives to a program counts as a secret, even a short word: DB_USER=swordfish is one.
 */
export function isPlainSetting(name: string, value: string): boolean {
  if (soundsSecret(name)) return false;
  return /^\d{1,5}$/.test(value) || plainWords.has(value.toLowerCase());
}

/** Returns whether a word of a command line looks like a key: it has a long mixed part without separators, unlike names. */
function looksLikeKey(word: string): boolean {
  return looksSecret(word) && word.split(/[^A-Za-z0-9]/).some((part) => part.length >= 20 && /\d/.test(part));
}

/**
 * Removes `--token x`, `--token=x`, `API_KEY=x`, `X-Api-Key: x`, addresses that contain a secret and what looks like a key.
 * Removes a whole shell command line if a part of it is one of these.
 */
export function withoutSecrets(args: readonly string[]): string[] {
  return args.filter((arg, index) => {
    if (looksLikeKey(arg) || hasSecret(arg)) return false;
    const [before, next] = [args[index - 1], args[index + 1]];
    if (isOption(arg)) return !(next !== undefined && isSecretOption(arg, next));
    return !(before !== undefined && isOption(before) && isSecretOption(before, arg));
  });
}

const isOption = (arg: string) => arg.startsWith('-');

/** Returns whether an option's value is the next argument, and a secret. */
function isSecretOption(option: string, next: string): boolean {
  if (option.includes('=') || isOption(next)) return false;
  return soundsSecret(option) || looksLikeKey(next) || hasSecret(next);
}

/** Returns whether a part of an argument names a secret with its value, or is one. */
function hasSecret(arg: string): boolean {
  const parts = arg.replaceAll(/["']/g, '').split(/[\s&;|,{}]/);
  return parts.some((part) => {
    if (isAddress(part)) return isSecretAddress(part);
    const end = part.search(/[=:]/);
    return end > 0 && (soundsSecret(part.slice(0, end)) || looksLikeKey(part.slice(end + 1)));
  });
}

const isAddress = (word: string) => /^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(word);

function isSecretAddress(word: string): boolean {
  const url = URL.parse(word);
  if (!url) return false;
  return url.password !== '' || [...url.searchParams].some(([name, value]) => soundsSecret(name) || looksSecret(value));
}
