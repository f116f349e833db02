import { readAddress } from '../read-address.ts';
import { NotImportable, type Named, type Target } from '../wanted.ts';
import { looksSecret, soundsSecret } from '../sounds-secret.ts';
import { fillInput, fillText, hasVariable } from './fill-input.ts';
import type { KeyValue, Remote } from './server-json-schema.ts';

/**
 * Reads a server at its author's address.
 * @param at its path in the document, for messages
 * @throws NotImportable
 */
export function readRemote({ type, url, headers, variables = {} }: Remote, at: string, notes: string[]): Target {
  if (type === 'sse') {
    throw new NotImportable(
      `its address ${url} speaks the older HTTP+SSE transport. Souk speaks Streamable HTTP: ask its author for that address`,
    );
  }
  if (!['streamable-http', 'streamable', 'http', 'websocket'].includes(type)) {
    throw new NotImportable(`Souk does not know the transport "${type}" of its address`);
  }
  const filled = fillText(url, variables);
  if (filled.kind === 'secret') {
    throw new NotImportable(
      'its address carries a secret, which does not belong in a manifest: ask its author for one that takes a header',
    );
  }
  const open = filled.kind === 'value' ? /\{[^{}]{1,100}\}/.exec(filled.value)?.[0] : undefined;
  if (filled.kind !== 'value' || open !== undefined) {
    const what = filled.kind === 'missing' ? filled.what : open;
    throw new NotImportable(
      `its address needs a value from you (${what}): write the whole address at ${at}.url, and paste it here`,
    );
  }
  const wanted = headers.flatMap((header) => wantedHeader(header, notes));
  if (wanted.length === 0) notes.push(mayWantSignIn);
  return readAddress(filled.value, wanted);
}

/** Note on sign-ins, since a server.json does not say whether its server needs them. */
const mayWantSignIn =
  'If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.';

function wantedHeader(header: KeyValue, notes: string[]): Named[] {
  const { name, description, isRequired } = header;
  const filled = fillInput(header);
  const isNeeded = isRequired === true || filled.kind === 'secret' || header.value !== undefined;
  if (!isNeeded) {
    notes.push(`Its optional header ${name} is left out${said(description)}.`);
    return [];
  }
  const isLiteral = header.value !== undefined && !hasVariable(header.value);
  const isSecret = header.isSecret === true || soundsSecret(name) || looksSecret(header.value ?? '');
  if (isLiteral && isSecret) notes.push(`The value of its header ${name} in the document is not imported.`);
  else if (filled.kind === 'value') notes.push(`The value of its header ${name} is: ${filled.value}`);
  else if (header.value !== undefined) notes.push(`The value of its header ${name} has this form: ${header.value}`);
  if (filled.kind === 'secret' && isRequired !== true) {
    notes.push(`Its header ${name} is optional: take it out of "auth" where you have no value for it.`);
  }
  return [{ name, description }];
}

const said = (description: string | undefined) => (description === undefined ? '' : ` (${description.slice(0, 200)})`);
