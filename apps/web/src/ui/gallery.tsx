import Download from 'lucide-react/icons/download';
import LayoutDashboard from 'lucide-react/icons/layout-dashboard';
import LogOut from 'lucide-react/icons/log-out';
import PackageOpen from 'lucide-react/icons/package-open';
import { useState, type ReactNode } from 'react';
import { Accordion } from './accordion.tsx';
import { Avatar } from './avatar.tsx';
import { Badge } from './badge.tsx';
import { BrandMark } from './brand-mark.tsx';
import { Button } from './button.tsx';
import { Card } from './card.tsx';
import { Checkbox } from './checkbox.tsx';
import { CodeBlock } from './code-block.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { CopyField } from './copy-field.tsx';
import { DelayedFallback } from './delayed-fallback.tsx';
import { Dialog } from './dialog.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { Field } from './field.tsx';
import { useFirstErrorFocus } from './focus-first-error.ts';
import { IconButton } from './icon-button.tsx';
import { Icon } from './icon.tsx';
import { Input } from './input.tsx';
import { AnchorButton, LinkButton } from './link-button.tsx';
import { Menu } from './menu.tsx';
import { Notice } from './notice.tsx';
import { PageShell } from './page-shell.tsx';
import { Pagination } from './pagination.tsx';
import { ScreenHeading } from './screen-heading.tsx';
import { ScreenTitle } from './screen-title.tsx';
import { SearchField } from './search-field.tsx';
import { Select } from './select.tsx';
import { Skeleton } from './skeleton.tsx';
import { Stat } from './stat.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Switch } from './switch.tsx';
import { Table } from './table.tsx';
import { Tabs } from './tabs.tsx';
import { TextArea } from './text-area.tsx';
import { TextAnchor, TextLink } from './text-link.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { TierBadge } from './tier-badge.tsx';
import { ToastProvider } from './toast.tsx';
import { Tooltip } from './tooltip.tsx';
import { useToast } from './use-toast.ts';
import { VisuallyHidden } from './visually-hidden.tsx';

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-10">
      <h2 className="mb-3 text-base font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Row({ children }: { children: ReactNode }) {
  return <div className="mb-3 flex flex-wrap items-center gap-3">{children}</div>;
}

function Buttons() {
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

function Badges() {
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
        <Icon name="Travel" />
        <Icon name="Broken" src="/no-such-picture.png" size={48} />
        <Tooltip text="12,345 credits">
          <Button size="small">12K</Button>
        </Tooltip>
      </Row>
    </Part>
  );
}

const servers = ['Calendar', 'Notes', 'Travel'] as const;

function Cards() {
  return (
    <Part title="Cards">
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {servers.map((name, index) => (
          <Card key={name} as="li" interactive>
            <div className="flex items-start gap-3">
              <Icon name={name} />
              <div className="min-w-0 flex-1">
                <h3 className="truncate font-semibold">
                  <TextLink to="/" tone="quiet" className="text-text after:absolute after:inset-0">
                    {name} with a name that is far too long for its card
                  </TextLink>
                </h3>
                <div className="truncate text-[0.8125rem] text-quiet">Productivity</div>
              </div>
              <StatusBadge status={index === 1 ? 'error' : 'connected'} />
            </div>
            <p className="mt-3 line-clamp-2 text-quiet">
              Search, read and write from any assistant. Connect once, then call its tools with the access you have.
            </p>
            <div className="mt-3 flex items-center justify-between">
              <TierBadge tier={index === 0 ? 'T0' : 'T1'} />
              <span className="font-medium tabular-nums">{index === 0 ? 'Free' : '$9.00/month'}</span>
            </div>
          </Card>
        ))}
      </ul>
      <div className="mt-4">
        <DelayedFallback label="Loading servers">
          <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {servers.map((name) => (
              <Card key={name}>
                <div className="flex gap-3">
                  <Skeleton className="size-10" />
                  <div className="flex flex-1 flex-col gap-2">
                    <Skeleton className="h-4 w-2/3" />
                    <Skeleton className="h-3 w-1/3" />
                  </div>
                </div>
                <Skeleton className="mt-4 h-8" />
              </Card>
            ))}
          </div>
        </DelayedFallback>
      </div>
    </Part>
  );
}

const kinds = [
  { value: 'all', label: 'All Types' },
  { value: 'api', label: 'API Services' },
  { value: 'data', label: 'Data Sources' },
] as const;

function Fields() {
  const [text, setText] = useState('');
  const [kind, setKind] = useState<(typeof kinds)[number]['value']>('all');
  const [on, setOn] = useState(true);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const form = useFirstErrorFocus(errors);
  return (
    <Part title="Fields">
      <form
        ref={form}
        noValidate
        className="grid gap-5 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          setErrors({ name: 'Give the token a name.' });
        }}
      >
        <Field label="Name" hint="What it is for: a laptop, a script." error={errors['name']}>
          <Input placeholder="My laptop" />
        </Field>
        <Field label="Type">
          <Select options={kinds} value={kind} onChange={setKind} />
        </Field>
        <SearchField label="Search servers" placeholder="Search servers" value={text} onChange={setText} />
        <div className="flex flex-wrap items-center gap-4">
          <Switch label="Enabled" checked={on} onChange={setOn} />
          <Switch label="Off" checked={false} onChange={() => undefined} />
          <Switch label="Not now" checked disabled onChange={() => undefined} />
        </div>
        <Field label="Reason">
          <TextArea defaultValue="Removed by admin" />
        </Field>
        <div className="flex flex-col gap-3">
          <Checkbox label="mcp:tools" hint="Call the tools of your servers." checked={on} onChange={setOn} />
          <Checkbox label="mcp:prompts" checked={!on} onChange={(next) => setOn(!next)} />
        </div>
        <div>
          <Button type="submit" variant="primary">
            Create token
          </Button>
        </div>
      </form>
    </Part>
  );
}

