import { Link } from '@tanstack/react-router';
import ArrowRight from 'lucide-react/icons/arrow-right';

/** The 'View Details' link at the foot of a card with class `group`. It covers the whole card. */
export function ServerLink({ serverId, name }: { serverId: string; name: string }) {
  return (
    <Link
      to="/service/$serviceId"
      params={{ serviceId: serverId }}
      className="inline-flex shrink-0 items-center gap-1 font-medium outline-none group-hover:text-accent after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-accent"
    >
      View Details<span className="sr-only">: {name}</span>
      <ArrowRight aria-hidden size={14} className="transition-transform group-hover:translate-x-0.5" />
    </Link>
  );
}
