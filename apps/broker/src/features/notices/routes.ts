import { getNotices, noticeKinds, personNotices, setNotice, type NoticesAnswer } from '@souk/contract/notices.ts';
import type { Clock } from '#platform/clock.ts';
import type { MailDelivery } from '#platform/config/mail.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import { readSwitchedOff, setSwitch } from './notice-switches.ts';

export function mountNoticeRoutes(
  router: Router,
  { query, delivery, clock }: { query: Query; delivery: MailDelivery; clock: Clock },
): void {
  async function present(userId: string): Promise<NoticesAnswer> {
    const off = await readSwitchedOff(query, userId);
    const notices = noticeKinds.map((kind) => ({ kind, ...personNotices[kind], isOn: !off.has(kind) }));
    return { success: true, delivery: delivery.kind === 'smtp' ? 'mail' : delivery.kind, notices };
  }

  router.route(getNotices, async ({ caller, params }) => {
    requireOwn(caller, params);
    return present(caller.userId);
  });

  router.route(setNotice, async ({ caller, params, body: { isOn } }) => {
    requireOwn(caller, params);
    const { kind } = params;
    if (!isOn && personNotices[kind].isDuty)
      throw new SoukError('invalid_request', {
        message: 'isOn: this e-mail is about your money or the safety of your account, so it cannot be switched off.',
      });
    await setSwitch(query, { userId: caller.userId, kind, isOn, at: new Date(clock.now()) });
    return present(caller.userId);
  });
}
