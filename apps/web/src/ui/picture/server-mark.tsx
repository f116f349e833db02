import { hueOf } from './hues.ts';
import { initialOf } from './letter-image.tsx';

/**
 * The mark of a service without an icon: its initial on one of eight hues. Fills its container. The colors are
 * attributes, which the content security policy allows.
 */
export function ServerMark({ id, name }: { id: string; name: string }) {
  return (
    <svg viewBox="0 0 48 48" className="size-full" aria-hidden>
      <path fill={hueOf(id)} d="M0 0h48v48H0z" />
      <text x="24" y="24.5" fill="#fff" fontSize="23" fontWeight="600" textAnchor="middle" dominantBaseline="central">
        {initialOf(name)}
      </text>
    </svg>
  );
}
