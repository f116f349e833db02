import LoaderCircle from 'lucide-react/icons/loader-circle';

/** A spinning ring next to a text that says what is happening. Silent to screen readers. */
export function Spinner({ size = 16 }: { size?: number }) {
  return <LoaderCircle aria-hidden size={size} className="shrink-0 animate-spin" />;
}
