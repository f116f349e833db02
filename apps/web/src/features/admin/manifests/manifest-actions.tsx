import type { ListedManifest } from '@souk/contract/admin/manifests.ts';
import { Link } from '@tanstack/react-router';
import Eye from 'lucide-react/icons/eye';
import Pencil from 'lucide-react/icons/pencil';
import Rocket from 'lucide-react/icons/rocket';
import Trash2 from 'lucide-react/icons/trash-2';
import { buttonClasses } from '#ui/button-look.ts';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { IconButton } from '#ui/icon-button.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import type { AdminSearch } from '../admin-search.ts';
import { isGone } from './manifest-cells.tsx';

export type ManifestActionsProps = {
  manifest: ListedManifest;
  /** The current address, kept for the way back. */
  search: AdminSearch;
  onDeploy: (id: string) => void;
  onDelete: (id: string) => void;
};

/** View, edit, deploy and delete (spec part 2, section 2). Each label names the server. */
export function ManifestActions({ manifest, search, onDeploy, onDelete }: ManifestActionsProps) {
  const { id, name, stagedVersion } = manifest;
  const isDeleted = isGone(manifest);
  const page = { ...search, tab: 'manifests', id } as const;
  const look = buttonClasses({ variant: 'ghost', square: true });
  return (
    // the icons' padding lies outside the column
    <span className="-mr-2 ml-auto flex justify-end">
      <Tooltip text={`View ${name}`} describes={false}>
        <Link to="/admin" search={page} aria-label={`View ${name}`} className={look}>
          <Eye aria-hidden size={17} />
        </Link>
      </Tooltip>
      <Tooltip text={`Edit ${name}`} describes={false}>
        <Link to="/admin" search={{ ...page, part: 'manifest' }} aria-label={`Edit ${name}`} className={look}>
          <Pencil aria-hidden size={17} />
        </Link>
      </Tooltip>
      <IconButton
        label={deployLabel(manifest)}
        aria-disabled={stagedVersion === null && !isDeleted}
        icon={<Rocket aria-hidden size={17} />}
        onPointerEnter={preloadDialog}
        onClick={() => (stagedVersion !== null || isDeleted) && onDeploy(id)}
      />
      {!isDeleted && (
        <IconButton
          className="ml-2"
          label={`Delete ${name}`}
          icon={<Trash2 aria-hidden size={17} />}
          onPointerEnter={preloadDialog}
          onClick={() => onDelete(id)}
        />
      )}
    </span>
  );
}

function deployLabel(manifest: ListedManifest): string {
  const { name, version, stagedVersion } = manifest;
  if (isGone(manifest)) return `Deploy ${name} ${version} again`;
  return stagedVersion === null ? `Deploy ${name}: nothing is staged` : `Deploy ${name} ${stagedVersion}`;
}
