import { Checkbox } from '#ui/form/checkbox.tsx';
import type { OwnRental } from './included-rentals.ts';
import { inPlanTwiceText } from './overlap-texts.ts';
import { monthlySumText, rentalChoiceText, type PlainPrice } from './rental-choice-texts.ts';

export type IncludedRentalsChoiceProps = {
  plan: { name: string; price: PlainPrice | undefined };
  rentals: readonly OwnRental[];
  ending: readonly string[];
  onChange: (ending: string[]) => void;
};

export function IncludedRentalsChoice({ plan, rentals, ending, onChange }: IncludedRentalsChoiceProps) {
  if (rentals.length === 0) return null;
  const staying = rentals.filter(({ mcpId }) => !ending.includes(mcpId));
  const sum = monthlySumText(plan, staying);
  return (
    <section
      aria-label="What you rent already"
      className="flex flex-col gap-3 rounded-md bg-accent-soft px-3 py-2.5 text-text"
    >
      <p>{inPlanTwiceText(plan.name, rentals)}</p>
      <div>
        <div className="flex flex-col gap-3">
          {rentals.map((rental) => (
            <Checkbox
              key={rental.id}
              label={
                <>
                  End the rental of <bdi>{rental.name}</bdi>
                </>
              }
              hint={rentalChoiceText(rental, ending.includes(rental.mcpId))}
              checked={ending.includes(rental.mcpId)}
              onChange={(ends) =>
                onChange(ends ? [...ending, rental.mcpId] : ending.filter((one) => one !== rental.mcpId))
              }
            />
          ))}
        </div>
        <div aria-live="polite">{sum && <p className="mt-3">{sum}</p>}</div>
      </div>
    </section>
  );
}
