import type { ApiError } from '@souk/contract/client.ts';
import { Button } from '#ui/button.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { commandLine } from '../../command-line.ts';
import { isStaleWrite } from '../../refusals.ts';
import { actionFailure, type ManifestAction } from '../failure-texts.ts';

type Refusal<Failure> = {
  error: Failure;
  shown: { deployedVersion: string | null; stagedVersion: string | null } | null | undefined;
  onLookAgain: () => void;
};

/** Says why a change of a server failed. Renders nothing without an error. */
export function ChangeFailure({ action, error, ...refusal }: Refusal<Error | null> & { action: ManifestAction }) {
  if (isStaleWrite(error)) return <StaleWrite {...refusal} error={error} />;
  return error && <Notice tone="bad">{actionFailure(action, error)}</Notice>;
}

function StaleWrite({ error, shown, onLookAgain }: Refusal<ApiError>) {
  const { current } = error;
  return (
    <Notice tone="bad">
      <p className="font-medium">This server was changed after you opened this dialog. Nothing has been done.</p>
      {current && (
        <>
          <table className="mt-2 w-full text-[0.8125rem]">
            <thead>
              <tr className="text-left text-quiet">
                <td />
                <th scope="col" className="py-0.5 pr-3 font-medium">
                  You saw
                </th>
                <th scope="col" className="py-0.5 font-medium">
                  Now
                </th>
              </tr>
            </thead>
            <tbody>
              <Row name="Deployed" before={shown?.deployedVersion ?? null} now={current.deployedVersion} />
              <Row name="Staged" before={shown?.stagedVersion ?? null} now={current.stagedVersion} />
            </tbody>
          </table>
          <p className="mt-1 text-[0.8125rem] text-quiet">
            Changed by {current.changedBy ?? commandLine}
            {current.changedAt && (
              <>
                , <Ago moment={current.changedAt} />
              </>
            )}
          </p>
        </>
      )}
      <Button size="small" className="mt-2" onClick={onLookAgain}>
        Look again
      </Button>
    </Notice>
  );
}

function Row({ name, before, now }: { name: string; before: string | null; now: string | null }) {
  return (
    <tr className="align-top wrap-anywhere">
      <th dir="auto" scope="row" className="w-24 py-0.5 pr-3 text-left font-normal text-quiet">
        {name}
      </th>
      <td className="py-0.5 pr-3 tabular-nums">{before ?? 'nothing'}</td>
      <td className="py-0.5 font-medium tabular-nums">{now ?? 'nothing'}</td>
    </tr>
  );
}
