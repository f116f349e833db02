import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { spendCapQuery, subscriptionQuery } from '#features/billing/queries.ts';
import { TryTool } from '#features/tool-runs/try-tool.tsx';
import { serverAccessQuery } from '#features/upstreams/upstreams-api.ts';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { accountKey } from '../loading/account-key.ts';
import { sells } from '../config.ts';
import { failureText } from '../texts/failure-text.ts';

export type MemberTryToolProps = {
  userId: string;
  server: ServerAnswer;
  tool: CapabilityAnswer;
  onClose: () => void;
};

/** Runs a tool for a user who may use its service. Says to other users what they need first. */
export function MemberTryTool({ userId, server, tool, onClose }: MemberTryToolProps) {
  const queries = useQueryClient();
  const access = useQuery(serverAccessQuery(userId, server.serverId));
  const close = (
    <Button size="small" onClick={onClose}>
      Close
    </Button>
  );
  if (access.isError) {
    return (
      <Notice tone="bad" action={close}>
        {failureText(access.error)}
      </Notice>
    );
  }
  if (!access.data) return <Skeleton className="h-24 w-full rounded-md" />;
  if (!access.data.entitled || !access.data.enabled) {
    const name = server.displayName;
    return (
      <Notice action={close}>
        {access.data.entitled
          ? `${name} is switched off. Turn on its switch on this page to try its tools.`
          : `You can try its tools once you have ${name}.`}
      </Notice>
    );
  }
  return (
    <TryTool
      server={server}
      tool={tool}
      cost={(left) => <Cost userId={userId} credits={sells ? tool.creditCost : undefined} left={left} />}
      onClose={onClose}
      onEnd={() => void queries.invalidateQueries({ queryKey: accountKey(userId) })}
    />
  );
}

type CostProps = { userId: string; credits: number | undefined; left: number | undefined };

function Cost({ userId, credits = 0, left }: CostProps) {
  const { data } = useQuery({ ...subscriptionQuery(userId), enabled: credits > 0 });
  const { data: limit } = useQuery({ ...spendCapQuery(userId), enabled: credits > 0 });
  if (credits === 0) return <span className="text-[0.8125rem] text-quiet">Free to use</span>;
  const available = left ?? data?.credits.available;
  const costs = `Costs ${counted(credits, 'credit')}`;
  const underLimit = limit && limit.monthlyCap !== null ? limit.monthlyCap - limit.spentThisMonth : undefined;
  const isLimited = underLimit !== undefined && underLimit < credits && (data?.credits.available ?? 0) >= credits;
  if (isLimited) {
    return (
      <span className="text-[0.8125rem] text-quiet tabular-nums">
        {costs}, your monthly limit leaves {formatCount(Math.max(0, underLimit))}.{' '}
        <TextLink to="/dashboard" search={{ tab: 'billing' }}>
          Change the limit
        </TextLink>
      </span>
    );
  }
  return (
    <span className="text-[0.8125rem] text-quiet tabular-nums">
      {costs}
      {available !== undefined && `, you have ${formatCount(available)}`}
      {available !== undefined && available < credits && (
        <>
          {'. '}
          <TextLink to="/plans">Get credits</TextLink>
        </>
      )}
    </span>
  );
}
