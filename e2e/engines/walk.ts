import { keys } from './engine.ts';
import type { Person } from './person.ts';

/** Duration of a slow sign-in, longer than the page waits for a window that looks closed. */
const slowMs = 6_500;

/** Walks through most of the product in the order of a newcomer. */
export async function walk(person: Person, publicUrl: string, email: string): Promise<void> {
  const at = (path: string) => person.open(publicUrl + path);
  await signIn(person, at, email);
  await useServices(person, at);
  await signInAtNotes(person, at);
  await buy(person, at);
  await makeToken(person, at);
  await findInPalette(person);
  await signInByWindow(person, at, email);
}

type At = (path: string) => Promise<void>;
const account = /^Account of/;

async function chooseAccount(person: Person, email: string): Promise<void> {
  await person.click('button', /Continue with Google/);
  await person.fill(/^E-mail address$/, email);
  await person.click('button', /^Continue$/);
}

/** Signs in, and is still signed in on a newly loaded page. */
async function signIn(person: Person, at: At, email: string): Promise<void> {
  await at('/');
  await person.click('button', /^Sign In$/);
  await chooseAccount(person, email);
  await person.finds('button', account);
  await person.isAt(/^\/dashboard/);
  await at('/marketplace');
  await person.finds('button', account);
}

/** Switches a service off and on, and copies the link. */
async function useServices(person: Person, at: At): Promise<void> {
  await at('/connect/travel');
  await person.click('switch that is on', /^Use Travel$/);
  await person.sees(/Off: your assistants can't use it\./);
  await at('/service/travel');
  await person.click('switch that is off', /^Use Travel$/);
  await person.sees(/On: your assistants can use it/);
  await person.click('button', /^Copy .*link/);
  await person.sees(/Copied/);
}

async function allowNotes(person: Person): Promise<void> {
  await person.fill(/^Your name$/, 'Nora');
  await person.click('button', /^Allow$/);
}

/** Signs in at a service: quickly, and slowly as part of switching it on, with a dialog in between. */
async function signInAtNotes(person: Person, at: At): Promise<void> {
  await at('/connect/notes');
  await person.inWindow(
    () => person.click('button', /^Sign in to Notes$/),
    () => allowNotes(person),
  );
  await person.sees(/Connected\. Go back to your assistant\./);
  await person.click('button', /^Disconnect$/);
  await person.finds('heading', /^Disconnect Notes\?$/);
  await person.press([keys.escape]);
  await person.findsNo('heading', /^Disconnect Notes\?$/);
  await person.click('button', /^Disconnect$/);
  await person.finds('heading', /^Disconnect Notes\?$/);
  await person.click('button', /^Disconnect$/);
  await person.sees(/Not signed in/);
  await person.click('switch that is on', /^Use Notes$/);
  await person.sees(/Off: your assistants can't use it\./);
  await person.inWindow(
    () => person.click('switch that is off', /^Use Notes$/),
    async (lookBack) => {
      await person.finds('field', /^Your name$/);
      await new Promise((resolve) => setTimeout(resolve, slowMs));
      await lookBack(() => person.sees(/Finish in the other window\./));
      await allowNotes(person);
    },
  );
  await person.finds('switch that is on', /^Use Notes$/);
  await person.sees(/Connected\. Go back to your assistant\./);
  await at('/connect/notes');
  await person.finds('switch that is on', /^Use Notes$/);
}

async function buy(person: Person, at: At): Promise<void> {
  await at('/plans');
  // the cards grow once the prices of calls are loaded
  await person.sees(/Enough for [\d,]+ calls/);
  await person.click('button', /^Buy credits in the Starter package$/);
  await person.isAt(/^\/dev-stripe\//);
  await person.fill(/^Card number/, '4242 4242 4242 4242');
  await person.fill(/^Expiry/, '12/34');
  await person.fill(/^Security code/, '123');
  await person.fill(/^Name on card/, 'Ada Lovelace');
  await person.click('button', /^Pay/);
  await person.finds('heading', /^Payment Successful!$/);
}

async function makeToken(person: Person, at: At): Promise<void> {
  await at('/dashboard?tab=tokens');
  await person.click('button', /^Create token$/);
  await person.finds('heading', /^Create an access token$/);
  await person.fill(/^Name/, 'Build server');
  await person.click('button', /^Create token$/);
  await person.finds('heading', /^Token “Build server” is ready$/);
  await person.click('button', /^Copy Access token$/);
  await person.sees(/Copied/);
  await person.click('button', /^Done$/);
  await person.finds('button', /^Revoke Build server$/);
}

async function findInPalette(person: Person): Promise<void> {
  await person.press(['k'], keys.control);
  await person.finds('field', /^Search services, tools and screens$/);
  await person.type('cale');
  await person.finds('option', /Calendar/);
  await person.press([keys.enter]);
  await person.isAt(/^\/service\/calendar/);
}

/** Signs out, and in again in a separate window. */
async function signInByWindow(person: Person, at: At, email: string): Promise<void> {
  await person.click('button', account);
  await person.click('menuitem', /^Sign Out$/);
  await person.finds('button', /^Sign In$/);
  await at('/sign-in');
  await person.inWindow(
    () => person.click('button', /^Use a popup window$/),
    () => chooseAccount(person, email),
  );
  await person.finds('button', account);
  await person.isAt(/^\/dashboard/);
}
