import { Avatar } from '../picture/avatar.tsx';
import { Badge } from '../state/badge.tsx';
import { BrandMark } from '../picture/brand-mark.tsx';
import { Button } from '../button.tsx';
import { Icon } from '../picture/icon.tsx';
import { StatusBadge } from '../state/status-badge.tsx';
import { TierBadge } from '../state/tier-badge.tsx';
import { Tooltip } from '../overlay/tooltip.tsx';
import { Part, Row } from './part.tsx';

export function Badges() {
  return (
    <Part title="Badges, people, services">
      <Row>
        <StatusBadge status="connected" />
        <StatusBadge status="disconnected" />
        <StatusBadge status="error" />
        <TierBadge tier="T0" />
        <TierBadge tier="T1" />
        <TierBadge tier="T2" />
        <TierBadge tier="T3" />
        <TierBadge tier="T2" short />
      </Row>
      <Row>
        <Badge>Neutral</Badge>
        <Badge tone="accent">Most Popular</Badge>
        <Badge tone="good">Enabled</Badge>
        <Badge tone="bad">Expired</Badge>
        <BrandMark />
        <Avatar name="Noor Haddad" size={32} />
        <Icon id="travel" name="Travel" />
        <Icon id="broken" name="Broken" src="/no-such-picture.png" size={48} />
        <Tooltip text="12,345 credits">
          <Button size="small">12K</Button>
        </Tooltip>
      </Row>
    </Part>
  );
}
