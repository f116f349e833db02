import type { SecretKind } from '@souk/contract/admin/secrets.ts';
import { Code } from '../../code.tsx';

const ofProgram = /^(?:program|package):/;

/** The only place where a secret is sent. */
export function PlaceText({ kind, place }: { kind: SecretKind; place: string }) {
  return (
    <>
      {kind === 'header' ? 'Sent only to ' : 'Given only to the program '}
      <Code>{place.replace(ofProgram, '')}</Code>
    </>
  );
}
