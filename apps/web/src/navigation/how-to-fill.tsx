import { useQuery } from '@tanstack/react-query';
import { profileQuery } from '#features/identity/queries.ts';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { LinkButton } from '#ui/link-button.tsx';

/** Says in a shop without servers who can add the first one, and where. Empty until the session is known. */
export function HowToFill() {
  const { user, isRestoring } = useSession();
  if (isRestoring) return null;
  if (user) return <ForMember userId={user.id} />;
  return <p className="mt-1">Is this your shop? Sign in as its administrator to add the first server.</p>;
}

function ForMember({ userId }: { userId: string }) {
  const { data } = useQuery(profileQuery(userId));
  if (!data) return null;
  if (data.role !== 'admin') return <p className="mt-1">An administrator of this shop adds the services.</p>;
  return (
    <>
      <p className="mt-1">Upload a manifest to add the first server, or deploy one that is staged.</p>
      <div className="mt-4 flex justify-center">
        <LinkButton to="/admin" search={{ tab: 'manifests' }} variant="primary">
          Add a Server
        </LinkButton>
      </div>
    </>
  );
}
