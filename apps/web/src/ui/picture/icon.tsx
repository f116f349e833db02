import { LetterImage, type LetterImageProps } from './letter-image.tsx';
import { ServerMark } from './server-mark.tsx';

export type IconProps = Omit<LetterImageProps, 'className' | 'fallback'> & {
  /** Decides the hue of the mark that replaces a missing picture. */
  id: string;
};

/** A service's icon: a square picture, or a mark with its initial if the picture is missing or broken. */
export function Icon({ id, ...rest }: IconProps) {
  return (
    <LetterImage
      {...rest}
      fallback={<ServerMark id={id} name={rest.name} />}
      className={rest.size !== undefined && rest.size <= 24 ? 'rounded-sm' : 'rounded-md'}
    />
  );
}
