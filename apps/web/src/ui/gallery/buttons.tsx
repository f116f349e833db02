import Download from 'lucide-react/icons/download';
import { useState } from 'react';
import { Button } from '../button.tsx';
import { IconButton } from '../icon-button.tsx';
import { AnchorButton, LinkButton } from '../link-button.tsx';
import { TextAnchor, TextLink } from '../text/text-link.tsx';
import { Part, Row } from './part.tsx';

export function Buttons() {
  const [busy, setBusy] = useState(false);
  return (
    <Part title="Buttons and links">
      <Row>
        <Button variant="primary">Browse Servers</Button>
        <Button>Secondary</Button>
        <Button variant="ghost">Ghost</Button>
        <Button variant="danger">Revoke token</Button>
        <Button disabled>Disabled</Button>
        <Button loading={busy} icon={<Download aria-hidden size={16} />} onClick={() => setBusy(true)}>
          {busy ? 'Refreshing...' : 'Refresh'}
        </Button>
        <IconButton label="Download" icon={<Download aria-hidden size={17} />} />
      </Row>
      <Row>
        <Button variant="primary" size="small">
          Small
        </Button>
        <Button variant="primary" loading>
          Saving
        </Button>
        <Button variant="primary" size="large">
          Large
        </Button>
        <LinkButton to="/">A screen</LinkButton>
        <AnchorButton href="https://example.com" variant="ghost">
          A site
        </AnchorButton>
      </Row>
      <p>
        Text with a <TextLink to="/">link to a screen</TextLink>, a{' '}
        <TextAnchor href="https://example.com" newTab>
          link to a site
        </TextAnchor>{' '}
        and{' '}
        <TextLink to="/" tone="quiet">
          a quiet one
        </TextLink>
        .
      </p>
    </Part>
  );
}
