import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { downText } from '#web/texts/down-text.ts';

export function DownLine({ server: { status, downSince, statusDetail = '' } }: { server: ServerAnswer }) {
  if (downSince === undefined) return null;
  return (
    <p dir="auto" className="text-[0.8125rem] wrap-anywhere text-bad">
      {downText({ status, since: downSince, reason: statusDetail })}
    </p>
  );
}
