import { LetterImage, type LetterImageProps } from './letter-image.tsx';

/** A service's icon: square picture, or the first letter of its name where it is missing or broken. */
export function Icon(props: Omit<LetterImageProps, 'className'>) {
  return <LetterImage {...props} className="rounded-md border border-line" />;
}
