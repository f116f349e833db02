import LayoutDashboard from 'lucide-react/icons/layout-dashboard';
import LogOut from 'lucide-react/icons/log-out';
import { useState } from 'react';
import { Avatar } from '../picture/avatar.tsx';
import { Button } from '../button.tsx';
import { ConfirmDialog } from '../overlay/confirm-dialog.tsx';
import { CopyField } from '../text/copy-field.tsx';
import { Dialog } from '../overlay/dialog.tsx';
import { Menu } from '../overlay/menu.tsx';
import { Notice } from '../state/notice.tsx';
import { useToast } from '../overlay/use-toast.ts';
import { Part, Row } from './part.tsx';

export function Overlays() {
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
