import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { ServerDetailsDialog, type ServerDetailsDialogProps } from './server-details-dialog.tsx';

export function DetailsButton({ server }: Pick<ServerDetailsDialogProps, 'server'>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" onPointerEnter={preloadDialog} onClick={() => setIsOpen(true)}>
        Details<span className="sr-only"> of {server.displayName}</span>
      </Button>
      <ServerDetailsDialog server={server} open={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
