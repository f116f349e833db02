import { createHash } from 'node:crypto';

/** Style sheet of the sign-in pages. Colors have a contrast of at least 4.5:1 in both themes. */
export const pageStyle = `
:root{color-scheme:light dark;--ground:light-dark(#f7f5f1,#181614);--card:light-dark(#fff,#211e1b);--text:light-dark(#1c1917,#f0ece6);--quiet:light-dark(#5f574e,#b3aaa0);--line:light-dark(#8a8178,#7d756c);--soft:light-dark(#e4dfd7,#393430);--accent:light-dark(#8a6116,#e0b45c);--on-accent:light-dark(#fff,#181614);--bad:light-dark(#b42318,#fda29b)}
*{box-sizing:border-box}
body{margin:0;padding:6vh 1rem 2rem;background:var(--ground);color:var(--text);font:.9375rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:26rem;margin:0 auto;padding:1.75rem;background:var(--card);border:1px solid var(--soft);border-radius:.75rem}
.brand{display:flex;align-items:center;gap:.625rem;margin:0 0 1.25rem;font-weight:600}
.brand svg{width:2rem;height:2rem}
h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.3;letter-spacing:-.01em}
h2{margin:1.25rem 0 .25rem;font-size:.9375rem}
p{margin:0 0 .75rem}
ul{margin:0 0 1.25rem;padding-left:1.25rem}
label{display:block;font-weight:600}
input,button{font:inherit;min-height:2.5rem;padding:.375rem .875rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card);color:var(--text)}
input{display:block;width:100%;margin:.375rem 0 .75rem}
.buttons{display:flex;gap:.5rem;margin:1.25rem 0}
button{font-weight:600;cursor:pointer}
button[value=allow]{flex:1;background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.hint{margin:0;color:var(--quiet);font-size:.8125rem}
[role=alert]{color:var(--bad)}
`;

/** Content security policy: no scripts, no other styles and no external resources; the icon is inline. */
export const contentPolicy = `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'`;
