import { unansweredCallText } from './unanswered-call-text.ts';

/** Says in words why a call was not answered. */
export function UnansweredReason({ reason }: { reason: string | null }) {
  return <span className="text-[0.8125rem] text-quiet">{unansweredCallText(reason)}</span>;
}
