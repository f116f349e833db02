import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Sends a visitor of a page for signed-in users home (spec part 2, section 2). */
export function RedirectHome() {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to: '/', replace: true }), [navigate]);
  return (
    <p role="status" className="py-16 text-center text-quiet">
      Redirecting...
    </p>
  );
}
