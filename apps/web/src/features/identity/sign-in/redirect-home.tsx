import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Sends a visitor from a signed-in page to the home screen (spec part 2, section 2). */
export function RedirectHome() {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to: '/', replace: true }), [navigate]);
  return (
    <p role="status" className="py-16 text-center text-quiet">
      Redirecting...
    </p>
  );
}
