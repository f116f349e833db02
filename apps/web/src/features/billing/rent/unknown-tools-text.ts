import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';

/** Says when the tools of a service appear, if there is no list of them yet. */
export function unknownToolsText(
  name: string,
  { requires, status }: Pick<ServerAnswer, 'requires' | 'status'>,
): string {
  if (requires === 'sign_in') return `${name} shows its tools once you sign in there.`;
  if (requires === 'headers') return `${name} shows its tools once you enter your key.`;
  return status === 'connected'
    ? `${name} has no tools at the moment.`
    : `The tools of ${name} appear once it can be reached.`;
}
