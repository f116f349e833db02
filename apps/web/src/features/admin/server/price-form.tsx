import { useId, useState, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import type { JsonObject } from './part-of.ts';
import type { ServerPartProps } from './server-queries.ts';
import { useStageChange } from './use-stage-change.ts';
import { ReasonField } from '../users/actions/reason-field.tsx';

export type PriceFormProps = ServerPartProps & {
  /** Name of the price, for screen readers. */
  title: string;
  label: string;
  initialPrice: string;
  inputMode: 'numeric' | 'decimal';
  /** undefined if it is a valid price. */
  problemOf: (price: string) => string | undefined;
  effect: ReactNode;
  apply: (manifest: JsonObject, price: string) => JsonObject;
  onClose: () => void;
};

const noErrors: { price?: string | undefined; version?: string | undefined } = {};

/** Stages a new price: the price, the new version and the reason. */
export function PriceForm(props: PriceFormProps) {
  const { title, label, initialPrice, inputMode, problemOf, effect, apply, onClose } = props;
  const { stage, isPending, failure } = useStageChange(props, onClose);
  const [price, setPrice] = useState(initialPrice);
  const [version, setVersion] = useState<string>();
  const [reason, setReason] = useState('');
  const [errors, setErrors] = useState(noErrors);
  const form = useFirstErrorFocus(errors);
  const id = useId();
  // if another administrator takes the proposed version, the next one is proposed
  const shownVersion = version ?? props.shown.nextVersion;
  return (
    <form
      ref={form}
      aria-labelledby={id}
      className="flex max-w-md flex-col gap-3 text-left font-normal"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isPending) onClose();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const found = {
          price: problemOf(price.trim()),
          version: shownVersion.trim() === '' ? 'Enter a version.' : undefined,
        };
        setErrors(found);
        if (!found.price && !found.version && !isPending)
          stage({ version: shownVersion, reason, apply: (manifest) => apply(manifest, price.trim()) });
      }}
    >
      <h3 id={id} className="font-medium wrap-anywhere">
        {title}
      </h3>
      <div className="grid grid-cols-2 gap-3">
        <Field label={label} error={errors.price}>
          <Input
            autoFocus
            inputMode={inputMode}
            autoComplete="off"
            value={price}
            onChange={(event) => setPrice(event.target.value)}
          />
        </Field>
        <Field label="New version" error={errors.version}>
          <Input
            autoComplete="off"
            maxLength={40}
            value={shownVersion}
            onChange={(event) => setVersion(event.target.value)}
          />
        </Field>
      </div>
      <ReasonField value={reason} onChange={setReason} />
      <p className="text-[0.8125rem] text-pretty text-quiet">{effect}</p>
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" size="small" loading={isPending}>
          Stage new price
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
