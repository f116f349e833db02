import Building from 'lucide-react/icons/building-2';
import FlaskConical from 'lucide-react/icons/flask-conical';
import KeyRound from 'lucide-react/icons/key-round';
import github from 'simple-icons/icons/github.svg?raw';
import google from 'simple-icons/icons/google.svg?raw';
import spotify from 'simple-icons/icons/spotify.svg?raw';

/** Returns the path of an icon, on a square of 24 (simple-icons, CC0). The names are trademarks of their owners. */
const pathOf = (svg: string): string => svg.split(' d="')[1]?.split('"')[0] ?? '';

const marks: Readonly<Record<string, { name: string; path: string }>> = {
  google: { name: 'Google', path: pathOf(google) },
  github: { name: 'GitHub', path: pathOf(github) },
  spotify: { name: 'Spotify', path: pathOf(spotify) },
};

const icons: Readonly<Record<string, { name: string; Icon: typeof KeyRound }>> = {
  oidc: { name: 'Company sign-in', Icon: Building },
  dev: { name: 'Demo sign-in', Icon: FlaskConical },
};

export function Provider({ id }: { id: string }) {
  const mark = marks[id];
  const { name, Icon } = icons[id] ?? { name: id === '' ? 'Unknown' : id, Icon: KeyRound };
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      {mark ? (
        <svg viewBox="0 0 24 24" width={14} height={14} fill="currentColor" aria-hidden className="shrink-0 text-quiet">
          <path d={mark.path} />
        </svg>
      ) : (
        <Icon aria-hidden size={14} className="shrink-0 text-quiet" />
      )}
      {mark?.name ?? name}
    </span>
  );
}
