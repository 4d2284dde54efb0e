import type { Call } from '../../packages/web/src/index.js';
import { h } from '../shared/dom.js';
import type { Calls } from './calls.js';
import { conferenceDialog } from './conference.js';
import { button, duration, number, reasonOf } from './common/parts.js';
import { inLanguage, say, type TextName } from './common/texts.js';
import { transferDialog } from './transfer.js';

export interface CardOptions {
  readonly call: Call;
  /** Null for a page that requests nothing from the API. */
  readonly calls: Calls | null;
  /** Whether the person's role may make conferences. */
  readonly mayConfer: boolean;
  /** Puts the other calls on hold. */
  readonly onTaken: () => void;
  /** Reads something aloud. */
  readonly announce: (text: string) => void;
}

const STATES: Readonly<Record<Call['state'], TextName>> = {
  connecting: 'connecting',
  ringing: 'ringing',
  connected: 'connected',
  reconnecting: 'call_reconnecting',
  ended: 'ended',
};

/** One call, with what can be done to it. */
export function callCard({ call, calls, mayConfer, onTaken, announce }: CardOptions): HTMLElement {
  const name = call.remote.name ?? call.remote.address;
  const state = h('p', { class: 'state' });
  const quality = h('p', { class: 'soft' });
  const warning = h('p', { class: 'bad', role: 'alert' });
  const actions = h('div', { class: 'actions' });
  const run = (work: () => Promise<unknown>): void => {
    work().catch((error: unknown) => (warning.textContent = reasonOf(error)));
  };
  const answer = button(
    'accept',
    () => {
      onTaken();
      run(() => call.accept());
    },
    'main',
  );
  const decline = button('reject', () => call.reject(), 'stop');
  const mute = button('mute', () => call.mute(!call.isMuted));
  const hold = button('hold', () => run(() => call.hold(!call.isHeld)));
  const transfer = button('transfer', () => transferDialog(call, calls, announce));
  const conference = calls && mayConfer ? [button('conference', () => conferenceDialog(call, calls, announce))] : [];
  const hangup = button('hangup', () => call.hangup(), 'stop');

  const draw = (): void => {
    const isRinging = call.direction === 'incoming' && call.state === 'ringing';
    const isOn = call.state === 'connected' || call.state === 'reconnecting';
    const wanted = isRinging ? [answer, decline] : [...(isOn ? [mute, hold, transfer, ...conference] : []), hangup];
    // Buttons that stay keep the focus.
    if (wanted.length !== actions.children.length || wanted.some((one, at) => actions.children[at] !== one)) {
      actions.replaceChildren(...wanted);
    }
    mute.textContent = say(call.isMuted ? 'unmute' : 'mute');
    mute.setAttribute('aria-pressed', String(call.isMuted));
    hold.textContent = say(call.isHeld ? 'resume' : 'hold');
    hold.setAttribute('aria-pressed', String(call.isHeld));
    const held = call.isRemoteHeld ? say('remote_held') : call.isHeld ? say('held') : '';
    const since = call.connectedAt === null ? '' : ` · ${duration(Date.now() - call.connectedAt.getTime())}`;
    state.textContent = (held === '' ? say(STATES[call.state]) : held) + since;
    const [first] = call.warnings;
    if (first)
      warning.textContent = `${inLanguage(first)} ${inLanguage({ message: first.hint, messageAr: first.hintAr })}`;
  };
  const clock = setInterval(draw, 1_000);
  call.on('changed', draw);
  call.on('warningCleared', () => (warning.textContent = ''));
  call.on('sample', ({ mos }) => {
    if (mos === null) return;
    quality.textContent = say(mos >= 4 ? 'good' : mos >= 3.5 ? 'fair' : 'bad');
    quality.title = say('quality', { mos: mos.toFixed(1) });
  });
  call.on('connected', () => announce(say('connected')));
  call.on('warning', (raised) => announce(inLanguage(raised)));
  call.on('disconnected', (cause) => {
    clearInterval(clock);
    announce(inLanguage(cause));
  });
  draw();
  const direction = say(call.direction);
  return h(
    'article',
    { class: 'call', 'aria-label': `${name}, ${direction}` },
    h('h3', {}, call.remote.name === null ? number(name) : h('bdi', {}, name)),
    state,
    quality,
    warning,
    actions,
  );
}
