import { ToolChanges } from '#features/admin/tool-changes.tsx';
import { AdminScreen } from '#features/identity/admin-screen.tsx';

/** The administrator area, composed from several features. Loaded when its address is opened. */
export function Admin() {
  return <AdminScreen content={(userId) => <ToolChanges userId={userId} />} />;
}
