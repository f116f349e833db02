/**
 * Revokes a personal access token as its owner does on the dashboard. @param web the owner's access token of the web
 * app
 */
export async function revokeToken(publicUrl: string, web: string, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${web}` };
  const answer = await fetch(`${publicUrl}/auth/pat/${id}`, { method: 'DELETE', headers });
  if (answer.status !== 200) throw new Error(`not revoked: ${answer.status} ${await answer.text()}`);
}
