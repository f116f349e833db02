import type { SecretKind } from '@souk/contract/admin/secrets.ts';

const ofProgram = /^(?:program|package):/;

/** Where a secret goes, and nowhere else. */
export function PlaceText({ kind, place }: { kind: SecretKind; place: string }) {
  return (
    <>
      {kind === 'header' ? 'Sent only to ' : 'Given only to the program '}
      <code className="font-mono text-xs wrap-anywhere text-text">{place.replace(ofProgram, '')}</code>
    </>
  );
}
