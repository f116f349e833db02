import { LetterImage, type LetterImageProps } from './letter-image.tsx';

export function Avatar({ size = 24, ...rest }: Omit<LetterImageProps, 'className'>) {
  return <LetterImage {...rest} size={size} className="rounded-full" />;
}