function Overlays() {
  const [dialog, setDialog] = useState(false);
  const [confirm, setConfirm] = useState(false);
  const [error, setError] = useState<string>();
  const toast = useToast();
  return (
    <Part title="Dialogs, menu, messages">
      <Row>
        <Button onClick={() => setDialog(true)}>Dialog</Button>
        <Button onClick={() => setConfirm(true)}>Confirm</Button>
        <Menu
          label="Account"
          variant="secondary"
          entries={[
            { label: 'Dashboard', to: '/', icon: <LayoutDashboard aria-hidden /> },
            'separator',
            { label: 'Sign Out', onSelect: () => toast.success('Signed out'), icon: <LogOut aria-hidden /> },
          ]}
        >
          <Avatar name="Noor Haddad" />
          Noor Haddad
        </Menu>
        <Button onClick={() => toast.success('Token revoked')}>Good message</Button>
        <Button onClick={() => toast.error('Network error occurred')}>Bad message</Button>
        <Button
          onClick={() =>
            toast.show({ text: 'Server switched off', action: { label: 'Undo', onSelect: () => toast.success('On') } })
          }
        >
          With action
        </Button>
      </Row>
      <div className="grid gap-2">
        <Notice>Demo payments: no money moves.</Notice>
        <Notice tone="good">The first call arrived.</Notice>
        <Notice tone="bad">Failed to create PAT</Notice>
      </div>
      <Dialog
        open={dialog}
        onOpenChange={setDialog}
        title="Travel"
        description="Search flights and hotels, and book them."
        footer={
          <Button variant="primary" onClick={() => setDialog(false)}>
            Done
          </Button>
        }
      >
        <CopyField label="Your link" value="http://localhost:3000/s/travel/mcp" primary />
      </Dialog>
      <ConfirmDialog
        open={confirm}
        onOpenChange={setConfirm}
        title="Revoke “My laptop”?"
        confirmLabel="Revoke token"
        error={error}
        onConfirm={() => setError('Failed to revoke PAT')}
      >
        Programs that use it stop working at once. This action cannot be undone.
      </ConfirmDialog>
    </Part>
  );
}

const tokens = [
  { id: '1', name: 'My laptop', created: 'Nov 21, 2026', calls: 1204 },
  { id: '2', name: 'A script that runs every night on the server', created: 'Nov 3, 2026', calls: 8 },
];

function Lists() {
  const [page, setPage] = useState(1);
  const [tab, setTab] = useState<'claude' | 'code' | 'cursor'>('claude');
  const code = 'claude mcp add --transport http souk http://localhost:3000/mcp';
  return (
    <Part title="Tables, tabs, code, figures">
      <dl className="mb-5 grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Stat label="Servers" value="12" />
        <Stat label="Calls" value="12,345" hint="Last 30 days" />
        <Stat label="Credits" value="500" />
        <Stat label="Spent" value="$9.00" />
      </dl>
      <Table
        caption="Access tokens"
        rows={tokens}
        rowKey={(row) => row.id}
        columns={[
          { id: 'name', header: 'Name', rowHeader: true, cell: (row) => row.name },
          { id: 'created', header: 'Created', wideOnly: true, cell: (row) => row.created },
          { id: 'calls', header: 'Calls', numeric: true, cell: (row) => row.calls.toLocaleString('en-US') },
          {
            id: 'do',
            header: 'Actions',
            hideHeader: true,
            numeric: true,
            cell: () => <Button size="small">Revoke</Button>,
          },
        ]}
      />
      <div className="mt-4 mb-6">
        <Pagination label="Access tokens" page={page} pageCount={4} onChange={setPage} />
      </div>
      <Tabs
        label="Client"
        value={tab}
        onChange={setTab}
        items={[
          { value: 'claude', label: 'Claude', content: <CodeBlock label="Terminal" code={code} /> },
          { value: 'code', label: 'VS Code', content: 'VS Code' },
          { value: 'cursor', label: 'Cursor', content: 'Cursor' },
        ]}
      />
    </Part>
  );
}

function States() {
  return (
    <Part title="Empty, error, questions">
      <div className="mb-6 grid gap-4 sm:grid-cols-2">
        <EmptyState
          icon={<PackageOpen aria-hidden />}
          title="No servers found"
          text="Try adjusting your search query."
          actions={<Button>Clear search</Button>}
        />
        <ErrorState title="Failed to load MCP servers" text="Network error occurred" onRetry={() => undefined} />
      </div>
      <Accordion
        items={[
          { id: 'a', title: 'Do I need an API key?', content: 'No. You sign in once, and the link carries the rest.' },
          { id: 'b', title: 'What does it cost?', content: 'Free servers are free. Others cost what their card says.' },
        ]}
      />
    </Part>
  );
}

/** Every component in its states on one page, for looking (development only). */
export function Gallery() {
  return (
    <ToastProvider>
      <ScreenTitle title="Kit" />
      <PageShell
        header={
          <header className="border-b border-line">
            <div className="mx-auto flex h-14 max-w-page items-center justify-between px-4 sm:px-6">
              <span className="flex items-center gap-2 font-semibold">
                <BrandMark /> Souk
              </span>
              <ThemeSwitch />
            </div>
          </header>
        }
      >
        <ScreenHeading
          title="The kit"
          subtitle="Every component in its states"
          actions={
            <Button>
              An action <VisuallyHidden>of this page</VisuallyHidden>
            </Button>
          }
        />
        <Buttons />
        <Badges />
        <Cards />
        <Fields />
        <Overlays />
        <Lists />
        <States />
      </PageShell>
    </ToastProvider>
  );
}
