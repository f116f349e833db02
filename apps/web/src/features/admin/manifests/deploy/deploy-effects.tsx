import { counted } from '#ui/text/amount.ts';
import { useShowMore } from '../../show-more.tsx';
import { ItemsWithCode, TextWithCode } from '../../text-with-code.tsx';
import type { DeployPlan } from './deploy-plan.ts';

const differencesShown = 8;

export function DeployEffects({ plan }: { plan: DeployPlan }) {
  const { from, to, effects, people } = plan;
  // every field of a first deployment is new, so only the prices are listed
  const differences = from === null ? plan.differences.filter(isPrice) : plan.differences;
  const { shown, more } = useShowMore(differences, differencesShown);
  return (
    <>
      <p className="text-quiet">
        {from === null
          ? `${to} will be added to the shop. No version is deployed yet.`
          : from === to
            ? `${to} is already deployed. Deploying it again changes nothing.`
            : `${to} replaces ${from}. ${audience(people)}`}
      </p>
      {effects.length > 0 && (
        <section aria-label="What people notice">
          <h3 className="font-medium">What people notice</h3>
          <ul className="mt-1 list-disc pl-5 wrap-anywhere">
            <ItemsWithCode texts={effects} />
          </ul>
        </section>
      )}
      {differences.length > 0 && (
        <section aria-label={from === null ? 'What calls cost' : 'What changes'}>
          <h3 className="font-medium">
            {from === null ? 'What calls cost' : counted(differences.length, 'field changes', 'fields change')}
          </h3>
          <ul className="mt-1 flex flex-col divide-y divide-line rounded-md border border-line">
            {shown.map(({ path, text }) => (
              <li key={path} className="px-3 py-2 text-[0.8125rem] wrap-anywhere">
                <TextWithCode text={text} />
              </li>
            ))}
          </ul>
          {from === null && <p className="mt-1 text-[0.8125rem] text-quiet">Calls of all other tools are free.</p>}
          <div className="mt-1 empty:hidden">{more}</div>
        </section>
      )}
    </>
  );
}

const isPrice = ({ path }: DeployPlan['differences'][number]) =>
  path.startsWith('billing.toolCosts') || path.startsWith('billing.announcedPrices');

export function audience({ renters, users }: DeployPlan['people']): string {
  const parts = [
    ...(renters > 0 ? [counted(renters, 'person rents it', 'people rent it')] : []),
    ...(users > 0 ? [`${counted(users, 'person', 'people')} called it in the last 30 days`] : []),
  ];
  return parts.length === 0 ? 'No one rents this server or has called it in the last 30 days.' : `${parts.join(', ')}.`;
}
