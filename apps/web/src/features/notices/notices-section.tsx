import { createClient } from '@souk/contract/client.ts';
import { noticeEndpoints, type NoticesAnswer } from '@souk/contract/notices.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Card } from '#ui/card.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { accountKey } from '#web/loading/account-key.ts';
import { clientOptions } from '#web/api.ts';
import { config } from '#web/config.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { LoadError } from '#web/loading/load-error.tsx';

/** A client of its own, so that only this section loads these schemas. */
const notices = createClient(noticeEndpoints, clientOptions);
const keyOf = (userId: string) => [...accountKey(userId), 'notices'] as const;

type NoticeKind = NoticesAnswer['notices'][number];

/** The e-mails that the user gets. Those about money or safety have no switch, and the section says why. */
export function NoticesSection({ userId }: { userId: string }) {
  const known = useQuery({ queryKey: keyOf(userId), queryFn: () => notices.getNotices({ params: { userId } }) });
  return (
    <TitledSection id="notices-heading" title="E-mails" text="What we e-mail you about.">
      {known.isPending ? (
        <ListSkeleton label="Loading your e-mails…" rows={5} />
      ) : known.isError ? (
        <LoadError title="Failed to load your e-mails" query={known} />
      ) : (
        <Choices userId={userId} {...known.data} />
      )}
    </TitledSection>
  );
}

function Choices({ userId, delivery, notices: all }: { userId: string } & Pick<NoticesAnswer, 'delivery' | 'notices'>) {
  return (
    <>
      {delivery === 'demo' && (
        <Notice>
          This demo sends no e-mails. <TextAnchor href="/dev-mail">See the e-mails of the demo</TextAnchor>
        </Notice>
      )}
      {delivery === 'off' && <Notice>{config.brandName} sends no e-mails yet. Your choices apply once it does.</Notice>}
      <Card padding="large" className="flex flex-col gap-3">
        {all
          .filter(({ isDuty }) => !isDuty)
          .map((one) => (
            <Choice key={one.kind} userId={userId} one={one} />
          ))}
        <div className="border-t border-line pt-3 text-quiet">
          <p>Always on, since they are about your money or the safety of your account:</p>
          <ul className="mt-1 list-disc pl-5">
            {all
              .filter(({ isDuty }) => isDuty)
              .map(({ kind, name }) => (
                <li key={kind}>{name}</li>
              ))}
          </ul>
        </div>
      </Card>
    </>
  );
}

/** A switch that shows the change immediately, and undoes it if the call fails. */
function Choice({ userId, one: { kind, name, isOn } }: { userId: string; one: NoticeKind }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (wanted: boolean) => notices.setNotice({ params: { userId, kind }, body: { isOn: wanted } }),
    onSuccess: (answer) => queries.setQueryData(keyOf(userId), answer),
  });
  return (
    <div className="flex flex-col gap-2">
      <Switch
        label={name}
        checked={change.isPending ? change.variables : isOn}
        onChange={(wanted) => !change.isPending && change.mutate(wanted)}
      />
      {change.isError && <Notice tone="bad">{failureLine('Failed to save your choice', change.error)}</Notice>}
    </div>
  );
}
