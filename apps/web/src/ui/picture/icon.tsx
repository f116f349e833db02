import { LetterImage, type LetterImageProps } from './letter-image.tsx';
import { ServerMark } from './server-mark.tsx';

export type IconProps = Omit<LetterImageProps, 'className' | 'fallback'> & {
  /** Decides the hue of the mark that stands where there is no picture. */
  id: string;
};

/** A service's icon: square picture, or its mark with the first letter of its name where it is missing or broken. */
export function Icon({ id, ...rest }: IconProps) {
  return (
    <LetterImage
      {...rest}
      fallback={<ServerMark id={id} name={rest.name} />}
      className={rest.size !== undefined && rest.size <= 24 ? 'rounded-sm' : 'rounded-md'}
    />
  );
}
