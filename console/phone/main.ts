import { Device } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import { Api } from './common/api.js';
import { Calls } from './calls.js';
import { ChatPanel } from './chat-panel.js';
import { Desk } from './desk.js';
import { installWorker } from './install.js';
import { AgentLine } from './line.js';
import { button, reasonOf } from './common/parts.js';
import { QueuePanel } from './queues/queue-panel.js';
import { signInForm } from './sign-in.js';
import { say } from './common/texts.js';

/** The roles that may make conferences. */
const CONFERRING = ['owner', 'admin', 'developer', 'supervisor'];
/** The roles that answer chats. */
const CHATTING = [...CONFERRING, 'agent'];
/** The roles that see contacts. */
const SEEING_CONTACTS = [...CONFERRING, 'viewer'];

const place = document.querySelector('main');
const api = new Api();

function show(...content: readonly Node[]): void {
  place?.replaceChildren(...content);
}

function showSignIn(): void {
  show(signInForm(api, () => void open()));
}

/** Shows the telephone of the signed-in user. */
async function open(): Promise<void> {
  const signedIn = api.user;
  if (signedIn === null) {
    showSignIn();
    return;
  }
  const { agent, id, name } = signedIn.user;
  const signOut = (): void => void api.signOut().then(showSignIn);
  if (agent === null) {
    show(h('div', { class: 'card' }, h('h1', {}, name), h('p', {}, say('no_agent')), button('sign_out', signOut)));
    return;
  }
  show(h('p', { role: 'status' }, say('loading')));
  try {
    await api.chooseProject();
    const line = await AgentLine.open(api, id, agent);
    const calls = new Calls(
      ...([api, agent] as const),
      { ownCallsOnly: signedIn.role === 'agent', contacts: SEEING_CONTACTS.includes(signedIn.role) },
      { tab: line.tab, calls: () => line.device.calls },
    );
    const leave = (isSignedOut: boolean): Promise<void> => {
      queues.stop();
      chats?.stop(isSignedOut);
      return line.close();
    };
    const onSignIn = (): void => void leave(false).then(showSignIn);
    const queues = new QueuePanel({ api, agent, onSignIn });
    const chats = CHATTING.includes(signedIn.role)
      ? new ChatPanel({ api, user: { id, agent }, calls, onSignIn })
      : null;
    const desk = new Desk({
      ...{ device: line.device, isSandbox: line.isSandbox, title: name, subtitle: say('extension', { agent }), calls },
      beside: [queues.element, ...(chats === null ? [] : [chats.element])],
      mayConfer: CONFERRING.includes(signedIn.role),
      onSignOut: () => void leave(true).then(signOut),
      onAgain: () => void leave(false).then(open),
    });
    show(desk.element);
  } catch (error) {
    const again = button('connect_again', () => void open(), 'main');
    const out = button('sign_out', signOut, 'quiet');
    show(h('div', { class: 'card' }, h('h1', {}, name), h('p', { role: 'alert' }, reasonOf(error)), again, out));
  }
}

/**
 * A telephone for a person with the token of a web calling session, in the part of the address that no server sees.
 * @param token empty to continue the session of this tab
 */
function openGuest(token: string): void {
  history.replaceState(null, '', location.pathname + location.search);
  const device = new Device(token === '' ? null : token);
  const desk = new Desk({
    ...{ device, title: say('title'), subtitle: '', calls: null, beside: [] },
    ...{ mayConfer: false, isSandbox: false, onSignOut: null, onAgain: null },
  });
  show(desk.element);
}

void installWorker();
const token = location.hash.slice(1);
if (token.startsWith('wcs_')) openGuest(token);
else if (Device.canResume() && !AgentLine.isKept()) openGuest('');
else api.renew().then(() => void open(), showSignIn);
