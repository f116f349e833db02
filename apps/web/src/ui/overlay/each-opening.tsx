import { Fragment, useState, type ReactNode } from 'react';

export type EachOpeningProps<Asked> = {
  /** The subject of the dialog; undefined: closed. */
  asked: Asked | undefined;
  /** Renders the dialog, also while it closes. */
  children: (asked: Asked, open: boolean) => ReactNode;
};

/** Gives each opening of a dialog a fresh state, without the input and errors of the last one. */
export function EachOpening<Asked>({ asked, children }: EachOpeningProps<Asked>) {
  const [known, setKnown] = useState({ asked, shown: asked, opening: 0 });
  if (asked !== known.asked) {
    setKnown(asked === undefined ? { ...known, asked } : { asked, shown: asked, opening: known.opening + 1 });
  }
  if (known.shown === undefined) return null;
  return <Fragment key={known.opening}>{children(known.shown, asked !== undefined)}</Fragment>;
}
