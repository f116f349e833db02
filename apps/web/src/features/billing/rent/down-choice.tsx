import type { Down } from '@souk/contract/billing/billing.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { downText } from '#web/texts/down-text.ts';

export type DownChoiceProps = {
  name: string;
  down: Down;
  accepted: boolean;
  onChange: (accepted: boolean) => void;
};

export function DownChoice({ name, down, accepted, onChange }: DownChoiceProps) {
  return (
    <div className="mb-5 flex flex-col gap-3">
      <Notice tone="bad">
        {downText(down)}
        <br />
        Calls to <bdi>{name}</bdi> fail until it is back, and are not charged. The month you pay for starts anyway.
      </Notice>
      <Checkbox label="Rent it anyway" checked={accepted} onChange={onChange} />
    </div>
  );
}
