import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { useDialogText } from '../../use-dialog-text.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { manifestToChangeQuery } from '../../server/server-queries.ts';
import { describeAction } from '../failure-texts.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import type { ServerDialogProps } from '../server-dialog.ts';
import { ChangeFailure } from './change-failure.tsx';
import { OwnersList } from '../delete/owners-list.tsx';
import { RentersList } from '../delete/renters-list.tsx';

/** Says what stops and for whom, then undeploys the live version. Each opening needs a new instance. */
export function UndeployDialog({ userId, id, open, onClose }: ServerDialogProps) {
  const toast = useToast();
  const changed = useManifestsChanged(userId);
  const cancel = useRef<HTMLButtonElement>(null);
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `undeploy.${id}`, open }, 'reason', '');
  const shown = useQuery({ ...manifestToChangeQuery(userId, id, 'undeploy'), enabled: open });
  const undeploy = useSingleMutation({
    mutationFn: (revision: string) =>
      adminApi.undeployManifest({ params: { id }, body: { reason } }, { ifMatch: revision }),
    onSuccess: async ({ version }) => {
      toast.success(`${name} ${version} is undeployed.`);
      onClose();
      await changed();
    },
  });
  const listed = shown.data?.listed;
  const name = listed?.name ?? id;
  return (
    <Dialog
      urgent
      open={open}
      onOpenChange={(next) => !next && !undeploy.isPending && onClose()}
      title={`Undeploy ${name}?`}
      initialFocus={cancel}
      notices={
        <ChangeFailure
          action="undeploy"
          error={undeploy.error}
          shown={listed}
          onLookAgain={() => {
            undeploy.reset();
            void shown.refetch();
          }}
        />
      }
      footer={
        <>
          <Button ref={cancel} onClick={() => !undeploy.isPending && onClose()}>
            Cancel
          </Button>
          <Button
            variant="danger"
            loading={undeploy.isPending}
            disabled={!listed?.isActive}
            onClick={() => shown.data && undeploy.mutate(shown.data.revision)}
          >
            Undeploy {listed?.deployedVersion}
          </Button>
        </>
      }
    >
      {shown.data ? (
        <div className="flex flex-col gap-4">
          <p className="text-quiet">
            {listed?.isActive
              ? 'The server is removed from the shop and from everyone’s links immediately. Running calls finish.'
              : 'It is not deployed: there is nothing to undeploy.'}{' '}
            Its versions are kept, and you can deploy one of them again
            {listed && listed.stagedVersion !== null && `, and ${listed.stagedVersion} stays staged`}.
          </p>
          {listed && listed.renters > 0 && (
            <>
              <p className="text-quiet">
                Rentals are not renewed. They end with the paid period, without a refund; users can resume theirs once
                the server is deployed again.
              </p>
              <RentersList userId={userId} id={id} />
            </>
          )}
          <OwnersList userId={userId} id={id} />
          <ReasonField value={reason} onChange={setReason} />
        </div>
      ) : (
        <NotLoaded query={shown} label="Loading the server…" describe={describeAction('undeploy')} />
      )}
    </Dialog>
  );
}
