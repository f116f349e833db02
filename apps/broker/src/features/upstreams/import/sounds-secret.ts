const secretWords = /key|token|secret|passw|auth|credential|signature|^sig$|^code$|^pat$|_pat$/i;

/** Whether a variable, an option or a parameter of this name is likely to hold a secret. */
export const soundsSecret = (name: string): boolean => secretWords.test(name);

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a part of an address is as long and mixed as keys are, and no UUID. */
export function looksSecret(text: string): boolean {
  return /^[\w~+=-]{24,}$/.test(text) && /\d/.test(text) && /[A-Za-z]{2}/.test(text) && !uuid.test(text);
}

/**
 * Whether a value is a plain setting and no secret whatever its name: a switch, a number or a short word. Everything else
 * that a configuration gives to a program is taken for one.
 */
export function isPlainSetting(name: string, value: string): boolean {
  return !soundsSecret(name) && /^(?:true|false|on|off|yes|no|\d{1,5}|[a-z]{1,10})$/i.test(value);
}

/** Without `--token x`, `--token=x`, `API_KEY=x`, `X-Api-Key: x` and addresses with a password. */
export function withoutSecrets(args: readonly string[]): string[] {
  const isName = (text: string | undefined) => text !== undefined && text.startsWith('-') && soundsSecret(text);
  return args.filter((arg, index) => {
    const [name = ''] = arg.split(/[=:]/, 1);
    if (name.length < arg.length && soundsSecret(name)) return false;
    if (isName(args[index - 1]) && !args[index - 1]?.includes('=') && !arg.startsWith('-')) return false;
    const next = args[index + 1];
    if (isName(arg) && next !== undefined && !next.startsWith('-')) return false;
    return !URL.parse(arg)?.password;
  });
}
